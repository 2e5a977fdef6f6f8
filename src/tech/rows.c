#include "tech/rows.h"
#include "exec/warp.h"

static bool has(const uint64_t *bits, unsigned n) { return bits[n / 64] >> n % 64 & 1; }

void rows_print_set(struct strbuf *out, const char *prefix, const uint64_t *bits, unsigned words)
{
    const char *between = "";
    for (unsigned n = 0; n < 64 * words; n++) {
        unsigned end = n;
        if (!has(bits, n)) continue;
        while (end + 1 < 64 * words && has(bits, end + 1)) end++;
        strbuf_printf(out, "%s%s%u", between, prefix, n);
        if (end > n) strbuf_printf(out, "%s%s%u", end > n + 1 ? "-" : " ", prefix, end);
        between = " ";
        n = end;
    }
}

bool rows_has_warp(const struct sm_grid *g, unsigned place)
{
    const struct warp *w = tech_warp((struct sm_grid *)g, place);
    return w && w->state != WARP_DONE;
}

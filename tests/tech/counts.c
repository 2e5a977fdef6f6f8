#include "tech/counts.h"

#include <inttypes.h>
#include <string.h>

void counts_fini(struct counts *c)
{
    vec_fini(&c->kernels);
    vec_fini(&c->rows);
}

void counts_launched(struct counts *c, struct wf_kernel *k)
{
    for (size_t n = 0; n < c->kernels.count; n++)
        if (c->kernels.data[n] == k) return;
    vec_push(&c->kernels, k);
}

void counts_take(struct counts *c)
{
    for (size_t k = 0; k < c->kernels.count; k++) {
        size_t count;
        const struct wf_account *rows = wf_kernel_account(c->kernels.data[k], &count);
        for (size_t n = 0; n + 1 < count; n++)
            vec_push(&c->rows, (struct counts_row){.issued = rows[n].slots[0] + rows[n].beside,
                                                   .skipped = rows[n].skipped,
                                                   .reused = rows[n].reused,
                                                   .kernel = k,
                                                   .is_barrier = strstr(rows[n].instruction, "BAR.SYNC")});
    }
}

uint64_t counts_skipped(const struct counts *c)
{
    uint64_t sum = 0;
    for (size_t n = 0; n < c->rows.count; n++) sum += c->rows.data[n].skipped + c->rows.data[n].reused;
    return sum;
}

// No barrier is inserted in front of another barrier.
bool counts_agree(const struct counts *base, const struct counts *got, struct strbuf *why)
{
    size_t n = 0;
    for (size_t k = 0; k < got->rows.count; k++) {
        const struct counts_row *b = &base->rows.data[n], *g = &got->rows.data[k];
        bool is_behind = n == base->rows.count || b->kernel != g->kernel; // past the kernel's rows
        if (g->is_barrier && (is_behind || !b->is_barrier)) continue;     // inserted
        if (is_behind && !g->skipped && !g->reused) continue;             // appended
        if (n < base->rows.count && b->issued == g->issued + g->skipped && g->reused <= g->issued && ++n)
            continue;
        strbuf_printf(why, "row %zu issues %" PRIu64 " times and is skipped %" PRIu64, k, g->issued,
                      g->skipped);
        if (n < base->rows.count) strbuf_printf(why, ", together not %" PRIu64, b->issued);
        return false;
    }
    if (n != base->rows.count) strbuf_puts(why, "rows are missing");
    return n == base->rows.count;
}

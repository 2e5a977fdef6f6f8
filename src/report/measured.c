#include "report/measured.h"
#include "report/run.h"

#include <string.h>

static const struct measured table[] = {
#define MEASURED(gpu, kind, launches, error) {gpu, kind, launches, error},
#include "report/measured.def"
#undef MEASURED
};

static const char *const kinds[] = {"memory", "latency", "compute", "shared", "double"};
enum { MEMORY, LATENCY, COMPUTE, SHARED, DOUBLE, KINDS };

const char *measured_kind_at(size_t index) { return index < KINDS ? kinds[index] : NULL; }

const char *measured_kind(const char *by)
{
    static const struct {
        const char *by;
        unsigned kind;
    } near[] = {{"DRAM bandwidth", MEMORY},     {"L2 bandwidth", MEMORY}, {"uncoalesced accesses", MEMORY},
                {"local memory", MEMORY},       {"issue slots", COMPUTE}, {"arithmetic", COMPUTE},
                {"special functions", COMPUTE}, {"doubles", DOUBLE},      {"shared memory", SHARED},
                {"bank conflicts", SHARED}};
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        if (str_equal(near[i].by, by)) return kinds[near[i].kind];
    return kinds[LATENCY]; // waits for memory, arithmetic and barriers, and too few blocks or warps
}

const struct measured *measured_of(const char *gpu, const char *by)
{
    const char *kind = measured_kind(by);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (str_equal(table[i].gpu, gpu) && str_equal(table[i].kind, kind)) return &table[i];
    return NULL;
}

static void print_kind(const struct report_run *r, unsigned kind, const char *by, struct strbuf *out)
{
    static const char *const words[] = {"memory", "latency", "computing", "shared memory",
                                        "double precision"};
    const struct measured *m = r->differs_from_card ? NULL : measured_of(r->gpu, by);
    strbuf_puts(out, "cycles beside a real card's: ");
    if (m)
        strbuf_printf(
            out, "off by %.0f %% in the mean of %u launch%s limited by %s that nothing was tuned on (%s%s)\n",
            100 * m->error, m->launches, m->launches == 1 ? "" : "es", words[kind], r->gpu,
            r->tech && !str_equal(r->tech, "base") ? ", no mechanism" : "");
    else if (r->differs_from_card)
        strbuf_puts(out, "not validated with these settings\n");
    else
        strbuf_printf(out, "not validated for launches limited by %s (%s)\n", words[kind], r->gpu);
}

void measured_print(const struct report_run *r, struct strbuf *out)
{
    bool printed[KINDS] = {false};
    for (size_t i = 0; i < r->limits.count; i++) {
        const char *by = report_limits_of(r, &r->limits.data[i]).by;
        for (unsigned k = 0; k < KINDS; k++) {
            if (printed[k] || !str_equal(kinds[k], measured_kind(by))) continue;
            printed[k] = true;
            print_kind(r, k, by, out);
        }
    }
}

// Cycles and counters move the right way with each knob: bands of ratios against the same GPU without it,
// wide on purpose. One SM, so that the small inputs fill it.
#include "base/str.h"
#include "gpu/settings.h"
#include "workload/workload.h"

#include <string.h>

#define BASE "gpu.sm_count=1"

struct trend { // knob: "key=value", or after " | " when there are settings for both runs
    const char *workload, *knob, *what; // what: a counter's name, or "cycles"
    double least, most;                 // of the ratio
};

// clang-format off
static const struct trend trends[] = {
    {"vecadd",        "dram.mhz=5000",          "cycles", 0.50, 0.98},
    {"vecadd",        "dram.mhz=100",           "cycles", 1.50, 30.0},
    {"vecadd",        "memory.partitions=1",    "cycles", 1.01, 11.0},
    {"transpose",     "dram.mhz=100",           "cycles", 1.50, 30.0},
    {"spmv",          "l2.latency=360",         "cycles", 1.20, 3.50},
    {"bfs",           "icnt.latency=240",       "cycles", 1.20, 5.00},
    {"transpose",     "l2.ways=1",              "memory.l2_hits", 0.00, 1.00},
    {"matrixMul",     "l2.ways=1",              "memory.l2_misses", 1.00, 100.0},
    {"spmv",          "l1.global=1",            "memory.requests", 0.05, 0.95},
    {"spmv",          "l1.global=1",            "cycles", 0.20, 1.00},
    {"CP",            "issue.schedulers=1",     "cycles", 1.05, 4.10},
    {"CP",            "fetch.per_scheduler=1",  "cycles", 0.25, 1.00},
    {"LIB",           "fetch.per_scheduler=1",  "cycles", 0.25, 1.00},
    {"CP",            "fetch.width=1",          "cycles", 1.20, 2.10},
    {"CP",            "fetch.latency=20",       "cycles", 1.05, 9.00},
    {"binomialOptions", "icache.perfect=1",     "cycles", 0.50, 1.00},
    {"binomialOptions", "icache.sets=1 icache.ways=1", "sm.fetch.icache_misses", 1.50, 1e9},
    {"CP",            "operands.collectors=1",  "cycles", 1.05, 4.00},
    {"CP",            "operands.banks=1",       "sm.operand.conflict_cycles", 1.50, 1e9},
    {"CP",            "operands.conflicts=0",   "sm.operand.conflict_cycles", 0.00, 0.00},
    {"CP",            "operands.write_ports=1", "cycles", 1.01, 4.00},
    {"CP",            "operands.write_ports=1", "sm.operand.write_cycles", 2.00, 1e9},
    {"CP",            "latency.fp_mad=40",      "cycles", 1.05, 9.00},
    {"matrixMul",     "shared.banks=1",         "sm.shared.conflict_cycles", 2.00, 1e9},
    {"matrixMul",     "shared.banks=1",         "cycles", 1.50, 33.0},
    {"scan",          "shared.latency=200",     "cycles", 1.20, 9.00},
    {"pathfinder",    "barrier.latency=500",    "cycles", 1.20, 99.0},
    {"fastWalshTransform", "sm.warps=16",       "cycles", 1.00, 4.00},
    {"matrixMul",     "gpu.sm_count=2",         "cycles", 0.40, 0.90},
    {"matrixMul",     "gpu.launch_latency=5000","cycles", 1.01, 9.00},
    {"convolutionTexture", "texture.sets=1 texture.ways=1", "sm.texture.misses", 1.05, 1e9},
    {"histogram",     "l2.atomic_interval=64",  "cycles", 1.00, 64.0},
    {"spmv",          "l1.global=1 l1.mshrs=1 | l1.allocate=fill", "cycles", 1.10, 99.0},
    {"spmv",          "l1.global=1 l1.sets=1 l1.ways=8 l1.mshrs=8 | l1.allocate=miss", "sm.lsu.stalls", 1.10, 99.0},
    {"spmv",          "l1.global=1 | l1.mshrs=1", "cycles", 1.00, 1.00}, // streaming: no limit
    {"LIB",           "l1.write=through",       "memory.l2_stores", 1.05, 1e9},
    {"LIB",           "l1.write=through-allocate", "memory.l2_stores", 1.05, 1e9},
    {"LIB",           "l1.write=through | l1.write=through-allocate", "sm.l1.misses", 0.00, 0.95},
    {"LIB",           "l1.ways=32 | l1.replacement=fifo", "sm.l1.misses", 1.00, 4.00},
    {"LIB",           "l1.ways=32 | l1.replacement=random", "sm.l1.misses", 0.20, 0.999},
    {"convolutionTexture", "texture.sets=1 texture.ways=8 | texture.replacement=random", "sm.texture.misses", 1.001, 2.00},
    {"convolutionTexture", "texture.sets=1 texture.ways=16 | texture.replacement=fifo", "sm.texture.misses", 1.00, 4.00},
    {"convolutionTexture", "texture.sets=1 texture.ways=8 l1.mshrs=2 | texture.allocate=streaming", "cycles", 0.10, 0.99},
    {"binomialOptions", "icache.sets=1 | icache.replacement=random", "sm.fetch.icache_misses", 1.01, 4.00},
    {"convolutionTexture", "constant.sets=1 constant.ways=2 | constant.replacement=random", "sm.constant.misses", 1.01, 4.00},
};
// clang-format on

static uint64_t counter_of(const struct wf_stats *s, const char *name)
{
    for (size_t k = 0; k < s->counter_count; k++)
        if (str_equal(s->counters[k].name, name)) return s->counters[k].value;
    return WF_UNKNOWN;
}

struct sum {
    const char *what;
    uint64_t value;
};

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct sum *s = context;
    (void)kernel, (void)shape;
    s->value += str_equal(s->what, "cycles") ? stats->cycles : counter_of(stats, s->what);
}

static double measure(struct test *t, const struct trend *r, bool turned)
{
    const char *bar = strstr(r->knob, " | "), *knob = bar ? bar + 3 : r->knob;
    char both[200];
    snprintf(both, sizeof both, "%.*s", bar ? (int)(bar - r->knob) : 0, r->knob);

    const char *near;
    struct wf_context *c = wf_context_create();
    struct sum s = {r->what, 0};
    CHECK_EQ(t, wf_gpu(c, "gtx1080ti"), WF_OK);
    settings_apply(t, c, BASE);
    settings_apply(t, c, both);
    if (turned) settings_apply(t, c, knob);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = &s};
    struct workload_result result;
    CHECK_MSG(t, workload_run(workload_find(r->workload, &near), c, &options, &result) == WF_OK,
              "%s with %s: %s", r->workload, r->knob, wf_errors(c));
    wf_context_destroy(c);
    return (double)s.value;
}

static void test_trends(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(trends); k++) {
        const struct trend *r = &trends[k];
        double base = measure(t, r, false), turned = measure(t, r, true),
               ratio = base > 0 ? turned / base : 0;
        CHECK_MSG(t, ratio >= r->least && ratio <= r->most,
                  "%s with %s: %s %.0f became %.0f, %.3f times, not %.2f to %.2f", r->workload, r->knob,
                  r->what, base, turned, ratio, r->least, r->most);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"trends", test_trends}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

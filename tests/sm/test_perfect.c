// memory.perfect: cost of accesses when no cache misses and no limit exists behind the
// caches; results of programs are unchanged.
#include "chip/bench.h"
#include "harness/settings.h"
#include "workload/workload.h"

#define SMOOTH                                                                                               \
    "memory.perfect=1 icache.perfect=1 fetch.per_scheduler=1 fetch.refill=space fetch.ibuffer=16 "           \
    "fetch.width=4 operands.conflicts=0 "

// Cycles of a warp for `times` pieces of code. R2: addresses, a line per
// lane; R4: the distance to the next 32 lines.
static uint64_t cycles_of(struct test *t, const char *settings, const char *code, unsigned times)
{
    struct gpu_bench b;
    struct strbuf text = {0};
    strbuf_puts(&text, "S2R R0, SR_TID.X\nMOV R6, 0x80\nMOV R4, 0x1000\n"
                       "IMAD.WIDE R2, R0, R6, c[0x0][0x160]\nMOV R8, RZ\n");
    for (unsigned k = 0; k < times; k++) strbuf_puts(&text, code);
    strbuf_puts(&text, "EXIT\n");
    uint64_t cycles = 0;
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", settings, strbuf_text(&text), 32)) {
        machine_buffer(&b.m, 1 << 20);
        cycles = gpu_cycles(&b);
        CHECK_EQ(t, b.result.memory.requests, 0);
        CHECK_EQ(t, b.result.memory.dram.reads + b.result.memory.dram.writes, 0);
        CHECK_EQ(t, b.result.gpu.l1_misses + b.result.gpu.l1_pending_hits + b.result.gpu.constant_misses, 0);
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

// Steps to the next 32 lines once R8, a 0, has arrived.
#define WAITS "IADD3 R2, R2, R8, R4\n"

static void test_costs(struct test *t)
{
    static const struct {
        const char *settings, *code;
        uint64_t cycles;
    } rows[] = {
        // 6 for the addition, 2 to the load/store unit, a line a cycle, and the hit of the last line.
        {SMOOTH, "LDG.E R8, [R2]\n" WAITS, 6 + 2 + 31 + 82},
        {SMOOTH "l1.latency=7", "LDG.E R8, [R2]\n" WAITS, 6 + 2 + 31 + 7},
        {SMOOTH "l1.global=1", "LDG.E R8, [R2]\n" WAITS, 6 + 2 + 31 + 82},
        {SMOOTH "l1.global=1 l1.mshrs=1 l1.sets=1 l1.ways=1", "LDG.E R8, [R2]\n" WAITS, 6 + 2 + 31 + 82},
        {SMOOTH, "LDG.E.CV R8, [R2]\n" WAITS, 6 + 2 + 31 + 82},
        {SMOOTH, "LDG.E.STRONG.GPU R8, [R2]\n" WAITS, 6 + 2 + 31 + 82},
        {SMOOTH, "ATOMG.E.ADD.U32 R8, [R2], RZ\n" WAITS, 6 + 2 + 31 + 82},
        // Visible to other SMs no sooner than a message travels between SMs.
        {SMOOTH "l1.latency=7", "ATOMG.E.ADD.U32 R8, [R2], RZ\n" WAITS, 6 + 2 + 31 + 24},
        {SMOOTH "icnt.latency=50", "STG.E [R2], R8\nMEMBAR.SC.GPU\n" WAITS, 6 + 2 + 31 + 50},
        // No instruction waits for a store: a line a cycle.
        {SMOOTH "l1.write=through", "STG.E [R2], R8\n" WAITS, 32},
        {SMOOTH "l1.write=through-allocate l1.sets=1 l1.ways=1", "STG.E [R2], R8\n" WAITS, 32},
        {SMOOTH, "RED.E.ADD.U32 [R2], R8\n" WAITS, 32},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        uint64_t cycles = cycles_of(t, rows[k].settings, rows[k].code, 40) -
                          cycles_of(t, rows[k].settings, rows[k].code, 20);
        CHECK_MSG(t, cycles == 20 * rows[k].cycles, "%s with %s: 20 times %llu cycles, not %llu",
                  rows[k].code, rows[k].settings, (unsigned long long)cycles / 20,
                  (unsigned long long)rows[k].cycles);
    }
}

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    (void)kernel, (void)shape;
    *(uint64_t *)context += stats->cycles;
}

static uint64_t run(struct test *t, const struct workload *w, const char *settings, uint64_t *hash)
{
    uint64_t cycles = 0;
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "gtx480"), WF_OK);
    settings_apply(t, c, "compile.profile=ptxplus");
    settings_apply(t, c, settings);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = &cycles};
    struct workload_result r;
    CHECK_MSG(t, workload_run(w, c, &options, &r) == WF_OK, "%s (%s): %s", w->name, settings, wf_errors(c));
    *hash = r.output_hash;
    wf_context_destroy(c);
    return cycles;
}

// No regular program takes longer, and every program stores the same bytes.
static void test_kernels(struct test *t)
{
    const struct workload *w;
    for (size_t k = 0; (w = workload_in_group("dac", k, NULL)) != NULL; k++) {
        uint64_t hash, perfect_hash;
        uint64_t cycles = run(t, w, "memory.perfect=0", &hash),
                 perfect = run(t, w, "memory.perfect=1", &perfect_hash);
        CHECK_MSG(t, perfect < cycles, "%s: %llu cycles, and %llu with perfect memory", w->name,
                  (unsigned long long)cycles, (unsigned long long)perfect);
        CHECK_MSG(t, w->output_class != WORKLOAD_CLASS_D || hash == perfect_hash, "%s: other bytes", w->name);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"costs", test_costs}, {"kernels", test_kernels}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// A slice of the chip (gpu.slice): the scaled settings, the rates of an SM beside those of the whole chip, results
// and counters, and refusals.
#include "base/str.h"
#include "chip/slice.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"

#include <math.h>
#include <stdlib.h>

// -- settings -----------------------------------------------------------------------------------------------

// 11 partitions over 7 are 1.571: two, with DRAM at 11/14 of the rate. 22 L2 slices with a seventh each.
static void test_scaled(struct test *t)
{
    static const struct {
        const char *key, *value; // NULL: as on the whole chip
    } rows[] = {{"gpu.sm_count", "4"},
                {"memory.partitions", "2"},
                {"l2.slices", "11"},
                {"l2.interval", "7"},
                {"l2.atomic_interval", "14"},
                {"l2.partial_interval", "7"},
                {"l2.sets", "9"},
                {"l2.mshrs", "27"},
                {"dram.mhz", "1964"},
                {"dram.queue", "50"},
                {"l2.ways", NULL},
                {"l2.latency", NULL},
                {"icnt.mhz", NULL},
                {"l2.mhz", NULL},
                {"gpu.core_mhz", NULL},
                {"dram.rcd", NULL}};
    struct wf_context *c = wf_context_create();
    struct wf_key key;
    unsigned seen = 0, scaled = 0;
    CHECK_EQ(t, wf_gpu(c, "gtx1080ti-paper"), WF_OK);
    settings_apply(t, c, "gpu.slice=7");
    CHECK_EQ(t, wf_check_settings(c), WF_OK);
    for (size_t i = 0; wf_key_at(c, i, &key); i++) {
        scaled += key.sliced != NULL;
        for (size_t k = 0; k < TEST_COUNT(rows); k++) {
            if (!str_equal(key.name, rows[k].key)) continue;
            seen++;
            if (rows[k].value)
                CHECK_STR(t, key.sliced, rows[k].value);
            else
                CHECK_MSG(t, !key.sliced, "%s is %s in the slice", key.name, key.sliced);
        }
    }
    CHECK_EQ(t, seen, TEST_COUNT(rows));
    CHECK_EQ(t, scaled, 10);
    settings_apply(t, c, "gpu.slice=1");
    for (size_t i = 0; wf_key_at(c, i, &key); i++) CHECK_MSG(t, !key.sliced, "%s", key.name);
    wf_context_destroy(c);
}

static bool is_near(double a, double b, double within) { return fabs(a / b - 1) <= within; }

// Of every bundled GPU and every slice: an SM has the whole chip's share of capacity and rates.
static void test_shares(struct test *t)
{
    const char *name, *meaning;
    unsigned slices = 0;
    for (size_t g = 0; wf_gpu_at(g, &name, &meaning); g++) {
        struct wf_context *c = wf_context_create();
        CHECK_EQ(t, wf_gpu(c, name), WF_OK);
        struct wf_slice s;
        struct wf_class class;
        wf_slice_of(c, &s);
        bool has_classes = wf_class_at(c, 0, &class);
        uint32_t sms = s.whole_sms, partitions = s.whole_partitions;
        for (uint32_t n = 2; n <= sms && !has_classes; n++) {
            char value[12];
            if (sms % n) continue;
            snprintf(value, sizeof value, "%u", n);
            CHECK_EQ(t, wf_set(c, "gpu.slice", value), WF_OK);
            CHECK_EQ(t, wf_check_settings(c), WF_OK);
            CHECK(t, wf_slice_of(c, &s) && s.sms == sms / n && s.dram_rate <= 1 && s.partitions >= 1);
            CHECK_MSG(t, is_near(s.partitions * s.dram_rate / s.sms, (double)partitions / sms, 1e-9),
                      "%s, gpu.slice=%u: %u partitions at %f", name, n, s.partitions, s.dram_rate);
            slices++;
        }
        wf_context_destroy(c);
    }
    CHECK(t, slices > 50);
}

static void check_refused(struct test *t, const char *gpu, const char *settings, const char *why)
{
    struct wf_context *c = wf_context_create();
    struct workload_result r;
    const struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
    CHECK_EQ(t, wf_gpu(c, gpu), WF_OK);
    settings_apply(t, c, settings);
    CHECK_EQ(t, wf_check_settings(c), WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c), why);
    wf_clear_errors(c);
    CHECK_EQ(t, workload_run(workload_find("vecadd", &(const char *){NULL}), c, &options, &r), WF_BAD_USAGE);
    wf_context_destroy(c);
}

static void test_refused(struct test *t)
{
    check_refused(
        t, "gtx1080ti-paper", "gpu.slice=3",
        "error: gpu.slice is 3, and gpu.sm_count is 28: a slice has a whole number of SMs; gpu.slice may "
        "be 1, 2, 4, 7, 14, 28\n");
    check_refused(
        t, "tiny", "gpu.sm_count=4 class.a.count=2 class.b.count=2 gpu.slice=2",
        "error: gpu.slice is 2, and the SMs have classes: a slice of classes is not supported; set their "
        "counts\n");
    check_refused(t, "tiny", "machine=simtight gpu.slice=2",
                  "error: gpu.slice is 2: SIMTight has one core, and no slices\n");
}

// -- runs ---------------------------------------------------------------------------------------------------

struct sum {
    struct test *t;
    uint64_t cycles, warps, fetched, sms, skipped;
    double chip_leakage;
    struct wf_slice slice;
};

static void add(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                const struct wf_stats *s)
{
    struct sum *sum = context;
    (void)k;
    (void)shape;
    sum->cycles += s->cycles;
    sum->warps += s->warp_instructions;
    sum->fetched += s->fetched;
    sum->skipped += counter_if_used(sum->t, s, "darsie.skipped");
    sum->sms = s->sm_count;
    sum->slice = s->slice;
    for (size_t n = 0; n < s->energy_count; n++)
        if (str_equal(s->energy[n].name, "chip_leakage")) sum->chip_leakage = s->energy[n].pj_each;
}

static struct workload_result run(struct test *t, const char *kernel, const char *tech, const char *settings,
                                  struct sum *sum)
{
    struct wf_context *c = wf_context_create();
    *sum = (struct sum){.t = t};
    CHECK(t, wf_gpu(c, "gtx1080ti-paper") == WF_OK && wf_tech(c, tech) == WF_OK);
    settings_apply(t, c, settings);
    struct workload_result r = bundled_run(t, c, kernel, add, sum);
    wf_context_destroy(c);
    return r;
}

// The same bytes and the same work on the whole chip and on slices; gpu.slice=1 changes no cycle.
static void test_results(struct test *t)
{
    static const char *const kernels[] = {"matrixMul", "backprop", "pathfinder", "histogram"};
    for (size_t k = 0; k < TEST_COUNT(kernels); k++) {
        struct sum whole, one, slice, darsie;
        uint64_t hash = run(t, kernels[k], "base", "", &whole).output_hash;
        CHECK_EQ(t, run(t, kernels[k], "base", "gpu.slice=1", &one).output_hash, hash);
        CHECK_EQ(t, one.cycles, whole.cycles);
        CHECK(t, !one.slice.parts && one.sms == 28);
        CHECK_EQ(t, run(t, kernels[k], "base", "gpu.slice=7", &slice).output_hash, hash);
        CHECK_EQ(t, slice.warps, whole.warps);
        CHECK(t, slice.sms == 4 && slice.slice.parts == 7 && slice.cycles >= whole.cycles);
        CHECK(t, is_near(7 * slice.chip_leakage, whole.chip_leakage, 1e-9));
        CHECK_EQ(t, run(t, kernels[k], "darsie", "gpu.slice=14 simt=splits", &darsie).output_hash, hash);
        CHECK_EQ(t, darsie.warps + darsie.skipped, whole.warps);
    }
}

// Pages of `bytes` per SM, read by threads of all SMs: the cycles of a slice are those of the whole chip within
// 3 %, from DRAM and from the L2.
static void test_rates(struct test *t)
{
    static const char text[] =
        ".version 7.8\n.target sm_70\n.address_size 64\n"
        ".visible .entry read(.param .u64 data, .param .u32 rounds, .param .u64 out)\n{\n"
        "  .reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %p<2>;\n"
        "  ld.param.u64 %d1, [data]; ld.param.u32 %r1, [rounds]; ld.param.u64 %d5, [out];\n"
        "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
        "  mad.lo.u32 %r5, %r2, %r3, %r4; mul.wide.u32 %d2, %r5, 16; add.u64 %d3, %d1, %d2;\n"
        "  mov.u32 %r6, 0;\n"
        "again:\n"
        "  ld.volatile.global.v4.u32 {%r7, %r8, %r9, %r10}, [%d3];\n"
        "  add.u32 %r6, %r6, %r10; sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;\n"
        "  @%p1 bra again;\n"
        "  mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d5, %d2; st.global.u32 [%d3], %r6; ret;\n}\n";
    for (uint32_t rounds = 1; rounds <= 20; rounds += 19) {
        uint64_t cycles[2];
        for (unsigned sliced = 0; sliced < 2; sliced++) {
            uint32_t blocks = sliced ? 32 : 224;
            struct wf_context *c = wf_context_create();
            struct wf_stats stats;
            CHECK_EQ(t, wf_gpu(c, "gtx1080ti-paper"), WF_OK);
            if (sliced) settings_apply(t, c, "gpu.slice=7");
            struct wf_module *m = wf_module_load(c, "read.ptx", text, sizeof text - 1);
            struct wf_kernel *k = m ? wf_kernel_find(m, "read") : NULL;
            CHECK_MSG(t, k, "%s", wf_errors(c));
            uint64_t data = wf_alloc(c, (uint64_t)blocks * 256 * 16),
                     out = wf_alloc(c, (uint64_t)blocks * 256 * 4);
            struct wf_launch_config shape = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}};
            void *args[] = {&data, &rounds, &out};
            if (k) CHECK_EQ(t, wf_launch(k, &shape, args, 3, &stats), WF_OK);
            cycles[sliced] = stats.cycles;
            wf_context_destroy(c);
        }
        printf("  %u rounds: %llu cycles on the whole chip, %llu on a slice\n", rounds,
               (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
        CHECK(t, is_near((double)cycles[1], (double)cycles[0], 0.03));
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"scaled", test_scaled},
                                             {"shares", test_shares},
                                             {"refused", test_refused},
                                             {"results", test_results},
                                             {"rates", test_rates}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Chips made of classes of SMs: placement of blocks, costs and storage by class. Equal classes change no
// counter, different classes change no result, and host threads change neither.
#include "chip/bench.h"
#include "generator/launch.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "workload/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two classes with differences in every part of an SM.
#define MIXED                                                                                                \
    "gpu.sm_count=3 class.big.count=1 class.big.issue.width=2 class.big.issue.schedulers=4 "                 \
    "class.big.fetch.per_scheduler=1 class.little.count=2 class.little.sm.warps=16 "                         \
    "class.little.issue.scheduler=lrr class.little.issue.dependences=encoded class.little.operands.banks=2 " \
    "class.little.l1.ways=4 class.little.l1.global=1 class.little.lsu.queue=2 "                              \
    "class.little.latency.fp_mad=9 "                                                                         \
    "class.little.interval.sfu=9 class.little.icache.sets=2 class.little.constant.sets=2 "                   \
    "class.little.barrier.latency=40 class.little.shared.banks=8"

// -- placement of blocks ------------------------------------------------------------------------------------

// Every block records its SM. `want` lists the SMs of the blocks in order; "" at its end: of every block.
static void check_places(struct test *t, const char *settings, uint32_t threads, uint32_t blocks,
                         const char *want)
{
    static const char text[] = "S2R R0, SR_CTAID.X\nS2R R1, SR_SMID\nMOV R4, 0x4\n"
                               "IMAD.WIDE R2, R0, R4, c[0x0][0x160]\nSTG.E [R2], R1\nEXIT\n";
    struct gpu_bench b;
    char got[100] = "";
    if (gpu_bench_init(&b, t, "tiny", settings, text, threads)) {
        uint64_t out = machine_buffer(&b.m, 4 * blocks);
        b.m.launch.grid[0] = blocks;
        gpu_cycles(&b);
        for (uint32_t k = 0; k < blocks; k++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", k ? " " : "",
                     machine_words(&b.m, out)[k]);
        CHECK_MSG(t, strcmp(got, want) == 0, "%s: %u blocks of %u threads are on SMs\n    %s, not\n    %s",
                  settings, blocks, threads, got, want);
    }
    gpu_bench_fini(&b);
}

// Later dispatches are delayed, so that only the first blocks count.
static void test_places(struct test *t)
{
#define LATE " sm.blocks=16 sm.warps=32 gpu.dispatch_latency=10000 "
    // 32 and 16 warps for blocks of four.
    check_places(t, "class.whole.count=1 class.half.count=1 class.half.sm.warps=16 gpu.sm_count=2" LATE, 128,
                 12, "0 1 0 1 0 1 0 1 0 0 0 0");
    check_places(t, "class.half.count=1 class.half.sm.warps=16 class.whole.count=2 gpu.sm_count=3" LATE, 128,
                 20, "0 1 2 0 1 2 0 1 2 0 1 2 1 2 1 2 1 2 1 2");
    // Only some SMs have room for a block; fewer blocks than SMs with room.
    check_places(t, "class.small.count=3 class.small.sm.warps=2 class.big.count=2 gpu.sm_count=5" LATE, 128,
                 3, "3 4 3");
    check_places(t, "class.small.count=3 class.small.sm.warps=2 class.big.count=2 gpu.sm_count=5" LATE, 128,
                 1, "3");
    check_places(t,
                 "class.a.count=1 class.small.count=2 class.small.sm.shared_bytes=0 class.small.sm.warps=2 "
                 "class.b.count=1 gpu.sm_count=4" LATE,
                 128, 4, "0 3 0 3");
    // Registers and blocks limit a class as well.
    check_places(
        t,
        "class.a.count=1 class.a.sm.blocks=1 class.b.count=1 class.b.sm.registers=2048 gpu.sm_count=2 "
        "gpu.dispatch_latency=10000",
        64, 4, "0 1 1 1");
#undef LATE
}

// A later block goes to the SM where a block has ended, of whichever class.
static void test_later_blocks(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(
            &b, t, "tiny",
            "sim.check=1 class.whole.count=1 class.half.count=1 class.half.sm.warps=8 gpu.sm_count=2",
            "MOV R1, 0x1\nIADD3 R2, R1, R1, RZ\nEXIT\n", 128)) {
        b.m.launch.grid[0] = 1000;
        gpu_cycles(&b);
        CHECK_EQ(t, b.result.exec.blocks, 1000);
        CHECK(t, b.result.occupancy > 0 && b.result.occupancy <= 1);
    }
    gpu_bench_fini(&b);
}

// -- the same counters, the same bytes ----------------------------------------------------------------------

struct outcome {
    uint64_t hash, cycles;
    VEC(uint64_t) counters; // of all launches
    double pj;
};

static void take(struct outcome *o, const struct wf_stats *stats)
{
    o->cycles += stats->cycles;
    for (size_t k = 0; k < stats->counter_count; k++) vec_push(&o->counters, stats->counters[k].value);
    for (size_t k = 0; k < stats->energy_count; k++)
        o->pj += (double)stats->energy[k].count * stats->energy[k].pj_each;
}

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    (void)kernel, (void)shape;
    take(context, stats);
}

static void run(struct test *t, const struct workload *w, const char *tech, const char *settings,
                unsigned threads, struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    *o = (struct outcome){0};
    CHECK(t, wf_gpu(c, "tiny") == WF_OK && wf_tech(c, tech) == WF_OK);
    settings_apply(t, c, settings);
    wf_set_threads(c, threads);
    wf_set_max_cycles(c, 200000000);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = launched, .launched_context = o};
    struct workload_result r;
    enum wf_status status = workload_run(w, c, &options, &r);
    CHECK_MSG(t, status == WF_OK, "%s (%s): %s", w->name, settings, wf_errors(c));
    o->hash = r.output_hash;
    wf_context_destroy(c);
}

static bool same_counters(const struct outcome *a, const struct outcome *b)
{
    return a->hash == b->hash && a->cycles == b->cycles && a->counters.count == b->counters.count &&
           memcmp(a->counters.data, b->counters.data, a->counters.count * sizeof *a->counters.data) == 0;
}

// Mechanisms in turn, so that every mechanism meets some kernels.
static const char *tech_of(size_t k)
{
    static const char *const techs[] = {"base", "darsie", "uv", "dac", "silicon-sync"};
    return techs[k % TEST_COUNT(techs)];
}

// Equal counters; energy only almost equal, since it is summed in another order.
static void test_alike(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct outcome plain, alike;
        run(t, w, tech_of(i), "gpu.sm_count=3", 1, &plain);
        run(t, w, tech_of(i), "gpu.sm_count=3 class.a.count=1 class.b.count=2 class.b.sm.warps=32", 2,
            &alike);
        CHECK_MSG(t, same_counters(&plain, &alike),
                  "%s under %s: other counters in two classes that are alike", w->name, tech_of(i));
        CHECK_MSG(t, fabs(plain.pj - alike.pj) <= 1e-9 * plain.pj, "%s: %.0f pJ, not %.0f", w->name, alike.pj,
                  plain.pj);
        vec_fini(&plain.counters);
        vec_fini(&alike.counters);
    }
}

static void test_threads(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct outcome plain, one, three;
        run(t, w, "base", "gpu.sm_count=3", 1, &plain);
        run(t, w, tech_of(i), MIXED, 1, &one);
        run(t, w, tech_of(i), MIXED " sim.skip_idle=0 sim.check=1", 3, &three);
        CHECK_MSG(t, same_counters(&one, &three), "%s under %s: other counters with 3 threads", w->name,
                  tech_of(i));
        bool same = w->output_class != WORKLOAD_CLASS_D || plain.hash == one.hash;
        CHECK_MSG(t, same, "%s under %s: other bytes on two classes", w->name, tech_of(i));
        vec_fini(&plain.counters);
        vec_fini(&one.counters);
        vec_fini(&three.counters);
    }
}

static void run_program(struct test *t, const struct generated *g, const char *tech, const char *settings,
                        unsigned threads, struct outcome *o, struct strbuf *bytes)
{
    struct wf_context *c = wf_context_create();
    struct wf_stats stats = {0};
    struct generated_memory at = {0};
    *o = (struct outcome){0};
    CHECK(t, wf_gpu(c, "tiny") == WF_OK && wf_tech(c, tech) == WF_OK);
    wf_set_verify(c, true);
    settings_apply(t, c, settings);
    wf_set_threads(c, threads);
    wf_set_max_cycles(c, 10000000);
    struct wf_module *m = wf_module_load(c, "kernel.ptx", g->text.text, g->text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    enum wf_status status = k ? generated_launch(c, k, g, &at, &stats) : WF_BAD_INPUT;
    CHECK_MSG(t, status == WF_OK && !stats.verify_mismatches, "program %llu under %s (%s): %s",
              (unsigned long long)g->seed, tech, settings, wf_errors(c));
    if (status == WF_OK) take(o, &stats);
    strbuf_clear(bytes);
    char *got = calloc(at.out_bytes + GENERATOR_ACC_BYTES, 1);
    if (at.out) wf_read(c, at.out, got, at.out_bytes);
    if (at.acc) wf_read(c, at.acc, got + at.out_bytes, GENERATOR_ACC_BYTES);
    strbuf_write(bytes, got, at.out_bytes + GENERATOR_ACC_BYTES);
    free(got);
    wf_context_destroy(c);
}

static void check_program(struct test *t, const struct generated *g, const char *tech)
{
    struct outcome plain, one, three;
    struct strbuf wanted = {0}, got = {0};
    run_program(t, g, "base", "gpu.sm_count=3", 1, &plain, &wanted);
    run_program(t, g, tech, MIXED, 1, &one, &got);
    bool same = got.length == wanted.length && memcmp(got.text, wanted.text, got.length) == 0;
    CHECK_MSG(t, same, "program %llu under %s: other bytes on two classes", (unsigned long long)g->seed,
              tech);
    run_program(t, g, tech, MIXED, 3, &three, &got);
    CHECK_MSG(t, same_counters(&one, &three), "program %llu under %s: other counters with 3 threads",
              (unsigned long long)g->seed, tech);
    vec_fini(&plain.counters);
    vec_fini(&one.counters);
    vec_fini(&three.counters);
    strbuf_fini(&wanted);
    strbuf_fini(&got);
}

// Every second program of the kind with values shared between warps.
static void test_random(struct test *t)
{
    static const uint32_t grid[3] = {7, 1, 1};
    uint64_t first = test_seed(1), count = test_is_long() ? 2000 : test_is_quick() ? 10 : 100;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct generated g;
        if (seed % 2)
            generator_make(seed, &(struct generator_options){.statements = 8, .grid = grid}, &g);
        else
            generator_redundancy_with(seed, &(struct redundancy_options){.grid = grid, .defined = true}, &g);
        check_program(t, &g, tech_of(seed));
        generated_fini(&g);
    }
}

// -- accounts, storage, energy ------------------------------------------------------------------------------

static bool is_of_sms(const char *counter) { return strncmp(counter, "sm.", 3) == 0; }

static void check_accounts(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                           const struct wf_stats *stats)
{
    struct test *t = context;
    struct wf_counter of_run;
    (void)kernel, (void)shape;
    CHECK_EQ(t, stats->class_count, 2);
    CHECK_EQ(t, stats->sm_count, 3);
    const struct wf_class_account *classes = stats->classes;
    CHECK(t, strcmp(classes[0].sm_class.name, "big") == 0 && strcmp(classes[1].sm_class.name, "little") == 0);
    CHECK(t, classes[0].sm_class.first == 0 && classes[0].sm_class.count == 1);
    CHECK(t, classes[1].sm_class.first == 1 && classes[1].sm_class.count == 2);
    for (size_t n = 0; wf_counter_at(n, &of_run); n++) {
        uint64_t a = classes[0].counters[n], b = classes[1].counters[n];
        bool right =
            is_of_sms(of_run.name) ? a + b == stats->counters[n].value : a == WF_UNKNOWN && b == WF_UNKNOWN;
        CHECK_MSG(t, right, "%s is not the classes' sum", of_run.name);
    }
    CHECK_EQ(t, classes[1].counters[counter_index(t, "sm.sm.active_cycles")],
             stats->sms[1].active_cycles + stats->sms[2].active_cycles);
    for (size_t k = 0; k < 3; k++) CHECK_STR(t, stats->sms[k].sm_class, k ? "little" : "big");
}

static void test_accounts(struct test *t)
{
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "tiny"), WF_OK);
    settings_apply(t, c, MIXED);
    bundled_run(t, c, "hotspot", check_accounts, t);
    wf_context_destroy(c);
}

// Storage of an SM: DARSIE's structures are as many as the SM has room for blocks.
static uint64_t bits_of(struct wf_context *c, const char *sm_class)
{
    const struct wf_structure *rows;
    size_t count = wf_storage(c, &rows);
    uint64_t bits = 0;
    for (size_t k = 0; k < count; k++) {
        bool same = sm_class && rows[k].sm_class ? strcmp(rows[k].sm_class, sm_class) == 0
                                                 : rows[k].sm_class == sm_class;
        if (same) bits += rows[k].bits;
    }
    return bits;
}

struct priced {
    struct test *t;
    uint64_t big_bits, little_bits; // of an SM
};

static void check_energy(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                         const struct wf_stats *stats)
{
    const struct priced *p = context;
    double cost[2] = {0};
    uint64_t bit_cycles = 0, reads[2] = {0};
    (void)kernel, (void)shape;
    for (size_t k = 0; k < stats->energy_count; k++) {
        const struct wf_energy *e = &stats->energy[k];
        if (strncmp(e->name, "darsie: leakage", 15) == 0) bit_cycles += e->count;
        for (int n = 0; n < 2; n++) {
            if (strcmp(e->name, n ? "darsie: PC skip table, reads, class little"
                                  : "darsie: PC skip table, reads, class big") != 0)
                continue;
            cost[n] = e->pj_each;
            reads[n] = e->count;
        }
    }
    CHECK_EQ(p->t, bit_cycles, (p->big_bits + 2 * p->little_bits) * stats->cycles);
    CHECK(p->t, reads[0] && reads[1]);
    CHECK_EQ(p->t, reads[0] + reads[1], counter(p->t, stats, "darsie.lookups"));
    CHECK(p->t, cost[0] > 1.9 * cost[1] && cost[0] < 2.1 * cost[1]); // the root of four times the bits
}

static void test_costs(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct priced p = {.t = t};
    CHECK(t, wf_gpu(c, "tiny") == WF_OK && wf_tech(c, "darsie") == WF_OK);
    settings_apply(t, c, "sm.blocks=8");
    p.big_bits = bits_of(c, NULL);
    settings_apply(t, c, "sm.blocks=2");
    p.little_bits = bits_of(c, NULL);
    settings_apply(t, c, "gpu.sm_count=3 class.big.count=1 class.big.sm.blocks=8 class.little.count=2");
    CHECK_EQ(t, wf_check_settings(c), WF_OK);
    CHECK_EQ(t, bits_of(c, NULL), 0);
    CHECK_EQ(t, bits_of(c, "big"), p.big_bits);
    CHECK_EQ(t, bits_of(c, "little"), p.little_bits);
    bundled_run(t, c, "matrixMul", check_energy, &p);
    wf_context_destroy(c);
}

// -- settings -----------------------------------------------------------------------------------------------

// Settings and classes work in any order; selecting another GPU drops the settings and classes of the
// previous GPU's file; a launch checks the classes.
static void test_settings(struct test *t)
{
    struct wf_class class;
    const char *near;
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "tiny"), WF_OK);
    settings_apply(t, c, "class.x.sm.warps=12 class.x.issue.schedulers=3 class.y.count=2");
    CHECK_EQ(t, wf_check_settings(c), WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c), "error: class x has no count; say class.x.count = N\n");
    wf_clear_errors(c);
    struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
    struct workload_result r;
    CHECK_EQ(t, workload_run(workload_find("vecadd", &near), c, &options, &r), WF_BAD_USAGE);
    wf_clear_errors(c);
    settings_apply(t, c, "class.x.count=1 gpu.sm_count=3");
    CHECK_EQ(t, wf_check_settings(c), WF_OK);
    CHECK(t,
          wf_class_at(c, 1, &class) && strcmp(class.name, "y") == 0 && class.first == 1 && class.count == 2);
    CHECK(t, !wf_class_at(c, 2, &class));
    CHECK_HAS(t, wf_config_json(c), "\"class.x.sm.warps\": 12");
    bundled_run(t, c, "vecadd", NULL, NULL);
    CHECK_EQ(t, wf_set(c, "class.x.count", "2"), WF_OK);
    CHECK_EQ(t, wf_check_settings(c), WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c), "error: gpu.sm_count is 3, and the classes have 4 SMs (x 2, y 2)\n");
    wf_clear_errors(c);
    CHECK_HAS(t, wf_config_json(c), "\"sm.warps\": 32");
    CHECK_EQ(t, wf_set(c, "fetch.width", "7"), WF_OK);
    CHECK_EQ(t, wf_set(c, "gpu.sm_count", "80"), WF_OK);
    CHECK_EQ(t, wf_gpu(c, "titanv"), WF_OK);
    CHECK_HAS(t, wf_config_json(c), "\"sm.warps\": 64"); // the default, changed by tiny's file alone
    CHECK_HAS(t, wf_config_json(c), "\"fetch.width\": 7");
    CHECK(t, !wf_class_at(c, 0, &class));
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"places", test_places}, {"later_blocks", test_later_blocks},
                                             {"alike", test_alike},   {"threads", test_threads},
                                             {"random", test_random}, {"accounts", test_accounts},
                                             {"costs", test_costs},   {"settings", test_settings}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

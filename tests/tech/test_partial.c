// Dispatch by warp (piecemeal.c): start times counted by hand; partly started blocks wait for
// nothing but room; results are unchanged.
#include "chip/chip_impl.h"
#include "differential/combination.h"
#include "harness/bundled.h"
#include "harness/scene.h"
#include "harness/settings.h"
#include "tech/extra.h"
#include "tech/tap.h"
#include "tech/warpman/warpman.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial { // a launch with a dispatching mechanism, observed by a tap
    struct scene scene;
    struct tap tap;
};

// Dispatchers: none, the two mechanisms of the tests, and WarpMan's variants.
static const struct tech_use by_block, piecemeal = {.tech = &tech_piecemeal},
                                       grudging = {.tech = &tech_grudging};
#define WARPMAN(its_variant)                                                                                 \
    {                                                                                                        \
        .tech = &tech_warpman, .options = &(const struct warpman_options)                                    \
        {                                                                                                    \
            its_variant, .limit = 6, .epoch = 200, .hold = 1, .leaders = 1                                   \
        }                                                                                                    \
    }
static const struct tech_use warpman[] = {WARPMAN(VARIANT_TEMPORAL), WARPMAN(VARIANT_SPATIAL),
                                          WARPMAN(VARIANT_DUELING), WARPMAN(VARIANT_THRESHOLD)};

static void trial_run(struct trial *x, struct test *t, const struct tech_use *dispatches,
                      const char *settings, const char *text, uint32_t threads, uint32_t blocks)
{
    const struct tech_use uses[] = {{.tech = &tech_tap, .options = &x->tap}, *dispatches, {0}};
    const struct scene_plan plan = {.settings = settings,
                                    .uses = uses,
                                    .text = text,
                                    .block = {threads},
                                    .blocks = blocks,
                                    .bytes = 1 << 16};
    x->tap = (struct tap){0};
    if (scene_begin(&x->scene, t, &plan)) scene_run(&x->scene);
}

static void trial_end(struct trial *x)
{
    scene_end(&x->scene);
    tap_fini(&x->tap);
}

static struct tap_warp life_of(const struct trial *x, uint64_t block, uint32_t warp)
{
    return tap_life(&x->tap, x->scene.t, block, warp);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// -- when ---------------------------------------------------------------------------------------------------

// From a warp's end to the start of its successor: latency.branch of the exit, and gpu.dispatch_latency.
enum { GAP = 1 + 24 };

// The first warp of a block ends soon, the others go round two hundred times. Two registers a lane.
#define UNEVEN                                                                                               \
    "S2R R0, SR_TID.X\nMOV R1, 0x5\nISETP.LT.U32.AND P0, PT, R0, 0x20, PT\n@!P0 MOV R1, 0xc8\n"              \
    "loop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\nEXIT\n"

// Registers for four warps, blocks of three: dispatch by block keeps a single block resident and a quarter
// of the registers free. Dispatch by warp starts the second block's first warp with the first block, and the
// other two in place of the two short warps.
static void test_fragments(struct test *t)
{
    static const char settings[] = "sm.registers=256 sm.register_unit=64 sim.check=1";
    struct trial whole, parts;
    trial_run(&whole, t, &by_block, settings, UNEVEN, 96, 2);
    trial_run(&parts, t, &piecemeal, settings, UNEVEN, 96, 2);
    uint64_t begin = life_of(&whole, 0, 0).start, last = 0;
    for (uint32_t k = 0; k < 3; k++) {
        last = life_of(&whole, 0, k).end > last ? life_of(&whole, 0, k).end : last;
        CHECK_EQ(t, life_of(&parts, 0, k).start, begin);
    }
    for (uint32_t k = 0; k < 3; k++) CHECK_EQ(t, life_of(&whole, 1, k).start, last + GAP);
    uint64_t ends[] = {life_of(&parts, 0, 0).end, life_of(&parts, 1, 0).end};
    qsort(ends, 2, sizeof ends[0], by_value);
    CHECK_EQ(t, life_of(&parts, 1, 0).start, begin);
    CHECK_EQ(t, life_of(&parts, 1, 1).start, ends[0] + GAP);
    CHECK_EQ(t, life_of(&parts, 1, 2).start, ends[1] + GAP);
    CHECK(t, parts.scene.bench.result.cycles < whole.scene.bench.result.cycles);
    CHECK_EQ(t, scene_counter(&parts.scene, "piecemeal.late"), 2);
    CHECK_EQ(t, parts.scene.bench.result.gpu.issue_issued, whole.scene.bench.result.gpu.issue_issued);
    trial_end(&whole);
    trial_end(&parts);
}

// Four slots are the only limit: whenever a warp ends, the next warp starts
// in its slot, in order of blocks and warps.
static void test_turns(struct test *t)
{
    enum { SLOTS = 4, BLOCKS = 8, WARPS = 3 };
    struct trial s;
    trial_run(&s, t, &piecemeal, "sm.warps=4 sm.blocks=8 sim.check=1", UNEVEN, 32 * WARPS, BLOCKS);
    uint64_t starts[BLOCKS * WARPS], ends[BLOCKS * WARPS];
    for (uint32_t n = 0; n < BLOCKS * WARPS; n++) {
        starts[n] = life_of(&s, n / WARPS, n % WARPS).start;
        ends[n] = life_of(&s, n / WARPS, n % WARPS).end;
    }
    qsort(ends, BLOCKS * WARPS, sizeof ends[0], by_value);
    for (uint32_t n = 0; n < SLOTS; n++) CHECK_EQ(t, starts[n], starts[0]);
    for (uint32_t n = SLOTS; n < BLOCKS * WARPS; n++) CHECK_EQ(t, starts[n], ends[n - SLOTS] + GAP);
    trial_end(&s);
}

// Shared memory and contexts are allocated for a whole block: with room for two, the
// third block waits for the end of another.
static void test_by_block(struct test *t)
{
    static const char *const settings[] = {"sm.blocks=2", "sm.shared_bytes=2048"};
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        struct trial s;
        trial_run(&s, t, &piecemeal, settings[k], ".shared 1024\n" UNEVEN, 96, 3);
        uint64_t end = UINT64_MAX;
        for (uint64_t block = 0; block < 2; block++) {
            uint64_t last = 0;
            for (uint32_t n = 0; n < 3; n++)
                last = life_of(&s, block, n).end > last ? life_of(&s, block, n).end : last;
            end = last < end ? last : end;
        }
        for (uint32_t n = 0; n < 3; n++) CHECK_EQ(t, life_of(&s, 2, n).start, end + GAP);
        trial_end(&s);
    }
}

// -- no wait without end ------------------------------------------------------------------------------------

#define AT                                                                                                   \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R4, 0x4\nIMAD R2, R1, c[0x0][0x0], R0\n"                      \
    "IMAD.WIDE R6, R2, R4, c[0x0][0x160]\nSHL R8, R0, 0x2\n"

// Blocks of five warps; `out` holds the results of the texts below.
enum { THREADS = 160, BLOCKS = 20 };

static uint32_t rotated(uint32_t block, uint32_t thread) { return block * 1000 + (thread + 33) % THREADS; }
static uint32_t rotated_but_first(uint32_t block, uint32_t thread)
{
    return thread < 32 ? 0 : block * 1000 + (thread + 1 < THREADS ? thread + 1 : 32);
}
static uint32_t flagged(uint32_t block, uint32_t thread) { return block * 1000 + thread; }

static const struct {
    const char *what, *text;
    uint32_t (*expected)(uint32_t block, uint32_t thread);
} waiting[] = {
    {"barriers",
     ".shared 640\n" AT "IMAD R3, R1, 0x3e8, R0\nSTS [R8], R3\nBAR.SYNC 0x0\n"
     "IADD3 R9, R0, 0x21, RZ\nISETP.GE.U32.AND P0, PT, R9, 0xa0, PT\n@P0 IADD3 R9, R9, -0xa0, RZ\n"
     "SHL R9, R9, 0x2\nLDS R5, [R9]\nBAR.SYNC 0x0\nSTS [R8], R5\nBAR.SYNC 0x1, 0xa0\nLDS R5, [R8]\n"
     "STG.E [R6], R5\nEXIT\n",
     rotated},
    {"barriers that the first warp has not come to when it exits",
     ".shared 640\n" AT "ISETP.LT.U32.AND P1, PT, R0, 0x20, PT\n@P1 EXIT\n"
     "IMAD R3, R1, 0x3e8, R0\nSTS [R8], R3\nBAR.SYNC 0x0\n"
     "IADD3 R9, R0, 0x1, RZ\nISETP.GE.U32.AND P0, PT, R9, 0xa0, PT\n@P0 MOV R9, 0x20\n"
     "SHL R9, R9, 0x2\nLDS R5, [R9]\nSTG.E [R6], R5\nEXIT\n",
     rotated_but_first},
    {"a flag of the last warp's that the others spin on",
     ".shared 4\n" AT "IMAD R3, R1, 0x3e8, R0\nMOV R5, 0x1\n"
     "ISETP.GE.U32.AND P0, PT, R0, 0x80, PT\n@P0 STS [RZ], R5\n"
     "loop:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA loop\nSTG.E [R6], R3\nEXIT\n",
     flagged},
    {"the same in global memory, and warps that come to a barrier first",
     AT "IMAD R3, R1, 0x3e8, R0\nSHL R10, R1, 0x2\nMOV R11, 0x0\nMOV R12, c[0x0][0x160]\n"
        "IADD3 R12, R12, R10, 0x4000\nMOV R13, c[0x0][0x164]\nMOV R5, 0x1\n"
        "ISETP.GE.U32.AND P0, PT, R0, 0x80, PT\n@P0 STG.E [R12], R5\nBAR.SYNC 0x0\n"
        "loop:\nLDG.E.STRONG.GPU R5, [R12]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA loop\n"
        "STG.E [R6], R3\nEXIT\n",
     flagged},
};

static uint64_t wait_on(struct test *t, unsigned what, const struct tech_use *dispatches,
                        const char *settings)
{
    struct trial x;
    trial_run(&x, t, dispatches, settings, waiting[what].text, THREADS, BLOCKS);
    CHECK_MSG(t, !x.scene.bench.m.fault.text, "%s, %s, %s", dispatches->tech->name, settings,
              waiting[what].what);
    const uint32_t *out = machine_words(&x.scene.bench.m, x.scene.buffer);
    unsigned wrong = 0;
    for (uint32_t k = 0; k < THREADS * BLOCKS; k++)
        wrong += out[k] != waiting[what].expected(k / THREADS, k % THREADS);
    CHECK_MSG(t, !wrong, "%s, %s, %s: %u words", dispatches->tech->name, settings, waiting[what].what, wrong);
    bool is_warpman = dispatches->tech == &tech_warpman;
    CHECK_EQ(t, x.scene.bench.result.techs[1][0], is_warpman ? BLOCKS : BLOCKS * THREADS / 32);
    uint64_t late = x.scene.bench.result.techs[1][is_warpman ? COUNT_late : 1];
    trial_end(&x);
    return late;
}

// Slots or registers for five to nine warps, with every scheduler.
static void test_waiting(struct test *t)
{
    static const char *const schedulers[] = {"gto", "lrr", "two-level", "loose-oldest"};
    for (unsigned d = 0; d < 2 + TEST_COUNT(warpman); d++) {
        const struct tech_use *dispatches = d == 0 ? &piecemeal : d == 1 ? &grudging : &warpman[d - 2];
        uint64_t late = 0;
        for (unsigned n = 0; n < TEST_COUNT(waiting) * 5 * TEST_COUNT(schedulers) * 2; n++) {
            unsigned warps = 5 + n / TEST_COUNT(waiting) % 5, rest = n / TEST_COUNT(waiting) / 5;
            char settings[200];
            snprintf(settings, sizeof settings,
                     "sim.check=1 sm.blocks=32 issue.schedulers=1 issue.scheduler=%s %s=%u",
                     schedulers[rest / 2], rest % 2 ? "sm.register_unit=512 sm.registers" : "sm.warps",
                     rest % 2 ? 512 * warps : warps);
            late += wait_on(t, n % TEST_COUNT(waiting), dispatches, settings);
        }
        CHECK(t, late > 0);
    }
}

// Blocks that wait for each other, as many as dispatch by block keeps resident. Six slots on one SM and
// eight on the other, three blocks of four warps. The third block goes to the SM with room for the whole
// block, though the other SM comes first.
static void test_together(struct test *t)
{
    static const char text[] =
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R4, 0x1\nATOMG.E.ADD.U32 R5, [R2], R4\n"
        "loop:\nLDG.E.STRONG.GPU R5, [R2]\nISETP.LT.U32.AND P0, PT, R5, 0x180, PT\n@P0 BRA loop\nEXIT\n";
    for (size_t k = 0; k < 2 + TEST_COUNT(warpman); k++) {
        const struct tech_use *dispatches = k == 0 ? &by_block : k == 1 ? &piecemeal : &warpman[k - 2];
        struct trial x;
        trial_run(&x, t, dispatches,
                  "gpu.sm_count=2 class.a.count=1 class.a.sm.warps=6 class.b.count=1 class.b.sm.warps=8",
                  text, 128, 3);
        trial_end(&x);
    }
}

// After a launch every slot, register and context is free.
static void test_all_back(struct test *t)
{
    for (unsigned d = 0; d < 3 + TEST_COUNT(warpman); d++) {
        const struct tech_use *dispatches = d == 0   ? &by_block
                                            : d == 1 ? &piecemeal
                                            : d == 2 ? &grudging
                                                     : &warpman[d - 3];
        struct scene s;
        const struct tech_use uses[] = {*dispatches, {0}};
        const struct scene_plan plan = {.settings =
                                            "gpu.sm_count=2 issue.schedulers=1 sm.warps=7 sim.check=1",
                                        .uses = uses,
                                        .text = UNEVEN,
                                        .block = {96},
                                        .blocks = 40};
        if (scene_begin(&s, t, &plan)) {
            struct gpu_bench *b = &s.bench;
            machine_prepare(&b->m);
            struct chip *c = chip_create(&b->config);
            CHECK(t, chip_run_alone(c, &b->m.launch, 0, 1, NULL, &b->result, &b->m.fault));
            CHECK_MSG(t, !b->result.imbalance, "%s", b->result.imbalance);
            const struct gpu_config *all = &b->config.gpu;
            const struct share every = {all->max_warps, all->registers, all->shared_bytes, all->max_blocks};
            for (unsigned sm = 0; sm < 2; sm++) {
                CHECK(t, memcmp(&c->dispatch.left[sm], &every, sizeof every) == 0);
                CHECK(t, !c->dispatch.partial[sm].grid);
            }
            chip_destroy(c);
        }
        scene_end(&s);
    }
}

// The report of a hang names the warps not started, and does not blame the block for waiting for itself.
// Four slots: the first block of three warps waits for ever; the second block has a single warp resident.
static void test_hang(struct test *t)
{
    static const struct {
        const char *text, *why;
        uint64_t max_cycles;
    } cases[] = {
        {"BAR.SYNC 0x0, 0x80\nEXIT\n", "deadlock in block (0,0,0)", 0},
        {"loop:\nBRA loop\n", "will never end", 0},
        {"loop:\nBRA loop\n", "the limit of 3000 cycles", 3000},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct scene s;
        const struct tech_use uses[] = {piecemeal, {0}};
        const struct scene_plan plan = {.settings = "sm.warps=4 sim.stall=20000",
                                        .uses = uses,
                                        .text = cases[k].text,
                                        .block = {96},
                                        .blocks = 4};
        if (scene_begin(&s, t, &plan)) {
            s.bench.max_cycles = cases[k].max_cycles;
            CHECK(t, !gpu_bench_run(&s.bench));
            const char *text = s.bench.m.fault.text ? s.bench.m.fault.text : "";
            CHECK_HAS(t, text, cases[k].why);
            CHECK_HAS(t, text, "SM 0, block (1,0,0), 2 of 3 warps: not started yet, for want of room");
        }
        scene_end(&s);
    }
}

// A timeline shows the interval of a block with warps still to start.
static void test_timeline(struct test *t)
{
    struct trial x;
    struct watcher w;
    const struct watch_config all = {.to = UINT64_MAX, .warps = UINT64_MAX, .sms = {1}, .limit = UINT64_MAX};
    trial_run(&x, t, &piecemeal, "sm.warps=4", UNEVEN, 96, 2);
    watcher_init(&w, &all);
    x.scene.bench.watcher = &w;
    scene_run(&x.scene); // life_of finds the warps of the first run
    unsigned blocks = 0, warps = 0, late = 0;
    for (size_t k = 0; k < w.sms[0]->spans.count; k++) {
        const struct watch_span *span = &w.sms[0]->spans.data[k];
        blocks += span->kind == WATCH_BLOCK;
        warps += span->kind == WATCH_WARP;
        if (span->kind != WATCH_LATE) continue;
        late++;
        CHECK_EQ(t, span->block[0], 1);
        CHECK_EQ(t, span->index, 1);
        CHECK_EQ(t, span->from, life_of(&x, 1, 0).start);
        CHECK_EQ(t, span->to, life_of(&x, 1, 2).start);
    }
    CHECK_EQ(t, blocks, 2);
    CHECK_EQ(t, warps, 6);
    CHECK_EQ(t, late, 1);
    watcher_fini(&w);
    trial_end(&x);
}

// Host threads and skipped cycles change nothing.
static void test_same(struct test *t)
{
    static const char *const settings[] = {"", "sim.skip_idle=0"};
    struct chip_result first = {0};
    for (unsigned n = 0; n < 4; n++) {
        struct scene s;
        const struct tech_use uses[] = {grudging, {0}};
        char all[100];
        snprintf(all, sizeof all, "gpu.sm_count=3 issue.schedulers=1 sm.warps=7 sm.blocks=9 %s",
                 settings[n / 2]);
        const struct scene_plan plan = {.settings = all,
                                        .uses = uses,
                                        .text = waiting[0].text,
                                        .block = {THREADS},
                                        .blocks = BLOCKS,
                                        .bytes = 1 << 16};
        scene_begin(&s, t, &plan);
        s.bench.threads = 1 + 2 * (n % 2);
        scene_run(&s);
        if (!n) first = s.bench.result;
        CHECK_EQ(t, s.bench.result.cycles, first.cycles);
        CHECK(t, memcmp(&s.bench.result.gpu, &first.gpu, sizeof first.gpu) == 0);
        scene_end(&s);
    }
}

// -- results of programs ------------------------------------------------------------------------------------

struct left {
    uint64_t hash, executed, late;
};

static void add(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct left *o = context;
    (void)k, (void)shape;
    o->executed += stats->warp_instructions + stats->skipped + stats->reused;
    for (size_t n = 0; n < stats->counter_count; n++)
        if (strstr(stats->counters[n].name, ".late")) o->late += stats->counters[n].value;
}

static struct left run_kernel_on(struct test *t, const char *gpu, const char *settings,
                                 const struct workload *w, const char *techs, const char *dispatches)
{
    struct wf_context *c = wf_context_create();
    struct left o = {0};
    CHECK_EQ(t, wf_gpu(c, gpu), WF_OK);
    settings_apply(t, c, settings);
    CHECK_EQ(t, wf_tech(c, techs), WF_OK);
    if (dispatches) CHECK(t, extra_add(c, dispatches, false));
    wf_set_verify(c, true);
    wf_set_max_cycles(c, 50000000);
    o.hash = bundled_run(t, c, w->name, add, &o).output_hash;
    wf_context_destroy(c);
    return o;
}

static struct left run_kernel(struct test *t, const struct workload *w, const char *techs,
                              const char *dispatches)
{
    // A block of stencil7, 32 warps, takes 57,344 registers.
    bool is_large = strcmp(w->name, "stencil7") == 0;
    return run_kernel_on(t, "tiny",
                         is_large ? "sm.warps=38 sm.registers=61440 simt=stack"
                                  : "sm.warps=38 sm.registers=43008 simt=stack",
                         w, techs, dispatches);
}

// A warp's registers may be freed some cycles after its end, with results under way. The remaining warps of
// a block, for whom the registers are reserved, start no later than the next block.
static void test_order(struct test *t)
{
    const char *nearest;
    const struct workload *w = workload_find("fastWalshTransform", &nearest);
    struct left whole = run_kernel_on(t, "gtx480-coarse", "sim.check=1", w, "base", NULL);
    static const char *const techs[] = {"dac+warpman:variant=spatial",
                                        "dac:tuples=lanes,instances=3+warpman:variant=temporal"};
    for (size_t k = 0; k < TEST_COUNT(techs); k++) {
        struct left parts = run_kernel_on(t, "gtx480-coarse", "sim.check=1", w, techs[k], NULL);
        CHECK_MSG(t, parts.hash == whole.hash, "%s: other bytes", techs[k]);
        CHECK_MSG(t, parts.late, "%s: no warp starts late", techs[k]);
    }
}

// Every bundled kernel, beside every registered mechanism that claims no dispatch, in turn.
static void test_kernels(struct test *t)
{
    static const char *const beside[] = {
        "base", "uv", "gscalar", "rfcache", "scalarise:vectors=64", "uv+gscalar+rfcache"};
    const struct workload *w;
    unsigned with_late = 0, count = 0;
    for (size_t k = 0; (w = workload_at(k)); k++, count++) {
        const char *techs = beside[k % TEST_COUNT(beside)];
        struct left whole = run_kernel(t, w, "base", NULL);
        struct left parts = run_kernel(t, w, techs, k % 2 ? "piecemeal" : "grudging");
        with_late += parts.late != 0;
        if (w->output_class != WORKLOAD_CLASS_D) continue;
        CHECK_MSG(t, parts.hash == whole.hash, "%s: other bytes", w->name);
        CHECK_MSG(t, parts.executed == whole.executed, "%s: other instructions", w->name);
    }
    printf("  %u of %u kernels have warps that start late\n", with_late, count);
    CHECK(t, with_late > count / 4);
}

static void draw(uint64_t seed, struct generated *g, struct combination *c)
{
    combination_program(seed, g);
    combination_draw_with(seed, g, NULL, 0, c);
    vec_push(&c->parts, strdup(seed % 2 ? "below=piecemeal" : "below=grudging"));
}

static enum verdict try_program(uint64_t seed, struct strbuf *why)
{
    struct generated g;
    struct combination c;
    draw(seed, &g, &c);
    enum verdict v = combination_try(g.text.text, &c, why);
    combination_fini(&c);
    generated_fini(&g);
    return v;
}

// Random programs in random combinations of settings. test_pairs.c and test_together.c combine dispatch by
// warp with other mechanisms and other programs.
static void test_programs(struct test *t)
{
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 5000
                              : test_is_quick() ? 50
                                                : 400,
                     .try = try_program};
    hunt_check(t, &h, "program", NULL);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"fragments", test_fragments}, {"turns", test_turns},       {"by_block", test_by_block},
        {"waiting", test_waiting},     {"together", test_together}, {"hang", test_hang},
        {"all_back", test_all_back},   {"same", test_same},         {"timeline", test_timeline},
        {"kernels", test_kernels},     {"order", test_order},       {"programs", test_programs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Claims of mechanisms: behaviour without the claim, the division of a block's renamed registers, and the
// notification of every mechanism about instructions that others skip, lead and reuse.
#include "base/bits.h"
#include "exec/warp.h"
#include "harness/scene.h"
#include "tech/extra.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void check_claims(struct test *t, const struct tech *k)
{
    const bool executes = k->execution && (k->execution->reuse || k->execution->leads),
               saves = executes || k->reused >= 0 || k->skipped >= 0,
               has_pool = k->registers && k->registers->registers,
               leaves_out = k->program && k->program->leaves_out;
    CHECK_MSG(t, !has_pool || k->claims & CLAIMS(POOL), "%s has registers", k->name);
    CHECK_MSG(t, !saves || k->claims & CLAIMS(EXECUTION), "%s keeps instructions from executing", k->name);
    CHECK_MSG(t, k->skipped < 0 || k->claims & CLAIMS(FETCH), "%s skips", k->name);
    CHECK_MSG(t, !(k->dispatch && k->dispatch->admit) || k->claims & CLAIMS(DISPATCH), "%s admits warps",
              k->name);
    CHECK_MSG(t, !(k->skipping && k->skipping->fetched) || k->claims & CLAIMS(IBUFFER),
              "%s changes what is fetched", k->name);
    CHECK_MSG(t, !leaves_out || k->claims & CLAIMS(AFFINE), "%s leaves out what a stream of its own has",
              k->name);
    CHECK_MSG(t, !leaves_out || !(k->claims & CLAIMS(IBUFFER)), "%s has what it leaves out passed over",
              k->name);
    CHECK_MSG(t, !(k->claims & CLAIMS(EXECUTION)) || saves, "%s executes everything", k->name);
    CHECK_MSG(t, !(k->claims & CLAIMS(POOL)) || has_pool, "%s wants no registers", k->name);
}

static void test_stated(struct test *t)
{
    for (size_t n = 0; tech_at_index(n); n++) check_claims(t, tech_at_index(n));
    for (size_t n = 0; extra_techs[n]; n++) check_claims(t, extra_techs[n]);
}

// -- a launch of mechanisms ---------------------------------------------------------------------------------

static const char computes[] = "S2R R0, SR_TID.X\n"
                               "MOV R1, c[0x0][0x160]\n"
                               "IADD3 R2, R1, 0x4, RZ\n"
                               "IMAD R3, R2, R2, R1\n"
                               "IADD3 R4, R0, R3, RZ\n"
                               "IMAD R5, R4, 0x3, R2\n"
                               "IADD3 R6, R3, R2, RZ\n"
                               "S2R R7, SR_TID.Y\n"
                               "IADD3 R8, R7, R6, RZ\n"
                               "IMAD R9, R8, R8, R3\n"
                               "EXIT\n";
enum { INSTRUCTIONS = 11, WARPS = 6, BLOCKS = 5 };

// Runs the registered mechanisms named by `names`, and behind them `more`, a list that ends with NULL.
static bool run_text(struct scene *s, struct test *t, const char *names, const struct tech *const *more,
                     const char *settings, const char *text)
{
    struct tech_use uses[TECH_MAX + 1] = {0};
    const struct scene_plan plan = {.settings = settings,
                                    .tech = names,
                                    .uses = uses,
                                    .text = text,
                                    .block = {32, WARPS},
                                    .blocks = BLOCKS,
                                    .verify = true};
    for (unsigned k = 0; k < TECH_MAX && more[k]; k++) uses[k].tech = more[k];
    if (!scene_begin(s, t, &plan)) return false;
    scene_run(s);
    CHECK_EQ(t, s->bench.result.mismatches, 0);
    return true;
}

static bool run(struct scene *s, struct test *t, const char *names, const struct tech *const *more,
                const char *settings)
{
    return run_text(s, t, names, more, settings, computes);
}

// -- notifications ------------------------------------------------------------------------------------------

enum { EXECUTED, SKIPPED, REUSED, ASKED, DISORDERED, STARTED };

struct witness {
    struct sm_grid *grid;
    uint64_t *counts;
    uint32_t next[64]; // instruction, by warp
};

static void *witness_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct witness *w = heap_alloc(sizeof *w);
    (void)launch;
    *w = (struct witness){.grid = grid, .counts = counts};
    return w;
}

static void witness_warp_start(void *state, unsigned place)
{
    struct witness *w = state;
    const struct warp *its = tech_warp(w->grid, place);
    w->counts[STARTED] += its && !its->pc && tech_map(w->grid, place)[0] == tech_own(w->grid, place, 0);
    w->next[place] = 0;
}

static void hear(struct witness *w, unsigned place, uint32_t index, unsigned what)
{
    w->counts[what]++;
    w->counts[DISORDERED] += w->next[place]++ != index;
}

static uint32_t witness_reuse(void *state, unsigned place, uint32_t index)
{
    (void)place, (void)index;
    ((struct witness *)state)->counts[ASKED]++;
    return 0;
}

static void witness_executed(void *state, unsigned place, uint32_t index)
{
    hear(state, place, index, EXECUTED);
}

static void witness_saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    hear(state, place, index, what == SAVED_FETCH ? SKIPPED : REUSED);
}

static const struct tech_counter witness_counters[] = {
    [EXECUTED] = {"executed", "", ""},     [SKIPPED] = {"skipped", "", ""},
    [REUSED] = {"reused", "", ""},         [ASKED] = {"asked", "", ""},
    [DISORDERED] = {"disordered", "", ""}, [STARTED] = {"started", "", ""}};

static const struct tech tech_witness = {
    .name = "witness",
    .claims = CLAIMS(EXECUTION),
    .skipped = -1,
    .reused = -1,
    .counters = witness_counters,
    .counter_count = TEST_COUNT(witness_counters),
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = witness_begin,
    .sm_end = free,
    .warp_start = witness_warp_start,
    .executed = witness_executed,
    .saved = witness_saved,
    .execution = &(const struct tech_execution){.reuse = witness_reuse},
};

// Every instruction of every warp is reported once, in program order, whichever
// mechanism supplies the result. A mechanism lower in the order is not asked about
// instructions led by a higher mechanism, nor about EXIT.
static void check_told(struct test *t, const struct scene *s, const char *names)
{
    uint64_t executed = scene_counter(s, "witness.executed"), skipped = scene_counter(s, "witness.skipped"),
             reused = scene_counter(s, "witness.reused"), asked = scene_counter(s, "witness.asked");
    uint64_t led = scene_counter_if_used(s, "darsie.leaders") + scene_counter_if_used(s, "dac.led");
    CHECK_EQ(t, executed + skipped + reused, INSTRUCTIONS * WARPS * BLOCKS);
    CHECK_EQ(t, scene_counter(s, "witness.disordered"), 0);
    CHECK_EQ(t, scene_counter(s, "witness.started"), WARPS * BLOCKS); // every warp once, after its arrival
    CHECK_EQ(t, skipped,
             scene_counter_if_used(s, "darsie.skipped") + scene_counter_if_used(s, "dac.skipped"));
    CHECK_EQ(t, reused, scene_counter_if_used(s, "uv.reused"));
    CHECK_EQ(t, asked, executed - led - WARPS * BLOCKS);
    printf("  %-24s executed %" PRIu64 ", %" PRIu64 " of them led, skipped %" PRIu64 ", reused %" PRIu64 "\n",
           names, executed, led, skipped, reused);
}

static void test_told(struct test *t)
{
    static const struct {
        const char *names;
        uint64_t skipped, reused; // at least
    } rows[] = {{"darsie", 150, 0},
                {"dac", 200, 0},
                {"uv", 0, 50},
                {"darsie+uv", 150, 0}, // darsie leaves no uniform instruction to uv
                {"darsie:registers=2+uv", 40, 50},
                {"darsie:early=on+uv", 150, 0},
                {"dac+uv", 200, 0},
                {"dac:tuples=lanes,loads=off+uv+silicon-sync", 100, 0}};
    const struct tech *const more[] = {&tech_witness, NULL};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        if (!run(&s, t, rows[k].names, more, "")) return;
        check_told(t, &s, rows[k].names);
        CHECK(t, scene_counter(&s, "witness.skipped") >= rows[k].skipped);
        CHECK(t, scene_counter(&s, "witness.reused") >= rows[k].reused);
        scene_end(&s);
    }
}

// -- renamed registers --------------------------------------------------------------------------------------

enum { POOL_SIZE, POOL_FIRST, POOL_LAST, POOL_ALL, POOL_BLOCKS };

struct pooled {
    const struct tech *me;
    struct sm_grid *grid;
    uint64_t *counts;
};

static const struct tech tech_few, tech_many;

static void *pooled_begin(const struct tech *me, struct sm_grid *grid, uint64_t *counts)
{
    struct pooled *p = heap_alloc(sizeof *p);
    *p = (struct pooled){me, grid, counts};
    return p;
}

static void *few_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    (void)launch;
    return pooled_begin(&tech_few, grid, counts);
}

static void *many_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    (void)launch;
    return pooled_begin(&tech_many, grid, counts);
}

static uint32_t few_registers(const void *launch) { return (void)launch, 3; }
static uint32_t many_registers(const void *launch) { return (void)launch, 50; }

// Pool of the SM's first and second block.
static void pooled_block_start(void *state, unsigned block)
{
    struct pooled *p = state;
    p->counts[POOL_SIZE] = tech_pool_size(p->grid, p->me);
    p->counts[POOL_ALL] = tech_launch(p->grid)->pool;
    p->counts[POOL_BLOCKS] = tech_launch(p->grid)->blocks_per_sm;
    if (block < 2) p->counts[POOL_FIRST + block] = tech_pool(p->grid, p->me, block);
}

static const struct tech_counter pooled_counters[] = {[POOL_SIZE] = {"size", "", ""},
                                                      [POOL_FIRST] = {"first", "", ""},
                                                      [POOL_LAST] = {"second", "", ""},
                                                      [POOL_ALL] = {"all", "", ""},
                                                      [POOL_BLOCKS] = {"blocks", "", ""}};

#define POOLED(of)                                                                                           \
    {                                                                                                        \
        .name = #of, .claims = CLAIMS(POOL), .skipped = -1, .reused = -1, .counters = pooled_counters,       \
        .counter_count = TEST_COUNT(pooled_counters), .launch_begin = extra_launch, .launch_end = free,      \
        .registers = &(const struct tech_registers){.registers = of##_registers}, .sm_begin = of##_begin,    \
        .sm_end = free, .blocks = &(const struct tech_blocks)                                                \
        {                                                                                                    \
            .block_start = pooled_block_start                                                                \
        }                                                                                                    \
    }
static const struct tech tech_few = POOLED(few), tech_many = POOLED(many);

// The parts of a block's pool are contiguous, as are the pools of the blocks. The first
// mechanism in order gets its full request.
static void test_pools(struct test *t)
{
    const struct tech *const more[] = {&tech_few, &tech_many, NULL};
    struct scene s;
    if (!run(&s, t, "darsie:registers=20", more, "gpu.sm_count=1")) return;
    uint64_t few = scene_counter(&s, "few.first"), many = scene_counter(&s, "many.first");
    CHECK_EQ(t, scene_counter(&s, "few.size"), 3);
    CHECK_EQ(t, scene_counter(&s, "many.size"), 50);
    CHECK_EQ(t, many, few + 3);
    CHECK_EQ(t, scene_counter(&s, "few.second"), few + 73);
    CHECK_EQ(t, scene_counter(&s, "many.second"), many + 73);
    scene_end(&s);
    // One block of 6 warps of 16 registers, of which the program has 10.
    if (!run(&s, t, "darsie:registers=20", more, "gpu.sm_count=1 sm.registers=3072")) return;
    CHECK_EQ(t, scene_counter(&s, "few.size"), 3);
    CHECK_EQ(t, scene_counter(&s, "many.size"), 6 * (16 - 10) - 20 - 3);
    scene_end(&s);
}

// Sources of the pool. The program has 10 registers; allocated in units of 352, 11 a lane, its 6 warps get
// 66, of which 6 are left over. Three blocks take 198 of an SM's 231: 33 stay free, 11 for every block.
static void test_pool_from(struct test *t)
{
    static const struct {
        const char *tech;
        unsigned units; // of the SM
        uint64_t darsie, few, blocks;
    } rows[] = {
        {"darsie", 21, 11 + 6, 0, 3},
        {"darsie:registers=16", 21, 16, 1, 3},
        {"darsie:pool=block", 21, 6, 3, 3},
        {"darsie:pool=block,registers=4", 21, 4, 3, 3},
        // 32 are 26 beyond the 6 left over: 92 a block, so two blocks fit.
        {"darsie:pool=reserve", 21, 32, 3, 2},
        // 17 are 11 beyond the 6: still three blocks. 18 leave two.
        {"darsie:pool=reserve,registers=17", 21, 17, 0, 3},
        {"darsie:pool=reserve,registers=18", 21, 18, 3, 2},
        // A block always fits, with the registers of the SM: 88 less its 66, plus the 6 left over.
        {"darsie:pool=reserve", 8, 88 - 66 + 6, 0, 1},
    };
    const struct tech *const more[] = {&tech_few, NULL};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        char settings[100];
        snprintf(settings, sizeof settings, "gpu.sm_count=1 sm.register_unit=352 sm.registers=%u",
                 rows[k].units * 352);
        if (!run(&s, t, rows[k].tech, more, settings)) return;
        uint64_t few = scene_counter(&s, "few.size"), all = scene_counter(&s, "few.all");
        CHECK_MSG(t, few == rows[k].few && all - few == rows[k].darsie,
                  "%s: %llu registers, and %llu for another", rows[k].tech, (unsigned long long)(all - few),
                  (unsigned long long)few);
        CHECK_EQ(t, scene_counter(&s, "few.blocks"), rows[k].blocks);
        scene_end(&s);
    }
}

// -- holds --------------------------------------------------------------------------------------------------

// Holds every warp for some cycles during the issue of an instruction.
struct stubborn {
    struct sm_grid *grid;
    uint64_t *counts;
    uint64_t until[64]; // by warp; 0: not held
};

static void *stubborn_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct stubborn *x = heap_alloc(sizeof *x);
    (void)launch;
    *x = (struct stubborn){.grid = grid, .counts = counts};
    return x;
}

static const struct tech tech_in_reads, tech_in_executed;

static void stubborn_hold(struct stubborn *x, const struct tech *me, unsigned place)
{
    if (x->until[place]) return;
    x->until[place] = tech_now(x->grid) + 3 + place;
    x->counts[0]++;
    tech_hold(x->grid, me, place, HOLD_FETCH | HOLD_ISSUE);
    tech_at(x->grid, tech_block_of(x->grid, place), x->until[place]);
}

static void hold_in_reads(void *state, unsigned place, uint32_t index)
{
    (void)index;
    stubborn_hold(state, &tech_in_reads, place);
}

static void hold_in_executed(void *state, unsigned place, uint32_t index)
{
    (void)index;
    stubborn_hold(state, &tech_in_executed, place);
}

static void let_go(struct stubborn *x, const struct tech *me, unsigned block)
{
    for (uint64_t left = tech_places(x->grid, block); left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (!x->until[place] || x->until[place] > tech_now(x->grid)) continue;
        x->until[place] = 0;
        tech_hold(x->grid, me, place, 0);
    }
}

static void let_go_of_reads(void *state, unsigned block) { let_go(state, &tech_in_reads, block); }
static void let_go_of_executed(void *state, unsigned block) { let_go(state, &tech_in_executed, block); }
static void stubborn_end(void *state, unsigned place) { ((struct stubborn *)state)->until[place] = 0; }

static const struct tech_counter stubborn_counters[] = {{"holds", "holds", "of warps"}};

#define STUBBORN                                                                                             \
    .name = "stubborn", .meaning = "a warp is held while its instruction issues", .claims = CLAIMS(HOLDS),   \
    .skipped = -1, .reused = -1, .counters = stubborn_counters, .counter_count = 1,                          \
    .launch_begin = extra_launch, .launch_end = free, .sm_begin = stubborn_begin, .sm_end = free,            \
    .warp_end = stubborn_end
static const struct tech tech_in_reads = {
    STUBBORN,
    .reads = hold_in_reads,
    .blocks = &(const struct tech_blocks){.event = let_go_of_reads},
};
static const struct tech tech_in_executed = {
    STUBBORN,
    .executed = hold_in_executed,
    .blocks = &(const struct tech_blocks){.event = let_go_of_executed},
};

// Word k of a thread is its number times k, for k from 15 to 0.
static const char stores[] = "S2R R0, SR_TID.X\nMOV R4, 0x40\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"
                             "MOV R9, 0xf\nMOV R10, 0x4\n"
                             "loop:\nIMAD R5, R0, R9, RZ\nIMAD.WIDE R6, R9, R10, R2\n"
                             "STG.E [R6], R5\nLDG.E R8, [R6]\nSTG.E [R6], R8\n"
                             "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, -0x1, PT\n@P0 BRA loop\n"
                             "MEMBAR.SC.GPU\nEXIT\n";

// An instruction that has begun to issue owns its entry in the load/store
// unit, even if its warp is held meanwhile.
static void test_holds(struct test *t)
{
    enum { THREADS = 8 * 32, WORDS = 16 };
    static const struct tech *const techs[] = {&tech_in_reads, &tech_in_executed};
    static const char *const settings[] = {"lsu.queue=1", "lsu.queue=2 lsu.pending=2 sim.check=1",
                                           "lsu.queue=3 issue.width=2", "lsu.queue=1 l1.global=1"};
    for (size_t n = 0; n < TEST_COUNT(techs) * TEST_COUNT(settings); n++) {
        struct scene s;
        const struct tech_use uses[] = {{.tech = techs[n % 2]}, {0}};
        const struct scene_plan plan = {.settings = settings[n / 2],
                                        .uses = uses,
                                        .text = stores,
                                        .block = {THREADS},
                                        .bytes = 4 * THREADS * WORDS};
        if (!scene_begin(&s, t, &plan)) return;
        scene_run(&s);
        CHECK(t, scene_counter(&s, "stubborn.holds") > 100);
        const uint32_t *words = machine_words(&s.bench.m, s.buffer);
        unsigned wrong = 0;
        for (unsigned k = 0; k < THREADS * WORDS; k++) wrong += words[k] != k / WORDS * (k % WORDS);
        CHECK_MSG(t, !wrong, "%s: %u words are wrong", settings[n / 2], wrong);
        scene_end(&s);
    }
}

// -- late warps ---------------------------------------------------------------------------------------------

// Four rounds with new tuples in every round.
static const char rounds[] = "S2R R0, SR_TID.X\n"
                             "S2R R7, SR_TID.Y\n"
                             "MOV R1, 0x4\n"
                             "loop:\n"
                             "IADD3 R7, R7, R0, RZ\n"
                             "IADD3 R1, R1, -0x1, RZ\n"
                             "ISETP.NE.AND P0, PT, R1, RZ, PT\n"
                             "@P0 BRA loop\n"
                             "EXIT\n";

// Eight slots, blocks of six warps: the second block starts with two warps. Late warps
// receive everything led by the affine stream for the block, in every round finished by early
// warps. Some tuples differ between warps.
static void test_late_affine(struct test *t)
{
    static const struct tech *const none[] = {NULL};
    static const char settings[] = "gpu.sm_count=1 sm.warps=8 sim.check=1", *const texts[] = {computes,
                                                                                              rounds};
    for (size_t k = 0; k < TEST_COUNT(texts); k++) {
        struct scene whole, parts;
        if (!run_text(&whole, t, "dac", none, settings, texts[k])) return;
        if (!run_text(&parts, t, "dac+warpman:variant=spatial", none, settings, texts[k])) return;
        CHECK(t, scene_counter(&parts, "warpman.late") > 4);
        CHECK(t, scene_counter(&whole, "dac.led") > 4 * BLOCKS);
        CHECK_EQ(t, scene_counter(&parts, "dac.led"), scene_counter(&whole, "dac.led"));
        CHECK_EQ(t, scene_counter(&parts, "dac.skipped"), scene_counter(&whole, "dac.skipped"));
        CHECK_EQ(t, parts.bench.result.gpu.issue_issued, whole.bench.result.gpu.issue_issued);
        scene_end(&whole);
        scene_end(&parts);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"stated", test_stated}, {"told", test_told},
                                             {"pools", test_pools},   {"pool_from", test_pool_from},
                                             {"holds", test_holds},   {"late_affine", test_late_affine}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// A guest's way through the SM: its instructions take the time of a warp's instructions, wait for the same
// hazards and get the turn requested by the mechanism. A guest ends by itself, or with the last warp.
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "harness/scene.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "memory/cache.h"
#include "sm/issue/guest.h"
#include "tech/extra.h"

#include <stdlib.h>
#include <string.h>

// -- a guest that follows a plan ----------------------------------------------------------------------------

enum { STEPS = 64, NOBODY = -1 };

struct plan {
    uint32_t entry, length; // consecutive instructions; entry NO_TARGET: no guest
    enum guest_turn turn;
    unsigned scheduler;
    int maps_to;       // physical register of R2; NOBODY: its own
    bool is_stopped;   // stopped right after its start
    bool holds_warps;  // hold warps until the guest has ended,
    bool spares_first; // except a block's first warp
    uint32_t more;     // added latency of every result, in cycles
    bool forwards;     // results go to the next instruction without the register file
    unsigned gate;     // first instructions of the guest free to issue at any time;
    uint64_t opens;    // the others wait until warps have issued so many
    // Results: cycles of issue and completion of the guest's instructions,
    // and cycles of issue of the first warp's.
    uint64_t at[STEPS], done[STEPS], warps_at[STEPS];
    unsigned count, warp_count, ends, issued_with_it; // issued_with_it: in the same cycle as a guest's
    unsigned in_a_row; // guest instructions directly behind another guest instruction
    uint64_t others;   // warp instructions issued before the guest's last
};

struct told {
    struct sm_grid *grid;
    struct plan *plan;
    uint64_t warps_issued, held; // held: bit mask of warps
    uint64_t seen;               // warps_issued at the guest's last instruction
};

static const struct tech tech_told;

static void *told_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct told *x = heap_alloc(sizeof *x);
    (void)counts;
    *x = (struct told){.grid = grid, .plan = *(struct plan **)launch};
    return x;
}

static void told_warp_start(void *state, unsigned place)
{
    struct told *x = state;
    struct plan *p = x->plan;
    if (p->entry == NO_TARGET) return;
    bool holds = p->holds_warps && !(p->spares_first && !tech_warp(x->grid, place)->index);
    if (holds) tech_hold(x->grid, &tech_told, place, HOLD_FETCH | HOLD_ISSUE);
    x->held |= (uint64_t)holds << place;
    if (p->maps_to != NOBODY) tech_guest_map(x->grid)[2] = tech_guest_map(x->grid)[p->maps_to];
    if (tech_guest_runs(x->grid)) return;
    tech_guest_start(x->grid, &tech_told, p->entry, p->scheduler, p->turn);
    if (p->is_stopped) tech_guest_stop(x->grid, &tech_told);
}

static void told_issued(void *state, unsigned place, uint32_t index)
{
    struct told *x = state;
    struct plan *p = x->plan;
    (void)index;
    x->warps_issued++;
    p->issued_with_it += p->count && p->at[(p->count - 1) % STEPS] == tech_now(x->grid);
    p->others += !p->ends;
    if (place == 0 && p->warp_count < STEPS) p->warps_at[p->warp_count++] = tech_now(x->grid);
}

static bool told_may(const void *state, uint32_t index)
{
    const struct told *x = state;
    const struct plan *p = x->plan;
    return index - p->entry < p->gate || x->warps_issued >= p->opens;
}

static void told_guest(void *state, uint32_t index, struct guest_step *step)
{
    struct told *x = state;
    struct plan *p = x->plan;
    p->at[p->count++ % STEPS] = tech_now(x->grid);
    p->in_a_row += p->count > 1 && x->seen == x->warps_issued;
    x->seen = x->warps_issued;
    step->more = p->more;
    step->forwards = p->forwards;
    if (index + 1 < p->entry + p->length) return;
    step->next = GUEST_ENDS;
    p->ends++;
    for (; x->held; x->held &= x->held - 1) tech_hold(x->grid, &tech_told, bit_lowest(x->held), 0);
}

static void told_result(void *state, uint32_t index, uint64_t cycle)
{
    struct plan *p = ((struct told *)state)->plan;
    p->done[(index - p->entry) % STEPS] = cycle;
}

static const struct tech tech_told = {
    .name = "told",
    .claims = CLAIMS(GUEST_STREAM) | CLAIMS(HOLDS),
    .skipped = -1,
    .reused = -1,
    .launch_begin = extra_launch_options,
    .launch_end = free,
    .sm_begin = told_begin,
    .sm_end = free,
    .warp_start = told_warp_start,
    .issued = told_issued,
    .guest =
        &(const struct tech_guest){.guest_may = told_may, .guest = told_guest, .guest_result = told_result},
};

static struct plan plan_of(uint32_t entry, uint32_t length)
{
    return (struct plan){.entry = entry, .length = length, .maps_to = NOBODY, .gate = STEPS};
}

static bool begin(struct scene *s, struct test *t, const char *settings, const char *text, uint32_t threads,
                  uint32_t blocks, struct plan *p)
{
    const struct tech_use uses[] = {{.tech = &tech_told, .options = p}, {0}};
    const struct scene_plan plan = {
        .settings = settings, .uses = uses, .text = text, .block = {threads}, .blocks = blocks};
    return scene_begin(s, t, &plan);
}

// False: a failed case, by the program or the launch.
static bool run_threads(struct test *t, const char *settings, const char *text, uint32_t threads,
                        uint32_t blocks, struct plan *p, struct chip_result *r)
{
    struct scene s;
    bool good = begin(&s, t, settings, text, threads, blocks, p);
    scene_run(&s);
    good &= !s.bench.m.fault.text;
    *r = s.bench.result;
    scene_end(&s);
    return good;
}

static bool run(struct test *t, const char *settings, const char *text, struct plan *p, struct chip_result *r)
{
    return run_threads(t, settings, text, 32, 1, p, r);
}

// -- time ---------------------------------------------------------------------------------------------------

// Dependent and independent instructions, several pipelines, constants, a
// guard. The guest's code follows a warp's EXIT.
#define CHAIN                                                                                                \
    "IADD3 R1, R1, R2, RZ\nIADD3 R1, R1, R2, RZ\nIADD3 R3, R4, R5, RZ\nFADD R6, R6, R3\nMUFU.RCP R7, R6\n"   \
    "IMAD R8, R1, R3, R7\nMOV R9, c[0x0][0x160]\nIADD3 R9, R9, R8, R1\nISETP.NE.AND P0, PT, R9, RZ, PT\n"    \
    "@P1 BRA start\n@P0 IADD3 R10, R9, R9, R9\nIADD3 R11, R10, R9, R8\nIADD3 R12, R11, R10, R3\nEXIT\n"
#define FOUR_NOPS "NOP\nNOP\nNOP\nNOP\n"
#define EXIT_LINE "EXIT\nNOP\nNOP\nNOP\n" FOUR_NOPS FOUR_NOPS FOUR_NOPS // padding to a whole line of code
enum { CHAIN_LENGTH = 14, LINE_LENGTH = 16 };

static const char *const machines[] = {"",
                                       "issue.dependences=encoded",
                                       "operands.banks=2 operands.collectors=1",
                                       "fetch.width=1 fetch.ibuffer=1",
                                       "fetch.refill=empty fetch.latency=7",
                                       "fetch.per_scheduler=1 issue.schedulers=2",
                                       "latency.branch=30"};

// The intervals between instructions of the chain are equal for a warp and for a guest
// alone on the SM, for every configuration.
static void test_time(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(machines); k++) {
        struct plan warp = plan_of(NO_TARGET, 0), guest = plan_of(LINE_LENGTH, CHAIN_LENGTH);
        struct chip_result with, without;
        char settings[200];
        guest.holds_warps = true;
        snprintf(settings, sizeof settings, "issue.width=1 sim.check=1 %s", machines[k]);
        if (!run(t, settings, "start:\n" CHAIN, &warp, &without)) return;
        if (!run(t, settings, "start:\n" EXIT_LINE CHAIN, &guest, &with)) return;
        CHECK_EQ(t, guest.count, CHAIN_LENGTH);
        CHECK_EQ(t, with.gpu.guest_issued, CHAIN_LENGTH);
        CHECK_EQ(t, with.gpu.guest_lanes, CHAIN_LENGTH);
        CHECK_EQ(t, with.gpu.issue_issued, CHAIN_LENGTH + 1);
        CHECK_EQ(t, with.exec.warp_instructions, 1);
        CHECK(t, with.gpu.fetch_icache_misses > 0 && with.gpu.constant_misses == 1);
        for (unsigned n = 1; n < CHAIN_LENGTH - 1; n++)
            CHECK_MSG(t, guest.at[n] - guest.at[0] == warp.warps_at[n] - warp.warps_at[0],
                      "%s: instruction %u: %llu, not %llu", machines[k], n,
                      (unsigned long long)(guest.at[n] - guest.at[0]),
                      (unsigned long long)(warp.warps_at[n] - warp.warps_at[0]));
    }
}

// Added latency of every result; a dependence between two registers mapped to the same physical register; and the
// same dependence with results that pass the register file.
static void test_results(struct test *t)
{
    struct plan plain = plan_of(LINE_LENGTH, CHAIN_LENGTH), late = plain, mapped = plain, passes = plain;
    struct chip_result r;
    late.more = 9;
    passes.maps_to = 1;
    passes.holds_warps = passes.forwards = true;
    mapped.maps_to = 1; // R1 = R1 + R2: R2 is ready at once, then mapped to R1
    plain.holds_warps = late.holds_warps = mapped.holds_warps = true;
    const char *text = "start:\n" EXIT_LINE "IADD3 R1, R3, R4, RZ\nIADD3 R3, R2, R4, RZ\n" CHAIN;
    if (!run(t, "", text, &plain, &r) || !run(t, "", text, &late, &r) || !run(t, "", text, &mapped, &r) ||
        !run(t, "", text, &passes, &r))
        return;
    CHECK_EQ(t, late.done[0] - late.at[0], plain.done[0] - plain.at[0] + 9);
    CHECK(t, plain.at[1] < plain.done[0]);
    CHECK_EQ(t, mapped.at[1], mapped.done[0]);
    CHECK_EQ(t, passes.done[0] - passes.at[0], mapped.done[0] - mapped.at[0]);
    CHECK_EQ(t, passes.at[1], passes.done[0] - 2);
}

// -- waits between warp and guest ---------------------------------------------------------------------------

// The warp's 9th instruction opens the gate for the guest's 4th, in the next
// cycle; single-stepping gives equal cycles.
static void test_gate(struct test *t)
{
    struct plan jumps = plan_of(CHAIN_LENGTH, 4), steps;
    struct chip_result r, slow;
    jumps.gate = 3;
    jumps.opens = 9;
    steps = jumps;
    if (!run(t, "", "start:\n" CHAIN CHAIN, &jumps, &r) ||
        !run(t, "sim.skip_idle=0", "start:\n" CHAIN CHAIN, &steps, &slow))
        return;
    CHECK_EQ(t, jumps.ends, 1);
    CHECK(t, jumps.at[2] < jumps.warps_at[8]);
    CHECK_EQ(t, jumps.at[3], jumps.warps_at[8] + 1);
    CHECK_EQ(t, r.cycles, slow.cycles);
    CHECK(t, memcmp(&r.gpu, &slow.gpu, sizeof r.gpu) == 0);
    CHECK(t, memcmp(&jumps, &steps, sizeof jumps) == 0);
}

// A guest begins with a block, unless already running, and ends with the last warp, finished or not.
static void test_ends(struct test *t)
{
    struct plan all = plan_of(CHAIN_LENGTH, 6), never = all, stopped = all;
    struct chip_result r;
    never.gate = 3;
    never.opens = UINT64_MAX;
    stopped.is_stopped = true;
    if (!run_threads(t, "sm.blocks=1", "start:\n" CHAIN CHAIN, 64, 3, &all, &r)) return;
    CHECK_EQ(t, all.ends, 3);
    CHECK_EQ(t, r.gpu.guest_issued, 18);
    if (!run_threads(t, "sm.blocks=1", "start:\n" CHAIN CHAIN, 64, 3, &never, &r)) return;
    CHECK_EQ(t, never.ends, 0);
    CHECK_EQ(t, r.gpu.guest_issued, 9);
    if (!run(t, "", "start:\n" CHAIN CHAIN, &stopped, &r)) return;
    CHECK_EQ(t, r.gpu.guest_issued, 0);
}

// Deadlock: the guest waits for warps that wait for the guest.
static void test_hang(struct test *t)
{
    struct plan p = plan_of(CHAIN_LENGTH, 6);
    struct scene s;
    p.holds_warps = true;
    p.gate = 3;
    p.opens = 1;
    if (begin(&s, t, "", "start:\n" CHAIN CHAIN, 32, 1, &p)) {
        const struct launch_fault *fault = &s.bench.m.fault;
        CHECK(t, !gpu_bench_run(&s.bench));
        CHECK_EQ(t, fault->kind, FAULT_DEADLOCK);
        CHECK_HAS(t, fault->text, "waits for other warps, by a mechanism");
        CHECK_HAS(t, fault->text, "SM 0, guest of told: waits for the mechanism since cycle");
    }
    scene_end(&s);
}

// -- turns --------------------------------------------------------------------------------------------------

static void test_pick(struct test *t)
{
    static const struct {
        enum guest_turn turn;
        unsigned last;
        bool went_last;
        uint64_t among;
        bool goes;
    } cases[] = {
        {GUEST_LAST, 0, false, 0, true},       {GUEST_LAST, 0, false, 1, false},
        {GUEST_FIRST, 3, true, 0xf, true},     {GUEST_OLDEST, 3, false, 0xf, false},
        {GUEST_OLDEST, 3, true, 0xf, true},    {GUEST_OLDEST, 4, false, 0xf, true},
        {GUEST_IN_TURN, 2, false, 0xf, false}, {GUEST_IN_TURN, 3, false, 0xf, true},
        {GUEST_IN_TURN, 3, true, 0xf, false},  {GUEST_IN_TURN, 63, false, ~0ull, true},
        {GUEST_BESIDE, 2, false, 0xf, false},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++)
        CHECK_MSG(
            t, guest_goes(cases[k].turn, cases[k].last, cases[k].went_last, cases[k].among) == cases[k].goes,
            "case %zu", k);
}

// Independent instructions of six warps and a guest, always ready.
#define EIGHT(r)                                                                                             \
    "IADD3 R" r "0, R1, R2, RZ\nIADD3 R" r "1, R1, R2, RZ\nIADD3 R" r "2, R1, R2, RZ\n"                      \
    "IADD3 R" r "3, R1, R2, RZ\nIADD3 R" r "4, R1, R2, RZ\nIADD3 R" r "5, R1, R2, RZ\n"                      \
    "IADD3 R" r "6, R1, R2, RZ\nIADD3 R" r "7, R1, R2, RZ\n"
#define BUSY EIGHT("1") EIGHT("2") EIGHT("3") "NANOSLEEP 0x100\nEXIT\n"
enum { BUSY_LENGTH = 24, BUSY_END = 26 };

// Without GUEST_BESIDE the guest never issues in a cycle with a warp of its scheduler;
// GUEST_FIRST finishes before GUEST_IN_TURN, and GUEST_LAST last. With GUEST_BESIDE the guest
// issues in addition to warps and takes no slot.
static void test_turns(struct test *t)
{
    uint64_t others[GUEST_BESIDE + 1];
    for (unsigned turn = 0; turn <= GUEST_BESIDE; turn++) {
        struct plan p = plan_of(BUSY_END, BUSY_LENGTH);
        struct chip_result r;
        p.turn = (enum guest_turn)turn;
        if (!run_threads(t,
                         "issue.schedulers=1 issue.scheduler=lrr fetch.width=8 fetch.ibuffer=8 units.int=4 "
                         "operands.collectors=16 icache.perfect=1",
                         BUSY BUSY, 192, 1, &p, &r))
            return;
        CHECK_EQ(t, r.gpu.guest_issued, BUSY_LENGTH);
        CHECK_EQ(t, r.gpu.issue_beside, turn == GUEST_BESIDE ? BUSY_LENGTH : 0);
        CHECK_EQ(t, r.gpu.slots[SLOT_ISSUED] + r.gpu.issue_beside, 6 * BUSY_END + BUSY_LENGTH);
        CHECK_MSG(t, (p.issued_with_it > 0) == (turn == GUEST_BESIDE), "turn %u", turn);
        others[turn] = p.others;
        if (turn == GUEST_FIRST) CHECK(t, p.in_a_row > BUSY_LENGTH / 2);
        if (turn == GUEST_IN_TURN) CHECK_EQ(t, p.in_a_row, 0);
    }
    CHECK(t, others[GUEST_FIRST] < others[GUEST_IN_TURN]);
    CHECK(t, others[GUEST_IN_TURN] < others[GUEST_LAST]);
}

// One warp, always ready, and a guest of lowest priority: a guest of the warp's scheduler waits, a guest of any
// scheduler issues beside the warp.
static void test_roams(struct test *t)
{
    for (unsigned roams = 0; roams < 2; roams++) {
        struct plan p = plan_of(BUSY_END, BUSY_LENGTH);
        struct chip_result r;
        p.turn = GUEST_LAST;
        p.scheduler = roams ? GUEST_ANY : 0;
        if (!run_threads(
                t,
                "issue.schedulers=2 fetch.width=8 fetch.ibuffer=8 units.int=4 operands.collectors=16 "
                "icache.perfect=1 sim.check=1",
                BUSY BUSY, 32, 1, &p, &r))
            return;
        CHECK_EQ(t, r.gpu.guest_issued, BUSY_LENGTH);
        CHECK_MSG(t, (p.issued_with_it > 0) == roams, "%u in a cycle with the warp", p.issued_with_it);
    }
}

// All warps but the first of a block wait for the guest; the first warp spins until the other warps store.
static void test_starving(struct test *t)
{
    static const char spins[] =
        ".shared 4\nstart:\nS2R R0, SR_TID.X\nMOV R4, 0x1\nISETP.GE.AND P1, PT, R0, 0x20, PT\n@P1 BRA go\n"
        "spin:\nIADD3 R6, R7, 0x1, RZ\nIADD3 R8, R7, 0x1, RZ\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n"
        "@P0 BRA spin\nEXIT\ngo:\nSTS [RZ], R4\nEXIT\n";
    static const char *const schedulers[] = {"gto", "lrr", "two-level"};
    enum { LENGTH = 12, SPINNERS = 6, MACHINES = 4 };
    for (unsigned k = 0; k < (GUEST_BESIDE + 1) * TEST_COUNT(schedulers) * MACHINES; k++) {
        char text[2000], settings[300];
        struct plan p = plan_of(LENGTH, CHAIN_LENGTH);
        struct chip_result r;
        unsigned machine = k / (GUEST_BESIDE + 1) % MACHINES;
        p.turn = (enum guest_turn)(k % (GUEST_BESIDE + 1));
        p.holds_warps = p.spares_first = true;
        snprintf(text, sizeof text, "%s" CHAIN, spins);
        snprintf(
            settings, sizeof settings,
            "issue.schedulers=1 issue.scheduler=%s fetch.arbiter=%s issue.interval=%u operands.collectors=%u "
            "latency.int_add=1 latency.compare=1 latency.branch=1 shared.latency=1 sim.check=1",
            schedulers[k / (GUEST_BESIDE + 1) / MACHINES], schedulers[k / (GUEST_BESIDE + 1) / MACHINES],
            machine & 1 ? 4 : 1, machine & 2 ? 1 : 8);
        if (!run_threads(t, settings, text, 64, SPINNERS, &p, &r)) return;
        CHECK_MSG(t, p.ends > 0, "%s, turn %u", settings, p.turn);
    }
}

// -- values -------------------------------------------------------------------------------------------------

enum { ADDRESSES = 8 }; // of the program below

// The addresses of the guest and of the warp it stands for, load by
// load: lanes, and the sum of lane addresses.
struct foreseen {
    struct sm_grid *grid;
    uint64_t *counts;
    struct warp *values;
    uint32_t entry;
    struct address {
        uint64_t lanes, sum;
    } guest[ADDRESSES], warp[ADDRESSES];
    unsigned guest_count, warp_count;
};
enum { COMPARED, DIFFERENT, UNDONE };

static const struct tech tech_foresees;

static void *foresees_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct foreseen *f = heap_alloc(sizeof *f);
    (void)launch;
    *f = (struct foreseen){.grid = grid, .counts = counts};
    f->entry = tech_launch(grid)->launch->program->inst_count / 2;
    return f;
}

static void foresees_start(void *state, unsigned place)
{
    struct foreseen *f = state;
    if (place != 1) return;
    f->values = tech_guest_values(f->grid, tech_warp(f->grid, place)->cta->linear, 1);
    tech_guest_start(f->grid, &tech_foresees, f->entry, 0, GUEST_FIRST);
}

static struct address address_of(const struct exec_access *a)
{
    struct address x = {.lanes = a->mask};
    for (uint64_t left = a->mask; left; left &= left - 1) x.sum = x.sum * 31 + a->address[bit_lowest(left)];
    return x;
}

// Compares address n once both the guest and the warp have reached it.
static void meets(struct foreseen *f, unsigned n)
{
    if (n >= f->guest_count || n >= f->warp_count) return;
    f->counts[COMPARED]++;
    f->counts[DIFFERENT] += memcmp(&f->guest[n], &f->warp[n], sizeof f->warp[n]) != 0;
}

static void foresees_executed(void *state, unsigned place, uint32_t index)
{
    struct foreseen *f = state;
    const struct inst *i = &tech_launch(f->grid)->launch->program->insts[index];
    if (place != 1 || !isa_has(i, ISA_LOAD | ISA_STORE)) return;
    f->warp[f->warp_count++] = address_of(tech_access(f->grid));
    meets(f, f->warp_count - 1);
}

static void foresees_guest(void *state, uint32_t index, struct guest_step *step)
{
    struct foreseen *f = state;
    const struct inst *i = &tech_launch(f->grid)->launch->program->insts[index];
    if (isa_has(i, ISA_LOAD | ISA_STORE)) {
        struct exec_access a = {0};
        exec_find_access(f->values, warp_code(f->values, index), &a);
        f->guest[f->guest_count++] = address_of(&a);
        meets(f, f->guest_count - 1);
    }
    f->counts[UNDONE] += !tech_guest_compute(f->grid, f->values, index);
    step->next = f->values->state == WARP_DONE ? GUEST_ENDS : f->values->pc;
}

static const struct tech tech_foresees = {
    .name = "foresees",
    .claims = CLAIMS(GUEST_STREAM),
    .skipped = -1,
    .reused = -1,
    .counter_count = 3,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = foresees_begin,
    .sm_end = free,
    .warp_start = foresees_start,
    .executed = foresees_executed,
    .guest = &(const struct tech_guest){.guest = foresees_guest},
};

// Lanes leave a loop one after the other, and store at their last address. The stored value goes through a
// shuffle and a barrier; the guest passes over the barrier.
#define WALK                                                                                                 \
    "S2R R0, SR_TID.X\nS2R R8, SR_CTAID.X\nMOV R4, 0x4\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"               \
    "LOP3.LUT R9, R0, 0x7, RZ, 0xc0\nMOV R5, RZ\n"                                                           \
    "loop%s:\nIADD3 R5, R5, 0x1, RZ\nIADD3 R2, R2, 0x80, RZ\nLDG.E R6, [R2]\n"                               \
    "ISETP.LT.AND P0, PT, R5, R9, PT\n@P0 BRA loop%s, join out%s\n"                                          \
    "out%s:\nBAR.SYNC 0x0\nSTG.E [R2], R6\nEXIT\n"

// The guest and the second of a block's two warps access the same addresses with the same lanes.
// The guest is ahead, since the warp waits for loaded values. The guest ends before the block,
// because the block's loads depend on each other.
static void test_values(struct test *t)
{
    char text[2000];
    const struct tech_use uses[] = {{.tech = &tech_foresees}, {0}};
    snprintf(text, sizeof text, WALK WALK, "", "", "", "", "2", "2", "2", "2");
    static const char *const settings[] = {"", "issue.dependences=encoded sim.skip_idle=0"};
    for (size_t k = 0; k < 2 * TEST_COUNT(settings); k++) {
        struct scene s;
        const struct scene_plan plan = {
            .settings = settings[k / 2], .uses = uses, .text = text, .block = {64}, .bytes = 1 << 16};
        scene_begin(&s, t, &plan);
        s.bench.m.launch.simt = k % 2 ? SIMT_SPLITS : SIMT_STACK;
        scene_run(&s);
        const uint64_t *counts = s.bench.result.techs[0];
        CHECK_EQ(t, counts[COMPARED], ADDRESSES); // 7 rounds of the loop, and the store
        CHECK_EQ(t, counts[DIFFERENT], 0);
        CHECK_EQ(t, counts[UNDONE], ADDRESSES + 1); // ADDRESSES, and the barrier
        scene_end(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"time", test_time},         {"results", test_results}, {"gate", test_gate},   {"ends", test_ends},
        {"hang", test_hang},         {"pick", test_pick},       {"turns", test_turns}, {"roams", test_roams},
        {"starving", test_starving}, {"values", test_values}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Observed runs: the same bytes, counts and order as unobserved runs, and events that add up to the
// counts. Fails when an observer changes a result, or when events are missing or repeated.
#include "exec/access.h"
#include "exec/machine.h"
#include "exec/observe.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

// R0 = global thread, R2:R3 = out + 4 * R0, R5 = thread in the block.
#define THREAD                                                                                               \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nIMAD R0, R1, c[0x0][0x0], R0\nMOV R4, 0x4\n"                      \
    "IMAD.WIDE R2, R0, R4, c[0x0][0x160]\nS2R R5, SR_TID.X\n"

// A divergent loop, a guard, a barrier and early exits. A shuffle with members from two sides of a branch.
// An atomic that records the order of warps, and a clock that records their progress.
static const char everything[] =
    ".shared 400\n" THREAD "LOP3.LUT R6, R5, 0x7, RZ, 0xc0\n"
    // The first warps take longest and use up their slices; the last warp reaches the atomic first.
    "SHR.U32 R14, R5, 0x5\n"
    "IADD3 R14, -R14, 0x3, RZ\n"
    "IMAD R6, R14, c[0x0][0x170], R6\n"
    "MOV R7, RZ\n"
    "ISETP.GE.AND P0, PT, R7, R6, PT\n"
    "@P0 BRA done, join done\n"
    "loop:\n"
    "IADD3 R7, R7, 0x1, RZ\n"
    "ISETP.LT.AND P0, PT, R7, R6, PT\n"
    "@P0 BRA loop, join done\n"
    "done:\n"
    "MOV R10, c[0x0][0x168]\n"
    "MOV R11, c[0x0][0x16c]\n"
    "ATOMG.ADD.U32 R12, [R10], R4\n"
    "SHL R8, R5, 0x2\n"
    "STS [R8], R7\n"
    "ISETP.LT.AND P1, PT, R5, 0x28, PT\n"
    "@P1 IADD3 R0, R0, 0x3, RZ\n"
    "BAR.SYNC 0x0\n"
    "IADD3 R8, -R8, 0x18c, RZ\n"
    "LDS R9, [R8]\n"
    "S2R R13, SR_CLOCKLO\n"
    "IMAD R0, R12, 0x100, R0\n"
    "IADD3 R0, R0, R13, R9\n"
    "STG.E [R2], R0\n"
    "ISETP.LT.AND P1, PT, R5, 0x5a, PT\n"
    "@P1 EXIT\n"
    "STG.E [R2], R9\nEXIT\n";

struct tally {
    uint64_t before, after, lanes, blocks, block_ends, exits, barriers, whole, launches, ends;
    uint64_t loads, cut, wrong;
    uint32_t last_index;
};

static void launch_begin(void *x, const struct launch *l) { (void)l, ((struct tally *)x)->launches++; }
static void launch_end(void *x) { ((struct tally *)x)->ends++; }
static void block_begin(void *x, struct observed_block *b)
{
    struct tally *n = x;
    n->blocks++;
    n->wrong += b->state != NULL;
    b->state = n;
}
static void block_end(void *x, struct observed_block *b)
{
    ((struct tally *)x)->block_ends++;
    ((struct tally *)x)->cut += b->cut;
    ((struct tally *)x)->wrong += b->state != x;
}
static void before(void *x, const struct observed *o)
{
    struct tally *n = x;
    n->before++;
    n->last_index = o->index;
    n->wrong += (o->lanes & ~o->path) || (o->path & ~o->live) || (o->live & ~o->present);
    n->wrong += o->block->state != x || (o->present & ~o->full);
}
// Compares the observed addresses with the places of the loaded values.
static void check_load(struct tally *n, const struct observed *o)
{
    const uint32_t *tid = o->threads;
    n->loads++;
    for (unsigned l = 0; l < o->lane_count; l++)
        if (o->lanes >> l & 1) n->wrong += o->access->address[l] != 4 * (99 - tid[l]);
    n->wrong += o->access->mask != o->lanes || o->access->shared != o->lanes || o->access->bytes != 4;
}
static void after(void *x, const struct observed *o)
{
    struct tally *n = x;
    n->after++;
    n->wrong += o->index != n->last_index || (o->access != NULL) != isa_has(o->inst, ISA_LOAD | ISA_STORE);
    // A branch is executed by every lane on the path, taken or not.
    n->lanes += (unsigned)__builtin_popcountll(o->inst->op == OP_BRA ? o->path : o->lanes);
    if (o->inst->op == OP_LDS) check_load(n, o);
}
static void barrier(void *x, struct observed_block *b, const struct observed_barrier *r)
{
    struct tally *n = x;
    n->barriers++;
    n->whole += r->whole && r->index != NO_TARGET && b->state == x;
}
static void warp_exit(void *x, struct observed_block *b, uint32_t warp)
{
    ((struct tally *)x)->exits++;
    ((struct tally *)x)->wrong += warp >= b->warps;
}

static struct observer observer_of(struct tally *n)
{
    return (struct observer){.context = n,
                             .wants_access = true,
                             .launch_begin = launch_begin,
                             .launch_end = launch_end,
                             .block_begin = block_begin,
                             .block_end = block_end,
                             .before = before,
                             .after = after,
                             .barrier = barrier,
                             .warp_exit = warp_exit};
}

enum { BLOCKS = 3, THREADS = 100, OUT_BYTES = 4 * BLOCKS * THREADS };

struct outcome {
    struct exec_counts counts;
    uint8_t out[OUT_BYTES];
};

static bool run(struct test *t, const char *text, unsigned warp_size, enum launch_simt simt,
                const struct observer *observer, struct outcome *outcome)
{
    struct machine m;
    bool good = machine_init(&m, t, text, THREADS);
    if (good) {
        m.launch.grid[0] = BLOCKS;
        m.launch.warp_size = warp_size;
        m.launch.simt = simt;
        m.launch.observer = observer;
        uint64_t out = machine_buffer(&m, OUT_BYTES);
        machine_buffer(&m, 4);
        machine_param(&m, warp_size < 32 ? 9 : 6000); // enough rounds for warps to use up their slices
        machine_must_run(&m);
        outcome->counts = m.counts;
        memcpy(outcome->out, machine_words(&m, out), OUT_BYTES);
    }
    machine_fini(&m);
    return good;
}

static void test_changes_nothing(struct test *t)
{
    static const unsigned warp_sizes[] = {32, 64, 16, 4, 1};
    for (unsigned s = 0; s < 2 * TEST_COUNT(warp_sizes); s++) {
        unsigned warp_size = warp_sizes[s / 2], warps = (THREADS + warp_size - 1) / warp_size;
        struct tally n = {0};
        struct observer observer = observer_of(&n);
        struct outcome plain, observed;
        if (!run(t, everything, warp_size, s % 2 ? SIMT_SPLITS : SIMT_STACK, NULL, &plain) ||
            !run(t, everything, warp_size, s % 2 ? SIMT_SPLITS : SIMT_STACK, &observer, &observed))
            return;
        CHECK_MSG(t, memcmp(plain.out, observed.out, OUT_BYTES) == 0, "warp size %u: other bytes", warp_size);
        CHECK_MSG(t, memcmp(&plain.counts, &observed.counts, sizeof plain.counts) == 0,
                  "warp size %u: other counts", warp_size);
        CHECK_EQ(t, n.before, observed.counts.warp_instructions);
        CHECK_EQ(t, n.after, observed.counts.warp_instructions);
        CHECK_EQ(t, n.lanes, observed.counts.thread_instructions);
        CHECK_EQ(t, n.loads, observed.counts.shared_loads);
        CHECK_EQ(t, n.blocks, BLOCKS);
        CHECK_EQ(t, n.block_ends, BLOCKS);
        CHECK_EQ(t, n.cut, 0);
        CHECK_EQ(t, n.exits, BLOCKS * warps);
        CHECK_EQ(t, n.barriers, BLOCKS);
        CHECK_EQ(t, n.whole, BLOCKS);
        CHECK_EQ(t, n.launches + n.ends, 2);
        CHECK_EQ(t, n.wrong, 0);
    }
}

// Lanes on two sides of a branch wait for each other at a shuffle: one `after` event reports the shuffle,
// with every lane.
static void test_deferred(struct test *t)
{
    static const char text[] = THREAD "MOV R6, 0xffffffff\n"
                                      "LOP3.LUT R7, R5, 0x1, RZ, 0xc0\n"
                                      "ISETP.EQ.AND P0, PT, R7, RZ, PT\n"
                                      "@P0 BRA even\n"
                                      "IADD3 R7, R7, 0x5, RZ\n"
                                      "even:\n"
                                      "SHFL.BFLY R8, PT, R7, 0x1, 0x1f, R6\n"
                                      "STG.E [R2], R8\nEXIT\n";
    struct tally n = {0};
    struct observer observer = observer_of(&n);
    struct machine m;
    if (!machine_init(&m, t, text, 32)) return;
    m.launch.simt = SIMT_SPLITS;
    m.launch.observer = &observer;
    uint64_t out = machine_buffer(&m, 128);
    machine_must_run(&m);
    for (unsigned l = 0; l < 32; l++) CHECK_EQ(t, machine_words(&m, out)[l], l % 2 ? 0u : 6u);
    CHECK_EQ(t, n.after, m.counts.warp_instructions);
    CHECK(t, n.before > n.after);
    CHECK_EQ(t, n.wrong, 0);
    machine_fini(&m);
}

// A barrier for some threads is not reported as a barrier of the whole block.
static void test_partial_barrier(struct test *t)
{
    static const char text[] = THREAD "ISETP.GE.AND P0, PT, R5, 0x40, PT\n"
                                      "@P0 BRA rest, join rest\n"
                                      "BAR.SYNC 0x1, 0x40\n"
                                      "rest:\n"
                                      "BAR.SYNC 0x0\n"
                                      "EXIT\n";
    struct tally n = {0};
    struct observer observer = observer_of(&n);
    struct outcome outcome;
    if (!run(t, text, 32, SIMT_SPLITS, &observer, &outcome)) return;
    CHECK_EQ(t, n.barriers, 2 * BLOCKS);
    CHECK_EQ(t, n.whole, BLOCKS);
}

// A fault ends the launch: no `after` event for the faulting instruction, but an end of the block and of
// the launch.
static void test_fault(struct test *t)
{
    struct tally n = {0};
    struct observer observer = observer_of(&n);
    struct machine m;
    if (!machine_init(&m, t, THREAD "TRAP.BREAK\nEXIT\n", 32)) return;
    m.launch.observer = &observer;
    CHECK(t, !machine_run(&m));
    CHECK_EQ(t, n.before, n.after + 1);
    CHECK_EQ(t, n.block_ends, 1);
    CHECK_EQ(t, n.cut, 1);
    CHECK_EQ(t, n.ends, 1);
    machine_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"changes_nothing", test_changes_nothing},
        {"deferred", test_deferred},
        {"partial_barrier", test_partial_barrier},
        {"fault", test_fault},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

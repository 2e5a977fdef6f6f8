// Programs run to their end: threads and blocks, memory, divergence, calls, barriers, in both modes of
// divergence and at every warp size. Fails when a thread's result is wrong.
#include "exec/machine.h"
#include "exec/observe.h"

#include <string.h>

// R0 = global thread, R2:R3 = out + 4 * R0. Parameter 0 is the output.
#define THREAD                                                                                               \
    "S2R R0, SR_TID.X\n"                                                                                     \
    "S2R R1, SR_CTAID.X\n"                                                                                   \
    "IMAD R0, R1, c[0x0][0x0], R0\n"                                                                         \
    "MOV R4, 0x4\n"                                                                                          \
    "IMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"

static const unsigned warp_sizes[] = {32, 64, 16, 8, 4, 2};

// Runs the program in every warp size and mode over 3 blocks of 100 threads and checks every thread's word.
static void every_thread(struct test *t, const char *text, uint32_t (*want)(uint32_t thread, uint32_t tid))
{
    for (unsigned s = 0; s < 2 * TEST_COUNT(warp_sizes); s++) {
        struct machine m;
        if (machine_init(&m, t, text, 100)) {
            m.launch.grid[0] = 3;
            m.launch.warp_size = warp_sizes[s / 2];
            m.launch.simt = s % 2 ? SIMT_SPLITS : SIMT_STACK;
            uint64_t out = machine_buffer(&m, 1200);
            machine_must_run(&m);
            for (uint32_t i = 0; i < 300; i++)
                CHECK_MSG(t, machine_words(&m, out)[i] == want(i, i % 100),
                          "warp size %u %s: thread %u has %u, not %u", m.launch.warp_size,
                          s % 2 ? "splits" : "stack", i, machine_words(&m, out)[i], want(i, i % 100));
            CHECK_EQ(t, m.counts.blocks, 3);
        }
        machine_fini(&m);
    }
}

static uint32_t want_index(uint32_t i, uint32_t tid) { return (void)tid, i; }
static void test_index(struct test *t) { every_thread(t, THREAD "STG.E [R2], R0\nEXIT\n", want_index); }

static uint32_t want_guard(uint32_t i, uint32_t tid) { return tid % 3 == 0 ? i + 1000 : i; }
static void test_guards(struct test *t)
{
    every_thread(t,
                 THREAD "S2R R5, SR_TID.X\n"
                        "MOV R6, 0xaaaaaaab\n"
                        "IMAD.HI.U32 R6, R5, R6, RZ\n"
                        "SHR.U32 R6, R6, 0x1\n"
                        "IMAD R6, R6, -0x3, R5\n"
                        "ISETP.NE.AND P0, PT, R6, RZ, PT\n"
                        "@!P0 IADD3 R0, R0, 0x3e8, RZ\n"
                        "STG.E [R2], R0\nEXIT\n",
                 want_guard);
}

// Sum of 0 … lane-dependent trip count, with a branch inside the loop.
static uint32_t want_loop(uint32_t i, uint32_t tid)
{
    uint32_t sum = i;
    for (uint32_t k = 0; k < tid % 7; k++) sum += k & 1 ? 100 : 1;
    return sum;
}
static const char loop_text[] = THREAD "S2R R5, SR_TID.X\n"
                                       "MOV R8, 0x24924925\n"
                                       "IMAD.HI.U32 R6, R5, R8, RZ\n"
                                       "IMAD R6, R6, -0x7, R5\n"
                                       "MOV R7, RZ\n"
                                       "ISETP.GE.AND P0, PT, R7, R6, PT\n"
                                       "@P0 BRA done, join done\n"
                                       "loop:\n"
                                       "LOP3.LUT R9, R7, 0x1, RZ, 0xc0\n"
                                       "ISETP.NE.AND P1, PT, R9, RZ, PT\n"
                                       "@P1 BRA odd, join next\n"
                                       "IADD3 R0, R0, 0x1, RZ\n"
                                       "BRA next\n"
                                       "odd:\n"
                                       "IADD3 R0, R0, 0x64, RZ\n"
                                       "next:\n"
                                       "IADD3 R7, R7, 0x1, RZ\n"
                                       "ISETP.LT.AND P0, PT, R7, R6, PT\n"
                                       "@P0 BRA loop, join done\n"
                                       "done:\n"
                                       "STG.E [R2], R0\nEXIT\n";
static void test_loop(struct test *t) { every_thread(t, loop_text, want_loop); }

// A recursive function with returns at different depths: sum of 1 … tid % 4.
static uint32_t want_recursion(uint32_t i, uint32_t tid) { return i + (tid % 4) * (tid % 4 + 1) / 2; }
static void test_recursion(struct test *t)
{
    every_thread(t,
                 ".stack 64\n" THREAD "S2R R5, SR_TID.X\n"
                 "LOP3.LUT R5, R5, 0x3, RZ, 0xc0\n"
                 "MOV R10, c[0x0][0x28]\n"
                 "CALL R11, sum\n"
                 "IADD3 R0, R0, R6, RZ\n"
                 "STG.E [R2], R0\nEXIT\n"
                 ".function sum\n"
                 "MOV R6, RZ\n"
                 "ISETP.EQ.AND P0, PT, R5, RZ, PT\n"
                 "@P0 RET R11\n"
                 "IADD3 R10, R10, -0x8, RZ\n"
                 "STL [R10], R11\n"
                 "STL [R10+0x4], R5\n"
                 "IADD3 R5, R5, -0x1, RZ\n"
                 "CALL R11, sum\n"
                 "LDL R11, [R10]\n"
                 "LDL R5, [R10+0x4]\n"
                 "IADD3 R10, R10, 0x8, RZ\n"
                 "IADD3 R6, R6, R5, RZ\n"
                 "RET R11\n",
                 want_recursion);
}

// Neighbours exchange through shared memory around a barrier.
static uint32_t want_reverse(uint32_t i, uint32_t tid) { return i - tid + 99 - tid; }
static void test_shared(struct test *t)
{
    every_thread(t,
                 ".shared 400\n" THREAD "S2R R5, SR_TID.X\n"
                 "SHL R6, R5, 0x2\n"
                 "STS [R6], R0\n"
                 "BAR.SYNC 0x0\n"
                 "IADD3 R6, -R6, 0x18c, RZ\n"
                 "LDS R0, [R6]\n"
                 "STG.E [R2], R0\nEXIT\n",
                 want_reverse);
}

// Threads that exit early do not block a barrier.
static uint32_t want_early(uint32_t i, uint32_t tid) { return tid < 40 ? 0 : i; }
static void test_early_exit(struct test *t)
{
    every_thread(t,
                 THREAD "S2R R5, SR_TID.X\n"
                        "ISETP.LT.AND P0, PT, R5, 0x28, PT\n"
                        "@P0 EXIT\n"
                        "BAR.SYNC 0x0\n"
                        "STG.E [R2], R0\nEXIT\n",
                 want_early);
}

static uint32_t want_red(uint32_t i, uint32_t tid) { return (void)i, (void)tid, 50 * 4 + 2 + 1; }
static void test_barrier_reduction(struct test *t)
{
    every_thread(t,
                 THREAD "S2R R5, SR_TID.X\n"
                        "LOP3.LUT R5, R5, 0x1, RZ, 0xc0\n"
                        "ISETP.NE.AND P0, PT, R5, RZ, PT\n"
                        "BAR.RED.POPC R6, 0x0, P0\n"
                        "BAR.RED.OR P1, 0x1, P0\n"
                        "BAR.RED.AND P2, 0x2, P0\n"
                        "SHL R6, R6, 0x2\n"
                        "@P1 IADD3 R6, R6, 0x2, RZ\n"
                        "@!P2 IADD3 R6, R6, 0x1, RZ\n"
                        "STG.E [R2], R6\nEXIT\n",
                 want_red);
}

// Every thread of a block passes a turn to the next through shared memory: each needs the progress of other
// warps.
static uint32_t want_turn(uint32_t i, uint32_t tid) { return (void)i, tid; }
static void test_spin_on_other_warps(struct test *t)
{
    for (unsigned simt = 0; simt < 2; simt++) {
        struct machine m;
        if (machine_init(&m, t,
                         ".shared 4\n" THREAD "S2R R5, SR_TID.X\n"
                         "SHR.U32 R6, R5, 0x5\n"
                         "LOP3.LUT R7, R5, 0x1f, RZ, 0xc0\n"
                         "wait:\n"
                         "LDS R8, [RZ]\n"
                         "ISETP.NE.AND P0, PT, R8, R6, PT\n"
                         "@P0 BRA wait, join on\n"
                         "on:\n"
                         "ISETP.EQ.AND P1, PT, R7, RZ, PT\n"
                         "IADD3 R8, R8, 0x1, RZ\n"
                         "@P1 STS [RZ], R8\n"
                         "STG.E [R2], R5\nEXIT\n",
                         1024)) {
            m.launch.simt = (enum launch_simt)simt;
            uint64_t out = machine_buffer(&m, 4096);
            machine_must_run(&m);
            for (uint32_t i = 0; i < 1024; i++) CHECK_EQ(t, machine_words(&m, out)[i], want_turn(i, i));
        }
        machine_fini(&m);
    }
}

// A barrier over the whole grid: block b waits until every block has incremented a counter.
static void test_spin_on_other_blocks(struct test *t)
{
    struct machine m;
    if (machine_init(&m, t,
                     THREAD "MOV R6, c[0x0][0x168]\n"
                            "MOV R7, c[0x0][0x16c]\n"
                            "MOV R8, 0x1\n"
                            "RED.E.ADD.U32 [R6], R8\n"
                            "wait:\n"
                            "LDG.E R9, [R6]\n"
                            "ISETP.LT.U32.AND P0, PT, R9, 0x280, PT\n"
                            "@P0 BRA wait, join on\n"
                            "on:\n"
                            "STG.E [R2], R9\nEXIT\n",
                     32)) {
        m.launch.grid[0] = 20;
        m.launch.max_warp_instructions = 0;
        uint64_t out = machine_buffer(&m, 4 * 640);
        machine_buffer(&m, 4);
        machine_must_run(&m);
        for (uint32_t i = 0; i < 640; i++) CHECK_EQ(t, machine_words(&m, out)[i], 640);
    }
    machine_fini(&m);
}

// A lock taken lane by lane: only with simt=splits can the holder proceed while other lanes spin.
static void test_lock_within_a_warp(struct test *t)
{
    struct machine m;
    if (machine_init(&m, t,
                     ".shared 8\n" THREAD "MOV R6, 0x1\n"
                     "wait:\n"
                     "ATOMS.CAS.U32 R8, [RZ], RZ, R6\n"
                     "ISETP.NE.AND P0, PT, R8, RZ, PT\n"
                     "@P0 BRA wait, join on\n"
                     "on:\n"
                     "LDS R9, [RZ+0x4]\n"
                     "IADD3 R9, R9, 0x1, RZ\n"
                     "STS [RZ+0x4], R9\n"
                     "ATOMS.EXCH.U32 R8, [RZ], RZ\n"
                     "BAR.SYNC 0x0\n"
                     "LDS R9, [RZ+0x4]\n"
                     "STG.E [R2], R9\nEXIT\n",
                     96)) {
        uint64_t out = machine_buffer(&m, 4 * 96);
        m.launch.simt = SIMT_SPLITS;
        machine_must_run(&m);
        for (uint32_t i = 0; i < 96; i++) CHECK_EQ(t, machine_words(&m, out)[i], 96);
        m.launch.simt = SIMT_STACK;
        m.launch.max_warp_instructions = 100000;
        machine_must_fault(&m, FAULT_LIMIT, "the limit of 100000 warp instructions");
    }
    machine_fini(&m);
}

// Blocks of some thirty instructions and a loop of three rounds.
#define SHORT_BLOCKS                                                                                         \
    THREAD "MOV R5, 0x3\n"                                                                                   \
           "loop:\n"                                                                                         \
           "IADD3 R5, R5, -0x1, RZ\n"                                                                        \
           "ISETP.NE.AND P0, PT, R5, RZ, PT\n"                                                               \
           "@P0 BRA loop, join on\n"                                                                         \
           "on:\n"                                                                                           \
           "STG.E [R2], R5\nEXIT\n"
enum { LIMIT_BLOCKS = 1000, LIMIT_RUN = 12 }; // no straight run of SHORT_BLOCKS has more instructions

static void run_limited(struct machine *m, uint64_t limit, bool ends)
{
    m->launch.max_warp_instructions = limit;
    m->counts = (struct exec_counts){0};
    if (ends)
        machine_must_run(m);
    else
        machine_must_fault(m, FAULT_LIMIT, "warp instructions (exec.max_warp_instructions) is reached");
    uint64_t most = ends ? limit : limit + LIMIT_RUN;
    CHECK_MSG(m->t, m->counts.warp_instructions <= most, "limit %llu: %llu were executed",
              (unsigned long long)limit, (unsigned long long)m->counts.warp_instructions);
}

// The limit applies to the whole launch; no block or warp alone comes near. With a limit of exactly the
// launch's instructions the launch ends, with a limit less by 1 the launch is stopped.
static void test_limit(struct test *t)
{
    static const struct observer nobody;
    static const struct {
        enum exec_isa isa;
        bool observed, races;
    } ways[] = {{EXEC_ISA_AUTO, false, false},
                {EXEC_ISA_GENERAL, false, false},
                {EXEC_ISA_AUTO, true, false},
                {EXEC_ISA_AUTO, false, true}};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) {
        struct machine m;
        if (machine_init(&m, t, SHORT_BLOCKS, 64)) {
            m.launch.grid[0] = LIMIT_BLOCKS;
            m.launch.isa = ways[k].isa;
            m.launch.observer = ways[k].observed ? &nobody : NULL;
            m.launch.check_races = ways[k].races;
            machine_buffer(&m, 4 * 64 * LIMIT_BLOCKS);
            m.launch.max_warp_instructions = 0;
            machine_must_run(&m);
            uint64_t all = m.counts.warp_instructions;
            CHECK_EQ(t, all % (2 * LIMIT_BLOCKS), 0);
            run_limited(&m, all, true);
            for (uint64_t limit = 1; limit < 200; limit++) run_limited(&m, limit, false);
            run_limited(&m, all / 2 + 1, false);
            run_limited(&m, all - 1, false);
        }
        machine_fini(&m);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"index", test_index},
        {"guards", test_guards},
        {"loop", test_loop},
        {"recursion", test_recursion},
        {"shared", test_shared},
        {"early_exit", test_early_exit},
        {"barrier_reduction", test_barrier_reduction},
        {"spin_on_other_warps", test_spin_on_other_warps},
        {"spin_on_other_blocks", test_spin_on_other_blocks},
        {"lock_within_a_warp", test_lock_within_a_warp},
        {"limit", test_limit},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

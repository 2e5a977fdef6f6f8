// Divergence by nest level. Fails where another path runs first, lanes reconverge elsewhere, a
// barrier releases early, or a fault is missing. A counter in the scratchpad makes the order
// visible: `amoadd` numbers the lanes.
#include "riscv/bench.h"
#include "riscv/map.h"

#include <string.h>

enum { OUT = MAKER_DATA, LANES = RISCV_LANES, WARPS = RISCV_WARPS };

static const enum exec_isa isas[] = {EXEC_ISA_GENERAL, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512};

// A2 = OUT + 4 * thread, A3 = the warp's own word of the scratchpad, A4 = 1, A5 = lane.
static void begin(struct maker *m)
{
    bench_begin(m);
    maker_li(m, A2, OUT);
    maker_put(m, add(A2, A2, A1));
    maker_put(m, srli(A3, A0, 5));
    maker_put(m, slli(A3, A3, 2));
    maker_li(m, A4, RISCV_SCRATCH);
    maker_put(m, add(A3, A3, A4));
    maker_put(m, addi(A4, X0, 1));
    maker_put(m, andi(A5, A0, 31));
    m->data_bytes = 64 * BENCH_THREADS;
}

static void take_number(struct maker *m, unsigned rd) { maker_put(m, amoadd(rd, A4, A3)); }

// Runs in every build; `want`: word of lane n in every warp afterwards.
static void run(struct test *t, struct maker *m, const uint32_t want[LANES], uint64_t warp_instructions)
{
    struct bench b;
    bench_end(m);
    if (!bench_init(&b, t, m)) return;
    for (unsigned k = 0; k < TEST_COUNT(isas); k++) {
        if (!exec_isa_available(isas[k])) continue;
        b.launch.isa = isas[k];
        memset(bench_word(&b, RISCV_SCRATCH), 0, 4 * WARPS);
        bench_must_run(&b);
        for (unsigned n = 0; n < BENCH_THREADS; n++)
            CHECK_MSG(t, bench_word(&b, OUT)[n] == want[n % LANES], "%s: thread %u has %u, not %u",
                      exec_isa_name(isas[k]), n, bench_word(&b, OUT)[n], want[n % LANES]);
        CHECK_EQ(t, b.counts.warp_instructions, warp_instructions * WARPS);
    }
    bench_fini(&b);
    maker_fini(m);
}

// Instructions of begin (maker_li of an address with a low part of 0 takes one), and of bench_end.
enum { BEGIN = 10, END = 2 };

// Level 1: lanes below 8 take the branch. The path of the highest lane runs first, whatever its pc; the
// other path catches up at the pop.
static void test_highest_lane_first(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, addi(A6, X0, 8));
    maker_put(&m, PUSH);
    uint32_t branch = maker_here(&m);
    maker_put(&m, blt(A5, A6, 0));
    take_number(&m, A7);
    uint32_t over = maker_here(&m);
    maker_put(&m, jal(X0, 0));
    maker_land(&m, branch);
    take_number(&m, A7);
    maker_land(&m, over);
    maker_put(&m, POP);
    maker_put(&m, sw(A7, A2, 0));
    uint32_t want[LANES];
    for (unsigned l = 0; l < LANES; l++) want[l] = l < 8 ? 24 + l : l - 8;
    // addi push blt; amo jal pop by 24 lanes; amo pop by 8; sw by all
    run(t, &m, want, BEGIN + 3 + 3 + 2 + 1 + END);
}

// Reversed: the highest lanes take the branch.
static void test_highest_lane_takes_it(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, addi(A6, X0, 23));
    maker_put(&m, PUSH);
    uint32_t branch = maker_here(&m);
    maker_put(&m, blt(A6, A5, 0));
    take_number(&m, A7);
    uint32_t over = maker_here(&m);
    maker_put(&m, jal(X0, 0));
    maker_land(&m, branch);
    take_number(&m, A7);
    maker_land(&m, over);
    maker_put(&m, POP);
    maker_put(&m, sw(A7, A2, 0));
    uint32_t want[LANES];
    for (unsigned l = 0; l < LANES; l++) want[l] = l < 24 ? 8 + l : l - 24;
    // addi push blt; amo pop by 8 lanes; amo jal pop by 24; sw by all
    run(t, &m, want, BEGIN + 3 + 2 + 3 + 1 + END);
}

// Deeper lanes run before all other lanes, including higher lanes: lanes 0 and 1 push once more.
static void test_deepest_first(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, addi(A6, X0, 2));
    maker_put(&m, PUSH);
    uint32_t branch = maker_here(&m);
    maker_put(&m, blt(A5, A6, 0)); // lanes 2 to 31 go on, and yield to deeper lanes
    maker_put(&m, PUSH);
    maker_put(&m, POP); // both paths at level 1 again: the upper lanes go on
    take_number(&m, A7);
    uint32_t over = maker_here(&m);
    maker_put(&m, jal(X0, 0));
    maker_land(&m, branch);
    maker_put(&m, PUSH);
    take_number(&m, A7);
    maker_put(&m, POP);
    maker_land(&m, over);
    maker_put(&m, POP);
    maker_put(&m, sw(A7, A2, 0));
    uint32_t want[LANES];
    for (unsigned l = 0; l < LANES; l++) want[l] = l < 2 ? 30 + l : l - 2;
    // addi push blt; push pop amo jal pop by 30 lanes; push amo pop pop by 2; sw by all
    run(t, &m, want, BEGIN + 3 + 5 + 4 + 1 + END);
}

// Lanes leave a loop in order, the lowest first, and wait at the pop; all lanes execute the pop together.
static void test_loop(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, addi(A6, X0, 0));
    maker_put(&m, PUSH);
    uint32_t top = maker_here(&m);
    maker_put(&m, addi(A6, A6, 1));
    maker_put(&m, rv_b(5, A5, A6, (int32_t)(top - maker_here(&m)))); // bge: lane n iterates n + 1 times
    maker_put(&m, POP);
    maker_put(&m, sw(A6, A2, 0));
    uint32_t want[LANES];
    for (unsigned l = 0; l < LANES; l++) want[l] = l + 1;
    // addi push; 32 turns of addi and bge; pop and sw by all
    run(t, &m, want, BEGIN + 2 + 64 + 2 + END);
}

// Reconvergence without branch or pop: lanes 0 to 15 jump to an address, and
// lanes 16 to 31 fall through to it.
static void test_meet_anywhere(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, rv_u(0x17, A6, 0)); // auipc: the pc of this instruction
    uint32_t pc = maker_here(&m) - 4;
    maker_put(&m, srli(A7, A5, 4));
    maker_put(&m, slli(A7, A7, 2)); // 0 or 4
    maker_put(&m, sub(A6, A6, A7));
    uint32_t jump = maker_here(&m);
    maker_put(&m, jalr(X0, A6, (int32_t)(jump + 12 - pc))); // lanes 0-15 to jump + 12, 16-31 to jump + 8
    maker_put(&m, addi(X0, X0, 0));
    maker_put(&m, addi(X0, X0, 0)); // jump + 8: lanes 16 to 31 run first and meet lanes 0 to 15 at jump + 12
    take_number(&m, A7);
    maker_put(&m, sw(A7, A2, 0));
    uint32_t want[LANES];
    for (unsigned l = 0; l < LANES; l++) want[l] = l;
    run(t, &m, want, BEGIN + 5 + 1 + 2 + END);
}

// -- barriers -----------------------------------------------------------------------------------------------
// Each warp counts itself in its group before the barrier. After the barrier the count must
// include all warps of the group.
static void test_barrier_groups(struct test *t)
{
    static const uint32_t sizes[] = {1, 2, 8, 32, 0};
    for (unsigned k = 0; k < TEST_COUNT(sizes); k++) {
        uint32_t size = sizes[k] ? sizes[k] : WARPS, shift = 5;
        for (uint32_t s = size; s > 1; s /= 2) shift++;
        struct maker m = {0};
        struct bench b;
        begin(&m);
        maker_put(&m, srli(A3, A0, (int32_t)shift)); // the group's own counter
        maker_put(&m, slli(A3, A3, 2));
        maker_li(&m, A6, RISCV_SCRATCH);
        maker_put(&m, add(A3, A3, A6));
        maker_put(&m, srli(A6, A0, 5)); // staggered arrival: warp n loops n times
        uint32_t top = maker_here(&m);
        maker_put(&m, addi(A6, A6, -1));
        maker_put(&m, rv_b(5, A6, X0, (int32_t)(top - maker_here(&m))));
        maker_put(&m, amoadd(X0, A4, A3));
        maker_put(&m, csrwi(0x830, 0));
        maker_put(&m, lw(A7, A3, 0));
        maker_put(&m, sw(A7, A2, 0));
        bench_end(&m);
        if (!bench_init(&b, t, &m)) return;
        b.flat.barrier_warps = sizes[k];
        bench_must_run(&b);
        for (unsigned n = 0; n < BENCH_THREADS; n++) CHECK_EQ(t, bench_word(&b, OUT)[n], size * LANES);
        CHECK_EQ(t, b.counts.barriers, WARPS);
        bench_fini(&b);
        maker_fini(&m);
    }
}

static void must_fault(struct test *t, struct maker *m, enum launch_fault_kind kind, const char *part)
{
    struct bench b;
    bench_end(m);
    if (bench_init(&b, t, m)) {
        bench_must_fault(&b, kind, part);
        bench_fini(&b);
    }
    maker_fini(m);
}

static void test_barrier_that_one_does_not_come_to(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, srli(A6, A0, 5));
    maker_put(&m, addi(A7, X0, 3));
    maker_put(&m, beq(A6, A7, 8));
    maker_put(&m, csrwi(0x830, 0)); // all warps except warp 3
    must_fault(t, &m, FAULT_DEADLOCK, "waits for the other warps of group 0");
}

// -- faults -------------------------------------------------------------------------------------------------
static void test_pop_too_many(struct test *t)
{
    struct maker m = {0};
    maker_put(&m, PUSH);
    maker_put(&m, POP);
    maker_put(&m, POP);
    must_fault(t, &m, FAULT_STACK, "a pop at nest level 0");
}

static void test_push_too_many(struct test *t)
{
    struct maker m = {0};
    for (unsigned k = 0; k < 31; k++) maker_put(&m, PUSH);
    for (unsigned k = 0; k < 31; k++) maker_put(&m, POP);
    struct bench b;
    bench_end(&m);
    if (bench_init(&b, t, &m)) {
        bench_must_run(&b); // 31 levels fit
        bench_fini(&b);
    }
    maker_fini(&m);
    struct maker n = {0};
    for (unsigned k = 0; k < 32; k++) maker_put(&n, PUSH);
    must_fault(t, &n, FAULT_STACK, "a push at nest level 31");
}

static void test_command_of_a_part(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, beq(A5, X0, 8));
    maker_put(&m, csrwi(0x830, 0));
    must_fault(t, &m, FAULT_MEMBERS, "a warp command by 31 of the warp's 32 lanes");
}

static void test_jump_to_nowhere(struct test *t)
{
    struct maker m = {0};
    maker_li(&m, A0, MAKER_DATA);
    maker_put(&m, jalr(RA, A0, 2));
    must_fault(t, &m, FAULT_BRANCH,
               "a jump to 0x08008002, where no instruction is: code is 0x08000400 to 0x");
}

static void test_failure(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    bench_begin(&m);
    maker_put(&m, srli(A6, A0, 5));
    maker_put(&m, bne(A6, X0, 8));
    maker_put(&m, csrwi(0x830, 1)); // warp 0
    bench_end(&m);
    if (bench_init(&b, t, &m)) {
        bench_must_run(&b); // other warps end normally
        CHECK(t, b.has_failed);
        CHECK_EQ(t, b.counts.warps, WARPS);
        bench_fini(&b);
    }
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"highest_lane_first", test_highest_lane_first},
        {"highest_lane_takes_it", test_highest_lane_takes_it},
        {"deepest_first", test_deepest_first},
        {"loop", test_loop},
        {"meet_anywhere", test_meet_anywhere},
        {"barrier_groups", test_barrier_groups},
        {"barrier_that_one_does_not_come_to", test_barrier_that_one_does_not_come_to},
        {"pop_too_many", test_pop_too_many},
        {"push_too_many", test_push_too_many},
        {"command_of_a_part", test_command_of_a_part},
        {"jump_to_nowhere", test_jump_to_nowhere},
        {"failure", test_failure},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

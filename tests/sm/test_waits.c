// Encoded waits: the control words of small programs; the book of
// registers reports every wait that is too short.
#include "chip/bench.h"
#include "exec/timed.h"
#include "isa/program.h"
#include "memory/system.h"
#include "sm/check.h"

#include <string.h>

struct word {
    unsigned stall, barrier, wait;
};

static void expect_words(struct test *t, const char *settings, const char *text, const struct word *want,
                         uint32_t count)
{
    struct gpu_bench b;
    struct decoded d;
    struct arena a;
    arena_init(&a);
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", settings, text, 32)) {
        machine_prepare(&b.m);
        gpu_decode(&d, b.m.launch.program, &b.config.gpu, b.config.memory.line_bytes, &a);
        CHECK_EQ(t, b.m.launch.program->inst_count, count);
        for (uint32_t n = 0; n < count; n++) {
            CHECK_MSG(t,
                      d.ops[n].stall == want[n].stall && d.ops[n].barrier == want[n].barrier &&
                          d.ops[n].wait == want[n].wait,
                      "instruction %u: stall %u, barrier %u, wait %x; not %u, %u, %x", n, d.ops[n].stall,
                      d.ops[n].barrier, d.ops[n].wait, want[n].stall, want[n].barrier, want[n].wait);
        }
    }
    gpu_bench_fini(&b);
    arena_fini(&a);
}

// With 4 cycles of latency a result is ready 6 cycles after issue. Loads and latencies over 15 use barriers.
// The last instruction of a block waits for every outstanding result.
static void test_words(struct test *t)
{
    static const struct word chain[] = {{6, 0, 0}, {1, 0, 0}, {1, 0, 0}, {5, 0, 0}};
    expect_words(t, "issue.dependences=encoded issue.width=1 operands.conflicts=0",
                 "IADD3 R0, R0, 0x1, RZ\nIADD3 R1, R0, 0x1, RZ\nIADD3 R2, R0, 0x1, RZ\nEXIT\n", chain, 4);
    static const struct word loads[] = {{1, 1, 0}, {1, 2, 0}, {1, 0, 1}, {1, 0, 2}, {5, 0, 0}};
    expect_words(t, "issue.dependences=encoded issue.width=1 operands.conflicts=0",
                 ".shared 64\nLDS R1, [R0]\nMUFU.RCP R2, R0\nIADD3 R3, R1, 0x1, RZ\nIADD3 R4, R2, 0x1, "
                 "RZ\nEXIT\n",
                 loads, 5);
    static const struct word pairs[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {5, 0, 0}};
    expect_words(t, "issue.dependences=encoded units.shared=0 operands.conflicts=0",
                 "IADD3 R0, R8, 0x1, RZ\nFFMA R1, R8, R8, R8\nIADD3 R2, R8, 0x1, RZ\nFFMA R3, R8, R8, R8\n"
                 "EXIT\n",
                 pairs, 5);
    // Three operands of a bank with one port take two cycles more.
    static const struct word bank[] = {{8, 0, 0}, {1, 0, 0}, {5, 0, 0}};
    expect_words(t, "issue.dependences=encoded issue.width=1 operands.banks=4 operands.ports=1",
                 "FFMA R1, R4, R8, R12\nFADD R2, R1, R4\nEXIT\n", bank, 3);
}

// A loop: a load at the end of the body is waited for at the beginning,
// both around the loop and from its entry.
static void test_loop(struct test *t)
{
    static const struct word want[] = {{6, 0, 0}, {1, 0, 1}, {5, 1, 0}, {6, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    expect_words(t, "issue.dependences=encoded issue.width=1 operands.conflicts=0",
                 ".shared 64\nMOV R1, RZ\nloop:\nIADD3 R2, R1, 0x1, RZ\nLDS R1, [R0]\n"
                 "ISETP.NE.AND P0, PT, R2, RZ, PT\n@P0 BRA loop\nEXIT\n",
                 want, 6);
}

// Runs a program with one control word changed to `wrong`; returns the book's report.
static const char *verdict(struct test *t, const char *text, uint32_t at, struct word wrong)
{
    struct gpu_bench b;
    struct arena a;
    const char *broken = NULL;
    arena_init(&a);
    if (gpu_bench_init(&b, t, "tiny",
                       "issue.dependences=encoded sim.check=1 icache.perfect=1 fetch.width=4 "
                       "fetch.ibuffer=8",
                       text, 32)) {
        machine_prepare(&b.m);
        b.config.memory.core_mhz = b.config.gpu.core_mhz;
        struct gpu_kind kind = {.count = 1, .config = b.config.gpu};
        struct sm_launch l = {.memory = &b.config.memory,
                              .kind = &kind,
                              .launch = &b.m.launch,
                              .window = memory_system_window(&b.config.memory),
                              .blocks_per_sm = 1,
                              .warps_per_block = 1,
                              .places = 1,
                              .registers_per_warp = b.m.launch.program->reg_count};
        gpu_decode(&l.decoded, b.m.launch.program, &b.config.gpu, b.config.memory.line_bytes, &a);
        struct op *o = &l.decoded.ops[at];
        o->stall = (uint8_t)wrong.stall;
        o->barrier = (uint8_t)wrong.barrier;
        o->wait = (uint8_t)wrong.wait;
        struct timed_engine engine;
        timed_init(&engine, &b.m.launch, 0, NULL, NULL);
        struct memory_system *m = memory_system_create(&b.config.memory, 1);
        struct sm *s = sm_create(&kind.config, b.config.memory.line_bytes, 0, 1);
        struct sm_grid *g = sm_admit(s, &l, &engine);
        sm_place(g, 0, 1, 1, NULL);
        for (uint64_t now = 1; !sm_is_done_with(g) && now < 100000; now += l.window) {
            memory_system_hand_over(m, now);
            for (unsigned k = 0; k < memory_system_partitions(m); k++)
                memory_system_run(m, k, now + l.window);
            sm_run(s, m, now + l.window);
            timed_commit((struct timed_engine *[]){&engine}, 1);
        }
        broken = sm_check(s);
        sm_destroy(s);
        memory_system_destroy(m);
        timed_fini(&engine);
    }
    gpu_bench_fini(&b);
    arena_fini(&a);
    return broken;
}

static void test_wrong_words(struct test *t)
{
    static const char early[] = "a register was read before its result was ready";
    static const char fixed[] = "IADD3 R0, R0, 0x1, RZ\nIADD3 R1, R0, 0x1, RZ\nEXIT\n";
    static const char load[] = ".shared 64\nLDS R1, [R0]\nIADD3 R2, R1, 0x1, RZ\nEXIT\n";
    static const char pred[] = "ISETP.NE.AND P0, PT, R0, RZ, PT\nSEL R1, R0, RZ, P0\nEXIT\n";
    CHECK(t, !verdict(t, fixed, 0, (struct word){6, 0, 0}));
    CHECK_STR(t, verdict(t, fixed, 0, (struct word){5, 0, 0}), early);
    CHECK(t, !verdict(t, load, 1, (struct word){6, 0, 1}));
    CHECK_STR(t, verdict(t, load, 1, (struct word){6, 0, 0}), early);
    CHECK(t, !verdict(t, pred, 0, (struct word){6, 0, 0}));
    CHECK_STR(t, verdict(t, pred, 0, (struct word){3, 0, 0}), early);
}

// The three rules of the book.
static void test_book(struct test *t)
{
    const struct op add = {.read_count = 1, .reads = {3}, .dst = 4, .dst_words = 1};
    const struct op use = {.read_count = 1, .reads = {4}, .dst = 3, .dst_words = 1};
    const uint16_t three[] = {8 + 3}, four[] = {8 + 4}, other[] = {4};
    struct check k;
    check_init(&k, 2);
    check_grow(&k, 16);
    check_writes(&k, 0, four, &add, 0xff, 20, 20);
    check_read(&k, 8 + 4, 0xff00, 10, 11); // other lanes
    CHECK(t, !k.broken);
    check_read(&k, 8 + 4, 0x80, 19, 20);
    CHECK_STR(t, k.broken, "a register was read before its result was ready");
    k.broken = NULL;
    check_read(&k, 8 + 3, 1, 30, 35);
    check_writes(&k, 0, three, &use, 1, 35, 35);
    CHECK_STR(t, k.broken, "a register was written while an operand collector had to read it");
    k.broken = NULL;
    uint64_t serial = check_writes(&k, 0, four, &add, 1, UINT64_MAX, UINT64_MAX);
    check_reply(&k, 0, four, &add, serial, 50);
    check_recycle(&k, 0, 8, 8, 50);
    CHECK(t, !k.broken);
    check_writes(&k, 1, other, &add, 1, UINT64_MAX, UINT64_MAX);
    check_recycle(&k, 1, 0, 8, 1000);
    CHECK_STR(t, k.broken, "a register in use was given to a different warp");
    check_fini(&k);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"words", test_words}, {"loop", test_loop}, {"wrong_words", test_wrong_words}, {"book", test_book}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// The core with hand-made kernels: issue intervals of a warp,
// spilling, barriers, the scalar pipeline, limits.
#include "riscv/bench.h"
#include "riscv/map.h"
#include "simtight/core_impl.h"

#include <stdio.h>
#include <string.h>

enum { OUT = MAKER_DATA };

static struct simtight_config settings(struct test *t, const char *text)
{
    struct simtight_config c;
    struct config all;
    struct diag d;
    char copy[256], *rest = copy, *pair;
    snprintf(copy, sizeof copy, "%s", text);
    diag_init(&d);
    config_init(&all);
    config_add(&all, simtight_config_keys, simtight_config_key_count, &c);
    while ((pair = strsep(&rest, " ")) && *pair) CHECK(t, config_set_pair(&all, pair, loc_none(), &d));
    CHECK(t, !simtight_config_check(&c));
    config_fini(&all);
    diag_fini(&d);
    return c;
}

struct outcome {
    struct simtight_counts counts;
    enum launch_fault_kind kind;
    uint64_t mismatches;
    char text[512]; // of the fault
};

static struct outcome run_bench(struct bench *b, const char *text, uint64_t max_cycles)
{
    struct simtight_config c = settings(b->t, text);
    struct simtight *s = simtight_create(&c);
    struct outcome o = {0};
    struct exec_counts counts = {0};
    struct launch_fault fault = {0};
    const char *first;
    simtight_launch(s, &b->launch, max_cycles, true, &counts, &o.counts, &fault);
    o.kind = fault.kind;
    o.mismatches = simtight_mismatches(s, &first);
    snprintf(o.text, sizeof o.text, "%s", fault.text ? fault.text : "");
    launch_fault_fini(&fault);
    simtight_destroy(s);
    return o;
}

static struct outcome run(struct test *t, const struct maker *m, const char *text)
{
    struct bench b;
    struct outcome o = {0};
    if (!bench_init(&b, t, m)) return o;
    o = run_bench(&b, text, 0);
    CHECK_MSG(t, o.kind == FAULT_NONE, "%s", o.text);
    CHECK_EQ(t, o.mismatches, 0);
    bench_fini(&b);
    return o;
}

// -- intervals ----------------------------------------------------------------------------------------------
// Cycles of `count` instructions in a row, `rounds` times over, by warp 0 alone or by every warp.
static uint64_t cycles_of(struct test *t, const char *text, uint32_t what, bool is_alone, unsigned count,
                          int rounds)
{
    struct maker m = {0};
    bench_begin(&m);
    maker_put(&m, srli(A2, A0, 5));
    uint32_t skip = maker_here(&m);
    maker_put(&m, is_alone ? bne(A2, X0, 0) : bne(X0, X0, 0));
    maker_put(&m, addi(T0, X0, 0));
    maker_put(&m, addi(T1, X0, rounds));
    uint32_t top = maker_here(&m);
    for (unsigned k = 0; k < count; k++) maker_put(&m, what);
    maker_put(&m, addi(T1, T1, -1));
    maker_put(&m, bne(T1, X0, (int32_t)(top - maker_here(&m))));
    maker_land(&m, skip);
    bench_end(&m);
    uint64_t cycles = run(t, &m, text).counts.cycles;
    maker_fini(&m);
    return cycles;
}

// Cycles of one further instruction, in hundredths.
static unsigned interval(struct test *t, const char *text, uint32_t what, bool is_alone)
{
    return (unsigned)(cycles_of(t, text, what, is_alone, 200, 1) -
                      cycles_of(t, text, what, is_alone, 100, 1));
}

#define COMPRESSED "simt.registers=affine"
#define SPILLING   COMPRESSED " simt.vectors=2047"

static void test_intervals(struct test *t)
{
    static const struct {
        const char *settings, *what;
        unsigned quiet, writing,
            multiplying; // an instruction without a result, with a result, a multiplication
    } table[] = {
        {"", "plain", 9, 10, 14},
        {COMPRESSED, "compressed", 11, 14, 18},
        {SPILLING, "that may spill", 12, 15, 19},
        {"simt.execute=9", "two stages more", 11, 12, 16},
        {"simt.mul=8", "a slower multiplier", 9, 10, 18},
    };
    for (size_t k = 0; k < TEST_COUNT(table); k++) {
        unsigned quiet = interval(t, table[k].settings, addi(X0, T0, 1), true),
                 writing = interval(t, table[k].settings, addi(T0, T0, 1), true),
                 multiplying = interval(t, table[k].settings, mul(T0, T0, T0), true);
        CHECK_MSG(t, quiet == 100 * table[k].quiet, "%s: %u/100 cycles", table[k].what, quiet);
        CHECK_MSG(t, writing == 100 * table[k].writing, "%s, writing: %u/100 cycles", table[k].what, writing);
        CHECK_MSG(t, multiplying == 100 * table[k].multiplying, "%s, multiplying: %u/100 cycles",
                  table[k].what, multiplying);
    }
}

// 64 warps hide the interval: one instruction a cycle.
static void test_all_warps(struct test *t)
{
    CHECK_EQ(t, interval(t, "", addi(T0, T0, 1), false), 100 * 64);
    CHECK_EQ(t, interval(t, SPILLING, addi(T0, T0, 1), false), 100 * 64);
    // The sequential divider takes a warp every 35 cycles: 34, and one until its result is taken.
    unsigned divided = interval(t, "", rv_r(0x33, 5, 1, T0, T0, T0), false);
    CHECK_MSG(t, divided > 100 * 64 * 34 && divided < 100 * 64 * 44, "%u/100 cycles", divided);
    CHECK(t, interval(t, "simt.divider=full", rv_r(0x33, 5, 1, T0, T0, T0), false) == 100 * 64);
}

// In the second round the instructions are known to be scalarisable.
static void test_scalar_interval(struct test *t)
{
    const char *ads = COMPRESSED " simt.scalar_unit=1";
    uint64_t few = cycles_of(t, ads, addi(T0, T0, 1), true, 100, 3) -
                   cycles_of(t, ads, addi(T0, T0, 1), true, 100, 2),
             many = cycles_of(t, ads, addi(T0, T0, 1), true, 200, 3) -
                    cycles_of(t, ads, addi(T0, T0, 1), true, 200, 2);
    CHECK_EQ(t, many - few, 100 * 7);
}

// -- the scalar pipeline ------------------------------------------------------------------------------------
// A1 is 4 times the thread: with 4 added its base is no multiple of 128, so the pipeline aborts every time.
static void make_affine(struct maker *m, int32_t step)
{
    bench_begin(m);
    maker_put(m, addi(T1, X0, 8));
    maker_put(m, addi(T2, A1, step));
    maker_put(m, addi(T3, X0, 3));
    maker_put(m, addi(T1, T1, -1));
    maker_put(m, bne(T1, X0, -12));
    maker_li(m, A2, OUT);
    maker_put(m, add(A2, A2, A1));
    maker_put(m, sw(T2, A2, 0));
    bench_end(m);
    m->data_bytes = 4 * BENCH_THREADS;
}

static void test_affine(struct test *t)
{
    for (int32_t step = 4; step <= 128; step += 124) {
        struct maker m = {0};
        struct bench b;
        make_affine(&m, step);
        if (!bench_init(&b, t, &m)) return;
        struct outcome o = run_bench(&b, COMPRESSED " simt.scalar_unit=1", 0);
        CHECK_EQ(t, o.mismatches, 0);
        CHECK(t, o.counts.scalarised > 0);
        CHECK(t, step == 4 ? o.counts.affine_aborts > 64 : o.counts.affine_aborts == 0);
        for (uint32_t n = 0; n < BENCH_THREADS; n++)
            CHECK_EQ(t, bench_word(&b, OUT)[n], 4 * n + (uint32_t)step);
        bench_fini(&b);
        maker_fini(&m);
    }
}

// -- spilling -----------------------------------------------------------------------------------------------
// Twelve vectors a warp, three times the room, used in turn.
enum { KEPT = 12, FIRST = S2 };

static void make_vectors(struct maker *m, bool has_barrier)
{
    bench_begin(m);
    maker_put(m, mul(T2, A0, A0));
    for (unsigned k = 0; k < KEPT; k++) maker_put(m, addi(FIRST + k, T2, (int32_t)(5 * k)));
    maker_put(m, addi(T1, X0, 4));
    uint32_t top = maker_here(m);
    if (has_barrier) maker_put(m, csrwi(0x830, 0));
    for (unsigned k = 0; k < KEPT; k++) maker_put(m, add(FIRST + k, FIRST + k, FIRST + (k + 5) % KEPT));
    maker_put(m, addi(T1, T1, -1));
    maker_put(m, bne(T1, X0, (int32_t)(top - maker_here(m))));
    maker_li(m, A2, OUT);
    maker_put(m, add(A2, A2, A1));
    for (unsigned k = 0; k < KEPT; k++) {
        maker_put(m, sw(FIRST + k, A2, 0));
        maker_li(m, A3, 4 * BENCH_THREADS);
        maker_put(m, add(A2, A2, A3));
    }
    bench_end(m);
    m->data_bytes = 4 * BENCH_THREADS * KEPT;
}

static uint32_t expected(uint32_t thread, unsigned which)
{
    uint32_t x[KEPT];
    for (uint32_t k = 0; k < KEPT; k++) x[k] = thread * thread + 5 * k;
    for (unsigned round = 0; round < 4; round++)
        for (unsigned k = 0; k < KEPT; k++) x[k] += x[(k + 5) % KEPT];
    return x[which];
}

static void check_vectors(struct test *t, struct bench *b)
{
    for (uint32_t n = 0; n < BENCH_THREADS; n++)
        for (unsigned k = 0; k < KEPT; k++)
            if (bench_word(b, OUT)[k * BENCH_THREADS + n] != expected(n, k)) {
                test_fail(t, __FILE__, __LINE__, "thread %u: value %u is wrong", n, k);
                return;
            }
}

static void test_spills(struct test *t)
{
    static const char *const policies[] = {"lru", "rr", "first"};
    static const unsigned vectors[] = {256, 300, 512};
    for (size_t n = 0; n < TEST_COUNT(policies) * TEST_COUNT(vectors) * 4; n++) {
        char text[128];
        struct maker m = {0};
        struct bench b;
        snprintf(text, sizeof text, COMPRESSED " simt.vectors=%u simt.spill=%s simt.scalar_unit=%u",
                 vectors[n / 3 % 3], policies[n % 3], n / 9 % 2 != 0);
        make_vectors(&m, n >= 18);
        if (!bench_init(&b, t, &m)) return;
        b.flat.barrier_warps = 8;
        struct outcome o = run_bench(&b, text, 10000000);
        CHECK_MSG(t, o.kind == FAULT_NONE, "%s: %s", text, o.text);
        CHECK_EQ(t, o.mismatches, 0);
        CHECK(t, o.counts.spills && o.counts.unspills && o.counts.vector_max <= vectors[n / 3 % 3]);
        CHECK_EQ(t, o.counts.load_beats, 2 * o.counts.unspills + 64); // and a fence's beat a warp
        CHECK_EQ(t, o.counts.store_beats, 2 * o.counts.spills + 2 * 64 * KEPT);
        check_vectors(t, &b);
        bench_fini(&b);
        maker_fini(&m);
    }
}

static void test_no_spills(struct test *t)
{
    struct maker m = {0};
    make_vectors(&m, false);
    struct simtight_counts c = run(t, &m, COMPRESSED " simt.vectors=1024").counts;
    CHECK_EQ(t, c.spills + c.unspills, 0);
    CHECK(t, c.vector_max >= 64 * KEPT && c.vector_max <= 64 * (KEPT + 2));
    maker_fini(&m);
}

// -- comparing ----------------------------------------------------------------------------------------------
// One word of a vector, or the base of a scalar, is changed behind the core's back.
static void test_corruption(struct test *t)
{
    static const uint8_t regs[] = {FIRST, A1};
    for (size_t k = 0; k < TEST_COUNT(regs); k++) {
        struct simtight_config c = settings(t, COMPRESSED);
        struct simtight *s = simtight_create(&c);
        struct exec_counts counts = {0};
        struct maker m = {0};
        struct bench b;
        const char *first;
        make_vectors(&m, false);
        if (!bench_init(&b, t, &m)) return;
        simtight_place(s, &b.launch, &counts, true);
        simtight_run(s, 64 * 20);
        CHECK_EQ(t, simtight_mismatches(s, &first), 0);
        struct scalar_entry *e = scalar_at(&s->file, 3, regs[k]);
        if (e->kind == SCALAR_VECTOR)
            s->file.words[e->word * SIMTIGHT_LANES_MAX + 7] ^= 1;
        else
            e->word += 128;
        simtight_run(s, UINT64_MAX);
        CHECK(t, simtight_mismatches(s, &first) > 0);
        CHECK_HAS(t, first, regs[k] == A1 ? "x11 of thread 96 " : "x18 of thread 103 ");
        simtight_remove(s);
        simtight_destroy(s);
        bench_fini(&b);
        maker_fini(&m);
    }
}

// -- ends ---------------------------------------------------------------------------------------------------
// Warp 1 ends, and warp 0 waits for it.
static void test_deadlock(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    bench_begin(&m);
    maker_put(&m, srli(A2, A0, 5));
    maker_put(&m, andi(A2, A2, 1));
    uint32_t skip = maker_here(&m);
    maker_put(&m, bne(A2, X0, 0));
    maker_put(&m, csrwi(0x830, 0));
    maker_land(&m, skip);
    bench_end(&m);
    if (!bench_init(&b, t, &m)) return;
    b.flat.barrier_warps = 2;
    struct outcome o = run_bench(&b, "", 0);
    CHECK_EQ(t, o.kind, FAULT_DEADLOCK);
    bench_fini(&b);
    maker_fini(&m);
}

static void test_limits(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    bench_begin(&m);
    maker_put(&m, jal(X0, 0)); // for ever
    if (!bench_init(&b, t, &m)) return;
    struct outcome o = run_bench(&b, "", 5000);
    CHECK_EQ(t, o.kind, FAULT_LIMIT);
    CHECK_HAS(t, o.text, "the limit of 5000 cycles");
    CHECK_EQ(t, o.counts.cycles, 5000);
    b.launch.max_warp_instructions = 1000;
    o = run_bench(&b, "", 0);
    CHECK_HAS(t, o.text, "the limit of 1000 warp instructions");
    bench_fini(&b);
    maker_fini(&m);
    // A limit equal to the launch's instructions suffices, and a limit one lower does not,
    // though the launch ends before the next check.
    bench_begin(&m);
    bench_end(&m);
    if (!bench_init(&b, t, &m)) return;
    b.launch.max_warp_instructions = 0;
    uint64_t all = run_bench(&b, "", 0).counts.warp_instructions;
    b.launch.max_warp_instructions = all;
    CHECK_EQ(t, run_bench(&b, "", 0).kind, FAULT_NONE);
    b.launch.max_warp_instructions = all - 1;
    CHECK_EQ(t, run_bench(&b, "", 0).kind, FAULT_LIMIT);
    bench_fini(&b);
    maker_fini(&m);
}

// Every thread reads a word until it is not 0, or has counted `rounds` rounds (0: no limit).
static void make_waiting(struct maker *m, int32_t rounds)
{
    bench_begin(m);
    maker_li(m, A2, OUT);
    maker_li(m, A3, (uint32_t)rounds);
    maker_put(m, addi(T1, X0, 0));
    uint32_t top = maker_here(m);
    maker_put(m, addi(T1, T1, 1));
    maker_put(m, lw(T2, A2, 0));
    uint32_t out = maker_here(m);
    maker_put(m, rounds ? beq(T1, A3, 0) : addi(X0, X0, 0));
    maker_put(m, beq(T2, X0, (int32_t)(top - maker_here(m))));
    if (rounds) maker_land(m, out);
    bench_end(m);
    m->data_bytes = 64;
}

// An endless wait is detected; a counting loop reaches its end, unless it outlasts the patience.
static void test_waiting(struct test *t)
{
    static const struct {
        const char *settings;
        int32_t rounds;
        enum launch_fault_kind kind;
        const char *text;
    } rows[] = {
        {"", 0, FAULT_STALL, " will never end: since warp instruction "},
        {COMPRESSED " simt.scalar_unit=1", 0, FAULT_STALL, " will never end: since warp instruction "},
        {"", 3000, FAULT_NONE, ""},
        {"", 0x7fffffff, FAULT_STALL, "(exec.patience=3000000; 0 waits for ever)"},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct maker m = {0};
        struct bench b;
        make_waiting(&m, rows[k].rounds);
        if (!bench_init(&b, t, &m)) return;
        b.launch.max_warp_instructions = 0;
        b.launch.look = 1 << 16;
        b.launch.patience = 3000000;
        struct outcome o = run_bench(&b, rows[k].settings, 20000000);
        CHECK_MSG(t, o.kind == rows[k].kind && !o.mismatches, "%zu: %s", k, o.text);
        CHECK_HAS(t, o.text, rows[k].text);
        if (o.kind == FAULT_STALL) CHECK_HAS(t, o.text, "; goes round pc 0x");
        if (o.kind == FAULT_STALL) CHECK_HAS(t, o.text, "; reads global 0x");
        bench_fini(&b);
        maker_fini(&m);
    }
}

static void test_fault(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    bench_begin(&m);
    maker_put(&m, lw(T0, X0, 0));
    bench_end(&m);
    if (!bench_init(&b, t, &m)) return;
    struct outcome o = run_bench(&b, "", 0);
    CHECK_EQ(t, o.kind, FAULT_BOUNDS);
    CHECK_HAS(t, o.text, "null pointer");
    bench_fini(&b);
    maker_fini(&m);
}

// Two launches of a core have separate counts; the contents of the stack cache stay.
static void test_launches(struct test *t)
{
    struct simtight_config c = settings(t, COMPRESSED " simt.stack_cache=2048");
    struct simtight *s = simtight_create(&c);
    struct simtight_counts first, second;
    struct exec_counts counts = {0};
    struct launch_fault fault = {0};
    struct maker m = {0};
    struct bench b;
    bench_begin(&m);
    maker_li(&m, SP, 0xfffffff0);
    maker_put(&m, lw(T0, SP, 0)); // from the previous launch
    maker_put(&m, addi(T1, X0, 7));
    maker_put(&m, sw(T1, SP, 0));
    bench_end(&m);
    if (!bench_init(&b, t, &m)) return;
    CHECK(t, simtight_launch(s, &b.launch, 0, true, &counts, &first, &fault));
    CHECK(t, simtight_launch(s, &b.launch, 0, true, &counts, &second, &fault));
    CHECK_EQ(t, first.stack_load_misses, 64);
    CHECK_EQ(t, first.stack_stores, 64);
    CHECK_EQ(t, second.stack_load_hits, 64);
    CHECK_EQ(t, second.stack_load_misses, 0);
    CHECK_EQ(t, first.load_beats, 3 * 64); // and a fence's
    CHECK_EQ(t, second.load_beats, 64);
    CHECK_EQ(t, first.store_beats + second.store_beats, 0);
    CHECK_EQ(t, first.warp_instructions, second.warp_instructions);
    simtight_destroy(s);
    bench_fini(&b);
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"intervals", test_intervals},
        {"all_warps", test_all_warps},
        {"scalar_interval", test_scalar_interval},
        {"affine", test_affine},
        {"spills", test_spills},
        {"no_spills", test_no_spills},
        {"corruption", test_corruption},
        {"deadlock", test_deadlock},
        {"waiting", test_waiting},
        {"limits", test_limits},
        {"fault", test_fault},
        {"launches", test_launches},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Cycle counts derived by hand. Every case runs a program with n and with 2n repetitions of a piece of code;
// the difference is n repetitions without the kernel's beginning and end. The derivations:
//
//     issue c │ c+1 operands read │ c+2 pipeline │ c+2+latency result, the next dependent instruction issues
//     issue c │ c+1 operands read │ c+2 load/store unit serves it │ + latency
#include "chip/bench.h"
#include "exec/memory.h"
#include "memory/address.h"

#include <string.h>

// Instructions are fetched ahead of need, clock domains are equal, banks have no conflicts.
#define SMOOTH                                                                                               \
    "icache.perfect=1 fetch.per_scheduler=1 fetch.refill=space fetch.ibuffer=16 fetch.width=4 "              \
    "operands.conflicts=0 "                                                                                  \
    "icnt.mhz=1417 l2.mhz=1417 dram.mhz=1417 "

struct piece {
    const char *settings, *before, *code, *after;
    uint32_t threads;
    bool with_buffer; // parameter 0: a buffer
};

static uint64_t cycles_of(struct test *t, const struct piece *p, unsigned times, struct gpu_counts *counts)
{
    struct strbuf text = {0};
    struct gpu_bench b;
    strbuf_puts(&text, p->before);
    for (unsigned k = 0; k < times; k++) strbuf_puts(&text, p->code);
    strbuf_puts(&text, p->after ? p->after : "");
    strbuf_puts(&text, "EXIT\n");
    uint64_t cycles = 0;
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", p->settings, strbuf_text(&text), p->threads)) {
        if (p->with_buffer) machine_buffer(&b.m, 1 << 20);
        cycles = gpu_cycles(&b);
        if (counts) *counts = b.result.gpu;
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

static void costs(struct test *t, const struct piece *p, unsigned times, uint64_t want)
{
    uint64_t once = cycles_of(t, p, times, NULL), twice = cycles_of(t, p, 2 * times, NULL);
    CHECK_MSG(t, twice - once == want, "%u times %s cost %llu cycles, not %llu", times, p->code,
              (unsigned long long)(twice - once), (unsigned long long)want);
}

// 1 to read, 1 to enter the pipeline, 4 of latency.
static void test_dependent_chain(struct test *t)
{
    struct piece p = {SMOOTH, "", "IADD3 R0, R0, 0x1, RZ\n", NULL, 32, false};
    costs(t, &p, 64, 64 * 6);
    p.code = "MUFU.RCP R0, R0\n";
    costs(t, &p, 16, 16 * (2 + 20));
    p.settings = SMOOTH "latency.int_add=9";
    p.code = "IADD3 R0, R0, 0x1, RZ\n";
    costs(t, &p, 64, 64 * 11);
}

// Every class of instructions with its own latency and interval. Dependent instructions take the latency
// plus 2, independent instructions on a single pipeline the interval. S2R waits for its own destination.
static void test_classes(struct test *t)
{
    static const struct {
        const char *name, *dependent, *independent; // independent: format with the register's number
    } classes[] = {
        {"int_add", "IADD3 R0, R0, R40, RZ\n", "IADD3 R%u, R40, R41, RZ\n"},
        {"int_mad", "IMAD R0, R0, R40, RZ\n", "IMAD R%u, R40, R41, RZ\n"},
        {"int_max", "IMNMX R0, R0, R40, PT\n", "IMNMX R%u, R40, R41, PT\n"},
        {"fp_add", "FADD R0, R0, R40\n", "FADD R%u, R40, R41\n"},
        {"fp_mul", "FMUL R0, R0, R40\n", "FMUL R%u, R40, R41\n"},
        {"fp_mad", "FFMA R0, R0, R40, R41\n", "FFMA R%u, R40, R41, R42\n"},
        {"dp", "DADD R0, R0, R40\n", "DADD R%u, R40, R42\n"},
        {"sfu", "MUFU.RCP R0, R0\n", "MUFU.RCP R%u, R40\n"},
        {"convert", "I2F.F32.U32 R0, R0\n", "I2F.F32.U32 R%u, R40\n"},
        {"sreg", "S2R R0, SR_TID.X\n", "S2R R%u, SR_TID.X\n"},
        {"shuffle", "SHFL.BFLY R0, PT, R0, 0x1, 0x1f, 0xffffffff\n",
         "SHFL.BFLY R%u, PT, R40, 0x1, 0x1f, 0xffffffff\n"},
        {"vote", "VOTE.ANY R0, P1, P1, 0xffffffff\n", "VOTE.ANY R%u, PT, P1, 0xffffffff\n"},
    };
    for (size_t k = 0; k < TEST_COUNT(classes); k++) {
        char settings[400];
        struct piece p = {settings, "", classes[k].dependent, NULL, 32, false};
        snprintf(settings, sizeof settings, SMOOTH "latency.%s=37", classes[k].name);
        costs(t, &p, 8, 8 * (2 + 37));
        struct strbuf code = {0};
        for (unsigned n = 0; n < 8; n++) strbuf_printf(&code, classes[k].independent, 2 * n);
        p.code = strbuf_text(&code);
        snprintf(settings, sizeof settings,
                 SMOOTH "operands.collectors=64 units.float=1 units.special=1 units.double=1 interval.%s=11",
                 classes[k].name);
        costs(t, &p, 4, 4 * 8 * 11);
        strbuf_fini(&code);
    }
}

// A branch to the next instruction drops nothing. A farther target is fetched in the branch's issue cycle,
// and may issue 2 cycles later; or when the branch is done, counting its issue cycle. Branches of a
// scheduler are an interval apart.
static void test_branches(struct test *t)
{
    static const char next[] = "BRA next%u\nnext%u:\n", over[] = "BRA next%u\nNOP\nnext%u:\n";
    static const struct {
        const char *settings, *jump;
        unsigned threads, each;
    } cases[] = {{SMOOTH, next, 32, 1},
                 {SMOOTH, over, 32, 2},
                 {SMOOTH "latency.branch=30", next, 32, 29},
                 {SMOOTH "latency.branch=30", over, 32, 29},
                 {SMOOTH "interval.branch=10", next, 32, 10},
                 {SMOOTH "interval.branch=10", next, 256, 20}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        uint64_t cycles[3] = {0};
        for (unsigned n = 1; n <= 2; n++) {
            struct strbuf code = {0};
            for (unsigned i = 0; i < 16 * n; i++) strbuf_printf(&code, cases[k].jump, i, i);
            struct piece p = {cases[k].settings, "", strbuf_text(&code), NULL, cases[k].threads, false};
            cycles[n] = cycles_of(t, &p, 1, NULL);
            strbuf_fini(&code);
        }
        CHECK_EQ(t, cycles[2] - cycles[1], 16 * cases[k].each);
    }
}

// An instruction per cycle and scheduler: 8 collectors are held for two cycles
// each, 4 pipelines take one instruction each.
static void test_full_rate(struct test *t)
{
    struct piece p = {SMOOTH "issue.width=1",
                      "",
                      "FFMA R0, R8, R9, R10\nFFMA R1, R8, R9, R10\nFFMA R2, R8, R9, R10\n"
                      "FFMA R3, R8, R9, R10\nFFMA R4, R8, R9, R10\nFFMA R5, R8, R9, R10\n",
                      NULL,
                      128,
                      false};
    costs(t, &p, 32, 32 * 6);
    p.threads = 32; // a single scheduler is limited likewise
    costs(t, &p, 32, 32 * 6);
}

// Results of four schedulers through a single write port: one result a cycle.
static void test_write_port(struct test *t)
{
    struct piece p = {SMOOTH "issue.width=1 operands.write_ports=1",
                      "",
                      "FFMA R0, R8, R9, R10\nFFMA R1, R8, R9, R10\nFFMA R2, R8, R9, R10\n"
                      "FFMA R3, R8, R9, R10\nFFMA R4, R8, R9, R10\nFFMA R5, R8, R9, R10\n",
                      NULL,
                      128,
                      false};
    costs(t, &p, 32, 32 * 6 * 4);
}

// With two pipelines an integer and a float instruction of a warp issue in the same
// cycle; with a shared pipeline one waits.
static void test_dual_issue(struct test *t)
{
    // Sixteen registers, so that no register is rewritten before its last result has arrived.
    struct strbuf code = {0};
    for (unsigned k = 0; k < 16; k += 2)
        strbuf_printf(&code, "FFMA R%u, R20, R21, R22\nIADD3 R%u, R20, R21, RZ\n", k, k + 1);
    struct piece p = {SMOOTH "units.shared=0", "", strbuf_text(&code), NULL, 32, false};
    costs(t, &p, 32, 32 * 8);
    p.settings = SMOOTH "units.shared=1";
    costs(t, &p, 32, 32 * 16);
    strbuf_fini(&code);
}

// An initiation interval of 4 on 4 pipelines gives one instruction a cycle per
// SM; on one pipeline, one in four cycles.
static void test_intervals(struct test *t)
{
    struct piece p = {SMOOTH "units.special=1",
                      "",
                      "MUFU.RCP R0, R8\nMUFU.RCP R1, R8\nMUFU.RCP R2, R8\nMUFU.RCP R3, R8\n"
                      "MUFU.RCP R4, R8\nMUFU.RCP R5, R8\n",
                      NULL,
                      32,
                      false};
    costs(t, &p, 16, 16 * 6 * 4);
}

// Lane l of the first n accesses word 32 l, in bank 0; the other lanes access separate banks. The load takes
// n passes; a dependent instruction issues 2 + (n - 1) + 24 cycles later, and the addition takes 6.
static void test_shared_conflicts(struct test *t)
{
    for (unsigned n = 1; n <= 32; n++) {
        char before[256];
        snprintf(before, sizeof before,
                 ".shared 8192\nS2R R0, SR_TID.X\nSHL R1, R0, 0x7\nSHL R0, R0, 0x2\n"
                 "ISETP.LT.U32.AND P0, PT, R1, 0x%x, PT\nSEL R0, R1, R0, P0\n",
                 n * 128);
        struct piece p = {SMOOTH, before, "LDS R1, [R0]\nIADD3 R0, R0, R1, RZ\n", NULL, 32, false};
        costs(t, &p, 8, 8 * (2 + n - 1 + 24 + 6));
    }
}

static void test_broadcast(struct test *t)
{
    struct piece p = {
        SMOOTH, ".shared 8192\nMOV R0, 0x40\n", "LDS R1, [R0]\nIADD3 R0, R0, R1, RZ\n", NULL, 32, false};
    costs(t, &p, 8, 8 * (2 + 24 + 6));
    // 64-bit accesses go by half warps, 128-bit accesses by quarter warps.
    p.code = "LDS.64 R2, [R0]\nIADD3 R0, R0, R2, RZ\n";
    costs(t, &p, 8, 8 * (2 + 1 + 24 + 6));
    p.code = "LDS.128 R4, [R0]\nIADD3 R0, R0, R4, RZ\n";
    costs(t, &p, 8, 8 * (2 + 3 + 24 + 6));
    // Atomics on one word go lane by lane.
    p.code = "ATOMS.ADD.U32 R1, [R0], RZ\nIADD3 R0, R0, R1, RZ\n";
    costs(t, &p, 8, 8 * (2 + 31 + 24 + 6));
}

// A thread follows pointers: the result of a load, a 64-bit address, is the address of the next load.
static uint64_t chase(struct test *t, const char *settings, const uint64_t *offsets, unsigned count,
                      unsigned loads)
{
    struct gpu_bench b;
    struct strbuf text = {0};
    strbuf_printf(&text, "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nIADD3 R2, R2, 0x%x, RZ\n",
                  (unsigned)offsets[0]);
    for (unsigned k = 0; k < loads; k++) strbuf_puts(&text, "LDG.E.64 R2, [R2]\n");
    strbuf_puts(&text, "EXIT\n");
    uint64_t cycles = 0;
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", settings, strbuf_text(&text), 1)) {
        uint64_t base = machine_buffer(&b.m, 64 << 20);
        for (unsigned k = 0; k < count; k++) {
            uint64_t next = base + offsets[(k + 1) % count];
            memcpy(memory_host(b.m.memory, base + offsets[k], 8), &next, 8);
        }
        cycles = gpu_cycles(&b);
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

static const uint64_t in_one_line[] = {0, 8};

// L1: 2 to the load/store unit, 82.
static void test_chase_l1(struct test *t)
{
    const char *s = SMOOTH "l1.global=1";
    CHECK_EQ(t, chase(t, s, in_one_line, 2, 24) - chase(t, s, in_one_line, 2, 8), 16 * 84);
}

// L2: 2 to the load/store unit, and the memory's round trip: 24 + 120 + 24.
static void test_chase_l2(struct test *t)
{
    CHECK_EQ(t, chase(t, SMOOTH, in_one_line, 2, 24) - chase(t, SMOOTH, in_one_line, 2, 8), 16 * (2 + 168));
}

// Offsets of `count` lines in one bank of one channel, in a single row or in distinct
// rows. The buffer begins at the end of a row.
static void lines_of_a_bank(struct test *t, uint64_t *offsets, unsigned count, bool one_row)
{
    struct chip_config c;
    gpu_settings(t, &c, "gtx1080ti-paper", SMOOTH);
    struct memory_place first = memory_place_of(&c.memory, 0x10000000);
    uint32_t row = first.row;
    unsigned n = 0;
    for (uint64_t o = 128; n < count && o < 63 << 20; o += 128) {
        struct memory_place p = memory_place_of(&c.memory, 0x10000000 + o);
        if (p.channel != first.channel || p.bank != first.bank || p.row == first.row) continue;
        if (n && one_row != (p.row == row)) continue;
        offsets[n++] = o;
        row = p.row;
    }
    CHECK_EQ(t, n, count);
}

// 24 + 120 + 50, column to data 16, burst 2, 50 + 24; and 16 to activate
// the row, 16 more to close the previous row.
static void test_chase_dram(struct test *t)
{
    uint64_t hits[16], misses[16];
    lines_of_a_bank(t, hits, 16, true);
    lines_of_a_bank(t, misses, 16, false);
    const uint64_t hit = 2 + 24 + 120 + 50 + 16 + 2 + 50 + 24;
    CHECK_EQ(t, chase(t, SMOOTH, hits, 16, 14) - chase(t, SMOOTH, hits, 16, 4), 10 * hit);
    CHECK_EQ(t, chase(t, SMOOTH, misses, 16, 14) - chase(t, SMOOTH, misses, 16, 4), 10 * (hit + 32));
}

// A whole line per warp, up to a line per lane.
static void test_coalescing(struct test *t)
{
    static const struct {
        const char *shift;
        unsigned lines, sectors;
    } cases[] = {{"0x2", 1, 4}, {"0x3", 2, 8}, {"0x5", 8, 32}, {"0x7", 32, 32}, {"0xa", 32, 32}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        char before[256];
        snprintf(before, sizeof before,
                 "S2R R0, SR_TID.X\nSHL R0, R0, %s\nMOV R3, c[0x0][0x164]\nIADD3 R2, R0, c[0x0][0x160], RZ\n",
                 cases[k].shift);
        struct piece p = {SMOOTH, before, "LDG.E R4, [R2]\n", NULL, 32, true};
        struct gpu_counts n;
        cycles_of(t, &p, 1, &n);
        CHECK_EQ(t, n.lsu_transactions, cases[k].lines);
        CHECK_EQ(t, n.lsu_sectors, cases[k].sectors);
    }
}

// One warp alone: complete at once, 5 cycles until it goes on. With four warps per scheduler the last warp
// arrives 3 cycles after the first; then every warp goes on.
static void test_barrier(struct test *t)
{
    struct piece p = {SMOOTH, "", "BAR.SYNC 0x0\n", NULL, 32, false};
    costs(t, &p, 16, 16 * 5);
    p.threads = 128;
    costs(t, &p, 16, 16 * 5);
    p.threads = 512;
    costs(t, &p, 16, 16 * (3 + 5));
    p.settings = SMOOTH "barrier.latency=40";
    costs(t, &p, 16, 16 * (3 + 40));
}

// Sixteen warps of independent instructions: the single front end fetches two
// a cycle, the schedulers could issue four.
static void test_fetch_bound(struct test *t)
{
    struct piece p = {"icache.perfect=1 operands.conflicts=0",
                      "",
                      "IADD3 R0, R8, 0x1, RZ\nIADD3 R1, R8, 0x1, RZ\n",
                      NULL,
                      512,
                      false};
    costs(t, &p, 64, 64 * 2 * 16 / 2);
    p.settings = SMOOTH "issue.scheduler=lrr"; // greedy, three warps of a scheduler would starve its fourth
    costs(t, &p, 64, 64 * 2 * 16 / 4);
}

// A loop larger than the cache misses in every line in every round; a loop that fits misses once.
static void test_icache(struct test *t)
{
    struct strbuf body = {0};
    for (unsigned k = 0; k < 1024; k++) strbuf_puts(&body, "IADD3 R0, R8, 0x1, RZ\n");
    struct piece p = {"",
                      "MOV R9, 0x4\nloop:\n",
                      strbuf_text(&body),
                      "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\n",
                      32,
                      false};
    struct gpu_counts large, fits;
    cycles_of(t, &p, 1, &large);
    CHECK_EQ(t, large.fetch_icache_misses, 4 * 65); // 1,028 instructions in lines of 16
    p.settings = "icache.sets=64";
    cycles_of(t, &p, 1, &fits);
    CHECK_EQ(t, fits.fetch_icache_misses, 65);
    strbuf_fini(&body);
}

// A loop over four lines of code, 16 instructions a line, entered at its second line; `count` rounds.
static uint64_t rounds(struct test *t, unsigned ways, unsigned count, uint64_t *misses)
{
    struct strbuf text = {0}, settings = {0};
    struct gpu_bench b;
    uint64_t cycles = 0;
    strbuf_printf(&settings, "icnt.mhz=1417 l2.mhz=1417 icache.sets=1 icache.ways=%u", ways);
    strbuf_printf(&text, "MOV R9, 0x%x\n", count);
    for (unsigned k = 0; k < 15; k++) strbuf_puts(&text, "IADD3 R0, R8, 0x1, RZ\n");
    strbuf_puts(&text, "loop:\n");
    for (unsigned k = 0; k < 61; k++) strbuf_printf(&text, "IADD3 R%u, R40, 0x1, RZ\n", 10 + k % 16);
    strbuf_puts(&text, "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n");
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", strbuf_text(&settings), strbuf_text(&text), 32)) {
        cycles = gpu_cycles(&b);
        *misses = b.result.gpu.fetch_icache_misses;
    }
    gpu_bench_fini(&b);
    strbuf_fini(&settings);
    strbuf_fini(&text);
    return cycles;
}

// Two instructions are fetched in cycle c and issue in c + 2 and c + 3. The next two are fetched in c + 3:
// 32 times 3 cycles a round. At the end of a round R9 issues in cycle d, the test in d + 6 and the branch in
// d + 12, instead of d + 3: 9 more. A missing line comes from the L2 in four flits: 24 + 120 + 24 + 3 more.
// A single line of cache and a prefetch of the next line. Each fetch that finds line 0 starts a prefetch of line
// 1, which takes the way of line 0; the next fetch misses, and its own line then serves it once. So of the eight
// fetches of two instructions in line 0, every second finds the line and starts a prefetch.
static void test_prefetched_over(struct test *t)
{
    struct gpu_counts counts;
    struct piece p = {"icache.sets=1 icache.ways=1 icache.prefetch=1 fetch.width=2 fetch.ibuffer=2",
                      "",
                      "IADD3 R0, R0, 0x1, RZ\n",
                      NULL,
                      32,
                      false};
    cycles_of(t, &p, 31, &counts); // with EXIT two lines of sixteen
    CHECK_EQ(t, counts.fetch_prefetches, 4);
}

static void test_thrash(struct test *t)
{
    enum { ROUND = 32 * 3 + 9, LINE_FROM_L2 = 24 + 120 + 24 + 3 };
    for (unsigned ways = 1; ways <= 4; ways++) {
        uint64_t few, many, once = rounds(t, ways, 8, &few), twice = rounds(t, ways, 16, &many);
        CHECK_EQ(t, many - few, ways < 4 ? 8 * 4 : 0);
        CHECK_EQ(t, twice - once, 8 * (ROUND + (ways < 4 ? 4 * LINE_FROM_L2 : 0)));
    }
}

// -- order of warps -----------------------------------------------------------------------------------------

enum { WARPS = 4, PIECE = 64 };

struct span { // of a warp: its first and second reading of the clock, in cycles
    uint32_t from, to;
};

// A scheduler and four warps: a warp reads the clock, issues PIECE independent instructions, optionally
// behind a load, and reads the clock again.
static void spans_of(struct test *t, const char *policy, bool with_load, struct span spans[WARPS])
{
    struct strbuf text = {0}, settings = {0};
    struct gpu_bench b;
    strbuf_printf(&settings, SMOOTH "issue.width=1 issue.schedulers=1 %s", policy);
    strbuf_puts(&text, "S2R R0, SR_TID.X\nSHR.U32 R0, R0, 0x5\nMOV R4, 0x8\n"
                       "IMAD.WIDE R6, R0, R4, c[0x0][0x160]\n");
    if (with_load) strbuf_puts(&text, "LDG.E R2, [R6]\nIADD3 R2, R2, 0x1, RZ\n");
    strbuf_puts(&text, "S2R R2, SR_CLOCKLO\n");
    for (unsigned k = 0; k < PIECE; k++) strbuf_printf(&text, "IADD3 R%u, R40, R41, RZ\n", 8 + k % 16);
    strbuf_puts(&text, "S2R R3, SR_CLOCKLO\nSTG.E.64 [R6], R2\nEXIT\n");
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", strbuf_text(&settings), strbuf_text(&text), WARPS * 32)) {
        uint64_t out = machine_buffer(&b.m, sizeof(struct span) * WARPS);
        gpu_cycles(&b);
        memcpy(spans, machine_words(&b.m, out), sizeof(struct span) * WARPS);
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    strbuf_fini(&settings);
}

// `together` warps take turns, an instruction a cycle: 64 and the reading of the clock, times `together`.
// The other warps come before or after; with two-level scheduling the older warps come first.
static void test_policies(struct test *t)
{
    static const struct {
        const char *policy;
        unsigned together;
        bool by_age;
        unsigned others; // maximum cycles taken by other warps, when both stall
    } cases[] = {{"issue.scheduler=gto", 1, false, 0},
                 {"issue.scheduler=lrr", 4, false, 0},
                 {"issue.scheduler=two-level issue.active_warps=2", 2, true, 0},
                 {"issue.scheduler=two-level issue.active_warps=1", 1, true, 0},
                 {"issue.scheduler=loose-oldest", 2, true, 8}};
    for (size_t k = 0; k < 2 * TEST_COUNT(cases); k++) {
        struct span s[WARPS] = {{0}};
        spans_of(t, cases[k / 2].policy, k % 2, s);
        for (unsigned w = 0; w < WARPS; w++) {
            unsigned overlap = 0;
            for (unsigned v = 0; v < WARPS; v++) overlap += s[v].from < s[w].to && s[w].from < s[v].to;
            uint64_t alone = cases[k / 2].together * (PIECE + 1), others = cases[k / 2].others;
            CHECK(t, s[w].to - s[w].from >= alone && s[w].to - s[w].from <= alone + others);
            if (!others) CHECK_EQ(t, overlap, cases[k / 2].together);
            unsigned next = w + cases[k / 2].together;
            if (cases[k / 2].by_age && next < WARPS) CHECK(t, s[w].to <= s[next].from + others);
        }
    }
}

// -- the whole chip -----------------------------------------------------------------------------------------

// Every thread of 1,024 blocks loads four words, a megabyte apart: 4 MB, and no other work.
static void test_stream(struct test *t)
{
    struct strbuf text = {0};
    struct gpu_bench b;
    strbuf_puts(&text, "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nSHL R1, R1, 0x8\nIADD3 R0, R0, R1, RZ\n"
                       "MOV R4, 0x4\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n");
    for (unsigned k = 0; k < 4; k++) strbuf_printf(&text, "LDG.E R%u, [R2+0x%x]\n", 8 + k, k << 20);
    strbuf_puts(&text, "EXIT\n");
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", "", strbuf_text(&text), 256)) {
        const struct memory_config *c = &b.config.memory;
        machine_buffer(&b.m, 4 << 20);
        b.m.launch.grid[0] = 1024;
        double got = 4 * 1024 * 1024 / (double)gpu_cycles(&b);
        double bus =
            (double)c->partitions * c->dram_bus_bytes * c->dram_rate * c->dram_mhz / b.config.gpu.core_mhz;
        CHECK_MSG(t, got > 0.9 * bus && got <= bus, "%.1f bytes a core cycle of %.1f", got, bus);
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"dependent_chain", test_dependent_chain},
        {"classes", test_classes},
        {"branches", test_branches},
        {"full_rate", test_full_rate},
        {"write_port", test_write_port},
        {"dual_issue", test_dual_issue},
        {"intervals", test_intervals},
        {"shared_conflicts", test_shared_conflicts},
        {"broadcast", test_broadcast},
        {"chase_l1", test_chase_l1},
        {"chase_l2", test_chase_l2},
        {"chase_dram", test_chase_dram},
        {"coalescing", test_coalescing},
        {"barrier", test_barrier},
        {"fetch_bound", test_fetch_bound},
        {"icache", test_icache},
        {"prefetched_over", test_prefetched_over},
        {"thrash", test_thrash},
        {"policies", test_policies},
        {"stream", test_stream},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

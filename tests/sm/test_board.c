// The many-thread-aware scoreboard (docs/explanation/ilp.md): issue cycles of the dissertation's examples,
// and storage bits. The values in the board equal the program's (sim.check keeps a second
// register file, written by commits alone).
#include "chip/bench.h"
#include "sm/board.h"
#include "watch/watch.h"

#include <string.h>

// Eight lanes, instructions fetched ahead of need, and a distant memory.
#define MACHINE                                                                                              \
    "icache.perfect=1 fetch.per_scheduler=1 fetch.refill=space fetch.ibuffer=16 fetch.width=4 "              \
    "operands.conflicts=0 issue.schedulers=1 issue.width=1 issue.interval=4 units.float=1 sim.check=1 "      \
    "interval.int_add=4 latency.int_add=8 l1.global=1 issue.dependences=board "

enum { INSTS = 24, BEFORE = 7 }; // instructions in front of an example's

struct seen { // by instruction of the program, of the first warp
    uint64_t issued[INSTS], done[INSTS];
    struct gpu_counts counts;
};

// Registers: R8 the buffer; R6 a line of the buffer per thread; R4 the thread; P0 the first half of the
// warp; R1 a value not stored anywhere in memory.
static void run(struct test *t, const char *settings, const char *code, uint32_t threads, struct seen *seen)
{
    const struct watch_config all = {.to = UINT64_MAX, .warps = 1, .sms = {1}, .limit = UINT64_MAX};
    struct watcher w;
    struct gpu_bench b;
    struct strbuf text = {0};
    char both[600];
    *seen = (struct seen){0};
    watcher_init(&w, &all);
    snprintf(both, sizeof both, MACHINE "%s", settings);
    strbuf_printf(
        &text,
        ".shared 256\nMOV R1, 0x77\nS2R R4, SR_TID.X\nMOV R5, 0x80\nISETP.LT.AND P0, PT, R4, 0x10, PT\n"
        "IMAD.WIDE R6, R4, R5, c[0x0][0x160]\nMOV R8, c[0x0][0x160]\nMOV R9, c[0x0][0x164]\n%sEXIT\n",
        code);
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", both, strbuf_text(&text), threads)) {
        machine_buffer(&b.m, 1 << 20);
        b.watcher = &w;
        gpu_cycles(&b);
        seen->counts = b.result.gpu;
        for (size_t k = 0; w.sms[0] && k < w.sms[0]->insts.count; k++) {
            const struct watch_inst *i = &w.sms[0]->insts.data[k];
            if (i->flushed || i->inst < BEFORE || i->inst - BEFORE >= INSTS) continue;
            seen->issued[i->inst - BEFORE] = i->issued;
            seen->done[i->inst - BEFORE] = i->done;
        }
    }
    gpu_bench_fini(&b);
    watcher_fini(&w);
    strbuf_fini(&text);
}

// 4.4.2's first example: B is independent and issues while A misses; C takes r2 from the board; D needs A.
static void test_stall_on_use(struct test *t)
{
    struct seen s;
    run(t, "", "LDG R1, [R8]\nIADD3 R2, R4, 0x40, RZ\nIADD3 R3, R2, 0x4, RZ\nIADD3 R5, R4, R1, RZ\n", 32, &s);
    CHECK_EQ(t, s.issued[1] - s.issued[0], 4);
    CHECK_EQ(t, s.issued[2] - s.issued[1], 10);
    CHECK(t, s.done[0] > s.issued[0] + 100);
    CHECK(t, s.issued[3] >= s.done[0]);
    CHECK(t, s.counts.board_reads >= 2); // R2, and R1, complete and waiting for its turn
}

// Commits are in order: a completed result waits in its entry for an older load.
static void test_commit_in_order(struct test *t)
{
    struct seen alone, behind;
    run(t, "", "IADD3 R2, R4, 0x40, RZ\n", 32, &alone);
    run(t, "", "LDG R1, [R8]\nIADD3 R2, R4, 0x40, RZ\n", 32, &behind);
    uint64_t latency = behind.done[0] - behind.issued[0];
    CHECK_MSG(t, behind.counts.board_entry_cycles > alone.counts.board_entry_cycles + 2 * latency - 20,
              "%llu cycles, alone %llu, a load %llu", (unsigned long long)behind.counts.board_entry_cycles,
              (unsigned long long)alone.counts.board_entry_cycles, (unsigned long long)latency);
}

// The second example: B redefines r1, so that C waits for B alone and finds a single r1.
static void test_no_match(struct test *t)
{
    struct seen s;
    run(t, "", "LDG R1, [R8]\nIADD3 R1, R4, 0x1, RZ\nIADD3 R2, R4, R1, RZ\n", 32, &s);
    CHECK_EQ(t, s.issued[1] - s.issued[0], 4);
    CHECK_EQ(t, s.issued[2] - s.issued[1], 10);
    CHECK(t, s.done[0] > s.issued[2]);
    CHECK_EQ(t, s.counts.board_held_mask, 0);
}

// A younger definition with fewer lanes waits until the older definition is written;
// with as many lanes or more it does not wait.
static void test_masks(struct test *t)
{
    static const struct {
        const char *older, *younger;
        bool waits;
    } rows[] = {{"LDG R1, [R8]\n", "@P0 IADD3 R1, R4, 0x1, RZ\n", true},
                {"@P0 LDG R1, [R8]\n", "@P0 IADD3 R1, R4, 0x1, RZ\n", false},
                {"@P0 LDG R1, [R8]\n", "IADD3 R1, R4, 0x1, RZ\n", false},
                {"@P0 LDG R1, [R8]\n", "@!P0 IADD3 R1, R4, 0x1, RZ\n", true}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        char code[200];
        struct seen s;
        snprintf(code, sizeof code, "%s%sIADD3 R3, R1, 0x1, RZ\nSTG [R8], R3\n", rows[k].older,
                 rows[k].younger);
        run(t, "", code, 32, &s);
        CHECK_MSG(t, rows[k].waits == (s.issued[1] > s.done[0]), "%s%s", rows[k].older, rows[k].younger);
        CHECK_EQ(t, s.counts.board_held_mask, rows[k].waits);
    }
}

// Board full: a warp without entries issues an instruction and waits for its end; a
// warp with entries waits for a free entry.
static void test_full(struct test *t)
{
    struct seen s;
    static const char code[] = "LDG R1, [R8]\nIADD3 R2, R4, 0x40, RZ\nIADD3 R3, R4, 0x4, RZ\n";
    run(t, "board.entries=1", code, 32, &s);
    CHECK(t, s.issued[1] > s.done[0]);
    CHECK(t, s.issued[2] >= s.done[1]);
    CHECK(t, s.counts.board_held_full >= 2);
    run(t, "board.entries=1", code, 64, &s);
    CHECK(t, s.counts.board_alone > 0);
    run(t, "board.entries=2", "LDG.64 R2, [R8]\nIADD3 R1, R4, 0x40, RZ\n", 32, &s); // an entry per register
    CHECK(t, s.issued[1] > s.done[0]);
    run(t, "board.entries=1", "LDG.64 R2, [R8]\nIADD3 R1, R4, 0x40, RZ\n", 32, &s); // never room for two
    CHECK(t, s.issued[1] >= s.done[0]);
    CHECK(t, s.counts.board_alone > 0);
}

// A store issues only as the oldest instruction; loads wait for the store, arithmetic does not.
static void test_stores(struct test *t)
{
    struct seen s;
    run(t, "", "LDG R1, [R8]\nSTG [R6], R4\nIADD3 R2, R4, 0x4, RZ\nLDS R3, [RZ]\n", 32, &s);
    CHECK(t, s.issued[1] >= s.done[0]);
    CHECK_EQ(t, s.issued[2] - s.issued[1], 4);
    CHECK(t, s.issued[3] > s.issued[2] + 20); // 32 lines leave at one per cycle
    CHECK_EQ(t, s.counts.board_held_store, 1);
    run(t, "", "LDG R1, [R8]\nIADD3 R2, R4, 0x4, RZ\nLDS R3, [RZ]\n", 32, &s);
    CHECK_EQ(t, s.issued[2] - s.issued[1], 4);
    CHECK_EQ(t, s.counts.board_held_store, 0);
}

// An atomic waits like a store; later definitions of its register and later loads wait for the atomic.
static void test_atomics(struct test *t)
{
    struct seen s;
    run(t, "", "ATOMG.E.ADD.U32 R1, [R8], R4\nIADD3 R2, R4, 0x4, RZ\nIADD3 R1, R4, 0x4, RZ\nLDS R3, [RZ]\n",
        32, &s);
    CHECK_EQ(t, s.issued[1] - s.issued[0], 4);
    CHECK(t, s.issued[2] >= s.done[0]);
    CHECK(t, s.counts.board_held_mask >= 1);
}

// With a bypass a value is forwarded before it reaches its entry.
static void test_bypass(struct test *t)
{
    struct seen s;
    run(t, "operands.bypass=1", "IADD3 R2, R4, 0x40, RZ\nIADD3 R3, R2, 0x4, RZ\n", 32, &s);
    CHECK_EQ(t, s.issued[1] - s.issued[0], 8);
}

// 4.4.4: 8 tags of 10 bits, 8,736 bits of values, 8 bits for each of 32 warps.
static void test_bits(struct test *t)
{
    CHECK_EQ(t, board_tag_bits(8, 16384, 32), 80);
    CHECK_EQ(t, board_value_bits(8, 32), 8736);
    CHECK_EQ(t, board_warp_bits(8, 32), 256);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"stall_on_use", test_stall_on_use},
                                             {"commit_in_order", test_commit_in_order},
                                             {"no_match", test_no_match},
                                             {"masks", test_masks},
                                             {"full", test_full},
                                             {"stores", test_stores},
                                             {"atomics", test_atomics},
                                             {"bypass", test_bypass},
                                             {"bits", test_bits}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Arguments as constants of a launch. Fails where another load is replaced than expected, or a kernel's
// result changes. The bench's closure is at the beginning of the data.
#include "base/str.h"
#include "exec/memory.h"
#include "isa/bank.h"
#include "isa/program.h"
#include "riscv/bench.h"
#include "riscv/closure.h"
#include "riscv/map.h"

#include <string.h>

enum { CLOSURE = 0x831, OUT = MAKER_DATA + 0x1000, DATA_BYTES = 0x1000 + 4 * BENCH_THREADS };

// Begin of a kernel like `KERNEL` of simt.h: a stack, then A5 = the closure. A0 = thread, A1 = 4 * thread.
static void begin(struct maker *m)
{
    bench_begin(m);
    m->data_bytes = DATA_BYTES;
    for (uint32_t k = 0; k < 16; k++) maker_word(m, 0x100 * k + 0x80); // bytes with sign bits
    maker_put(m, addi(SP, X0, -8));
    maker_put(m, addi(SP, SP, -16));
    maker_put(m, csrrw(A5, CLOSURE, X0));
}

// Adds `from` to the thread's A4, stored by `end`.
static void take(struct maker *m, unsigned from) { maker_put(m, add(A4, A4, from)); }

static void end(struct maker *m)
{
    maker_li(m, A2, OUT);
    maker_put(m, add(A2, A2, A1));
    maker_put(m, sw(A4, A2, 0));
    bench_end(m);
}

// The offsets of the replaced loads, in order of the program: "0 4 8".
static void print_loads(const struct riscv_closure *c, struct strbuf *out)
{
    for (uint32_t n = 0; n < c->program->inst_count; n++)
        for (uint32_t k = 0; k < c->load_count; k++)
            if (c->loads[k].inst == n)
                strbuf_printf(out, "%s%u%s", out->length ? " " : "", c->loads[k].offset,
                              c->loads[k].is_mask ? "m" : "");
}

// Runs the program with loads and with constants, compares the words, and checks the
// offsets of the replaced loads.
static void check(struct test *t, struct maker *m, const char *want)
{
    struct bench b;
    struct strbuf got = {0};
    end(m);
    if (!bench_init(&b, t, m)) return;
    struct riscv_closure *c = riscv_closure_find(b.program);
    print_loads(c, &got);
    CHECK_STR(t, strbuf_text(&got), want);
    const uint8_t *closure = memory_flat(b.memory) + MAKER_DATA;
    uint8_t *bank = heap_alloc(BANK_LAUNCH_PARAMS + c->bytes), *before = heap_alloc(DATA_BYTES);
    memcpy(bank + BANK_LAUNCH_PARAMS, closure, c->bytes);
    memcpy(before, closure, DATA_BYTES);
    struct program *q = riscv_closure_program(c, closure);
    const char *wrong = program_check(q);
    CHECK_MSG(t, !wrong, "%s", wrong);
    bench_must_run(&b);
    uint8_t *after = heap_alloc(DATA_BYTES);
    memcpy(after, closure, DATA_BYTES);
    memcpy(bench_word(&b, MAKER_DATA), before, DATA_BYTES);
    b.launch.program = q;
    b.launch.bank[BANK_LAUNCH] = bank;
    b.launch.bank_bytes[BANK_LAUNCH] = BANK_LAUNCH_PARAMS + c->bytes;
    bench_must_run(&b);
    CHECK(t, memcmp(closure, after, DATA_BYTES) == 0);
    free(bank);
    free(before);
    free(after);
    program_free(q);
    riscv_closure_free(c);
    bench_fini(&b);
    strbuf_fini(&got);
    maker_fini(m);
}

static void test_loads(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, sw(A5, SP, 12)); // the thread's stack is not part of a closure
    maker_put(&m, lw(A3, A5, 0));
    take(&m, A3);
    maker_put(&m, addi(A6, A5, 4));
    maker_put(&m, lw(A3, A6, 8)); // 4 + 8
    take(&m, A3);
    maker_put(&m, lw(A3, SP, 12)); // the closure's address, not followed through memory
    maker_put(&m, lw(A3, A3, 4));
    take(&m, A3);
    check(t, &m, "0 12");
}

static void test_bytes(struct test *t)
{
    static const struct {
        unsigned f3;
        int32_t offset;
    } loads[] = {{0, 1}, {0, 4}, {1, 8}, {4, 4}, {5, 10}};
    struct maker m = {0};
    begin(&m);
    for (unsigned k = 0; k < TEST_COUNT(loads); k++) {
        maker_put(&m, rv_i(0x03, loads[k].f3, A3, A5, loads[k].offset)); // lb, lh, lbu, lhu
        take(&m, A3);
    }
    check(t, &m, "1 4 8 4 10");
}

static void test_masks(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, lw(A3, A5, 4));
    maker_put(&m, lw(A6, A5, 8));
    maker_put(&m, rv_r(0x33, 7, 0, A3, A0, A3)); // and: the hart's number is in A0
    maker_put(&m, rv_r(0x33, 7, 0, A6, A3, A6)); // and of an unrelated value
    take(&m, A3);
    take(&m, A6);
    check(t, &m, "4m 8");
}

// -- possible stores to arguments ---------------------------------------------------------------------------
static void test_own_store(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, lw(A3, A5, 0));
    take(&m, A3);
    maker_put(&m, sw(A0, A5, 4)); // into the closure
    maker_put(&m, lw(A3, A5, 0));
    take(&m, A3);
    check(t, &m, "0");
}

static void test_store_somewhere(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, lw(A3, A5, 4));
    maker_li(&m, A2, OUT);
    maker_put(&m, add(A2, A2, A1));
    maker_put(&m, sw(A0, A2, 0)); // by an unknown address
    maker_put(&m, lw(A3, A5, 8));
    take(&m, A3);
    check(t, &m, "4");
}

static void test_scratchpad(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_li(&m, A2, RISCV_SCRATCH);
    maker_put(&m, sw(A0, A2, 64));
    maker_put(&m, lw(A3, A5, 8));
    take(&m, A3);
    check(t, &m, "8");
}

// Other threads may store before a barrier, fence, atomic or call: later loads are not replaced.
static void test_order(struct test *t)
{
    enum { BARRIER, FENCES, ATOMIC, CALLS, KINDS };
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct maker m = {0};
        begin(&m);
        maker_put(&m, lw(A3, A5, 0));
        take(&m, A3);
        if (kind == BARRIER) maker_put(&m, csrwi(0x830, 0));
        if (kind == FENCES) maker_put(&m, FENCE);
        maker_li(&m, A2, RISCV_SCRATCH);
        if (kind == ATOMIC) maker_put(&m, amoadd(A3, A0, A2));
        if (kind == CALLS) {
            maker_put(&m, jal(RA, 12));
            maker_put(&m, jal(X0, 12));
            maker_put(&m, RET);
            maker_put(&m, RET);
        }
        maker_put(&m, lw(A3, A5, 4));
        take(&m, A3);
        check(t, &m, "0");
    }
}

// The store follows the load, but precedes it in the next iteration.
static void test_loop(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, lw(A7, A5, 60));
    maker_put(&m, addi(T0, X0, 3));
    uint32_t head = maker_here(&m);
    maker_put(&m, lw(A3, A5, 0));
    take(&m, A3);
    maker_put(&m, sw(T0, A5, 0));
    maker_put(&m, addi(T0, T0, -1));
    maker_put(&m, bne(T0, X0, (int32_t)(head - maker_here(&m))));
    take(&m, A7);
    check(t, &m, "60");
}

static void test_one_side(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_put(&m, lw(A7, A5, 0));
    uint32_t branch = maker_here(&m);
    maker_put(&m, beq(A7, X0, 0));
    maker_put(&m, sw(A7, A5, 4));
    maker_land(&m, branch);
    maker_put(&m, lw(A3, A5, 4));
    take(&m, A3);
    check(t, &m, "0");
}

// -- launches -----------------------------------------------------------------------------------------------
static void test_fits(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    begin(&m);
    maker_put(&m, lw(A3, A5, 8));
    end(&m);
    if (!bench_init(&b, t, &m)) return;
    struct riscv_closure *c = riscv_closure_find(b.program);
    CHECK_EQ(t, c->bytes, 12);
    CHECK(t, riscv_closure_fits(c, MAKER_DATA));
    CHECK(t, riscv_closure_fits(c, RISCV_SPILL - 12));
    CHECK(t, !riscv_closure_fits(c, RISCV_SPILL - 8));
    CHECK(t, !riscv_closure_fits(c, MAKER_DATA + 2));
    CHECK(t, !riscv_closure_fits(c, RISCV_SCRATCH)); // a target of stores at known addresses
    CHECK(t, !riscv_closure_fits(c, 0));
    riscv_closure_free(c);
    bench_fini(&b);
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"loads at known places of the closure", test_loads},
        {"loads of bytes and halves", test_bytes},
        {"masks of the hart's number", test_masks},
        {"a kernel that stores into its closure", test_own_store},
        {"a store at an unknown address", test_store_somewhere},
        {"a store into the scratchpad", test_scratchpad},
        {"barriers, fences, atomics, calls", test_order},
        {"a store behind the load, in a loop", test_loop},
        {"a store on one side of a branch", test_one_side},
        {"where a closure may lie", test_fits},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

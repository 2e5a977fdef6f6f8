// Loads, stores and atomics of kernels: every width at every offset in a word, in main memory, scratchpad and
// the threads' stacks. Addresses are in rows, equal, scattered and mixed. Fails where a result differs from a
// second definition by bytes, or an access outside memory is no fault.
#include "base/rng.h"
#include "riscv/bench.h"
#include "riscv/map.h"

#include <stdlib.h>
#include <string.h>

enum { IN = MAKER_DATA, OUT = MAKER_DATA + 4 * BENCH_THREADS, AREA = MAKER_DATA + 0x10000 };

static const enum exec_isa isas[] = {EXEC_ISA_GENERAL, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512};

// A2 = the thread's word at IN; A6 = OUT + 4 * thread.
static void begin(struct maker *m)
{
    bench_begin(m);
    maker_li(m, A6, IN);
    maker_put(m, add(A6, A6, A1));
    maker_put(m, lw(A2, A6, 0));
    maker_li(m, A6, OUT);
    maker_put(m, add(A6, A6, A1));
    m->data_bytes = 0x40000;
}

// Address pattern of thread n. In every pattern stores of different threads are
// disjoint, or store equal values.
enum pattern {
    ROW,
    SAME,
    BACKWARD,
    SCATTERED,
    STACK_SAME,
    STACK_OWN,
    SCRATCH_ROW,
    SCRATCH_SAME,
    MIXED,
    PATTERNS
};

static uint32_t address_of(enum pattern p, unsigned n, unsigned bytes)
{
    switch (p) {
    case ROW: return AREA + n * bytes;
    case SAME: return AREA + 64;
    case BACKWARD: return AREA + (BENCH_THREADS - n) * bytes;
    case SCATTERED: return AREA + (n * 1021 % 4096) * 8 + 4;
    case STACK_SAME: return 0xfffffff0;
    case STACK_OWN: return 0xffffff00 + n % 32 * 4;
    case SCRATCH_ROW: return RISCV_SCRATCH + n * bytes;
    case SCRATCH_SAME: return RISCV_SCRATCH + 0x1000;
    case MIXED:
        return n % 3 == 0 ? AREA + n * 8 : n % 3 == 1 ? RISCV_SCRATCH + n * 8 : 0xfffff000 + n % 8 * 8;
    case PATTERNS: break;
    }
    return 0;
}

static bool is_shared_place(enum pattern p) { return p == SAME || p == SCRATCH_SAME; }

// Each thread stores its own bytes and reads them back in every width, signed and unsigned.
static void test_widths(struct test *t)
{
    static const unsigned loads[] = {0, 1, 2, 4, 5}, bytes_of[] = {1, 2, 4, 0, 1, 2};
    for (unsigned p = 0; p < PATTERNS; p++)
        for (unsigned k = 0; k < TEST_COUNT(loads); k++)
            for (int32_t offset = -8; offset <= 4; offset += 12) {
                unsigned f3 = loads[k], bytes = bytes_of[f3];
                struct maker m = {0};
                struct bench b;
                begin(&m);
                maker_put(&m, addi(A3, A0, 0x7e)); // stored: 0x7e + n, also in its upper bytes
                maker_put(&m, slli(A4, A3, 8));
                maker_put(&m, add(A3, A3, A4));
                maker_put(&m, slli(A4, A3, 16));
                maker_put(&m, add(A3, A3, A4));
                // all threads store the same value
                if (is_shared_place((enum pattern)p)) maker_li(&m, A3, 0x89abcdef);
                maker_put(&m, addi(A2, A2, -offset));
                maker_put(&m, rv_s(f3 & 3, A3, A2, offset));
                maker_put(&m, rv_i(0x03, f3, A4, A2, offset));
                maker_put(&m, sw(A4, A6, 0));
                bench_end(&m);
                for (unsigned n = 0; n < BENCH_THREADS; n++)
                    maker_word(&m, address_of((enum pattern)p, n, bytes));
                if (!bench_init(&b, t, &m)) return;
                for (unsigned i = 0; i < TEST_COUNT(isas); i++) {
                    if (!exec_isa_available(isas[i])) continue;
                    b.launch.isa = isas[i];
                    bench_must_run(&b);
                    for (unsigned n = 0; n < BENCH_THREADS; n++) {
                        uint32_t x = (0x7e + n) * 0x101u * 0x10001u, low, want;
                        if (is_shared_place((enum pattern)p)) x = 0x89abcdef;
                        low = bytes == 1 ? x % 0x100 : bytes == 2 ? x % 0x10000 : x;
                        want = f3 == 0 && low >= 0x80     ? low + 0xffffff00
                               : f3 == 1 && low >= 0x8000 ? low + 0xffff0000
                                                          : low;
                        uint32_t got = bench_word(&b, OUT)[n];
                        CHECK_MSG(t, got == want, "pattern %u, load %u%+d, %s: thread %u has 0x%x, not 0x%x",
                                  p, f3, offset, exec_isa_name(isas[i]), n, got, want);
                    }
                }
                bench_fini(&b);
                maker_fini(&m);
            }
}

// Stacks are interleaved: consecutive threads have consecutive words.
static void test_stacks_are_interleaved(struct test *t)
{
    struct maker m = {0};
    struct bench b;
    begin(&m);
    maker_put(&m, addi(SP, X0, -8));
    maker_put(&m, sw(A0, SP, 0));
    maker_put(&m, rv_s(0, A0, SP, -3)); // a byte of the word at -12
    bench_end(&m);
    if (!bench_init(&b, t, &m)) return;
    for (unsigned i = 0; i < TEST_COUNT(isas); i++) {
        if (!exec_isa_available(isas[i])) continue;
        b.launch.isa = isas[i];
        bench_must_run(&b);
        for (uint32_t n = 0; n < BENCH_THREADS; n++) {
            uint32_t word = (0x80000 - 8) / 4, at = RISCV_STACKS + (word * BENCH_THREADS + n) * 4;
            CHECK_EQ(t, *bench_word(&b, at), n);
            CHECK_EQ(t, *bench_word(&b, at - 4 * BENCH_THREADS), n % 256 << 8);
            *bench_word(&b, at) = 0;
        }
    }
    bench_fini(&b);
    maker_fini(&m);
}

// Eight threads of a warp share a word of the scratchpad. The old values are the
// partial results in lane order.
static uint32_t applied(unsigned f5, uint32_t old, uint32_t x)
{
    int64_t a = (int32_t)old, b = (int32_t)x;
    switch (f5) {
    case 0: return old + x;
    case 1: return x;
    case 4: return old ^ x;
    case 8: return old | x;
    case 12: return old & x;
    case 16: return a < b ? old : x;
    case 20: return a > b ? old : x;
    case 24: return old < x ? old : x;
    }
    return old > x ? old : x;
}

static void test_atomics(struct test *t)
{
    static const unsigned operations[] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
    static const uint32_t first[] = {0, 5, 0x80000000, 0x7fffffff, 0xf0f0f0f0};
    for (unsigned k = 0; k < TEST_COUNT(operations); k++)
        for (unsigned s = 0; s < TEST_COUNT(first); s++) {
            struct maker m = {0};
            struct bench b;
            struct rng r;
            uint32_t in[BENCH_THREADS];
            rng_init(&r, 7 * k + s);
            begin(&m);
            maker_put(&m, srli(A3, A0, 3));
            maker_put(&m, slli(A3, A3, 2));
            maker_li(&m, A4, RISCV_SCRATCH);
            maker_put(&m, add(A3, A3, A4));
            // aq and rl in every combination
            maker_put(&m, rv_r(0x2f, 2, operations[k] << 2 | k % 4, A4, A3, A2));
            maker_put(&m, sw(A4, A6, 0));
            bench_end(&m);
            for (unsigned n = 0; n < BENCH_THREADS; n++)
                maker_word(&m, in[n] = (uint32_t)rng_next(&r) >> n % 32);
            if (!bench_init(&b, t, &m)) return;
            for (unsigned n = 0; n < BENCH_THREADS / 8; n++) bench_word(&b, RISCV_SCRATCH)[n] = first[s];
            bench_must_run(&b);
            for (unsigned n = 0; n < BENCH_THREADS; n += 8) {
                uint32_t value = first[s];
                for (unsigned l = n; l < n + 8; l++) {
                    CHECK_EQ(t, bench_word(&b, OUT)[l], value);
                    value = applied(operations[k], value, in[l]);
                }
                CHECK_EQ(t, bench_word(&b, RISCV_SCRATCH)[n / 8], value);
            }
            bench_fini(&b);
            maker_fini(&m);
        }
}

// -- faults -------------------------------------------------------------------------------------------------
static void test_faults(struct test *t)
{
    static const struct {
        uint32_t address, word;
        enum launch_fault_kind kind;
        const char *part;
    } faults[] = {
        {0, 0x00062683, FAULT_BOUNDS,
         "0x0 is a null pointer, or a null pointer plus a small offset"}, // lw a3, 0(a2)
        {0x08000400, 0x00062683, FAULT_BOUNDS, "0x8000400 is 31744 bytes before the start of main memory"},
        {RISCV_SPILL, 0x00062683, FAULT_BOUNDS, "0xbff70000 is just past the end of main memory"},
        {RISCV_SPILL - 2, 0x00062683, FAULT_ALIGNMENT, "0xbff6fffe is not a multiple of 4"},
        {MAKER_DATA + 1, 0x00061683, FAULT_ALIGNMENT, "0x8008001 is not a multiple of 2"},     // lh
        {RISCV_SCRATCH + 3, 0x00d62023, FAULT_ALIGNMENT, "0xbfff0003 is not a multiple of 4"}, // sw
        {MAKER_DATA, 0x00d6262f, FAULT_SHARED, "an atomic on 0x08008000, in main memory"},     // amoadd.w
        {0xfffffff0, 0x00d6262f, FAULT_SHARED, "an atomic on 0xfffffff0, in a stack"},
        {RISCV_STACKS, 0x00d6262f, FAULT_SHARED,
         "an atomic on 0xc0000000, in other threads' stacks: atomics of this machine work in the "
         "scratchpad only (0xbfff0000 to 0xbfffffff)"},
    };
    for (size_t k = 0; k < TEST_COUNT(faults); k++) {
        struct maker m = {0};
        struct bench b;
        maker_li(&m, A2, faults[k].address);
        maker_put(&m, faults[k].word);
        bench_end(&m);
        if (!bench_init(&b, t, &m)) return;
        for (unsigned i = 0; i < TEST_COUNT(isas); i++) {
            if (!exec_isa_available(isas[i])) continue;
            b.launch.isa = isas[i];
            bench_must_fault(&b, faults[k].kind, faults[k].part);
        }
        bench_fini(&b);
        maker_fini(&m);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"widths", test_widths},
        {"stacks_are_interleaved", test_stacks_are_interleaved},
        {"atomics", test_atomics},
        {"faults", test_faults},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

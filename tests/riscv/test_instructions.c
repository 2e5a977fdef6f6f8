// Every instruction on every pair of edge values, against a second definition. The definition follows the ISA
// manual's opcode maps by fields of the word. Floats are computed in double precision: for +, -, *, / and
// square root, one rounding of a double's result to float is exact. The kernels' engine runs every case in
// all its builds, the host's hart once.
#include "exec/memory.h"
#include "riscv/bench.h"
#include "riscv/decode.h"
#include "riscv/hart.h"

#include <math.h>
#include <string.h>

static const uint32_t edges[] = {
    0,          1,          2,          3,          4,          7,          8,          31,
    32,         33,         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,
    0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
    0xffffff80, 0xffff8000, 0x12345678, 0xdeadbeef, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x4f000000, 0xcf000000,
    0x4effffff, 0x4f800000, 0x4b000001, 0xc0a00000, 0x3dcccccd};
enum { EDGES = TEST_COUNT(edges), PAIRS = EDGES * EDGES };
_Static_assert((int)PAIRS <= (int)BENCH_THREADS, "a thread a pair");

// -- second definition --------------------------------------------------------------------------------------
static uint32_t bits_at(uint32_t x, int high, int low)
{
    return (uint32_t)((uint64_t)x << (31 - high) & 0xffffffff) >> (31 - high + low);
}
static double real(uint32_t x)
{
    float f;
    memcpy(&f, &x, 4);
    return (double)f;
}
static uint32_t single(double d)
{
    float f = (float)d;
    uint32_t x;
    memcpy(&x, &f, 4);
    return d != d ? 0x7fc00000 : x;
}
static int64_t whole(uint32_t x) { return x & 0x80000000 ? (int64_t)x - 0x100000000 : (int64_t)x; }

static uint32_t integer_operation(unsigned f3, unsigned f7, uint32_t a, uint32_t b)
{
    int64_t x = whole(a), y = whole(b);
    if (f7 == 1) {
        switch (f3) {
        case 0: return (uint32_t)((uint64_t)x * (uint64_t)y);
        case 1: return (uint32_t)((x * y) / 0x100000000 - ((x * y) % 0x100000000 < 0));
        case 2: return (uint32_t)((__int128)x * (__int128)b >> 32);
        case 3: return (uint32_t)((unsigned __int128)a * b >> 32);
        case 4: return b ? (uint32_t)(x / y) : 0xffffffff;
        case 5: return b ? (uint32_t)((uint64_t)a / b) : 0xffffffff;
        case 6: return b ? (uint32_t)(x - x / y * y) : a;
        default: return b ? a - a / b * b : a;
        }
    }
    uint64_t power = 1ull << (b % 32);
    switch (f3) {
    case 0: return f7 ? (uint32_t)(x - y) : (uint32_t)(x + y);
    case 1: return (uint32_t)(a * power);
    case 2: return x < y;
    case 3: return a < b;
    case 4: return (a | b) - (a & b);
    case 5: return f7 ? (uint32_t)(int64_t)floor((double)x / (double)power) : (uint32_t)(a / power);
    case 6: return a + b - (a & b);
    default: return ~(~a | ~b);
    }
}

static uint32_t float_operation(uint32_t word, uint32_t a, uint32_t b)
{
    double x = real(a), y = real(b), t = trunc(x);
    unsigned f3 = bits_at(word, 14, 12);
    bool is_unsigned = bits_at(word, 24, 20) == 1;
    switch (bits_at(word, 31, 27)) {
    case 0: return single(x + y);
    case 1: return single(x - y);
    case 2: return single(x * y);
    case 3: return single(x / y);
    case 11: return single(sqrt(x));
    case 4: {
        uint32_t sign = f3 == 0 ? b >> 31 : f3 == 1 ? 1 - (b >> 31) : (a >> 31) + (b >> 31) == 1;
        return a % 0x80000000 + sign * 0x80000000;
    }
    case 5: return (f3 ? x > y : x < y) ? a : b;
    case 20: return f3 == 2 ? x == y : f3 == 1 ? x < y : x <= y;
    case 24:
        if (is_unsigned) return x != x || t > 4294967295.0 ? 0xffffffff : t < 0 ? 0 : (uint32_t)t;
        return x != x || t > 2147483647.0 ? 0x7fffffff
               : t < -2147483648.0        ? 0x80000000
                                          : (uint32_t)(int32_t)t;
    }
    return is_unsigned ? single((double)a) : single((double)whole(a));
}

static uint32_t statement(uint32_t word, uint32_t a, uint32_t b)
{
    unsigned opcode = bits_at(word, 6, 0), f3 = bits_at(word, 14, 12), f7 = bits_at(word, 31, 25);
    uint32_t immediate = (uint32_t)((int32_t)word >> 20);
    if (opcode == 0x33) return integer_operation(f3, f7, a, b);
    if (opcode == 0x53) return float_operation(word, a, b);
    bool is_shift = f3 == 1 || f3 == 5;
    return integer_operation(f3, is_shift ? f7 : 0, a, is_shift ? immediate & 31 : immediate);
}

static bool is_taken(unsigned f3, uint32_t a, uint32_t b)
{
    bool yes = f3 < 2 ? a == b : f3 < 6 ? whole(a) < whole(b) : a < b;
    return f3 & 1 ? !yes : yes;
}

// -- instruction words --------------------------------------------------------------------------------------
typedef VEC(uint32_t) words_t;

// rd = A4, of a = A2 and b = A3, with edge immediates.
static void add_words(words_t *w)
{
    static const int32_t immediates[] = {0, 1, -1, 31, 2047, -2048, 0x555};
    for (unsigned f3 = 0; f3 < 8; f3++) {
        vec_push(w, rv_r(0x33, f3, 0, A4, A2, A3));
        vec_push(w, rv_r(0x33, f3, 1, A4, A2, A3));
        if (f3 == 0 || f3 == 5) vec_push(w, rv_r(0x33, f3, 0x20, A4, A2, A3));
        bool is_shift = f3 == 1 || f3 == 5;
        for (unsigned k = 0; k < TEST_COUNT(immediates) && !is_shift; k++)
            vec_push(w, rv_i(0x13, f3, A4, A2, immediates[k]));
        for (int32_t n = 0; n < 32 && is_shift; n += n == 1 ? 29 : 1) {
            vec_push(w, rv_i(0x13, f3, A4, A2, n));
            if (f3 == 5) vec_push(w, rv_i(0x13, f3, A4, A2, n | 0x400));
        }
    }
    for (unsigned f = 0; f < 4; f++) vec_push(w, rv_r(0x53, 7, f << 2, A4, A2, A3));
    for (unsigned f3 = 0; f3 < 3; f3++) {
        vec_push(w, rv_r(0x53, f3, 0x10, A4, A2, A3));
        vec_push(w, rv_r(0x53, f3, 0x50, A4, A2, A3));
        if (f3 < 2) vec_push(w, rv_r(0x53, f3, 0x14, A4, A2, A3));
        if (f3 < 2) vec_push(w, rv_r(0x53, 1, 0x60, A4, A2, f3));
        if (f3 < 2) vec_push(w, rv_r(0x53, 7, 0x68, A4, A2, f3));
    }
    vec_push(w, rv_r(0x53, 0, 0x2c, A4, A2, 0));
}

enum { IN_A = MAKER_DATA, IN_B = MAKER_DATA + 4 * BENCH_THREADS, OUT = MAKER_DATA + 8 * BENCH_THREADS };

// A5 = IN_A + 4 * thread; A2 and A3 = the thread's pair; A6 = OUT + 4 * thread.
static void begin(struct maker *m)
{
    bench_begin(m);
    maker_li(m, A5, IN_A);
    maker_put(m, add(A5, A5, A1));
    maker_put(m, lw(A2, A5, 0));
    maker_li(m, A6, IN_B);
    maker_put(m, add(A6, A6, A1));
    maker_put(m, lw(A3, A6, 0));
    maker_li(m, A6, OUT);
    maker_put(m, add(A6, A6, A1));
}

static void add_pairs(struct maker *m)
{
    for (unsigned n = 0; n < BENCH_THREADS; n++) maker_word(m, edges[n / EDGES % EDGES]);
    for (unsigned n = 0; n < BENCH_THREADS; n++) maker_word(m, edges[n % EDGES]);
    m->data_bytes = 16 * BENCH_THREADS;
}

static const enum exec_isa isas[] = {EXEC_ISA_GENERAL, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512};

// Runs the word in every build available on this processor; `check` judges each thread's result.
static void run_everywhere(struct test *t, struct maker *m, uint32_t word,
                           void (*check)(struct test *t, uint32_t word, uint32_t a, uint32_t b, uint32_t got))
{
    struct bench b;
    bench_end(m);
    if (!bench_init(&b, t, m)) return;
    for (unsigned k = 0; k < TEST_COUNT(isas); k++) {
        if (!exec_isa_available(isas[k])) continue;
        b.launch.isa = isas[k];
        memset(bench_word(&b, OUT), 0xaa, 4 * BENCH_THREADS);
        bench_must_run(&b);
        for (unsigned n = 0; n < PAIRS; n++)
            check(t, word, edges[n / EDGES], edges[n % EDGES], bench_word(&b, OUT)[n]);
    }
    bench_fini(&b);
}

static void check_value(struct test *t, uint32_t word, uint32_t a, uint32_t b, uint32_t got)
{
    uint32_t want = statement(word, a, b);
    CHECK_MSG(t, got == want, "%s (%08x) of 0x%08x, 0x%08x is 0x%08x, not 0x%08x",
              rv_table[rv_decode(word).op].mnemonic, word, a, b, got, want);
}

static void test_arithmetic(struct test *t)
{
    words_t words = {0};
    add_words(&words);
    for (size_t k = 0; k < words.count; k++) {
        struct maker m = {0};
        begin(&m);
        maker_put(&m, words.data[k]);
        maker_put(&m, sw(A4, A6, 0));
        add_pairs(&m);
        run_everywhere(t, &m, words.data[k], check_value);
        maker_fini(&m);
    }
    vec_fini(&words);
}

// With a destination equal to a source.
static void test_in_place(struct test *t)
{
    words_t words = {0};
    add_words(&words);
    for (size_t k = 0; k < words.count; k++) {
        struct maker m = {0};
        begin(&m);
        maker_put(&m, (words.data[k] & ~(31u << 7)) | A2 << 7);
        maker_put(&m, sw(A2, A6, 0));
        add_pairs(&m);
        run_everywhere(t, &m, words.data[k], check_value);
        maker_fini(&m);
    }
    vec_fini(&words);
}

static void check_branch(struct test *t, uint32_t word, uint32_t a, uint32_t b, uint32_t got)
{
    uint32_t want = is_taken(bits_at(word, 14, 12), a, b) ? 2 : 1;
    CHECK_MSG(t, got == want, "%s of 0x%08x, 0x%08x: %u, not %u", rv_table[rv_decode(word).op].mnemonic, a, b,
              got, want);
}

static void test_branches(struct test *t)
{
    static const unsigned kinds[] = {0, 1, 4, 5, 6, 7};
    for (unsigned k = 0; k < TEST_COUNT(kinds); k++) {
        struct maker m = {0};
        uint32_t word = rv_b(kinds[k], A2, A3, 8);
        begin(&m);
        maker_put(&m, addi(A4, X0, 2));
        maker_put(&m, PUSH);
        maker_put(&m, word);
        maker_put(&m, addi(A4, X0, 1));
        maker_put(&m, POP);
        maker_put(&m, sw(A4, A6, 0));
        add_pairs(&m);
        run_everywhere(t, &m, word, check_branch);
        maker_fini(&m);
    }
}

// -- the host's hart ----------------------------------------------------------------------------------------
static void no_output(void *context, uint8_t byte) { (void)context, (void)byte; }
static int no_input(void *context)
{
    (void)context;
    return -1;
}

static void test_hart(struct test *t)
{
    words_t words = {0};
    add_words(&words);
    for (unsigned f3 = 0; f3 < 8; f3++)
        if (f3 != 2 && f3 != 3) vec_push(&words, rv_b(f3, A2, A3, 8));
    struct hart_devices devices = {.put = no_output, .get = no_input};
    for (size_t k = 0; k < words.count; k++) {
        bool is_branch = (words.data[k] & 0x7f) == 0x63;
        struct maker m = {0};
        struct bench b;
        maker_put(&m, addi(A4, X0, is_branch ? 2 : 0));
        maker_put(&m, words.data[k]);
        maker_put(&m, is_branch ? addi(A4, X0, 1) : addi(X0, X0, 0));
        maker_put(&m, RET);
        if (!bench_init(&b, t, &m)) break;
        for (unsigned n = 0; n < PAIRS; n++) {
            struct hart h;
            hart_init(&h, b.image, memory_flat(b.memory), &devices);
            uint32_t x = h.x[A2] = edges[n / EDGES], y = h.x[A3] = edges[n % EDGES];
            CHECK_EQ(t, hart_run(&h, 0), HART_DONE);
            if (is_branch)
                check_branch(t, words.data[k], x, y, h.x[A4]);
            else
                check_value(t, words.data[k], x, y, h.x[A4]);
            hart_fini(&h);
        }
        bench_fini(&b);
        maker_fini(&m);
    }
    vec_fini(&words);
}

// -- addresses of code --------------------------------------------------------------------------------------
static void test_code_addresses(struct test *t)
{
    struct maker m = {0};
    bench_begin(&m);
    maker_li(&m, A6, OUT);
    maker_put(&m, rv_u(0x17, A2, 0x12345000)); // auipc
    uint32_t auipc = maker_here(&m) - 4;
    maker_put(&m, lui(A3, 0xfffff000));
    maker_put(&m, jal(RA, 8));
    uint32_t link = maker_here(&m);
    maker_put(&m, jal(X0, 12)); // the second time
    maker_put(&m, addi(A4, RA, 0));
    maker_put(&m, jalr(RA, RA, 1)); // the lowest bit is ignored
    uint32_t second = maker_here(&m);
    maker_put(&m, sw(A2, A6, 0));
    maker_put(&m, sw(A3, A6, 4));
    maker_put(&m, sw(A4, A6, 8));
    maker_put(&m, sw(RA, A6, 12));
    m.data_bytes = 16 * BENCH_THREADS;
    bench_end(&m);
    struct bench b;
    if (!bench_init(&b, t, &m)) return;
    for (unsigned k = 0; k < TEST_COUNT(isas); k++) {
        if (!exec_isa_available(isas[k])) continue;
        b.launch.isa = isas[k];
        bench_must_run(&b);
        CHECK_EQ(t, bench_word(&b, OUT)[0], auipc + 0x12345000);
        CHECK_EQ(t, bench_word(&b, OUT)[1], 0xfffff000);
        CHECK_EQ(t, bench_word(&b, OUT)[2], link);
        CHECK_EQ(t, bench_word(&b, OUT)[3], second);
    }
    bench_fini(&b);
    maker_fini(&m);
}

// x0 stays zero after any write.
static void test_zero_register(struct test *t)
{
    struct maker m = {0};
    bench_begin(&m);
    maker_li(&m, A6, OUT);
    maker_put(&m, addi(X0, X0, 5));
    maker_put(&m, lui(X0, 0x1000));
    maker_put(&m, csrr(X0, 0xf14));
    maker_put(&m, lw(X0, A6, 0));
    maker_put(&m, sw(X0, A6, 0));
    m.data_bytes = 12 * BENCH_THREADS;
    bench_end(&m);
    struct bench b;
    if (!bench_init(&b, t, &m)) return;
    for (unsigned k = 0; k < TEST_COUNT(isas); k++) {
        if (!exec_isa_available(isas[k])) continue;
        b.launch.isa = isas[k];
        *bench_word(&b, OUT) = 77;
        bench_must_run(&b);
        CHECK_EQ(t, *bench_word(&b, OUT), 0);
    }
    bench_fini(&b);
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"arithmetic", test_arithmetic},
        {"in_place", test_in_place},
        {"branches", test_branches},
        {"hart", test_hart},
        {"code_addresses", test_code_addresses},
        {"zero_register", test_zero_register},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

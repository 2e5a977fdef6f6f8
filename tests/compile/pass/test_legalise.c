// Expansions of operations missing in the machine, against the host's arithmetic. Every operation is run
// before and after legalisation on edge values, random values and, for divisions, the quotients nearest
// to a rounding boundary. The machine's approximations are off by an ulp at random (except the reciprocal
// of f32, rounded to nearest). Fails when a result differs in any bit.
#include "base/bits.h"
#include "compile/ir/eval.h"
#include "compile/ir/make.h"
#include "compile/pass/passes.h"
#include "harness/test.h"
#include "isa/inst.h"

#include <inttypes.h>
#include <string.h>

enum { PLAIN, LEGAL };

struct pair { // the same operation, before and after
    struct ir_unit *unit[2];
    struct ir_function *f[2];
};

static struct pair make_pair(struct test *t, enum ir_op op, enum isa_type type, enum isa_type type2,
                             uint32_t count, uint8_t round, uint16_t flags, uint8_t mode)
{
    struct pair p;
    for (unsigned k = 0; k < 2; k++) {
        p.unit[k] = make_unit();
        struct ir_inst *i = make_operation(p.unit[k], op, type, type2, count);
        i->round = round;
        i->flags = flags;
        i->mode = mode;
        p.f[k] = i->function;
    }
    CHECK_MSG(t, legalise(p.f[LEGAL]), "%s is legal already", ir_table[op].name);
    const char *wrong = ir_verify(p.f[LEGAL]);
    CHECK_MSG(t, !wrong, "%s", wrong);
    return p;
}

static void free_pair(struct pair *p)
{
    for (unsigned k = 0; k < 2; k++) make_unit_free(p->unit[k]);
}

static bool agree(struct test *t, struct pair *p, struct rng *r, const uint64_t *operands)
{
    static const uint64_t none[4];
    struct eval *e = heap_alloc(2 * sizeof *e);
    if (!operands) operands = none;
    e[LEGAL].perturb = r;
    bool sound = true;
    for (unsigned k = 0; k < 2; k++) sound &= eval_run(&e[k], p->f[k], operands);
    uint64_t want = e[PLAIN].results[0], got = e[LEGAL].results[0];
    const struct ir_inst *i = p->f[PLAIN]->first_block->first;
    CHECK_MSG(t, sound && want == got,
              "%s type %s round %u flags %u: a 0x%" PRIx64 " b 0x%" PRIx64 " c 0x%" PRIx64 ": 0x%" PRIx64
              ", not 0x%" PRIx64,
              ir_table[i->op].name, isa_type_name((enum isa_type)i->type), i->round, i->flags, operands[0],
              operands[1], operands[2], got, want);
    free(e);
    return sound && want == got;
}

// -- operands -----------------------------------------------------------------------------------------------

static const uint64_t edges32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                   0x00800001, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff,
                                   0x3fffffff, 0x40000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x7f800001, 0x0d000000, 0x0cffffff, 0x7e800000, 0x7e7fffff,
                                   0x00000003, 0x7fffffff, 0xffffffff, 0xfffffffe, 7,          10};

static const uint64_t edges64[] = {0,
                                   0x8000000000000000,
                                   1,
                                   0x8000000000000001,
                                   0x000fffffffffffff,
                                   0x0010000000000000,
                                   0x0010000000000001,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x3ff0000000000001,
                                   0x3fefffffffffffff,
                                   0x3fffffffffffffff,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7ff0000000000001,
                                   0x00000000ffffffff,
                                   0x0000000100000000,
                                   0xffffffffffffffff,
                                   0x7fffffffffffffff,
                                   0xfffffffffffffffe,
                                   0x0000000000100000,
                                   0x0008000000000000,
                                   0x7fd0000000000000,
                                   3,
                                   10};

static uint64_t random_operand(struct rng *r, bool wide)
{
    uint64_t v = rng_next(r);
    switch (rng_below(r, 6)) {
    case 0: v = (wide ? edges64 : edges32)[rng_below(r, wide ? 28 : 30)]; break;
    case 1: v >>= rng_below(r, 64); break;                      // small integers
    case 2: v &= wide ? 0xffffff0000000000 : 0xfff00000; break; // short fractions
    case 3: v |= wide ? 0x000fffffffff0000 : 0x007fff00; break; // fractions near the next power
    case 4:
        v = (v & (wide ? 0x800fffffffffffff : 0x807fffff)) | (wide ? 0x3ff0000000000000 : 0x3f800000);
        break;
    }
    return wide ? v : (uint32_t)v;
}

static void compare(struct test *t, struct pair *p, struct rng *r, uint64_t runs)
{
    const struct ir_function *f = p->f[PLAIN];
    bool wide = f->params[0]->class == IR_CLASS_64,
         second_wide = f->param_count > 1 && f->params[1]->class == IR_CLASS_64;
    const uint64_t *edges = wide ? edges64 : edges32, *second = second_wide ? edges64 : edges32;
    size_t count = wide ? TEST_COUNT(edges64) : TEST_COUNT(edges32),
           second_count = second_wide ? TEST_COUNT(edges64) : TEST_COUNT(edges32);
    for (size_t x = 0; x < count && !test_failed(t); x++) {
        uint64_t operands[4] = {edges[x]};
        for (size_t y = 0; y < (f->param_count > 1 ? second_count : 1) && !test_failed(t); y++) {
            operands[1] = second[y];
            operands[2] = rng_next(r) & 127, operands[3] = rng_next(r) & 127;
            agree(t, p, r, operands);
        }
    }
    for (uint64_t k = 0; k < runs && !test_failed(t); k++) {
        uint64_t operands[4];
        for (uint32_t n = 0; n < f->param_count; n++) {
            operands[n] = random_operand(r, f->params[n]->class == IR_CLASS_64);
            if (n && f->params[n]->class == IR_CLASS_32 && wide && rng_below(r, 4)) operands[n] &= 127;
        }
        agree(t, p, r, operands);
    }
}

static uint64_t runs(uint64_t quick) { return test_is_long() ? quick * 200 : quick; }

// -- floats -------------------------------------------------------------------------------------------------

static void each_mode(struct test *t, enum ir_op op, enum isa_type type, uint32_t count, uint64_t quick)
{
    struct rng r;
    rng_init(&r, test_seed(op * 100 + type));
    for (uint8_t round = ROUND_RN; round <= ROUND_RP; round++) {
        for (uint16_t ftz = 0; ftz <= (type == TYPE_F32 ? INST_FTZ : 0); ftz++) {
            struct pair p = make_pair(t, op, type, TYPE_NONE, count, round, ftz, 0);
            compare(t, &p, &r, runs(quick));
            free_pair(&p);
        }
    }
}

static void test_f32_divide(struct test *t) { each_mode(t, IR_DIV, TYPE_F32, 2, 10000); }
static void test_f32_reciprocal(struct test *t) { each_mode(t, IR_RCP, TYPE_F32, 1, 10000); }
static void test_f32_root(struct test *t) { each_mode(t, IR_SQRT, TYPE_F32, 1, 10000); }
static void test_f64_divide(struct test *t) { each_mode(t, IR_DIV, TYPE_F64, 2, 10000); }
static void test_f64_reciprocal(struct test *t) { each_mode(t, IR_RCP, TYPE_F64, 1, 10000); }
static void test_f64_root(struct test *t) { each_mode(t, IR_SQRT, TYPE_F64, 1, 10000); }

// For an odd divisor D of n bits, M·D = ∓1 (mod 2^n) makes X = (M·D ± 1) / 2^n an operand with a hard
// quotient: X/D lies as near as possible to M / 2^n, an n-bit number or the middle between two. Returns D's
// inverse.
static uint64_t inverse(uint64_t d) // modulo 2^64, d odd
{
    uint64_t x = d;
    for (unsigned k = 0; k < 6; k++) x *= 2 - d * x;
    return x;
}

static void hard_quotients(struct test *t, bool wide, uint64_t count)
{
    struct rng r;
    rng_init(&r, test_seed(77));
    unsigned bits = wide ? 53 : 24;
    for (uint8_t round = ROUND_RN; round <= ROUND_RP; round++) {
        struct pair p = make_pair(t, IR_DIV, wide ? TYPE_F64 : TYPE_F32, TYPE_NONE, 2, round, 0, 0);
        for (uint64_t k = 0; k < count && !test_failed(t); k++) {
            uint64_t d = 1ull << (bits - 1) |
                         (k < 64 ? (1ull << (bits - 1)) - 1 - 2 * k : rng_next(&r) >> (65 - bits)) | 1;
            unsigned modulus = bits - 1 + (unsigned)(k & 1) * 2; // representable quotients, and middles
            int64_t sign = k & 2 ? 1 : -1;
            uint64_t m = ((uint64_t)(0 - sign) * inverse(d)) & ((1ull << modulus) - 1);
            unsigned __int128 product = (unsigned __int128)m * d + (unsigned __int128)(__int128)sign;
            uint64_t x = (uint64_t)(product >> modulus);
            if (!x || x >> bits) continue;
            uint64_t operands[4] = {wide ? f64_bits((double)x) : f32_bits((float)x),
                                    wide ? f64_bits((double)d) : f32_bits((float)d)};
            if (k & 4) operands[1] |= wide ? 1ull << 63 : 1u << 31;
            agree(t, &p, &r, operands);
        }
        free_pair(&p);
    }
}

static void test_f32_hard_quotients(struct test *t) { hard_quotients(t, false, runs(20000)); }
static void test_f64_hard_quotients(struct test *t) { hard_quotients(t, true, runs(20000)); }

// Every fraction of a binade (two for roots), at both ends of the range the hot path accepts; a sample in the
// short form.
static void every_fraction(struct test *t, enum ir_op op)
{
    struct rng r;
    rng_init(&r, test_seed(5));
    uint32_t step = test_is_long() ? 1 : 1009;
    for (uint8_t round = ROUND_RN; round <= ROUND_RP; round++) {
        struct pair p = make_pair(t, op, TYPE_F32, TYPE_NONE, 1, round, 0, 0);
        for (uint32_t bits = 0x3f000000; bits < 0x40000000 && !test_failed(t); bits += step)
            agree(t, &p, &r, (uint64_t[4]){bits});
        for (uint32_t bits = 0x3f7fff00; bits < 0x3f800100 && !test_failed(t); bits++)
            agree(t, &p, &r, (uint64_t[4]){bits});
        free_pair(&p);
    }
}

static void test_f32_every_reciprocal(struct test *t) { every_fraction(t, IR_RCP); }
static void test_f32_every_root(struct test *t) { every_fraction(t, IR_SQRT); }

// Squares of 54-bit numbers are the middles between two roots; their neighbours are the hard cases.
static void test_f64_hard_roots(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(6));
    for (uint8_t round = ROUND_RN; round <= ROUND_RP; round++) {
        struct pair p = make_pair(t, IR_SQRT, TYPE_F64, TYPE_NONE, 1, round, 0, 0);
        for (uint64_t k = 0; k < runs(20000) && !test_failed(t); k++) {
            uint64_t m = 1ull << 53 | rng_next(&r) >> 11 | 1;
            unsigned __int128 square = (unsigned __int128)m * m;
            uint64_t x = (uint64_t)(square >> (square >> 107 ? 55 : 54)) + rng_below(&r, 3) - 1;
            double scaled = (double)x;
            if (!(square >> 107)) scaled *= 2; // keeps the parity of the exponent
            agree(t, &p, &r, (uint64_t[4]){f64_bits(scaled)});
        }
        free_pair(&p);
    }
}

// -- integers -----------------------------------------------------------------------------------------------

static void test_integer_division(struct test *t)
{
    static const enum isa_type types[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
    struct rng r;
    rng_init(&r, test_seed(8));
    for (size_t k = 0; k < TEST_COUNT(types); k++) {
        for (unsigned remainder = 0; remainder < 2; remainder++) {
            struct pair p = make_pair(t, remainder ? IR_REM : IR_DIV, types[k], TYPE_NONE, 2, 0, 0, 0);
            compare(t, &p, &r, runs(20000));
            free_pair(&p);
        }
    }
}

static void test_wide_integers(struct test *t)
{
    static const struct {
        enum ir_op op;
        enum isa_type type;
        uint32_t count;
        uint8_t mode;
    } cases[] = {
        {IR_MULHI, TYPE_U64, 2, 0}, {IR_MULHI, TYPE_S64, 2, 0}, {IR_BFE, TYPE_U64, 3, 0},
        {IR_BFE, TYPE_S64, 3, 0},   {IR_BFI, TYPE_B64, 4, 0},
    };
    struct rng r;
    rng_init(&r, test_seed(9));
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct pair p =
            make_pair(t, cases[k].op, cases[k].type, TYPE_NONE, cases[k].count, 0, 0, cases[k].mode);
        compare(t, &p, &r, runs(2000));
        free_pair(&p);
    }
}

static uint64_t cut(uint64_t v, enum isa_type type)
{
    unsigned bits = 8 * isa_type_bytes(type);
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static void test_saturation(struct test *t)
{
    static const enum isa_type types[] = {TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16,
                                          TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
    struct rng r;
    rng_init(&r, test_seed(10));
    struct eval *e = heap_alloc(sizeof *e);
    for (size_t to = 0; to < TEST_COUNT(types); to++) {
        for (size_t from = 0; from < TEST_COUNT(types); from++) {
            if (isa_type_bytes(types[to]) < 8 && isa_type_bytes(types[from]) < 8) continue;
            struct pair p = make_pair(t, IR_SATI, types[to], types[from], 1, 0, 0, 0);
            for (unsigned k = 0; k < 400; k++) {
                uint64_t operands[4] = {random_operand(&r, isa_type_bytes(types[from]) == 8)};
                eval_run(e, p.f[PLAIN], operands);
                uint64_t want = cut(e->results[0], types[to]);
                CHECK_MSG(t, eval_run(e, p.f[LEGAL], operands), "%s", e->error);
                CHECK_MSG(t, cut(e->results[0], types[to]) == want,
                          "sat %s from %s of 0x%" PRIx64 " is 0x%" PRIx64, isa_type_name(types[to]),
                          isa_type_name(types[from]), operands[0], e->results[0]);
            }
            free_pair(&p);
        }
    }
    free(e);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"f32_divide", test_f32_divide},
        {"f32_reciprocal", test_f32_reciprocal},
        {"f32_root", test_f32_root},
        {"f32_hard_quotients", test_f32_hard_quotients},
        {"f32_every_reciprocal", test_f32_every_reciprocal},
        {"f32_every_root", test_f32_every_root},
        {"f64_divide", test_f64_divide},
        {"f64_reciprocal", test_f64_reciprocal},
        {"f64_root", test_f64_root},
        {"f64_hard_quotients", test_f64_hard_quotients},
        {"f64_hard_roots", test_f64_hard_roots},
        {"integer_division", test_integer_division},
        {"wide_integers", test_wide_integers},
        {"saturation", test_saturation},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

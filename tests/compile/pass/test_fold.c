// Constant folding against ir_eval's independent statement of each operation, and division by constants
// against the host's. Fails when a folded constant differs, or a foldable operation is not folded.
#include "compile/ir/eval.h"
#include "compile/ir/make.h"
#include "compile/pass/fold.h"
#include "compile/pass/passes.h"
#include "harness/test.h"
#include "isa/inst.h"
#include "isa/modes.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t edges[] = {0,          1,          2,          3,          7,          8,
                                 31,         32,         33,         63,         64,         127,
                                 128,        255,        256,        0x7fff,     0x8000,     0xffff,
                                 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                 0x7fc00000, 0x00800000, 0x007fffff, 0x4f000000, 0x00000001, 0x80000001};

static uint64_t operand(struct rng *r, enum ir_class class)
{
    uint64_t v = edges[rng_below(r, TEST_COUNT(edges))];
    if (class == IR_CLASS_PRED) return v & 1;
    switch (rng_below(r, 4)) {
    case 0: v = rng_next(r); break;
    case 1: v = class == IR_CLASS_64 ? v << 32 | edges[rng_below(r, TEST_COUNT(edges))] : v; break;
    case 2: v = 0 - v; break;
    }
    return class == IR_CLASS_32 ? (uint32_t)v : v;
}

struct form {
    enum ir_op op;
    enum isa_type type, type2;
    uint32_t count;
    uint8_t mode;
    uint16_t flags;
};

static const enum isa_type ints[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
static const enum isa_type smalls[] = {TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16,
                                       TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};

// Folds an operation on random constants; counts folded results.
static unsigned try_form(struct test *t, struct rng *r, struct form m)
{
    struct ir_unit *u = make_unit();
    struct ir_inst *i = make_operation(u, m.op, m.type, m.type2, m.count);
    struct eval *e = heap_alloc(sizeof *e);
    unsigned folded = 0;
    i->mode = m.mode;
    i->flags = m.flags;
    for (unsigned k = 0; k < 60 && !test_failed(t); k++) {
        uint64_t results[2] = {0}, given[4] = {0};
        if (m.op == IR_SETP)
            i->cmp = (uint8_t)(isa_type_is_float(m.type) ? rng_below(r, 16) : CMP_LT + rng_below(r, 6));
        if (m.op == IR_LOP3) i->lut = (uint8_t)rng_next(r);
        for (uint32_t n = 0; n < m.count; n++) {
            given[n] = operand(r, i->function->params[n]->class);
            ir_set_use(i, n, ir_constant(i->function, i->function->params[n]->class, given[n]));
        }
        if (!fold(i, results)) continue;
        folded++;
        CHECK_MSG(t, eval_run(e, i->function, given), "%s", e->error);
        bool narrow = isa_type_bytes(m.type) < 4 && m.op == IR_SATI; // upper bits are unspecified
        uint64_t mask = narrow ? (1ull << 8 * isa_type_bytes(m.type)) - 1 : ~0ull;
        CHECK_MSG(t, (e->results[0] & mask) == (results[0] & mask),
                  "%s.%s.%s mode %u flags %u of 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
                  ": 0x%" PRIx64 ", not 0x%" PRIx64,
                  ir_table[m.op].name, isa_type_name(m.type), isa_type_name(m.type2), m.mode, m.flags,
                  given[0], given[1], given[2], given[3], results[0], e->results[0]);
    }
    free(e);
    make_unit_free(u);
    return folded;
}

static void test_integers(struct test *t)
{
    static const struct {
        enum ir_op op;
        uint32_t count;
    } ops[] = {{IR_ADD, 2}, {IR_SUB, 2},  {IR_MUL, 2},  {IR_MULHI, 2}, {IR_MAD, 3}, {IR_DIV, 2},
               {IR_REM, 2}, {IR_NEG, 1},  {IR_ABS, 1},  {IR_MIN, 2},   {IR_MAX, 2}, {IR_AND, 2},
               {IR_OR, 2},  {IR_XOR, 2},  {IR_NOT, 1},  {IR_SHL, 2},   {IR_SHR, 2}, {IR_BFE, 3},
               {IR_BFI, 4}, {IR_BREV, 1}, {IR_POPC, 1}, {IR_FLO, 1},   {IR_SETP, 2}};
    struct rng r;
    rng_init(&r, test_seed(1));
    for (size_t k = 0; k < TEST_COUNT(ops); k++)
        for (size_t n = 0; n < TEST_COUNT(ints); n++) {
            CHECK_EQ(t, try_form(t, &r, (struct form){ops[k].op, ints[n], 0, ops[k].count, 0, 0}), 60);
            if (ops[k].op == IR_FLO)
                CHECK_EQ(t, try_form(t, &r, (struct form){IR_FLO, ints[n], 0, 1, MODE_FLO_SH, 0}), 60);
        }
}

static void test_words(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(2));
    for (unsigned m = 0; m <= MODE_PRMT_RC16; m++)
        if (!m || m >= MODE_PRMT_F4E) try_form(t, &r, (struct form){IR_PRMT, TYPE_B32, 0, 3, (uint8_t)m, 0});
    for (unsigned m = MODE_SHF_L; m <= MODE_SHF_R; m++)
        for (unsigned wrap = 0; wrap < 2; wrap++) {
            static const enum isa_type types[] = {TYPE_B32, TYPE_U64, TYPE_S64};
            for (unsigned k = 0; k < 3; k++) {
                struct ir_unit *u = make_unit(); // operands are words for any type
                enum ir_class words[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32}, word = IR_CLASS_32;
                struct ir_function *f = make_function(u, 3, words, IR_CLASS_32);
                struct ir_inst *i = ir_inst_create(f, IR_FUNNEL, types[k], 1, &word, 3, f->params);
                ir_append(f->first_block, i);
                make_return(f->first_block, i->defs[0]);
                i->mode = (uint8_t)m;
                i->flags = wrap && !k ? INST_WRAP : 0;
                struct eval *e = heap_alloc(sizeof *e);
                for (unsigned n = 0; n < 60; n++) {
                    uint64_t given[4] = {operand(&r, word), operand(&r, word), rng_below(&r, 80)},
                             result[2] = {0};
                    for (unsigned o = 0; o < 3; o++) ir_set_use(i, o, ir_constant(f, word, given[o]));
                    CHECK(t, fold(i, result) && eval_run(e, f, given));
                    CHECK_EQ(t, result[0], e->results[0]);
                }
                free(e);
                make_unit_free(u);
            }
        }
    for (unsigned wrap = 0; wrap < 2; wrap++) {
        for (size_t n = 0; n < 2; n++)
            CHECK(t, try_form(t, &r, (struct form){IR_SZEXT, ints[n], 0, 2, 0, wrap ? INST_WRAP : 0}));
        CHECK(t, try_form(t, &r, (struct form){IR_BMSK, TYPE_B32, 0, 2, 0, wrap ? INST_WRAP : 0}));
    }
    for (size_t n = 0; n < 2; n++) CHECK(t, try_form(t, &r, (struct form){IR_SAD, ints[n], 0, 3, 0, 0}));
    CHECK(t, try_form(t, &r, (struct form){IR_LOP3, TYPE_B32, 0, 3, 0, 0}));
    for (size_t to = 0; to < TEST_COUNT(smalls); to++)
        for (size_t from = 0; from < TEST_COUNT(smalls); from++)
            CHECK_EQ(t, try_form(t, &r, (struct form){IR_SATI, smalls[to], smalls[from], 1, 0, 0}), 60);
    for (size_t to = 0; to < 4; to++)
        for (size_t from = 0; from < 6; from++)
            CHECK_EQ(t,
                     try_form(t, &r,
                              (struct form){isa_type_is_signed(smalls[from]) ? IR_SEXT : IR_ZEXT, ints[to],
                                            smalls[from], 1, 0, 0}),
                     60);
}

static void test_floats(struct test *t)
{
    static const struct {
        enum ir_op op;
        uint32_t count;
    } ops[] = {{IR_FADD, 2}, {IR_FMUL, 2}, {IR_FFMA, 3}, {IR_DIV, 2}, {IR_RCP, 1},
               {IR_SQRT, 1}, {IR_FNEG, 1}, {IR_FABS, 1}, {IR_SETP, 2}};
    struct rng r;
    rng_init(&r, test_seed(3));
    for (unsigned round = 0; round < 20; round++)
        for (size_t k = 0; k < TEST_COUNT(ops); k++) {
            CHECK(t, try_form(t, &r, (struct form){ops[k].op, TYPE_F32, 0, ops[k].count, 0, 0}) > 5);
            CHECK(t, try_form(t, &r, (struct form){ops[k].op, TYPE_F64, 0, ops[k].count, 0, 0}) > 5);
            bool sat = ops[k].op == IR_FADD || ops[k].op == IR_FMUL || ops[k].op == IR_FFMA;
            if (ops[k].op != IR_FNEG && ops[k].op != IR_FABS)
                try_form(t, &r,
                         (struct form){ops[k].op, TYPE_F32, 0, ops[k].count, 0,
                                       sat ? INST_FTZ | INST_SAT : INST_FTZ});
        }
    static const enum isa_type reals[] = {TYPE_F32, TYPE_F64};
    for (unsigned k = 0; k < 2; k++) {
        for (size_t n = 0; n < TEST_COUNT(smalls); n++)
            CHECK_EQ(t, try_form(t, &r, (struct form){IR_CVT, reals[k], smalls[n], 1, 0, 0}), 60);
        for (unsigned n = 0; n < 2; n++)
            CHECK(t, try_form(t, &r, (struct form){IR_CVT, reals[k], reals[n], 1, 0, 0}));
    }
}

// Directed roundings and NaN results are left alone.
static void test_refuses(struct test *t)
{
    struct ir_unit *u = make_unit();
    struct ir_inst *i = make_operation(u, IR_FADD, TYPE_F32, TYPE_NONE, 2);
    uint64_t results[2];
    CHECK(t, !fold(i, results)); // parameters
    struct ir_value *one = ir_constant(i->function, IR_CLASS_32, 0x3f800000),
                    *nan = ir_constant(i->function, IR_CLASS_32, 0x7fc00000);
    ir_set_use(i, 0, one);
    ir_set_use(i, 1, one);
    CHECK(t, fold(i, results) && results[0] == 0x40000000);
    i->round = ROUND_RM;
    CHECK(t, !fold(i, results));
    i->round = ROUND_RN;
    ir_set_use(i, 1, nan);
    CHECK(t, !fold(i, results));
    i->op = IR_MUFU;
    ir_set_uses(i, 1, &one);
    CHECK(t, !fold(i, results));
    make_unit_free(u);
}

static void divide_by(struct test *t, struct rng *r, enum ir_op op, enum isa_type type, uint64_t d)
{
    struct ir_unit *u = make_unit();
    struct ir_inst *i = make_operation(u, op, type, TYPE_NONE, 2);
    struct ir_function *f = i->function;
    enum ir_class class = ir_class_of_type(type);
    struct eval *e = heap_alloc(2 * sizeof *e);
    struct ir_unit *plain_unit = make_unit();
    struct ir_function *plain = make_operation(plain_unit, op, type, TYPE_NONE, 2)->function;
    ir_set_use(i, 1, ir_constant(f, class, d));
    struct pass_context c = {0};
    pass_simplify(f, &c);
    for (const struct ir_inst *k = f->first_block->first; k; k = k->next)
        CHECK(t, k->op != IR_DIV && k->op != IR_REM);
    for (unsigned k = 0; k < 200 && !test_failed(t); k++) {
        uint64_t n = operand(r, class);
        if (rng_below(r, 2))
            n = d * (rng_next(r) >> rng_below(r, 64)) + rng_below(r, 3) - 1; // near a multiple
        if (class == IR_CLASS_32) n = (uint32_t)n;
        eval_run(&e[0], plain, (uint64_t[2]){n, d});
        eval_run(&e[1], f, (uint64_t[2]){n, d});
        CHECK_MSG(t, e[0].results[0] == e[1].results[0],
                  "%s.%s 0x%" PRIx64 " by 0x%" PRIx64 ": 0x%" PRIx64 ", not 0x%" PRIx64, ir_table[op].name,
                  isa_type_name(type), n, d, e[1].results[0], e[0].results[0]);
    }
    free(e);
    make_unit_free(u);
    make_unit_free(plain_unit);
}

static void test_divisors(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(4));
    for (size_t k = 0; k < TEST_COUNT(ints) && !test_failed(t); k++) {
        bool wide = ir_class_of_type(ints[k]) == IR_CLASS_64;
        for (unsigned n = 0; n < (test_is_long() ? 5000 : 250) && !test_failed(t); n++) {
            uint64_t d = n < 70 ? n + 1 : n < 90 ? 0 - (uint64_t)(n - 69) : rng_next(&r) >> rng_below(&r, 63);
            if (n >= 90 && n < 154) d = 1ull << (n - 90);
            if (!wide) d = (uint32_t)d;
            if (!d) continue;
            divide_by(t, &r, IR_DIV, ints[k], d);
            divide_by(t, &r, IR_REM, ints[k], d);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"integers", test_integers}, {"words", test_words},       {"floats", test_floats},
        {"refuses", test_refuses},   {"divisors", test_divisors},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Floating-point instructions (PTX ISA 9.7.3 to 9.7.5), comparisons and selection (9.7.6, 9.7.7).
//
// Operands are decoded, the exact result is formed and rounded once. NaN results: f32 0x7fffffff, f16 and
// bf16 0x7fff; f64 keeps the largest payload of NaN operands, quiet and with the sign bit set, or
// 0xfff8000000000000 without a NaN operand.
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

#include <math.h>

struct real { // how an instruction computes
    enum ptx_type type;
    const struct number_format *f;
    enum ptx_round round;
    bool ftz, sat, relu, nan, xorsign;
};

static struct real real_of(const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    return (struct real){.type = type,
                         .f = number_format(type),
                         .ftz = i->ftz,
                         .sat = i->sat,
                         .relu = i->relu,
                         .round = i->round == PTX_ROUND_NONE ? PTX_ROUND_RN : i->round,
                         .nan = i->nan,
                         .xorsign = i->xorsign};
}

static bool is_nan(const struct number_format *f, uint64_t bits)
{
    return number_decode(f, bits).class == NUMBER_NAN;
}
static uint64_t sign_of(const struct number_format *f) { return 1ull << (f->storage_bits - 1); }
static uint64_t input(const struct real *r, uint64_t bits)
{
    return r->ftz ? number_flush(r->f, bits) : bits;
}

static uint64_t nan_result(const struct real *r, const uint64_t *operands, int count)
{
    uint64_t nan = r->f->nan;
    if (r->type != PTX_F64) return nan;
    for (int k = 0; k < count; k++)
        if (is_nan(r->f, operands[k]) && (operands[k] | 0xfff8ull << 48) > nan)
            nan = operands[k] | 0xfff8ull << 48;
    return nan;
}

static uint64_t one(const struct number_format *f)
{
    return number_encode(f, number_from_integer(1), PTX_ROUND_RN);
}

// Last steps of every result: rounding, then flushing, then clamping.
static uint64_t result(const struct real *r, struct number n, const uint64_t *operands, int count)
{
    uint64_t bits;
    if (n.class == NUMBER_NAN) {
        if (r->sat) return 0;
        return nan_result(r, operands, count);
    }
    bits = number_encode(r->f, n, r->round);
    if (r->ftz) bits = number_flush(r->f, bits);
    if (r->sat) {
        if (bits & sign_of(r->f))
            bits = 0;
        else if (bits > one(r->f))
            bits = one(r->f);
    }
    if (r->relu && bits & sign_of(r->f)) bits = 0;
    return bits;
}

// -1, 0, 1 for a < b, a == b, a > b; operands are no NaNs. -0 equals +0.
static int order(const struct number_format *f, uint64_t a, uint64_t b)
{
    struct number d = number_add(number_decode(f, a), number_negate(number_decode(f, b)), PTX_ROUND_RN);
    if (d.class == NUMBER_ZERO) return 0;
    if (d.class == NUMBER_NAN) return 0; // equal infinities
    return d.negative ? -1 : 1;
}

static uint64_t min_max(const struct real *r, bool max, uint64_t a, uint64_t b)
{
    uint64_t sign = (a ^ b) & sign_of(r->f);
    if (r->xorsign) {
        a &= ~sign_of(r->f);
        b &= ~sign_of(r->f);
    }
    bool nan_a = is_nan(r->f, a), nan_b = is_nan(r->f, b);
    uint64_t operands[2] = {a, b}, d;
    if ((nan_a && nan_b) || (r->nan && (nan_a || nan_b))) return nan_result(r, operands, 2);
    if (nan_a || nan_b) {
        d = nan_a ? b : a;
    } else {
        int o = order(r->f, a, b);
        if (o == 0) o = (int)!(a & sign_of(r->f)) - (int)!(b & sign_of(r->f)); // -0 < +0
        d = (max ? o > 0 : o < 0) ? a : b;
    }
    if (r->xorsign) d = (d & ~sign_of(r->f)) | sign;
    if (r->relu && d & sign_of(r->f)) d = 0;
    return d;
}

// The host's value of an approximate function.
static uint64_t approximate(const struct real *r, enum ptx_op op, uint64_t a)
{
    struct number n = number_decode(r->f, a);
    double x = f64_from_bits(number_encode(number_format(PTX_F64), n, PTX_ROUND_RN));
    if (n.class == NUMBER_NAN) return r->f->nan;
    if (op == PTX_OP_RSQRT)
        x = 1 / sqrt(x);
    else if (op == PTX_OP_SIN)
        x = sin(x);
    else if (op == PTX_OP_COS)
        x = cos(x);
    else if (op == PTX_OP_LG2)
        x = log2(x);
    else if (op == PTX_OP_EX2)
        x = exp2(x);
    else if (op == PTX_OP_TANH)
        x = tanh(x);
    return result(r, number_decode(number_format(PTX_F64), f64_bits(x)), &a, 1);
}

static uint64_t compute(const struct real *r, const struct ptx_inst *i, const uint64_t *raw)
{
    uint64_t v[3] = {input(r, raw[0]), input(r, raw[1]), input(r, raw[2])};
    struct number a = number_decode(r->f, v[0]), b = number_decode(r->f, v[1]), c = number_decode(r->f, v[2]);
    switch ((int)i->op) {
    case PTX_OP_ADD: return result(r, number_add(a, b, r->round), v, 2);
    case PTX_OP_SUB: return result(r, number_add(a, number_negate(b), r->round), v, 2);
    case PTX_OP_MUL: return result(r, number_multiply(a, b), v, 2);
    case PTX_OP_MAD:
    case PTX_OP_FMA: return result(r, number_add(number_multiply(a, b), c, r->round), v, 3);
    case PTX_OP_DIV: return result(r, number_divide(a, b), v, 2);
    case PTX_OP_RCP: return result(r, number_divide(number_from_integer(1), a), v, 1);
    case PTX_OP_SQRT: return result(r, number_sqrt(a), v, 1);
    case PTX_OP_ABS: // "NaN inputs yield an unspecified NaN": with .ftz the usual NaN
        return r->ftz && a.class == NUMBER_NAN ? r->f->nan : v[0] & ~sign_of(r->f);
    case PTX_OP_NEG: return r->ftz && a.class == NUMBER_NAN ? r->f->nan : v[0] ^ sign_of(r->f);
    case PTX_OP_MIN:
    case PTX_OP_MAX: {
        uint64_t d = min_max(r, i->op == PTX_OP_MAX, v[0], v[1]);
        return i->operand_count == 4 ? min_max(r, i->op == PTX_OP_MAX, d, v[2]) : d;
    }
    case PTX_OP_COPYSIGN: return (raw[1] & ~sign_of(r->f)) | (raw[0] & sign_of(r->f));
    }
    return approximate(r, i->op, v[0]);
}

static bool test_property(const struct ptx_inst *i, uint64_t bits)
{
    const struct number_format *f = number_format(i->types[0]);
    enum number_class class = number_decode(f, bits).class;
    switch ((int)i->mode) {
    case PTX_MODE_TESTP_FINITE: return class == NUMBER_ZERO || class == NUMBER_FINITE;
    case PTX_MODE_TESTP_INFINITE: return class == NUMBER_INFINITE;
    case PTX_MODE_TESTP_NUMBER: return class != NUMBER_NAN;
    case PTX_MODE_TESTP_NAN: return class == NUMBER_NAN;
    case PTX_MODE_TESTP_SUBNORMAL: return number_is_subnormal(f, bits);
    }
    return class == NUMBER_ZERO || (class == NUMBER_FINITE && !number_is_subnormal(f, bits)); // .normal
}

bool oracle_real(struct oracle_thread *t, const struct ptx_inst *i)
{
    static const enum ptx_op ours[] = {PTX_OP_ADD, PTX_OP_SUB, PTX_OP_MUL,  PTX_OP_MAD,     PTX_OP_FMA,
                                       PTX_OP_DIV, PTX_OP_RCP, PTX_OP_SQRT, PTX_OP_RSQRT,   PTX_OP_SIN,
                                       PTX_OP_COS, PTX_OP_LG2, PTX_OP_EX2,  PTX_OP_TANH,    PTX_OP_ABS,
                                       PTX_OP_NEG, PTX_OP_MIN, PTX_OP_MAX,  PTX_OP_COPYSIGN};
    enum ptx_type type = i->types[0];
    if (!ptx_type_is_float(type)) return false;
    if (i->op == PTX_OP_TESTP) {
        bool p = test_property(i, oracle_read(t, &i->operands[1], type));
        oracle_write(t, &i->operands[0], PTX_PRED, p);
        return true;
    }
    bool known = false;
    for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++) known |= i->op == ours[k];
    if (!known) return false;
    struct real r = real_of(i);
    uint64_t v[3] = {0}, d = 0;
    for (int k = 1; k < i->operand_count && k < 4; k++) v[k - 1] = oracle_read(t, &i->operands[k], type);
    bool packed = type == PTX_F16X2 || type == PTX_BF16X2;
    for (unsigned half = 0; half < (packed ? 2u : 1u); half++) {
        uint64_t h[3];
        for (int k = 0; k < 3; k++) h[k] = packed ? v[k] >> 16 * half & 0xffff : v[k];
        d |= compute(&r, i, h) << 16 * half;
    }
    oracle_write(t, &i->operands[0], type, d);
    return true;
}

// ---- comparison

static bool ordered_as(enum ptx_cmp cmp, int o)
{
    switch (cmp) {
    case PTX_CMP_EQ:
    case PTX_CMP_EQU: return o == 0;
    case PTX_CMP_NE:
    case PTX_CMP_NEU: return o != 0;
    case PTX_CMP_LT:
    case PTX_CMP_LO:
    case PTX_CMP_LTU: return o < 0;
    case PTX_CMP_LE:
    case PTX_CMP_LS:
    case PTX_CMP_LEU: return o <= 0;
    case PTX_CMP_GT:
    case PTX_CMP_HI:
    case PTX_CMP_GTU: return o > 0;
    case PTX_CMP_GE:
    case PTX_CMP_HS:
    case PTX_CMP_GEU: return o >= 0;
    case PTX_CMP_NUM: return true;
    case PTX_CMP_NAN:
    case PTX_CMP_NONE: break;
    }
    return false;
}

static bool compare(const struct ptx_inst *i, enum ptx_type type, uint64_t a, uint64_t b)
{
    if (ptx_type_is_float(type)) {
        const struct number_format *f = number_format(type);
        if (i->ftz) {
            a = number_flush(f, a);
            b = number_flush(f, b);
        }
        if (is_nan(f, a) || is_nan(f, b))
            return i->cmp == PTX_CMP_NAN || (i->cmp >= PTX_CMP_EQU && i->cmp <= PTX_CMP_GEU);
        return ordered_as(i->cmp, order(f, a, b));
    }
    unsigned bits = ptx_type_bits(type);
    bool lower = ptx_type_is_signed(type) ? oracle_extend(a, bits) < oracle_extend(b, bits) : a < b;
    return ordered_as(i->cmp, lower ? -1 : a != b);
}

static bool combine(enum ptx_bool boolean, bool p, bool c)
{
    if (boolean == PTX_BOOL_AND) return p && c;
    if (boolean == PTX_BOOL_OR) return p || c;
    if (boolean == PTX_BOOL_XOR) return p != c;
    return p;
}

static void setp(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    uint64_t a = oracle_read(t, &i->operands[1], type), b = oracle_read(t, &i->operands[2], type);
    bool c = i->operand_count > 3 && oracle_read_pred(t, &i->operands[3]);
    const struct ptx_operand *d = &i->operands[0], *p = d, *q = NULL;
    if (d->kind == PTX_OPERAND_PAIR) {
        p = &d->elements[0];
        q = &d->elements[1];
    }
    bool first, second;
    if (type == PTX_F16X2 || type == PTX_BF16X2) { // a predicate per half
        first = combine(i->boolean, compare(i, type, a & 0xffff, b & 0xffff), c);
        second = combine(i->boolean, compare(i, type, a >> 16, b >> 16), c);
    } else {
        bool holds = compare(i, type, a, b);
        first = combine(i->boolean, holds, c);
        second = combine(i->boolean, !holds, c);
    }
    oracle_write(t, p, PTX_PRED, first);
    if (q) oracle_write(t, q, PTX_PRED, second);
}

static void set(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type to = i->types[0], type = i->types[1];
    uint64_t a = oracle_read(t, &i->operands[1], type), b = oracle_read(t, &i->operands[2], type);
    bool c = i->operand_count > 3 && oracle_read_pred(t, &i->operands[3]);
    bool packed = type == PTX_F16X2 || type == PTX_BF16X2;
    unsigned bits = packed ? 16 : ptx_type_bits(to);
    uint64_t yes = ptx_type_is_float(to) ? one(number_format(to)) : bit_mask(bits), d = 0;
    for (unsigned half = 0; half < (packed ? 2u : 1u); half++) {
        uint64_t ha = packed ? a >> 16 * half & 0xffff : a, hb = packed ? b >> 16 * half & 0xffff : b;
        if (combine(i->boolean, compare(i, type, ha, hb), c)) d |= yes << 16 * half;
    }
    oracle_write(t, &i->operands[0], to, d);
}

bool oracle_compare(struct oracle_thread *t, const struct ptx_inst *i)
{
    if (i->op == PTX_OP_SETP) {
        setp(t, i);
    } else if (i->op == PTX_OP_SET) {
        set(t, i);
    } else if (i->op == PTX_OP_SELP || i->op == PTX_OP_SLCT) {
        bool first;
        if (i->op == PTX_OP_SELP) {
            first = oracle_read_pred(t, &i->operands[3]);
        } else {
            struct ptx_inst at_least_zero = {.cmp = PTX_CMP_GE, .ftz = i->ftz};
            first = compare(&at_least_zero, i->types[1], oracle_read(t, &i->operands[3], i->types[1]), 0);
        }
        uint64_t d = oracle_read(t, &i->operands[first ? 1 : 2], i->types[0]);
        oracle_write(t, &i->operands[0], i->types[0], d);
    } else {
        return false;
    }
    return true;
}

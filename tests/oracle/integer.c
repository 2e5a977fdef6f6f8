// Integer, bit and logic instructions (PTX ISA 9.7.1, 9.7.2, 9.7.8, prmt).
//
// Operands arrive as zero-extended numbers; `signed_of` reads an operand by the instruction's type.
// Division by zero, left open by PTX, gives all ones and the dividend as remainder, as defined for the
// simulated machine.
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

struct operation {
    const struct ptx_inst *i;
    enum ptx_type type;
    unsigned bits;
    bool is_signed;
    uint64_t a, b, c, d; // source operands
};

static swide value(const struct operation *o, uint64_t v)
{
    return o->is_signed ? (swide)oracle_extend(v, o->bits) : (swide)v;
}

static uint64_t clamp(const struct operation *o, swide v)
{
    swide high = ((swide)1 << (o->bits - 1)) - 1, low = -high - 1;
    return (uint64_t)(v < low ? low : v > high ? high : v);
}

// The part of a product of two `bits`-wide numbers selected by the instruction, as a number ready for
// adding c.
static swide product(const struct operation *o, enum ptx_half half)
{
    wide p = (wide)value(o, o->a) * (wide)value(o, o->b); // modulo 2^128: exact, read by the sign of the type
    if (half != PTX_HALF_HI) return (swide)p;
    return o->is_signed ? (swide)p >> o->bits : (swide)(p >> o->bits);
}

static uint64_t mul24(const struct operation *o)
{
    swide a = o->is_signed ? (swide)oracle_extend(o->a & 0xffffff, 24) : (swide)(o->a & 0xffffff);
    swide b = o->is_signed ? (swide)oracle_extend(o->b & 0xffffff, 24) : (swide)(o->b & 0xffffff);
    swide p = a * b;
    return (uint64_t)(o->i->half == PTX_HALF_HI ? p >> 16 : p) & 0xffffffff;
}

static uint64_t divide(const struct operation *o, bool remainder)
{
    if (!o->b) return remainder ? o->a : ~0ull;
    swide a = value(o, o->a), b = value(o, o->b);
    return (uint64_t)(remainder ? a % b : a / b);
}

static uint64_t leading_zeros(const struct operation *o)
{
    return o->a ? o->bits - 1 - bit_highest(o->a) : o->bits;
}

static uint64_t bfind(const struct operation *o)
{
    uint64_t a = o->a;
    if (o->is_signed && a >> (o->bits - 1) & 1) a = ~a & bit_mask(o->bits);
    if (!a) return 0xffffffff;
    return o->i->shift_amount ? o->bits - 1 - bit_highest(a) : bit_highest(a);
}

static uint64_t fns(const struct operation *o)
{
    uint32_t mask = (uint32_t)o->a;
    int base = (int)(uint32_t)o->b, offset = (int)(uint32_t)o->c;
    if (offset == 0) return base >= 0 && base < 32 && mask >> base & 1 ? (uint64_t)base : 0xffffffff;
    int64_t count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (int p = base; p >= 0 && p<32; p += offset> 0 ? 1 : -1)
        if (mask >> p & 1 && count-- == 0) return (uint64_t)p;
    return 0xffffffff;
}

static uint64_t reverse(const struct operation *o)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < o->bits; k++) d |= (o->a >> k & 1) << (o->bits - 1 - k);
    return d;
}

static uint64_t bfe(const struct operation *o)
{
    unsigned msb = o->bits - 1, position = o->b & 0xff, length = o->c & 0xff;
    unsigned last = position + length - 1 < msb ? position + length - 1 : msb;
    uint64_t sign = o->is_signed && length ? o->a >> last & 1 : 0, d = 0;
    for (unsigned k = 0; k <= msb; k++)
        d |= (k < length && position + k <= msb ? o->a >> (position + k) & 1 : sign) << k;
    return d;
}

static uint64_t bfi(const struct operation *o)
{
    unsigned position = o->c & 0xff, length = o->d & 0xff;
    uint64_t f = o->b;
    for (unsigned k = 0; k < length && position + k < o->bits; k++) {
        f &= ~(1ull << (position + k));
        f |= (o->a >> k & 1) << (position + k);
    }
    return f;
}

static uint64_t szext(const struct operation *o)
{
    unsigned n = o->b & 31;
    bool too_large = o->b >= 32 && !o->i->wrap;
    uint32_t mask = too_large ? 0 : ~0u << n;
    bool sign = n && !too_large && o->is_signed && (o->a >> (n - 1) & 1);
    return ((uint32_t)o->a & ~mask) | (sign ? mask : 0);
}

static uint64_t bmsk(const struct operation *o)
{
    unsigned a1 = o->a & 31, b1 = o->b & 31, sum = a1 + b1;
    uint32_t mask0 = ~0u << a1, mask1 = sum < 32 ? ~0u << sum : 0;
    bool outside = false;
    if (!o->i->wrap) {
        if (o->a >= 32) mask0 = 0;
        outside = o->a >= 32 || o->b >= 32;
    }
    if (sum >= 32 || outside)
        mask1 = 0;
    else if (b1 == 0)
        mask1 = ~0u;
    return mask0 & ~mask1;
}

static int64_t element(uint64_t v, unsigned index, unsigned bits, bool is_signed)
{
    uint64_t e = v >> index * bits & bit_mask(bits);
    return is_signed ? oracle_extend(e, bits) : (int64_t)e;
}

static uint64_t dot(const struct operation *o)
{
    bool sign_a = ptx_type_is_signed(o->i->types[0]), sign_b = ptx_type_is_signed(o->i->types[1]);
    int64_t sum = (int64_t)o->c;
    if (o->i->op == PTX_OP_DP4A) {
        for (unsigned k = 0; k < 4; k++) sum += element(o->a, k, 8, sign_a) * element(o->b, k, 8, sign_b);
    } else {
        unsigned first = o->i->half == PTX_HALF_HI ? 2 : 0;
        for (unsigned k = 0; k < 2; k++)
            sum += element(o->a, k, 16, sign_a) * element(o->b, first + k, 8, sign_b);
    }
    return (uint64_t)sum;
}

static uint64_t lop3(const struct operation *o)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < 32; k++) {
        unsigned row = (unsigned)((o->a >> k & 1) << 2 | (o->b >> k & 1) << 1 | (o->c >> k & 1));
        d |= (o->d >> row & 1) << k;
    }
    return d;
}

static uint64_t funnel(const struct operation *o)
{
    unsigned n = (unsigned)(o->i->wrap ? o->c & 31 : o->c < 32 ? o->c : 32);
    uint64_t both = o->b << 32 | o->a;
    return o->i->mode == PTX_MODE_SHF_LEFT ? (n == 32 ? o->a : both << n >> 32) : both >> n;
}

static uint64_t shift(const struct operation *o)
{
    uint64_t amount = o->b;
    if (o->i->op == PTX_OP_SHL) return amount >= o->bits ? 0 : o->a << amount;
    if (amount > o->bits - 1 && !o->is_signed) return 0;
    if (amount > o->bits - 1) amount = o->bits - 1;
    return (uint64_t)(value(o, o->a) >> amount);
}

// Which of the eight source bytes becomes byte k of the result; *sign: the byte's sign is replicated
// instead.
static unsigned picked(enum ptx_mode mode, unsigned selector, unsigned k, bool *sign)
{
    unsigned c = selector & 3;
    *sign = false;
    switch ((int)mode) {
    case PTX_MODE_PRMT_F4E: return c + k;
    case PTX_MODE_PRMT_B4E: return (c - k) & 7;
    case PTX_MODE_PRMT_RC8: return c;
    case PTX_MODE_PRMT_ECL: return k < c ? c : k; // bytes below c repeat byte c
    case PTX_MODE_PRMT_ECR: return k > c ? c : k;
    case PTX_MODE_PRMT_RC16: return (c & 1) * 2 + (k & 1);
    }
    unsigned nibble = selector >> 4 * k & 15;
    *sign = nibble & 8;
    return nibble & 7;
}

static uint64_t prmt(const struct operation *o)
{
    uint64_t both = o->b << 32 | o->a, d = 0;
    for (unsigned k = 0; k < 4; k++) {
        bool sign;
        uint64_t byte = both >> 8 * picked(o->i->mode, (unsigned)o->c, k, &sign) & 0xff;
        if (sign) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * k;
    }
    return d;
}

// Instructions with a single result of the instruction's type.
static uint64_t plain(const struct operation *o, bool *known)
{
    swide a = value(o, o->a), b = value(o, o->b), c = value(o, o->c);
    const struct ptx_inst *i = o->i;
    switch ((int)i->op) {
    case PTX_OP_ADD: return i->sat ? clamp(o, a + b) : o->a + o->b;
    case PTX_OP_SUB: return i->sat ? clamp(o, a - b) : o->a - o->b;
    case PTX_OP_MUL: return (uint64_t)product(o, i->half);
    case PTX_OP_MAD: return i->sat ? clamp(o, product(o, i->half) + c) : (uint64_t)product(o, i->half) + o->c;
    case PTX_OP_MUL24: return mul24(o);
    case PTX_OP_MAD24: return i->sat ? clamp(o, oracle_extend(mul24(o), 32) + c) : mul24(o) + o->c;
    case PTX_OP_SAD: return o->c + (uint64_t)(a < b ? b - a : a - b);
    case PTX_OP_DIV: return divide(o, false);
    case PTX_OP_REM: return divide(o, true);
    case PTX_OP_ABS: return (uint64_t)(a < 0 ? -a : a);
    case PTX_OP_NEG: return (uint64_t)-a;
    case PTX_OP_MIN: return (uint64_t)(i->relu && (a < b ? a : b) < 0 ? 0 : a < b ? a : b);
    case PTX_OP_MAX: return (uint64_t)(i->relu && (a > b ? a : b) < 0 ? 0 : a > b ? a : b);
    case PTX_OP_POPC: return bit_count(o->a);
    case PTX_OP_CLZ: return leading_zeros(o);
    case PTX_OP_BFIND: return bfind(o);
    case PTX_OP_FNS: return fns(o);
    case PTX_OP_BREV: return reverse(o);
    case PTX_OP_BFE: return bfe(o);
    case PTX_OP_BFI: return bfi(o);
    case PTX_OP_SZEXT: return szext(o);
    case PTX_OP_BMSK: return bmsk(o);
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return dot(o);
    case PTX_OP_AND: return o->a & o->b;
    case PTX_OP_OR: return o->a | o->b;
    case PTX_OP_XOR: return o->a ^ o->b;
    case PTX_OP_NOT: return ~o->a;
    case PTX_OP_CNOT: return o->a == 0;
    case PTX_OP_SHF: return funnel(o);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shift(o);
    case PTX_OP_PRMT: return prmt(o);
    }
    *known = false;
    return 0;
}

// add.cc … madc.hi.cc: the carry flag of the thread (9.7.2). Subtraction's flag is a borrow.
static uint64_t extended(struct oracle_thread *t, const struct operation *o)
{
    const struct ptx_inst *i = o->i;
    bool reads = i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;
    bool in = reads && oracle_check_carry(t) && t->carry;
    wide mask = ((wide)1 << o->bits) - 1, sum;
    if (i->op == PTX_OP_SUB || i->op == PTX_OP_SUBC) {
        sum = (wide)o->a - o->b - in;
        if (i->carry_out) t->carry = (wide)o->a < (wide)o->b + in;
    } else {
        wide first = o->a, second = o->b;
        if (i->op == PTX_OP_MAD || i->op == PTX_OP_MADC) {
            first = (wide)product(o, i->half) & mask;
            second = o->c;
        }
        sum = first + second + in;
        if (i->carry_out) t->carry = sum > mask;
    }
    if (i->carry_out) t->carry_defined = true;
    return (uint64_t)sum;
}

static bool is_predicate_logic(const struct ptx_inst *i)
{
    return i->types[0] == PTX_PRED &&
           (i->op == PTX_OP_AND || i->op == PTX_OP_OR || i->op == PTX_OP_XOR || i->op == PTX_OP_NOT);
}

static void predicate_logic(struct oracle_thread *t, const struct ptx_inst *i)
{
    bool a = oracle_read_pred(t, &i->operands[1]);
    bool b = i->operand_count > 2 && oracle_read_pred(t, &i->operands[2]);
    bool d = i->op == PTX_OP_AND ? a && b : i->op == PTX_OP_OR ? a || b : i->op == PTX_OP_XOR ? a != b : !a;
    oracle_write(t, &i->operands[0], PTX_PRED, d);
}

// The type of source operand k (from 0); shift amounts, positions and lengths are 32-bit whatever the
// instruction.
static enum ptx_type source_type(const struct ptx_inst *i, unsigned k)
{
    enum ptx_type type = i->types[0];
    switch ((int)i->op) {
    case PTX_OP_SHL:
    case PTX_OP_SHR: return k == 1 ? PTX_U32 : type;
    case PTX_OP_BFE: return k >= 1 ? PTX_U32 : type;
    case PTX_OP_BFI: return k >= 2 ? PTX_U32 : type;
    case PTX_OP_DP2A:
    case PTX_OP_DP4A: return PTX_B32;
    case PTX_OP_MAD:
        if (k == 2 && i->half == PTX_HALF_WIDE) return ptx_type_bits(type) == 16 ? PTX_B32 : PTX_B64;
    }
    return type;
}

static enum ptx_type result_type(const struct ptx_inst *i)
{
    switch ((int)i->op) {
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BFIND:
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return PTX_B32;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        if (i->half == PTX_HALF_WIDE) return ptx_type_bits(i->types[0]) == 16 ? PTX_B32 : PTX_B64;
    }
    return i->types[0];
}

static void packed(struct oracle_thread *t, const struct ptx_inst *i)
{
    struct operation o = {.i = i, .bits = 16, .is_signed = i->types[0] == PTX_S16X2};
    uint64_t a = oracle_read(t, &i->operands[1], PTX_B32), d = 0;
    uint64_t b = i->operand_count > 2 ? oracle_read(t, &i->operands[2], PTX_B32) : 0;
    for (unsigned half = 0; half < 2; half++) {
        bool known = true;
        o.a = a >> 16 * half & 0xffff;
        o.b = b >> 16 * half & 0xffff;
        d |= (plain(&o, &known) & 0xffff) << 16 * half;
    }
    oracle_write(t, &i->operands[0], PTX_B32, d);
}

// lop3.BoolOp.b32 d|p, a, b, c, table, q
static void lop3_with_predicate(struct oracle_thread *t, const struct ptx_inst *i, uint64_t d)
{
    const struct ptx_operand *to = &i->operands[0];
    if (to->kind != PTX_OPERAND_PAIR) {
        oracle_write(t, to, PTX_B32, d);
        return;
    }
    bool q = oracle_read_pred(t, &i->operands[5]);
    bool p = i->boolean == PTX_BOOL_AND ? d && q : i->boolean == PTX_BOOL_OR ? d || q : (d != 0) != q;
    oracle_write(t, &to->elements[0], PTX_B32, d);
    oracle_write(t, &to->elements[1], PTX_PRED, p);
}

bool oracle_integer(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    if (is_predicate_logic(i)) {
        predicate_logic(t, i);
        return true;
    }
    if (ptx_type_is_float(type)) return false;
    if (type == PTX_U16X2 || type == PTX_S16X2) {
        packed(t, i);
        return true;
    }
    struct operation o = {
        .i = i, .type = type, .bits = ptx_type_bits(type), .is_signed = ptx_type_is_signed(type)};
    if (i->op == PTX_OP_DP4A || i->op == PTX_OP_DP2A) o.bits = 32;
    uint64_t *sources[4] = {&o.a, &o.b, &o.c, &o.d};
    bool carries = i->carry_out || i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;
    bool known = true;
    uint64_t d;
    if (i->op == PTX_OP_MOV || i->op == PTX_OP_CVT || i->op == PTX_OP_CVTA) return false;
    for (unsigned k = 0; k + 1 < i->operand_count && k < 4; k++)
        if (i->operands[k + 1].kind == PTX_OPERAND_REG || i->operands[k + 1].kind == PTX_OPERAND_IMM)
            *sources[k] = oracle_read(t, &i->operands[k + 1], source_type(i, k));
    if (carries) {
        d = extended(t, &o);
    } else if (i->op == PTX_OP_LOP3) {
        lop3_with_predicate(t, i, lop3(&o) & 0xffffffff);
        return true;
    } else {
        d = plain(&o, &known);
    }
    if (known) oracle_write(t, &i->operands[0], result_type(i), d);
    return known;
}

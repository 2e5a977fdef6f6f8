// Constant folding: integers, bits, predicates. Floats are in fold_float.c.
#include "compile/pass/fold.h"
#include "isa/inst.h"
#include "isa/modes.h"

#include "base/bits.h"

struct operands {
    uint64_t a, b, c, d;
    unsigned width; // of the operation's type: 32 or 64
    bool is_signed;
};

static uint64_t low(uint64_t v, unsigned width) { return width == 32 ? (uint32_t)v : v; }

static int64_t as_signed(uint64_t v, unsigned width)
{
    return width == 32 ? (int64_t)(int32_t)v : (int64_t)v;
}

bool fold_compare_int(enum isa_cmp cmp, enum isa_type type, uint64_t x, uint64_t y)
{
    x = fold_extend(x, type), y = fold_extend(y, type);
    bool less = isa_type_is_signed(type) ? (int64_t)x < (int64_t)y : x < y, equal = x == y;
    switch (cmp) {
    case CMP_F:
    case CMP_NAN: return false;
    case CMP_LT:
    case CMP_LTU: return less;
    case CMP_EQ:
    case CMP_EQU: return equal;
    case CMP_LE:
    case CMP_LEU: return less || equal;
    case CMP_GT:
    case CMP_GTU: return !less && !equal;
    case CMP_NE:
    case CMP_NEU: return !equal;
    case CMP_GE:
    case CMP_GEU: return !less;
    case CMP_NUM:
    case CMP_T: break;
    }
    return true;
}

static uint64_t divide(const struct operands *o, bool remainder)
{
    uint64_t all = low(~0ull, o->width);
    if (!o->b) return remainder ? o->a : all;
    if (!o->is_signed) return remainder ? o->a % o->b : o->a / o->b;
    int64_t x = as_signed(o->a, o->width), y = as_signed(o->b, o->width);
    if (y == -1) return remainder ? 0 : 0 - o->a; // INT_MIN / -1 overflows int64_t
    return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t multiply_high(const struct operands *o)
{
    if (o->width == 32)
        return (o->is_signed ? (uint64_t)(as_signed(o->a, 32) * as_signed(o->b, 32)) : o->a * o->b) >> 32;
    if (o->is_signed) return (uint64_t)((__int128)(int64_t)o->a * (int64_t)o->b >> 64);
    return (uint64_t)((unsigned __int128)o->a * o->b >> 64);
}

static uint64_t wide_product(const struct ir_inst *i, const struct operands *o)
{
    enum isa_type type = (enum isa_type)i->type;
    return fold_extend(o->a, type) * fold_extend(o->b, type);
}

static uint64_t shift_left(const struct operands *o) { return (uint32_t)o->b >= o->width ? 0 : o->a << o->b; }

static uint64_t shift_right(const struct operands *o)
{
    uint32_t amount = (uint32_t)o->b;
    if (o->is_signed)
        return (uint64_t)(as_signed(o->a, o->width) >> (amount < o->width ? amount : o->width - 1));
    return amount >= o->width ? 0 : o->a >> amount;
}

// Funnel shift of the 64-bit value {b:a}: SHF_L returns the high word of the result, SHF_R the low word.
static uint64_t funnel(const struct ir_inst *i, const struct operands *o)
{
    bool by_64 = i->type == TYPE_U64 || i->type == TYPE_S64;
    uint64_t both = o->b << 32 | (uint32_t)o->a;
    uint32_t limit = by_64 ? 64 : 32, amount = (uint32_t)o->c;
    amount = i->flags & INST_WRAP ? amount & 31 : amount < limit ? amount : limit;
    if (i->mode == MODE_SHF_L) return amount == 64 ? 0 : both << amount >> 32;
    if (i->type == TYPE_S64) return (uint64_t)((int64_t)both >> (amount < 63 ? amount : 63));
    return amount == 64 ? 0 : both >> amount;
}

// PTX ISA 9.7.1.19, bfe: field bits beyond the top of the source are filled with the field's sign bit, or
// with zero for an unsigned type.
static uint64_t extract(const struct operands *o)
{
    unsigned position = o->b & 255, length = o->c & 255, top = o->width - 1;
    if (!length) return 0;
    unsigned end = position + length - 1;
    uint64_t sign = o->is_signed ? o->a >> (end < top ? end : top) & 1 : 0;
    uint64_t field = position > top ? 0 : o->a >> position;
    unsigned valid = position > top ? 0 : end < top ? length : top - position + 1;
    return (field & bit_mask(valid)) | (sign ? ~bit_mask(valid) : 0);
}

static uint64_t insert(const struct operands *o)
{
    unsigned position = o->c & 255, length = o->d & 255;
    if (position >= o->width) return o->b;
    uint64_t mask = bit_mask(length) << position;
    return (o->b & ~mask) | (o->a << position & mask);
}

// PTX ISA 9.7.9.7, prmt: index of the byte of {b:a} at position k of the result.
static unsigned permuted_byte(enum isa_mode mode, uint32_t selector, unsigned k)
{
    unsigned n = selector & 3;
    switch ((int)mode) {
    case MODE_PRMT_F4E: return n + k;
    case MODE_PRMT_B4E: return (n - k) & 7;
    case MODE_PRMT_RC8: return n;
    case MODE_PRMT_ECL: return k > n ? k : n;
    case MODE_PRMT_ECR: return k < n ? k : n;
    case MODE_PRMT_RC16: return 2 * (n & 1) + (k & 1);
    }
    return selector >> 4 * k & 7;
}

static uint64_t permute(const struct ir_inst *i, const struct operands *o)
{
    uint64_t bytes = o->b << 32 | (uint32_t)o->a, result = 0;
    uint32_t selector = (uint32_t)o->c;
    for (unsigned k = 0; k < 4; k++) {
        uint64_t byte = bytes >> 8 * permuted_byte((enum isa_mode)i->mode, selector, k) & 0xff;
        bool sign_only = i->mode == MODE_NONE && selector >> (4 * k + 3) & 1;
        if (sign_only) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * k;
    }
    return result;
}

static uint64_t reverse(uint64_t v, unsigned width)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < width; k++) r |= (v >> k & 1) << (width - 1 - k);
    return r;
}

static uint64_t find_leading(const struct ir_inst *i, const struct operands *o)
{
    uint64_t v = o->is_signed && as_signed(o->a, o->width) < 0 ? low(~o->a, o->width) : o->a;
    if (!v) return UINT32_MAX;
    return i->mode == MODE_FLO_SH ? o->width - 1 - bit_highest(v) : bit_highest(v);
}

static uint64_t logic(uint8_t lut, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; k++)
        if (lut >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

static uint64_t saturate(const struct ir_inst *i, uint64_t v)
{
    enum isa_type to = (enum isa_type)i->type, from = (enum isa_type)i->type2;
    unsigned bits = 8 * isa_type_bytes(to);
    uint64_t top = bit_mask(isa_type_is_signed(to) ? bits - 1 : bits);
    int64_t bottom = isa_type_is_signed(to) ? -(int64_t)(top >> 1) - (int64_t)(top - (top >> 1)) - 1 : 0;
    v = fold_extend(v, from);
    if (isa_type_is_signed(from) && (int64_t)v < 0) return (int64_t)v < bottom ? (uint64_t)bottom : v;
    return v > top ? top : v;
}

static uint64_t clamped(const struct ir_inst *i, uint64_t amount)
{
    uint32_t n = (uint32_t)amount;
    return i->flags & INST_WRAP ? n & 31 : n < 32 ? n : 32;
}

static uint64_t extend_from_bit(const struct ir_inst *i, const struct operands *o)
{
    unsigned n = (unsigned)clamped(i, o->b);
    if (!n) return 0;
    uint64_t field = o->a & bit_mask(n);
    return o->is_signed && field >> (n - 1) & 1 ? field | ~bit_mask(n) : field;
}

// Folds an operation with carry out. *sum: the result as 33 bits, the carry in bit 32. False: i has a
// different operation.
static bool fold_carry(const struct ir_inst *i, const struct operands *o, uint64_t *sum)
{
    uint64_t a = (uint32_t)o->a, b = (uint32_t)o->b, not_b = (uint32_t)~o->b;
    switch ((int)i->op) {
    case IR_ADDCC: *sum = a + b; return true;
    case IR_ADDX: *sum = a + b + o->c; return true;
    case IR_SUBCC: *sum = a + not_b + 1; return true;
    case IR_SUBX: *sum = a + not_b + o->c; return true;
    case IR_MADCC:
    case IR_MADX: {
        uint64_t product = wide_product(i, o);
        product = i->flags & INST_HI ? product >> 32 : (uint32_t)product;
        *sum = product + (uint32_t)o->c + (i->op == IR_MADX ? o->d : 0);
        return true;
    }
    }
    return false;
}

static uint64_t absolute_difference(const struct ir_inst *i, const struct operands *o)
{
    bool less = fold_compare_int(CMP_LT, (enum isa_type)i->type, o->a, o->b);
    return (less ? o->b - o->a : o->a - o->b) + o->c;
}

static bool fold_integer(const struct ir_inst *i, const struct operands *o, uint64_t *result)
{
    bool less;
    switch ((int)i->op) {
    case IR_COPY: *result = o->a; return true;
    case IR_PACK: *result = o->b << 32 | (uint32_t)o->a; return true;
    case IR_LO: *result = o->a; return true;
    case IR_HI: *result = o->a >> 32; return true;
    case IR_ZEXT:
    case IR_SEXT: *result = fold_extend(o->a, (enum isa_type)i->type2); return true;
    case IR_ADD: *result = o->a + o->b; return true;
    case IR_SUB: *result = o->a - o->b; return true;
    case IR_MUL: *result = o->a * o->b; return true;
    case IR_MULHI: *result = multiply_high(o); return true;
    case IR_MULWIDE: *result = wide_product(i, o); return true;
    case IR_MAD: *result = o->a * o->b + o->c; return true;
    case IR_MADWIDE: *result = wide_product(i, o) + o->c; return true;
    case IR_DIV: *result = divide(o, false); return true;
    case IR_REM: *result = divide(o, true); return true;
    case IR_NEG: *result = 0 - o->a; return true;
    case IR_ABS: *result = as_signed(o->a, o->width) < 0 ? 0 - o->a : o->a; return true;
    case IR_MIN:
    case IR_MAX:
        less = fold_compare_int(CMP_LT, (enum isa_type)i->type, o->a, o->b);
        *result = less == (i->op == IR_MIN) ? o->a : o->b;
        return true;
    case IR_AND: *result = o->a & o->b; return true;
    case IR_OR: *result = o->a | o->b; return true;
    case IR_XOR: *result = o->a ^ o->b; return true;
    case IR_NOT: *result = ~o->a; return true;
    case IR_LOP3: *result = logic(i->lut, (uint32_t)o->a, (uint32_t)o->b, (uint32_t)o->c); return true;
    case IR_SHL: *result = shift_left(o); return true;
    case IR_SHR: *result = shift_right(o); return true;
    case IR_FUNNEL: *result = funnel(i, o); return true;
    case IR_BFE: *result = extract(o); return true;
    case IR_BFI: *result = insert(o); return true;
    case IR_PRMT: *result = permute(i, o); return true;
    case IR_BREV: *result = reverse(o->a, o->width); return true;
    case IR_POPC: *result = bit_count(o->a); return true;
    case IR_FLO: *result = find_leading(i, o); return true;
    case IR_SAD: *result = absolute_difference(i, o); return true;
    case IR_SZEXT: *result = extend_from_bit(i, o); return true;
    case IR_BMSK: *result = bit_mask((unsigned)clamped(i, o->b)) << clamped(i, o->a); return true;
    case IR_SATI: *result = saturate(i, o->a); return true;
    case IR_SETP:
        *result = fold_compare_int((enum isa_cmp)i->cmp, (enum isa_type)i->type, o->a, o->b);
        return true;
    case IR_SELECT: *result = o->c ? o->a : o->b; return true;
    case IR_PAND: *result = o->a & o->b; return true;
    case IR_POR: *result = o->a | o->b; return true;
    case IR_PXOR: *result = o->a ^ o->b; return true;
    case IR_PNOT: *result = !o->a; return true;
    }
    return false;
}

static bool takes_floats(const struct ir_inst *i)
{
    if (i->op == IR_CVT || i->op == IR_FCHK || i->op == IR_MUFU || i->op == IR_CVTPACK) return true;
    return i->op != IR_COPY && i->op != IR_SELECT && isa_type_is_float((enum isa_type)i->type);
}

bool fold(const struct ir_inst *i, uint64_t *results)
{
    uint64_t u[4] = {0};
    if (!i->use_count || i->use_count > 4 || i->op == IR_PHI || !ir_is_pure(i)) return false;
    for (uint32_t k = 0; k < i->use_count; k++)
        if (!ir_operand(i, k) || !ir_constant_bits(ir_operand(i, k), &u[k])) return false;
    struct operands o = {u[0], u[1], u[2], u[3], 32, isa_type_is_signed((enum isa_type)i->type)};
    if (ir_class_of_type((enum isa_type)i->type) == IR_CLASS_64) o.width = 64;
    uint64_t sum;
    if (takes_floats(i)) {
        if (i->def_count != 1 || !fold_float(i, u, &results[0])) return false;
    } else if (fold_carry(i, &o, &sum)) {
        results[0] = sum;
        results[1] = sum >> 32;
    } else if (i->def_count != 1 || !fold_integer(i, &o, &results[0])) {
        return false;
    }
    for (uint32_t k = 0; k < i->def_count; k++)
        if (i->defs[k]->class == IR_CLASS_32) results[k] = (uint32_t)results[k];
    return true;
}

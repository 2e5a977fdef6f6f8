// Integer division, and 64-bit integer operations without support in selection.
#include "compile/pass/legalise.h"
#include "isa/modes.h"

static bool is_signed(const struct ir_inst *i) { return isa_type_is_signed((enum isa_type)i->type); }

static struct ir_value *cvt(struct builder *b, enum isa_type to, enum isa_type from, enum isa_round round,
                            struct ir_value *x)
{
    struct ir_value *v = build1(b, IR_CVT, to, x);
    b->made->type2 = (uint8_t)from;
    b->made->round = (uint8_t)round;
    return v;
}

static struct ir_value *zero_of(struct builder *b, enum isa_type type)
{
    return ir_constant(b->f, ir_class_of_type(type), 0);
}

static struct ir_value *magnitude(struct builder *b, enum isa_type type, struct ir_value *x)
{
    if (type == TYPE_S32) return build1(b, IR_ABS, TYPE_S32, x);
    struct ir_value *negative = build_compare(b, CMP_LT, TYPE_S64, x, build_u64(b, 0));
    return build_select(b, negative, build1(b, IR_NEG, TYPE_S64, x), x);
}

// For signed types, applies the sign to a quotient or remainder of magnitudes; for all operations but a
// 32-bit remainder, selects the result of a division by zero.
static struct ir_value *finish_division(struct builder *b, const struct ir_inst *i, struct ir_value *x,
                                        struct ir_value *y, struct ir_value *result)
{
    enum isa_type type = (enum isa_type)i->type;
    bool wide = ir_class_of_type(type) == IR_CLASS_64;
    if (is_signed(i)) {
        struct ir_value *sign = wide ? build1(b, IR_HI, TYPE_NONE, x) : x;
        if (i->op == IR_DIV)
            sign = build2(b, IR_XOR, TYPE_B32, sign, wide ? build1(b, IR_HI, TYPE_NONE, y) : y);
        struct ir_value *negative = build_compare(b, CMP_LT, TYPE_S32, sign, build_u32(b, 0));
        result = build_select(b, negative, build1(b, IR_NEG, type, result), result);
    }
    if (i->op == IR_REM && !wide) return result; // for y = 0: x minus (quotient 0 to 2) times 0 is x
    enum isa_type bits = wide ? TYPE_U64 : TYPE_U32;
    struct ir_value *by_zero = build_compare(b, CMP_EQ, bits, y, zero_of(b, bits));
    return build_select(b, by_zero, i->op == IR_REM ? x : ir_constant(b->f, ir_class_of_type(bits), ~0ull),
                        result);
}

// n / d for 32-bit magnitudes. z is a lower bound of 2^32 / d, good to about 22 bits. d is rounded up to a
// float, and its approximate reciprocal is lowered by two ulps and multiplied by 2^32. After an integer
// Newton step for z, the quotient, the high word of z·n, is short by at most 2.
struct ir_value *legalise_div32(struct ir_inst *i)
{
    struct builder at = builder_at(i), *b = &at;
    enum isa_type type = (enum isa_type)i->type;
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_value *n = is_signed(i) ? magnitude(b, type, x) : x,
                    *d = is_signed(i) ? magnitude(b, type, y) : y;
    struct ir_value *r = build1(b, IR_MUFU, TYPE_F32, cvt(b, TYPE_F32, TYPE_U32, ROUND_RP, d));
    b->made->mode = MODE_MUFU_RCP;
    r = build2(b, IR_ADD, TYPE_U32, r, build_u32(b, 0x0ffffffe));
    struct ir_value *z = cvt(b, TYPE_U32, TYPE_F32, ROUND_RZ, r);
    struct ir_value *minus = build1(b, IR_NEG, TYPE_S32, d);
    struct ir_value *error = build2(b, IR_MUL, TYPE_U32, minus, z); // 2^32 - d·z modulo 2^32
    z = build2(b, IR_ADD, TYPE_U32, z, build2(b, IR_MULHI, TYPE_U32, z, error));
    struct ir_value *q = build2(b, IR_MULHI, TYPE_U32, z, n);
    struct ir_value *rest = build3(b, IR_MAD, TYPE_U32, minus, q, n);
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *more = build_compare(b, CMP_GE, TYPE_U32, rest, d);
        bool last = k == 1;
        if (i->op == IR_DIV) q = build_select(b, more, build2(b, IR_ADD, TYPE_U32, q, build_u32(b, 1)), q);
        if (i->op == IR_REM || !last)
            rest = build_select(b, more, build2(b, IR_SUB, TYPE_U32, rest, d), rest);
    }
    return finish_division(b, i, x, y, i->op == IR_DIV ? q : rest);
}

static struct ir_value *truncated_product(struct builder *b, struct ir_value *n, struct ir_value *r)
{
    struct ir_value *product = build2(b, IR_FMUL, TYPE_F64, cvt(b, TYPE_F64, TYPE_U64, ROUND_RZ, n), r);
    b->made->round = ROUND_RZ;
    return cvt(b, TYPE_U64, TYPE_F64, ROUND_RZ, product);
}

// n / d for 64-bit magnitudes, with a double-precision r below 1/d by a fraction of 2^-36 ± 2^-38 of 1/d. The
// first partial quotient n·r leaves a rest below 2^28.2 d, the second leaves a rest below 2 d, the last is 0
// or 1.
struct ir_value *legalise_div64(struct ir_inst *i)
{
    struct builder at = builder_at(i), *b = &at;
    enum isa_type type = (enum isa_type)i->type;
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_value *n = is_signed(i) ? magnitude(b, type, x) : x,
                    *d = is_signed(i) ? magnitude(b, type, y) : y;
    struct ir_value *real = cvt(b, TYPE_F64, TYPE_U64, ROUND_RP, d);
    struct ir_value *high = build1(b, IR_MUFU, TYPE_F64, build1(b, IR_HI, TYPE_NONE, real));
    b->made->mode = MODE_MUFU_RCP64H;
    struct ir_value *r = build2(b, IR_PACK, TYPE_NONE, build_u32(b, 0), high);
    struct ir_value *below_one = build_u64(b, 0x3feffffffffe0000); // 1 - 2^-36
    struct ir_value *e = build3(b, IR_FFMA, TYPE_F64, build1(b, IR_FNEG, TYPE_F64, real), r, below_one);
    r = build3(b, IR_FFMA, TYPE_F64, r, e, r);
    struct ir_value *q = NULL, *rest = n;
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *part = truncated_product(b, rest, r);
        rest = build2(b, IR_SUB, TYPE_U64, rest, build2(b, IR_MUL, TYPE_U64, part, d));
        q = q ? build2(b, IR_ADD, TYPE_U64, q, part) : part;
    }
    struct ir_value *more = build_compare(b, CMP_GE, TYPE_U64, rest, d);
    if (i->op == IR_DIV)
        q = build_select(b, more, build2(b, IR_ADD, TYPE_U64, q, build_u64(b, 1)), q);
    else
        q = build_select(b, more, build2(b, IR_SUB, TYPE_U64, rest, d), rest);
    return finish_division(b, i, x, y, q);
}

// -- other 64-bit operations --------------------------------------------------------------------------------

struct words { // halves of a 64-bit value
    struct ir_value *low, *high;
};

static struct words words_of(struct builder *b, struct ir_value *x)
{
    return (struct words){build1(b, IR_LO, TYPE_NONE, x), build1(b, IR_HI, TYPE_NONE, x)};
}

static struct ir_value *pack(struct builder *b, struct ir_value *low, struct ir_value *high)
{
    return build2(b, IR_PACK, TYPE_NONE, low, high);
}

//            x.high x.low
//    times   y.high y.low      high half of the unsigned product, minus y if x is negative, minus x if y is
static struct ir_value *multiply_high(struct builder *b, bool with_sign, struct ir_value *x,
                                      struct ir_value *y)
{
    struct words u = words_of(b, x), v = words_of(b, y);
    struct ir_value *zero = build_u32(b, 0);
    struct ir_value *low = build2(b, IR_MULWIDE, TYPE_U32, u.low, v.low);
    struct ir_value *carried = pack(b, build1(b, IR_HI, TYPE_NONE, low), zero);
    struct words first = words_of(b, build3(b, IR_MADWIDE, TYPE_U32, u.high, v.low, carried));
    struct ir_value *second = build3(b, IR_MADWIDE, TYPE_U32, u.low, v.high, pack(b, first.low, zero));
    struct ir_value *sum = build3(b, IR_MADWIDE, TYPE_U32, u.high, v.high, pack(b, first.high, zero));
    sum = build2(b, IR_ADD, TYPE_U64, sum, pack(b, build1(b, IR_HI, TYPE_NONE, second), zero));
    if (!with_sign) return sum;
    struct ir_value *none = build_u64(b, 0);
    struct ir_value *x_negative = build_compare(b, CMP_LT, TYPE_S32, u.high, zero);
    struct ir_value *y_negative = build_compare(b, CMP_LT, TYPE_S32, v.high, zero);
    sum = build2(b, IR_SUB, TYPE_U64, sum, build_select(b, x_negative, y, none));
    return build2(b, IR_SUB, TYPE_U64, sum, build_select(b, y_negative, x, none));
}

// Ones below bit n; 64 ones for n >= 64.
static struct ir_value *ones_below(struct builder *b, struct ir_value *n)
{
    return build1(b, IR_NOT, TYPE_B64, build2(b, IR_SHL, TYPE_U64, build_u64(b, ~0ull), n));
}

static struct ir_value *low_byte(struct builder *b, struct ir_value *x)
{
    return build2(b, IR_AND, TYPE_B32, x, build_u32(b, 0xff));
}

// PTX ISA 9.7.1.19: position and length are 8 bits. Bits beyond the top are filled with zero, or for a signed
// field with the bit at min(position + length - 1, 63).
static struct ir_value *extract_field(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_value *position = low_byte(b, ir_operand(i, 1)), *length = low_byte(b, ir_operand(i, 2));
    struct ir_value *mask = ones_below(b, length);
    struct ir_value *field =
        build2(b, IR_AND, TYPE_B64, build2(b, IR_SHR, (enum isa_type)i->type, x, position), mask);
    if (!is_signed(i)) return field;
    struct ir_value *end =
        build2(b, IR_ADD, TYPE_U32, build2(b, IR_ADD, TYPE_U32, position, length), build_u32(b, ~0u));
    struct ir_value *top = build2(b, IR_MIN, TYPE_U32, end, build_u32(b, 63));
    struct ir_value *bit = build2(b, IR_AND, TYPE_B64, build2(b, IR_SHR, TYPE_U64, x, top), build_u64(b, 1));
    struct ir_value *fill =
        build2(b, IR_AND, TYPE_B64, build1(b, IR_NEG, TYPE_S64, bit), build1(b, IR_NOT, TYPE_B64, mask));
    struct ir_value *empty = build_compare(b, CMP_EQ, TYPE_U32, length, build_u32(b, 0));
    return build_select(b, empty, build_u64(b, 0), build2(b, IR_OR, TYPE_B64, field, fill));
}

static struct ir_value *insert_field(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *position = low_byte(b, ir_operand(i, 2)), *length = low_byte(b, ir_operand(i, 3));
    struct ir_value *mask = build2(b, IR_SHL, TYPE_U64, ones_below(b, length), position);
    struct ir_value *inserted =
        build2(b, IR_AND, TYPE_B64, build2(b, IR_SHL, TYPE_U64, ir_operand(i, 0), position), mask);
    struct ir_value *kept = build2(b, IR_AND, TYPE_B64, ir_operand(i, 1), build1(b, IR_NOT, TYPE_B64, mask));
    return build2(b, IR_OR, TYPE_B64, inserted, kept);
}

static struct ir_value *select_by(struct builder *b, enum isa_cmp cmp, enum isa_type type, struct ir_value *x,
                                  struct ir_value *y)
{
    return build_select(b, build_compare(b, cmp, type, x, y), x, y);
}

// Saturation with a 64-bit source or destination: extends a narrower source and clamps in 64 bits. A destination of
// up to 32 bits takes the low word.
static struct ir_value *saturate(struct builder *b, const struct ir_inst *i)
{
    enum isa_type to = (enum isa_type)i->type, from = (enum isa_type)i->type2;
    bool from_signed = isa_type_is_signed(from), to_signed = isa_type_is_signed(to);
    unsigned to_bits = 8 * isa_type_bytes(to);
    struct ir_value *x = ir_operand(i, 0);
    if (isa_type_bytes(from) < 8) x = build_extend(b, from, from_signed ? TYPE_S64 : TYPE_U64, x);
    enum isa_type compared = from_signed ? TYPE_S64 : TYPE_U64;
    uint64_t top = to_bits == 64 ? ~0ull : (1ull << to_bits) - 1;
    if (to_signed) top >>= 1;
    if (from_signed) {
        uint64_t bottom = to_signed ? ~top : 0;
        if (to_bits < 64 || !to_signed) x = select_by(b, CMP_GT, compared, x, build_u64(b, bottom));
    }
    if (top < (from_signed ? (uint64_t)INT64_MAX : UINT64_MAX))
        x = select_by(b, CMP_LT, compared, x, build_u64(b, top));
    return to_bits == 64 ? x : build1(b, IR_LO, TYPE_NONE, x);
}

static struct ir_value *count_ones(struct builder *b, struct ir_value *x)
{
    struct words w = words_of(b, x);
    return build2(b, IR_ADD, TYPE_U32, build1(b, IR_POPC, TYPE_U32, w.low),
                  build1(b, IR_POPC, TYPE_U32, w.high));
}

static struct ir_value *reverse(struct builder *b, struct ir_value *x)
{
    struct words w = words_of(b, x);
    return pack(b, build1(b, IR_BREV, TYPE_B32, w.high), build1(b, IR_BREV, TYPE_B32, w.low));
}

// Position of the leading one: in the high word, plus 32, or else in the low word. Counted from the top, the
// low word's position grows by 32. -1 (no bit set) stays. A negative operand is complemented first.
static struct ir_value *find_leading(struct builder *b, const struct ir_inst *i)
{
    struct words w = words_of(b, ir_operand(i, 0));
    if (is_signed(i)) {
        struct ir_value *sign = build2(b, IR_SHR, TYPE_S32, w.high, build_u32(b, 31));
        w.low = build2(b, IR_XOR, TYPE_B32, w.low, sign);
        w.high = build2(b, IR_XOR, TYPE_B32, w.high, sign);
    }
    struct ir_value *zero = build_u32(b, 0), *far = build_u32(b, 32);
    struct ir_value *high = build1(b, IR_FLO, TYPE_U32, w.high);
    b->made->mode = i->mode;
    struct ir_value *low = build1(b, IR_FLO, TYPE_U32, w.low);
    b->made->mode = i->mode;
    if (i->mode == MODE_FLO_SH) {
        struct ir_value *none = build_compare(b, CMP_EQ, TYPE_U32, w.low, zero);
        low = build_select(b, none, low, build2(b, IR_ADD, TYPE_U32, low, far));
    } else {
        high = build2(b, IR_ADD, TYPE_U32, high, far);
    }
    return build_select(b, build_compare(b, CMP_EQ, TYPE_U32, w.high, zero), low, high);
}

struct ir_value *legalise_wide(struct ir_inst *i)
{
    struct builder at = builder_at(i), *b = &at;
    bool wide = ir_class_of_type((enum isa_type)i->type) == IR_CLASS_64;
    if (i->op == IR_SATI) return wide || isa_type_bytes((enum isa_type)i->type2) == 8 ? saturate(b, i) : NULL;
    if (!wide) return NULL;
    switch ((int)i->op) {
    case IR_MULHI: return multiply_high(b, is_signed(i), ir_operand(i, 0), ir_operand(i, 1));
    case IR_BFE: return extract_field(b, i);
    case IR_BFI: return insert_field(b, i);
    case IR_ABS: return magnitude(b, TYPE_S64, ir_operand(i, 0));
    case IR_MIN:
    case IR_MAX:
        return select_by(b, i->op == IR_MIN ? CMP_LT : CMP_GT, (enum isa_type)i->type, ir_operand(i, 0),
                         ir_operand(i, 1));
    case IR_POPC: return count_ones(b, ir_operand(i, 0));
    case IR_BREV: return reverse(b, ir_operand(i, 0));
    case IR_FLO: return find_leading(b, i);
    }
    return NULL;
}

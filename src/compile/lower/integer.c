// Integer arithmetic of 8 to 64 bits (PTX ISA 9.7.1).
//
// Registers of 8 and 16 bits have unspecified upper bits. Operations with low result bits that depend only on
// low operand bits use the operands unchanged. For other operations (hi products, quotients, comparisons,
// right shifts) the operands are extended first. A 16-bit quotient or product cannot overflow in 32 bits.
#include "compile/lower/impl.h"
#include "isa/inst.h"
#include "isa/modes.h"

static struct ir_value *make_wide(struct lower *l, enum ir_op op, enum isa_type type, uint32_t count,
                                  struct ir_value *const *uses)
{
    return lower_make(l, op, type, IR_CLASS_64, count, uses);
}

// Lower an integer operation with two operands. Operands of 8 or 16 bits are used unextended by low_binary,
// and extended to 32 bits by extended_binary.
static void low_binary(struct lower *l, enum ir_op op)
{
    enum ptx_type type = lower_type0(l);
    lower_write(l, 0, op2(l, op, lower_integer_type(type), lower_read(l, 1, type), lower_read(l, 2, type)));
}

static void extended_binary(struct lower *l, enum ir_op op)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read_extended(l, 1, type), *b = lower_read_extended(l, 2, type);
    lower_write(l, 0, op2(l, op, lower_integer_type(type), a, b));
}

// Replaces r, the sum or difference of a and b, by the s32 limit with the sign of a if r overflowed s32:
//     sum:        (a ^ r) & (b ^ r) is negative        difference: (a ^ b) & (a ^ r) is negative
static struct ir_value *saturate(struct lower *l, uint8_t overflow_lut, struct ir_value *a,
                                 struct ir_value *b, struct ir_value *r)
{
    struct ir_value *overflow = lower_lop3(l, overflow_lut, a, b, r);
    struct ir_value *limit =
        op2(l, IR_XOR, TYPE_U32, op2(l, IR_SHR, TYPE_S32, a, word(l, 31)), word(l, INT32_MAX));
    return lower_select(l, lower_compare(l, CMP_LT, TYPE_S32, overflow, word(l, 0)), limit, r);
}

enum {
    LUT_SUM_OVERFLOW = (0xf0 ^ 0xaa) & (0xcc ^ 0xaa),
    LUT_DIFFERENCE_OVERFLOW = (0xf0 ^ 0xcc) & (0xf0 ^ 0xaa)
};

static struct ir_value *saturated_sum(struct lower *l, struct ir_value *a, struct ir_value *b)
{
    return saturate(l, LUT_SUM_OVERFLOW, a, b, op2(l, IR_ADD, TYPE_S32, a, b));
}

static bool is_packed(enum ptx_type type) { return type == PTX_U16X2 || type == PTX_S16X2; }

void lower_add(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    if (lower_is_float(type)) {
        lower_float_binary(l, IR_FADD);
    } else if (is_packed(type)) {
        lower_write(l, 0, op2(l, IR_ADD2, TYPE_U16, lower_read(l, 1, type), lower_read(l, 2, type)));
    } else if (l->inst->carry_out) {
        lower_addc(l);
    } else if (l->inst->sat) {
        lower_write(l, 0, saturated_sum(l, lower_read(l, 1, PTX_S32), lower_read(l, 2, PTX_S32)));
    } else {
        low_binary(l, IR_ADD);
    }
}

void lower_sub(struct lower *l)
{
    if (lower_is_float(lower_type0(l))) {
        lower_float_sub(l);
    } else if (l->inst->carry_out) {
        lower_subc(l);
    } else if (l->inst->sat) {
        struct ir_value *a = lower_read(l, 1, PTX_S32), *b = lower_read(l, 2, PTX_S32);
        lower_write(l, 0, saturate(l, LUT_DIFFERENCE_OVERFLOW, a, b, op2(l, IR_SUB, TYPE_S32, a, b)));
    } else {
        low_binary(l, IR_SUB);
    }
}

// -- products -----------------------------------------------------------------------------------------------

static struct ir_value *high_product(struct lower *l, enum ptx_type type)
{
    enum isa_type t = lower_integer_type(type);
    struct ir_value *a = lower_read_extended(l, 1, type), *b = lower_read_extended(l, 2, type);
    if (!lower_is_narrow(type)) return op2(l, IR_MULHI, t, a, b);
    return op2(l, IR_SHR, t, op2(l, IR_MUL, t, a, b), word(l, ptx_type_bits(type)));
}

void lower_mul(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    if (lower_is_float(type)) {
        lower_float_binary(l, IR_FMUL);
    } else if (l->inst->half == PTX_HALF_HI) {
        lower_write(l, 0, high_product(l, type));
    } else if (l->inst->half == PTX_HALF_WIDE && ptx_type_bits(type) == 32) {
        struct ir_value *uses[] = {lower_read(l, 1, type), lower_read(l, 2, type)};
        lower_write(l, 0, make_wide(l, IR_MULWIDE, lower_integer_type(type), 2, uses));
    } else if (l->inst->half == PTX_HALF_WIDE) {
        extended_binary(l, IR_MUL);
    } else {
        low_binary(l, IR_MUL);
    }
}

static struct ir_value *wide_mad(struct lower *l, enum ptx_type type)
{
    enum isa_type t = lower_integer_type(type);
    struct ir_value *a = lower_read_extended(l, 1, type), *b = lower_read_extended(l, 2, type);
    if (ptx_type_bits(type) < 32) return op3(l, IR_MAD, t, a, b, lower_read(l, 3, PTX_B32));
    return make_wide(l, IR_MADWIDE, t, 3, (struct ir_value *[]){a, b, lower_read(l, 3, PTX_B64)});
}

void lower_mad(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_integer_type(type);
    if (lower_is_float(type)) {
        lower_fma(l);
    } else if (l->inst->carry_out) {
        lower_madc(l);
    } else if (l->inst->half == PTX_HALF_WIDE) {
        lower_write(l, 0, wide_mad(l, type));
    } else if (l->inst->half == PTX_HALF_HI) {
        struct ir_value *product = high_product(l, type), *c = lower_read(l, 3, type);
        lower_write(l, 0, l->inst->sat ? saturated_sum(l, product, c) : op2(l, IR_ADD, t, product, c));
    } else {
        lower_write(
            l, 0, op3(l, IR_MAD, t, lower_read(l, 1, type), lower_read(l, 2, type), lower_read(l, 3, type)));
    }
}

// The low 24 bits of both factors, multiplied to 48 bits. lo: bits 31..0, hi: bits 47..16.
static struct ir_value *product24(struct lower *l)
{
    enum isa_type t = lower_integer_type(lower_type0(l));
    struct ir_value *factor[2];
    for (unsigned k = 0; k < 2; k++)
        factor[k] = op3(l, IR_BFE, t, lower_read(l, k + 1, PTX_B32), word(l, 0), word(l, 24));
    if (l->inst->half != PTX_HALF_HI) return op2(l, IR_MUL, t, factor[0], factor[1]);
    struct ir_value *p = make_wide(l, IR_MULWIDE, t, 2, factor);
    struct ir_value *r = op3(l, IR_FUNNEL, TYPE_U32, lower_low(l, p), lower_high(l, p), word(l, 16));
    r->def->mode = MODE_SHF_R;
    return r;
}

void lower_mul24(struct lower *l) { lower_write(l, 0, product24(l)); }

void lower_mad24(struct lower *l)
{
    struct ir_value *product = product24(l), *c = lower_read(l, 3, PTX_B32);
    lower_write(l, 0, l->inst->sat ? saturated_sum(l, product, c) : op2(l, IR_ADD, TYPE_U32, product, c));
}

// -- the rest -----------------------------------------------------------------------------------------------

void lower_sad(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_integer_type(type);
    struct ir_value *a = lower_read_extended(l, 1, type), *b = lower_read_extended(l, 2, type);
    struct ir_value *c = lower_read(l, 3, type);
    if (ptx_type_bits(type) < 64) {
        lower_write(l, 0, op3(l, IR_SAD, t, a, b, c));
        return;
    }
    struct ir_value *less = lower_compare(l, CMP_LT, t, a, b);
    struct ir_value *distance = lower_select(l, less, op2(l, IR_SUB, t, b, a), op2(l, IR_SUB, t, a, b));
    lower_write(l, 0, op2(l, IR_ADD, t, c, distance));
}

void lower_div(struct lower *l)
{
    if (lower_is_float(lower_type0(l)))
        lower_float_div(l);
    else
        extended_binary(l, IR_DIV);
}

void lower_rem(struct lower *l) { extended_binary(l, IR_REM); }

void lower_abs(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    if (lower_is_float(type))
        lower_float_sign(l, IR_FABS);
    else
        lower_write(l, 0, op1(l, IR_ABS, lower_integer_type(type), lower_read_extended(l, 1, type)));
}

void lower_neg(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    if (lower_is_float(type))
        lower_float_sign(l, IR_FNEG);
    else
        lower_write(l, 0, op1(l, IR_NEG, lower_integer_type(type), lower_read(l, 1, type)));
}

static void packed_min_max(struct lower *l, enum isa_mode mode)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *r = op2(l, IR_MINMAX2, type == PTX_S16X2 ? TYPE_S16 : TYPE_U16, lower_read(l, 1, type),
                             lower_read(l, 2, type));
    r->def->mode = (uint8_t)mode;
    if (l->inst->relu) r->def->flags |= INST_RELU;
    lower_write(l, 0, r);
}

static void min_max(struct lower *l, enum ir_op op, enum ir_op float_op)
{
    enum ptx_type type = lower_type0(l);
    if (lower_is_float(type)) {
        lower_float_binary(l, float_op);
        return;
    }
    if (is_packed(type)) {
        packed_min_max(l, op == IR_MIN ? MODE_MIN : MODE_MAX);
        return;
    }
    enum isa_type t = lower_integer_type(type);
    struct ir_value *a = lower_read_extended(l, 1, type), *b = lower_read_extended(l, 2, type);
    struct ir_value *r = op2(l, op, t, a, b);
    lower_write(l, 0, l->inst->relu ? op2(l, IR_MAX, TYPE_S32, r, word(l, 0)) : r);
}

void lower_min(struct lower *l) { min_max(l, IR_MIN, IR_FMIN); }
void lower_max(struct lower *l) { min_max(l, IR_MAX, IR_FMAX); }

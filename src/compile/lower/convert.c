// cvt (PTX ISA 9.7.9.21): extension, truncation or clamping between integers. Other conversions from or to a float
// are the machine's CVT, with rounding and flags on the operation. Exceptions: two floats packed into a register
// (CVTPACK), and cvt to the same float type that only applies .sat or .ftz (no CVT).
#include "compile/lower/impl.h"
#include "isa/inst.h"

static bool is_eights(enum ptx_type type) { return type == PTX_E4M3X2 || type == PTX_E5M2X2; }

static uint64_t highest(enum ptx_type type)
{
    return bit_mask(ptx_type_bits(type) - ptx_type_is_signed(type));
}

// True if the range of `to` includes the range of `from`.
static bool contains(enum ptx_type to, enum ptx_type from)
{
    if (ptx_type_is_signed(from) && !ptx_type_is_signed(to)) return false;
    return highest(to) >= highest(from);
}

static struct ir_value *clamp_low(struct lower *l, enum ptx_type to, enum isa_type t, struct ir_value *v)
{
    if (!isa_type_is_signed(t)) return v;
    uint64_t lowest = ptx_type_is_signed(to) ? ~highest(to) : 0;
    return op2(l, IR_MAX, t, v, ir_constant(l->f, v->class, lowest));
}

// Clamps a value of type `from`, extended to at least 32 bits, to the range of type `to`.
static struct ir_value *clamp(struct lower *l, enum ptx_type to, enum ptx_type from, struct ir_value *v)
{
    enum isa_type t = lower_integer_type(from);
    if (contains(to, from)) return v;
    if (ptx_type_bits(to) < 32 && v->class == IR_CLASS_32) {
        struct ir_value *r = op1(l, IR_SATI, lower_type(to), v);
        r->def->type2 = (uint8_t)t;
        return r;
    }
    bool signed_to_signed = ptx_type_is_signed(from) && ptx_type_is_signed(to);
    if (!ptx_type_is_signed(to) || signed_to_signed) v = clamp_low(l, to, t, v);
    if (highest(to) < highest(from)) v = op2(l, IR_MIN, t, v, ir_constant(l->f, v->class, highest(to)));
    return v;
}

static void integer_to_integer(struct lower *l, enum ptx_type to, enum ptx_type from)
{
    unsigned to_bits = ptx_type_bits(to), from_bits = ptx_type_bits(from);
    struct ir_value *v = lower_read(l, 1, from);
    if (to_bits > from_bits || l->inst->sat) v = lower_extend(l, from, v);
    if (l->inst->sat) v = clamp(l, to, from, v);
    if (to_bits == 64 && from_bits < 64) v = lower_to_wide(l, from, v);
    if (to_bits < 64 && from_bits == 64) v = lower_low(l, v);
    lower_write_wider(l, &l->inst->operands[0], to, v);
}

static struct ir_value *convert(struct lower *l, enum isa_type to, enum isa_type from, struct ir_value *v)
{
    struct ir_value *r = op1(l, IR_CVT, to, v);
    r->def->type2 = (uint8_t)from;
    r->def->round = (uint8_t)lower_round(l->inst->round);
    if (l->inst->ftz) r->def->flags |= INST_FTZ;
    if (l->inst->sat) r->def->flags |= INST_SAT;
    if (l->inst->relu) r->def->flags |= INST_RELU;
    return r;
}

// cvt from a float type to the same type: rounds to an integral value, or applies only .sat and .ftz.
static struct ir_value *same_float(struct lower *l, enum isa_type t, struct ir_value *v)
{
    if (l->inst->round >= PTX_ROUND_RNI) {
        v = convert(l, t, t, v);
        v->def->flags |= INST_WRAP;
        return v;
    }
    if (!l->inst->sat && !l->inst->ftz) return v;
    if (t == TYPE_F64) {
        v = op2(l, IR_FMAX, t, v, wide(l, 0)); // NaN becomes 0
        return op2(l, IR_FMIN, t, v, wide(l, f64_bits(1.0)));
    }
    v = lower_flush(l, t, v);
    if (l->inst->sat) v->def->flags |= INST_SAT;
    if (l->inst->ftz) v->def->flags |= INST_FTZ;
    return v;
}

// .satfinite to 16 bits or tf32: a source beyond the greatest finite number becomes that number; NaN stays.
static struct ir_value *within_finite(struct lower *l, enum ptx_type to, struct ir_value *v)
{
    uint32_t most = to == PTX_F16 || to == PTX_F16X2 ? 0x477fe000 : to == PTX_TF32 ? 0x7f7fe000 : 0x7f7f0000;
    if (!l->inst->clamps) return v;
    v = op2(l, IR_FMIN, TYPE_F32, v, word(l, most));
    v->def->flags |= INST_NAN;
    v = op2(l, IR_FMAX, TYPE_F32, v, word(l, most | 0x80000000));
    v->def->flags |= INST_NAN;
    return v;
}

// cvt.rn.f16x2.f32 d, a, b: a is the high half. Two 8-bit floats are made of two halves, too.
static void pack_floats(struct lower *l, enum ptx_type to)
{
    struct ir_value *high, *low;
    if (l->inst->types[1] == PTX_F16X2) {
        struct ir_value *both = lower_read(l, 1, PTX_B32);
        high = convert(l, TYPE_F32, TYPE_F16, op2(l, IR_SHR, TYPE_U32, both, word(l, 16)));
        low = convert(l, TYPE_F32, TYPE_F16, both);
        high->def->flags = low->def->flags = 0;
    } else {
        high = lower_read(l, 1, PTX_F32);
        low = lower_read(l, 2, PTX_F32);
        if (!is_eights(to)) {
            high = within_finite(l, to, high);
            low = within_finite(l, to, low);
        }
    }
    struct ir_value *r = op2(l, IR_CVTPACK, lower_type(to), high, low);
    r->def->round = (uint8_t)lower_round(l->inst->round);
    if (l->inst->relu) r->def->flags |= INST_RELU;
    lower_write(l, 0, r);
}

static void unpack_eights(struct lower *l, enum ptx_type from)
{
    struct ir_value *r = op1(l, IR_CVTUNPACK, TYPE_F16, lower_read(l, 1, PTX_B16));
    r->def->type2 = (uint8_t)lower_type(from);
    if (l->inst->relu) r->def->flags |= INST_RELU;
    lower_write(l, 0, r);
}

void lower_cvt(struct lower *l)
{
    enum ptx_type to = l->inst->types[0], from = l->inst->types[1];
    const struct ptx_operand *d = &l->inst->operands[0];
    bool to_float = lower_is_float(to), from_float = lower_is_float(from);
    if (is_eights(from)) {
        unpack_eights(l, from);
    } else if (to == PTX_F16X2 || to == PTX_BF16X2 || is_eights(to)) {
        pack_floats(l, to);
    } else if (!to_float && !from_float) {
        integer_to_integer(l, to, from);
    } else if (!from_float) { // extend the source to 32 or 64 bits
        struct ir_value *v = lower_read_extended(l, 1, from);
        lower_write_wider(l, d, to, convert(l, lower_type(to), lower_integer_type(from), v));
    } else if (to == from) {
        lower_write_wider(l, d, to, same_float(l, lower_type(to), lower_read(l, 1, from)));
    } else {
        struct ir_value *v = within_finite(l, to, lower_read(l, 1, from));
        lower_write_wider(l, d, to, convert(l, lower_type(to), lower_type(from), v));
    }
}

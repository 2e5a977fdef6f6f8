// Rules for floats: only rewrites with equal bits for every operand, NaN, zeros and subnormals included.
#include "compile/pass/simplify.h"

#include "base/bits.h"

// The exponent field of a constant ±2^n if 2^-n is normal, too. 0: any other constant.
static unsigned power_exponent(enum isa_type type, uint64_t bits)
{
    unsigned e;
    if (type == TYPE_F32) {
        e = bits >> 23 & 0xff;
        return bits & 0x7fffff || e < 1 || e > 253 ? 0 : e;
    }
    e = (unsigned)(bits >> 52 & 0x7ff);
    return bits & bit_mask(52) || e < 1 || e > 2045 ? 0 : e;
}

// x / 2^n as x * 2^-n: both round the same number. NULL: the divisor is not such a constant.
static struct ir_value *divide_by_power(struct ir_inst *i)
{
    enum isa_type type = (enum isa_type)i->type;
    uint64_t c;
    if ((type != TYPE_F32 && type != TYPE_F64) || !ir_constant_bits(ir_operand(i, 1), &c)) return NULL;
    unsigned e = power_exponent(type, c);
    if (!e) return NULL;
    bool wide = type == TYPE_F64;
    uint64_t inverse =
        wide ? (c & 1ull << 63) | (uint64_t)(2046 - e) << 52 : (c & 1ull << 31) | (uint64_t)(254 - e) << 23;
    struct builder b = builder_at(i);
    struct ir_value *v = build2(&b, IR_FMUL, type, ir_operand(i, 0), simplify_constant(i, inverse));
    b.made->round = i->round;
    b.made->flags = i->flags;
    return v;
}

struct ir_value *simplify_float(struct simplify *s, struct ir_inst *i)
{
    (void)s;
    struct ir_inst *inner;
    enum isa_type type = (enum isa_type)i->type;
    struct builder b = builder_at(i);
    switch ((int)i->op) {
    case IR_DIV: return isa_type_is_float(type) ? divide_by_power(i) : NULL;
    case IR_FNEG:
        inner = simplify_match(ir_operand(i, 0), IR_FNEG);
        return inner && inner->type == i->type ? ir_operand(inner, 0) : NULL;
    case IR_FABS:
        if ((inner = simplify_match(ir_operand(i, 0), IR_FABS)) && inner->type == i->type)
            return ir_operand(i, 0);
        if ((inner = simplify_match(ir_operand(i, 0), IR_FNEG)) && inner->type == i->type)
            return build1(&b, IR_FABS, type, ir_operand(inner, 0));
        return NULL;
    }
    return NULL;
}

// mov (PTX ISA 9.7.9.3, 9.7.9.4): registers, special registers, addresses, unpacking and packing of scalars.
#include "compile/lower/impl.h"

// The k-th part of v with `part_bits` bits, counted from the lowest part. Bits above the part are
// unspecified.
static struct ir_value *part(struct lower *l, struct ir_value *v, unsigned part_bits, unsigned k)
{
    unsigned bit = part_bits * k;
    if (v->class == IR_CLASS_64) v = bit < 32 ? lower_low(l, v) : lower_high(l, v);
    return bit % 32 ? op2(l, IR_SHR, TYPE_U32, v, word(l, bit % 32)) : v;
}

static void unpack(struct lower *l, const struct ptx_operand *d, enum ptx_type type)
{
    struct ir_value *v = lower_read(l, 1, type), *parts[8];
    for (unsigned k = 0; k < d->count; k++)
        if (d->elements[k].kind == PTX_OPERAND_REG) parts[k] = part(l, v, ptx_type_bits(type) / d->count, k);
    for (unsigned k = 0; k < d->count; k++)
        if (d->elements[k].kind == PTX_OPERAND_REG) lower_write_operand(l, &d->elements[k], parts[k]);
}

// mov.v2.u32 and the like, by element; every element is read before the first write.
static void move_vector(struct lower *l, const struct ptx_operand *d, const struct ptx_operand *s,
                        enum ptx_type type)
{
    struct ir_value *values[8];
    for (unsigned k = 0; k < d->count; k++) values[k] = lower_read_operand(l, &s->elements[k], type);
    for (unsigned k = 0; k < d->count; k++) lower_write_operand(l, &d->elements[k], values[k]);
}

void lower_mov(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    const struct ptx_operand *d = &l->inst->operands[0], *s = &l->inst->operands[1];
    if (type == PTX_B128) {
        struct ir_value *halves[2];
        lower_read_b128(l, s, halves);
        lower_write_b128(l, d, halves);
    } else if (d->kind == PTX_OPERAND_VECTOR && s->kind == PTX_OPERAND_VECTOR && d->count == s->count) {
        move_vector(l, d, s, type);
    } else if (d->kind == PTX_OPERAND_VECTOR) {
        unpack(l, d, type);
    } else {
        lower_write_operand(l, d, lower_read_operand(l, s, type));
    }
}

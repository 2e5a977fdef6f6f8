// Extended-precision arithmetic: the condition code (PTX ISA 9.7.2).
//
// The condition code is a predicate variable of the function: the carry of add and mad, the borrow of sub. IR
// operations, like the machine, use "no borrow" instead, so subtraction inverts the code on the way in and
// out. A 64-bit form is two 32-bit steps:
//
//     add.cc.u64 d, a, b  ▶  lo, c = addcc a.lo, b.lo
//                            hi, CC = addx a.hi, b.hi, c
//
// madc.lo.u64 is a 64-bit product followed by the same addition.
#include "compile/lower/impl.h"
#include "isa/inst.h"

static struct ir_value *read_carry(struct lower *l) { return ssa_read(&l->ssa, l->carry_variable); }

static void write_carry(struct lower *l, struct ir_value *carry)
{
    lower_write_variable(l, l->carry_variable, carry);
}

// One 32-bit step of a chain. With *carry NULL: r = a `first` b, without a carry in; else r = a `next` b with
// the carry in *carry. *carry becomes the carry out.
static struct ir_value *carry_step(struct lower *l, enum ir_op first, enum ir_op next, struct ir_value *a,
                                   struct ir_value *b, struct ir_value **carry)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_PRED};
    struct ir_value *uses[] = {a, b, *carry};
    struct ir_inst *i = lower_inst(l, *carry ? next : first, TYPE_U32, 2, classes, *carry ? 3 : 2, uses);
    *carry = i->defs[1];
    return i->defs[0];
}

static struct ir_value *chain(struct lower *l, enum ir_op first, enum ir_op next, enum ptx_type type,
                              struct ir_value *a, struct ir_value *b, struct ir_value **carry)
{
    if (ptx_type_bits(type) == 32) return carry_step(l, first, next, a, b, carry);
    struct ir_value *low = carry_step(l, first, next, lower_low(l, a), lower_low(l, b), carry);
    struct ir_value *high = carry_step(l, first, next, lower_high(l, a), lower_high(l, b), carry);
    return lower_pack(l, low, high);
}

// add.cc, addc, addc.cc
void lower_addc(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *carry = l->inst->op == PTX_OP_ADDC ? read_carry(l) : NULL;
    struct ir_value *r =
        chain(l, IR_ADDCC, IR_ADDX, type, lower_read(l, 1, type), lower_read(l, 2, type), &carry);
    if (l->inst->carry_out) write_carry(l, carry);
    lower_write(l, 0, r);
}

// sub.cc, subc, subc.cc
void lower_subc(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *no_borrow = l->inst->op == PTX_OP_SUBC ? lower_not(l, read_carry(l)) : NULL;
    struct ir_value *r =
        chain(l, IR_SUBCC, IR_SUBX, type, lower_read(l, 1, type), lower_read(l, 2, type), &no_borrow);
    if (l->inst->carry_out) write_carry(l, lower_not(l, no_borrow));
    lower_write(l, 0, r);
}

// One step of mad.cc or madc on 32 bits: the machine's multiply-and-add with carry.
static struct ir_value *mad_step(struct lower *l, struct ir_value **carry)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_PRED};
    enum ptx_type type = lower_type0(l);
    struct ir_value *uses[] = {lower_read(l, 1, type), lower_read(l, 2, type), lower_read(l, 3, type),
                               *carry};
    enum ir_op op = *carry ? IR_MADX : IR_MADCC;
    struct ir_inst *i = lower_inst(l, op, lower_integer_type(type), 2, classes, *carry ? 4 : 3, uses);
    if (l->inst->half == PTX_HALF_HI) i->flags |= INST_HI;
    *carry = i->defs[1];
    return i->defs[0];
}

// mad.cc, madc, madc.cc
void lower_madc(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *carry = l->inst->op == PTX_OP_MADC ? read_carry(l) : NULL, *r;
    if (ptx_type_bits(type) == 32) {
        r = mad_step(l, &carry);
    } else {
        enum ir_op op = l->inst->half == PTX_HALF_HI ? IR_MULHI : IR_MUL;
        struct ir_value *product =
            op2(l, op, lower_integer_type(type), lower_read(l, 1, type), lower_read(l, 2, type));
        r = chain(l, IR_ADDCC, IR_ADDX, type, product, lower_read(l, 3, type), &carry);
    }
    if (l->inst->carry_out) write_carry(l, carry);
    lower_write(l, 0, r);
}

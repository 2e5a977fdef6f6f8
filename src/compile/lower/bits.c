// Bits: counts, fields, logic, shifts, bytes (PTX ISA 9.7.1.14 to 9.7.1.24, 9.7.8, 9.7.9.7).
#include "compile/lower/impl.h"
#include "isa/inst.h"
#include "isa/modes.h"

// -- counts -------------------------------------------------------------------------------------------------

static struct ir_value *count(struct lower *l, enum ir_op op, enum isa_type type, struct ir_value *a)
{
    return lower_make(l, op, type, IR_CLASS_32, 1, &a);
}

void lower_popc(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    lower_write(l, 0, count(l, IR_POPC, lower_type(type), lower_read(l, 1, type)));
}

// FLO of 0 is -1, so width - 1 - FLO gives the width for 0, the result that clz requires.
void lower_clz(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *leading = count(l, IR_FLO, lower_type(type), lower_read(l, 1, type));
    lower_write(l, 0, op2(l, IR_SUB, TYPE_U32, word(l, ptx_type_bits(type) - 1), leading));
}

void lower_bfind(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *r = count(l, IR_FLO, lower_type(type), lower_read(l, 1, type));
    if (l->inst->shift_amount) r->def->mode = MODE_FLO_SH;
    lower_write(l, 0, r);
}

void lower_brev(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    lower_write(l, 0, op1(l, IR_BREV, lower_type(type), lower_read(l, 1, type)));
}

// Position of the n-th lowest one of m, for n from 1 up to the number of ones. Counts the ones in halves,
// quarters, … of the word and skips a part if n lies behind it.
static struct ir_value *nth_one(struct lower *l, struct ir_value *m, struct ir_value *n)
{
    struct ir_value *place = word(l, 0);
    for (uint32_t width = 16; width; width /= 2) {
        struct ir_value *field = op3(l, IR_BFE, TYPE_U32, m, place, word(l, width));
        struct ir_value *ones = count(l, IR_POPC, TYPE_U32, field);
        struct ir_value *behind = lower_compare(l, CMP_GT, TYPE_U32, n, ones);
        n = lower_select(l, behind, op2(l, IR_SUB, TYPE_U32, n, ones), n);
        place = lower_select(l, behind, op2(l, IR_ADD, TYPE_U32, place, word(l, width)), place);
    }
    return place;
}

// fns d, mask, base, offset: position of the |offset|-th one from bit `base`, upwards, or downwards for a
// negative offset (computed on mirrored bits). Offset 0 tests bit `base` alone. -1: not found.
void lower_fns(struct lower *l)
{
    struct ir_value *mask = lower_read(l, 1, PTX_U32), *base = lower_read(l, 2, PTX_U32);
    struct ir_value *offset = lower_read(l, 3, PTX_S32);
    struct ir_value *down = lower_compare(l, CMP_LT, TYPE_S32, offset, word(l, 0));
    struct ir_value *none = lower_compare(l, CMP_EQ, TYPE_U32, offset, word(l, 0));
    struct ir_value *m = lower_select(l, down, op1(l, IR_BREV, TYPE_U32, mask), mask);
    struct ir_value *from = lower_select(l, down, op2(l, IR_SUB, TYPE_U32, word(l, 31), base), base);
    struct ir_value *behind = op2(l, IR_SHL, TYPE_U32, word(l, UINT32_MAX), from);
    struct ir_value *only = op2(l, IR_SHL, TYPE_U32, word(l, 1), from);
    m = op2(l, IR_AND, TYPE_U32, m, lower_select(l, none, only, behind));
    struct ir_value *n = lower_select(l, none, word(l, 1), op1(l, IR_ABS, TYPE_S32, offset));
    struct ir_value *found = lower_compare(l, CMP_GE, TYPE_U32, count(l, IR_POPC, TYPE_U32, m), n);
    struct ir_value *place = nth_one(l, m, n);
    place = lower_select(l, down, op2(l, IR_SUB, TYPE_U32, word(l, 31), place), place);
    lower_write(l, 0, lower_select(l, found, place, word(l, UINT32_MAX)));
}

// -- fields -------------------------------------------------------------------------------------------------

void lower_bfe(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type);
    lower_write(l, 0,
                op3(l, IR_BFE, lower_type(type), a, lower_read(l, 2, PTX_U32), lower_read(l, 3, PTX_U32)));
}

void lower_bfi(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type);
    lower_write(l, 0,
                op4(l, IR_BFI, lower_type(type), a, b, lower_read(l, 3, PTX_U32), lower_read(l, 4, PTX_U32)));
}

static void wrapping_pair(struct lower *l, enum ir_op op, enum isa_type type)
{
    struct ir_value *r = op2(l, op, type, lower_read(l, 1, PTX_B32), lower_read(l, 2, PTX_U32));
    if (l->inst->wrap) r->def->flags |= INST_WRAP;
    lower_write(l, 0, r);
}

void lower_szext(struct lower *l) { wrapping_pair(l, IR_SZEXT, lower_type(lower_type0(l))); }
void lower_bmsk(struct lower *l) { wrapping_pair(l, IR_BMSK, TYPE_U32); }

static enum isa_type byte_type(enum ptx_type type) { return ptx_type_is_signed(type) ? TYPE_S8 : TYPE_U8; }

static void dot_product(struct lower *l, enum isa_mode mode)
{
    struct ir_value *a = lower_read(l, 1, PTX_B32), *b = lower_read(l, 2, PTX_B32);
    struct ir_value *r = op3(l, IR_DOT, byte_type(l->inst->types[0]), a, b, lower_read(l, 3, PTX_B32));
    r->def->type2 = (uint8_t)byte_type(l->inst->types[1]);
    r->def->mode = (uint8_t)mode;
    lower_write(l, 0, r);
}

void lower_dp4a(struct lower *l) { dot_product(l, MODE_IDP_4A); }
void lower_dp2a(struct lower *l)
{
    dot_product(l, l->inst->half == PTX_HALF_HI ? MODE_IDP_2A_HI : MODE_IDP_2A_LO);
}

// -- logic --------------------------------------------------------------------------------------------------

static void logic(struct lower *l, enum ir_op op, enum ptx_bool of_predicates)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type);
    if (type == PTX_PRED)
        lower_write(l, 0, lower_combine(l, of_predicates, a, b));
    else
        lower_write(l, 0, op2(l, op, lower_integer_type(type), a, b));
}

void lower_and(struct lower *l) { logic(l, IR_AND, PTX_BOOL_AND); }
void lower_or(struct lower *l) { logic(l, IR_OR, PTX_BOOL_OR); }
void lower_xor(struct lower *l) { logic(l, IR_XOR, PTX_BOOL_XOR); }

void lower_bitwise_not(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type);
    lower_write(l, 0, type == PTX_PRED ? lower_not(l, a) : op1(l, IR_NOT, lower_integer_type(type), a));
}

void lower_cnot(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_integer_type(type);
    bool is_wide = ptx_type_bits(type) == 64;
    struct ir_value *zero = is_wide ? wide(l, 0) : word(l, 0), *one = is_wide ? wide(l, 1) : word(l, 1);
    struct ir_value *is_zero = lower_compare(l, CMP_EQ, t, lower_read_extended(l, 1, type), zero);
    lower_write(l, 0, lower_select(l, is_zero, one, zero));
}

// lop3.b32 d, a, b, c, lut;    lop3.OP.b32 d|p, a, b, c, lut, q with p = (d != 0) OP q
void lower_lop3_inst(struct lower *l)
{
    const struct ptx_operand *d = lower_pair(&l->inst->operands[0], 0),
                             *p = lower_pair(&l->inst->operands[0], 1);
    struct ir_value *a = lower_read(l, 1, PTX_B32), *b = lower_read(l, 2, PTX_B32),
                    *c = lower_read(l, 3, PTX_B32);
    struct ir_value *r = lower_lop3(l, (uint8_t)l->inst->operands[4].imm, a, b, c);
    struct ir_value *q = p ? lower_read(l, 5, PTX_PRED) : NULL;
    lower_write_operand(l, d, r);
    if (p) {
        struct ir_value *some = lower_compare(l, CMP_NE, TYPE_U32, r, word(l, 0));
        lower_write_operand(l, p, lower_combine(l, l->inst->boolean, some, q));
    }
}

// -- shifts and bytes ---------------------------------------------------------------------------------------

// Shift amounts are unsigned 32-bit and clamp at the width. A 16-bit shl is a 32-bit shift: equal low bits.
void lower_shl(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type);
    lower_write(l, 0, op2(l, IR_SHL, lower_integer_type(type), a, lower_read(l, 2, PTX_U32)));
}

void lower_shr(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read_extended(l, 1, type);
    lower_write(l, 0, op2(l, IR_SHR, lower_integer_type(type), a, lower_read(l, 2, PTX_U32)));
}

void lower_shf(struct lower *l)
{
    struct ir_value *low = lower_read(l, 1, PTX_B32), *high = lower_read(l, 2, PTX_B32);
    struct ir_value *r = op3(l, IR_FUNNEL, TYPE_U32, low, high, lower_read(l, 3, PTX_U32));
    r->def->mode = l->inst->mode == PTX_MODE_SHF_LEFT ? MODE_SHF_L : MODE_SHF_R;
    if (l->inst->wrap) r->def->flags |= INST_WRAP;
    lower_write(l, 0, r);
}

void lower_prmt(struct lower *l)
{
    struct ir_value *a = lower_read(l, 1, PTX_B32), *b = lower_read(l, 2, PTX_B32);
    struct ir_value *r = op3(l, IR_PRMT, TYPE_U32, a, b, lower_read(l, 3, PTX_B32));
    if (l->inst->mode != PTX_MODE_NONE)
        r->def->mode = (uint8_t)(MODE_PRMT_F4E + (l->inst->mode - PTX_MODE_PRMT_F4E));
    lower_write(l, 0, r);
}
_Static_assert((int)MODE_PRMT_RC16 - MODE_PRMT_F4E == (int)PTX_MODE_PRMT_RC16 - PTX_MODE_PRMT_F4E,
               "prmt's modes stand in the same order in PTX and in the machine");

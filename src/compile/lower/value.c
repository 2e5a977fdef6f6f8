// Values: creates instructions at the end of the current block, reads and writes operands by their PTX types.
#include "compile/lower/impl.h"

// -- types --------------------------------------------------------------------------------------------------

enum isa_type lower_type(enum ptx_type type)
{
    static const uint8_t types[PTX_TYPE_COUNT] = {
        [PTX_B8] = TYPE_U8,         [PTX_B16] = TYPE_U16,     [PTX_B32] = TYPE_U32,
        [PTX_B64] = TYPE_U64,       [PTX_B128] = TYPE_B128,   [PTX_U8] = TYPE_U8,
        [PTX_U16] = TYPE_U16,       [PTX_U32] = TYPE_U32,     [PTX_U64] = TYPE_U64,
        [PTX_S8] = TYPE_S8,         [PTX_S16] = TYPE_S16,     [PTX_S32] = TYPE_S32,
        [PTX_S64] = TYPE_S64,       [PTX_F16] = TYPE_F16,     [PTX_F16X2] = TYPE_F16X2,
        [PTX_F32] = TYPE_F32,       [PTX_F64] = TYPE_F64,     [PTX_BF16] = TYPE_BF16,
        [PTX_BF16X2] = TYPE_BF16X2, [PTX_TF32] = TYPE_TF32,   [PTX_U16X2] = TYPE_U32,
        [PTX_S16X2] = TYPE_U32,     [PTX_TEXREF] = TYPE_U64,  [PTX_SAMPLERREF] = TYPE_U64,
        [PTX_SURFREF] = TYPE_U64,   [PTX_E4M3X2] = TYPE_E4M3, [PTX_E5M2X2] = TYPE_E5M2,
        [PTX_E4M3] = TYPE_E4M3,     [PTX_E5M2] = TYPE_E5M2,   [PTX_U4] = TYPE_U4,
        [PTX_S4] = TYPE_S4,         [PTX_B1] = TYPE_B1,
    };
    return (enum isa_type)types[type];
}

enum isa_type lower_integer_type(enum ptx_type type)
{
    bool is_signed = ptx_type_is_signed(type);
    if (ptx_type_bits(type) == 64) return is_signed ? TYPE_S64 : TYPE_U64;
    return is_signed ? TYPE_S32 : TYPE_U32;
}

enum isa_round lower_round(enum ptx_round round)
{
    static const uint8_t rounds[] = {
        [PTX_ROUND_NONE] = ROUND_RN, [PTX_ROUND_RN] = ROUND_RN,  [PTX_ROUND_RZ] = ROUND_RZ,
        [PTX_ROUND_RM] = ROUND_RM,   [PTX_ROUND_RP] = ROUND_RP,  [PTX_ROUND_RNA] = ROUND_RNA,
        [PTX_ROUND_RNI] = ROUND_RN,  [PTX_ROUND_RZI] = ROUND_RZ, [PTX_ROUND_RMI] = ROUND_RM,
        [PTX_ROUND_RPI] = ROUND_RP,
    };
    return (enum isa_round)rounds[round];
}

static enum isa_type type_of_class(enum ir_class class) { return class == IR_CLASS_64 ? TYPE_U64 : TYPE_U32; }

// -- making instructions ------------------------------------------------------------------------------------

struct ir_inst *lower_inst(struct lower *l, enum ir_op op, enum isa_type type, uint32_t def_count,
                           const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses)
{
    struct ir_inst *i = ir_inst_create(l->f, op, type, def_count, classes, use_count, uses);
    i->lines = l->lines;
    ir_append(l->block, i);
    return i;
}

struct ir_inst *lower_effect(struct lower *l, enum ir_op op, enum isa_type type, uint32_t def_count,
                             const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses)
{
    struct ir_inst *i = lower_inst(l, op, type, def_count, classes, use_count, uses);
    if (l->guard) ir_set_guard(i, l->guard, l->guard_not);
    return i;
}

struct ir_value *lower_make(struct lower *l, enum ir_op op, enum isa_type type, enum ir_class class,
                            uint32_t use_count, struct ir_value *const *uses)
{
    return lower_inst(l, op, type, 1, &class, use_count, uses)->defs[0];
}

struct ir_value *lower_low(struct lower *l, struct ir_value *v)
{
    uint64_t bits;
    if (v->class == IR_CLASS_32) return v;
    if (ir_constant_bits(v, &bits)) return word(l, (uint32_t)bits);
    if (v->def && v->def->op == IR_PACK) return ir_operand(v->def, 0);
    bool extended = v->def && (v->def->op == IR_ZEXT || v->def->op == IR_SEXT);
    if (extended && (v->def->type2 == TYPE_U32 || v->def->type2 == TYPE_S32)) return ir_operand(v->def, 0);
    return op1(l, IR_LO, TYPE_U32, v);
}

struct ir_value *lower_high(struct lower *l, struct ir_value *v)
{
    uint64_t bits;
    if (ir_constant_bits(v, &bits)) return word(l, (uint32_t)(bits >> 32));
    if (v->def && v->def->op == IR_PACK) return ir_operand(v->def, 1);
    return op1(l, IR_HI, TYPE_U32, v);
}

struct ir_value *lower_pack(struct lower *l, struct ir_value *low, struct ir_value *high)
{
    uint64_t a, b;
    if (ir_constant_bits(low, &a) && ir_constant_bits(high, &b)) return wide(l, b << 32 | a);
    return op2(l, IR_PACK, TYPE_U64, low, high);
}

struct ir_value *lower_pack_halves(struct lower *l, struct ir_value *low, struct ir_value *high)
{
    return op3(l, IR_PRMT, TYPE_U32, low, high, word(l, 0x5410));
}

struct ir_value *lower_compare(struct lower *l, enum isa_cmp cmp, enum isa_type type, struct ir_value *a,
                               struct ir_value *b)
{
    struct ir_value *p = lower_make(l, IR_SETP, type, IR_CLASS_PRED, 2, (struct ir_value *[]){a, b});
    p->def->cmp = (uint8_t)cmp;
    return p;
}

struct ir_value *lower_not(struct lower *l, struct ir_value *p)
{
    uint64_t bit;
    if (ir_constant_bits(p, &bit)) return flag(l, !bit);
    if (p->def && p->def->op == IR_PNOT) return ir_operand(p->def, 0);
    return lower_make(l, IR_PNOT, TYPE_NONE, IR_CLASS_PRED, 1, &p);
}

struct ir_value *lower_combine(struct lower *l, enum ptx_bool how, struct ir_value *p, struct ir_value *q)
{
    struct ir_value *both[] = {p, q};
    enum ir_op op = how == PTX_BOOL_AND ? IR_PAND : how == PTX_BOOL_OR ? IR_POR : IR_PXOR;
    return lower_make(l, op, TYPE_NONE, IR_CLASS_PRED, 2, both);
}

struct ir_value *lower_select(struct lower *l, struct ir_value *p, struct ir_value *yes, struct ir_value *no)
{
    if (yes == no) return yes;
    if (yes->class == IR_CLASS_PRED) {
        struct ir_value *then = lower_combine(l, PTX_BOOL_AND, p, yes);
        return lower_combine(l, PTX_BOOL_OR, then, lower_combine(l, PTX_BOOL_AND, lower_not(l, p), no));
    }
    return op3(l, IR_SELECT, type_of_class(yes->class), yes, no, p);
}

struct ir_value *lower_lop3(struct lower *l, uint8_t lut, struct ir_value *a, struct ir_value *b,
                            struct ir_value *c)
{
    struct ir_value *v = op3(l, IR_LOP3, TYPE_U32, a, b, c);
    v->def->lut = lut;
    return v;
}

static struct ir_value *extend(struct lower *l, enum ir_class class, enum isa_type from, struct ir_value *v)
{
    bool is_signed = isa_type_is_signed(from);
    bool to_wide = class == IR_CLASS_64;
    enum isa_type to = is_signed ? (to_wide ? TYPE_S64 : TYPE_S32) : to_wide ? TYPE_U64 : TYPE_U32;
    struct ir_value *r = op1(l, is_signed ? IR_SEXT : IR_ZEXT, to, v);
    r->def->type2 = (uint8_t)from;
    return r;
}

// The integer type of equal size; floats and untyped bits count as unsigned.
static enum isa_type integer_of(enum ptx_type type)
{
    switch (ptx_type_bits(type)) {
    case 8: return ptx_type_is_signed(type) ? TYPE_S8 : TYPE_U8;
    case 16: return ptx_type_is_signed(type) ? TYPE_S16 : TYPE_U16;
    case 64: return ptx_type_is_signed(type) ? TYPE_S64 : TYPE_U64;
    }
    return ptx_type_is_signed(type) ? TYPE_S32 : TYPE_U32;
}

struct ir_value *lower_extend(struct lower *l, enum ptx_type type, struct ir_value *v)
{
    if (!lower_is_narrow(type) || type == PTX_PRED) return v;
    uint64_t bits;
    unsigned unused = 32 - ptx_type_bits(type);
    if (ir_constant_bits(v, &bits)) {
        uint32_t high = (uint32_t)bits << unused;
        return word(l, ptx_type_is_signed(type) ? (uint32_t)((int32_t)high >> unused) : high >> unused);
    }
    return extend(l, IR_CLASS_32, integer_of(type), v);
}

struct ir_value *lower_to_wide(struct lower *l, enum ptx_type type, struct ir_value *v)
{
    uint64_t bits;
    if (ir_constant_bits(v, &bits))
        return wide(l, ptx_type_is_signed(type) ? (uint64_t)(int64_t)(int32_t)bits : bits);
    return extend(l, IR_CLASS_64, ptx_type_is_signed(type) ? TYPE_S32 : TYPE_U32, v);
}

// -- reading ------------------------------------------------------------------------------------------------

static enum ir_class class_of(enum ptx_type type)
{
    if (type == PTX_PRED) return IR_CLASS_PRED;
    return ptx_type_bits(type) == 64 ? IR_CLASS_64 : IR_CLASS_32;
}

static struct ir_value *to_class(struct lower *l, enum ir_class class, struct ir_value *v)
{
    if (v->class == class) return v;
    return class == IR_CLASS_64 ? extend(l, IR_CLASS_64, TYPE_U32, v) : lower_low(l, v);
}

static struct ir_value *read_register(struct lower *l, int32_t reg, unsigned part)
{
    return ssa_read(&l->ssa, l->register_variable[reg] + part);
}

// {a, b, …} as one value, the first element in the lowest bits (PTX ISA 9.7.9.4).
static struct ir_value *read_vector(struct lower *l, const struct ptx_operand *o, enum ptx_type type)
{
    unsigned element_bits = ptx_type_bits(type) / (o->count ? o->count : 1);
    enum ptx_type part = element_bits == 8 ? PTX_B8 : element_bits == 16 ? PTX_B16 : PTX_B32;
    struct ir_value *e[8];
    for (unsigned k = 0; k < o->count; k++) e[k] = lower_read_operand(l, &o->elements[k], part);
    unsigned count = o->count;
    for (unsigned bits = element_bits; count > 1; bits *= 2, count /= 2) {
        for (unsigned k = 0; k < count / 2; k++) {
            struct ir_value *low = e[2 * k], *high = e[2 * k + 1];
            if (bits == 8) e[k] = op3(l, IR_PRMT, TYPE_U32, low, high, word(l, 0x0040));
            if (bits == 16) e[k] = lower_pack_halves(l, low, high);
            if (bits == 32) e[k] = lower_pack(l, low, high);
        }
    }
    return e[0];
}

struct ir_value *lower_read_operand(struct lower *l, const struct ptx_operand *o, enum ptx_type type)
{
    enum ir_class class = class_of(type);
    switch (o->kind) {
    case PTX_OPERAND_REG: {
        struct ir_value *v = read_register(l, o->reg, 0);
        return class == IR_CLASS_PRED ? (o->negated ? lower_not(l, v) : v) : to_class(l, class, v);
    }
    case PTX_OPERAND_IMM:
        if (class == IR_CLASS_PRED) return flag(l, (o->imm != 0) != o->negated);
        return ir_constant(l->f, class, o->imm & bit_mask(ptx_type_bits(type)));
    case PTX_OPERAND_SREG: {
        struct ir_value *v = lower_sreg(l, o->sreg, o->component);
        return v->class == IR_CLASS_PRED ? v : to_class(l, class, v);
    }
    case PTX_OPERAND_SYMBOL: {
        struct ir_value *v = lower_variable_address(l, o->variable);
        if (o->offset) v = op2(l, IR_ADD, TYPE_U64, v, wide(l, (uint64_t)o->offset));
        return to_class(l, class, v);
    }
    case PTX_OPERAND_FUNCTION: return to_class(l, class, lower_function_symbol(l, o->function));
    case PTX_OPERAND_VECTOR: return read_vector(l, o, type);
    case PTX_OPERAND_NONE:
    case PTX_OPERAND_MEMORY:
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_LABELS:
    case PTX_OPERAND_PAIR:
    case PTX_OPERAND_SINK: break;
    }
    return ir_constant(l->f, class, 0); // never read: operands of the remaining kinds
}

struct ir_value *lower_read(struct lower *l, unsigned operand, enum ptx_type type)
{
    return lower_read_operand(l, &l->inst->operands[operand], type);
}

struct ir_value *lower_read_extended(struct lower *l, unsigned operand, enum ptx_type type)
{
    return lower_extend(l, type, lower_read(l, operand, type));
}

void lower_read_b128(struct lower *l, const struct ptx_operand *o, struct ir_value *halves[2])
{
    for (unsigned k = 0; k < 2; k++) {
        if (o->kind == PTX_OPERAND_VECTOR)
            halves[k] = lower_read_operand(l, &o->elements[k], PTX_B64);
        else if (o->kind == PTX_OPERAND_REG)
            halves[k] = read_register(l, o->reg, k);
        else
            halves[k] = wide(l, k ? 0 : o->imm);
    }
}

// -- writing ------------------------------------------------------------------------------------------------

void lower_write_variable(struct lower *l, uint32_t variable, struct ir_value *v)
{
    if (l->guard) {
        struct ir_value *old = ssa_read(&l->ssa, variable);
        if (!ssa_is_undefined(old))
            v = l->guard_not ? lower_select(l, l->guard, old, v) : lower_select(l, l->guard, v, old);
    }
    ssa_write(&l->ssa, variable, v);
}

static void write_register(struct lower *l, int32_t reg, unsigned part, struct ir_value *v)
{
    lower_write_variable(l, l->register_variable[reg] + part, v);
}

void lower_write_operand(struct lower *l, const struct ptx_operand *o, struct ir_value *v)
{
    if (o->kind == PTX_OPERAND_REG) write_register(l, o->reg, 0, v);
}

void lower_write(struct lower *l, unsigned operand, struct ir_value *v)
{
    lower_write_operand(l, &l->inst->operands[operand], v);
}

void lower_write_b128(struct lower *l, const struct ptx_operand *o, struct ir_value *const halves[2])
{
    for (unsigned k = 0; k < 2; k++) {
        if (o->kind == PTX_OPERAND_VECTOR) lower_write_operand(l, &o->elements[k], halves[k]);
        if (o->kind == PTX_OPERAND_REG) write_register(l, o->reg, k, halves[k]);
    }
}

unsigned lower_register_bits(const struct lower *l, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG ? ptx_type_bits(l->ptx->regs[o->reg].type) : 0;
}

void lower_write_wider(struct lower *l, const struct ptx_operand *o, enum ptx_type type, struct ir_value *v)
{
    unsigned bits = lower_register_bits(l, o);
    if (bits > ptx_type_bits(type))
        v = extend(l, bits == 64 ? IR_CLASS_64 : IR_CLASS_32, integer_of(type), v);
    lower_write_operand(l, o, v);
}

void lower_write_def(struct lower *l, const struct ptx_operand *o, struct ir_inst *i, uint32_t def)
{
    if (o->kind != PTX_OPERAND_REG) return;
    uint32_t variable = l->register_variable[o->reg];
    if (i->guard.value) {
        struct ir_value *old = ssa_read(&l->ssa, variable);
        if (!ssa_is_undefined(old)) ir_set_old(i, def, old);
    }
    ssa_write(&l->ssa, variable, i->defs[def]);
}

const struct ptx_operand *lower_pair(const struct ptx_operand *o, unsigned half)
{
    if (o->kind == PTX_OPERAND_PAIR) return &o->elements[half];
    return half ? NULL : o;
}

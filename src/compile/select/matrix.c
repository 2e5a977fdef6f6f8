// Selection of matrix operations: operands gathered into ranges of registers by copies that allocation coalesces.
#include "compile/select/select.h"
#include "isa/mma.h"
#include "isa/shape.h"

static bool is_zero(struct ir_value *v)
{
    uint64_t bits;
    return constant_of(v, &bits) && !bits;
}

// A range with the uses of i from `first` on, `width` registers. Zeros alone are RZ.
static struct source gather(struct select *s, struct ir_inst *i, uint32_t first, unsigned width)
{
    bool is_wide = ir_operand(i, first)->class == IR_CLASS_64, zeros = true;
    unsigned count = is_wide ? width / 2 : width;
    for (unsigned k = 0; k < count; k++) zeros &= is_zero(ir_operand(i, first + k));
    if (zeros) return source_unit(MACH_NONE, width);
    if (count == 1)
        return is_wide ? source_pair(s, ir_operand(i, first)) : source_reg(s, ir_operand(i, first));
    uint32_t group = mach_reg(s->f, width), at = group;
    for (unsigned k = 0; k < count; k++)
        for (unsigned half = 0; half < (is_wide ? 2u : 1u); half++) {
            struct ir_value *v = ir_operand(i, first + k);
            copy_to(s, at++, is_wide ? source_half(s, v, (enum half)half) : source_any(s, v));
        }
    return source_unit(group, width);
}

static enum isa_op product_op(const struct ir_inst *i)
{
    switch ((int)i->type2) {
    case TYPE_F64: return OP_DMMA;
    case TYPE_B1: return OP_BMMA;
    case TYPE_E4M3:
    case TYPE_E5M2: return i->lut ? OP_QMMASP : OP_QMMA;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_TF32: return i->lut ? OP_HMMASP : OP_HMMA;
    default: return i->lut ? OP_IMMASP : OP_IMMA;
    }
}

void select_mma(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, product_op(i));
    uint32_t at = 0, unit = MACH_NONE;
    m->i.type = i->type;
    m->i.type2 = i->type2;
    m->i.type3 = isa_shapes[m->i.op].types3 ? i->type3 : TYPE_NONE;
    m->i.shape = i->shape;
    m->i.flags = i->flags & isa_shapes[m->i.op].flags;
    m->i.round = m->i.op == OP_DMMA ? i->round : ROUND_RN;
    m->i.boolean = m->i.op == OP_BMMA ? i->boolean : BOOL_AND;
    m->i.shift = i->lut ? i->bank : 0;
    for (uint32_t k = i->def_count; k-- > 0;)
        if (wanted(s, i, k) != MACH_NONE) unit = wanted(s, i, 0);
    set_dst(m, 0, unit, isa_dst_width(&m->i));
    for (unsigned k = 0; k < 3; k++) {
        unsigned width = isa_src_width(&m->i, k);
        set_src(m, k, gather(s, i, at, width));
        at += ir_operand(i, at)->class == IR_CLASS_64 ? width / 2 : width;
    }
    if (i->lut) set_src(m, 3, source_reg(s, ir_operand(i, at)));
    select_guard(s, m, i, unit);
    insert(s, m);
}

// The range with the sums of i, uses 0 to def_count - 1.
static uint32_t gather_sums(struct select *s, struct ir_inst *i)
{
    uint32_t group = mach_reg(s->f, i->def_count);
    for (uint32_t k = 0; k < i->def_count; k++) {
        struct ir_value *v = strip(ir_operand(i, k));
        bool is_undefined = v->def && v->def->op == IR_UNDEF;
        copy_to(s, group + k, is_undefined ? source_zero() : source_any(s, v));
    }
    return group;
}

static uint32_t sums_wanted(struct select *s, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->def_count; k++)
        if (wanted(s, i, k) != MACH_NONE) return wanted(s, i, 0);
    return mach_reg(s->f, i->def_count);
}

// A factor in registers, or its descriptor; *at: the next use.
static struct source select_factor(struct select *s, struct ir_inst *i, uint32_t *at, bool is_negated,
                                   bool is_turned)
{
    bool is_descriptor = ir_operand(i, *at)->class == IR_CLASS_64;
    struct source o = is_descriptor ? source_pair(s, ir_operand(i, *at)) : gather(s, i, *at, 4);
    o.o.flags = (uint8_t)((is_negated ? OPERAND_NEG : 0) | (is_turned ? OPERAND_T : 0));
    *at += is_descriptor ? 1 : 4;
    return o;
}

void select_wgmma(struct select *s, struct ir_inst *i)
{
    uint32_t at = i->def_count, group = sums_wanted(s, i);
    uint64_t bit;
    bool has_descriptor = ir_operand(i, at)->class == IR_CLASS_64;
    struct mach_inst *m = begin(s, i->lut ? (has_descriptor ? OP_WGMMASSP : OP_WGMMASP)
                                          : (has_descriptor ? OP_WGMMAS : OP_WGMMA));
    m->i.type = i->type;
    m->i.type2 = i->type2;
    m->i.type3 = i->type3;
    m->i.flags = i->flags & isa_shapes[m->i.op].flags;
    if (i->offset & WGMMA_UPPER) m->i.flags |= INST_HI;
    if (i->offset & WGMMA_UNFENCED) m->i.flags |= INST_UNFENCED;
    if (i->offset & WGMMA_EXPOSED) m->i.flags |= INST_EXPOSED;
    m->i.shift = (uint8_t)(i->def_count / (i->type == TYPE_F16 ? 2 : 4) - 1);
    set_dst(m, 0, group, i->def_count);
    set_src(m, 0, select_factor(s, i, &at, i->offset & WGMMA_NEGATES_A, i->offset & WGMMA_TURNS_A));
    set_src(m, 1, select_factor(s, i, &at, i->offset & WGMMA_NEGATES_B, i->offset & WGMMA_TURNS_B));
    set_src(m, 2, source_pred(s, ir_operand(i, at)));
    bool is_new = constant_of(ir_operand(i, at++), &bit) && !bit;
    if (i->lut) set_src(m, 3, source_reg(s, ir_operand(i, at)));
    select_guard(s, m, i, MACH_NONE);
    if (!is_new || i->guard.value) m->old[0] = gather_sums(s, i);
    insert(s, m);
}

void select_landed(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, MACH_LANDED);
    set_dst(m, 0, sums_wanted(s, i), i->def_count);
    m->old[0] = gather_sums(s, i);
    insert(s, m);
}

void select_ldmatrix(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_LDSM);
    uint32_t unit = MACH_NONE;
    m->i.type = TYPE_B128;
    m->i.shape = i->shape;
    for (uint32_t k = i->def_count; k-- > 0;)
        if (wanted(s, i, k) != MACH_NONE) unit = wanted(s, i, 0);
    set_dst(m, 0, unit, i->def_count);
    set_src(m, 0, select_address(s, i));
    select_guard(s, m, i, unit);
    insert(s, m);
}

void select_stmatrix(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_STSM);
    m->i.type = TYPE_B128;
    m->i.shape = i->shape;
    set_src(m, 1, gather(s, i, 1, i->use_count - 1));
    set_src(m, 0, select_address(s, i));
    select_guard(s, m, i, MACH_NONE);
    insert(s, m);
}

void select_bulk(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, select_table[i->op].op[0]);
    bool is_tensor = i->use_count > 5;
    if (isa_shapes[m->i.op].modes) m->i.mode = i->mode;
    if (isa_shapes[m->i.op].types) m->i.type = i->type;
    if (is_tensor) m->i.shift = i->bank;
    set_src(m, 0, gather(s, i, 0, 2));
    set_src(m, 1, source_pair(s, ir_operand(i, 2)));
    set_src(m, 2, gather(s, i, 3, is_tensor ? 4 : 2));
    if (is_tensor) set_src(m, 3, gather(s, i, 7, 4));
    select_guard(s, m, i, MACH_NONE);
    insert(s, m);
}

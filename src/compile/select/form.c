// Legal instruction forms. Selection sets sources in any form; `finish` makes the instruction encodable: at
// most one non-register source, in a position that hardware accepts. Commuting is preferred to extra MOVs.
#include "compile/select/select.h"
#include "isa/profile.h"
#include "isa/shape.h"

struct mach_inst *begin(struct select *s, unsigned op)
{
    struct mach_inst *i = mach_inst_create(s->f, op);
    if (op == OP_IMAD || op == OP_IMADW) i->i.type = TYPE_S32;
    return i;
}

void set_dst(struct mach_inst *i, unsigned k, uint32_t unit, unsigned width)
{
    i->i.dst[k] = (struct operand){.kind = OPERAND_REG, .width = (uint8_t)width};
    i->dst[k] = unit;
}

void set_dst_pred(struct mach_inst *i, unsigned k, uint32_t unit)
{
    i->i.dst[k] = (struct operand){.kind = OPERAND_PRED, .width = 1};
    i->dst[k] = unit;
}

void set_src(struct mach_inst *i, unsigned k, struct source o)
{
    i->i.src[k] = o.o;
    i->src[k] = o.unit;
}

void insert(struct select *s, struct mach_inst *i)
{
    mach_insert_before(s->block, s->cursor, i);
    vec_push(&s->made, i);
}

static struct source get_src(const struct mach_inst *i, unsigned k)
{
    return (struct source){i->i.src[k], i->src[k]};
}

static void swap_src(struct mach_inst *i, unsigned a, unsigned b)
{
    struct source first = get_src(i, a);
    set_src(i, a, get_src(i, b));
    set_src(i, b, first);
}

static enum isa_cmp swapped(enum isa_cmp cmp)
{
    static const uint8_t swap[CMP_T + 1] = {
        [CMP_F] = CMP_F,     [CMP_LT] = CMP_GT,   [CMP_EQ] = CMP_EQ,   [CMP_LE] = CMP_GE,
        [CMP_GT] = CMP_LT,   [CMP_NE] = CMP_NE,   [CMP_GE] = CMP_LE,   [CMP_NUM] = CMP_NUM,
        [CMP_NAN] = CMP_NAN, [CMP_LTU] = CMP_GTU, [CMP_EQU] = CMP_EQU, [CMP_LEU] = CMP_GEU,
        [CMP_GTU] = CMP_LTU, [CMP_NEU] = CMP_NEU, [CMP_GEU] = CMP_LEU, [CMP_T] = CMP_T};
    return (enum isa_cmp)swap[cmp];
}

// Truth table of a LOP3 after an exchange of inputs a and b; the index of a bit is a<<2 | b<<1 | c.
static uint8_t swap_lut(unsigned lut)
{
    return (uint8_t)((lut & 0xc3) | (lut & 0x0c) << 2 | (lut & 0x30) >> 2);
}

// Exchanges the first two sources. False if the operation does not commute.
static bool commute(struct mach_inst *i)
{
    enum isa_op op = (enum isa_op)i->i.op;
    if (!isa_has(&i->i, ISA_COMMUTES)) return false;
    if (isa_has_modifier(op, MODIFIER_CMP)) i->i.cmp = (uint8_t)swapped((enum isa_cmp)i->i.cmp);
    if (isa_has_modifier(op, MODIFIER_LUT)) i->i.lut = swap_lut(i->i.lut);
    if (op == OP_SEL) i->i.src[2].flags ^= OPERAND_NOT;
    swap_src(i, 0, 1);
    return true;
}

// True if source k is a constant-bank or shared-memory operand, or an immediate without an encoding field of
// its own.
static bool is_other(const struct mach_inst *i, unsigned k)
{
    unsigned kind = i->i.src[k].kind;
    if (kind == OPERAND_IMM && isa_shapes[i->i.op].src[k].own_field) return false;
    return kind == OPERAND_IMM || kind == OPERAND_CONST || kind == OPERAND_SHARED;
}

static void force_register(struct select *s, struct mach_inst *i, unsigned k)
{
    struct source o = get_src(i, k);
    uint8_t flags = o.o.flags;
    if (o.o.width == 2) {
        struct source low = o, high = o;
        low.o.width = high.o.width = 1;
        low.o.flags = high.o.flags = 0;
        if (o.o.kind == OPERAND_CONST)
            high.o.value += 4;
        else
            low = source_zero(); // the immediate is the high word of a double
        o = constant_pair(s, low, high);
    } else {
        o = in_register(s, o);
    }
    o.o.flags = flags;
    set_src(i, k, o);
}

// Index of the shared-memory source to move to a register, or 4 if no source is in shared memory. Preferred
// is an operand with a computed address, as in DARSIE's Figure 6 (mov $r0, s[$ofs4]; mad $r10, s[$ofs2 + 4],
// $r0, $r10), else the first shared-memory source.
static unsigned shared_to_move(const struct select *s, const struct mach_inst *i)
{
    unsigned first = 4;
    for (unsigned k = 4; k-- > 0;) {
        if (i->i.src[k].kind != OPERAND_SHARED) continue;
        first = k;
        for (size_t n = 0; n < s->made.count; n++)
            if (s->made.data[n]->dst[0] == i->src[k]) return k;
    }
    return first;
}

// Leaves at most one non-register source, and a register as the first of several sources, by exchanges and
// MOVs.
static void fit_sources(struct select *s, struct mach_inst *i)
{
    unsigned count = 0, others = 0;
    for (unsigned k = 0; k < 4; k++) {
        count += i->i.src[k].kind != OPERAND_NONE;
        others += is_other(i, k);
    }
    for (unsigned k; others > 1 && (k = shared_to_move(s, i)) < 4; others--) force_register(s, i, k);
    bool unary = count == 1;
    if (!unary && is_other(i, 0) && (is_other(i, 1) || !commute(i))) {
        if (i->i.op == OP_IADD3 && !is_other(i, 2))
            swap_src(i, 0, 2);
        else
            force_register(s, i, 0);
    }
    bool has_other = false;
    for (unsigned k = 4; k-- > 0;) {
        if (!is_other(i, k)) continue;
        if (has_other) force_register(s, i, k);
        has_other = true;
    }
}

static void fit_immediates(struct select *s, struct mach_inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->i.src[k].kind == OPERAND_IMM && is_other(i, k) && !fits_in_place(i, k))
            force_register(s, i, k);
}

void finish(struct select *s, struct mach_inst *i)
{
    fit_sources(s, i);
    if (s->profile == PROFILE_PASCAL) fit_immediates(s, i);
    insert(s, i);
}

uint32_t wanted(const struct select *s, const struct ir_inst *i, unsigned def)
{
    return def < i->def_count ? s->units[i->defs[def]->id] : MACH_NONE;
}

void move_to(struct select *s, uint32_t unit, struct source o)
{
    if (source_is_reg(&o) && o.unit != MACH_NONE) {
        copy_to(s, unit, o);
        return;
    }
    struct mach_inst *i = begin(s, OP_MOV);
    set_dst(i, 0, unit, 1);
    set_src(i, 0, o);
    insert(s, i);
}

void copy_to(struct select *s, uint32_t unit, struct source o)
{
    if (o.unit == unit && o.o.kind != OPERAND_IMM && o.o.kind != OPERAND_CONST) return;
    struct mach_inst *i = begin(s, MACH_COPIES);
    i->moves = ARENA_NEW(s->arena, struct mach_move);
    i->moves[0] = (struct mach_move){unit, o.unit, o.o, unit};
    i->move_count = 1;
    insert(s, i);
}

struct mach_inst *emit2(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b)
{
    struct mach_inst *i = begin(s, op);
    set_dst(i, 0, dst, 1);
    set_src(i, 0, a);
    set_src(i, 1, b);
    finish(s, i);
    return i;
}

struct mach_inst *begin3(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b,
                         struct source c)
{
    struct mach_inst *i = begin(s, op);
    set_dst(i, 0, dst, isa_dst_width(&i->i));
    set_src(i, 0, a);
    set_src(i, 1, b);
    set_src(i, 2, c);
    return i;
}

struct mach_inst *emit3(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b,
                        struct source c)
{
    struct mach_inst *i = begin3(s, op, dst, a, b, c);
    finish(s, i);
    return i;
}

// Value of the instruction's type field: S32 or U32 if the field only tells signed from unsigned, else the
// operation's type, or NONE without a type modifier.
static uint8_t direct_type(enum isa_op op, unsigned type)
{
    if (isa_has_modifier(op, MODIFIER_SIGN)) return type == TYPE_S32 ? TYPE_S32 : TYPE_U32;
    return (uint8_t)(isa_has_modifier(op, MODIFIER_TYPE) ? type : TYPE_NONE);
}

static struct source direct_source(struct select *s, struct ir_value *v)
{
    if (v->class == IR_CLASS_PRED) return source_pred(s, v);
    return v->class == IR_CLASS_64 ? source_pair(s, v) : source_any(s, v);
}

void select_direct(struct select *s, struct ir_inst *i)
{
    enum isa_op op = (enum isa_op)select_table[i->op].op[0];
    const struct isa_shape *shape = &isa_shapes[op];
    struct mach_inst *m = begin(s, op);
    m->i.type = direct_type(op, i->type);
    m->i.flags = i->flags & shape->flags;
    if (shape->modes) m->i.mode = i->mode;
    if (shape->types2) m->i.type2 = i->type2;
    if (shape->dst[0].kind == SHAPE_PRED)
        set_dst_pred(m, 0, wanted(s, i, 0));
    else
        set_dst(m, 0, wanted(s, i, 0), isa_dst_width(&m->i));
    for (uint32_t k = 0; k < i->use_count; k++) set_src(m, k, direct_source(s, ir_operand(i, k)));
    finish(s, m);
}

void emit_lop3(struct select *s, uint32_t dst, struct source a, struct source b, struct source c,
               unsigned lut)
{
    struct mach_inst *i = begin3(s, OP_LOP3, dst, a, b, c);
    i->i.lut = (uint8_t)lut;
    finish(s, i);
}

void emit_plop3(struct select *s, uint32_t dst, struct source a, struct source b, struct source c,
                unsigned lut)
{
    struct mach_inst *m = begin(s, OP_PLOP3);
    m->i.lut = (uint8_t)lut;
    set_dst_pred(m, 0, dst);
    set_dst_pred(m, 1, MACH_NONE);
    set_src(m, 0, a);
    set_src(m, 1, b);
    set_src(m, 2, c);
    insert(s, m);
}

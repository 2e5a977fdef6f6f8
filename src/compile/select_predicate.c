// Selection of operations on predicates: PLOP3, and what reads other lanes.
#include "compile/select.h"

enum { LUT_A = 0xf0, LUT_B = 0xcc };

static unsigned lut_of(enum ir_op op)
{
    return op == IR_PAND ? LUT_A & LUT_B : op == IR_POR ? LUT_A | LUT_B : LUT_A ^ LUT_B;
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

static void select_logic(struct select *s, struct ir_inst *i)
{
    struct source a = source_pred(s, ir_operand(i, 0));
    struct source b = i->op == IR_PNOT ? source_true() : source_pred(s, ir_operand(i, 1));
    emit_plop3(s, wanted(s, i, 0), a, b, source_true(), i->op == IR_PNOT ? 0xff & ~LUT_A : lut_of(i->op));
}

// Fields of their own take registers and immediates, not constants.
static struct source field(struct select *s, struct source o)
{
    return o.o.kind == OPERAND_CONST ? in_register(s, o) : o;
}

// The member mask is use k of i and source `at` of m. Legacy forms have none: whoever is there takes part, and nobody
// is waited for.
static void set_members(struct select *s, struct mach_inst *m, unsigned at, const struct ir_inst *i, uint32_t k)
{
    if (k < i->use_count) set_src(m, at, field(s, source_any(s, ir_operand(i, k))));
}

static void select_shuffle(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_SHFL);
    m->i.mode = i->mode;
    set_dst(m, 0, wanted(s, i, 0), 1);
    if (wanted(s, i, 1) != MACH_NONE) set_dst_pred(m, 1, wanted(s, i, 1));
    set_src(m, 0, source_reg(s, ir_operand(i, 0)));
    set_src(m, 1, field(s, source_any(s, ir_operand(i, 1))));
    set_src(m, 2, field(s, source_any(s, ir_operand(i, 2))));
    set_members(s, m, 3, i, 3);
    finish(s, m);
}

static void select_vote(struct select *s, struct ir_inst *i)
{
    bool ballot = i->op == IR_ACTIVEMASK || i->mode == MODE_NONE;
    struct mach_inst *m = begin(s, OP_VOTE);
    m->i.mode = i->op == IR_ACTIVEMASK ? MODE_NONE : i->mode;
    set_dst(m, 0, ballot ? wanted(s, i, 0) : MACH_NONE, 1);
    if (!ballot) set_dst_pred(m, 1, wanted(s, i, 0));
    set_src(m, 0, i->op == IR_ACTIVEMASK ? source_true() : source_pred(s, ir_operand(i, 0)));
    if (i->op == IR_VOTE) set_members(s, m, 1, i, 1);
    finish(s, m);
}

static void select_match(struct select *s, struct ir_inst *i)
{
    bool wide = ir_operand(i, 0)->class == IR_CLASS_64;
    struct mach_inst *m = begin(s, OP_MATCH);
    m->i.mode = i->mode;
    m->i.type = wide ? TYPE_B64 : TYPE_B32;
    set_dst(m, 0, wanted(s, i, 0), 1);
    if (wanted(s, i, 1) != MACH_NONE) set_dst_pred(m, 1, wanted(s, i, 1));
    set_src(m, 0, wide ? source_pair(s, ir_operand(i, 0)) : source_reg(s, ir_operand(i, 0)));
    set_members(s, m, 1, i, 1);
    finish(s, m);
}

static void select_redux(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_REDUX);
    m->i.mode = i->mode;
    m->i.type = i->type;
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0, source_reg(s, ir_operand(i, 0)));
    set_members(s, m, 1, i, 1);
    finish(s, m);
}

bool select_predicate(struct select *s, struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_PAND:
    case IR_POR:
    case IR_PXOR:
    case IR_PNOT: select_logic(s, i); return true;
    case IR_SHFL: select_shuffle(s, i); return true;
    case IR_VOTE:
    case IR_ACTIVEMASK: select_vote(s, i); return true;
    case IR_MATCH: select_match(s, i); return true;
    case IR_REDUX: select_redux(s, i); return true;
    }
    return false;
}

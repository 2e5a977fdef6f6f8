// Selection of cross-lane operations.
#include "compile/select/select.h"
#include "isa/modes.h"

// Operand for a source with its own encoding field. A register or an immediate stays; an operand in a
// constant bank or in shared memory moves to a register.
static struct source field(struct select *s, struct source o)
{
    return o.o.kind == OPERAND_CONST || o.o.kind == OPERAND_SHARED ? in_register(s, o) : o;
}

// Sets source `at` of m to the member mask, use k of i. Legacy forms without .sync have no mask: the active
// lanes take part, without waiting.
static void set_members(struct select *s, struct mach_inst *m, unsigned at, const struct ir_inst *i,
                        uint32_t k)
{
    if (k < i->use_count) set_src(m, at, field(s, source_any(s, ir_operand(i, k))));
}

void select_shuffle(struct select *s, struct ir_inst *i)
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

void select_vote(struct select *s, struct ir_inst *i)
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

void select_match(struct select *s, struct ir_inst *i)
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

void select_redux(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_REDUX);
    m->i.mode = i->mode;
    m->i.type = i->type;
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0, source_reg(s, ir_operand(i, 0)));
    set_members(s, m, 1, i, 1);
    finish(s, m);
}

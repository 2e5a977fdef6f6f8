// Selection of p ? t : x with t's last instruction under guard p (or !p) on x's register. As ptxas does, if x is
// not read later: otherwise x would have to be copied first, and SEL is as short. Not in profile ptxplus. Example:
//
//     q = r >= d ? q + 1 : q       ISETP.GE.U32.AND p, PT, r, d, PT
//                              @p  IADD3 q, q, 0x1, RZ
#include "compile/select/select.h"

// Whether the operation's last instruction can have a result of 32 bits and no other result.
static bool is_short(const struct ir_inst *t)
{
    switch ((int)t->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_NEG:
    case IR_MUL:
    case IR_MAD:
    case IR_ABS:
    case IR_MIN:
    case IR_MAX:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_NOT:
    case IR_LOP3:
    case IR_SHL:
    case IR_SHR:
    case IR_FUNNEL:
    case IR_BFE:
    case IR_PRMT:
    case IR_FADD:
    case IR_FMUL:
    case IR_FFMA:
    case IR_FMIN:
    case IR_FMAX:
    case IR_MUFU:
    case IR_CVT:
    case IR_SELECT: return true;
    }
    return false;
}

// Whether a user of v other than the select or t reads v behind the select, or in a later iteration.
static bool is_read_later(const struct ir_value *v, const struct ir_inst *select, const struct ir_inst *t)
{
    for (const struct ir_use *u = v->first_use; u; u = u->next) {
        const struct ir_inst *user = u->user;
        if (user == select || user == t) continue;
        if (user->op == IR_PHI || user->block != select->block || user->order > select->order) return true;
        if (user->op == IR_COPY && is_read_later(user->defs[0], select, t)) return true;
    }
    return false;
}

// Whether x is in a register that the select's result may take over.
static bool is_replaceable(struct select *s, struct ir_value *x, const struct ir_inst *select,
                           const struct ir_inst *t)
{
    const struct ir_inst *def = x->def;
    if (!def || x->is_constant || def->block->loop_header != select->block->loop_header) return false;
    if (def->op == IR_UNDEF || def->op == IR_BANK || def->op == IR_FRAME || def->op == IR_SYMBOL)
        return false;
    if (def->op == IR_LO || def->op == IR_HI) return false; // half of a pair
    return s->profile != PROFILE_PTXPLUS && !is_read_later(x, select, t);
}

// The last instruction made for t, which alone writes `unit`. NULL: others write it too, the last has a guard or
// a second result, or it is the last of the XMADs of a product, which ptxas leaves to SEL.
static struct mach_inst *last_made(const struct select *s, size_t first, uint32_t unit)
{
    struct mach_inst *last = s->made.count > first ? s->made.data[s->made.count - 1] : NULL;
    for (size_t k = first; k < s->made.count; k++)
        if (s->made.data[k] != last && s->made.data[k]->dst[0] == unit) return NULL;
    bool alone = last && last->dst[0] == unit && last->dst[1] == MACH_NONE && last->guard == MACH_NONE;
    return alone && last->i.op != OP_XMAD ? last : NULL;
}

static bool select_guarded_side(struct select *s, struct ir_inst *select, unsigned side)
{
    struct ir_value *v = ir_operand(select, side), *x = strip(ir_operand(select, 1 - side));
    struct ir_inst *t = v->def && is_short(v->def) ? fold_of(s, v, v->def->op) : NULL;
    if (!t || inst_is_wide(t) || s->tests[v->id] != MACH_NONE || !is_replaceable(s, x, select, t))
        return false;
    struct source p = source_pred(s, ir_operand(select, 2));
    if (p.unit == MACH_NONE) return false;
    const struct ir_inst *outer = s->inst;
    size_t first = s->made.count;
    uint32_t unit = s->units[v->id] = mach_reg(s->f, 1), dst = wanted(s, select, 0);
    folded(s, t);
    s->inst = t;
    select_table[t->op].body(s, t);
    s->inst = outer;
    s->units[v->id] = MACH_NONE; // selected: the walk passes t by
    struct mach_inst *m = last_made(s, first, unit);
    if (m) {
        m->dst[0] = dst;
        m->old[0] = demand(s, x);
        m->guard = p.unit;
        m->i.guard_not = ((p.o.flags & OPERAND_NOT) != 0) != (side == 1);
    } else {
        struct source computed = source_unit(unit, 1), other = source_unit(demand(s, x), 1);
        emit3(s, OP_SEL, dst, side ? other : computed, side ? computed : other, p);
    }
    return true;
}

bool select_guarded(struct select *s, struct ir_inst *select)
{
    return select->defs[0]->class == IR_CLASS_32 &&
           (select_guarded_side(s, select, 1) || select_guarded_side(s, select, 0));
}

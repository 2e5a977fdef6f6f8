// Iterates forwards to a fixed point. Parameters of a device function vary. A value varies if its instruction
// is lane-specific, or if an operand or the guard varies. A phi varies, too, if the immediate dominator of
// its block ends in a varying branch. Results of VOTE, ACTIVEMASK and REDUX never vary. Ignored: values that
// lanes carry out of a loop in different iterations.
#include "compile/ir/varying.h"
#include "isa/inst.h"
#include "isa/space.h"
#include "isa/sregs.h"

static bool is_varying(const struct ir_value *v, const bool *varying)
{
    return !v->is_constant && varying[v->id];
}

bool block_may_part(const struct ir_block *b, const bool *varying)
{
    const struct ir_inst *end = b->last;
    if (!end || (end->op != IR_BRANCH && end->op != IR_SWITCH) || end->flags & INST_UNIFORM) return false;
    return is_varying(ir_operand(end, 0), varying);
}

static bool is_source(const struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_SREG: return isa_sreg_whose((enum isa_sreg)i->offset) == SREG_OF_LANE;
    case IR_LOAD: return i->space == SPACE_LOCAL;
    case IR_FRAME:
    case IR_ATOM:
    case IR_SHFL:
    case IR_MMA:
    case IR_WGMMA:
    case IR_LDMATRIX:
    case IR_MOVMATRIX:
    case IR_MATCH:
    case IR_CALL:
    case IR_CALLR: return true;
    default: return false;
    }
}

static bool is_uniform_anyway(const struct ir_inst *i)
{
    return i->op == IR_VOTE || i->op == IR_ACTIVEMASK || i->op == IR_REDUX;
}

static bool varies(const struct ir_inst *i, const bool *varying)
{
    if (is_uniform_anyway(i)) return false;
    bool v = is_source(i) || (i->guard.value && is_varying(i->guard.value, varying));
    for (uint32_t k = 0; k < i->use_count && !v; k++) v = is_varying(ir_operand(i, k), varying);
    if (i->op == IR_PHI && !v && i->block->idom) v = block_may_part(i->block->idom, varying);
    return v;
}

bool *find_varying(struct ir_function *f, struct arena *a)
{
    bool *varying = ARENA_ARRAY(a, bool, f->value_count + 1), changed = true;
    for (uint32_t k = 0; k < f->param_count; k++) varying[f->params[k]->id] = true;
    while (changed) {
        changed = false;
        for (struct ir_block *b = f->first_block; b; b = b->next)
            for (const struct ir_inst *i = b->first; i; i = i->next) {
                if (!i->def_count || varying[i->defs[0]->id] || !varies(i, varying)) continue;
                for (uint32_t d = 0; d < i->def_count; d++) varying[i->defs[d]->id] = true;
                changed = true;
            }
    }
    return varying;
}

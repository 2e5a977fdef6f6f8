// The inputs that an instruction's result is computed from: a walk from the instruction through all its data
// dependences. Branch conditions are no dependences here.
#include "mark/leaves.h"
#include "base/vec.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "mark/access.h"
#include "mark/ssa.h"

struct walk {
    const struct marks *marks;
    uint32_t loop; // innermost loop around the instruction
    bool *seen;    // by definition
    VEC(uint32_t) next;
    struct mark_leaves *leaves;
};

static uint32_t of_special(enum isa_sreg sreg)
{
    if (sreg == SREG_TID_X) return LEAF_TID_X;
    if (sreg == SREG_TID_Y) return LEAF_TID_Y;
    if (sreg == SREG_TID_Z) return LEAF_TID_Z;
    if (sreg >= SREG_CTAID_X && sreg <= SREG_CTAID_Z) return LEAF_BLOCK_INDEX;
    bool shape =
        (sreg >= SREG_NTID_X && sreg <= SREG_NTID_Z) || (sreg >= SREG_NCTAID_X && sreg <= SREG_NCTAID_Z);
    return shape ? LEAF_SHAPE : LEAF_MACHINE;
}

static void add_constant(struct walk *w, unsigned bank, uint32_t offset)
{
    const struct program *p = w->marks->program;
    if (bank == BANK_USER) w->leaves->from |= LEAF_CONSTANT;
    if (bank != BANK_LAUNCH) return;
    if (offset < BANK_LAUNCH_PARAMS) {
        w->leaves->from |= offset < LAUNCH_DYNAMIC_SHARED ? LEAF_SHAPE : 0u;
        return;
    }
    uint32_t at = offset - BANK_LAUNCH_PARAMS;
    for (uint32_t k = 0; k < p->param_count && k < 64; k++)
        if (at >= p->params[k].offset && at < p->params[k].offset + p->params[k].size_bytes)
            w->leaves->params |= 1ull << k;
}

static uint32_t of_memory(const struct inst *i)
{
    if (isa_is_fetch(i->op)) return LEAF_TEXTURE;
    if (isa_has(i, ISA_ATOMIC)) return LEAF_GLOBAL;
    if (i->op == OP_LDS) return LEAF_SHARED;
    if (i->op == OP_LDL) return LEAF_LOCAL;
    return i->op == OP_LDG || i->op == OP_LD ? LEAF_GLOBAL : 0;
}

static void visit_inst(struct walk *w, uint32_t inst)
{
    const struct mark_ssa *s = w->marks->ssa;
    const struct inst *i = &s->program->insts[inst];
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind == OPERAND_SREG) w->leaves->from |= of_special((enum isa_sreg)o->reg);
        if (o->kind == OPERAND_CONST) add_constant(w, o->bank, o->value);
        if (o->kind == OPERAND_SHARED) w->leaves->from |= LEAF_SHARED;
    }
    if (i->op == OP_LDC) add_constant(w, i->bank, i->src[0].value);
    if (!access_is_spill(s->program, i)) w->leaves->from |= of_memory(i);
    if (isa_has(i, ISA_CROSS_LANE)) w->leaves->from |= LEAF_MACHINE;
    for (uint32_t k = s->read_first[inst]; k < s->read_first[inst + 1]; k++) vec_push(&w->next, s->reads[k]);
}

static void visit_phi(struct walk *w, const struct mark_def *d)
{
    const struct mark_ssa *s = w->marks->ssa;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t loop = s->loops.innermost[d->block];
    if (loop != FLOW_NONE && s->loops.loops[loop].header == d->block)
        w->leaves->from |= loop == w->loop ? LEAF_LOOP | LEAF_OWN_LOOP : LEAF_LOOP;
    for (uint32_t k = 0; k < g->pred_first[d->block + 1] - g->pred_first[d->block]; k++)
        if (d->sources[k] != FLOW_NONE) vec_push(&w->next, d->sources[k]);
}

void mark_leaves_of(const struct marks *m, uint32_t inst, struct mark_leaves *out)
{
    const struct mark_ssa *s = m->ssa;
    struct walk w = {.marks = m, .leaves = out, .loop = s->loops.innermost[s->flow.block_of[inst]]};
    *out = (struct mark_leaves){0};
    w.seen = heap_alloc(s->def_count + 1);
    visit_inst(&w, inst);
    while (w.next.count) {
        uint32_t def = vec_pop(&w.next);
        if (w.seen[def]) continue;
        w.seen[def] = true;
        if (s->defs[def].kind == DEF_INST) visit_inst(&w, s->defs[def].inst);
        if (s->defs[def].kind == DEF_PHI) visit_phi(&w, &s->defs[def]);
        if (s->defs[def].kind == DEF_CALL) out->from |= LEAF_CALL;
    }
    vec_fini(&w.next);
    free(w.seen);
}

uint32_t mark_block(const struct marks *m, uint32_t inst) { return m->ssa->flow.block_of[inst]; }

uint32_t mark_loop_depth(const struct marks *m, uint32_t inst)
{
    uint32_t loop = m->ssa->loops.innermost[m->ssa->flow.block_of[inst]];
    return loop == FLOW_NONE ? 0 : m->ssa->loops.loops[loop].depth;
}

// Simplification of the control-flow graph:
//
//   branch on a constant, or with equal targets          jump
//   branch on !p                                         branch on p, targets exchanged
//   unreachable block                                    removed
//   block with a single predecessor that jumps to it     appended to the predecessor
//   block with nothing but a jump                        predecessors branch to its target
//   block with nothing but a branch on a phi             predecessors with a constant operand branch
//                                                        directly to the target of the constant
//                                                        (not in a function where lanes_meet)
//   phi of one value                                     replaced by the value
#include "base/vec.h"
#include "compile/pass/passes.h"

static bool is_straight(const struct ir_block *b) { return b->last && b->last->op == IR_JUMP; }

static void make_jump(struct ir_block *b)
{
    uint32_t lines = b->last->lines;
    ir_remove(b->last);
    struct ir_inst *jump = ir_inst_create(b->function, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
    jump->lines = lines;
    ir_append(b, jump);
}

static bool simplify_end(struct ir_block *b, bool broken)
{
    struct ir_inst *end = b->last;
    if (end->op == IR_SWITCH && ir_operand(end, 0)->is_constant && ir_operand(end, 0)->bits < b->succ_count) {
        uint32_t taken = (uint32_t)ir_operand(end, 0)->bits;
        for (uint32_t k = b->succ_count; k-- > 0;)
            if (k != taken) ir_remove_edge(b, k);
        make_jump(b);
        return true;
    }
    if (end->op != IR_BRANCH) return false;
    struct ir_value *p = ir_operand(end, 0);
    if (p->is_constant) {
        ir_remove_edge(b, p->bits ? 1 : 0);
        make_jump(b);
        return true;
    }
    if (b->succs[0] == b->succs[1]) {
        uint32_t first = ir_pred_index(b, 0), second = ir_pred_index(b, 1);
        for (const struct ir_inst *i = b->succs[0]->first; i && i->op == IR_PHI; i = i->next)
            if (i->uses[first].value != i->uses[second].value) return false;
        ir_remove_edge(b, 1);
        make_jump(b);
        return true;
    }
    if (p->def && p->def->op == IR_PNOT) {
        ir_set_use(end, 0, ir_operand(p->def, 0));
        if (broken) return true; // broken on purpose: the targets are not exchanged
        struct ir_block *swap = b->succs[0];
        b->succs[0] = b->succs[1];
        b->succs[1] = swap;
        return true;
    }
    return false;
}

static bool remove_unreachable(struct ir_function *f)
{
    VEC(struct ir_block *) work = {0};
    for (struct ir_block *b = f->first_block; b; b = b->next) b->note = 0;
    f->first_block->note = 1;
    vec_push(&work, f->first_block);
    while (work.count) {
        struct ir_block *b = vec_pop(&work);
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (!b->succs[k]->note) {
                b->succs[k]->note = 1;
                vec_push(&work, b->succs[k]);
            }
    }
    vec_fini(&work);
    bool changed = false;
    for (struct ir_block *b = f->first_block; b; b = b->next)
        while (!b->note && b->succ_count) ir_remove_edge(b, b->succ_count - 1);
    for (struct ir_block *b = f->first_block, *next; b; b = next) {
        next = b->next;
        if (b->note) continue;
        ir_remove_block(f, b);
        changed = true;
    }
    return changed;
}

static bool replace_trivial_phis(struct ir_block *b)
{
    bool changed = false;
    for (struct ir_inst *i = b->first, *next; i && i->op == IR_PHI; i = next) {
        next = i->next;
        struct ir_value *only = NULL;
        bool several = false;
        for (uint32_t k = 0; k < i->use_count && !several; k++) {
            struct ir_value *v = ir_operand(i, k);
            if (v == i->defs[0]) continue;
            several = only && v != only;
            only = v;
        }
        if (several || !only) continue;
        ir_replace(i->defs[0], only);
        ir_remove(i);
        changed = true;
    }
    return changed;
}

// If b jumps to s and is the only predecessor of s, appends the instructions of s to b. True: appended.
static bool append_successor(struct ir_function *f, struct ir_block *b)
{
    if (!is_straight(b)) return false;
    struct ir_block *s = b->succs[0];
    if (s == b || s->pred_count != 1 || s == f->first_block) return false;
    for (struct ir_inst *i = s->first, *next; i && i->op == IR_PHI; i = next) {
        next = i->next;
        ir_replace(i->defs[0], ir_operand(i, 0));
        ir_remove(i);
    }
    ir_remove_edge(b, 0);
    ir_remove(b->last);
    for (struct ir_inst *i = s->first, *next; i; i = next) {
        next = i->next;
        ir_detach(i);
        ir_append(b, i);
    }
    // The outgoing edges of s become edges of b. The position of an edge among its target's predecessors
    // stays.
    for (uint32_t k = 0; k < s->succ_count; k++)
        for (uint32_t p = 0; p < s->succs[k]->pred_count; p++)
            if (s->succs[k]->preds[p] == s) s->succs[k]->preds[p] = b;
    b->succs = s->succs;
    b->succ_count = s->succ_count;
    s->succs = NULL;
    s->succ_count = 0;
    ir_remove_block(f, s);
    return true;
}

static bool leads_to(const struct ir_block *from, const struct ir_block *to)
{
    for (uint32_t k = 0; k < from->succ_count; k++)
        if (from->succs[k] == to) return true;
    return false;
}

// Redirects the edge from predecessor `pred` of block e to the target of the outgoing edge `out` of e. Block
// e consists of phis and an end. False: the target is e, or already a successor of the predecessor.
static bool pass_through(struct ir_block *e, uint32_t pred, uint32_t out)
{
    struct ir_block *from = e->preds[pred], *to = e->succs[out];
    // two edges to one block would need separate phi operands
    if (to == e || leads_to(from, to)) return false;
    uint32_t nth = 0, succ = 0;
    for (uint32_t k = 0; k < pred; k++) nth += e->preds[k] == from;
    for (;; succ++)
        if (from->succs[succ] == e && nth-- == 0) break;
    uint32_t index = ir_pred_index(e, out);
    VEC(struct ir_value *) values = {0};
    for (const struct ir_inst *i = to->first; i && i->op == IR_PHI; i = i->next) {
        struct ir_value *v = ir_operand(i, index);
        if (v->def && v->def->op == IR_PHI && v->def->block == e) v = ir_operand(v->def, pred);
        vec_push(&values, v);
    }
    ir_redirect_edge(from, succ, to);
    size_t n = 0;
    for (struct ir_inst *i = to->first; i && i->op == IR_PHI; i = i->next) ir_phi_append(i, values.data[n++]);
    vec_fini(&values);
    return true;
}

// True if the phis of e are read only by its end and by phis of its successors.
static bool phis_stay_inside(const struct ir_block *e)
{
    for (const struct ir_inst *i = e->first; i->op == IR_PHI; i = i->next)
        for (const struct ir_use *u = i->defs[0]->first_use; u; u = u->next) {
            if (u->user == e->last) continue;
            if (u->user->op != IR_PHI || u->user->block == e) return false;
            for (uint32_t k = 0; k < u->user->use_count; k++)
                if (&u->user->uses[k] == u && u->user->block->preds[k] != e) return false;
        }
    return true;
}

// True if the function has an instruction that depends on the set of active lanes. Skipping a block where
// lanes reconverge would let them arrive separately.
static bool lanes_meet(const struct ir_function *f)
{
    for (const struct ir_block *b = f->first_block; b; b = b->next)
        for (const struct ir_inst *i = b->first; i; i = i->next) {
            bool alone = i->op == IR_FENCE || i->op == IR_CPCOMMIT || i->op == IR_CPWAIT ||
                         i->op == IR_PREFETCH || i->op == IR_NANOSLEEP || i->op == IR_TRAP ||
                         i->op == IR_SYSCALL;
            if (ir_table[i->op].flags & IR_EFFECT && !alone) return true;
        }
    return false;
}

static bool skip_block(struct ir_function *f, struct ir_block *e, bool together)
{
    const struct ir_inst *body = e->first;
    while (body->op == IR_PHI) body = body->next;
    if (e == f->first_block || body != e->last || !phis_stay_inside(e)) return false;
    bool changed = false;
    if (e->last->op == IR_JUMP) {
        for (uint32_t k = e->pred_count; k-- > 0;) changed |= pass_through(e, k, 0);
        return changed;
    }
    if (e->last->op != IR_BRANCH || together) return false;
    const struct ir_value *asked = ir_operand(e->last, 0);
    if (!asked->def || asked->def->op != IR_PHI || asked->def->block != e) return false;
    for (uint32_t k = e->pred_count; k-- > 0;) {
        const struct ir_value *v = ir_operand(asked->def, k);
        if (v->is_constant) changed |= pass_through(e, k, v->bits ? 0 : 1);
    }
    return changed;
}

bool pass_branches(struct ir_function *f, const struct pass_context *c)
{
    bool changed = false, again, together = lanes_meet(f);
    do {
        again = false;
        for (struct ir_block *b = f->first_block; b; b = b->next) {
            again |= simplify_end(b, c->broken);
            again |= replace_trivial_phis(b);
        }
        again |= remove_unreachable(f);
        for (struct ir_block *b = f->first_block; b; b = b->next)
            while (append_successor(f, b)) again = true;
        for (struct ir_block *b = f->first_block; b; b = b->next) again |= skip_block(f, b, together);
        again |= remove_unreachable(f);
        changed |= again;
    } while (again);
    return changed;
}

// If-conversion: a short branch becomes straight-line code with selected values and guarded memory accesses.
//
//        b: …                     b: …                           b: …
//           branch p, t, j           branch p, t, f                 branch p, c, j
//        t: x = add …             t: x = …      f: y = …        c: q = setp …
//           store [a], x             jump j        jump j           branch q, t, j
//           jump j                j: z = phi x, y
//        j: z = phi x, y
//        ─────── hammock ──────   ─────── diamond ───────       ─────── chain ───────
//        b: x = add …             b: x = …                      b: q = setp …
//           @p store [a], x          y = …                         r = pand p, q
//           z = select p, x, y       z = select p, x, y            branch r, t, j
//           jump j                   jump j
//
// ptxas does the same, so warps diverge far less often than the PTX suggests. Pure values are computed in
// every lane (no pure operation can fault). Loads and stores are guarded; a guarded load takes the value of
// the other side as its `old`, which saves the select. Never converted: cross-lane operations (shuffles,
// votes, barriers), atomics with a result, calls, and sides more expensive than the branch.
#include "compile/pass/passes.h"

enum {
    COST_MAX = 10,      // cost of both sides together (plain instruction: 1), about that of a taken branch
    COST_SPECIAL = 3,   // special functions, conversions
    MEMORY_MAX = 4,     // guarded accesses, both sides together
    SELECTS_MAX = 6,    // number of 32-bit selects for phis
    CHAIN_COST_MAX = 6, // for a condition computed early
};

struct side {               // a path from the branch to the join
    struct ir_block *block; // NULL: directly to the join
    bool when;              // predicate value of the path
    unsigned cost, accesses;
};

static unsigned cost_of(const struct ir_inst *i)
{
    switch ((unsigned)i->op) {
    case IR_COPY:
    case IR_UNDEF:
    case IR_BANK:
    case IR_FRAME:
    case IR_LO:
    case IR_HI:
    case IR_PACK:
    case IR_FNEG:
    case IR_FABS:
    case IR_PNOT: return 0;
    case IR_DIV:
    case IR_REM:
    case IR_SQRT:
    case IR_RCP: return COST_MAX + 1;
    case IR_MUFU:
    case IR_CVT: return COST_SPECIAL;
    default: return i->type == TYPE_F64 || (i->def_count && i->defs[0]->class == IR_CLASS_64) ? 2 : 1;
    }
}

static bool is_plain_access(const struct ir_inst *i)
{
    return i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_RED;
}

// Sums up cost and accesses of a side. False if an instruction is neither pure nor a load, store or
// reduction, or if the cost is too high.
static bool side_measure(struct side *s)
{
    if (!s->block) return true;
    for (const struct ir_inst *i = s->block->first; i != s->block->last; i = i->next) {
        if (ir_is_pure(i)) {
            s->cost += cost_of(i);
        } else if (is_plain_access(i)) {
            s->cost++;
            s->accesses++;
        } else {
            return false;
        }
    }
    return s->cost <= COST_MAX;
}

static unsigned select_cost(const struct ir_block *join, uint32_t pred_a, uint32_t pred_b)
{
    unsigned cost = 0;
    for (const struct ir_inst *i = join->first; i && i->op == IR_PHI; i = i->next)
        if (i->uses[pred_a].value != i->uses[pred_b].value) cost += i->defs[0]->class == IR_CLASS_64 ? 2 : 1;
    return cost;
}

static struct ir_value *emit(struct ir_inst *where, enum ir_op op, enum isa_type type, enum ir_class class,
                             uint32_t count, struct ir_value *a, struct ir_value *b, struct ir_value *c)
{
    struct ir_inst *made;
    struct ir_value *v = ir_emit_before(where, op, type, class, count, (struct ir_value *[]){a, b, c}, &made);
    made->lines = where->lines;
    return v;
}

static struct ir_value *emit_not(struct ir_inst *where, struct ir_value *p)
{
    if (p->is_constant) return ir_constant(where->function, IR_CLASS_PRED, !p->bits);
    return emit(where, IR_PNOT, TYPE_NONE, IR_CLASS_PRED, 1, p, NULL, NULL);
}

// p ? yes : no for any class; predicates by logic operations.
static struct ir_value *emit_select(struct ir_inst *where, struct ir_value *p, struct ir_value *yes,
                                    struct ir_value *no)
{
    if (yes == no) return yes;
    if (yes->class != IR_CLASS_PRED) {
        enum isa_type type = yes->class == IR_CLASS_64 ? TYPE_B64 : TYPE_B32;
        return emit(where, IR_SELECT, type, yes->class, 3, yes, no, p);
    }
    if (yes->is_constant) { // p | no, or !p & no
        if (yes->bits) return emit(where, IR_POR, TYPE_NONE, IR_CLASS_PRED, 2, p, no, NULL);
        return emit(where, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, emit_not(where, p), no, NULL);
    }
    if (no->is_constant) {
        if (!no->bits) return emit(where, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, p, yes, NULL);
        return emit(where, IR_POR, TYPE_NONE, IR_CLASS_PRED, 2, emit_not(where, p), yes, NULL);
    }
    struct ir_value *a = emit(where, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, p, yes, NULL);
    struct ir_value *b = emit(where, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, emit_not(where, p), no, NULL);
    return emit(where, IR_POR, TYPE_NONE, IR_CLASS_PRED, 2, a, b, NULL);
}

// Guards an access by predicate p (lanes with p == when), in addition to an existing guard.
static void guard_access(struct ir_inst *i, struct ir_value *p, bool when)
{
    if (!i->guard.value) {
        ir_set_guard(i, p, !when);
        return;
    }
    struct ir_value *own = i->guard_not ? emit_not(i, i->guard.value) : i->guard.value;
    struct ir_value *lanes = when ? p : emit_not(i, p);
    ir_set_guard(i, emit(i, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, lanes, own, NULL), false);
}

static void move_side(struct ir_inst *where, const struct side *s, struct ir_value *p, bool broken)
{
    if (!s->block) return;
    for (struct ir_inst *i = s->block->first, *next; i != s->block->last; i = next) {
        next = i->next;
        ir_detach(i);
        ir_insert_before(where, i);
        if (is_plain_access(i) && !(broken && i->op == IR_STORE)) guard_access(i, p, s->when);
    }
}

// The value of a phi after conversion. A load guarded by p alone takes the value of the other side as its old
// value, if that value is defined before the load.
static struct ir_value *join_value(struct ir_inst *where, struct ir_value *p, struct ir_value *yes,
                                   struct ir_value *no)
{
    struct ir_value *const pair[2] = {yes, no};
    for (unsigned k = 0; k < 2; k++) {
        struct ir_inst *load = pair[k]->def;
        struct ir_value *other = pair[1 - k];
        if (!load || load->op != IR_LOAD || load->guard.value != p || load->guard_not != (k == 1)) continue;
        bool there = !other->def || other->def->block != load->block || other->def->order < load->order;
        if (!there) continue; // the other side's value is defined after the load
        for (uint32_t d = 0; d < load->def_count; d++) {
            if (load->defs[d] != pair[k] || (load->old && load->old[d].value)) continue;
            ir_set_old(load, d, other);
            return pair[k];
        }
    }
    return emit_select(where, p, yes, no);
}

static void unlink_side(struct ir_function *f, struct ir_block *b)
{
    ir_remove_edge(b, 0);
    ir_remove(b->last);
    ir_remove_block(f, b);
}

// Replaces the branch at the end of b by both sides in sequence and a jump to the join.
static void convert(struct ir_function *f, struct ir_block *b, struct side yes, struct side no,
                    struct ir_block *join, bool broken)
{
    struct ir_inst *branch = b->last;
    struct ir_value *p = ir_operand(branch, 0);
    uint32_t from_yes = yes.block ? ir_pred_index(yes.block, 0) : ir_pred_index(b, 0);
    uint32_t from_no = no.block ? ir_pred_index(no.block, 0) : ir_pred_index(b, 1);
    move_side(branch, &yes, p, broken);
    move_side(branch, &no, p, broken);
    uint32_t order = 0; // for join_value: order of definitions in b
    for (struct ir_inst *i = b->first; i; i = i->next) i->order = order++;

    for (struct ir_inst *phi = join->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_value *v = join_value(branch, p, phi->uses[from_yes].value, phi->uses[from_no].value);
        ir_set_use(phi, from_yes, v); // the operand of b's future edge
        ir_set_use(phi, from_no, v);
    }
    // Save the phi operands of the join for the new edge; removal of the old edges drops the operands.
    VEC(struct ir_value *) kept = {0};
    for (struct ir_inst *phi = join->first; phi && phi->op == IR_PHI; phi = phi->next)
        vec_push(&kept, phi->uses[from_yes].value);
    ir_remove_edge(b, 1);
    ir_remove_edge(b, 0);
    if (yes.block) unlink_side(f, yes.block);
    if (no.block) unlink_side(f, no.block);
    uint32_t lines = branch->lines;
    ir_remove(branch);
    struct ir_inst *jump = ir_inst_create(f, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
    jump->lines = lines;
    ir_append(b, jump);
    ir_add_edge(b, join);
    size_t k = 0;
    for (struct ir_inst *phi = join->first; phi && phi->op == IR_PHI; phi = phi->next)
        ir_phi_append(phi, kept.data[k++]);
    vec_fini(&kept);
}

static struct ir_block *only_successor(const struct ir_block *b)
{
    return b->last->op == IR_JUMP ? b->succs[0] : NULL;
}

// The block where both paths out of b join if neither has more than one block of its own, else NULL.
static struct ir_block *meeting(struct ir_block *b, struct side *yes, struct side *no)
{
    struct ir_block *t = b->succs[0], *f = b->succs[1];
    if (t == f || t == b || f == b) return NULL;
    struct ir_block *after_t = t->pred_count == 1 ? only_successor(t) : NULL;
    struct ir_block *after_f = f->pred_count == 1 ? only_successor(f) : NULL;
    if (after_t == t || after_f == f) return NULL;
    if (after_t && after_t == f) {
        yes->block = t;
        return f;
    }
    if (after_f && after_f == t) {
        no->block = f;
        return t;
    }
    if (after_t && after_t == after_f && after_t != b) {
        yes->block = t;
        no->block = f;
        return after_t;
    }
    return NULL;
}

static bool try_convert(struct ir_function *f, struct ir_block *b, bool broken)
{
    if (!b->last || b->last->op != IR_BRANCH || ir_operand(b->last, 0)->is_constant) return false;
    struct side yes = {.when = true}, no = {.when = false};
    struct ir_block *join = meeting(b, &yes, &no);
    if (!join || join == b) return false;
    if (!side_measure(&yes) || !side_measure(&no)) return false;
    if (yes.cost + no.cost > COST_MAX || yes.accesses + no.accesses > MEMORY_MAX) return false;
    uint32_t from_yes = yes.block ? ir_pred_index(yes.block, 0) : ir_pred_index(b, 0);
    uint32_t from_no = no.block ? ir_pred_index(no.block, 0) : ir_pred_index(b, 1);
    if (select_cost(join, from_yes, from_no) > SELECTS_MAX) return false;
    convert(f, b, yes, no, join, broken);
    return true;
}

// Two consecutive conditions with a common exit: b branches to c or x, c computes a second condition and
// branches to t or x. Afterwards b alone branches, on both conditions. False: no such pair, an instruction of
// c is not pure (a load, for instance), or combining costs too much.
static bool try_chain(struct ir_function *f, struct ir_block *b)
{
    if (!b->last || b->last->op != IR_BRANCH) return false;
    for (unsigned way = 0; way < 2; way++) {
        struct ir_block *c = b->succs[way], *x = b->succs[1 - way];
        if (c == x || c == b || x == b || c->pred_count != 1 || c->last->op != IR_BRANCH) continue;
        if (c->succs[0] == c->succs[1]) continue;
        unsigned c_out = c->succs[0] == x ? 0 : c->succs[1] == x ? 1 : 2;
        if (c_out == 2 || c->succs[1 - c_out] == b || c->succs[1 - c_out] == c) continue;
        if (c->first->op == IR_PHI) continue;
        unsigned cost = 0;
        bool pure = true;
        for (const struct ir_inst *i = c->first; i != c->last && pure; i = i->next) {
            pure = ir_is_pure(i);
            cost += cost_of(i);
        }
        uint32_t b_index = ir_pred_index(b, 1 - way), c_index = ir_pred_index(c, c_out);
        if (!pure || cost > CHAIN_COST_MAX || select_cost(x, b_index, c_index) > 1) continue;

        struct ir_inst *branch = b->last;
        struct ir_value *p = ir_operand(branch, 0), *q = ir_operand(c->last, 0);
        for (struct ir_inst *i = c->first, *next; i != c->last; i = next) {
            next = i->next;
            ir_detach(i);
            ir_insert_before(branch, i);
        }
        // enter: b would branch to c. stay: c would then branch away from x.
        struct ir_value *enter = way == 0 ? p : emit_not(branch, p);
        struct ir_value *stay = c_out == 1 ? q : emit_not(branch, q);
        struct ir_value *both = emit(branch, IR_PAND, TYPE_NONE, IR_CLASS_PRED, 2, enter, stay, NULL);
        for (struct ir_inst *phi = x->first; phi && phi->op == IR_PHI; phi = phi->next) {
            struct ir_value *v =
                emit_select(branch, enter, phi->uses[c_index].value, phi->uses[b_index].value);
            ir_set_use(phi, b_index, v);
        }
        // c remains as an empty block to its other target; pass_branches removes it.
        ir_remove_edge(c, c_out);
        ir_remove(c->last);
        struct ir_inst *jump = ir_inst_create(f, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
        jump->lines = branch->lines;
        ir_append(c, jump);
        struct ir_value *condition = way == 0 ? both : emit_not(branch, both);
        ir_set_use(branch, 0, condition);
        return true;
    }
    return false;
}

bool pass_convert(struct ir_function *f, const struct pass_context *c)
{
    if (!c->late) return false; // early passes learn from branches: constants, facts about conditions
    bool changed = false, again;
    do { // from the last block to the first: inner conditionals follow the outer branches and convert first
        again = false;
        for (struct ir_block *b = f->last_block, *before; b; b = before) {
            before = b->previous;
            if (try_convert(f, b, c->broken) || try_chain(f, b)) again = true;
        }
        changed |= again;
    } while (again);
    return changed;
}

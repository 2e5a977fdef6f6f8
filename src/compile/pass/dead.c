// Dead code elimination. Marks required instructions (effects, writes, loads that are not weak, ends of
// blocks) and everything they read, and removes the rest, including cycles of phis. An atomic without a
// reader of the old value becomes a reduction, except exchange and compare-and-swap. ADDCC or SUBCC without a
// reader of the carry becomes a plain addition or subtraction.
#include "base/vec.h"
#include "compile/pass/passes.h"
#include "isa/modes.h"

// State of marking, in `note`. Marking walks backwards, so most definitions follow their readers. Definitions
// already passed, around a loop, go to a worklist.
enum { NEEDED = 1, PASSED = 2 };

struct marking {
    VEC(struct ir_inst *) work;
    uint32_t dead; // instructions passed and not needed
    bool narrows;  // narrow() has candidates
};

static bool must_happen(const struct ir_inst *i, bool broken)
{
    if (i->op == IR_PHI || i->op == IR_SREG || i->op == IR_TEX || i->op == IR_WGLANDED || ir_is_pure(i))
        return false;
    if (i->op == IR_LOAD) return i->sem != SEM_WEAK;
    // Broken on purpose: a guarded store counts as dead.
    if (broken && i->op == IR_STORE && i->guard.value) return false;
    return true;
}

static void need(struct marking *m, const struct ir_value *v)
{
    if (!v || !v->def || v->def->note & NEEDED) return;
    v->def->note |= NEEDED;
    if (!(v->def->note & PASSED)) return;
    m->dead--;
    vec_push(&m->work, v->def);
}

static void need_operands(struct marking *m, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->use_count; k++) need(m, i->uses[k].value);
    need(m, i->guard.value);
    for (uint32_t k = 0; i->old && k < i->def_count; k++) need(m, i->old[k].value);
}

static void mark(struct ir_function *f, struct marking *m, bool broken)
{
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next) i->note = must_happen(i, broken) ? NEEDED : 0;
    for (struct ir_block *b = f->last_block; b; b = b->previous)
        for (struct ir_inst *i = b->last; i; i = i->previous) {
            i->note |= PASSED;
            m->narrows |= i->op == IR_ATOM || i->op == IR_ADDCC || i->op == IR_SUBCC;
            if (i->note & NEEDED)
                need_operands(m, i);
            else
                m->dead++;
        }
    while (m->work.count) need_operands(m, vec_pop(&m->work));
    vec_fini(&m->work);
}

// Dead instructions may use each other in cycles, so a constant replaces their results first.
static void sweep(struct ir_function *f)
{
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; !(i->note & NEEDED) && k < i->def_count; k++)
                if (i->defs[k]->first_use) ir_replace(i->defs[k], ir_constant(f, i->defs[k]->class, 0));
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (!(i->note & NEEDED)) ir_remove(i);
        }
}

static struct ir_inst *replace_op(struct ir_inst *i, enum ir_op op, uint32_t def_count, uint32_t use_count)
{
    enum ir_class class = IR_CLASS_32;
    struct ir_value *uses[2] = {ir_operand(i, 0), ir_operand(i, 1)};
    struct ir_inst *made =
        ir_inst_create(i->function, op, (enum isa_type)i->type, def_count, &class, use_count, uses);
    made->space = i->space;
    made->mode = i->mode;
    made->sem = i->sem;
    made->scope = i->scope;
    made->cache = i->cache;
    made->flags = i->flags;
    made->offset = i->offset;
    made->lines = i->lines;
    ir_insert_before(i, made);
    if (i->guard.value) ir_set_guard(made, i->guard.value, i->guard_not);
    if (def_count) ir_replace(i->defs[0], made->defs[0]);
    ir_remove(i);
    return made;
}

static bool narrow(struct ir_inst *i)
{
    switch ((unsigned)i->op) {
    case IR_ATOM:
        if (i->defs[0]->first_use || i->mode == MODE_ATOM_CAS || i->mode == MODE_ATOM_EXCH) return false;
        replace_op(i, IR_RED, 0, 2);
        return true;
    case IR_ADDCC:
    case IR_SUBCC:
        if (i->defs[1]->first_use) return false;
        replace_op(i, i->op == IR_ADDCC ? IR_ADD : IR_SUB, 1, 2);
        return true;
    default: return false;
    }
}

bool pass_dead(struct ir_function *f, const struct pass_context *c)
{
    struct marking m = {.dead = 0};
    mark(f, &m, c->broken);
    bool changed = m.dead != 0;
    if (changed) sweep(f);
    for (struct ir_block *b = m.narrows ? f->first_block : NULL; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            changed |= narrow(i);
        }
    return changed;
}

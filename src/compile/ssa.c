#include "compile/ssa.h"

#include <string.h>

void ssa_init(struct ssa *s, struct ir_function *f, uint32_t variable_count, uint8_t *classes,
              uint32_t *writers)
{
    memset(s, 0, sizeof *s);
    s->f = f;
    s->variable_count = variable_count;
    s->classes = classes;
    s->writers = writers;
    s->blocks = ARENA_ARRAY(&f->unit->arena, struct ir_block *, f->block_count);
    for (struct ir_block *b = f->first_block; b; b = b->next) s->blocks[b->id] = b;
}

void ssa_fini(struct ssa *s)
{
    u64map_fini(&s->current);
    vec_fini(&s->values);
    vec_fini(&s->phis);
}

static uint64_t key_of(const struct ir_block *b, uint32_t variable)
{
    return (uint64_t)b->id << 32 | variable;
}

static struct ir_value *known(const struct ssa *s, const struct ir_block *b, uint32_t variable)
{
    uint32_t index;
    return u64map_get(&s->current, key_of(b, variable), &index) ? s->values.data[index] : NULL;
}

void ssa_write(struct ssa *s, struct ir_block *b, uint32_t variable, struct ir_value *v)
{
    uint32_t index;
    if (u64map_get(&s->current, key_of(b, variable), &index)) {
        s->values.data[index] = v;
        return;
    }
    u64map_set(&s->current, key_of(b, variable), (uint32_t)s->values.count);
    vec_push(&s->values, v);
}

bool ssa_is_undefined(const struct ir_value *v) { return v->def && v->def->op == IR_UNDEF; }

static void insert_at_start(struct ir_block *b, struct ir_inst *i)
{
    if (b->first)
        ir_insert_before(b->first, i);
    else
        ir_append(b, i);
}

static struct ir_value *undefined(struct ssa *s, enum ir_class class)
{
    if (!s->undefined[class]) {
        struct ir_inst *i = ir_inst_create(s->f, IR_UNDEF, TYPE_NONE, 1, &class, 0, NULL);
        insert_at_start(s->f->first_block, i);
        s->undefined[class] = i->defs[0];
    }
    return s->undefined[class];
}

static struct ir_value *new_phi(struct ssa *s, struct ir_block *b, uint32_t variable)
{
    enum ir_class class = (enum ir_class)s->classes[variable];
    struct ir_inst *phi = ir_inst_create(s->f, IR_PHI, TYPE_NONE, 1, &class, b->pred_count, NULL);
    insert_at_start(b, phi);
    vec_push(&s->phis, (struct ssa_phi){phi, variable});
    return phi->defs[0];
}

struct ir_value *ssa_read(struct ssa *s, struct ir_block *b, uint32_t variable)
{
    struct ir_value *v = known(s, b, variable);
    if (v) return v;
    uint32_t writer = s->writers[variable];
    struct ir_block *at = b;
    // Up through single predecessors to who knows; then the way back down learns it too.
    for (; !v; at = at->preds[0]) {
        if (at != b) v = known(s, at, variable);
        if (v) break;
        if (writer == SSA_NOWHERE || !at->pred_count)
            v = undefined(s, (enum ir_class)s->classes[variable]);
        else if (writer != SSA_MANY && at->id != writer && ir_dominates(s->blocks[writer], at))
            v = known(s, s->blocks[writer], variable);
        else if (at->pred_count > 1)
            v = new_phi(s, at, variable);
        if (v) break;
    }
    for (struct ir_block *down = b; down != at; down = down->preds[0]) ssa_write(s, down, variable, v);
    ssa_write(s, at, variable, v);
    return v;
}

// The one value a phi merges besides itself, or NULL when there are several.
static struct ir_value *only_operand(const struct ir_inst *phi)
{
    struct ir_value *only = NULL;
    for (uint32_t k = 0; k < phi->use_count; k++) {
        struct ir_value *v = phi->uses[k].value;
        if (v == phi->defs[0] || v == only) continue;
        if (only) return NULL;
        only = v;
    }
    return only;
}

// Removing one trivial phi can make its users among the phis trivial, so they are looked at again.
static void remove_trivial(struct ssa *s)
{
    VEC(struct ir_inst *) work = {0};
    for (size_t k = s->phis.count; k-- > 0;) vec_push(&work, s->phis.data[k].inst);
    while (work.count) {
        struct ir_inst *phi = vec_pop(&work);
        struct ir_value *by = phi->block ? only_operand(phi) : NULL;
        if (!by) continue;
        for (struct ir_use *u = phi->defs[0]->first_use; u; u = u->next)
            if (u->user->op == IR_PHI && u->user != phi) vec_push(&work, u->user);
        ir_replace(phi->defs[0], by);
        ir_remove(phi);
    }
    vec_fini(&work);
}

void ssa_finish(struct ssa *s)
{
    for (size_t k = 0; k < s->phis.count; k++) { // grows while operands are read
        struct ssa_phi p = s->phis.data[k];
        struct ir_block *b = p.inst->block;
        for (uint32_t pred = 0; pred < b->pred_count; pred++)
            ir_set_use(p.inst, pred, ssa_read(s, b->preds[pred], p.variable));
    }
    remove_trivial(s);
}

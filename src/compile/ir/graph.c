// Units, functions, blocks and edges of the intermediate representation.
//
// Several edges may connect two blocks (a branch whose sides meet at once, a switch). The k-th entry of
// from->succs that names `to` belongs to the k-th entry of to->preds that names `from`. Every function below
// preserves the correspondence, and so the order of phi operands.
#include "base/vec.h"
#include "compile/ir/ir.h"
#include "isa/program.h"

#include <assert.h>
#include <string.h>

struct ir_unit *ir_unit_create(const struct ptx_module *module, const struct compile_options *options)
{
    struct ir_unit *u = heap_alloc(sizeof *u);
    arena_init(&u->arena);
    arena_init(&u->insts);
    u->module = module;
    u->options = options;
    u->program = program_create();
    return u;
}

void ir_unit_destroy(struct ir_unit *u)
{
    if (!u) return;
    for (size_t k = 0; k < u->functions.count; k++) {
        struct ir_function *f = u->functions.data[k];
        for (unsigned class = 0; class < 4; class ++) u64map_fini(&f->constants[class]);
        vec_fini(&f->constant_values);
    }
    vec_fini(&u->functions);
    u64map_fini(&u->symbols);
    u64map_fini(&u->line_sets);
    if (u->program) program_free(u->program);
    arena_fini(&u->arena);
    arena_fini(&u->insts);
    free(u);
}

struct ir_function *ir_function_create(struct ir_unit *u, const char *name, bool is_kernel)
{
    struct ir_function *f = ARENA_NEW(&u->arena, struct ir_function);
    f->unit = u;
    f->name = name;
    f->is_kernel = is_kernel;
    vec_push(&u->functions, f);
    return f;
}

struct ir_block *ir_block_create(struct ir_function *f, struct ir_block *after)
{
    struct ir_block *b = ARENA_NEW(&f->unit->arena, struct ir_block);
    b->function = f;
    b->id = f->block_count++;
    if (!after) after = f->last_block;
    b->previous = after;
    b->next = after ? after->next : NULL;
    if (b->next)
        b->next->previous = b;
    else
        f->last_block = b;
    if (after)
        after->next = b;
    else
        f->first_block = b;
    return b;
}

void ir_remove_block(struct ir_function *f, struct ir_block *b)
{
    assert(!b->pred_count && !b->succ_count);
    while (b->last) {
        // backwards, so that users inside the block are removed first
        struct ir_inst *i = b->last;
        for (uint32_t k = 0; k < i->def_count; k++) { // users in other unreachable blocks read 0 instead
            if (i->defs[k] && i->defs[k]->first_use)
                ir_replace(i->defs[k], ir_constant(f, i->defs[k]->class, 0));
        }
        ir_remove(i);
    }
    if (b->previous)
        b->previous->next = b->next;
    else
        f->first_block = b->next;
    if (b->next)
        b->next->previous = b->previous;
    else
        f->last_block = b->previous;
    b->previous = b->next = NULL;
}

// -- edges --------------------------------------------------------------------------------------------------

// Appends to an array. The capacity is the smallest power of two not below the count.
static void append_block(struct arena *a, struct ir_block ***array, uint32_t *count, struct ir_block *b)
{
    if ((*count & (*count - 1)) == 0) { // full (or empty)
        struct ir_block **grown = ARENA_ARRAY(a, struct ir_block *, *count ? *count * 2 : 1);
        if (*count) memcpy(grown, *array, *count * sizeof *grown);
        *array = grown;
    }
    (*array)[(*count)++] = b;
}

void ir_add_edge(struct ir_block *from, struct ir_block *to)
{
    struct arena *a = &from->function->unit->arena;
    append_block(a, &from->succs, &from->succ_count, to);
    append_block(a, &to->preds, &to->pred_count, from);
}

uint32_t ir_pred_index(const struct ir_block *from, uint32_t succ)
{
    const struct ir_block *to = from->succs[succ];
    uint32_t nth = 0;
    for (uint32_t k = 0; k < succ; k++) nth += from->succs[k] == to;
    for (uint32_t k = 0; k < to->pred_count; k++)
        if (to->preds[k] == from && nth-- == 0) return k;
    assert(0 && "an edge that its target does not know");
    return 0;
}

static void drop_phi_operand(struct ir_inst *phi, uint32_t index)
{
    for (uint32_t k = index; k + 1 < phi->use_count; k++) ir_set_use(phi, k, phi->uses[k + 1].value);
    ir_set_use(phi, phi->use_count - 1, NULL);
    phi->use_count--;
}

void ir_remove_edge(struct ir_block *from, uint32_t succ)
{
    struct ir_block *to = from->succs[succ];
    uint32_t pred = ir_pred_index(from, succ);
    for (struct ir_inst *i = to->first; i && i->op == IR_PHI; i = i->next) drop_phi_operand(i, pred);
    for (uint32_t k = pred; k + 1 < to->pred_count; k++) to->preds[k] = to->preds[k + 1];
    to->pred_count--;
    for (uint32_t k = succ; k + 1 < from->succ_count; k++) from->succs[k] = from->succs[k + 1];
    from->succ_count--;
}

struct ir_block *ir_split_edge(struct ir_block *from, uint32_t succ)
{
    struct ir_function *f = from->function;
    struct ir_block *to = from->succs[succ];
    uint32_t pred = ir_pred_index(from, succ);
    struct ir_block *middle = ir_block_create(f, from);
    struct ir_inst *jump = ir_inst_create(f, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
    jump->lines = from->last ? from->last->lines : 0;
    ir_append(middle, jump);
    append_block(&f->unit->arena, &middle->preds, &middle->pred_count, from);
    append_block(&f->unit->arena, &middle->succs, &middle->succ_count, to);
    from->succs[succ] = middle;
    to->preds[pred] = middle;
    return middle;
}

void ir_redirect_edge(struct ir_block *from, uint32_t succ, struct ir_block *to)
{
    struct ir_block *old = from->succs[succ];
    uint32_t pred = ir_pred_index(from, succ);
    for (struct ir_inst *i = old->first; i && i->op == IR_PHI; i = i->next) drop_phi_operand(i, pred);
    for (uint32_t k = pred; k + 1 < old->pred_count; k++) old->preds[k] = old->preds[k + 1];
    old->pred_count--;
    // The new edge becomes the last in to->preds, so it must also be the last edge to `to` in from->succs.
    // Otherwise the phi operands of two edges would be exchanged.
    for (uint32_t k = succ + 1; k < from->succ_count; k++) assert(from->succs[k] != to);
    from->succs[succ] = to;
    append_block(&from->function->unit->arena, &to->preds, &to->pred_count, from);
}

void ir_phi_append(struct ir_inst *phi, struct ir_value *v)
{
    VEC(struct ir_value *) uses = {0};
    for (uint32_t k = 0; k < phi->use_count; k++) vec_push(&uses, phi->uses[k].value);
    vec_push(&uses, v);
    ir_set_uses(phi, (uint32_t)uses.count, uses.data);
    vec_fini(&uses);
}

// -- numbering ----------------------------------------------------------------------------------------------

void ir_number(struct ir_function *f)
{
    uint32_t block = 0, order = 0;
    for (struct ir_block *b = f->first_block; b; b = b->next) {
        b->id = block++;
        for (struct ir_inst *i = b->first; i; i = i->next) i->order = order++;
    }
    f->block_count = block;
    f->inst_count = order;
}

bool ir_dominates(const struct ir_block *a, const struct ir_block *b)
{
    return a == b || (a->dom_first <= b->dom_first && b->dom_first <= a->dom_last);
}

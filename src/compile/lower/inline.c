// Inlining on the intermediate representation:
//
//     block B: …; r = call f a, b; …      B:  …; jump f.entry       blocks of f, with a and b as parameters
//                                   ▶     f:  … return x  ▶  jump C
//                                         C:  r = phi x …; …        instructions that followed the call
//
// Functions are visited callees first, so a callee is complete before its body is copied. Bodies inlined into
// one function share a piece of its frame: at most one is active at a time, and local variables end with
// their function.
#include "base/bits.h"
#include "compile/ir/options.h"
#include "compile/lower/lower.h"
#include "isa/program.h"

#include <string.h>

enum {
    INLINE_SIZE_MAX = 160,     // largest function inlined at every call, in operations
    INLINE_ONCE_MAX = 4000,    // largest function inlined at its only call
    INLINE_CALLER_MAX = 20000, // largest caller after inlining
};

struct inliner {
    struct ir_unit *unit;
    struct arena scratch;
    uint32_t count;      // of functions
    uint32_t *sites;     // by function: number of direct calls
    uint8_t *recursive;  // by function: calls itself directly or indirectly
    uint8_t *returns;    // by function: has a RETURN
    struct u64map index; // struct ir_function * -> index
};

static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

static uint32_t index_of(const struct inliner *n, const struct ir_function *f)
{
    uint32_t index = 0;
    u64map_get(&n->index, key_of(f), &index);
    return index;
}

// -- the call graph -----------------------------------------------------------------------------------------

struct callees {
    uint32_t *list, count;
};

static struct callees callees_of(struct inliner *n, const struct ir_function *f)
{
    struct callees c = {0};
    for (const struct ir_block *b = f->first_block; b; b = b->next)
        for (const struct ir_inst *i = b->first; i; i = i->next) c.count += i->op == IR_CALL;
    c.list = ARENA_ARRAY(&n->scratch, uint32_t, c.count);
    c.count = 0;
    for (const struct ir_block *b = f->first_block; b; b = b->next)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_CALL) c.list[c.count++] = index_of(n, i->callee);
    return c;
}

// Tarjan's strongly connected components with an explicit stack, which finds components callees first;
// `order` lists their members. A function is recursive if its component has several members or if it calls
// itself.
struct component_walk {
    struct inliner *n;
    struct callees *callees;
    uint32_t *number, *low, *next, *open, *path, *order; // by function; number 0: not visited
    uint8_t *is_open;
    uint32_t numbers, open_count, path_count, order_count;
};

static void enter(struct component_walk *w, uint32_t f)
{
    w->number[f] = w->low[f] = ++w->numbers;
    w->open[w->open_count++] = f;
    w->is_open[f] = 1;
    w->path[w->path_count++] = f;
}

static void leave(struct component_walk *w, uint32_t f)
{
    if (--w->path_count) {
        uint32_t caller = w->path[w->path_count - 1];
        if (w->low[f] < w->low[caller]) w->low[caller] = w->low[f];
    }
    if (w->low[f] != w->number[f]) return;
    uint32_t member, members = 0;
    do {
        member = w->open[--w->open_count];
        w->is_open[member] = 0;
        w->order[w->order_count++] = member;
        if (++members > 1 || member != f) w->n->recursive[member] = w->n->recursive[f] = 1;
    } while (member != f);
}

static void walk_components(struct component_walk *w, uint32_t root)
{
    enter(w, root);
    while (w->path_count) {
        uint32_t f = w->path[w->path_count - 1];
        if (w->next[f] == w->callees[f].count) {
            leave(w, f);
            continue;
        }
        uint32_t to = w->callees[f].list[w->next[f]++];
        if (to == f) w->n->recursive[f] = 1;
        if (!w->number[to])
            enter(w, to);
        else if (w->is_open[to] && w->number[to] < w->low[f])
            w->low[f] = w->number[to];
    }
}

static uint32_t *callees_first(struct inliner *n)
{
    struct arena *a = &n->scratch;
    struct component_walk w = {.n = n};
    w.callees = ARENA_ARRAY(a, struct callees, n->count);
    uint32_t **arrays[] = {&w.number, &w.low, &w.next, &w.open, &w.path, &w.order};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = ARENA_ARRAY(a, uint32_t, n->count);
    w.is_open = ARENA_ARRAY(a, uint8_t, n->count);
    for (uint32_t k = 0; k < n->count; k++) {
        w.callees[k] = callees_of(n, n->unit->functions.data[k]);
        for (uint32_t c = 0; c < w.callees[k].count; c++) n->sites[w.callees[k].list[c]]++;
    }
    for (uint32_t k = 0; k < n->count; k++)
        if (!w.number[k]) walk_components(&w, k);
    return w.order;
}

// -- copying a body -----------------------------------------------------------------------------------------

struct copy {
    struct inliner *n;
    struct ir_function *to, *from;
    struct ir_inst *call;
    struct ir_block *after;   // C
    struct ir_value **values; // by id in `from`: value in `to`
    struct ir_block **blocks; // by id in `from`: block in `to`
    uint32_t frame_base;
    struct u64map lines; // line set -> inlined line set
};

static struct ir_value *mapped(struct copy *c, struct ir_value *v)
{
    if (!v) return NULL;
    return v->is_constant ? ir_constant(c->to, v->class, v->bits) : c->values[v->id];
}

static uint32_t mapped_lines(struct copy *c, uint32_t set)
{
    uint32_t to;
    if (!u64map_get(&c->lines, set, &to)) {
        to = ir_line_set_inlined(c->n->unit, set, c->call->lines, c->from->name);
        u64map_set(&c->lines, set, to);
    }
    return to;
}

static void copy_fields(struct ir_inst *to, const struct ir_inst *from)
{
    to->type2 = from->type2;
    to->cmp = from->cmp;
    to->boolean = from->boolean;
    to->round = from->round;
    to->mode = from->mode;
    to->space = from->space;
    to->cache = from->cache;
    to->sem = from->sem;
    to->scope = from->scope;
    to->lut = from->lut;
    to->bank = from->bank;
    to->flags = from->flags;
    to->offset = from->offset;
    to->offset2 = from->offset2;
    to->callee = from->callee;
}

// Copies an instruction without operands: phis may use values defined later.
static void copy_inst(struct copy *c, struct ir_block *b, struct ir_inst *i)
{
    bool returns = i->op == IR_RETURN;
    enum ir_class classes[64], *class = classes;
    if (i->def_count > 64) class = ARENA_ARRAY(&c->n->scratch, enum ir_class, i->def_count);
    for (uint32_t k = 0; k < i->def_count; k++) class[k] = i->defs[k]->class;
    struct ir_inst *made = ir_inst_create(c->to, returns ? IR_JUMP : i->op, (enum isa_type)i->type,
                                          i->def_count, class, returns ? 0 : i->use_count, NULL);
    copy_fields(made, i);
    if (i->op == IR_FRAME) made->offset += c->frame_base;
    made->lines = mapped_lines(c, i->lines);
    for (uint32_t k = 0; k < i->def_count; k++) c->values[i->defs[k]->id] = made->defs[k];
    ir_append(b, made);
}

static void copy_operands(struct copy *c, struct ir_inst *to, const struct ir_inst *from)
{
    for (uint32_t k = 0; k < to->use_count; k++) ir_set_use(to, k, mapped(c, from->uses[k].value));
    if (from->guard.value) ir_set_guard(to, mapped(c, from->guard.value), from->guard_not);
    for (uint32_t k = 0; from->old && k < from->def_count; k++)
        ir_set_old(to, k, mapped(c, from->old[k].value));
}

static void fill_operands(struct copy *c, const struct ir_block *from)
{
    struct ir_inst *to = c->blocks[from->id]->first;
    for (const struct ir_inst *i = from->first; i; i = i->next) {
        copy_operands(c, to, i);
        to = to->next;
    }
}

// Copies a block's list of successors or predecessors in its order, which ir_add_edge would not preserve.
static struct ir_block **copy_edges(struct copy *c, struct ir_block *const *list, uint32_t count)
{
    uint32_t capacity = 1;
    while (capacity < count) capacity *= 2;
    struct ir_block **copy = ARENA_ARRAY(&c->n->unit->arena, struct ir_block *, capacity);
    for (uint32_t k = 0; k < count; k++) copy[k] = c->blocks[list[k]->id];
    return copy;
}

static void copy_block_edges(struct copy *c, const struct ir_block *from)
{
    struct ir_block *to = c->blocks[from->id];
    to->succs = copy_edges(c, from->succs, from->succ_count);
    to->preds = copy_edges(c, from->preds, from->pred_count);
    to->succ_count = from->succ_count;
    to->pred_count = from->pred_count;
}

static void copy_body(struct copy *c)
{
    struct arena *a = &c->n->scratch;
    c->values = ARENA_ARRAY(a, struct ir_value *, c->from->value_count);
    c->blocks = ARENA_ARRAY(a, struct ir_block *, c->from->block_count);
    for (uint32_t k = 0; k < c->from->param_count; k++)
        c->values[c->from->params[k]->id] = c->call->uses[k].value;
    struct ir_block *last = c->call->block;
    for (struct ir_block *b = c->from->first_block; b; b = b->next)
        c->blocks[b->id] = last = ir_block_create(c->to, last);
    for (struct ir_block *b = c->from->first_block; b; b = b->next) {
        for (struct ir_inst *i = b->first; i; i = i->next) copy_inst(c, c->blocks[b->id], i);
        copy_block_edges(c, b);
    }
    for (struct ir_block *b = c->from->first_block; b; b = b->next) fill_operands(c, b);
}

// -- replacing a call ---------------------------------------------------------------------------------------

static struct ir_block *split_behind(struct ir_inst *call)
{
    struct ir_block *b = call->block, *after = ir_block_create(b->function, b);
    while (call->next) {
        struct ir_inst *i = call->next;
        ir_detach(i);
        ir_append(after, i);
    }
    after->succs = b->succs;
    after->succ_count = b->succ_count;
    b->succs = NULL;
    b->succ_count = 0;
    for (uint32_t k = 0; k < after->succ_count; k++) {
        struct ir_block *s = after->succs[k];
        for (uint32_t p = 0; p < s->pred_count; p++)
            if (s->preds[p] == b) s->preds[p] = after;
    }
    return after;
}

// Defines the call's results: the operands of a single RETURN, or phis of several.
static void join_results(struct copy *c)
{
    struct ir_block *after = c->after;
    struct ir_inst **phis = ARENA_ARRAY(&c->n->scratch, struct ir_inst *, c->call->def_count);
    uint32_t returns = 0, edge = 0;
    for (struct ir_block *b = c->from->first_block; b; b = b->next) returns += b->last->op == IR_RETURN;
    for (uint32_t k = 0; returns > 1 && k < c->call->def_count; k++) {
        phis[k] = ir_inst_create(c->to, IR_PHI, TYPE_NONE, 1, &c->call->defs[k]->class, returns, NULL);
        phis[k]->lines = c->call->lines;
        if (k)
            ir_insert_after(phis[k - 1], phis[k]);
        else
            ir_insert_before(after->first, phis[k]);
    }
    for (struct ir_block *b = c->from->first_block; b; b = b->next) {
        if (b->last->op != IR_RETURN) continue;
        ir_add_edge(c->blocks[b->id], after);
        for (uint32_t k = 0; k < c->call->def_count; k++) {
            struct ir_value *v = mapped(c, b->last->uses[k].value);
            if (returns > 1)
                ir_set_use(phis[k], edge, v);
            else
                ir_replace(c->call->defs[k], v);
        }
        edge++;
    }
    for (uint32_t k = 0; returns > 1 && k < c->call->def_count; k++)
        ir_replace(c->call->defs[k], phis[k]->defs[0]);
}

static void inline_call(struct inliner *n, struct ir_function *to, struct ir_inst *call, uint32_t frame_base)
{
    struct copy c = {.n = n, .to = to, .from = call->callee, .call = call, .frame_base = frame_base};
    struct ir_block *before = call->block;
    ir_number(c.from);
    c.after = split_behind(call);
    copy_body(&c);
    join_results(&c);
    struct ir_inst *jump = ir_inst_create(to, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
    jump->lines = call->lines;
    ir_remove(call);
    ir_append(before, jump);
    ir_add_edge(before, c.blocks[c.from->first_block->id]);
    if (frame_base + c.from->frame_bytes > to->frame_bytes)
        to->frame_bytes = frame_base + c.from->frame_bytes;
    u64map_fini(&c.lines);
}

static bool worth_it(const struct inliner *n, const struct ir_function *to, const struct ir_function *callee)
{
    uint32_t k = index_of(n, callee);
    bool once = n->sites[k] == 1 && !callee->address_taken;
    if (n->recursive[k] || !n->returns[k]) return false;
    if (callee->inst_count > (once ? INLINE_ONCE_MAX : INLINE_SIZE_MAX)) return false;
    return to->inst_count + callee->inst_count <= INLINE_CALLER_MAX;
}

static void inline_into(struct inliner *n, struct ir_function *f)
{
    uint32_t frame_base = (uint32_t)align_up(f->frame_bytes, 16);
    VEC(struct ir_inst *) calls = {0};
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_CALL) vec_push(&calls, i);
    for (size_t k = calls.count; k-- > 0;) // backwards, so that code behind a call moves once
        if (worth_it(n, f, calls.data[k]->callee)) inline_call(n, f, calls.data[k], frame_base);
    vec_fini(&calls);
}

// -- removal of unused functions ----------------------------------------------------------------------------

static void mark_needed(struct inliner *n, uint8_t *needed)
{
    VEC(uint32_t) work = {0};
    for (uint32_t k = 0; k < n->count; k++) {
        needed[k] = k == 0 || n->unit->functions.data[k]->address_taken;
        if (needed[k]) vec_push(&work, k);
    }
    while (work.count) {
        struct callees c = callees_of(n, n->unit->functions.data[vec_pop(&work)]);
        for (uint32_t k = 0; k < c.count; k++) {
            if (needed[c.list[k]]) continue;
            needed[c.list[k]] = 1;
            vec_push(&work, c.list[k]);
        }
    }
    vec_fini(&work);
}

static void drop_unneeded(struct inliner *n)
{
    struct ir_unit *u = n->unit;
    uint8_t *needed = ARENA_ARRAY(&n->scratch, uint8_t, n->count);
    uint32_t *renumbered = ARENA_ARRAY(&n->scratch, uint32_t, n->count), kept = 0;
    mark_needed(n, needed);
    for (uint32_t k = 0; k < n->count; k++) {
        struct ir_function *f = u->functions.data[k];
        renumbered[k] = kept;
        if (needed[k]) {
            u->functions.data[kept++] = f;
            continue;
        }
        for (unsigned class = 0; class < 4; class ++) u64map_fini(&f->constants[class]);
        vec_fini(&f->constant_values);
    }
    u->functions.count = kept;
    for (uint32_t k = 0; k < u->program->symbol_count; k++) {
        struct program_symbol *s = &u->program->symbols[k];
        if (s->kind == SYMBOL_FUNCTION) s->value = renumbered[s->value];
    }
}

void inline_calls(struct ir_unit *u)
{
    if (!u->options->optimise || u->functions.count < 2) return;
    struct inliner n = {.unit = u, .count = (uint32_t)u->functions.count};
    arena_init(&n.scratch);
    n.sites = ARENA_ARRAY(&n.scratch, uint32_t, n.count);
    n.recursive = ARENA_ARRAY(&n.scratch, uint8_t, n.count);
    n.returns = ARENA_ARRAY(&n.scratch, uint8_t, n.count);
    for (uint32_t k = 0; k < n.count; k++) {
        u64map_set(&n.index, key_of(u->functions.data[k]), k);
        for (struct ir_block *b = u->functions.data[k]->first_block; b; b = b->next)
            n.returns[k] |= b->last->op == IR_RETURN;
    }
    const uint32_t *order = callees_first(&n);
    for (uint32_t k = 0; k < n.count; k++) inline_into(&n, u->functions.data[order[k]]);
    drop_unneeded(&n);
    u64map_fini(&n.index);
    arena_fini(&n.scratch);
}

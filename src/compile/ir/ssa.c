#include "compile/ir/ssa.h"

#include <assert.h>
#include <string.h>

static uint32_t **number_edges(struct ssa *s)
{
    uint32_t *next = ARENA_ARRAY(&s->scratch, uint32_t, s->f->block_count);
    uint32_t **edges = ARENA_ARRAY(&s->scratch, uint32_t *, s->f->block_count);
    for (struct ir_block *b = s->f->first_block; b; b = b->next) {
        edges[b->id] = ARENA_ARRAY(&s->scratch, uint32_t, b->succ_count);
        for (uint32_t k = 0; k < b->succ_count; k++) {
            edges[b->id][k] = next[b->succs[k]->id]++;
            assert(b->succs[k]->preds[edges[b->id][k]] == b);
        }
    }
    return edges;
}

void ssa_init(struct ssa *s, struct ir_function *f, uint32_t variable_count, const uint8_t *classes)
{
    memset(s, 0, sizeof *s);
    arena_init(&s->scratch);
    s->f = f;
    s->variable_count = variable_count;
    s->classes = classes;
    s->blocks = ARENA_ARRAY(&s->scratch, struct ir_block *, f->block_count);
    for (struct ir_block *b = f->first_block; b; b = b->next) s->blocks[b->id] = b;
    s->written_in = ARENA_ARRAY(&s->scratch, uint32_t, variable_count);
    s->read_in = ARENA_ARRAY(&s->scratch, uint32_t, variable_count);
    s->first_phi = ARENA_ARRAY(&s->scratch, uint32_t, f->block_count);
    s->current = ARENA_ARRAY(&s->scratch, struct ir_value *, variable_count);
    s->edges = number_edges(s);
}

void ssa_fini(struct ssa *s)
{
    vec_fini(&s->reads);
    vec_fini(&s->writes);
    vec_fini(&s->phis);
    vec_fini(&s->scopes);
    vec_fini(&s->changes);
    arena_fini(&s->scratch);
}

// -- noting -------------------------------------------------------------------------------------------------

void ssa_note_read(struct ssa *s, const struct ir_block *b, uint32_t variable)
{
    if (s->written_in[variable] == b->id + 1 || s->read_in[variable] == b->id + 1) return;
    s->read_in[variable] = b->id + 1;
    vec_push(&s->reads, (struct ssa_event){variable, b->id});
}

void ssa_note_write(struct ssa *s, const struct ir_block *b, uint32_t variable)
{
    if (s->written_in[variable] == b->id + 1) return;
    s->written_in[variable] = b->id + 1;
    vec_push(&s->writes, (struct ssa_event){variable, b->id});
}

// The blocks with an event (read or write) of variable v are list[first[v]] … list[first[v + 1] - 1].
struct event_index {
    uint32_t *first, *list;
};

static struct event_index index_events(struct ssa *s, const struct ssa_event *events, size_t count)
{
    struct event_index x = {ARENA_ARRAY(&s->scratch, uint32_t, s->variable_count + 2),
                            ARENA_ARRAY(&s->scratch, uint32_t, count)};
    for (size_t k = 0; k < count; k++) x.first[events[k].variable + 2]++;
    for (uint32_t v = 2; v < s->variable_count + 2; v++) x.first[v] += x.first[v - 1];
    for (size_t k = 0; k < count; k++) x.list[x.first[events[k].variable + 1]++] = events[k].block;
    return x;
}

// -- placing phis -------------------------------------------------------------------------------------------

struct placer {
    struct ssa *s;
    struct event_index reads, writes;
    uint32_t stamp;                               // number of the current variable's walk
    uint32_t *live, *defines, *has_phi, *visited; // by block: stamp of the last variable with the property
    uint32_t *child, *sibling; // by block: 1 + first child, 1 + next sibling in the dominator tree, 0: none
    VEC(uint32_t) work, heap;
};

static uint32_t depth_of(const struct placer *p, uint32_t block) { return p->s->blocks[block]->dom_depth; }

static void heap_push(struct placer *p, uint32_t block) // deepest first
{
    vec_push(&p->heap, block);
    for (size_t k = p->heap.count - 1; k && depth_of(p, p->heap.data[(k - 1) / 2]) < depth_of(p, block);
         k = (k - 1) / 2) {
        p->heap.data[k] = p->heap.data[(k - 1) / 2];
        p->heap.data[(k - 1) / 2] = block;
    }
}

static uint32_t heap_pop(struct placer *p)
{
    uint32_t *heap = p->heap.data, top = heap[0], moved = vec_pop(&p->heap);
    size_t count = p->heap.count, k = 0;
    while (2 * k + 1 < count) {
        size_t c = 2 * k + 1;
        if (c + 1 < count && depth_of(p, heap[c + 1]) > depth_of(p, heap[c])) c++;
        if (depth_of(p, heap[c]) <= depth_of(p, moved)) break;
        heap[k] = heap[c];
        k = c;
    }
    if (count) heap[k] = moved;
    return top;
}

// Marks blocks with the variable live at their start: from every read back to the writes.
static void mark_live(struct placer *p, uint32_t variable)
{
    for (uint32_t k = p->reads.first[variable]; k < p->reads.first[variable + 1]; k++) {
        p->live[p->reads.list[k]] = p->stamp;
        vec_push(&p->work, p->reads.list[k]);
    }
    while (p->work.count) {
        const struct ir_block *b = p->s->blocks[vec_pop(&p->work)];
        for (uint32_t k = 0; k < b->pred_count; k++) {
            uint32_t from = b->preds[k]->id;
            if (p->defines[from] == p->stamp || p->live[from] == p->stamp) continue;
            p->live[from] = p->stamp;
            vec_push(&p->work, from);
        }
    }
}

static void add_phi(struct placer *p, uint32_t variable, struct ir_block *b)
{
    struct ssa *s = p->s;
    enum ir_class class = (enum ir_class)s->classes[variable];
    struct ir_inst *phi = ir_inst_create(s->f, IR_PHI, TYPE_NONE, 1, &class, b->pred_count, NULL);
    ir_append(b, phi);
    vec_push(&s->phis, (struct ssa_phi){phi, variable, s->first_phi[b->id]});
    s->first_phi[b->id] = (uint32_t)s->phis.count;
}

// Adds phis in the dominance frontier of `root`, where the variable is live. Members are the targets of edges
// from the subtree of `root` to the level of `root` or above.
static void meet_below(struct placer *p, uint32_t variable, uint32_t root)
{
    vec_push(&p->work, root);
    p->visited[root] = p->stamp;
    while (p->work.count) {
        struct ir_block *b = p->s->blocks[vec_pop(&p->work)];
        for (uint32_t k = 0; k < b->succ_count; k++) {
            struct ir_block *to = b->succs[k];
            if (to->idom == b || to->dom_depth > depth_of(p, root)) continue;
            if (p->has_phi[to->id] == p->stamp || p->live[to->id] != p->stamp) continue;
            p->has_phi[to->id] = p->stamp;
            add_phi(p, variable, to);
            if (p->defines[to->id] != p->stamp) heap_push(p, to->id);
        }
        for (uint32_t c = p->child[b->id]; c; c = p->sibling[c - 1]) {
            if (p->visited[c - 1] == p->stamp || p->live[c - 1] != p->stamp) continue;
            p->visited[c - 1] = p->stamp;
            vec_push(&p->work, c - 1);
        }
    }
}

// True if no block writes the variable, or if no block reads the variable before a write in the same block.
// True also if a single block writes the variable and strictly dominates every block with such a read.
static bool needs_no_phi(const struct placer *p, uint32_t variable)
{
    const uint32_t *reads = &p->reads.list[p->reads.first[variable]],
                   *writes = &p->writes.list[p->writes.first[variable]];
    uint32_t read_count = p->reads.first[variable + 1] - p->reads.first[variable];
    uint32_t write_count = p->writes.first[variable + 1] - p->writes.first[variable];
    if (!read_count || !write_count) return true;
    if (write_count > 1) return false;
    for (uint32_t k = 0; k < read_count; k++)
        if (reads[k] == writes[0] || !ir_dominates(p->s->blocks[writes[0]], p->s->blocks[reads[k]]))
            return false;
    return true;
}

static void place_variable(struct placer *p, uint32_t variable)
{
    if (needs_no_phi(p, variable)) return;
    p->stamp++;
    for (uint32_t k = p->writes.first[variable]; k < p->writes.first[variable + 1]; k++) {
        p->defines[p->writes.list[k]] = p->stamp;
        heap_push(p, p->writes.list[k]);
    }
    mark_live(p, variable);
    while (p->heap.count) meet_below(p, variable, heap_pop(p));
}

static void link_children(struct placer *p)
{
    // blocks in reverse layout order, since each becomes the first of its dominator's children
    for (struct ir_block *b = p->s->f->last_block; b; b = b->previous) {
        if (!b->idom) continue;
        p->sibling[b->id] = p->child[b->idom->id];
        p->child[b->idom->id] = b->id + 1;
    }
}

void ssa_place(struct ssa *s)
{
    struct placer p = {.s = s};
    uint32_t blocks = s->f->block_count;
    uint32_t **arrays[] = {&p.live, &p.defines, &p.has_phi, &p.visited, &p.child, &p.sibling};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = ARENA_ARRAY(&s->scratch, uint32_t, blocks);
    p.reads = index_events(s, s->reads.data, s->reads.count);
    p.writes = index_events(s, s->writes.data, s->writes.count);
    link_children(&p);
    for (uint32_t v = 0; v < s->variable_count; v++) place_variable(&p, v);
    vec_fini(&p.work);
    vec_fini(&p.heap);
}

// -- filling ------------------------------------------------------------------------------------------------

struct ir_block **ssa_order(struct ssa *s, uint32_t *count)
{
    uint32_t blocks = s->f->block_count;
    struct placer p = {.s = s,
                       .child = ARENA_ARRAY(&s->scratch, uint32_t, blocks),
                       .sibling = ARENA_ARRAY(&s->scratch, uint32_t, blocks)};
    struct ir_block **order = ARENA_ARRAY(&s->scratch, struct ir_block *, blocks);
    link_children(&p);
    *count = 0;
    vec_push(&p.work, s->f->first_block->id);
    while (p.work.count) {
        uint32_t b = vec_pop(&p.work);
        order[(*count)++] = s->blocks[b];
        size_t first = p.work.count;
        for (uint32_t c = p.child[b]; c; c = p.sibling[c - 1]) vec_push(&p.work, c - 1);
        for (size_t low = first, high = p.work.count; low + 1 < high; low++) { // put the first child on top
            uint32_t swapped = p.work.data[low];
            p.work.data[low] = p.work.data[--high];
            p.work.data[high] = swapped;
        }
    }
    vec_fini(&p.work);
    return order;
}

void ssa_write(struct ssa *s, uint32_t variable, struct ir_value *v)
{
    vec_push(&s->changes, (struct ssa_change){variable, s->current[variable]});
    s->current[variable] = v;
}

static void leave_scope(struct ssa *s)
{
    size_t undo = vec_pop(&s->scopes).undo;
    while (s->changes.count > undo) {
        struct ssa_change c = vec_pop(&s->changes);
        s->current[c.variable] = c.before;
    }
}

void ssa_begin(struct ssa *s, struct ir_block *b)
{
    while (s->scopes.count && vec_last(&s->scopes).block != b->idom) leave_scope(s);
    vec_push(&s->scopes, (struct ssa_scope){b, s->changes.count});
    for (uint32_t k = s->first_phi[b->id]; k; k = s->phis.data[k - 1].next)
        ssa_write(s, s->phis.data[k - 1].variable, s->phis.data[k - 1].inst->defs[0]);
}

static struct ir_value *undefined(struct ssa *s, enum ir_class class)
{
    if (!s->undefined[class]) {
        struct ir_block *entry = s->f->first_block;
        struct ir_inst *i = ir_inst_create(s->f, IR_UNDEF, TYPE_NONE, 1, &class, 0, NULL);
        if (entry->first)
            ir_insert_before(entry->first, i);
        else
            ir_append(entry, i);
        s->undefined[class] = i->defs[0];
    }
    return s->undefined[class];
}

struct ir_value *ssa_read(struct ssa *s, uint32_t variable)
{
    struct ir_value *v = s->current[variable];
    return v ? v : undefined(s, (enum ir_class)s->classes[variable]);
}

bool ssa_is_undefined(const struct ir_value *v) { return v->def && v->def->op == IR_UNDEF; }

void ssa_end(struct ssa *s, struct ir_block *b)
{
    for (uint32_t n = 0; n < b->succ_count; n++)
        for (uint32_t k = s->first_phi[b->succs[n]->id]; k; k = s->phis.data[k - 1].next)
            ir_set_use(s->phis.data[k - 1].inst, s->edges[b->id][n],
                       ssa_read(s, s->phis.data[k - 1].variable));
}

// -- afterwards ---------------------------------------------------------------------------------------------

// The only operand of a phi besides the phi itself, or NULL if several.
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

// Removes phis that merge a single value (both sides of a branch may carry the same value). A removal can
// make further phis trivial.
void ssa_finish(struct ssa *s)
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

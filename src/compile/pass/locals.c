// Promotion of local variables (PTX .local, the depots of nvcc and clang) to values.
//
//     t = frame 0
//     store.local [t + 4], x                     …
//     branch p, a, b                             branch p, a, b
//     a: store.local [t + 4], y          ▶       a: …
//     b: z = load.local [t + 4]                  b: z = phi x, y
//
// A variable starts at the offset of a FRAME and ends where the next starts. A variable escapes if its
// address is used outside weak loads and stores, or if an access exceeds the variable. The rest is divided
// into *cells*: bytes that every access takes as a whole. Bytes that accesses overlap in part stay in memory.
// Cells receive phis on the iterated dominance frontier of their stores and are renamed down the dominator
// tree (Cytron et al., TOPLAS 1991). A guarded store becomes a select. Bytes never stored read as zero.
#include "compile/pass/passes.h"
#include "isa/space.h"

#include "compile/ir/build.h"
#include "flow/graph.h"

#include <string.h>

enum { STATE_MAX = 1 << 22 }; // limit of cells times blocks

struct cell {
    int64_t offset; // in the frame
    uint32_t bytes;
    bool is_bad;
};

struct locals {
    struct ir_function *f;
    struct arena scratch;
    VEC(struct ir_inst *) frames;   // FRAMEs by ascending offset
    VEC(struct ir_inst *) accesses; // accesses through FRAMEs
    VEC(struct cell) cells;         // by ascending offset after sorting
    struct u64map by_offset;        // offset -> index into cells
    struct ir_block **blocks;       // by id
    struct ir_value **out;          // by block and cell: value at the end of the block
};

static unsigned element_count(const struct ir_inst *i)
{
    return i->op == IR_LOAD ? i->def_count : i->use_count - 1;
}

static unsigned element_bytes(const struct ir_inst *i) { return isa_type_bytes((enum isa_type)i->type); }

static bool is_access(const struct ir_inst *i)
{
    return (i->op == IR_LOAD || i->op == IR_STORE) && i->space == SPACE_LOCAL;
}

// Necessary conditions on the access itself.
static bool is_promotable(const struct ir_inst *i)
{
    return is_access(i) && i->sem == SEM_WEAK && element_bytes(i) <= 8;
}

static int64_t start_of(const struct ir_inst *i) { return ir_operand(i, 0)->def->offset + i->offset; }

// -- variables ----------------------------------------------------------------------------------------------

static int by_frame_offset(const void *a, const void *b)
{
    const struct ir_inst *const *x = a, *const *y = b;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

// Collects FRAMEs. False if there are no FRAMEs, or if an access to local memory has a constant address.
static bool find_frames(struct locals *l)
{
    bool sound = true;
    for (struct ir_block *b = l->f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->op == IR_FRAME) vec_push(&l->frames, i);
            if (is_access(i) && ir_operand(i, 0)->is_constant) sound = false;
        }
    if (l->frames.count) qsort(l->frames.data, l->frames.count, sizeof l->frames.data[0], by_frame_offset);
    return sound && l->frames.count;
}

static bool only_accessed(const struct ir_inst *frame, int64_t end)
{
    for (const struct ir_use *u = frame->defs[0]->first_use; u; u = u->next) {
        const struct ir_inst *user = u->user;
        if (!is_promotable(user) || u != &user->uses[0]) return false;
        int64_t first = frame->offset + user->offset;
        if (first < frame->offset || first + (int64_t)(element_count(user) * element_bytes(user)) > end)
            return false;
    }
    return true;
}

// Collects accesses to variables that do not escape. FRAMEs of equal offset are one variable.
static void find_accesses(struct locals *l)
{
    for (size_t k = 0, next; k < l->frames.count; k = next) {
        int64_t offset = l->frames.data[k]->offset;
        for (next = k; next < l->frames.count && l->frames.data[next]->offset == offset;) next++;
        int64_t end = next < l->frames.count ? l->frames.data[next]->offset : INT64_MAX;
        bool stays = true;
        for (size_t n = k; n < next; n++) stays &= only_accessed(l->frames.data[n], end);
        for (size_t n = k; n < next && stays; n++)
            for (struct ir_use *u = l->frames.data[n]->defs[0]->first_use; u; u = u->next)
                vec_push(&l->accesses, u->user);
    }
}

// -- cells --------------------------------------------------------------------------------------------------

static int by_cell_offset(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static uint32_t cell_at(const struct locals *l, int64_t offset)
{
    uint32_t index = 0;
    u64map_get(&l->by_offset, (uint64_t)offset, &index);
    return index;
}

static void find_cells(struct locals *l)
{
    for (size_t k = 0; k < l->accesses.count; k++) {
        const struct ir_inst *i = l->accesses.data[k];
        for (unsigned e = 0; e < element_count(i); e++) {
            int64_t offset = start_of(i) + e * (int64_t)element_bytes(i);
            uint32_t index;
            if (u64map_get(&l->by_offset, (uint64_t)offset, &index)) {
                if (l->cells.data[index].bytes != element_bytes(i)) l->cells.data[index].is_bad = true;
                if (l->cells.data[index].bytes < element_bytes(i))
                    l->cells.data[index].bytes = element_bytes(i);
                continue;
            }
            u64map_set(&l->by_offset, (uint64_t)offset, (uint32_t)l->cells.count);
            vec_push(&l->cells, (struct cell){offset, element_bytes(i), false});
        }
    }
    if (l->cells.count) qsort(l->cells.data, l->cells.count, sizeof l->cells.data[0], by_cell_offset);
    for (size_t k = 0; k < l->cells.count; k++)
        u64map_set(&l->by_offset, (uint64_t)l->cells.data[k].offset, (uint32_t)k);
    int64_t end = INT64_MIN;
    size_t last = 0;
    for (size_t k = 0; k < l->cells.count; k++) { // overlapping cells stay in memory
        struct cell *c = &l->cells.data[k];
        if (c->offset < end) c->is_bad = l->cells.data[last].is_bad = true;
        if (c->offset + c->bytes > end) end = c->offset + c->bytes, last = k;
    }
}

static bool any_bad(const struct locals *l, const struct ir_inst *i)
{
    uint32_t first = cell_at(l, start_of(i));
    for (unsigned e = 0; e < element_count(i); e++)
        if (l->cells.data[cell_at(l, start_of(i) + e * (int64_t)element_bytes(i))].is_bad) return true;
    return l->cells.data[first].is_bad;
}

// Marks cells that must stay in memory: an access with a bad cell stays, and so do all its cells. Returns the
// number of removable accesses.
static size_t settle(struct locals *l)
{
    size_t good = 0;
    for (bool again = true; again;) {
        again = false;
        good = 0;
        for (size_t k = 0; k < l->accesses.count; k++) {
            const struct ir_inst *i = l->accesses.data[k];
            if (!any_bad(l, i)) {
                good++;
                continue;
            }
            for (unsigned e = 0; e < element_count(i); e++) {
                struct cell *c = &l->cells.data[cell_at(l, start_of(i) + e * (int64_t)element_bytes(i))];
                again |= !c->is_bad;
                c->is_bad = true;
            }
        }
    }
    return good;
}

// -- values -------------------------------------------------------------------------------------------------

static enum ir_class class_of(const struct cell *c) { return c->bytes == 8 ? IR_CLASS_64 : IR_CLASS_32; }

static struct ir_value **state(const struct locals *l, const struct ir_block *b, size_t cell)
{
    return &l->out[b->id * l->cells.count + cell];
}

// Places the phis of a cell. Until renaming, l->out holds a phi as the value of the cell in the phi's block.
static void place_phis(struct locals *l, const struct flow_frontiers *frontiers, size_t cell, uint32_t *work,
                       uint8_t *has)
{
    const struct cell *c = &l->cells.data[cell];
    uint32_t depth = 0;
    memset(has, 0, l->f->block_count);
    for (size_t k = 0; k < l->accesses.count; k++) {
        const struct ir_inst *i = l->accesses.data[k];
        int64_t first = start_of(i), end = first + (int64_t)(element_count(i) * element_bytes(i));
        if (i->op != IR_STORE || c->offset < first || c->offset >= end || has[i->block->id] & 1) continue;
        has[i->block->id] |= 1; // on the worklist
        work[depth++] = i->block->id;
    }
    while (depth) {
        uint32_t n = work[--depth];
        for (uint32_t k = frontiers->first[n]; k < frontiers->first[n + 1]; k++) {
            struct ir_block *join = l->blocks[frontiers->nodes[k]];
            if (has[join->id] & 2) continue;
            struct ir_value **uses = ARENA_ARRAY(&l->scratch, struct ir_value *, join->pred_count);
            for (uint32_t p = 0; p < join->pred_count; p++) uses[p] = ir_constant(l->f, class_of(c), 0);
            *state(l, join, cell) = build_phi(join, class_of(c), uses, 0);
            if (!(has[join->id] & 1)) work[depth++] = join->id;
            has[join->id] |= 3;
        }
    }
}

static struct ir_value *guarded(struct builder *b, const struct ir_inst *i, struct ir_value *there,
                                struct ir_value *elsewhere)
{
    if (!i->guard.value || !elsewhere) return there;
    return i->guard_not ? build_select(b, i->guard.value, elsewhere, there)
                        : build_select(b, i->guard.value, there, elsewhere);
}

static struct ir_value *loaded(struct builder *b, const struct ir_inst *i, struct ir_value *v)
{
    enum isa_type type = (enum isa_type)i->type;
    return element_bytes(i) < 4 ? build_extend(b, type, isa_type_is_signed(type) ? TYPE_S32 : TYPE_U32, v)
                                : v;
}

static void rename_access(struct locals *l, struct ir_inst *i)
{
    struct builder b = builder_at(i);
    for (unsigned e = 0; e < element_count(i); e++) {
        struct ir_value **now = state(l, i->block, cell_at(l, start_of(i) + e * (int64_t)element_bytes(i)));
        if (i->op == IR_STORE) {
            *now = guarded(&b, i, ir_operand(i, 1 + e), *now);
        } else {
            struct ir_value *old = i->old ? i->old[e].value : NULL;
            ir_replace(i->defs[e], guarded(&b, i, loaded(&b, i, *now), old));
        }
    }
    ir_remove(i);
}

// Renames the accesses of a block. At its start a cell has the value of its phi, or of the immediate
// dominator's end.
static void rename_block(struct locals *l, struct ir_block *b)
{
    for (size_t k = 0; k < l->cells.count; k++) {
        struct ir_value **now = state(l, b, k);
        if (!*now) *now = b->idom ? *state(l, b->idom, k) : ir_constant(l->f, class_of(&l->cells.data[k]), 0);
    }
    for (struct ir_inst *i = b->first, *next; i; i = next) {
        next = i->next;
        if (i->note) rename_access(l, i);
    }
}

// Fills phi operands last, from the final states: a replaced load may be an operand of an earlier phi.
static void fill_phis(struct locals *l, struct ir_inst *const *phis, const size_t *cell_of, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (uint32_t p = 0; p < phis[k]->use_count; p++) {
            struct ir_value *v = *state(l, phis[k]->block->preds[p], cell_of[k]);
            if (v) ir_set_use(phis[k], p, v);
        }
}

static void rename_all(struct locals *l)
{
    struct ir_function *f = l->f;
    uint32_t n = f->block_count, edge_count = 0;
    struct flow_edge *edges;
    for (const struct ir_block *b = f->first_block; b; b = b->next) edge_count += b->succ_count;
    edges = ARENA_ARRAY(&l->scratch, struct flow_edge, edge_count);
    edge_count = 0;
    for (struct ir_block *b = f->first_block; b; b = b->next) {
        l->blocks[b->id] = b;
        for (uint32_t k = 0; k < b->succ_count; k++)
            edges[edge_count++] = (struct flow_edge){b->id, b->succs[k]->id};
    }
    struct flow_graph g;
    flow_graph_init(&g, &l->scratch, n, edges, edge_count);
    struct flow_tree tree;
    flow_dominators(&tree, &g);
    struct flow_frontiers frontiers;
    flow_frontiers_init(&frontiers, &g, &tree);
    uint32_t *work = ARENA_ARRAY(&l->scratch, uint32_t, n);
    uint8_t *has = ARENA_ARRAY(&l->scratch, uint8_t, n);
    VEC(struct ir_inst *) phis = {0};
    VEC(size_t) cell_of = {0};
    for (size_t cell = 0; cell < l->cells.count; cell++) {
        if (l->cells.data[cell].is_bad) continue;
        place_phis(l, &frontiers, cell, work, has);
        for (uint32_t b = 0; b < n; b++)
            if (*state(l, l->blocks[b], cell)) {
                vec_push(&phis, (*state(l, l->blocks[b], cell))->def);
                vec_push(&cell_of, cell);
            }
    }
    for (uint32_t k = 0; k < tree.reached; k++) rename_block(l, l->blocks[tree.preorder[k]]);
    fill_phis(l, phis.data, cell_of.data, phis.count);
    vec_fini(&phis);
    vec_fini(&cell_of);
}

bool locals_promote(struct ir_function *f)
{
    struct locals l = {.f = f};
    bool changed = false;
    if (!find_frames(&l)) {
        vec_fini(&l.frames);
        return false;
    }
    ir_analyse(f);
    arena_init(&l.scratch);
    find_accesses(&l);
    find_cells(&l);
    if (l.accesses.count && settle(&l) && l.cells.count * f->block_count <= STATE_MAX) {
        for (struct ir_block *b = f->first_block; b; b = b->next)
            for (struct ir_inst *i = b->first; i; i = i->next) i->note = 0;
        for (size_t k = 0; k < l.accesses.count; k++)
            if (!any_bad(&l, l.accesses.data[k]) &&
                l.accesses.data[k]->block->dom_first <= l.accesses.data[k]->block->dom_last)
                l.accesses.data[k]->note = 1;
        l.blocks = ARENA_ARRAY(&l.scratch, struct ir_block *, f->block_count);
        l.out = ARENA_ARRAY(&l.scratch, struct ir_value *, l.cells.count * f->block_count);
        rename_all(&l);
        changed = true;
    }
    arena_fini(&l.scratch);
    vec_fini(&l.frames);
    vec_fini(&l.accesses);
    vec_fini(&l.cells);
    u64map_fini(&l.by_offset);
    return changed;
}

// Merges adjacent accesses into a wide access if the address is provably aligned.
//
//     a = load.shared.b32 [p]          a, b, c, d = load.shared.b32 [p]
//     b = load.shared.b32 [p + 4]
//     c = load.shared.b32 [p + 8]
//     d = load.shared.b32 [p + 12]
//
// Members of a group share base value, space, element size, cache operator and guard, and are weak. They lie
// in one block without an ordering instruction between. Loads move up to the first of the group, stores down
// to the last. Parameter pointers have no provable alignment. In practice groups are in shared or local
// memory, or in global memory where a 16-byte PTX access was split. Profile ptxplus keeps accesses to shared
// memory single, like the code in the papers.
#include "base/bits.h"
#include "compile/ir/alias.h"
#include "compile/ir/known.h"
#include "compile/ir/options.h"
#include "compile/pass/passes.h"
#include "isa/profile.h"
#include "isa/space.h"

// DISTANCE_MAX: instructions searched for members
enum { WIDE_BYTES = 16, ELEMENTS_MAX = 4, DISTANCE_MAX = 256 };

static bool is_candidate(const struct ir_inst *i)
{
    if (i->op != IR_LOAD && i->op != IR_STORE) return false;
    unsigned bytes = alias_element_bytes(i);
    unsigned elements = i->op == IR_LOAD ? i->def_count : i->use_count - 1;
    if (i->op == IR_LOAD && i->old && i->guard.value) return false;
    return alias_is_weak(i) && elements == 1 && (bytes == 4 || bytes == 8) && i->space != SPACE_CONST &&
           i->space != SPACE_GENERIC;
}

static bool same_kind(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->op == b->op && alias_same_base(a, b) && alias_element_bytes(a) == alias_element_bytes(b) &&
           a->cache == b->cache && a->flags == b->flags && a->guard.value == b->guard.value &&
           a->guard_not == b->guard_not;
}

struct group {
    struct ir_inst *member[ELEMENTS_MAX]; // by element, NULL: not found
    unsigned count;
};

static unsigned position(const struct ir_inst *first, const struct ir_inst *i, int64_t start)
{
    return (unsigned)((i->offset - start) / (int64_t)alias_element_bytes(first));
}

// Collects members for a wide access of `elements` elements at byte offset `start`, searching forwards from
// `first`.
static void collect(struct group *g, struct ir_inst *first, int64_t start, unsigned elements)
{
    int64_t bytes = alias_element_bytes(first);
    *g = (struct group){.count = 0};
    g->member[position(first, first, start)] = first;
    g->count = 1;
    unsigned distance = 0;
    for (struct ir_inst *i = first->next; i && g->count < elements && distance++ < DISTANCE_MAX;
         i = i->next) {
        if (is_candidate(i) && same_kind(first, i) && i->offset >= start &&
            i->offset < start + bytes * (int64_t)elements && (i->offset - start) % bytes == 0) {
            unsigned k = position(first, i, start);
            if (g->member[k]) return; // the same place twice: a repeated load, or a second store
            g->member[k] = i;
            g->count++;
            continue;
        }
        // Gives up if i keeps a load from moving up past i, or a store already found from moving down past i.
        if (first->op == IR_LOAD) {
            struct ir_inst probe = *first;
            probe.offset = start;
            for (unsigned k = 0; k < elements; k++) {
                probe.offset = start + bytes * (int64_t)k;
                if (alias_ordered(&probe, i)) return;
            }
        } else {
            for (unsigned k = 0; k < elements; k++)
                if (g->member[k] && alias_ordered(g->member[k], i)) return;
        }
    }
}

static void merge_loads(struct ir_function *f, struct group *g, unsigned elements, struct ir_inst *first)
{
    enum ir_class classes[ELEMENTS_MAX];
    for (unsigned k = 0; k < elements; k++) classes[k] = g->member[k]->defs[0]->class;
    struct ir_value *base = ir_operand(first, 0);
    struct ir_inst *wide =
        ir_inst_create(f, IR_LOAD, (enum isa_type)first->type, elements, classes, 1, &base);
    wide->space = first->space;
    wide->cache = first->cache;
    wide->sem = first->sem;
    wide->scope = first->scope;
    wide->flags = first->flags;
    wide->bank = first->bank;
    wide->offset = g->member[0]->offset;
    ir_insert_before(first, wide);
    if (first->guard.value) ir_set_guard(wide, first->guard.value, first->guard_not);
    for (unsigned k = 0; k < elements; k++) {
        struct ir_inst *i = g->member[k];
        wide->lines = ir_line_set_union(f->unit, wide->lines, i->lines);
        ir_replace(i->defs[0], wide->defs[k]);
        ir_remove(i);
    }
}

static void merge_stores(struct ir_function *f, struct group *g, unsigned elements, struct ir_inst *last,
                         bool broken)
{
    struct ir_value *uses[1 + ELEMENTS_MAX] = {ir_operand(last, 0)};
    for (unsigned k = 0; k < elements; k++)
        uses[1 + k] = ir_operand(g->member[broken ? elements - 1 - k : k], 1);
    struct ir_inst *wide =
        ir_inst_create(f, IR_STORE, (enum isa_type)last->type, 0, NULL, 1 + elements, uses);
    wide->space = last->space;
    wide->cache = last->cache;
    wide->sem = last->sem;
    wide->scope = last->scope;
    wide->flags = last->flags;
    wide->offset = g->member[0]->offset;
    ir_insert_before(last, wide);
    if (last->guard.value) ir_set_guard(wide, last->guard.value, last->guard_not);
    for (unsigned k = 0; k < elements; k++) {
        wide->lines = ir_line_set_union(f->unit, wide->lines, g->member[k]->lines);
        ir_remove(g->member[k]);
    }
}

static struct ir_inst *last_member(const struct group *g, unsigned elements)
{
    struct ir_inst *last = g->member[0];
    for (unsigned k = 1; k < elements; k++)
        if (g->member[k]->order > last->order) last = g->member[k];
    return last;
}

// Merges `first` and its neighbours into the widest aligned access for which all members are found. False:
// none.
static bool try_widen(struct ir_function *f, struct ir_inst *first, unsigned base_zeros, bool broken)
{
    unsigned bytes = alias_element_bytes(first);
    for (unsigned elements = WIDE_BYTES / bytes; elements >= 2; elements /= 2) {
        int64_t wide = (int64_t)(elements * bytes);
        if (base_zeros < bit_lowest((uint64_t)wide)) continue;
        // the base is a multiple of `wide`, so the wide access must begin at a multiple of `wide`, too
        int64_t start = first->offset & -wide;
        if ((first->offset - start) % (int64_t)bytes) continue;
        struct group g;
        collect(&g, first, start, elements);
        if (g.count < elements) continue;
        if (first->op == IR_LOAD)
            merge_loads(f, &g, elements, first);
        else
            merge_stores(f, &g, elements, last_member(&g, elements), broken);
        return true;
    }
    return false;
}

bool pass_vectors(struct ir_function *f, const struct pass_context *c)
{
    if (!c->late) return false; // after folding of offsets and common subexpressions
    bool changed = false, keep_shared_single = f->unit->options->profile == PROFILE_PTXPLUS;
    ir_number(f);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (!is_candidate(i) || (keep_shared_single && i->space == SPACE_SHARED)) continue;
            unsigned zeros = align_known_zeros(ir_operand(i, 0));
            if (zeros < 3) continue;
            struct ir_inst *before = i->previous;
            if (!try_widen(f, i, zeros, c->broken)) continue;
            changed = true;
            next = before ? before->next : b->first;
        }
    return changed;
}

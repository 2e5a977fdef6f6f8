// Replaces loads of known values. The value is known for loads of local variables that need no memory
// (locals.c), and for bytes stored or loaded earlier in the block without an intervening change. A load of
// read-only memory is replaced by an equal load that dominates it.
//
//     store.shared.b32 [p + 4], x          store.shared.b32 [p + 4], x
//     store.shared.b32 [p + 8], y          store.shared.b32 [p + 8], y
//     z = load.shared.b32 [p + 4]          (z is x)
//
// Within a block the known contents of memory are a short list, newest last. A weak store drops entries that
// it may overlap. An atomic, a strong access or an effect (barrier, fence, call, shuffle …) drops everything
// but read-only memory. Accesses are compared by base value, so the pass runs again after offsets have been
// folded.
#include "base/hash.h"
#include "compile/ir/alias.h"
#include "compile/pass/passes.h"

#include <string.h>

enum { KNOWN_MAX = 32 }; // entries; the oldest is dropped first

struct known { // accesses with known bytes: a load's defs, a store's values
    struct ir_inst *list[KNOWN_MAX];
    unsigned count;
};

static unsigned element_count(const struct ir_inst *i)
{
    return i->op == IR_LOAD ? i->def_count : i->use_count - 1;
}

static struct ir_value *element(const struct ir_inst *i, unsigned k)
{
    return i->op == IR_LOAD ? i->defs[k] : ir_operand(i, 1 + k);
}

static bool is_trackable(const struct ir_inst *i)
{
    return (i->op == IR_LOAD || i->op == IR_STORE) && alias_is_weak(i) && !i->guard.value;
}

// True if `from` provides the value of `load`: the same base, offset and element size, and at least as many
// elements. A stored value below 32 bits has unspecified upper bits, which a load would set; only stores of
// words or wider values are forwarded.
static bool tells(const struct ir_inst *from, const struct ir_inst *load)
{
    if (!alias_same_base(from, load) || from->offset != load->offset) return false;
    if (from->op == IR_LOAD && from->bank != load->bank) return false;
    unsigned bytes = alias_element_bytes(load);
    if (bytes != alias_element_bytes(from) || element_count(from) < load->def_count) return false;
    if (bytes < 4 && (from->op == IR_STORE || from->type != load->type)) return false;
    for (unsigned k = 0; k < load->def_count; k++)
        if (element(from, k)->class != load->defs[k]->class) return false;
    return true;
}

static void forget(struct known *s, unsigned k)
{
    memmove(&s->list[k], &s->list[k + 1], (s->count - k - 1) * sizeof s->list[0]);
    s->count--;
}

static void remember(struct known *s, struct ir_inst *i)
{
    if (s->count == KNOWN_MAX) forget(s, 0);
    s->list[s->count++] = i;
}

static void drop_changed(struct known *s, const struct ir_inst *i, bool broken)
{
    if (broken && i->op == IR_STORE) return;
    for (unsigned k = s->count; k-- > 0;)
        if (alias_ordered(s->list[k], i)) forget(s, k);
}

static bool forward_in_block(struct ir_function *f, struct ir_block *b, bool broken)
{
    struct known s = {.count = 0};
    bool changed = false;
    for (struct ir_inst *i = b->first, *next; i; i = next) {
        next = i->next;
        if (i->op == IR_LOAD && is_trackable(i)) {
            unsigned k = s.count;
            while (k > 0 && !tells(s.list[k - 1], i)) k--;
            if (k > 0) {
                struct ir_inst *from = s.list[k - 1];
                for (unsigned d = 0; d < i->def_count; d++) ir_replace(i->defs[d], element(from, d));
                from->lines = ir_line_set_union(f->unit, from->lines, i->lines);
                ir_remove(i);
                changed = true;
                continue;
            }
            remember(&s, i);
            continue;
        }
        drop_changed(&s, i, broken);
        if (i->op == IR_STORE && is_trackable(i)) remember(&s, i);
    }
    return changed;
}

static uint64_t read_only_key(const struct ir_inst *i)
{
    uint64_t words[4] = {i->space | (uint64_t)i->type << 8 | (uint64_t)i->bank << 16 |
                             (uint64_t)i->def_count << 24 | (uint64_t)i->flags << 32,
                         ir_operand(i, 0)->id, (uint64_t)ir_operand(i, 0)->is_constant, (uint64_t)i->offset};
    return hash_bytes(words, sizeof words, 0);
}

// Replaces a load of read-only memory by an equal dominating load. True: replaced at least one.
static bool forward_read_only(struct ir_function *f)
{
    struct u64map seen = {0}; // key -> index into loads
    VEC(struct ir_inst *) loads = {0};
    bool changed = false;
    ir_analyse(f);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (i->op != IR_LOAD || !is_trackable(i) || !alias_is_read_only(i)) continue;
            uint32_t index;
            uint64_t key = read_only_key(i);
            struct ir_inst *first = u64map_get(&seen, key, &index) ? loads.data[index] : NULL;
            if (first && tells(first, i) && first->flags == i->flags && ir_dominates(first->block, b)) {
                for (unsigned d = 0; d < i->def_count; d++) ir_replace(i->defs[d], first->defs[d]);
                first->lines = ir_line_set_union(f->unit, first->lines, i->lines);
                ir_remove(i);
                changed = true;
                continue;
            }
            vec_push(&loads, i);
            u64map_set(&seen, key, (uint32_t)loads.count - 1);
        }
    vec_fini(&loads);
    u64map_fini(&seen);
    return changed;
}

bool pass_loads(struct ir_function *f, const struct pass_context *c)
{
    bool changed = locals_promote(f);
    changed |= forward_read_only(f);
    for (struct ir_block *b = f->first_block; b; b = b->next) changed |= forward_in_block(f, b, c->broken);
    return changed;
}

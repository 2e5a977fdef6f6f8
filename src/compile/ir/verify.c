// Invariants of the intermediate representation, checked in three steps. Every step relies on the preceding
// step:
//
//   1. the graph: block list, edges known at both ends, one END per block, the entry without predecessors
//   2. every instruction: shape and classes of operands by operation and type, guards, use lists
//   3. SSA: every definition dominates its uses (a phi's operand: the end of its predecessor)
//
// Renumbers the blocks and recomputes ir_analyse. Reports the first fault.
#include "compile/ir/ir.h"
#include "isa/modes.h"
#include "isa/space.h"
#include "isa/types.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *fault(struct ir_function *f, const struct ir_inst *i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static const char *fault(struct ir_function *f, const struct ir_inst *i, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    strbuf_printf(&text, "%s: ", f->name);
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    if (i) {
        strbuf_printf(&text, " in block%u:", i->block ? i->block->id : 0);
        ir_print_inst(i, &text);
        if (text.length && text.text[text.length - 1] == '\n') text.text[--text.length] = 0;
    }
    char *kept = arena_strndup(&f->unit->arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

// -- 1. the graph -------------------------------------------------------------------------------------------

static const char *check_block_list(struct ir_function *f)
{
    if (!f->first_block) return fault(f, NULL, "the function has no block");
    if (f->first_block->pred_count) return fault(f, NULL, "the entry has predecessors");
    const struct ir_block *previous = NULL;
    for (struct ir_block *b = f->first_block; b; previous = b, b = b->next) {
        if (b->previous != previous) return fault(f, NULL, "block%u: broken list of blocks", b->id);
        if (b->function != f) return fault(f, NULL, "block%u belongs to a different function", b->id);
    }
    if (f->last_block != previous) return fault(f, NULL, "last_block is not the last block");
    return NULL;
}

static const char *check_inst_list(struct ir_function *f, const struct ir_block *b)
{
    const struct ir_inst *previous = NULL;
    bool phis = true;
    for (const struct ir_inst *i = b->first; i; previous = i, i = i->next) {
        if (i->previous != previous || i->block != b) return fault(f, i, "broken list of instructions");
        if (i->function != f) return fault(f, i, "instruction of a different function");
        if (i->op >= IR_OP_COUNT)
            return fault(f, NULL, "block%u: unknown operation %u", b->id, (unsigned)i->op);
        bool end = (ir_table[i->op].flags & IR_END) != 0;
        if (end != (i == b->last))
            return fault(f, i, end ? "END before the end of its block" : "block without END");
        if (i->op == IR_PHI && !phis) return fault(f, i, "phi behind a non-phi instruction");
        phis = i->op == IR_PHI;
    }
    if (!previous || b->last != previous)
        return fault(f, NULL, "block%u: empty, or `last` is not last", b->id);
    return NULL;
}

static bool succ_count_allowed(const struct ir_block *b)
{
    switch ((int)b->last->op) {
    case IR_JUMP: return b->succ_count == 1;
    case IR_BRANCH: return b->succ_count == 2;
    case IR_SWITCH: return b->succ_count >= 1;
    default: return b->succ_count == 0;
    }
}

// Counts edges up at the source and down at the target: every count must return to zero.
static const char *check_edges(struct ir_function *f)
{
    struct u64map counts = {0};
    const char *wrong = NULL;
    ir_number(f);
    for (struct ir_block *b = f->first_block; b && !wrong; b = b->next) {
        if (!succ_count_allowed(b)) wrong = fault(f, b->last, "%u successors", b->succ_count);
        for (uint32_t k = 0; k < b->succ_count && !wrong; k++) {
            const struct ir_block *s = b->succs[k];
            uint32_t n = 0;
            if (!s || s->function != f || (!s->previous && s != f->first_block))
                wrong = fault(f, b->last, "successor %u is not in the function", k);
            else
                u64map_get(&counts, (uint64_t)b->id << 32 | s->id, &n);
            if (!wrong) u64map_set(&counts, (uint64_t)b->id << 32 | s->id, n + 1);
        }
    }
    for (struct ir_block *b = f->first_block; b && !wrong; b = b->next) {
        for (uint32_t k = 0; k < b->pred_count && !wrong; k++) {
            uint64_t key = (uint64_t)b->preds[k]->id << 32 | b->id;
            uint32_t n = 0;
            if (b->preds[k]->function != f || !u64map_get(&counts, key, &n) || !n)
                wrong =
                    fault(f, NULL, "block%u: predecessor block%u has no edge here", b->id, b->preds[k]->id);
            u64map_set(&counts, key, n - 1);
        }
    }
    for (size_t k = 0; k < counts.entries.count && !wrong; k++)
        if (counts.entries.data[k].value)
            wrong = fault(f, NULL, "edge block%u to block%u is unknown to its target",
                          (unsigned)(counts.entries.data[k].key >> 32), (unsigned)counts.entries.data[k].key);
    u64map_fini(&counts);
    return wrong;
}

// -- 2. instructions ----------------------------------------------------------------------------------------

struct checker {
    struct ir_function *f;
    uint32_t *slots_seen; // by value: operand slots found in instructions
    struct ir_value **by_id;
};

static bool address_class_allowed(const struct ir_inst *i, enum ir_class class, bool second)
{
    if (i->op == IR_CPASYNC) return class == IR_CLASS_32 || (second && class == IR_CLASS_64);
    if (i->space == SPACE_GENERIC || i->space == SPACE_GLOBAL)
        return class == IR_CLASS_32 || class == IR_CLASS_64;
    return class == IR_CLASS_32;
}

static bool letter_allows(const struct ir_inst *i, char letter, const struct ir_value *v, int *any,
                          bool second)
{
    switch (letter) {
    case 'w': return v->class == IR_CLASS_32;
    case 'd': return v->class == IR_CLASS_64;
    case 'p': return v->class == IR_CLASS_PRED;
    case 't': return v->class == ir_class_of_type((enum isa_type)i->type);
    case 'u': return v->class == ir_class_of_type((enum isa_type)i->type2);
    case 'a': return address_class_allowed(i, v->class, second);
    }
    if (*any < 0) *any = (int)v->class;
    return *any == (int)v->class;
}

// Matches the results or the operands of i against one side of a shape string, "results:operands" with a
// letter per class. + after a letter: once or more; ?: the side may end before the letter. Returns the rest
// of the string, or NULL on a mismatch. *any, common to both sides: class of the letters without a class of
// their own; below 0: none met yet.
static const char *match_side(const struct ir_inst *i, const char *shape, bool defs, int *any)
{
    uint32_t count = defs ? i->def_count : i->use_count, k = 0;
    while (*shape && *shape != ':') {
        char letter = *shape++;
        bool repeats = *shape == '+', optional = *shape == '?';
        shape += repeats || optional;
        if (k == count && optional) {
            while (*shape && *shape != ':') shape++;
            break;
        }
        do {
            const struct ir_value *v = k < count ? (defs ? i->defs[k] : i->uses[k].value) : NULL;
            if (!v || !letter_allows(i, letter, v, any, k == 1)) return NULL;
            k++;
        } while (repeats && k < count);
    }
    return k == count ? shape : NULL;
}

static bool classes_match(const struct ir_inst *i, uint32_t first_use, const struct ir_function *callee)
{
    if (i->use_count - first_use != callee->param_count || i->def_count != callee->result_count) return false;
    for (uint32_t k = 0; k < callee->param_count; k++)
        if (i->uses[first_use + k].value->class != callee->params[k]->class) return false;
    for (uint32_t k = 0; k < i->def_count; k++)
        if (i->defs[k]->class != (enum ir_class)callee->result_classes[k]) return false;
    return true;
}

// True if i has a shape allowed for its operation. For operations with a shape that depends on more than
// types: VOTE, BAR, RETURN, CALL, CALLR, SYSCALL.
static bool odd_shape_allowed(const struct ir_function *f, const struct ir_inst *i)
{
    int any = -1;
    const char *shape = NULL;
    switch ((int)i->op) {
    case IR_VOTE: shape = i->mode == MODE_NONE ? "w:pw?" : "p:pw?"; break;
    case IR_CALLR: return i->use_count && i->uses[0].value->class == IR_CLASS_64;
    case IR_CALL: return i->callee && classes_match(i, 0, i->callee);
    case IR_SYSCALL: return i->def_count <= 1;
    case IR_MMA: return i->def_count && i->use_count > i->def_count && i->shape;
    case IR_WGMMA: return i->def_count && i->use_count > i->def_count + 2;
    case IR_WGLANDED: return i->def_count && i->use_count == i->def_count;
    case IR_BAR:
        if (i->mode != MODE_BAR_RED)
            shape = ":ww?";
        else if (i->use_count == 2)
            shape = i->boolean == BOOL_POPC ? "w:wp" : "p:wp";
        else
            shape = i->boolean == BOOL_POPC ? "w:wwp" : "p:wwp";
        break;
    case IR_RETURN:
        if (f->is_kernel || i->use_count != f->result_count) return false;
        for (uint32_t k = 0; k < i->use_count; k++)
            if (i->uses[k].value->class != (enum ir_class)f->result_classes[k]) return false;
        return true;
    }
    const char *uses = match_side(i, shape, true, &any);
    return uses && match_side(i, uses + 1, false, &any);
}

static const char *check_shape(struct checker *c, const struct ir_inst *i)
{
    const struct ir_info *info = &ir_table[i->op];
    for (uint32_t k = 0; k < i->use_count; k++)
        if (!i->uses[k].value) return fault(c->f, i, "operand %u is missing", k);
    if (!isa_type_is_in(i->type, info->types)) return fault(c->f, i, "the operation does not take this type");
    int any = -1;
    if (!info->shape)
        return odd_shape_allowed(c->f, i) ? NULL : fault(c->f, i, "wrong number or class of operands");
    const char *uses = match_side(i, info->shape, true, &any);
    if (!uses) return fault(c->f, i, "wrong number or class of results");
    if (i->op == IR_PHI && !i->use_count && !i->block->pred_count) return NULL; // unreachable
    if (!match_side(i, uses + 1, false, &any)) return fault(c->f, i, "wrong number or class of operands");
    if (i->op == IR_PHI && i->use_count != i->block->pred_count)
        return fault(c->f, i, "%u operands for %u predecessors", i->use_count, i->block->pred_count);
    if (i->op == IR_SELECT && i->defs[0]->class == IR_CLASS_PRED)
        return fault(c->f, i, "select between predicates");
    return NULL;
}

static const char *check_guard(struct checker *c, const struct ir_inst *i)
{
    if (i->guard.value) {
        if (i->guard.value->class != IR_CLASS_PRED) return fault(c->f, i, "the guard is no predicate");
        if (!(ir_table[i->op].flags & (IR_READ | IR_WRITE | IR_EFFECT)))
            return fault(c->f, i, "only memory accesses and effects have guards");
    } else if (i->guard_not) {
        return fault(c->f, i, "guard_not without a guard");
    }
    for (uint32_t k = 0; i->old && k < i->def_count; k++) {
        if (!i->old[k].value) continue;
        if (!i->guard.value) return fault(c->f, i, "old value without a guard");
        if (i->old[k].value->class != i->defs[k]->class)
            return fault(c->f, i, "old value %u of a different class", k);
    }
    return NULL;
}

static const char *check_slot(struct checker *c, const struct ir_inst *i, const struct ir_use *u)
{
    const struct ir_value *v = u->value;
    if (u->user != i) return fault(c->f, i, "an operand slot names a different user");
    if (!v) return NULL;
    if (v->def && !v->def->block) return fault(c->f, i, "operand v%u was removed", v->id);
    if (v->id >= c->f->value_count || c->by_id[v->id] != v)
        return fault(c->f, i, "operand of a different function");
    if ((u->previous ? u->previous->next : v->first_use) != u || (u->next && u->next->previous != u))
        return fault(c->f, i, "an operand slot is not in its value's list");
    c->slots_seen[v->id]++;
    return NULL;
}

static const char *register_value(struct checker *c, struct ir_value *v, const struct ir_inst *i)
{
    if (!v) return fault(c->f, i, "a result is missing");
    if (v->id >= c->f->value_count) return fault(c->f, i, "v%u: number past value_count", v->id);
    if (c->by_id[v->id]) return fault(c->f, i, "v%u is defined twice", v->id);
    c->by_id[v->id] = v;
    if (v->def != i) return fault(c->f, i, "v%u does not know its definition", v->id);
    if (v->is_constant && v->class == IR_CLASS_32 && v->bits >> 32)
        return fault(c->f, i, "v%u: wide constant", v->id);
    return NULL;
}

static const char *register_values(struct checker *c)
{
    const char *wrong = NULL;
    struct ir_function *f = c->f;
    for (size_t k = 0; k < f->constant_values.count && !wrong; k++)
        wrong = register_value(c, f->constant_values.data[k], NULL);
    for (uint32_t k = 0; k < f->param_count && !wrong; k++) wrong = register_value(c, f->params[k], NULL);
    for (struct ir_block *b = f->first_block; b && !wrong; b = b->next)
        for (struct ir_inst *i = b->first; i && !wrong; i = i->next)
            for (uint32_t k = 0; k < i->def_count && !wrong; k++) wrong = register_value(c, i->defs[k], i);
    return wrong;
}

static const char *check_inst(struct checker *c, const struct ir_inst *i)
{
    const char *wrong = NULL;
    for (uint32_t k = 0; k < i->use_count && !wrong; k++) wrong = check_slot(c, i, &i->uses[k]);
    for (uint32_t k = 0; i->old && k < i->def_count && !wrong; k++) wrong = check_slot(c, i, &i->old[k]);
    if (!wrong) wrong = check_slot(c, i, &i->guard);
    if (!wrong) wrong = check_shape(c, i);
    return wrong ? wrong : check_guard(c, i);
}

static const char *check_use_lists(struct checker *c)
{
    for (uint32_t k = 0; k < c->f->value_count; k++) {
        const struct ir_value *v = c->by_id[k];
        if (!v) continue;
        uint32_t listed = 0;
        for (const struct ir_use *u = v->first_use; u && listed <= v->use_count; u = u->next) listed++;
        if (listed != v->use_count || listed != c->slots_seen[k])
            return fault(c->f, v->def, "v%u has %u uses, lists %u and says %u", k, c->slots_seen[k], listed,
                         v->use_count);
    }
    return NULL;
}

// -- 3. SSA -------------------------------------------------------------------------------------------------

static bool reachable(const struct ir_block *b) { return b->dom_first <= b->dom_last; }

static bool defined_before(const struct ir_value *v, const struct ir_inst *i)
{
    if (!v || !v->def) return true;
    if (v->def->block == i->block) return v->def->order < i->order;
    return ir_dominates(v->def->block, i->block);
}

static const char *check_dominance(struct ir_function *f, const struct ir_inst *i)
{
    bool sound = defined_before(i->guard.value, i);
    for (uint32_t k = 0; i->old && k < i->def_count; k++) sound &= defined_before(i->old[k].value, i);
    for (uint32_t k = 0; k < i->use_count; k++) {
        const struct ir_value *v = i->uses[k].value;
        if (i->op == IR_PHI) {
            const struct ir_block *from = i->block->preds[k];
            sound &= !v->def || !reachable(from) || ir_dominates(v->def->block, from);
        } else {
            sound &= defined_before(v, i);
        }
    }
    return sound ? NULL : fault(f, i, "an operand is not defined on every path to its use");
}

const char *ir_verify(struct ir_function *f)
{
    const char *wrong = check_block_list(f);
    for (struct ir_block *b = f->first_block; b && !wrong; b = b->next) wrong = check_inst_list(f, b);
    if (!wrong) wrong = check_edges(f);
    if (wrong) return wrong;

    struct arena scratch;
    arena_init(&scratch);
    struct checker c = {.f = f};
    c.slots_seen = ARENA_ARRAY(&scratch, uint32_t, f->value_count);
    c.by_id = ARENA_ARRAY(&scratch, struct ir_value *, f->value_count);
    wrong = register_values(&c);
    for (struct ir_block *b = f->first_block; b && !wrong; b = b->next)
        for (struct ir_inst *i = b->first; i && !wrong; i = i->next) wrong = check_inst(&c, i);
    if (!wrong) wrong = check_use_lists(&c);
    arena_fini(&scratch);
    if (wrong) return wrong;

    ir_analyse(f);
    for (struct ir_block *b = f->first_block; b; b = b->next) {
        if (!reachable(b)) continue;
        for (struct ir_inst *i = b->first; i; i = i->next)
            if ((wrong = check_dominance(f, i))) return wrong;
    }
    return NULL;
}

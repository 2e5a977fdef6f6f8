// Simplification: folds constants, rewrites operations to canonical forms, and uses known bits. simplify_*.c
// has the rules, this file their order.
//
//   forwards   instructions, operands first: folded, or rewritten by the rules of the family; unread
//              instructions are removed at once, so that use counts stay exact
//   backwards  removes extensions and masks of unread bits (demanded bits, computed anew)
//
// Forward sweeps repeat until nothing changes, at most SWEEPS_MAX times; one backward sweep follows.
#include "compile/pass/simplify.h"
#include "compile/pass/passes.h"

enum { SWEEPS_MAX = 6 };

// Gives operations with equal results for signed and unsigned types a canonical type, so that equal
// operations compare equal.
static void plain_type(struct ir_inst *i)
{
    bool wide = i->def_count && i->defs[0]->class == IR_CLASS_64;
    switch ((int)i->op) {
    case IR_BANK:
    case IR_SYMBOL:
    case IR_FRAME:
    case IR_SREG:
    case IR_PACK:
    case IR_LO:
    case IR_HI: i->type = wide ? TYPE_U64 : TYPE_U32; break;
    case IR_SELECT: i->type = wide ? TYPE_B64 : TYPE_B32; break;
    case IR_ADD:
    case IR_SUB:
    case IR_NEG:
    case IR_MUL:
    case IR_MAD:
    case IR_SHL: i->type = (uint8_t)simplify_unsigned(i); break;
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_NOT:
    case IR_BREV:
    case IR_POPC: i->type = simplify_is_wide(i) ? TYPE_B64 : TYPE_B32; break;
    }
}

static void constant_second(struct ir_inst *i)
{
    if (!(ir_table[i->op].flags & IR_COMM) || !ir_operand(i, 0)->is_constant || ir_operand(i, 1)->is_constant)
        return;
    struct ir_value *first = ir_operand(i, 0);
    ir_set_use(i, 0, ir_operand(i, 1));
    ir_set_use(i, 1, first);
}

// The only operand of a phi besides the phi itself; NULL: several.
static struct ir_value *simplify_phi(struct ir_inst *i)
{
    struct ir_value *only = NULL;
    for (uint32_t k = 0; k < i->use_count; k++) {
        struct ir_value *v = ir_operand(i, k);
        if (v == i->defs[0] || v == only) continue;
        if (only) return NULL;
        only = v;
    }
    return only;
}

static struct ir_value *simplify_inst(struct simplify *s, struct ir_inst *i)
{
    if (i->op == IR_COPY) return ir_operand(i, 0);
    if (i->op == IR_PHI) return simplify_phi(i);
    struct ir_value *by = simplify_integer(s, i);
    if (!by) by = simplify_words(s, i);
    if (!by) by = simplify_divide(s, i);
    if (!by) by = simplify_compare(s, i);
    if (!by) by = simplify_float(s, i);
    if (!by && s->late) by = simplify_late(s, i);
    return by;
}

static bool is_unread(const struct ir_inst *i)
{
    if (!ir_is_pure(i) && i->op != IR_PHI) return false;
    for (uint32_t k = 0; k < i->def_count; k++)
        if (i->defs[k]->first_use) return false;
    return true;
}

// Removes the unread instruction i, then instructions read only by removed instructions. The latter precede
// i, except around a loop through a phi, where removal stops; a caller's walk may thus continue from i's
// successor.
static void remove_unread(struct ir_inst *i)
{
    VEC(struct ir_inst *) work = {0};
    vec_push(&work, i);
    while (work.count) {
        i = vec_pop(&work);
        for (uint32_t k = 0; k < i->use_count; k++) {
            struct ir_inst *def = ir_operand(i, k)->def;
            ir_set_use(i, k, NULL);
            if (i->op != IR_PHI && def && def->op != IR_PHI && is_unread(def)) vec_push(&work, def);
        }
        ir_remove(i);
    }
    vec_fini(&work);
}

static bool fold_inst(struct ir_inst *i)
{
    uint64_t results[2];
    if (i->def_count > 2 || !fold(i, results)) return false;
    for (uint32_t k = 0; k < i->def_count; k++)
        ir_replace(i->defs[k], ir_constant(i->function, i->defs[k]->class, results[k]));
    return true;
}

static void forwards(struct simplify *s, struct ir_block *b)
{
    for (struct ir_inst *i = b->first, *next; i; i = next) {
        next = i->next;
        plain_type(i);
        constant_second(i);
        simplify_address(s, i);
        if (!is_unread(i) && !fold_inst(i)) {
            struct ir_value *by = i->def_count ? simplify_inst(s, i) : NULL;
            if (!by || by == i->defs[0]) continue;
            ir_replace(i->defs[0], by);
        }
        remove_unread(i);
        s->changed = true;
    }
}

// -- demanded bits ------------------------------------------------------------------------------------------

// The operand that may replace an extension, a mask, or an OR or XOR with a constant: both differ only in
// bits not demanded. NULL: none may.
static struct ir_value *undemanded(const struct known *known, const struct ir_inst *i)
{
    uint64_t demanded = known_demanded(known, i->defs[0]), constant;
    if (i->op == IR_AND && ir_constant_bits(ir_operand(i, 1), &constant))
        return demanded & simplify_mask(i) & ~constant ? NULL : ir_operand(i, 0);
    if ((i->op == IR_OR || i->op == IR_XOR) && ir_constant_bits(ir_operand(i, 1), &constant))
        return demanded & constant ? NULL : ir_operand(i, 0);
    if ((i->op == IR_ZEXT || i->op == IR_SEXT) && !simplify_is_wide(i)) {
        uint64_t low = (1ull << 8 * isa_type_bytes((enum isa_type)i->type2)) - 1;
        return demanded & UINT32_MAX & ~low ? NULL : ir_operand(i, 0);
    }
    if (i->op == IR_BFE && ir_constant_bits(ir_operand(i, 1), &constant) && (constant & 255) == 0 &&
        !simplify_is_wide(i) && ir_constant_bits(ir_operand(i, 2), &constant) && (constant & 255) < 32)
        return demanded & UINT32_MAX & ~((1ull << (constant & 255)) - 1) ? NULL : ir_operand(i, 0);
    return NULL;
}

static void backwards(struct simplify *s)
{
    struct known known;
    known_init(&known, s->f);
    known_demand(&known, s->f);
    for (struct ir_block *b = s->f->first_block; b; b = b->next) {
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            struct ir_value *by = i->def_count == 1 ? undemanded(&known, i) : NULL;
            if (!by) continue;
            ir_replace(i->defs[0], by);
            remove_unread(i);
            s->changed = true;
        }
    }
    known_fini(&known);
}

// Known bits stay valid while equal values replace each other, so they are computed once for all forward
// sweeps. Nothing is known of values created by the pass until its next run.
bool pass_simplify(struct ir_function *f, const struct pass_context *c)
{
    struct simplify s = {.f = f, .late = c->late, .broken = c->broken};
    bool changed = false;
    ir_analyse(f);
    struct ir_block **order = heap_alloc(f->block_count * sizeof *order);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->rpo < f->block_count) order[b->rpo] = b;
    known_init(&s.known, f);
    for (unsigned sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        s.changed = false;
        for (uint32_t n = 0; n < f->block_count && order[n]; n++) forwards(&s, order[n]);
        changed |= s.changed;
        if (!s.changed) break;
    }
    known_fini(&s.known);
    free(order);
    s.changed = false;
    backwards(&s);
    return changed || s.changed;
}

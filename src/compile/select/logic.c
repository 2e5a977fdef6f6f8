// Selection of logic on words and predicates. LOP3 and PLOP3 compute any function of three inputs, so trees
// of AND, OR, XOR and NOT are cut into pieces of up to three leaves. LOP3 also makes the predicate of a
// comparison of its result with zero. ISETP and FSETP combine a comparison with a predicate. Profile ptxplus
// has no trees and no combination with a predicate. Examples:
//
//     p = (x & 7) != 0          LOP3.LUT d, p, x, 0x7, RZ, 0xc0
//     q = (a < b) & p           ISETP.LT.AND q, PT, a, b, p
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/profile.h"

// A function of up to three leaves, or of more while it grows.
enum { TREE_LEAVES = 3, TREE_GROWS = 5 };
struct tree {
    struct ir_value *leaves[TREE_GROWS];
    unsigned count;
    struct ir_inst *inner[8]; // instructions folded into the tree
    unsigned inner_count;
};

static bool is_logic(const struct ir_inst *i)
{
    return i->op == IR_AND || i->op == IR_OR || i->op == IR_XOR || i->op == IR_NOT || i->op == IR_LOP3 ||
           i->op == IR_PAND || i->op == IR_POR || i->op == IR_PXOR || i->op == IR_PNOT;
}

static bool is_not(const struct ir_inst *i) { return i->op == IR_NOT || i->op == IR_PNOT; }

static bool is_inner(const struct tree *t, const struct ir_inst *i)
{
    for (unsigned k = 0; k < t->inner_count; k++)
        if (t->inner[k] == i) return true;
    return false;
}

static bool add_leaf(struct tree *t, struct ir_value *v, unsigned most)
{
    v = strip(v);
    for (unsigned k = 0; k < t->count; k++)
        if (t->leaves[k] == v) return true;
    if (t->count == most) return false;
    t->leaves[t->count++] = v;
    return true;
}

// The definition of leaf v if it is logic of the current block, v has a single use, and no register was
// requested for v; else NULL. A complement may have further users or lie in a different block: folding costs
// nothing.
static struct ir_inst *foldable(struct select *s, struct ir_value *v)
{
    struct ir_inst *i = v->def;
    if (!i || !is_logic(i) || s->units[v->id] != MACH_NONE || s->tests[v->id] != MACH_NONE) return NULL;
    if (v->class != IR_CLASS_PRED && inst_is_wide(i)) return NULL;
    bool free_of_charge = is_not(i) && !v->def->uses[0].value->is_constant;
    return free_of_charge || (v->use_count == 1 && i->block == s->block->source) ? i : NULL;
}

static unsigned other_leaves(struct select *s, const struct tree *t)
{
    unsigned others = 0;
    for (unsigned k = 0; k < t->count; k++) {
        struct ir_inst *bank = def_of(t->leaves[k], IR_BANK);
        others += t->leaves[k]->is_constant || (bank && s->units[t->leaves[k]->id] == MACH_NONE);
    }
    return others;
}

static bool expand_leaf(struct select *s, struct tree *t, unsigned k, unsigned most)
{
    struct ir_inst *i = foldable(s, t->leaves[k]);
    if (!i || t->inner_count == 8 || is_inner(t, i)) return false;
    struct tree tried = *t;
    tried.leaves[k] = tried.leaves[--tried.count];
    for (uint32_t n = 0; n < i->use_count; n++)
        if (!add_leaf(&tried, ir_operand(i, n), most)) return false;
    if (other_leaves(s, &tried) > 1 && other_leaves(s, &tried) > other_leaves(s, t)) return false;
    tried.inner[tried.inner_count++] = i;
    *t = tried;
    return true;
}

// Expands leaves with a different operation than the root first. Of x ^ (a & b), chained, every link is then
// one instruction; expanding (x ^ y) ^ z first would leave every (a & b) as a separate instruction.
static void expand(struct select *s, struct tree *t, const struct ir_inst *root)
{
    for (unsigned same = 0; same < 2; same++)
        for (unsigned k = 0; k < t->count;) {
            const struct ir_inst *leaf = t->leaves[k]->def;
            bool now = same || (leaf && leaf->op != root->op);
            k = now && expand_leaf(s, t, k, TREE_LEAVES) ? 0 : k + 1;
        }
}

// Expands all leaves, through more than three. False, and *t as before: more than three are left. Of a majority,
// (a & b) | (a & c) | (b & c), two products expanded have four leaves, the third has no further.
static bool expand_all(struct select *s, struct tree *t)
{
    struct tree grown = *t;
    for (unsigned k = 0; k < grown.count;) k = expand_leaf(s, &grown, k, TREE_GROWS) ? 0 : k + 1;
    if (grown.count > TREE_LEAVES) return false;
    *t = grown;
    return true;
}

static struct tree build_tree(struct select *s, struct ir_inst *root)
{
    struct tree t = {.count = 0};
    for (uint32_t n = 0; n < root->use_count; n++) add_leaf(&t, ir_operand(root, n), TREE_LEAVES);
    if (s->profile != PROFILE_PTXPLUS && !expand_all(s, &t)) expand(s, &t, root);
    for (unsigned k = 0; k < t.inner_count; k++) folded(s, t.inner[k]);
    return t;
}

static unsigned apply(const struct ir_inst *i, const unsigned x[3])
{
    switch ((int)i->op) {
    case IR_AND:
    case IR_PAND: return x[0] & x[1];
    case IR_OR:
    case IR_POR: return x[0] | x[1];
    case IR_XOR:
    case IR_PXOR: return x[0] ^ x[1];
    case IR_NOT:
    case IR_PNOT: return 0xff & ~x[0];
    }
    unsigned lut = 0; // LOP3: table of the composition, bit by bit for the eight inputs of the leaves
    for (unsigned bit = 0; bit < 8; bit++) {
        unsigned index = (x[0] >> bit & 1) << 2 | (x[1] >> bit & 1) << 1 | (x[2] >> bit & 1);
        lut |= ((unsigned)i->lut >> index & 1) << bit;
    }
    return lut;
}

// Truth table of a value inside the tree, in terms of the leaves.
static unsigned table_of(const struct tree *t, struct ir_value *v)
{
    static const unsigned tables[] = {LUT_A, LUT_B, LUT_C};
    v = strip(v);
    for (unsigned k = 0; k < t->count; k++)
        if (t->leaves[k] == v) return tables[k];
    unsigned x[3] = {0};
    for (uint32_t n = 0; n < v->def->use_count; n++) x[n] = table_of(t, ir_operand(v->def, n));
    return apply(v->def, x);
}

static unsigned root_table(const struct tree *t, const struct ir_inst *root)
{
    unsigned x[3] = {0};
    for (uint32_t n = 0; n < root->use_count; n++) x[n] = table_of(t, ir_operand(root, n));
    return apply(root, x);
}

// -- words --------------------------------------------------------------------------------------------------

static void emit_logic(struct select *s, uint32_t dst, struct source a, struct source b, unsigned lut)
{
    bool zero = source_is_zero(&a) || source_is_zero(&b);
    if (lut == LUT_AND && zero)
        move_to(s, dst, source_zero());
    else if (lut != LUT_AND && source_is_zero(&b))
        move_to(s, dst, a);
    else
        emit_lop3(s, dst, a, b, source_zero(), lut);
}

static void select_logic64(struct select *s, struct ir_inst *i)
{
    static const unsigned x[3] = {LUT_A, LUT_B, LUT_C};
    uint32_t dst = wanted(s, i, 0);
    for (unsigned h = 0; h < 2; h++) {
        struct source a = source_half(s, ir_operand(i, 0), (enum half)h);
        if (i->op == IR_NOT)
            emit_lop3(s, dst + h, in_register(s, a), source_zero(), source_zero(), apply(i, x));
        else
            emit_logic(s, dst + h, a, source_half(s, ir_operand(i, 1), (enum half)h), apply(i, x));
    }
}

static void select_words(struct select *s, struct ir_inst *i)
{
    struct tree t = build_tree(s, i);
    struct source o[3] = {source_zero(), source_zero(), source_zero()};
    uint32_t test = s->tests[i->defs[0]->id];
    for (unsigned k = 0; k < t.count; k++) o[k] = source_any(s, t.leaves[k]);
    struct mach_inst *m = begin(s, OP_LOP3);
    m->i.lut = (uint8_t)root_table(&t, i);
    set_dst(m, 0, wanted(s, i, 0), 1);
    if (test != MACH_NONE) set_dst_pred(m, 1, test);
    for (unsigned k = 0; k < 3; k++) set_src(m, k, o[k]);
    finish(s, m);
}

void select_bitwise(struct select *s, struct ir_inst *i)
{
    if (inst_is_wide(i))
        select_logic64(s, i);
    else
        select_words(s, i);
}

// -- predicates ---------------------------------------------------------------------------------------------

// The comparison behind v, through complements; *inverted: an odd number of complements. NULL: none, not in
// this block, with a user besides the logic under selection, or a predicate that LOP3 makes (setp_is_test).
static struct ir_inst *comparison(struct select *s, struct ir_value *v, bool *inverted)
{
    struct ir_inst *i;
    for (*inverted = false; (i = fold_of(s, v, IR_PNOT)); v = ir_operand(i, 0)) *inverted = !*inverted;
    i = fold_of(s, v, IR_SETP);
    return i && i->def_count == 1 && !setp_is_test(i) ? i : NULL;
}

static unsigned inverted_cmp(const struct ir_inst *setp)
{
    static const uint8_t integer[] = {[CMP_LT] = CMP_GE, [CMP_GE] = CMP_LT, [CMP_EQ] = CMP_NE,
                                      [CMP_NE] = CMP_EQ, [CMP_LE] = CMP_GT, [CMP_GT] = CMP_LE};
    if (isa_type_is_float((enum isa_type)setp->type))
        return CMP_T - (unsigned)setp->cmp; // by the order of enum isa_cmp
    return integer[setp->cmp];
}

// Emits (a cmp b) op c as a comparison (ISETP, FSETP, …) that combines its result with predicate c. `left`:
// the value of a cmp b; `right`: c. False if `left` cannot be folded as a comparison, always in profile
// ptxplus.
static bool combine(struct select *s, struct ir_inst *i, struct ir_value *left, struct ir_value *right)
{
    bool inverted;
    struct ir_inst *setp = s->profile == PROFILE_PTXPLUS ? NULL : comparison(s, left, &inverted);
    if (!setp) return false;
    struct ir_inst twisted = *setp;
    if (inverted) twisted.cmp = (uint8_t)inverted_cmp(setp);
    struct compare c = {.p = wanted(s, i, 0), .q = MACH_NONE, .c = source_pred(s, right)};
    c.boolean = i->op == IR_PAND ? BOOL_AND : i->op == IR_POR ? BOOL_OR : BOOL_XOR;
    folded(s, setp);
    select_compare(s, &twisted, &c);
    return true;
}

void select_predicates(struct select *s, struct ir_inst *i)
{
    if (i->op != IR_PNOT && (combine(s, i, ir_operand(i, 0), ir_operand(i, 1)) ||
                             combine(s, i, ir_operand(i, 1), ir_operand(i, 0))))
        return;
    struct tree t = build_tree(s, i);
    struct source o[3] = {source_true(), source_true(), source_true()};
    for (unsigned k = 0; k < t.count; k++) o[k] = source_pred(s, t.leaves[k]);
    emit_plop3(s, wanted(s, i, 0), o[0], o[1], o[2], root_table(&t, i));
}

// -- comparisons with zero ----------------------------------------------------------------------------------

static bool has_phi_user(const struct ir_value *v)
{
    for (const struct ir_use *u = v->first_use; u; u = u->next)
        if (u->user->op == IR_PHI || (u->user->op == IR_COPY && has_phi_user(u->user->defs[0]))) return true;
    return false;
}

bool setp_is_test(const struct ir_inst *setp)
{
    uint64_t bits;
    bool word = setp->type == TYPE_U32 || setp->type == TYPE_S32 || setp->type == TYPE_B32;
    if (setp->op != IR_SETP || !word || (setp->cmp != CMP_EQ && setp->cmp != CMP_NE)) return false;
    if (!constant_of(ir_operand(setp, 1), &bits) || (uint32_t)bits) return false;
    const struct ir_value *x = strip(ir_operand(setp, 0));
    bool logic = x->def && (x->def->op == IR_AND || x->def->op == IR_OR || x->def->op == IR_XOR ||
                            x->def->op == IR_LOP3);
    return logic && x->def->block == setp->block && !has_phi_user(setp->defs[0]);
}

bool select_test(struct select *s, struct ir_inst *setp)
{
    struct ir_value *x = strip(ir_operand(setp, 0));
    if (!setp_is_test(setp)) return false;
    if (s->tests[x->id] == MACH_NONE)
        s->tests[x->id] = wanted(s, setp, 0);
    else // a second comparison of the same word
        emit_plop3(s, wanted(s, setp, 0), source_predicate(s->tests[x->id]), source_true(), source_true(),
                   LUT_A);
    return true;
}

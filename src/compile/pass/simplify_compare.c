// Rules for comparisons, selection and predicates.
#include "compile/ir/options.h"
#include "compile/pass/simplify.h"
#include "isa/profile.h"

static enum isa_cmp mirrored(enum isa_cmp cmp) // a cmp b = b mirrored a
{
    switch (cmp) {
    case CMP_LT: return CMP_GT;
    case CMP_LE: return CMP_GE;
    case CMP_GT: return CMP_LT;
    case CMP_GE: return CMP_LE;
    case CMP_LTU: return CMP_GTU;
    case CMP_LEU: return CMP_GEU;
    case CMP_GTU: return CMP_LTU;
    case CMP_GEU: return CMP_LEU;
    case CMP_F:
    case CMP_EQ:
    case CMP_NE:
    case CMP_NUM:
    case CMP_NAN:
    case CMP_EQU:
    case CMP_NEU:
    case CMP_T: break;
    }
    return cmp;
}

// !(a cmp b). The opposite of an ordered float comparison is unordered.
static enum isa_cmp opposite(enum isa_cmp cmp, bool real)
{
    switch (cmp) {
    case CMP_F: return CMP_T;
    case CMP_T: return CMP_F;
    case CMP_NUM: return CMP_NAN;
    case CMP_NAN: return CMP_NUM;
    case CMP_LT: return real ? CMP_GEU : CMP_GE;
    case CMP_EQ: return real ? CMP_NEU : CMP_NE;
    case CMP_LE: return real ? CMP_GTU : CMP_GT;
    case CMP_GT: return real ? CMP_LEU : CMP_LE;
    case CMP_NE: return real ? CMP_EQU : CMP_EQ;
    case CMP_GE: return real ? CMP_LTU : CMP_LT;
    case CMP_LTU: return CMP_GE;
    case CMP_EQU: return CMP_NE;
    case CMP_LEU: return CMP_GT;
    case CMP_GTU: return CMP_LE;
    case CMP_NEU: return CMP_EQ;
    case CMP_GEU: return CMP_LT;
    }
    return cmp;
}

static struct ir_value *truth(struct ir_inst *i, bool value)
{
    return ir_constant(i->function, IR_CLASS_PRED, value);
}

static struct ir_value *compare(struct ir_inst *i, enum isa_cmp cmp, enum isa_type type, struct ir_value *x,
                                struct ir_value *y)
{
    struct builder b = builder_at(i);
    return build_compare(&b, cmp, type, x, y);
}

// -- comparisons of integers --------------------------------------------------------------------------------

// Decides a comparison from known bits: by unsigned ranges, or by bits that differ. NULL: undecided.
static struct ir_value *decided(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct known_bits kx = known_of(&s->known, x), ky = known_of(&s->known, y);
    enum isa_cmp cmp = (enum isa_cmp)i->cmp;
    bool differ = (kx.ones & ky.zeros) | (kx.zeros & ky.ones & simplify_mask(i));
    if (cmp == CMP_EQ || cmp == CMP_NE) return differ ? truth(i, cmp == CMP_NE) : NULL;
    if (isa_type_is_signed((enum isa_type)i->type) &&
        !(known_not_negative(&s->known, x) && known_not_negative(&s->known, y)))
        return NULL;
    uint64_t mask = simplify_mask(i), x_most = ~kx.zeros & mask, y_most = ~ky.zeros & mask;
    bool less = x_most<ky.ones, less_equal = x_most <= ky.ones, greater = kx.ones> y_most,
         greater_equal = kx.ones >= y_most;
    if (cmp == CMP_LT || cmp == CMP_GE) {
        if (less) return truth(i, cmp == CMP_LT);
        if (greater_equal) return truth(i, cmp == CMP_GE);
    }
    if (cmp == CMP_LE || cmp == CMP_GT) {
        if (less_equal) return truth(i, cmp == CMP_LE);
        if (greater) return truth(i, cmp == CMP_GT);
    }
    return NULL;
}

// A select between constants, compared with a constant: the select's predicate, the complement, or (both
// constants compare alike) a truth value. NULL: operand 0 is no such select.
static struct ir_value *of_choice(struct ir_inst *i, uint64_t c)
{
    struct ir_inst *choice = simplify_match(ir_operand(i, 0), IR_SELECT);
    uint64_t yes, no;
    if (!choice || !ir_constant_bits(ir_operand(choice, 0), &yes) ||
        !ir_constant_bits(ir_operand(choice, 1), &no))
        return NULL;
    enum isa_type type = (enum isa_type)i->type;
    bool if_yes = fold_compare_int((enum isa_cmp)i->cmp, type, yes, c),
         if_no = fold_compare_int((enum isa_cmp)i->cmp, type, no, c);
    if (if_yes == if_no) return truth(i, if_yes);
    if (if_yes) return ir_operand(choice, 2);
    struct builder b = builder_at(i);
    return build_not(&b, ir_operand(choice, 2));
}

static struct ir_value *equality_with(struct ir_inst *i, uint64_t c)
{
    struct ir_value *x = ir_operand(i, 0);
    enum isa_cmp cmp = (enum isa_cmp)i->cmp;
    enum isa_type type = (enum isa_type)i->type;
    struct ir_inst *inner;
    uint64_t d;
    if (x->use_count > 1) return NULL; // x has further users: a rewrite would only lengthen live ranges
    if ((inner = simplify_match_constant(x, IR_ADD, &d)))
        return compare(i, cmp, type, ir_operand(inner, 0), simplify_constant(i, c - d));
    if ((inner = simplify_match_constant(x, IR_XOR, &d)))
        return compare(i, cmp, type, ir_operand(inner, 0), simplify_constant(i, c ^ d));
    if (c) return NULL;
    if ((inner = simplify_match(x, IR_SUB)) || (inner = simplify_match(x, IR_XOR)))
        return compare(i, cmp, type, ir_operand(inner, 0), ir_operand(inner, 1));
    if ((inner = simplify_match(x, IR_NEG)))
        return compare(i, cmp, type, ir_operand(inner, 0), ir_operand(i, 1));
    return NULL;
}

// Compares the words of two operands extended alike from 32 bits, or such a word and a constant that fits.
// NULL: any other operands, or an unsigned order of sign-extended words.
static struct ir_value *as_words(struct ir_inst *i)
{
    struct ir_inst *x = simplify_match(ir_operand(i, 0), IR_ZEXT);
    if (!x) x = simplify_match(ir_operand(i, 0), IR_SEXT);
    if (!simplify_is_wide(i) || !x || isa_type_bytes((enum isa_type)x->type2) != 4) return NULL;
    bool is_signed = x->op == IR_SEXT, order = i->cmp != CMP_EQ && i->cmp != CMP_NE;
    if (is_signed && order && !isa_type_is_signed((enum isa_type)i->type)) return NULL;
    enum isa_type type = is_signed ? TYPE_S32 : TYPE_U32;
    struct ir_inst *y = simplify_match(ir_operand(i, 1), x->op);
    uint64_t c;
    if (y && isa_type_bytes((enum isa_type)y->type2) == 4)
        return compare(i, (enum isa_cmp)i->cmp, type, ir_operand(x, 0), ir_operand(y, 0));
    if (ir_constant_bits(ir_operand(i, 1), &c) && fold_extend(c, type) == c)
        return compare(i, (enum isa_cmp)i->cmp, type, ir_operand(x, 0),
                       ir_constant(i->function, IR_CLASS_32, c));
    return NULL;
}

static struct ir_value *of_itself(struct ir_inst *i) // x cmp x
{
    switch ((int)i->cmp) {
    case CMP_EQ:
    case CMP_LE:
    case CMP_GE: return truth(i, true);
    case CMP_NE:
    case CMP_LT:
    case CMP_GT: return truth(i, false);
    }
    return NULL;
}

static struct ir_value *compare_integers(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1), *by;
    enum isa_type type = (enum isa_type)i->type;
    uint64_t c;
    if (i->cmp == CMP_F || i->cmp == CMP_T) return truth(i, i->cmp == CMP_T);
    if (x->is_constant) return compare(i, mirrored((enum isa_cmp)i->cmp), type, y, x);
    if (x == y) return of_itself(i);
    if ((by = decided(s, i)) || (by = as_words(i))) return by;
    if (!ir_constant_bits(y, &c)) {
        bool same = (i->cmp == CMP_EQ || i->cmp == CMP_NE) && x->id > y->id;
        return same ? compare(i, (enum isa_cmp)i->cmp, type, y, x) : NULL;
    }
    if ((by = of_choice(i, c))) return by;
    if (i->cmp == CMP_EQ || i->cmp == CMP_NE) {
        if (isa_type_is_signed(type)) return compare(i, (enum isa_cmp)i->cmp, simplify_unsigned(i), x, y);
        return equality_with(i, c);
    }
    if (!isa_type_is_signed(type)) {
        if (i->cmp == CMP_LT && c == 1) return compare(i, CMP_EQ, type, x, simplify_constant(i, 0));
        if ((i->cmp == CMP_GE && c == 1) || (i->cmp == CMP_GT && c == 0))
            return compare(i, CMP_NE, type, x, simplify_constant(i, 0));
        if (i->cmp == CMP_LE && c == 0) return compare(i, CMP_EQ, type, x, y);
    }
    return NULL;
}

// -- selection ----------------------------------------------------------------------------------------------

// Minimum or maximum of 32-bit integers from a < b ? a : b. NULL: the select has a different form.
static struct ir_value *as_extreme(struct ir_inst *i, struct ir_inst *test)
{
    enum isa_type type = (enum isa_type)test->type;
    struct ir_value *x = ir_operand(test, 0), *y = ir_operand(test, 1), *yes = ir_operand(i, 0),
                    *no = ir_operand(i, 1);
    bool straight = yes == x && no == y, crossed = yes == y && no == x;
    bool less = test->cmp == CMP_LT || test->cmp == CMP_LE,
         greater = test->cmp == CMP_GT || test->cmp == CMP_GE;
    if (isa_type_is_float(type) || (!straight && !crossed) || (!less && !greater)) return NULL;
    if (ir_class_of_type(type) == IR_CLASS_64)
        // legalise would expand a 64-bit minimum into a comparison and a select
        return NULL;
    struct builder b = builder_at(i);
    return build2(&b, less == straight ? IR_MIN : IR_MAX, type, x, y);
}

// An arm of a choice by p, computed for the choice alone: operands that p chooses are taken as p has them in this arm.
//
//     p ? f(p ? x : y) : z  ▶  p ? f(x) : z
//
// Unrolled conditional sums consist of such choices. Not in profile ptxplus.
static void choose_within(const struct ir_inst *i, unsigned arm)
{
    struct ir_inst *inner = ir_operand(i, arm)->def, *choice;
    if (!inner || ir_operand(i, arm)->use_count != 1 || !ir_is_pure(inner) || inner->guard.value ||
        i->function->unit->options->profile == PROFILE_PTXPLUS)
        return;
    for (uint32_t k = 0; k < inner->use_count; k++)
        if ((choice = simplify_match_once(ir_operand(inner, k), IR_SELECT)) &&
            ir_operand(choice, 2) == ir_operand(i, 2))
            ir_set_use(inner, k, ir_operand(choice, arm));
}

static struct ir_value *rule_select(struct ir_inst *i)
{
    struct ir_value *yes = ir_operand(i, 0), *no = ir_operand(i, 1), *p = ir_operand(i, 2);
    struct builder b = builder_at(i);
    struct ir_value *by;
    struct ir_inst *inner;
    uint64_t c;
    if (ir_constant_bits(p, &c)) return c ? yes : no;
    if (yes == no) return yes;
    if ((inner = simplify_match(p, IR_PNOT))) return build_select(&b, ir_operand(inner, 0), no, yes);
    if ((inner = simplify_match(yes, IR_SELECT)) && ir_operand(inner, 2) == p)
        return build_select(&b, p, ir_operand(inner, 0), no);
    if ((inner = simplify_match(no, IR_SELECT)) && ir_operand(inner, 2) == p)
        return build_select(&b, p, yes, ir_operand(inner, 1));
    if ((inner = simplify_match(p, IR_SETP)) && (by = as_extreme(i, inner))) return by;
    choose_within(i, 0);
    choose_within(i, 1);
    return NULL;
}

// -- predicates ---------------------------------------------------------------------------------------------

static bool are_opposite(const struct ir_value *p, const struct ir_value *q)
{
    const struct ir_inst *not_p = simplify_match(p, IR_PNOT), *not_q = simplify_match(q, IR_PNOT);
    return (not_p && ir_operand(not_p, 0) == q) || (not_q && ir_operand(not_q, 0) == p);
}

static struct ir_value *rule_logic(struct ir_inst *i)
{
    struct ir_value *p = ir_operand(i, 0), *q = ir_operand(i, 1);
    bool opposite_sides = are_opposite(p, q);
    uint64_t c;
    bool constant = ir_constant_bits(q, &c);
    struct builder b = builder_at(i);
    switch ((int)i->op) {
    case IR_PAND:
        if (constant) return c ? p : q;
        return p == q ? p : opposite_sides ? truth(i, false) : NULL;
    case IR_POR:
        if (constant) return c ? q : p;
        return p == q ? p : opposite_sides ? truth(i, true) : NULL;
    case IR_PXOR:
        if (constant) return c ? build_not(&b, p) : p;
        return p == q ? truth(i, false) : opposite_sides ? truth(i, true) : NULL;
    }
    return NULL;
}

static struct ir_value *rule_not(struct ir_inst *i)
{
    struct ir_value *p = ir_operand(i, 0);
    struct ir_inst *inner;
    if ((inner = simplify_match(p, IR_PNOT))) return ir_operand(inner, 0);
    inner = simplify_match_once(p, IR_SETP);
    if (!inner || inner->def_count != 1) return NULL;
    bool real = isa_type_is_float((enum isa_type)inner->type);
    enum isa_cmp cmp = opposite((enum isa_cmp)inner->cmp, real);
    struct ir_value *by =
        compare(i, cmp, (enum isa_type)inner->type, ir_operand(inner, 0), ir_operand(inner, 1));
    by->def->flags = inner->flags;
    return by;
}

struct ir_value *simplify_compare(struct simplify *s, struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_SETP:
        if (i->def_count != 1 || isa_type_is_float((enum isa_type)i->type)) return NULL;
        return compare_integers(s, i);
    case IR_SELECT: return rule_select(i);
    case IR_PAND:
    case IR_POR:
    case IR_PXOR: return rule_logic(i);
    case IR_PNOT: return rule_not(i);
    }
    return NULL;
}

// Checks of single operations beyond their form: comparisons, products, rounding of half precision, votes,
// shuffles and the like.
#include "ptx/check.h"
#include "ptx/names.h"

static bool check_cmp(struct check *c, enum ptx_type type)
{
    enum ptx_cmp cmp = c->i->cmp;
    char name[CHECK_NAME_BYTES];
    bool is_float = ptx_type_is_float(type), ordered = cmp >= PTX_CMP_LT && cmp <= PTX_CMP_GE;
    bool is_unsigned = type >= PTX_U8 && type <= PTX_U64, equality = cmp == PTX_CMP_EQ || cmp == PTX_CMP_NE;
    bool good = equality || (ordered && !ptx_type_is_bits(type)) || (is_float && cmp >= PTX_CMP_EQU) ||
                (is_unsigned && cmp >= PTX_CMP_LO && cmp <= PTX_CMP_HS);
    if (good) return true;
    return check_says(c, "this comparison does not go with '%s': .%s values compare with %s",
                      check_name(c->i, name), ptx_type_name(type),
                      is_float                 ? "eq, ne, lt, le, gt, ge, their unordered forms, num and nan"
                      : is_unsigned            ? "eq, ne, lt, le, gt, ge, lo, ls, hi and hs"
                      : ptx_type_is_bits(type) ? "eq and ne"
                                               : "eq, ne, lt, le, gt and ge");
}

bool check_comparison(struct check *c)
{
    struct ptx_inst *i = c->i;
    unsigned combined = i->boolean != PTX_BOOL_NONE;
    if (i->boolean == PTX_BOOL_POPC)
        return check_says(c, "'%s' combines with .and, .or or .xor", ptx_op_name(i->op));
    if (combined && i->operand_count != 4)
        return check_says(c, "'%s' with .and, .or or .xor needs a predicate as its last operand",
                          ptx_op_name(i->op));
    if (!combined && i->operand_count == 4)
        return check_says(c, "'%s' with a fourth operand needs .and, .or or .xor", ptx_op_name(i->op));
    return check_cmp(c, i->types[i->type_count - 1]);
}

bool check_product(struct check *c)
{
    struct ptx_inst *i = c->i;
    char name[CHECK_NAME_BYTES];
    bool wide = i->half == PTX_HALF_WIDE, is_24 = i->op == PTX_OP_MUL24 || i->op == PTX_OP_MAD24;
    if (wide && (i->op == PTX_OP_MADC || is_24 || i->sat || i->carry_out || i->op == PTX_OP_DP2A))
        return check_says(c, "'%s' has no .wide form here; expected .lo or .hi", check_name(i, name));
    if (i->sat && i->half != PTX_HALF_HI && i->half != PTX_HALF_NONE)
        return check_says(c, "'%s' saturates only with .hi", check_name(i, name));
    return true;
}

// f16 and bf16 arithmetic rounds to nearest only: false and an error for other rounding modifiers.
bool check_half_rounding(struct check *c)
{
    enum ptx_type type = c->i->types[0];
    bool half = type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    char name[CHECK_NAME_BYTES];
    if (!half || c->i->op == PTX_OP_CVT || c->i->round == PTX_ROUND_NONE || c->i->round == PTX_ROUND_RN)
        return true;
    return check_says(c, "'%s' rounds with .rn only", check_name(c->i, name));
}

bool check_vote(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool ballot = i->mode == PTX_MODE_VOTE_BALLOT;
    if (i->op == PTX_OP_MATCH) {
        if (i->mode != PTX_MODE_VOTE_ALL && i->mode != PTX_MODE_VOTE_ANY)
            return check_says(c, "'match' needs .all or .any");
        if (i->mode == PTX_MODE_VOTE_ANY && i->operands[0].kind == PTX_OPERAND_PAIR)
            return check_says(c, "'match.any' has no predicate result");
        return true;
    }
    if (ballot == (i->types[0] == PTX_B32)) return true;
    return check_says(c,
                      ballot ? "'vote.ballot' gives a .b32" : "'vote' with .all, .any or .uni gives a .pred");
}

// Checks constant positions and lengths of a bit field: 0 to 255 (PTX ISA 9.7.1.20). Registers pass.
bool check_field(struct check *c, unsigned first)
{
    for (unsigned o = first; o < first + 2; o++)
        if (c->i->operands[o].kind == PTX_OPERAND_IMM && !check_integer(c, &c->i->operands[o], 0, 255))
            return false;
    return true;
}

bool check_shuffle(struct check *c)
{
    struct ptx_operand *d = &c->i->operands[0];
    if (d->kind != PTX_OPERAND_PAIR || d->elements[0].kind == PTX_OPERAND_REG) return true;
    return check_wrong(c, &d->elements[0], "a register for the value");
}

bool check_redux(struct check *c)
{
    enum ptx_atom atom = c->i->atom;
    bool logic = atom == PTX_ATOM_AND || atom == PTX_ATOM_OR || atom == PTX_ATOM_XOR;
    bool arithmetic = atom == PTX_ATOM_ADD || atom == PTX_ATOM_MIN || atom == PTX_ATOM_MAX;
    if (!logic && !arithmetic) return check_says(c, "'redux' has the operations add, min, max, and, or, xor");
    if (logic == (c->i->types[0] == PTX_B32)) return true;
    return check_says(c, logic ? "'redux' with .and, .or or .xor needs type .b32"
                               : "'redux' with .add, .min or .max needs type .u32 or .s32");
}

bool check_fence(struct check *c)
{
    enum ptx_sem sem = c->i->sem;
    if (c->i->mode == PTX_MODE_MEMBAR_INIT)
        return (sem == PTX_SEM_RELEASE && c->i->scope == PTX_SCOPE_CLUSTER && check_target(c, 90)) ||
               check_says(c, "'fence.mbarrier_init' is .release.cluster");
    if (c->i->mode == PTX_MODE_MEMBAR_PROXY && c->given & (F(SEM) | F(SCOPE)))
        return check_says(c, "'fence.proxy' needs a kind such as .async and no memory order");
    if (c->i->op == PTX_OP_MEMBAR || c->i->mode == PTX_MODE_MEMBAR_PROXY) return true;
    bool good = sem == PTX_SEM_NONE || sem == PTX_SEM_SC || sem == PTX_SEM_ACQ_REL ||
                sem == PTX_SEM_ACQUIRE || sem == PTX_SEM_RELEASE;
    return good || check_says(c, "'fence' is .sc, .acq_rel, .acquire or .release");
}

bool check_min_max(struct check *c)
{
    bool abs = c->given & F(ABS);
    return c->i->xorsign == abs || check_says(c, ".xorsign and .abs belong together");
}

bool check_isspacep(struct check *c)
{
    enum ptx_space s = c->i->space;
    bool good = s == PTX_SPACE_CONST || s == PTX_SPACE_GLOBAL || s == PTX_SPACE_LOCAL ||
                s == PTX_SPACE_SHARED || s == PTX_SPACE_PARAM;
    return good || check_says(c, "'%s' has no .%s", ptx_op_name(c->i->op), ptx_space_name(s));
}

// wgmma (PTX ISA 9.7.15): fence, commit_group, wait_group, and products with their shapes, types and operands. Verdicts: ptxas 13.0.
#include "ptx/check.h"

#define T(type) (1ull << PTX_##type)

enum {
    FIRST = 90,
    COLUMNS_MAX = 256,
    ROW_BITS = 256, // of a row of a, as stored
    GROUPS_MAX = INT32_MAX
};

// Types of factors that go together, with the results.
static const struct {
    uint64_t ab, d;
} families[] = {
    {T(F16), T(F16) | T(F32)}, {T(BF16), T(F32)}, {T(TF32), T(F32)}, {T(E4M3) | T(E5M2), T(F16) | T(F32)},
    {T(S8) | T(U8), T(S32)},   {T(B1), T(S32)},
};

static bool is_in(uint64_t set, enum ptx_type type) { return set >> type & 1; }

static bool is_integer(const struct ptx_inst *i) { return i->types[0] == PTX_S32; }

static bool is_half(const struct ptx_inst *i) { return i->types[1] == PTX_F16 || i->types[1] == PTX_BF16; }

static bool types_go_together(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < sizeof families / sizeof families[0]; k++)
        if (is_in(families[k].ab, i->types[1]) && is_in(families[k].ab, i->types[2]))
            return is_in(families[k].d, i->types[0]) &&
                   (i->types[1] == i->types[2] || is_integer(i) || families[k].ab & T(E4M3));
    return false;
}

// Floats: eights of columns. Integers: 8, 16, 24, 32, then sixteens.
static bool shape_fits(const struct ptx_inst *i)
{
    unsigned n = i->columns, depth = ROW_BITS / ptx_type_bits(i->types[1]) * (i->sparse ? 2 : 1);
    if (i->types[1] == PTX_TF32) depth = i->sparse ? 16 : 8;
    if (!n || n % 8 || n > COLUMNS_MAX || i->depth != depth) return false;
    return !is_integer(i) || n <= 32 || n % 16 == 0;
}

static bool check_modifiers(struct check *c)
{
    struct ptx_inst *i = c->i;
    char name[CHECK_NAME_BYTES];
    if (!(c->given & F(SHAPE)) || i->type_count != 3)
        return check_says(c, "'wgmma.mma_async' needs a shape and three types: of d, a and b");
    if (!types_go_together(i) || !shape_fits(i) || (i->sparse && (i->types[1] == PTX_B1 || i->sparse > 1)))
        return check_says(c, "'%s' has no form with m64n%uk%u%s", check_name(i, name), i->columns, i->depth,
                          i->sparse ? " and .sp" : "");
    if (i->clamps && (!is_integer(i) || i->types[1] == PTX_B1))
        return check_says(c, ".satfinite goes with .s32 results of bytes");
    bool has_bits = c->given & F(BITS) && c->given & F(BOOL) && i->boolean == PTX_BOOL_AND;
    if ((c->given & (F(BITS) | F(BOOL)) && i->types[1] != PTX_B1) || (i->types[1] == PTX_B1 && !has_bits))
        return check_says(c, "'wgmma' of .b1 needs .and.popc, other types not");
    return true;
}

static bool check_registers(struct check *c, struct ptx_operand *o, unsigned count, enum ptx_type type,
                            bool is_result)
{
    bool is_vector = o->kind == PTX_OPERAND_VECTOR;
    if (!is_vector || o->count != count)
        return diag_error(c->p->d, o->loc, "expected %u registers in braces, found %u", count,
                          is_vector ? o->count : 1u);
    for (unsigned k = 0; k < count; k++) {
        if (o->elements[k].kind != PTX_OPERAND_REG) return check_wrong(c, &o->elements[k], "a register");
        if (!(is_result ? check_dest : check_source)(c, &o->elements[k], type)) return false;
    }
    return true;
}

static bool check_scale(struct check *c, struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_IMM) return check_integer(c, o, 0, 1);
    return check_source_predicate(c, o);
}

// imm-scale-a, imm-scale-b: 1 or -1. Of 16-bit types also imm-trans-a (a by a descriptor) and imm-trans-b.
static bool check_options(struct check *c, struct ptx_operand *scale)
{
    struct ptx_inst *i = c->i;
    unsigned count = is_integer(i) ? 0 : !is_half(i) ? 2 : i->operands[1].kind == PTX_OPERAND_VECTOR ? 3 : 4;
    if (scale->count != count)
        return check_says(c, "this 'wgmma' has %u numbers behind scale-d, found %u", count, scale->count);
    for (unsigned k = 0; k < count; k++) {
        struct ptx_operand *o = &scale->elements[k];
        bool is_sign = k < 2;
        if (!check_integer(c, o, is_sign ? -1 : 0, 1)) return false;
        if (is_sign && !o->imm) return diag_error(c->p->d, o->loc, "expected 1 or -1");
    }
    return true;
}

static bool check_async_product(struct check *c)
{
    struct ptx_inst *i = c->i;
    unsigned count = i->sparse ? 6 : 4;
    enum ptx_type sum = i->types[0] == PTX_F16 ? PTX_B32 : i->types[0];
    struct ptx_operand *o = i->operands;
    if (!check_modifiers(c) || !check_count(c, count, count) ||
        !check_registers(c, &o[0], i->columns / (i->types[0] == PTX_F16 ? 4u : 2u), sum, true))
        return false;
    bool has_registers = o[1].kind == PTX_OPERAND_VECTOR;
    if (!(has_registers ? check_registers(c, &o[1], 4, PTX_B32, false) : check_source(c, &o[1], PTX_B64)) ||
        !check_source(c, &o[2], PTX_B64))
        return false;
    if (i->sparse && (!check_source(c, &o[3], PTX_B32) ||
                      !check_integer(c, &o[4], 0, ptx_type_bits(i->types[1]) == 8 ? 0 : 1)))
        return false;
    return check_scale(c, &o[count - 1]) && check_options(c, &o[count - 1]);
}

bool check_wgmma(struct check *c)
{
    struct ptx_inst *i = c->i;
    uint64_t must = F(CP) | F(SYNC), may = F(SPARSE) | F(SHAPE) | F(SATFINITE) | F(BITS) | F(BOOL) | F(TYPE);
    bool is_product = i->mode == PTX_MODE_WGMMA_MMA;
    bool is_known = is_product || i->mode == PTX_MODE_WGMMA_FENCE || i->mode == PTX_MODE_CP_COMMIT_GROUP ||
                    i->mode == PTX_MODE_CP_WAIT_GROUP;
    if (!is_known || (c->given & must) != must || (!is_product && c->given & may))
        return check_says(c, "'wgmma' is .mma_async, .fence, .commit_group or .wait_group, with .sync");
    if (!check_target(c, FIRST)) return false;
    if (is_product) return check_async_product(c);
    if (i->mode != PTX_MODE_CP_WAIT_GROUP) return check_count(c, 0, 0);
    return check_count(c, 1, 1) && check_integer(c, &i->operands[0], 0, GROUPS_MAX);
}

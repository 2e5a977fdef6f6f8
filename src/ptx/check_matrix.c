// mma, mma.sp, wmma, ldmatrix, movmatrix (PTX ISA 9.7.14): forms by a table, with the first architecture that ptxas 13.0 accepts;
// layouts, modifiers and registers by the form.
#include "ptx/check.h"
#include "ptx/wmma.h"

#include <stddef.h>

#define T(type) (1ull << PTX_##type)
#define BYTES   (T(U8) | T(S8))
#define NIBBLES (T(U4) | T(S4))
#define EIGHT   (T(E4M3) | T(E5M2))

// A form of mma: sets of types of d and c (equal but where `mixed`), a and b (equal but for 8-bit floats and integers). `first`: sm of
// the dense form, `first_sparse` of mma.sp; 0: not in PTX.
struct form {
    uint8_t m, n;
    uint16_t k;
    uint64_t d, ab;
    uint8_t first, first_sparse;
    bool run; // executed by warpfold
};

static const struct form forms[] = {
    {8, 8, 4, T(F16), T(F16), 70, 0, true},
    {8, 8, 4, T(F32), T(F16), 70, 0, true},
    {16, 8, 8, T(F16) | T(F32), T(F16), 75, 0, true},
    {16, 8, 16, T(F16) | T(F32), T(F16), 80, 80, true},
    {16, 8, 32, T(F16) | T(F32), T(F16), 0, 80, true},
    {16, 8, 8, T(F32), T(BF16), 80, 0, true},
    {16, 8, 16, T(F32), T(BF16), 80, 80, true},
    {16, 8, 32, T(F32), T(BF16), 0, 80, true},
    {16, 8, 4, T(F32), T(TF32), 80, 0, true},
    {16, 8, 8, T(F32), T(TF32), 80, 80, true},
    {16, 8, 16, T(F32), T(TF32), 0, 80, true},
    {8, 8, 16, T(S32), BYTES, 75, 0, true},
    {16, 8, 16, T(S32), BYTES, 80, 0, true},
    {16, 8, 32, T(S32), BYTES, 80, 80, true},
    {16, 8, 64, T(S32), BYTES, 0, 80, true},
    {8, 8, 32, T(S32), NIBBLES, 75, 0, true},
    {16, 8, 32, T(S32), NIBBLES, 80, 0, true},
    {16, 8, 64, T(S32), NIBBLES, 80, 80, true},
    {16, 8, 128, T(S32), NIBBLES, 0, 80, true},
    {8, 8, 128, T(S32), T(B1), 75, 0, true},
    {16, 8, 128, T(S32), T(B1), 80, 0, true},
    {16, 8, 256, T(S32), T(B1), 80, 0, true},
    {8, 8, 4, T(F64), T(F64), 80, 0, true},
    {16, 8, 4, T(F64), T(F64), 90, 0, true},
    {16, 8, 8, T(F64), T(F64), 90, 0, true},
    {16, 8, 16, T(F64), T(F64), 90, 0, true},
    {16, 8, 16, T(F16) | T(F32), EIGHT, 89, 0, true},
    {16, 8, 32, T(F16) | T(F32), EIGHT, 89, 0, true},
    {16, 8, 64, T(F16) | T(F32), EIGHT, 0, 89, true},
};

static bool is_in(uint64_t set, enum ptx_type type) { return set >> type & 1; }

// The form of an mma; NULL: not in the table.
static const struct form *form_of(const struct ptx_inst *i)
{
    enum ptx_type d = i->types[0], a = i->types[1], b = i->types[2], c = i->types[3];
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        const struct form *f = &forms[k];
        if (f->m != ptx_shape_sizes[i->shape].m || f->n != ptx_shape_sizes[i->shape].n ||
            f->k != ptx_shape_sizes[i->shape].k)
            continue;
        if (!is_in(f->d, d) || !is_in(f->ab, a) || !is_in(f->ab, b)) continue;
        if (!(i->sparse ? f->first_sparse : f->first)) continue;
        // m8n8k4 of halves adds an f16 c to an f32 d, too.
        if (c == d || (f->k == 4 && a == PTX_F16 && d == PTX_F32 && c == PTX_F16)) return f;
    }
    return NULL;
}

// `count` registers of a type: a vector, or a single register.
static bool check_registers(struct check *c, struct ptx_operand *o, unsigned count, enum ptx_type type,
                            bool is_result)
{
    bool is_vector = o->kind == PTX_OPERAND_VECTOR;
    if ((is_vector ? o->count : 1u) != count)
        return diag_error(c->p->d, o->loc, "expected %u register%s in braces, found %u", count,
                          count == 1 ? "" : "s", is_vector ? o->count : 1u);
    for (unsigned k = 0; k < count; k++) {
        struct ptx_operand *e = is_vector ? &o->elements[k] : o;
        if (e->kind != PTX_OPERAND_REG) return check_wrong(c, e, "a register");
        if (!(is_result ? check_dest(c, e, type) : check_source(c, e, type))) return false;
    }
    return true;
}

// Type of the registers with a matrix of elements of a type.
static enum ptx_type register_type(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || type == PTX_S32 ? type : PTX_B32;
}

static unsigned register_count(const struct ptx_inst *i, unsigned cells, enum ptx_type type)
{
    unsigned parts = i->shape == PTX_SHAPE_M8N8K4 && i->types[1] == PTX_F16 ? 4 : 1;
    return cells * parts * ptx_type_bits(type) / ptx_type_bits(register_type(type)) / 32;
}

static bool check_mma_operands(struct check *c)
{
    struct ptx_inst *i = c->i;
    unsigned m = ptx_shape_sizes[i->shape].m, n = ptx_shape_sizes[i->shape].n,
             k = ptx_shape_sizes[i->shape].k;
    const unsigned cells[] = {m * n, i->sparse ? m * k / 2 : m * k, k * n, m * n};
    if (!check_count(c, i->sparse ? 6 : 4, i->sparse ? 6 : 4)) return false;
    for (unsigned o = 0; o < 4; o++)
        if (!check_registers(c, &i->operands[o], register_count(i, cells[o], i->types[o]),
                             register_type(i->types[o]), !o))
            return false;
    return !i->sparse || (check_registers(c, &i->operands[4], 1, PTX_B32, false) &&
                          check_integer(c, &i->operands[5], 0, 3));
}

static bool check_mma_modifiers(struct check *c, const struct form *f)
{
    struct ptx_inst *i = c->i;
    uint64_t must = F(SYNC) | F(ALIGNED) | F(SHAPE) | F(LAYOUT);
    if ((c->given & must) != must)
        return check_says(c, "'mma' needs .sync, .aligned, a shape and two layouts");
    bool is_first = i->layouts[0] == PTX_LAYOUT_ROW && i->layouts[1] == PTX_LAYOUT_COL;
    if (!i->layouts[1] || (!is_first && !(f->k == 4 && i->types[1] == PTX_F16)))
        return check_says(c, "layouts of this 'mma' are .row.col");
    if (i->clamps && (i->types[0] != PTX_S32 || i->types[1] == PTX_B1))
        return check_says(c, ".satfinite goes with .s32 results of integers");
    if (i->round != PTX_ROUND_NONE && i->types[0] != PTX_F64)
        return check_says(c, "a rounding goes with .f64");
    bool has_bits = c->given & F(BITS) && c->given & F(BOOL);
    if ((c->given & (F(BITS) | F(BOOL)) && i->types[1] != PTX_B1) || (i->types[1] == PTX_B1 && !has_bits))
        return check_says(c, "'mma' of .b1 needs .xor.popc or .and.popc, other types neither");
    return true;
}

bool check_mma(struct check *c)
{
    struct ptx_inst *i = c->i;
    char name[CHECK_NAME_BYTES];
    if (i->type_count != 4) return check_says(c, "'mma' needs four types: of d, a, b and c");
    const struct form *f = form_of(i);
    if (!f)
        return check_says(c, "'%s' has no form with m%un%uk%u%s", check_name(i, name),
                          ptx_shape_sizes[i->shape].m, ptx_shape_sizes[i->shape].n,
                          ptx_shape_sizes[i->shape].k, i->sparse ? " and .sp" : "");
    if (!check_mma_modifiers(c, f)) return false;
    unsigned first = i->sparse ? f->first_sparse : f->first;
    if (i->types[1] == PTX_B1 && i->boolean == PTX_BOOL_AND && first < 80) first = 80;
    if (c->p->m->target_sm && c->p->m->target_sm < first)
        return check_says(c, "'%s' with m%un%uk%u needs .target sm_%u or later; the module is for sm_%u",
                          check_name(i, name), f->m, f->n, f->k, first, c->p->m->target_sm);
    if (!check_mma_operands(c)) return false;
    if (!f->run) i->unsupported = ptx_unsupported_form;
    return true;
}

// -- wmma ---------------------------------------------------------------------------------------------------

static unsigned first_wmma(const struct ptx_wmma *w, enum ptx_type type)
{
    switch ((int)type) {
    case PTX_BF16:
    case PTX_TF32:
    case PTX_F64: return 80;
    case PTX_S8:
    case PTX_U8: return 72;
    default: return w->m == 8 && w->n == 8 ? 75 : 70;
    }
}

// Registers of a fragment: of a, b, or the sums.
static unsigned fragment_registers(const struct ptx_wmma *w, char fragment)
{
    if (fragment == 'a' || fragment == 'b') return w->registers[fragment == 'b'];
    return (unsigned)w->sum * w->left_tiles * w->right_tiles;
}

static bool check_wmma_access(struct check *c, const struct ptx_wmma *w)
{
    struct ptx_inst *i = c->i;
    bool is_store = i->mode == PTX_MODE_WMMA_STORE;
    if (i->type_count != 1 || i->layouts[1] || !i->fragment || (i->fragment == 'd') != is_store)
        return check_says(c, "'wmma.%s' needs a fragment, one layout and one type",
                          is_store ? "store" : "load");
    bool is_packed = ptx_type_bits(i->types[0]) < 8;
    if (is_packed && (i->layouts[0] == PTX_LAYOUT_ROW) != (i->fragment == 'a'))
        return check_says(c, "elements below 8 bits lie along the depth: a in rows, b in columns");
    if (i->space != PTX_SPACE_GENERIC && i->space != PTX_SPACE_SHARED && i->space != PTX_SPACE_GLOBAL)
        return check_says(c, "'wmma' accesses .global or .shared");
    return check_count(c, 2, 3) &&
           check_registers(c, &i->operands[is_store], fragment_registers(w, (char)i->fragment),
                           register_type(i->types[0]), !is_store) &&
           check_memory_operand(c, &i->operands[!is_store], i->space) &&
           (i->operand_count < 3 || check_source(c, &i->operands[2], PTX_U32));
}

static bool check_wmma_product(struct check *c, const struct ptx_wmma *w)
{
    struct ptx_inst *i = c->i;
    enum ptx_type a = i->type_count == 4 ? i->types[1] : PTX_F16,
                  b = i->type_count == 4 ? i->types[2] : PTX_F16;
    bool is_small = w->m == 8 && w->n == 8 && a != PTX_F64;
    if (!i->layouts[1] || i->fragment ||
        (is_small && (i->layouts[0] != PTX_LAYOUT_ROW || i->layouts[1] != PTX_LAYOUT_COL)))
        return check_says(c, "'wmma.mma' needs two layouts, .row.col below 8 bits, and no fragment");
    if (i->clamps && i->types[0] != PTX_S32 && i->types[0] != PTX_F16)
        return check_says(c, ".satfinite does not go with this type");
    if (!check_count(c, 4, 4) ||
        !check_registers(c, &i->operands[0], fragment_registers(w, 'd'), register_type(i->types[0]), true))
        return false;
    if (!check_registers(c, &i->operands[1], fragment_registers(w, 'a'), register_type(a), false))
        return false;
    if (!check_registers(c, &i->operands[2], fragment_registers(w, 'b'), register_type(b), false))
        return false;
    enum ptx_type sum = i->types[i->type_count - 1];
    unsigned count = fragment_registers(w, 'c');
    if (sum != i->types[0]) count = sum == PTX_F16 ? count / 2 : count * 2;
    return check_registers(c, &i->operands[3], count, register_type(sum), false);
}

bool check_wmma(struct check *c)
{
    struct ptx_inst *i = c->i;
    struct ptx_wmma w;
    char name[CHECK_NAME_BYTES];
    uint64_t must = F(WMMA) | F(SYNC) | F(ALIGNED) | F(SHAPE) | F(LAYOUT);
    bool is_product = i->mode == PTX_MODE_WMMA_MMA;
    if ((c->given & must) != must || !i->type_count ||
        (is_product && i->type_count != 2 && i->type_count != 4))
        return check_says(c,
                          "'wmma' needs .load, .mma or .store, .sync, .aligned, a layout, a shape and types");
    if (!ptx_wmma_of_inst(i, &w)) return check_says(c, "'%s' has no such shape", check_name(i, name));
    if (!(is_product ? check_wmma_product(c, &w) : check_wmma_access(c, &w))) return false;
    enum ptx_type type = is_product && i->type_count == 4 ? i->types[1] : i->types[0];
    if (!check_target(c, first_wmma(&w, type))) return false;
    return true;
}

// ldmatrix, and stmatrix with the operands the other way round.
bool check_matrix_rows(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool stores = i->op == PTX_OP_STMATRIX;
    if (i->shape != PTX_SHAPE_M8N8)
        return check_says(c, "'%s' of .b16 has the shape .m8n8", ptx_op_name(i->op));
    if (i->space != PTX_SPACE_GENERIC && i->space != PTX_SPACE_SHARED)
        return check_says(c, "'%s' %s .shared", ptx_op_name(i->op), stores ? "stores to" : "loads from");
    return check_target(c, stores ? 90 : 75) && check_count(c, 2, 2) &&
           check_registers(c, &i->operands[stores], i->matrices, PTX_B32, !stores) &&
           check_memory_operand(c, &i->operands[!stores], i->space);
}

bool check_movmatrix(struct check *c)
{
    if (c->i->shape != PTX_SHAPE_M8N8) return check_says(c, "'movmatrix' has the shape .m8n8");
    return check_target(c, 75);
}

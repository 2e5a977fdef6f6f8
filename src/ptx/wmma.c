// Products of wmma by shape and type.
#include "ptx/wmma.h"

const struct ptx_shape_size ptx_shape_sizes[] = {
    [PTX_SHAPE_NONE] = {0, 0, 0},
#define SHAPE(m, n, k) [PTX_SHAPE_M##m##N##n##K##k] = {m, n, k},
#include "ptx/matrix.def"
#undef SHAPE
    [PTX_SHAPE_M8N8] = {8, 8, 0},
    [PTX_SHAPE_WARPGROUP] = {64, 0, 0},
};

static bool is_byte(enum ptx_type t) { return t == PTX_S8 || t == PTX_U8; }

static bool goes_together(const struct ptx_wmma *w, enum ptx_type a, enum ptx_type d)
{
    bool is_wide = w->m * w->n == 256, is_small = w->m == 8 && w->n == 8;
    if (is_wide && w->k == 16)
        return a == PTX_F16    ? d == PTX_F16 || d == PTX_F32
               : a == PTX_BF16 ? d == PTX_F32
                               : is_byte(a) && d == PTX_S32;
    if (is_wide && w->k == 8) return w->m == 16 && a == PTX_TF32 && d == PTX_F32;
    if (is_small && w->k == 4) return a == PTX_F64 && d == PTX_F64;
    if (is_small && w->k == 32) return (a == PTX_S4 || a == PTX_U4) && d == PTX_S32;
    return is_small && w->k == 128 && a == PTX_B1 && d == PTX_S32;
}

bool ptx_wmma_of(enum ptx_shape shape, enum ptx_type a, enum ptx_type d, struct ptx_wmma *w)
{
    *w = (struct ptx_wmma){
        .m = ptx_shape_sizes[shape].m, .n = ptx_shape_sizes[shape].n, .k = ptx_shape_sizes[shape].k};
    if (!goes_together(w, a, d)) return false;
    unsigned bits = ptx_type_bits(a), register_bits = a == PTX_F64 ? 64 : 32,
             rows = w->m == 8 && w->n == 8 ? 8 : 16;
    w->is_swapped = w->n == 32;
    w->left_tiles = (uint8_t)((w->is_swapped ? w->n : w->m) / rows);
    w->right_tiles = (uint8_t)((w->is_swapped ? w->m : w->n) / 8);
    w->factor = (uint8_t)(register_bits / bits);
    w->left = (uint8_t)(rows * w->k / w->factor / 32);
    w->right = (uint8_t)(8 * w->k / w->factor / 32);
    w->sum = (uint8_t)(rows * 8 / 32 / (d == PTX_F16 ? 2 : 1));
    unsigned left = w->left * w->left_tiles, right = w->right * w->right_tiles;
    w->registers[w->is_swapped] = (uint8_t)(a == PTX_F16 ? 8 : left);
    w->registers[!w->is_swapped] = (uint8_t)(a == PTX_F16 ? 8 : right);
    return true;
}

bool ptx_wmma_of_inst(const struct ptx_inst *i, struct ptx_wmma *w)
{
    static const uint8_t pairs[][2] = {
        {PTX_F16, PTX_F32}, {PTX_F16, PTX_F16}, {PTX_BF16, PTX_F32}, {PTX_TF32, PTX_F32}, {PTX_S8, PTX_S32},
        {PTX_U8, PTX_S32},  {PTX_S4, PTX_S32},  {PTX_U4, PTX_S32},   {PTX_B1, PTX_S32},   {PTX_F64, PTX_F64}};
    if (i->mode == PTX_MODE_WMMA_MMA && i->type_count == 2)
        return ptx_wmma_of(i->shape, PTX_F16, i->types[0], w);
    if (i->mode == PTX_MODE_WMMA_MMA)
        return i->types[1] == i->types[2] && ptx_wmma_of(i->shape, i->types[1], i->types[0], w);
    bool is_factor = i->fragment == 'a' || i->fragment == 'b';
    for (unsigned k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        if (pairs[k][!is_factor] == i->types[0] &&
            ptx_wmma_of(i->shape, (enum ptx_type)pairs[k][0], (enum ptx_type)pairs[k][1], w))
            return true;
    return false;
}

// Shapes of matrix instructions.
#include "isa/mma.h"
#include "isa/fields.h"

const struct isa_mma_shape isa_mma_shapes[MMA_COUNT] = {
    [MMA_NONE] = {"", 0, 0, 0, 0, false},
#define MMA(name, text, m, n, k)                   [MMA_##name] = {text, m, n, k, 0, false},
#define MATRICES(name, text, count, is_transposed) [MMA_##name] = {text, 8, 8, 0, count, is_transposed},
#include "isa/mma.def"
#undef MATRICES
#undef MMA
};

struct isa_quad isa_quad_of(unsigned shape)
{
    enum { LAYOUTS = 4 };
    if (shape < MMA_884 || shape >= MMA_884_H1 + LAYOUTS) return (struct isa_quad){0};
    unsigned layout = MMA_884 + (shape - MMA_884) % LAYOUTS, half = (shape - MMA_884) / LAYOUTS;
    return (struct isa_quad){.a_by_column = layout == MMA_884_CC || layout == MMA_884_CR,
                             .b_by_row = layout == MMA_884_RR || layout == MMA_884_CR,
                             .half = (uint8_t)half};
}

unsigned isa_element_bits(unsigned type)
{
    switch (type) {
    case TYPE_B1: return 1;
    case TYPE_S4:
    case TYPE_U4: return 4;
    default: return 8 * isa_type_bytes((enum isa_type)type);
    }
}

unsigned isa_warpgroup_depth(const struct inst *i)
{
    enum { ROW_BITS = 256 };
    return ROW_BITS / isa_element_bits(i->type2) * (isa_is_sparse(i) ? 2 : 1);
}

unsigned isa_mma_registers(const struct inst *i, enum isa_factor which)
{
    const struct isa_mma_shape *s = &isa_mma_shapes[i->shape < MMA_COUNT ? i->shape : MMA_NONE];
    bool is_quad = i->op == OP_HMMA && s->k == 4 && s->m == 8;
    unsigned bits = 0, parts = is_quad ? 4 : 1, columns = is_quad ? 8 : s->n; // of b
    if (s->matrices) return s->matrices;
    if (isa_is_warpgroup(i->op)) return 16 * isa_warpgroup_columns(i) * isa_element_bits(i->type) / 1024; // d
    switch (which) {
    case FACTOR_A: bits = s->m * s->k * isa_element_bits(i->type2) / (isa_is_sparse(i) ? 2 : 1); break;
    case FACTOR_B: bits = s->k * columns * isa_element_bits(i->type3 ? i->type3 : i->type2); break;
    case FACTOR_C:
    case FACTOR_D: bits = s->m * s->n * isa_element_bits(i->type); break;
    }
    bits *= parts;
    return bits > 1024 ? bits / 1024 : 1;
}

// Classes of matrix products (config.def) by types, shape and stored depth.
//
//     m8n8k4 of f16: quad       m8n8: eight       m16n8, 128 bits of a row of A: short       256 bits: long
#include "sm/products.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/mma.h"
#include "isa/program.h"
#include "isa/units.h"
#include "sm/sm.h"
#include "sm/warpgroup.h"

enum product {
#define GPU_U32(...)
#define GPU_BOOL(...)
#define GPU_WORD(...)
#define GPU_LATENCY(...)
#define GPU_PRODUCT(which, name, products) PRODUCT_##which,
#include "sm/config.def"
    PRODUCT_COUNT
};

static const struct {
    size_t latency, interval; // offsets in struct gpu_config
} places[PRODUCT_COUNT] = {
#define GPU_U32(...)
#define GPU_BOOL(...)
#define GPU_WORD(...)
#define GPU_LATENCY(...)
#define GPU_PRODUCT(which, name, products)                                                                   \
    {offsetof(struct gpu_config, latency_##which), offsetof(struct gpu_config, interval_##which)},
#include "sm/config.def"
};

enum { SHORT_BITS = 128 }; // of a row of A, as stored

// Classes of a type follow one another: eight, short, long; without eight: short, long.
static enum product of_size(const struct inst *i, enum product first, bool has_eight)
{
    const struct isa_mma_shape *s = &isa_mma_shapes[i->shape];
    unsigned bits = s->k * isa_element_bits(i->type2) / (isa_is_sparse(i) ? 2 : 1);
    unsigned size = s->m == 8 ? 0 : bits > SHORT_BITS ? 2 : 1;
    return (enum product)(first + size - (has_eight ? 0 : 1));
}

static bool is_quad(const struct inst *i)
{
    return isa_mma_shapes[i->shape].m == 8 && isa_mma_shapes[i->shape].k == 4;
}

static enum product class_of(const struct inst *i)
{
    switch ((int)i->type2) {
    case TYPE_F64: return isa_mma_shapes[i->shape].m == 8 ? PRODUCT_DOUBLE_EIGHT : PRODUCT_DOUBLE_SHORT;
    case TYPE_TF32: return of_size(i, PRODUCT_TF32_SHORT, false);
    case TYPE_B1: return of_size(i, PRODUCT_BIT_EIGHT, true);
    case TYPE_S4:
    case TYPE_U4: return of_size(i, PRODUCT_INT4_EIGHT, true);
    case TYPE_S8:
    case TYPE_U8: return of_size(i, PRODUCT_INT8_EIGHT, true);
    case TYPE_E4M3:
    case TYPE_E5M2:
        return of_size(i, i->type == TYPE_F16 ? PRODUCT_FP8_HALF_SHORT : PRODUCT_FP8_FLOAT_SHORT, false);
    default:
        if (is_quad(i)) return i->type == TYPE_F16 ? PRODUCT_QUAD_HALF : PRODUCT_QUAD_FLOAT;
        return of_size(i, i->type == TYPE_F16 ? PRODUCT_HALF_SHORT : PRODUCT_FLOAT_SHORT, false);
    }
}

static uint32_t setting(const struct gpu_config *c, size_t offset)
{
    return *(const uint32_t *)(const void *)((const char *)c + offset);
}

struct product_cost product_cost_of(const struct gpu_config *c, const struct inst *i)
{
    if (isa_is_warpgroup(i->op)) {
        struct warpgroup_cost warpgroup = warpgroup_cost_of(c, i);
        return (struct product_cost){warpgroup.latency, warpgroup.interval};
    }
    enum product which = class_of(i);
    struct product_cost cost = {setting(c, places[which].latency), setting(c, places[which].interval)};
    if (is_quad(i) && isa_quad_of(i->shape).half) cost.interval = (cost.interval + 1) / 2;
    // Cards got bf16 and tf32 together.
    if (i->type2 == TYPE_BF16 && !c->interval_TF32_LONG) cost.interval = 0;
    if (cost.interval && isa_is_sparse(i)) cost.interval += c->sparse_interval;
    return cost;
}

static uint64_t *counter_of(struct gpu_counts *n, const struct inst *i)
{
    switch ((int)i->type2) {
    case TYPE_F64: return &n->product_double;
    case TYPE_TF32: return &n->product_tf32;
    case TYPE_B1: return &n->product_bit;
    case TYPE_S4:
    case TYPE_U4: return &n->product_int4;
    case TYPE_S8:
    case TYPE_U8: return &n->product_int8;
    case TYPE_E4M3:
    case TYPE_E5M2: return &n->product_fp8;
    default: return &n->product_half;
    }
}

void product_count(struct gpu_counts *n, const struct inst *i)
{
    enum { QUAD_PAIRS = 4, QUARTER = 16 };
    if (isa_is_warpgroup(i->op)) {
        *counter_of(n, i) += (uint64_t)QUARTER * isa_warpgroup_columns(i) * isa_warpgroup_depth(i) /
                             (isa_is_sparse(i) ? 2 : 1);
        return;
    }
    const struct isa_mma_shape *s = &isa_mma_shapes[i->shape];
    uint64_t adds = (uint64_t)s->m * s->n * s->k / (isa_is_sparse(i) ? 2 : 1);
    bool is_quad_of_half = is_quad(i) && i->type2 == TYPE_F16;
    *counter_of(n, i) += adds * (is_quad_of_half ? QUAD_PAIRS : 1);
}

const struct inst *product_missing(const struct gpu_config *c, const struct program *p)
{
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct inst *i = &p->insts[n];
        if (isa_table[i->op].latency == LATENCY_PRODUCT && !product_cost_of(c, i).interval) return i;
    }
    return NULL;
}

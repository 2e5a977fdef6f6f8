// Boxes of tensors as pieces of bulk copies (PTX ISA, "Tensors"): a tile's rows inside the tensor, one after the other in
// the image. Elements outside keep the image's fill; stores leave them out.
//
//     coordinates + k * step, k < ceil(box / step), in every dimension but the first, whose step is 1
#include "exec/bulk.h"
#include "exec/general.h"
#include "isa/fields.h"
#include "isa/modes.h"
#include "isa/tensor_map.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_ALIGNMENT = 128 };

static bool refuse(const struct bulk_issue *x, const char *why)
{
    exec_fault(x->w, x->d, FAULT_TRAP, x->lane, "the tensor map at 0x%llx: %s", (unsigned long long)x->c->map,
               why);
    return false;
}

// The map's address is generic.
static bool read_map(const struct bulk_issue *x, struct tensor_map *m)
{
    uint32_t words[TENSOR_MAP_WORDS];
    uint64_t address = x->c->map;
    enum isa_space space = exec_space_at(x->w->exec->launch, &address);
    if (address % 64) return refuse(x, "not aligned to 64 bytes");
    for (unsigned k = 0; k < TENSOR_MAP_WORDS; k++) {
        struct lane_access a;
        enum launch_fault_kind kind;
        if (!exec_resolve(x->w, x->lane, space, address + 4 * k, 4, &a, &kind)) {
            exec_fault_address(x->w, x->d, kind, x->lane, space, address + 4 * k, 4, false);
            return false;
        }
        exec_read(x->w, &a, 4, &words[k]);
    }
    return tensor_map_decode(m, words) || refuse(x, "not one of tiles as cuTensorMapEncodeTiled makes them");
}

// -- tiles --------------------------------------------------------------------------------------------------

// A run of `count` elements of dimension 0 from coordinate `first` on; `address`: of coordinate 0.
static bool add_run(const struct bulk_issue *x, const struct tensor_map *m, uint64_t address, int64_t first,
                    uint32_t count, uint32_t offset)
{
    int64_t begin = first < 0 ? 0 : first, end = first + count, size = (int64_t)m->sizes[0];
    unsigned element = (unsigned)m->strides[0];
    if (end > size) end = size;
    if (begin >= end) return true;
    struct bulk_piece p = {.address = address + (uint64_t)begin * element,
                           .offset = offset + (uint32_t)(begin - first) * element,
                           .bytes = (uint32_t)(end - begin) * element};
    p.host = exec_global_near(x->w->exec, p.address, p.bytes);
    if (!p.host) {
        exec_fault_address(x->w, x->d, FAULT_BOUNDS, x->lane, SPACE_GLOBAL, p.address, p.bytes,
                           x->c->kind == BULK_STORE);
        return false;
    }
    vec_push(&x->c->pieces, p);
    return true;
}

static bool add_tile(const struct bulk_issue *x, const struct tensor_map *m, const int32_t *at)
{
    uint32_t counts[TENSOR_RANK_MAX], index[TENSOR_RANK_MAX] = {0}, rows = 1,
                                      row = m->box[0] * (uint32_t)m->strides[0];
    for (unsigned k = 1; k < m->rank; k++) rows *= counts[k] = (m->box[k] + m->steps[k] - 1) / m->steps[k];
    for (uint32_t n = 0; n < rows; n++) {
        uint64_t address = m->address;
        bool is_inside = true;
        for (unsigned k = 1; k < m->rank; k++) {
            int64_t coordinate = (int64_t)at[k] + (int64_t)index[k] * m->steps[k];
            is_inside &= coordinate >= 0 && coordinate < (int64_t)m->sizes[k];
            address += (uint64_t)coordinate * m->strides[k];
        }
        if (is_inside && !add_run(x, m, address, at[0], m->box[0], n * row)) return false;
        for (unsigned k = 1; k < m->rank && ++index[k] == counts[k]; k++) index[k] = 0;
    }
    return true;
}

static uint32_t tile_bytes(const struct tensor_map *m)
{
    uint32_t bytes = m->box[0] * (uint32_t)m->strides[0];
    for (unsigned k = 1; k < m->rank; k++) bytes *= (m->box[k] + m->steps[k] - 1) / m->steps[k];
    return bytes;
}

// -- the rest -----------------------------------------------------------------------------------------------

static void fill(struct bulk_copy *c, const struct tensor_map *m)
{
    static const uint32_t nan_single = 0x7fffffff;
    static const uint16_t nan_half = 0x7fff;
    static const uint64_t nan_double = 0x7fffffffffffffff;
    unsigned size = (unsigned)m->strides[0];
    const void *nan = size == 2   ? (const void *)&nan_half
                      : size == 4 ? (const void *)&nan_single
                                  : &nan_double;
    c->image = heap_alloc(c->bytes + 1);
    for (uint32_t k = 0; m->fills_nan && k < c->bytes; k += size) memcpy(c->image + k, nan, size);
}

// The type by which a reduction of elements works; TYPE_NONE: none.
static enum isa_type reduced_type(enum tensor_type type, enum isa_mode mode)
{
    bool is_logic = mode == MODE_ATOM_AND || mode == MODE_ATOM_OR || mode == MODE_ATOM_XOR;
    bool is_step = mode == MODE_ATOM_INC || mode == MODE_ATOM_DEC, is_add = mode == MODE_ATOM_ADD;
    switch (type) {
    case TENSOR_U32: return is_logic ? TYPE_B32 : TYPE_U32;
    case TENSOR_S32: return is_logic ? TYPE_B32 : is_step ? TYPE_NONE : TYPE_S32;
    case TENSOR_U64: return is_logic ? TYPE_B64 : is_step ? TYPE_NONE : TYPE_U64;
    case TENSOR_S64: return is_logic ? TYPE_B64 : is_step || is_add ? TYPE_NONE : TYPE_S64;
    case TENSOR_F16: return is_logic || is_step ? TYPE_NONE : TYPE_F16;
    case TENSOR_BF16: return is_logic || is_step ? TYPE_NONE : TYPE_BF16;
    case TENSOR_F32:
    case TENSOR_F32_FTZ: return is_add ? TYPE_F32 : TYPE_NONE;
    case TENSOR_F64: return is_add ? TYPE_F64 : TYPE_NONE;
    case TENSOR_U8:
    case TENSOR_U16:
    case TENSOR_TF32:
    case TENSOR_TF32_FTZ:
    case TENSOR_TYPES: break;
    }
    return TYPE_NONE;
}

static bool set_reduction(const struct bulk_issue *x, const struct tensor_map *m)
{
    struct bulk_copy *c = x->c;
    enum isa_type type = reduced_type((enum tensor_type)m->type, (enum isa_mode)c->inst->mode);
    if (!type) return refuse(x, "its type has no such reduction");
    c->reduction = heap_alloc(sizeof *c->reduction);
    *c->reduction = *c->inst;
    c->reduction->type = (uint8_t)type;
    c->by = c->reduction;
    return true;
}

bool bulk_find_tensor(const struct bulk_issue *x)
{
    static const uint8_t masks[] = {0, 1, 3, 7};
    struct bulk_copy *c = x->c;
    struct tensor_map m;
    int32_t at[TENSOR_RANK_MAX];
    c->map = bulk_wide(x, 1);
    if (!read_map(x, &m)) return false;
    if (m.rank != c->inst->shift) return refuse(x, "of another number of dimensions than the instruction");
    for (unsigned k = 0; k < m.rank; k++) at[k] = (int32_t)bulk_word(x, k < 4 ? 2 : 3, k < 4 ? k : 0);
    c->bytes = tile_bytes(&m);
    c->swizzle = masks[m.swizzle];
    if (c->reduces && !set_reduction(x, &m)) return false;
    if (!bulk_find_shared(x, bulk_word(x, 3, 1), TENSOR_ALIGNMENT)) return false;
    fill(c, &m);
    return add_tile(x, &m, at);
}

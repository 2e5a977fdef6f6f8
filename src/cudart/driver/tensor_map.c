// Tensor maps of the driver API (isa/tensor_map.h). Maps with interleaved channels are refused.
#include "isa/tensor_map.h"
#include "cudart/driver/driver.h"

#include <string.h>

enum cuda_error driver_encode_tiled(void *map, const struct driver_tiled *d)
{
    uint32_t words[TENSOR_MAP_WORDS];
    bool is_given = map && d->sizes && d->box && d->steps && (d->strides || d->rank == 1);
    if (!is_given || (uintptr_t)map % 64 || d->rank < 1 || d->rank > TENSOR_RANK_MAX)
        return cudaErrorInvalidValue;
    if (d->type < 0 || d->type >= TENSOR_TYPES || d->swizzle < 0 || d->swizzle > 3 || d->promotion < 0 ||
        d->promotion > 3 || d->fill < 0 || d->fill > 1)
        return cudaErrorInvalidValue;
    if (d->interleave) return cudaErrorNotSupported;
    struct tensor_map m = {.address = d->address,
                           .type = (uint8_t)d->type,
                           .rank = (uint8_t)d->rank,
                           .swizzle = (uint8_t)d->swizzle,
                           .promotion = (uint8_t)d->promotion,
                           .fills_nan = d->fill == 1};
    for (unsigned k = 0; k < d->rank; k++) {
        m.sizes[k] = d->sizes[k];
        m.strides[k] = k ? d->strides[k - 1] : tensor_type_bytes((enum tensor_type)d->type);
        m.box[k] = d->box[k];
        m.steps[k] = d->steps[k];
    }
    if (tensor_map_encode(&m, words)) return cudaErrorInvalidValue;
    memcpy(map, words, sizeof words);
    return cudaSuccess;
}

enum cuda_error driver_replace_address(void *map, uint64_t address)
{
    uint32_t words[TENSOR_MAP_WORDS];
    if (!map || (uintptr_t)map % 64 || address % 16) return cudaErrorInvalidValue;
    memcpy(words, map, sizeof words);
    words[0] = (uint32_t)address;
    words[1] = (uint32_t)(address >> 32);
    memcpy(map, words, sizeof words);
    return cudaSuccess;
}

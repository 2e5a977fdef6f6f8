// CUDA arrays: rows of texels in device memory, without gaps.
#pragma once
#include "cudart/copy.h"

struct cuda_array {
    uint64_t address;
    struct cuda_channels channels;
    struct cuda_extent extent; // height 0: one dimension; depth 0: at most two
    unsigned texel_bytes, flags;
};
unsigned array_texel_bytes(const struct cuda_channels *c); // 0: no texel of textures
// The copy that a cudaMemcpy3DParms describes.
enum cuda_error array_request(const struct cudart *r, const struct cuda_copy_3d *c, struct copy_request *q);

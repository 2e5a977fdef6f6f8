// CUDA arrays: rows of texels in device memory, without gaps. A mipmapped array is a block of arrays, a level each, one
// after the other.
#pragma once
#include "cudart/copy.h"

struct cuda_array {
    uint64_t address;
    struct cuda_channels channels;
    struct cuda_extent extent; // height 0: one dimension; depth 0: at most two
    unsigned texel_bytes, flags;
    bool is_level; // of a mipmapped array, which has the memory
};
enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBE = 4, ARRAY_GATHER = 8 };
enum { LEVELS_MAX = 18 };
struct cuda_mipmap {
    unsigned levels;
    struct cuda_array level[LEVELS_MAX];
};
static inline size_t array_rows(const struct cuda_extent *e) // of all planes
{
    return (e->height ? e->height : 1) * (e->depth ? e->depth : 1);
}
unsigned array_texel_bytes(const struct cuda_channels *c); // 0: no texel of textures
bool array_shape_is_good(const struct cuda_extent *e, unsigned flags);
// Texture and surface objects (texture.c).
enum cuda_error texture_create(struct cudart *r, uint64_t *texture, const struct cuda_resource *res,
                               const struct cuda_sampling *s);
enum cuda_error texture_destroy(struct cudart *r, uint64_t texture, bool is_surface);
enum cuda_error surface_create(struct cudart *r, uint64_t *surface, const struct cuda_resource *res);
void reference_forget(struct cudart *r); // after a reset: nothing is bound, no object lives
// The copy that a cudaMemcpy3DParms describes.
enum cuda_error array_request(const struct cudart *r, const struct cuda_copy_3d *c, struct copy_request *q);

// Mipmapped arrays.
#include "cudart/array.h"
#include "cudart/memory.h"

static size_t halved(size_t extent, unsigned level) { return extent >> level ? extent >> level : 1; }

static struct cuda_extent level_extent(const struct cuda_extent *e, unsigned level, unsigned flags)
{
    bool has_layers = flags & (ARRAY_LAYERED | ARRAY_CUBE);
    return (struct cuda_extent){halved(e->width, level), e->height ? halved(e->height, level) : 0,
                                e->depth && !has_layers ? halved(e->depth, level) : e->depth};
}

// More levels than the array's largest side has are left out, as CUDA does.
static unsigned most_levels(const struct cuda_extent *e, unsigned flags)
{
    size_t largest = e->width > e->height ? e->width : e->height;
    unsigned levels = 1;
    if (!(flags & (ARRAY_LAYERED | ARRAY_CUBE)) && e->depth > largest) largest = e->depth;
    while (largest >>= 1) levels++;
    return levels < LEVELS_MAX ? levels : LEVELS_MAX;
}

static enum cuda_error create(struct cudart *r, struct cuda_mipmap **m, const struct cuda_channels *c,
                              const struct cuda_extent *e, unsigned levels, unsigned flags)
{
    if (!m || !c || !levels || !array_shape_is_good(e, flags)) return cudaErrorInvalidValue;
    unsigned bytes = array_texel_bytes(c), most = most_levels(e, flags);
    if (!bytes) return cudaErrorInvalidChannelDescriptor;
    if (levels > most) levels = most;
    struct cuda_mipmap made = {.levels = levels};
    size_t total = 0;
    for (unsigned k = 0; k < levels; k++) {
        struct cuda_extent own = level_extent(e, k, flags);
        made.level[k] = (struct cuda_array){total, *c, own, bytes, flags, true};
        total += own.width * array_rows(&own) * bytes;
    }
    void *data;
    enum cuda_error error = memory_alloc_block(r, &data, total, MEMORY_DEVICE, 0);
    if (error) return error;
    *m = heap_alloc(sizeof **m);
    **m = made;
    for (unsigned k = 0; k < levels; k++) {
        (*m)->level[k].address += (uintptr_t)data;
        cudart_add(r, &(*m)->level[k], CUDART_ARRAY);
    }
    cudart_add(r, &(*m)->levels, CUDART_MIPMAP);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMallocMipmappedArray(struct cuda_mipmap **m, const struct cuda_channels *c,
                                                       struct cuda_extent e, unsigned levels, unsigned flags)
{
    CUDART_RUN(create(r, m, c, &e, levels, flags));
}

static enum cuda_error destroy(struct cudart *r, struct cuda_mipmap *m)
{
    if (!m) return cudaSuccess;
    if (!cudart_is(r, m, CUDART_MIPMAP)) return cudaErrorInvalidResourceHandle;
    enum cuda_error error =
        memory_free_block(r, (void *)(uintptr_t)m->level[0].address, MEMORY_DEVICE); // NOLINT
    for (unsigned k = 0; k < m->levels; k++) cudart_remove(r, &m->level[k]);
    cudart_remove(r, m);
    free(m);
    return error;
}

CUDART_EXPORT enum cuda_error cudaFreeMipmappedArray(struct cuda_mipmap *m) { CUDART_RUN(destroy(r, m)); }

static enum cuda_error level_of(struct cudart *r, struct cuda_array **a, struct cuda_mipmap *m,
                                unsigned level)
{
    if (!cudart_is(r, m, CUDART_MIPMAP)) return cudaErrorInvalidResourceHandle;
    if (!a || level >= m->levels) return cudaErrorInvalidValue;
    *a = &m->level[level];
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGetMipmappedArrayLevel(struct cuda_array **a, struct cuda_mipmap *m,
                                                         unsigned level)
{
    CUDART_RUN(level_of(r, a, m, level));
}

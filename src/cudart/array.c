// CUDA arrays, and copies to and from arrays.
#include "cudart/array.h"
#include "cudart/copy.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

unsigned array_texel_bytes(const struct cuda_channels *c)
{
    if (c->x < 8 || c->x > 32 || c->x & (c->x - 1) || c->kind < CHANNEL_SIGNED || c->kind > CHANNEL_FLOAT)
        return 0;
    int count = 1 + (c->y > 0) + (c->z > 0) + (c->w > 0);
    bool equal = (!c->y || c->y == c->x) && (!c->z || c->z == c->x) && (!c->w || c->w == c->x);
    if (!equal || count == 3 || (c->z && !c->y) || (c->kind == CHANNEL_FLOAT && c->x < 16)) return 0;
    return (unsigned)(c->x / 8 * count);
}

CUDART_EXPORT struct cuda_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cuda_channels){x, y, z, w, kind};
}

bool array_shape_is_good(const struct cuda_extent *e, unsigned flags)
{
    bool layered = flags & ARRAY_LAYERED;
    if (!e->width || (e->depth && !e->height && !layered) || (layered && !e->depth)) return false;
    if (!(flags & ARRAY_CUBE)) return true;
    return e->width == e->height && e->depth && e->depth % 6 == 0 && (layered || e->depth == 6);
}

static enum cuda_error create(struct cudart *r, struct cuda_array **a, const struct cuda_channels *c,
                              const struct cuda_extent *e, unsigned flags)
{
    if (!a || !c || !e->width) return cudaErrorInvalidValue;
    unsigned bytes = array_texel_bytes(c);
    if (!bytes) return cudaErrorInvalidChannelDescriptor;
    if (!array_shape_is_good(e, flags)) return cudaErrorInvalidValue;
    void *data;
    enum cuda_error error = memory_alloc_block(r, &data, e->width * array_rows(e) * bytes, MEMORY_DEVICE, 0);
    if (error) return error;
    *a = heap_alloc(sizeof **a);
    **a = (struct cuda_array){(uintptr_t)data, *c, *e, bytes, flags, false};
    cudart_add(r, *a, CUDART_ARRAY);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMallocArray(struct cuda_array **a, const struct cuda_channels *c,
                                              size_t width, size_t height, unsigned flags)
{
    const struct cuda_extent e = {width, height, 0};
    CUDART_RUN(create(r, a, c, &e, flags));
}

CUDART_EXPORT enum cuda_error cudaMalloc3DArray(struct cuda_array **a, const struct cuda_channels *c,
                                                struct cuda_extent e, unsigned flags)
{
    CUDART_RUN(create(r, a, c, &e, flags));
}

static enum cuda_error destroy(struct cudart *r, struct cuda_array *a)
{
    if (!a) return cudaSuccess;
    if (!cudart_is(r, a, CUDART_ARRAY) || a->is_level) return cudaErrorInvalidResourceHandle;
    cudart_remove(r, a);
    enum cuda_error error = memory_free_block(r, (void *)(uintptr_t)a->address, MEMORY_DEVICE); // NOLINT
    free(a);
    return error;
}

CUDART_EXPORT enum cuda_error cudaFreeArray(struct cuda_array *a) { CUDART_RUN(destroy(r, a)); }

static enum cuda_error info(struct cudart *r, struct cuda_channels *c, struct cuda_extent *e, unsigned *flags,
                            const struct cuda_array *a)
{
    if (!cudart_is(r, a, CUDART_ARRAY)) return cudaErrorInvalidResourceHandle;
    if (c) *c = a->channels;
    if (e) *e = a->extent;
    if (flags) *flags = a->flags;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaArrayGetInfo(struct cuda_channels *c, struct cuda_extent *e,
                                               unsigned *flags, struct cuda_array *a)
{
    CUDART_RUN(info(r, c, e, flags, a));
}

CUDART_EXPORT enum cuda_error cudaGetChannelDesc(struct cuda_channels *c, const struct cuda_array *a)
{
    CUDART_RUN(c ? info(r, c, NULL, NULL, a) : cudaErrorInvalidValue);
}

// -- copies -------------------------------------------------------------------------------------------------

// A side at (x bytes, y, z) of an array. False: no array.
static bool array_side(const struct cudart *r, const struct cuda_array *a, size_t x, size_t y, size_t z,
                       struct copy_side *side)
{
    if (!cudart_is(r, a, CUDART_ARRAY)) return false;
    size_t pitch = a->extent.width * a->texel_bytes, rows = a->extent.height ? a->extent.height : 1;
    *side = (struct copy_side){(uint8_t *)(uintptr_t)(a->address + (z * rows + y) * pitch + x), pitch,
                               rows}; // NOLINT
    return true;
}

static struct copy_request rows_request(size_t width, size_t height, int kind)
{
    return (struct copy_request){.width = width, .height = height, .depth = 1, .kind = kind};
}

// Rows between an array (x: bytes) and plain memory. A length beyond the row goes on in the next, for the old copies
// of a plain range (cudaMemcpyToArray), because rows have no gaps.
static enum cuda_error between(struct cudart *r, const struct cuda_array *a, size_t x, size_t y,
                               const void *plain, size_t pitch, const struct copy_request *shape,
                               bool to_array, struct cuda_stream *s)
{
    struct copy_request q = *shape;
    struct copy_side there = {(uint8_t *)(uintptr_t)plain, pitch, q.height},
                     here; // NOLINT: read unless a target
    if (!plain) return cudaErrorInvalidValue;
    if (!array_side(r, a, x, y, 0, &here)) return cudaErrorInvalidResourceHandle;
    if (q.height > 1 && x + q.width > here.pitch) return cudaErrorInvalidValue;
    q.to = to_array ? here : there;
    q.from = to_array ? there : here;
    return copy_in(r, s, &q);
}

CUDART_EXPORT enum cuda_error cudaMemcpy2DToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                                       const void *from, size_t pitch, size_t width,
                                                       size_t height, int kind, struct cuda_stream *s)
{
    const struct copy_request q = rows_request(width, height, kind);
    CUDART_RUN(between(r, to, x, y, from, pitch, &q, true, s));
}

CUDART_EXPORT enum cuda_error cudaMemcpy2DToArray(struct cuda_array *to, size_t x, size_t y, const void *from,
                                                  size_t pitch, size_t width, size_t height, int kind)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}

CUDART_EXPORT enum cuda_error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                                         const struct cuda_array *from, size_t x, size_t y,
                                                         size_t width, size_t height, int kind,
                                                         struct cuda_stream *s)
{
    const struct copy_request q = rows_request(width, height, kind);
    CUDART_RUN(between(r, from, x, y, to, pitch, &q, false, s));
}

CUDART_EXPORT enum cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch, const struct cuda_array *from,
                                                    size_t x, size_t y, size_t width, size_t height, int kind)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}

CUDART_EXPORT enum cuda_error cudaMemcpyToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                                     const void *from, size_t bytes, int kind,
                                                     struct cuda_stream *s)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, bytes, bytes, 1, kind, s);
}

CUDART_EXPORT enum cuda_error cudaMemcpyToArray(struct cuda_array *to, size_t x, size_t y, const void *from,
                                                size_t bytes, int kind)
{
    return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, NULL);
}

CUDART_EXPORT enum cuda_error cudaMemcpyFromArrayAsync(void *to, const struct cuda_array *from, size_t x,
                                                       size_t y, size_t bytes, int kind,
                                                       struct cuda_stream *s)
{
    return cudaMemcpy2DFromArrayAsync(to, bytes, from, x, y, bytes, 1, kind, s);
}

CUDART_EXPORT enum cuda_error cudaMemcpyFromArray(void *to, const struct cuda_array *from, size_t x, size_t y,
                                                  size_t bytes, int kind)
{
    return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, NULL);
}

static struct copy_side pitched_side(const struct cuda_pitched *p, const struct cuda_position *at)
{
    return (struct copy_side){(uint8_t *)p->data + (at->z * p->height + at->y) * p->pitch + at->x, p->pitch,
                              p->height};
}

// Places and widths count texels where an array takes part, else bytes.
enum cuda_error array_request(const struct cudart *r, const struct cuda_copy_3d *c, struct copy_request *q)
{
    const struct cuda_array *a = c->from_array ? c->from_array : c->to_array;
    if (a && !cudart_is(r, a, CUDART_ARRAY)) return cudaErrorInvalidResourceHandle;
    size_t unit = a ? a->texel_bytes : 1;
    const struct cuda_position *f = &c->from_place, *t = &c->to_place;
    *q = (struct copy_request){.width = c->extent.width * unit,
                               .height = c->extent.height,
                               .depth = c->extent.depth,
                               .kind = c->kind,
                               .from = pitched_side(&c->from, f),
                               .to = pitched_side(&c->to, t)};
    if (c->from_array && !array_side(r, c->from_array, f->x * unit, f->y, f->z, &q->from))
        return cudaErrorInvalidResourceHandle;
    if (c->to_array && !array_side(r, c->to_array, t->x * unit, t->y, t->z, &q->to))
        return cudaErrorInvalidResourceHandle;
    return q->from.data ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error copy_3d(struct cudart *r, const struct cuda_copy_3d *c, struct cuda_stream *s)
{
    struct copy_request q;
    enum cuda_error error = c ? array_request(r, c, &q) : cudaErrorInvalidValue;
    return error ? error : copy_in(r, s, &q);
}

CUDART_EXPORT enum cuda_error cudaMemcpy3D(const struct cuda_copy_3d *c) { CUDART_RUN(copy_3d(r, c, NULL)); }

CUDART_EXPORT enum cuda_error cudaMemcpy3DAsync(const struct cuda_copy_3d *c, struct cuda_stream *s)
{
    CUDART_RUN(copy_3d(r, c, s));
}

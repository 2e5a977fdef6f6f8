// Stream-ordered allocation. A pool has no memory of its own: allocations come from the heap at the call, and are freed
// when the work of the stream is done.
#include "cudart/graph.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

enum { POOL_ATTRIBUTES = 9, POOL_USED_NOW = 7, POOL_USED_MOST = 8 };

struct cuda_pool {
    uint64_t attributes[POOL_ATTRIBUTES]; // by enum cudaMemPoolAttr
};

static struct cuda_pool *default_pool(struct cudart *r)
{
    if (!r->pool) {
        r->pool = heap_alloc(sizeof *r->pool);
        for (int i = 1; i <= 3; i++) r->pool->attributes[i] = 1; // reuse of memory is allowed
        cudart_add(r, r->pool, CUDART_POOL);
    }
    return r->pool;
}

static enum cuda_error alloc(struct cudart *r, void **p, size_t bytes, struct cuda_pool *pool,
                             struct cuda_stream *handle)
{
    const struct cuda_stream *s = stream_of(r, handle);
    if (!s || !cudart_is(r, pool, CUDART_POOL))
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    enum cuda_error error = memory_alloc_block(r, p, bytes, MEMORY_DEVICE, 0);
    if (error) return error;
    pool->attributes[POOL_USED_NOW] += bytes;
    if (pool->attributes[POOL_USED_MOST] < pool->attributes[POOL_USED_NOW])
        pool->attributes[POOL_USED_MOST] = pool->attributes[POOL_USED_NOW];
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMallocAsync(void **p, size_t bytes, struct cuda_stream *s)
{
    CUDART_RUN(alloc(r, p, bytes, default_pool(r), s));
}

CUDART_EXPORT enum cuda_error cudaMallocFromPoolAsync(void **p, size_t bytes, struct cuda_pool *pool,
                                                      struct cuda_stream *s)
{
    CUDART_RUN(alloc(r, p, bytes, pool, s));
}

static enum cuda_error free_in(struct cudart *r, void *p, struct cuda_stream *handle)
{
    struct cuda_stream *s = stream_of(r, handle);
    const struct cudart_block *b = memory_find_block(r, p);
    struct cuda_pool *pool = default_pool(r);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->capture) return graph_capture_free(s, p);
    if (b && b->bytes <= pool->attributes[POOL_USED_NOW]) pool->attributes[POOL_USED_NOW] -= b->bytes;
    return memory_free_block(r, p, MEMORY_DEVICE);
}

CUDART_EXPORT enum cuda_error cudaFreeAsync(void *p, struct cuda_stream *s) { CUDART_RUN(free_in(r, p, s)); }

static enum cuda_error give_pool(struct cudart *r, struct cuda_pool **pool, int device)
{
    if (device || !pool) return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *pool = default_pool(r);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDeviceGetDefaultMemPool(struct cuda_pool **pool, int device)
{
    CUDART_RUN(give_pool(r, pool, device));
}

CUDART_EXPORT enum cuda_error cudaDeviceGetMemPool(struct cuda_pool **pool, int device)
{
    CUDART_RUN(give_pool(r, pool, device));
}

static enum cuda_error is_pool(const struct cudart *r, const struct cuda_pool *pool)
{
    return cudart_is(r, pool, CUDART_POOL) ? cudaSuccess : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaDeviceSetMemPool(int device, struct cuda_pool *pool)
{
    CUDART_RUN(device ? cudaErrorInvalidDevice : is_pool(r, pool));
}

static enum cuda_error create_pool(struct cudart *r, struct cuda_pool **pool, const void *properties)
{
    if (!pool || !properties) return cudaErrorInvalidValue;
    *pool = heap_alloc(sizeof **pool);
    cudart_add(r, *pool, CUDART_POOL);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMemPoolCreate(struct cuda_pool **pool, const void *properties)
{
    CUDART_RUN(create_pool(r, pool, properties));
}

static enum cuda_error destroy_pool(struct cudart *r, struct cuda_pool *pool)
{
    if (is_pool(r, pool) || pool == r->pool) return cudaErrorInvalidValue;
    cudart_remove(r, pool);
    free(pool);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMemPoolDestroy(struct cuda_pool *pool)
{
    CUDART_RUN(destroy_pool(r, pool));
}

CUDART_EXPORT enum cuda_error cudaMemPoolTrimTo(struct cuda_pool *pool, size_t keep)
{
    (void)keep;
    CUDART_RUN(is_pool(r, pool));
}

CUDART_EXPORT enum cuda_error cudaMemPoolSetAccess(struct cuda_pool *pool, const void *access, size_t count)
{
    (void)access, (void)count;
    CUDART_RUN(is_pool(r, pool));
}

// Attributes 1 to 3 are int, the others uint64_t.
static enum cuda_error pool_attribute(struct cudart *r, struct cuda_pool *pool, int number, void *value,
                                      bool set)
{
    if (is_pool(r, pool) || !value || number < 1 || number >= POOL_ATTRIBUTES) return cudaErrorInvalidValue;
    if (set)
        pool->attributes[number] = number <= 3 ? (uint64_t) * (const int *)value : *(const uint64_t *)value;
    else if (number <= 3)
        *(int *)value = (int)pool->attributes[number];
    else
        *(uint64_t *)value = pool->attributes[number];
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMemPoolSetAttribute(struct cuda_pool *pool, int number, void *value)
{
    CUDART_RUN(pool_attribute(r, pool, number, value, true));
}

CUDART_EXPORT enum cuda_error cudaMemPoolGetAttribute(struct cuda_pool *pool, int number, void *value)
{
    CUDART_RUN(pool_attribute(r, pool, number, value, false));
}

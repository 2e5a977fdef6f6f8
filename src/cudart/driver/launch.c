// Launches and memory of the driver API.
#include "cudart/launch.h"
#include "cudart/array.h"
#include "cudart/driver/driver.h"
#include "cudart/memory.h"
#include "cudart/runtime.h"
#include "cudart/stream.h"

#include <stdlib.h>
#include <string.h>

// -- launches -----------------------------------------------------------------------------------------------

// A packed block of parameters among the words of `extra`; NULL: none.
static uint8_t *packed(void **extra, size_t *bytes)
{
    enum { END, POINTER, BYTES };
    uint8_t *buffer = NULL;
    *bytes = 0;
    for (; extra && *extra != NULL; extra += 2) {
        if ((uintptr_t)*extra == POINTER) buffer = extra[1];
        if ((uintptr_t)*extra == BYTES) *bytes = *(const size_t *)extra[1];
    }
    return buffer;
}

enum cuda_error driver_launch(struct cudart *r, const void *kernel, const struct launch_request *q,
                              void **params, void **extra)
{
    struct cudart_kernel *k = image_kernel(r, kernel);
    enum cuda_error error;
    size_t bytes;
    if (!k) return cudaErrorInvalidResourceHandle;
    if (!image_compiled(r, k, &error)) return error;
    const struct wf_kernel_facts *info = wf_kernel_info(k->compiled);
    if (params || !info->param_count) return launch_kernel(r, kernel, q, params);
    uint8_t *buffer = packed(extra, &bytes);
    if (!buffer || bytes < info->param_bytes) return cudaErrorInvalidValue;
    void **args = heap_alloc(info->param_count * sizeof *args);
    for (uint32_t i = 0; i < info->param_count; i++) args[i] = buffer + info->params[i].offset;
    error = launch_kernel(r, kernel, q, args);
    free(args);
    return error;
}

enum cuda_error driver_launch_config(struct cudart *r, const struct driver_launch_config *c,
                                     const void *kernel, void **params, void **extra)
{
    if (!c) return cudaErrorInvalidValue;
    struct launch_request q = {c->grid, c->block, c->shared_bytes, c->stream, false, {0, 0, 0}};
    enum cuda_error error = launch_attributes(&q, c->attributes, c->attribute_count);
    return error ? error : driver_launch(r, kernel, &q, params, extra);
}

enum cuda_error driver_max_clusters(struct cudart *r, int *clusters, const void *kernel,
                                    const struct driver_launch_config *c)
{
    if (!c) return cudaErrorInvalidValue;
    struct launch_request q = {c->grid, c->block, c->shared_bytes, NULL, false, {0, 0, 0}};
    enum cuda_error error = launch_attributes(&q, c->attributes, c->attribute_count);
    return error ? error : launch_clusters(r, clusters, kernel, &q);
}

// The largest number of threads on an SM, by the largest block that reaches it.
enum cuda_error driver_best_block(int *grid, int *block, const void *kernel, size_t (*shared_of)(int threads),
                                  size_t shared_bytes, int limit)
{
    enum { MULTIPROCESSORS = 16, MOST = 1024, STEP = 32 };
    int best = 0, sms = 0, blocks = 0;
    if (!grid || !block) return cudaErrorInvalidValue;
    enum cuda_error error = cudaDeviceGetAttribute(&sms, MULTIPROCESSORS, 0);
    *grid = *block = 0;
    for (int threads = limit > 0 && limit < MOST ? limit : MOST; threads > 0 && !error;
         threads = (threads - 1) / STEP * STEP) {
        size_t bytes = shared_of ? shared_of(threads) : shared_bytes;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes);
        if (error || blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * sms;
    }
    return error;
}

// -- memory -------------------------------------------------------------------------------------------------

enum cuda_error driver_range(struct cudart *r, uint64_t *start, size_t *bytes, uint64_t address)
{
    const struct cudart_block *b = memory_find_block(r, driver_at(address));
    if (!b) return cudaErrorSymbolNotFound;
    if (start) *start = b->address;
    if (bytes) *bytes = b->bytes;
    return cudaSuccess;
}

enum cuda_error driver_pointer_attribute(struct cudart *r, void *out, int attribute, uint64_t address)
{
    enum {
        IN_CONTEXT = 1,
        MEMORY_TYPE,
        DEVICE_POINTER,
        HOST_POINTER,
        BUFFER = 7,
        IS_MANAGED,
        ORDINAL,
        START = 11,
        BYTES,
        IS_MAPPED
    };
    enum { TYPE_HOST = 1, TYPE_DEVICE };
    const struct cudart_block *b = memory_find_block(r, driver_at(address));
    if (!out || !b) return cudaErrorInvalidValue;
    bool is_hosts = b->kind == MEMORY_HOST || b->kind == MEMORY_REGISTERED;
    uint64_t value = 0;
    size_t size = sizeof(int);
    switch (attribute) {
    case IN_CONTEXT:
        value = (uintptr_t)driver_current(r);
        size = 8;
        break;
    case MEMORY_TYPE: value = is_hosts ? TYPE_HOST : TYPE_DEVICE; break;
    case HOST_POINTER:
        if (b->kind == MEMORY_DEVICE) return cudaErrorInvalidValue;
        value = address;
        size = 8;
        break;
    case DEVICE_POINTER:
        value = address;
        size = 8;
        break;
    case BUFFER:
    case START:
        value = b->address;
        size = 8;
        break;
    case BYTES:
        value = b->bytes;
        size = 8;
        break;
    case IS_MANAGED: value = b->kind == MEMORY_MANAGED; break;
    case ORDINAL: break;
    case IS_MAPPED: value = 1; break;
    default: return cudart_absent("an attribute of cuPointerGetAttribute");
    }
    memcpy(out, &value, size);
    return cudaSuccess;
}

enum cuda_error driver_pointer_attributes(struct cudart *r, unsigned count, const int *attributes, void **out,
                                          uint64_t address)
{
    enum cuda_error error = attributes && out ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && !error; i++)
        error = driver_pointer_attribute(r, out[i], attributes[i], address);
    return error;
}

enum cuda_error driver_fill(struct cudart *r, uint64_t to, size_t pitch, unsigned value, unsigned value_bytes,
                            size_t width, size_t rows, struct cuda_stream *s)
{
    struct copy_request q = copy_fill(driver_at(to), value, width * value_bytes);
    q.value_bytes = value_bytes;
    q.height = rows;
    if (rows > 1) q.to.pitch = pitch;
    return to % value_bytes ? cudaErrorInvalidValue : copy_in(r, s, &q);
}

static bool find_side(const struct cudart *r, struct copy_side *out, const struct driver_side_3d *s)
{
    enum { SIDE_HOST = 1, SIDE_DEVICE, SIDE_ARRAY, SIDE_ANY };
    uint64_t base = s->kind == SIDE_HOST ? (uintptr_t)s->host : s->device;
    *out = (struct copy_side){.pitch = s->pitch, .rows_per_slice = s->height};
    if (s->kind == SIDE_ARRAY) {
        const struct cuda_array *a = s->array;
        if (!cudart_is(r, a, CUDART_ARRAY)) return false;
        base = a->address;
        out->pitch = a->extent.width * a->texel_bytes;
        out->rows_per_slice = a->extent.height ? a->extent.height : 1;
    } else if (s->kind < SIDE_HOST || s->kind > SIDE_ANY) {
        return false;
    }
    out->data = driver_at(base + (s->z * out->rows_per_slice + s->y) * out->pitch + s->x);
    return base != 0;
}

enum cuda_error driver_copy_3d(struct cudart *r, const struct driver_copy_3d *c, struct cuda_stream *s)
{
    struct copy_request q = {.kind = COPY_DEFAULT};
    if (!c || !find_side(r, &q.to, &c->to) || !find_side(r, &q.from, &c->from)) return cudaErrorInvalidValue;
    q.width = c->width;
    q.height = c->height;
    q.depth = c->depth;
    return copy_in(r, s, &q);
}

static struct driver_side_3d flat(const struct driver_side_2d *s)
{
    return (struct driver_side_3d){s->x,      s->y,     0,    0,        s->kind, s->host,
                                   s->device, s->array, NULL, s->pitch, 1};
}

enum cuda_error driver_copy_2d(struct cudart *r, const struct driver_copy_2d *c, struct cuda_stream *s)
{
    if (!c) return cudaErrorInvalidValue;
    const struct driver_copy_3d whole = {flat(&c->from), flat(&c->to), c->width, c->height, 1};
    return driver_copy_3d(r, &whole, s);
}

// Allocations: device, pinned host, managed, registered.
#include "cudart/memory.h"
#include "cudart/stream.h"

#include <string.h>

// -- the list of blocks, by address -------------------------------------------------------------------------

// Number of blocks that start at or before the address.
static size_t upto(const struct cudart *r, uint64_t address)
{
    size_t low = 0, high = r->blocks.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->blocks.data[middle].address > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void add_block(struct cudart *r, const struct cudart_block *b)
{
    size_t at = upto(r, b->address);
    vec_push(&r->blocks, *b);
    memmove(r->blocks.data + at + 1, r->blocks.data + at, (r->blocks.count - 1 - at) * sizeof *b);
    r->blocks.data[at] = *b;
}

static void remove_block(struct cudart *r, const struct cudart_block *b)
{
    size_t at = (size_t)(b - r->blocks.data);
    memmove(r->blocks.data + at, r->blocks.data + at + 1, (--r->blocks.count - at) * sizeof *b);
}

const struct cudart_block *memory_find_block(const struct cudart *r, const void *p)
{
    uint64_t address = (uintptr_t)p;
    size_t count = upto(r, address);
    const struct cudart_block *b = count ? &r->blocks.data[count - 1] : NULL;
    return b && address - b->address < b->bytes ? b : NULL;
}

static bool in_heap(const struct cudart *r, const void *p)
{
    return (uintptr_t)p >= 1ull << 32 && (uintptr_t)p < r->heap_end;
}

bool memory_is_known(const struct cudart *r, const void *p)
{
    return in_heap(r, p) || memory_find_block(r, p);
}

// Device memory of variables is no block, and lies in the library's heap: the library checks such ranges.
bool memory_is_valid(const struct cudart *r, const void *p, uint64_t bytes)
{
    const struct cudart_block *b = memory_find_block(r, p);
    uint64_t address = (uintptr_t)p;
    if (b) return b->bytes - (address - b->address) >= bytes;
    if (!in_heap(r, p)) return p || !bytes;
    bool good = wf_host(r->context, address, bytes);
    if (!good) wf_clear_errors(r->context);
    return good;
}

// -- allocations --------------------------------------------------------------------------------------------

enum cuda_error memory_alloc_block(struct cudart *r, void **p, size_t bytes, enum cudart_memory kind,
                                   unsigned flags)
{
    static const char *const labels[] = {"device memory", "pinned host memory", "managed memory", NULL};
    if (!p) return cudaErrorInvalidValue;
    *p = NULL;
    if (!bytes) return kind == MEMORY_MANAGED ? cudaErrorInvalidValue : cudaSuccess;
    uint64_t address = wf_alloc_named(r->context, bytes, labels[kind]);
    if (!address) {
        wf_clear_errors(r->context);
        return cudaErrorMemoryAllocation;
    }
    add_block(r, &(struct cudart_block){address, bytes, kind, flags});
    if (kind != MEMORY_DEVICE) wf_check_written(r->context, address, bytes); // by the host, unseen
    *p = (void *)(uintptr_t)address; // NOLINT: equal addresses for host and device
    return cudaSuccess;
}

enum cuda_error memory_free_block(struct cudart *r, void *p, enum cudart_memory kind)
{
    if (!p) return cudaSuccess;
    const struct cudart_block *b = memory_find_block(r, p);
    bool is_start = b && b->address == (uintptr_t)p;
    bool is_kind = b && (b->kind == kind || (kind == MEMORY_DEVICE && b->kind == MEMORY_MANAGED));
    if (!is_start || !is_kind) return cudaErrorInvalidValue;
    enum cuda_error error = cudart_wait(r);
    remove_block(r, b);
    wf_free(r->context, (uintptr_t)p);
    return error;
}

void memory_reset(struct cudart *r)
{
    while (r->blocks.count) {
        struct cudart_block b = vec_pop(&r->blocks);
        if (b.kind == MEMORY_REGISTERED)
            wf_take_back(r->context, (void *)(uintptr_t)b.address); // NOLINT: as above
        else
            wf_free(r->context, b.address);
    }
}

CUDART_EXPORT enum cuda_error cudaMalloc(void **p, size_t bytes)
{
    CUDART_RUN(memory_alloc_block(r, p, bytes, MEMORY_DEVICE, 0));
}

CUDART_EXPORT enum cuda_error cudaFree(void *p) { CUDART_RUN(memory_free_block(r, p, MEMORY_DEVICE)); }

CUDART_EXPORT enum cuda_error cudaMallocHost(void **p, size_t bytes)
{
    CUDART_RUN(memory_alloc_block(r, p, bytes, MEMORY_HOST, 0));
}

CUDART_EXPORT enum cuda_error cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    CUDART_RUN(memory_alloc_block(r, p, bytes, MEMORY_HOST, flags));
}

CUDART_EXPORT enum cuda_error cudaFreeHost(void *p) { CUDART_RUN(memory_free_block(r, p, MEMORY_HOST)); }

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };

CUDART_EXPORT enum cuda_error cudaMallocManaged(void **p, size_t bytes, unsigned flags)
{
    bool good = flags == ATTACH_GLOBAL || flags == ATTACH_HOST;
    CUDART_RUN(good ? memory_alloc_block(r, p, bytes, MEMORY_MANAGED, flags) : cudaErrorInvalidValue);
}

// Rows of pitched memory start at multiples of 512 bytes, as on devices of compute capability 3.5 and later.
enum { PITCH = 512 };

static enum cuda_error alloc_rows(struct cudart *r, void **p, size_t *pitch, size_t width, size_t rows)
{
    if (!pitch || !width || !rows) return cudaErrorInvalidValue;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return memory_alloc_block(r, p, *pitch * rows, MEMORY_DEVICE, 0);
}

CUDART_EXPORT enum cuda_error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    CUDART_RUN(alloc_rows(r, p, pitch, width, height));
}

static enum cuda_error alloc_3d(struct cudart *r, struct cuda_pitched *p, const struct cuda_extent *e)
{
    if (!p) return cudaErrorInvalidValue;
    p->width = e->width;
    p->height = e->height;
    return alloc_rows(r, &p->data, &p->pitch, e->width, e->height * e->depth);
}

CUDART_EXPORT enum cuda_error cudaMalloc3D(struct cuda_pitched *p, struct cuda_extent e)
{
    CUDART_RUN(alloc_3d(r, p, &e));
}

// -- registered memory --------------------------------------------------------------------------------------

static enum cuda_error enrol(struct cudart *r, void *p, size_t bytes, unsigned flags)
{
    if (!p || !bytes) return cudaErrorInvalidValue;
    if (wf_lend(r->context, p, bytes) != WF_OK) {
        wf_clear_errors(r->context);
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    add_block(r, &(struct cudart_block){(uintptr_t)p, bytes, MEMORY_REGISTERED, flags});
    wf_check_written(r->context, (uintptr_t)p, bytes);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    CUDART_RUN(enrol(r, p, bytes, flags));
}

static enum cuda_error dismiss(struct cudart *r, void *p)
{
    const struct cudart_block *b = memory_find_block(r, p);
    if (!b || b->kind != MEMORY_REGISTERED) return cudaErrorHostMemoryNotRegistered;
    if (b->address != (uintptr_t)p) return cudaErrorInvalidValue;
    enum cuda_error error = cudart_wait(r);
    remove_block(r, b);
    wf_take_back(r->context, p);
    return error;
}

CUDART_EXPORT enum cuda_error cudaHostUnregister(void *p) { CUDART_RUN(dismiss(r, p)); }

static bool is_hosts(const struct cudart_block *b)
{
    return b && (b->kind == MEMORY_HOST || b->kind == MEMORY_REGISTERED);
}

static enum cuda_error device_pointer(struct cudart *r, void **device, void *host)
{
    if (!device || !is_hosts(memory_find_block(r, host))) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    CUDART_RUN(flags ? cudaErrorInvalidValue : device_pointer(r, device, host));
}

static enum cuda_error host_flags(struct cudart *r, unsigned *flags, void *host)
{
    const struct cudart_block *b = memory_find_block(r, host);
    if (!flags || !is_hosts(b)) return cudaErrorInvalidValue;
    *flags = b->flags;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaHostGetFlags(unsigned *flags, void *host)
{
    CUDART_RUN(host_flags(r, flags, host));
}

// -- questions and hints ------------------------------------------------------------------------------------

static enum cuda_error describe(struct cudart *r, struct cuda_pointer *a, const void *p)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED };
    if (!a || !p) return cudaErrorInvalidValue;
    const struct cudart_block *b = memory_find_block(r, p);
    bool is_variable = !b && in_heap(r, p) && memory_is_valid(r, p, 1);
    void *address = (void *)(uintptr_t)p; // NOLINT: the pointer without const
    *a = (struct cuda_pointer){.device = -2};
    if (!b && !is_variable) {
        a->host_pointer = address;
        return cudaSuccess;
    }
    a->device = 0;
    a->kind = !b || b->kind == MEMORY_DEVICE ? DEVICE : b->kind == MEMORY_MANAGED ? MANAGED : HOST;
    a->device_pointer = address;
    a->host_pointer = a->kind == DEVICE ? NULL : address;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaPointerGetAttributes(struct cuda_pointer *a, const void *p)
{
    CUDART_RUN(describe(r, a, p));
}

static enum cuda_error info(struct cudart *r, size_t *free_bytes, size_t *total)
{
    uint64_t used = 0;
    for (size_t i = 0; i < r->blocks.count; i++)
        if (r->blocks.data[i].kind != MEMORY_REGISTERED) used += r->blocks.data[i].bytes;
    if (!free_bytes || !total) return cudaErrorInvalidValue;
    *total = r->memory_bytes;
    *free_bytes = used < r->memory_bytes ? r->memory_bytes - used : 0;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    CUDART_RUN(info(r, free_bytes, total));
}

// Managed memory moves for free: advice and prefetches change nothing. Only the pointers are checked.
static enum cuda_error hint(struct cudart *r, const void *p, size_t bytes)
{
    const struct cudart_block *b = memory_find_block(r, p);
    return b && b->kind != MEMORY_DEVICE && memory_is_valid(r, p, bytes) ? cudaSuccess
                                                                         : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaMemAdvise(const void *p, size_t bytes, int advice,
                                            struct cuda_location where)
{
    (void)advice, (void)where;
    CUDART_RUN(hint(r, p, bytes));
}

// CUDA 13 has flags before the stream, CUDA 11 has not.
CUDART_EXPORT enum cuda_error cudaMemPrefetchAsync(const void *p, size_t bytes, struct cuda_location where,
                                                   uintptr_t flags, struct cuda_stream *s)
{
    (void)where;
    if (cudart_generation < 13) s = (struct cuda_stream *)flags; // NOLINT: the argument of another signature
    CUDART_RUN(stream_of(r, s) ? hint(r, p, bytes) : cudaErrorInvalidResourceHandle);
}

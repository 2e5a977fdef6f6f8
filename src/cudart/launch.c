// Launches of kernels.
#include "cudart/launch.h"
#include "cudart/device.h"
#include "cudart/graph.h"
#include "cudart/hooks.h"
#include "cudart/stream.h"

#include <string.h>

// -- <<<…>>>: the shape is pushed, then popped by the kernel's host function -----------------------------------

enum { CONFIGURATIONS = 16 };
static __thread struct launch_request pushed[CONFIGURATIONS]; // of the host thread
static __thread unsigned pushed_count;

CUDART_EXPORT unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                                   size_t shared_bytes, struct cuda_stream *stream)
{
    if (pushed_count == CONFIGURATIONS) return cudaErrorInvalidConfiguration;
    pushed[pushed_count++] = (struct launch_request){grid, block, shared_bytes, stream, false, {0, 0, 0}};
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                                                         size_t *shared_bytes, struct cuda_stream **stream)
{
    if (!pushed_count) return cudaErrorMissingConfiguration;
    const struct launch_request *q = &pushed[--pushed_count];
    *grid = q->grid;
    *block = q->block;
    *shared_bytes = q->shared_bytes;
    *stream = q->stream;
    return cudaSuccess;
}

// -- checks -------------------------------------------------------------------------------------------------

static struct wf_launch_config shape_of(const struct launch_request *q, struct wf_stream *stream)
{
    return (struct wf_launch_config){.grid = {q->grid.x, q->grid.y, q->grid.z},
                                     .block = {q->block.x, q->block.y, q->block.z},
                                     .cluster = {q->cluster.x, q->cluster.y, q->cluster.z},
                                     .shared_bytes = (uint32_t)q->shared_bytes,
                                     .stream = stream};
}

uint32_t launch_resident(struct wf_kernel *k, const struct cuda_dim3 *block, size_t shared_bytes)
{
    struct launch_request q = {.grid = {1, 1, 1}, .block = *block, .shared_bytes = shared_bytes};
    struct wf_launch_config shape = shape_of(&q, NULL);
    struct wf_occupancy o;
    if ((uint64_t)block->x * block->y * block->z > 1024 || !block->x || !block->y || !block->z) return 0;
    return wf_occupancy_at(k, &shape, 0, &o) ? o.blocks : 0;
}

// Memory for the blocks of cooperative launches to meet in: a place a launch, used again after `WORKSPACES` launches, more
// than can be under way.
enum { WORKSPACES = 256, WORKSPACE_BYTES = 32 };

static uint64_t next_workspace(struct cudart *r)
{
    if (!r->workspaces)
        r->workspaces = wf_alloc_named(r->context, WORKSPACES * WORKSPACE_BYTES, "grid workspaces");
    uint64_t address = r->workspaces + r->cooperative_launches++ % WORKSPACES * WORKSPACE_BYTES;
    void *host = r->workspaces ? wf_host(r->context, address, WORKSPACE_BYTES) : NULL;
    if (host) memset(host, 0, WORKSPACE_BYTES);
    if (host) wf_check_written(r->context, address, WORKSPACE_BYTES);
    return host ? address : 0;
}

static enum cuda_error check(struct cudart *r, const struct cudart_kernel *k, const struct launch_request *q)
{
    const struct wf_kernel_facts *info = wf_kernel_info(k->compiled);
    uint64_t dynamic = k->dynamic_shared_limit                    ? k->dynamic_shared_limit
                       : info->shared_bytes < DEVICE_SHARED_BYTES ? DEVICE_SHARED_BYTES - info->shared_bytes
                                                                  : 0;
    if (q->shared_bytes > dynamic) return cudaErrorInvalidValue;
    if (!q->is_cooperative) return cudaSuccess;
    uint64_t room = (uint64_t)launch_resident(k->compiled, &q->block, q->shared_bytes) * device_sms(r);
    return (uint64_t)q->grid.x * q->grid.y * q->grid.z > room ? cudaErrorCooperativeLaunchTooLarge
                                                              : cudaSuccess;
}

// -- launches -----------------------------------------------------------------------------------------------

// Launches wait in the library until the program waits for them. More than `PENDING` are not kept.
enum { PENDING = 64 };

static void bound_pending(struct cudart *r)
{
    if (r->pending.count - r->settled < PENDING) return;
    r->busy++;
    wf_launch_status(r->pending.data[r->settled].launch);
    r->busy--;
    cudart_settle(r);
}

enum cuda_error launch_in(struct cudart *r, struct cudart_kernel *k, const struct launch_request *q,
                          struct wf_stream *stream, void **args)
{
    struct wf_launch_config shape = shape_of(q, stream);
    struct wf_pending *l;
    enum cuda_error error = check(r, k, q);
    if (error) return error;
    if (q->is_cooperative && !(shape.workspace = next_workspace(r))) return cudaErrorMemoryAllocation;
    cudart_hooks.choose(r->hooked, wf_kernel_info(k->compiled)->name);
    enum wf_status status = wf_launch_async(k->compiled, &shape, (void *const *)args,
                                            wf_kernel_info(k->compiled)->param_count, &l);
    if (status != WF_OK) {
        error = cudart_settle(r);
        return error ? error : cudart_told(r, cudaErrorInvalidConfiguration);
    }
    r->clock.launches++;
    vec_push(&r->pending, ((struct cudart_pending){l, k, shape}));
    bound_pending(r);
    return cudaSuccess;
}

enum cuda_error launch_kernel(struct cudart *r, const void *function, const struct launch_request *q,
                              void **args)
{
    struct cudart_kernel *k = image_kernel(r, function);
    struct cuda_stream *s = stream_of(r, q->stream);
    enum cuda_error error;
    if (!k) return cudaErrorInvalidDeviceFunction;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!image_compiled(r, k, &error)) return error;
    if (s->capture) return graph_capture_kernel(r, s, k, q, args);
    return launch_in(r, k, q, s->stream, args);
}

CUDART_EXPORT enum cuda_error cudaLaunchKernel(const void *function, struct cuda_dim3 grid,
                                               struct cuda_dim3 block, void **args, size_t shared_bytes,
                                               struct cuda_stream *stream)
{
    const struct launch_request q = {grid, block, shared_bytes, stream, false, {0, 0, 0}};
    CUDART_RUN(launch_kernel(r, function, &q, args));
}

CUDART_EXPORT enum cuda_error __cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid,
                                                 struct cuda_dim3 block, void **args, size_t shared_bytes,
                                                 struct cuda_stream *stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}

CUDART_EXPORT enum cuda_error cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid,
                                                          struct cuda_dim3 block, void **args,
                                                          size_t shared_bytes, struct cuda_stream *stream)
{
    const struct launch_request q = {grid, block, shared_bytes, stream, true, {0, 0, 0}};
    CUDART_RUN(launch_kernel(r, function, &q, args));
}

enum cuda_error launch_attributes(struct launch_request *q, const struct cuda_launch_attribute *attributes,
                                  unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cuda_launch_attribute *a = &attributes[i];
        if (a->kind == ATTRIBUTE_COOPERATIVE) q->is_cooperative = a->cooperative;
        if (a->kind == ATTRIBUTE_CLUSTER) q->cluster = a->cluster;
    }
    return cudaSuccess;
}

static enum cuda_error launch_with(struct cudart *r, const struct cuda_launch_config *c, const void *function,
                                   void **args)
{
    struct launch_request q = {c->grid, c->block, c->shared_bytes, c->stream, false, {0, 0, 0}};
    enum cuda_error error = launch_attributes(&q, c->attributes, c->attribute_count);
    return error ? error : launch_kernel(r, function, &q, args);
}

enum cuda_error launch_clusters(struct cudart *r, int *clusters, const void *function,
                                const struct launch_request *q)
{
    enum cuda_error error;
    struct cudart_kernel *k = image_kernel(r, function);
    if (!clusters) return cudaErrorInvalidValue;
    if (!k) return cudaErrorInvalidDeviceFunction;
    struct wf_kernel *w = image_compiled(r, k, &error);
    if (!w) return error;
    const struct wf_launch_config shape = shape_of(q, NULL);
    uint32_t size = q->cluster.x * q->cluster.y * q->cluster.z;
    *clusters = cudart_hooks.gpu(r->hooked) ? (int)wf_clusters_resident(w, &shape)
                                            : device_facts(r)->sms / (int)(size ? size : 1);
    return cudaSuccess;
}

static enum cuda_error max_clusters(struct cudart *r, int *clusters, const void *function,
                                    const struct cuda_launch_config *c)
{
    if (!c) return cudaErrorInvalidValue;
    struct launch_request q = {c->grid, c->block, c->shared_bytes, NULL, false, {0, 0, 0}};
    enum cuda_error error = launch_attributes(&q, c->attributes, c->attribute_count);
    return error ? error : launch_clusters(r, clusters, function, &q);
}

CUDART_EXPORT enum cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                                             const struct cuda_launch_config *config)
{
    CUDART_RUN(max_clusters(r, clusters, function, config));
}

CUDART_EXPORT enum cuda_error cudaLaunchKernelExC(const struct cuda_launch_config *config,
                                                  const void *function, void **args)
{
    CUDART_RUN(config ? launch_with(r, config, function, args) : cudaErrorInvalidValue);
}

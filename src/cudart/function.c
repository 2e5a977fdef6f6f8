// Attributes of kernels, and occupancy.
#include "cudart/device.h"
#include "cudart/hooks.h"
#include "cudart/launch.h"

#include <string.h>

static struct wf_kernel *compiled(struct cudart *r, const void *function, struct cudart_kernel **k,
                                  enum cuda_error *error)
{
    *k = image_kernel(r, function);
    *error = cudaErrorInvalidDeviceFunction;
    return *k ? image_compiled(r, *k, error) : NULL;
}

// Largest block whose registers fit on an SM.
static int max_threads(struct wf_kernel *k)
{
    int threads = 1024;
    while (threads > 32 && !launch_resident(k, &(struct cuda_dim3){(uint32_t)threads, 1, 1}, 0))
        threads -= 32;
    return threads;
}

static enum cuda_error attributes(struct cudart *r, struct cuda_function *a, const void *function)
{
    struct cudart_kernel *k;
    enum cuda_error error;
    struct wf_kernel *w = compiled(r, function, &k, &error);
    if (!a) return cudaErrorInvalidValue;
    if (!w) return error;
    const struct wf_kernel_facts *info = wf_kernel_info(w);
    int architecture = (int)k->image->architecture;
    int dynamic = DEVICE_SHARED_BYTES - (int)info->shared_bytes;
    *a = (struct cuda_function){.shared_bytes = info->shared_bytes,
                                .local_bytes = info->local_bytes + info->stack_bytes,
                                .max_threads = max_threads(w),
                                .registers = (int)info->registers,
                                .ptx_version = architecture,
                                .binary_version = architecture,
                                .max_dynamic_shared =
                                    k->dynamic_shared_limit ? (int)k->dynamic_shared_limit : dynamic,
                                .carve_out = -1};
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaFuncGetAttributes(struct cuda_function *a, const void *function)
{
    CUDART_RUN(attributes(r, a, function));
}

enum { MAX_DYNAMIC_SHARED = 8, CARVE_OUT = 9, ATTRIBUTES = 16 };

static enum cuda_error set_attribute(struct cudart *r, const void *function, int attribute, int value)
{
    struct cudart_kernel *k;
    enum cuda_error error;
    struct wf_kernel *w = compiled(r, function, &k, &error);
    if (!w) return error;
    if (attribute < MAX_DYNAMIC_SHARED || attribute >= ATTRIBUTES) return cudaErrorInvalidValue;
    if (attribute != MAX_DYNAMIC_SHARED) return cudaSuccess; // the carve-out and clusters: hints
    int most = device_facts(r)->shared_optin - (int)wf_kernel_info(w)->shared_bytes;
    if (value < 0 || value > most) return cudaErrorInvalidValue;
    k->dynamic_shared_limit = (uint32_t)value;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    CUDART_RUN(set_attribute(r, function, attribute, value));
}

static enum cuda_error known(struct cudart *r, const void *function)
{
    return image_kernel(r, function) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

CUDART_EXPORT enum cuda_error cudaFuncSetCacheConfig(const void *function, int config)
{
    (void)config;
    CUDART_RUN(known(r, function));
}

CUDART_EXPORT enum cuda_error cudaFuncSetSharedMemConfig(const void *function, int config)
{
    (void)config;
    CUDART_RUN(known(r, function));
}

static enum cuda_error name_of(struct cudart *r, const char **name, const void *function)
{
    const struct cudart_kernel *k = image_kernel(r, function);
    if (!name || !k) return name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *name = k->name;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaFuncGetName(const char **name, const void *function)
{
    CUDART_RUN(name_of(r, name, function));
}

static enum cuda_error param_info(struct cudart *r, const void *function, size_t index, size_t *offset,
                                  size_t *bytes)
{
    struct cudart_kernel *k;
    enum cuda_error error;
    struct wf_kernel *w = compiled(r, function, &k, &error);
    if (!w) return error;
    const struct wf_kernel_facts *info = wf_kernel_info(w);
    if (index >= info->param_count || !offset) return cudaErrorInvalidValue;
    *offset = info->params[index].offset;
    if (bytes) *bytes = info->params[index].bytes;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset,
                                                   size_t *bytes)
{
    CUDART_RUN(param_info(r, function, index, offset, bytes));
}

// -- occupancy ----------------------------------------------------------------------------------------------

static enum cuda_error resident(struct cudart *r, int *blocks, const void *function, int threads,
                                size_t shared_bytes)
{
    struct cudart_kernel *k;
    enum cuda_error error;
    struct wf_kernel *w = compiled(r, function, &k, &error);
    if (!blocks || threads < 1) return cudaErrorInvalidValue;
    if (!w) return error;
    *blocks = (int)launch_resident(w, &(struct cuda_dim3){(uint32_t)threads, 1, 1}, shared_bytes);
    // A functional device: an SM has room for every block that a launch may have.
    bool may_be =
        (uint64_t)wf_kernel_info(w)->shared_bytes + shared_bytes <= (uint64_t)device_facts(r)->shared_optin;
    if (!*blocks && may_be && threads <= 1024 && !cudart_hooks.gpu(r->hooked)) *blocks = 1;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                            int threads, size_t shared_bytes)
{
    CUDART_RUN(resident(r, blocks, function, threads, shared_bytes));
}

CUDART_EXPORT enum cuda_error
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                       size_t shared_bytes, unsigned flags)
{
    (void)flags;
    CUDART_RUN(resident(r, blocks, function, threads, shared_bytes));
}

// Shared memory of an SM in equal parts, less the static part.
static enum cuda_error available_shared(struct cudart *r, size_t *bytes, const void *function, int blocks,
                                        int threads)
{
    struct cudart_kernel *k;
    enum cuda_error error;
    struct wf_kernel *w = compiled(r, function, &k, &error);
    if (!bytes || blocks < 1 || threads < 1) return cudaErrorInvalidValue;
    if (!w) return error;
    size_t part = (size_t)(device_facts(r)->shared_bytes / blocks) / 256 * 256;
    size_t fixed = wf_kernel_info(w)->shared_bytes;
    *bytes = part > fixed ? part - fixed : 0;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                                        int blocks, int threads)
{
    CUDART_RUN(available_shared(r, bytes, function, blocks, threads));
}

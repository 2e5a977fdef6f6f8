// Fat binaries, kernels and variables of the program: what the constructors of nvcc's objects register.
#include "cudart/device.h"
#include "cudart/launch.h"

#include <stdio.h>
#include <string.h>

// -- registration -------------------------------------------------------------------------------------------

CUDART_EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
    struct cudart *r = cudart_enter_plain();
    struct cudart_image *image = heap_alloc(sizeof *image);
    image->is_good = fatbin_open(wrapper, &image->parts);
    vec_push(&r->images, image);
    cudart_leave(r, cudaSuccess);
    return (void **)image;
}

static struct cudart_image *image_of(void **handle) { return (struct cudart_image *)(void *)handle; }

CUDART_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

// Called as the program ends, and as a plug-in is unloaded; the module lives on for launches under way.
CUDART_EXPORT void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

CUDART_EXPORT char __cudaInitModule(void **handle)
{
    struct cudart *r = cudart_enter();
    if (!r->lost) image_place_managed(r, image_of(handle));
    cudart_leave(r, cudaSuccess);
    return 1;
}

struct cudart_kernel *image_add_kernel(struct cudart *r, struct cudart_image *image, const char *name)
{
    struct cudart_kernel *k = heap_alloc(sizeof *k);
    k->image = image;
    k->name = heap_strdup(name);
    u64map_set(&r->functions, (uintptr_t)k, (uint32_t)r->kernels.count);
    vec_push(&r->kernels, k);
    return k;
}

CUDART_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                          int limit, void *thread, void *block_id, void *block, void *grid,
                                          int *warp)
{
    (void)device, (void)limit, (void)thread, (void)block_id, (void)block, (void)grid, (void)warp;
    struct cudart *r = cudart_enter_plain();
    u64map_set(&r->functions, (uintptr_t)host, (uint32_t)r->kernels.count);
    image_add_kernel(r, image_of(handle), name);
    cudart_leave(r, cudaSuccess);
}

static void add_variable(void **handle, const void *shadow, const char *name, uint64_t bytes, void **managed)
{
    struct cudart *r = cudart_enter_plain();
    u64map_set(&r->shadows, (uintptr_t)shadow, (uint32_t)r->variables.count);
    struct cudart_variable *v = heap_alloc(sizeof *v);
    *v = (struct cudart_variable){image_of(handle), heap_strdup(name), bytes, managed};
    vec_push(&r->variables, v);
    cudart_leave(r, cudaSuccess);
}

CUDART_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                                     size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    add_variable(handle, host, name, bytes, NULL);
}

// host: the program's pointer, through which the host reads and writes the variable.
CUDART_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                            int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    add_variable(handle, host, name, bytes, host);
}

// -- modules ------------------------------------------------------------------------------------------------

static enum cuda_error load(struct cudart *r, struct cudart_image *image)
{
    struct fatbin_text text;
    unsigned architecture = device_architecture(r);
    switch (image->is_good ? fatbin_text_of(&image->parts, architecture, &text) : FATBIN_BROKEN) {
    case FATBIN_FOUND: break;
    case FATBIN_NO_PTX:
        cudart_say("the program has machine code without PTX; build it with PTX: nvcc -gencode "
                   "arch=compute_75,code=[sm_75,compute_75], or -arch=sm_75 alone");
        return cudaErrorNoKernelImageForDevice;
    case FATBIN_NO_UNPACKER:
        cudart_say(
            "the program's PTX is packed by zstd, and libzstd.so.1 is missing: install libzstd1, or build "
            "the program with nvcc -no-compress");
        return cudaErrorNoKernelImageForDevice;
    case FATBIN_BROKEN:
        cudart_say("the program's device code cannot be read: no fat binary, or a packed part is broken");
        return cudaErrorInvalidKernelImage;
    }
    image->architecture = text.architecture;
    if (text.architecture > architecture) device_say_newer(r, text.architecture);
    image->module = wf_module_load(r->context, "the program's PTX", text.ptx, text.length);
    free(text.ptx);
    return image->module ? cudaSuccess : cudart_told(r, cudaErrorInvalidPtx);
}

struct wf_module *image_module(struct cudart *r, struct cudart_image *image, enum cuda_error *error)
{
    if (!image->module && !image->error) image->error = load(r, image);
    *error = image->error;
    return image->error ? NULL : image->module;
}

enum cuda_error image_place_managed(struct cudart *r, struct cudart_image *image)
{
    for (size_t i = 0; i < r->variables.count; i++) {
        const struct cudart_variable *v = r->variables.data[i];
        if (v->image != image || !v->managed) continue;
        uint64_t address;
        enum cuda_error error = image_address(r, v, &address);
        if (error) return error;
        *v->managed = (void *)(uintptr_t)address; // NOLINT: device memory is the host's, too
    }
    return cudaSuccess;
}

void image_forget(struct cudart *r)
{
    for (size_t i = 0; i < r->images.count; i++) r->images.data[i]->module = NULL;
    for (size_t i = 0; i < r->kernels.count; i++) r->kernels.data[i]->compiled = NULL;
}

// -- kernels and variables ----------------------------------------------------------------------------------

struct cudart_kernel *image_kernel(struct cudart *r, const void *function)
{
    uint32_t index;
    return u64map_get(&r->functions, (uintptr_t)function, &index) ? r->kernels.data[index] : NULL;
}

static enum cuda_error compile(struct cudart *r, struct cudart_kernel *k)
{
    enum cuda_error error;
    struct wf_module *m = image_module(r, k->image, &error);
    if (!m) return error;
    error = image_place_managed(r, k->image);
    if (error) return error;
    k->compiled = wf_kernel_find(m, k->name);
    return k->compiled ? cudaSuccess : cudart_told(r, cudaErrorNotSupported);
}

struct wf_kernel *image_compiled(struct cudart *r, struct cudart_kernel *k, enum cuda_error *error)
{
    if (!k->compiled && !k->error) k->error = compile(r, k);
    *error = k->error;
    return k->error ? NULL : k->compiled;
}

const struct cudart_variable *image_variable(struct cudart *r, const void *shadow)
{
    uint32_t index;
    return u64map_get(&r->shadows, (uintptr_t)shadow, &index) ? r->variables.data[index] : NULL;
}

enum cuda_error image_address(struct cudart *r, const struct cudart_variable *v, uint64_t *address)
{
    enum cuda_error error;
    struct wf_module *m = image_module(r, v->image, &error);
    if (!m) return error;
    return wf_symbol(m, v->name, address, NULL) == WF_OK ? cudaSuccess
                                                         : cudart_told(r, cudaErrorInvalidSymbol);
}

CUDART_EXPORT enum cuda_error __cudaGetKernel(const void **kernel, const void *function)
{
    struct cudart *r = cudart_enter_plain();
    *kernel = image_kernel(r, function);
    return cudart_leave(r, *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

CUDART_EXPORT enum cuda_error cudaGetKernel(const void **kernel, const void *function)
{
    return __cudaGetKernel(kernel, function);
}

CUDART_EXPORT enum cuda_error cudaGetFuncBySymbol(const void **function, const void *symbol)
{
    return __cudaGetKernel(function, symbol);
}

// Texture and surface references of CUDA 11: variables of the program, to which objects are bound.
#include "base/str.h"
#include "cudart/array.h"
#include "cudart/launch.h"
#include "cudart/memory.h"

#include <string.h>

// The variable's name in the PTX: nvcc registers "::line" and "::a::line" for line and _ZN1a4lineE.
static char *ptx_name(const char *name)
{
    struct strbuf out = {0};
    if (str_starts_with(name, "::")) name += 2;
    bool is_nested = strstr(name, "::") != NULL;
    if (is_nested) strbuf_puts(&out, "_ZN");
    while (is_nested && *name) {
        const char *end = strstr(name, "::");
        size_t length = end ? (size_t)(end - name) : strlen(name);
        strbuf_printf(&out, "%zu%.*s", length, (int)length, name);
        name += length + (end ? 2 : 0);
    }
    strbuf_puts(&out, is_nested ? "E" : name);
    char *copy = heap_strdup(strbuf_text(&out));
    strbuf_fini(&out);
    return copy;
}

static void add_reference(void **handle, const void *host, const char *name, bool is_surface,
                          bool reads_shares)
{
    struct cudart *r = cudart_enter_plain();
    vec_push(&r->references, ((struct cudart_reference){host, (struct cudart_image *)(void *)handle,
                                                        ptx_name(name), is_surface, reads_shares, 0}));
    cudart_leave(r, cudaSuccess);
}

CUDART_EXPORT void __cudaRegisterTexture(void **handle, const struct cuda_texture_reference *host,
                                         const void **device, const char *name, int dimensions,
                                         int reads_shares, int is_extern)
{
    (void)device, (void)dimensions, (void)is_extern;
    add_reference(handle, host, name, false, reads_shares != 0);
}

CUDART_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
                                         const char *name, int dimensions, int is_extern)
{
    (void)device, (void)dimensions, (void)is_extern;
    add_reference(handle, host, name, true, false);
}

// The reference of the program's variable; NULL: not registered.
static struct cudart_reference *reference_of(struct cudart *r, const void *host)
{
    for (size_t i = 0; i < r->references.count; i++)
        if (r->references.data[i].host == host) return &r->references.data[i];
    return NULL;
}

static void unbind(struct cudart *r, struct cudart_reference *ref)
{
    if (ref->handle) texture_destroy(r, ref->handle, ref->is_surface);
    ref->handle = 0;
}

// Puts a new object in place of the one that the reference has.
static enum cuda_error bind(struct cudart *r, struct cudart_reference *ref, uint64_t handle)
{
    enum cuda_error error;
    struct wf_module *m = image_module(r, ref->image, &error);
    if (m && wf_bind_texture(m, ref->name, handle) != WF_OK) error = cudart_told(r, cudaErrorInvalidTexture);
    if (error) {
        texture_destroy(r, handle, ref->is_surface);
        return error;
    }
    unbind(r, ref);
    ref->handle = handle;
    return cudaSuccess;
}

static enum cuda_error bind_texture(struct cudart *r, const struct cuda_texture_reference *host,
                                    const struct cuda_resource *res)
{
    struct cudart_reference *ref = reference_of(r, host);
    uint64_t handle;
    if (!ref || ref->is_surface) return cudaErrorInvalidTexture;
    struct cuda_sampling s = {.filter = host->filter,
                              .read = ref->reads_shares,
                              .normalised_coordinates = host->normalised_coordinates,
                              .mipmap_filter = host->mipmap_filter,
                              .mipmap_bias = host->mipmap_bias,
                              .mipmap_min = host->mipmap_min,
                              .mipmap_max = host->mipmap_max};
    for (int i = 0; i < 3; i++) s.address[i] = host->address[i];
    enum cuda_error error = texture_create(r, &handle, res, &s);
    return error ? error : bind(r, ref, handle);
}

// The default size, the largest 32-bit number, stands for all that follows in the allocation.
CUDART_EXPORT enum cuda_error cudaBindTexture(size_t *offset, const struct cuda_texture_reference *t,
                                              const void *data, const struct cuda_channels *c, size_t bytes)
{
    struct cuda_resource res = {.kind = RESOURCE_LINEAR};
    res.linear.data = (void *)(uintptr_t)data; // NOLINT: not written
    if (c) res.linear.channels = *c;
    struct cudart *r = cudart_enter();
    const struct cudart_block *block = memory_find_block(r, data);
    size_t left = block ? block->address + block->bytes - (uintptr_t)data : 0;
    res.linear.bytes = bytes < left ? bytes : left;
    if (offset) *offset = 0;
    return cudart_leave(r, r->lost ? r->lost : c ? bind_texture(r, t, &res) : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaBindTexture2D(size_t *offset, const struct cuda_texture_reference *t,
                                                const void *data, const struct cuda_channels *c, size_t width,
                                                size_t height, size_t pitch)
{
    struct cuda_resource res = {.kind = RESOURCE_PITCHED};
    res.pitched.data = (void *)(uintptr_t)data; // NOLINT: not written
    if (c) res.pitched.channels = *c;
    res.pitched.width = width;
    res.pitched.height = height;
    res.pitched.pitch_bytes = pitch;
    if (offset) *offset = 0;
    CUDART_RUN(c ? bind_texture(r, t, &res) : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaBindTextureToArray(const struct cuda_texture_reference *t,
                                                     struct cuda_array *a, const struct cuda_channels *c)
{
    (void)c; // the array's own
    const struct cuda_resource res = {.kind = RESOURCE_ARRAY, .array = a};
    CUDART_RUN(bind_texture(r, t, &res));
}

CUDART_EXPORT enum cuda_error cudaBindTextureToMipmappedArray(const struct cuda_texture_reference *t,
                                                              struct cuda_mipmap *m,
                                                              const struct cuda_channels *c)
{
    (void)c;
    const struct cuda_resource res = {.kind = RESOURCE_MIPMAPPED, .mipmap = m};
    CUDART_RUN(bind_texture(r, t, &res));
}

// The object lives on for kernels that would read it: a reference without one cannot be launched.
CUDART_EXPORT enum cuda_error cudaUnbindTexture(const struct cuda_texture_reference *t)
{
    CUDART_RUN(reference_of(r, t) ? cudaSuccess : cudaErrorInvalidTexture);
}

CUDART_EXPORT enum cuda_error cudaGetTextureAlignmentOffset(size_t *offset,
                                                            const struct cuda_texture_reference *t)
{
    if (offset) *offset = 0;
    CUDART_RUN(!offset ? cudaErrorInvalidValue : reference_of(r, t) ? cudaSuccess : cudaErrorInvalidTexture);
}

static enum cuda_error find_reference(struct cudart *r, const void **reference, const void *symbol,
                                      bool is_surface)
{
    const struct cudart_reference *ref = reference_of(r, symbol);
    if (!reference) return cudaErrorInvalidValue;
    if (!ref || ref->is_surface != is_surface)
        return is_surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
    *reference = symbol;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGetTextureReference(const void **reference, const void *symbol)
{
    CUDART_RUN(find_reference(r, reference, symbol, false));
}

CUDART_EXPORT enum cuda_error cudaGetSurfaceReference(const void **reference, const void *symbol)
{
    CUDART_RUN(find_reference(r, reference, symbol, true));
}

static enum cuda_error bind_surface(struct cudart *r, const void *host, const struct cuda_resource *res)
{
    struct cudart_reference *ref = reference_of(r, host);
    uint64_t handle;
    if (!ref || !ref->is_surface) return cudaErrorInvalidSurface;
    enum cuda_error error = surface_create(r, &handle, res);
    return error ? error : bind(r, ref, handle);
}

CUDART_EXPORT enum cuda_error cudaBindSurfaceToArray(const void *s, struct cuda_array *a,
                                                     const struct cuda_channels *c)
{
    (void)c;
    const struct cuda_resource res = {.kind = RESOURCE_ARRAY, .array = a};
    CUDART_RUN(bind_surface(r, s, &res));
}

void reference_forget(struct cudart *r)
{
    for (size_t i = 0; i < r->references.count; i++) r->references.data[i].handle = 0;
    r->textures.count = 0;
}

// Texture objects over arrays and linear memory.
#include "cudart/array.h"
#include "cudart/device.h"
#include "cudart/memory.h"

#include <string.h>

static bool texel_of(const struct cuda_channels *c, struct wf_texture_config *t)
{
    static const enum wf_texel texels[][3] = {
        // signed, unsigned, float
        {WF_TEXEL_S8, WF_TEXEL_U8, WF_TEXEL_U8},
        {WF_TEXEL_S16, WF_TEXEL_U16, WF_TEXEL_F16},
        {WF_TEXEL_S32, WF_TEXEL_U32, WF_TEXEL_F32},
    };
    if (!array_texel_bytes(c)) return false;
    t->texel = texels[c->x == 8 ? 0 : c->x == 16 ? 1 : 2][c->kind];
    t->channels = 1 + (unsigned)(c->y > 0) + (unsigned)(c->z > 0) + (unsigned)(c->w > 0);
    return true;
}

// Address and shape of the texels.
static enum cuda_error lay_out(struct cudart *r, const struct cuda_resource *res, struct wf_texture_config *t,
                               uint64_t *address)
{
    switch (res->kind) {
    case RESOURCE_ARRAY: {
        const struct cuda_array *a = res->array;
        if (!cudart_is(r, a, CUDART_ARRAY)) return cudaErrorInvalidResourceHandle;
        *address = a->address;
        t->width = (uint32_t)a->extent.width;
        t->height = (uint32_t)a->extent.height;
        t->depth = (uint32_t)a->extent.depth;
        return texel_of(&a->channels, t) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    }
    case RESOURCE_LINEAR:
        if (!texel_of(&res->linear.channels, t)) return cudaErrorInvalidChannelDescriptor;
        *address = (uintptr_t)res->linear.data;
        t->width = (uint32_t)(res->linear.bytes / array_texel_bytes(&res->linear.channels));
        return cudaSuccess;
    case RESOURCE_PITCHED:
        if (!texel_of(&res->pitched.channels, t)) return cudaErrorInvalidChannelDescriptor;
        *address = (uintptr_t)res->pitched.data;
        t->width = (uint32_t)res->pitched.width;
        t->height = (uint32_t)res->pitched.height;
        t->pitch_bytes = (uint32_t)res->pitched.pitch_bytes;
        return cudaSuccess;
    case RESOURCE_MIPMAPPED: return cudart_absent("a texture over a mipmapped array");
    default: return cudaErrorInvalidValue;
    }
}

static enum wf_address address_mode(int mode)
{
    static const enum wf_address modes[] = {WF_ADDRESS_WRAP, WF_ADDRESS_CLAMP, WF_ADDRESS_MIRROR,
                                            WF_ADDRESS_BORDER};
    return modes[mode & 3];
}

static enum cuda_error create(struct cudart *r, uint64_t *texture, const struct cuda_resource *res,
                              const struct cuda_sampling *s)
{
    struct wf_texture_config t = {0};
    uint64_t address = 0;
    if (!texture || !res || !s) return cudaErrorInvalidValue;
    enum cuda_error error = lay_out(r, res, &t, &address);
    if (error) return error;
    t.normalised_coordinates = s->normalised_coordinates;
    t.normalised_read = s->read && t.texel <= WF_TEXEL_S16;
    t.filter = s->filter && res->kind != RESOURCE_LINEAR ? WF_FILTER_LINEAR : WF_FILTER_POINT;
    for (int i = 0; i < 3; i++) t.address[i] = address_mode(s->address[i]);
    *texture = wf_texture_create(r->context, address, &t);
    if (!*texture) return cudart_told(r, cudaErrorInvalidValue);
    vec_push(&r->textures, ((struct cudart_texture){*texture, *res, *s}));
    return cudaSuccess;
}

// view: a part of the resource, or another format. Only the whole resource is there.
CUDART_EXPORT enum cuda_error cudaCreateTextureObject(uint64_t *texture, const struct cuda_resource *res,
                                                      const struct cuda_sampling *s, const void *view)
{
    if (view) return cudart_absent("a resource view of cudaCreateTextureObject");
    CUDART_RUN(create(r, texture, res, s));
}

// Index in r->textures; SIZE_MAX: none.
static size_t find(const struct cudart *r, uint64_t texture)
{
    for (size_t i = 0; i < r->textures.count; i++)
        if (r->textures.data[i].handle == texture) return i;
    return SIZE_MAX;
}

static enum cuda_error destroy(struct cudart *r, uint64_t texture)
{
    size_t at = find(r, texture);
    if (!texture) return cudaSuccess;
    if (at == SIZE_MAX) return cudaErrorInvalidValue;
    r->textures.data[at] = vec_last(&r->textures);
    r->textures.count--;
    wf_texture_destroy(r->context, texture);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDestroyTextureObject(uint64_t texture) { CUDART_RUN(destroy(r, texture)); }

static enum cuda_error describe(struct cudart *r, struct cuda_resource *res, struct cuda_sampling *s,
                                uint64_t texture)
{
    size_t at = find(r, texture);
    if (at == SIZE_MAX || (!res && !s)) return cudaErrorInvalidValue;
    if (res) *res = r->textures.data[at].resource;
    if (s) *s = r->textures.data[at].sampling;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGetTextureObjectResourceDesc(struct cuda_resource *res, uint64_t texture)
{
    CUDART_RUN(describe(r, res, NULL, texture));
}

CUDART_EXPORT enum cuda_error cudaGetTextureObjectTextureDesc(struct cuda_sampling *s, uint64_t texture)
{
    CUDART_RUN(describe(r, NULL, s, texture));
}

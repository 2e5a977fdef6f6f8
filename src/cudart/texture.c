// Texture and surface objects over arrays and linear memory.
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

static enum cuda_error lay_out_array(const struct cuda_array *a, struct wf_texture_config *t,
                                     uint64_t *address)
{
    *address = a->address;
    t->width = (uint32_t)a->extent.width;
    t->height = (uint32_t)a->extent.height;
    t->depth = (uint32_t)a->extent.depth;
    t->layered = a->flags & ARRAY_LAYERED;
    t->cube = a->flags & ARRAY_CUBE;
    return texel_of(&a->channels, t) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

// Address and shape of the texels.
static enum cuda_error lay_out(struct cudart *r, const struct cuda_resource *res, struct wf_texture_config *t,
                               uint64_t *address)
{
    switch (res->kind) {
    case RESOURCE_ARRAY:
        if (!cudart_is(r, res->array, CUDART_ARRAY)) return cudaErrorInvalidResourceHandle;
        return lay_out_array(res->array, t, address);
    case RESOURCE_MIPMAPPED:
        if (!cudart_is(r, res->mipmap, CUDART_MIPMAP)) return cudaErrorInvalidResourceHandle;
        t->levels = res->mipmap->levels;
        return lay_out_array(&res->mipmap->level[0], t, address);
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
    default: return cudaErrorInvalidValue;
    }
}

static enum wf_address address_mode(int mode)
{
    static const enum wf_address modes[] = {WF_ADDRESS_WRAP, WF_ADDRESS_CLAMP, WF_ADDRESS_MIRROR,
                                            WF_ADDRESS_BORDER};
    return modes[mode & 3];
}

enum cuda_error texture_create(struct cudart *r, uint64_t *texture, const struct cuda_resource *res,
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
    t.level_filter = s->mipmap_filter && t.levels > 1 ? WF_FILTER_LINEAR : WF_FILTER_POINT;
    t.level_bias = s->mipmap_bias;
    t.level_least = s->mipmap_min;
    t.level_most = s->mipmap_max;
    // a mipmap whose limits are 0 both has its first level alone
    if (t.levels > 1 && t.level_least == 0 && t.level_most == 0) t.levels = 1;
    *texture = wf_texture_create(r->context, address, &t);
    if (!*texture) return cudart_told(r, cudaErrorInvalidValue);
    vec_push(&r->textures, ((struct cudart_texture){*texture, *res, *s, false}));
    return cudaSuccess;
}

// view: a part of the resource, or another format. Only the whole resource is there.
CUDART_EXPORT enum cuda_error cudaCreateTextureObject(uint64_t *texture, const struct cuda_resource *res,
                                                      const struct cuda_sampling *s, const void *view)
{
    if (view) return cudart_absent("a resource view of cudaCreateTextureObject");
    CUDART_RUN(texture_create(r, texture, res, s));
}

// Index in r->textures; SIZE_MAX: none.
static size_t find(const struct cudart *r, uint64_t texture, bool is_surface)
{
    for (size_t i = 0; i < r->textures.count; i++)
        if (r->textures.data[i].handle == texture && r->textures.data[i].is_surface == is_surface) return i;
    return SIZE_MAX;
}

enum cuda_error texture_destroy(struct cudart *r, uint64_t texture, bool is_surface)
{
    size_t at = find(r, texture, is_surface);
    if (!texture) return cudaSuccess;
    if (at == SIZE_MAX) return cudaErrorInvalidValue;
    r->textures.data[at] = vec_last(&r->textures);
    r->textures.count--;
    wf_texture_destroy(r->context, texture);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDestroyTextureObject(uint64_t texture)
{
    CUDART_RUN(texture_destroy(r, texture, false));
}

static enum cuda_error describe(struct cudart *r, struct cuda_resource *res, struct cuda_sampling *s,
                                uint64_t texture)
{
    size_t at = find(r, texture, false);
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

// -- surface objects ----------------------------------------------------------------------------------------

enum cuda_error surface_create(struct cudart *r, uint64_t *surface, const struct cuda_resource *res)
{
    struct wf_texture_config t = {0};
    uint64_t address = 0;
    if (!surface || !res || res->kind != RESOURCE_ARRAY) return cudaErrorInvalidValue;
    enum cuda_error error = lay_out(r, res, &t, &address);
    if (error) return error;
    t.cube = false; // the faces are layers
    t.layered = t.layered || res->array->flags & ARRAY_CUBE;
    *surface = wf_texture_create(r->context, address, &t);
    if (!*surface) return cudart_told(r, cudaErrorInvalidValue);
    vec_push(&r->textures, ((struct cudart_texture){*surface, *res, {.read = 0}, true}));
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaCreateSurfaceObject(uint64_t *surface, const struct cuda_resource *res)
{
    CUDART_RUN(surface_create(r, surface, res));
}

CUDART_EXPORT enum cuda_error cudaDestroySurfaceObject(uint64_t surface)
{
    CUDART_RUN(texture_destroy(r, surface, true));
}

static enum cuda_error describe_surface(struct cudart *r, struct cuda_resource *res, uint64_t surface)
{
    size_t at = find(r, surface, true);
    if (at == SIZE_MAX || !res) return cudaErrorInvalidValue;
    *res = r->textures.data[at].resource;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGetSurfaceObjectResourceDesc(struct cuda_resource *res, uint64_t surface)
{
    CUDART_RUN(describe_surface(r, res, surface));
}

// Texture objects: a shape and a sampling mode over device memory.
#include "api/impl.h"
#include "exec/memory.h"
#include "isa/fields.h"

static enum isa_type texel_type(enum wf_texel texel)
{
    switch (texel) {
    case WF_TEXEL_U8: return TYPE_U8;
    case WF_TEXEL_S8: return TYPE_S8;
    case WF_TEXEL_U16: return TYPE_U16;
    case WF_TEXEL_S16: return TYPE_S16;
    case WF_TEXEL_U32: return TYPE_U32;
    case WF_TEXEL_S32: return TYPE_S32;
    case WF_TEXEL_F16: return TYPE_F16;
    case WF_TEXEL_F32: return TYPE_F32;
    }
    return TYPE_NONE;
}

static enum texture_address address_mode(enum wf_address mode)
{
    switch (mode) {
    case WF_ADDRESS_WRAP: return TEXTURE_WRAP;
    case WF_ADDRESS_CLAMP: return TEXTURE_CLAMP;
    case WF_ADDRESS_MIRROR: return TEXTURE_MIRROR;
    case WF_ADDRESS_BORDER: return TEXTURE_BORDER;
    }
    return TEXTURE_CLAMP;
}

static enum texture_filter filter_mode(enum wf_filter filter)
{
    return filter == WF_FILTER_LINEAR ? TEXTURE_LINEAR : TEXTURE_POINT;
}

// Levels of a mipmap down to one texel.
static unsigned most_levels(const struct wf_texture_config *t)
{
    uint32_t largest = t->width > t->height ? t->width : t->height;
    unsigned levels = 1;
    if (!t->layered && !t->cube && t->depth > largest) largest = t->depth;
    while (largest >>= 1) levels++;
    return levels;
}

// Bytes of the levels behind the first.
static uint64_t smaller_levels(const struct wf_texture_config *t, uint64_t texel_bytes)
{
    bool has_layers = t->layered || t->cube;
    uint64_t bytes = 0;
    for (unsigned k = 1; k < t->levels; k++)
        bytes += texture_extent(t->width, k) * texel_bytes * (t->height ? texture_extent(t->height, k) : 1) *
                 (!t->depth    ? 1
                  : has_layers ? t->depth
                               : texture_extent(t->depth, k));
    return bytes;
}

// The error in a description, or NULL. Size limits, after compute capability 7.5: 2^28 texels in one
// dimension (linear memory), else 2^17 x 2^17 x 2^14.
static const char *check(const struct wf_texture_config *t, enum isa_type type)
{
    if (type == TYPE_NONE) return "unknown texel type";
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) return "channels must be 1, 2 or 4";
    if (!t->width) return "width must not be 0";
    if (t->depth && !t->height && !t->layered) return "a texture with depth needs a height";
    if (t->layered && !t->depth) return "a layered texture needs a depth: the number of layers";
    if (t->cube && (t->width != t->height || !t->depth || t->depth % 6 || (t->depth > 6 && !t->layered)))
        return "a cube needs faces as high as wide, and a depth of 6, or with layers of 6 for each";
    if (t->levels > most_levels(t)) return "more levels than until one texel is left";
    if (t->width > 1u << 28 || (t->height && t->width > 1u << 17) || t->height > 1u << 17 ||
        t->depth > 1u << 14)
        return "too large: at most 2^28 texels in one dimension, 2^17 x 2^17 x 2^14 in more";
    bool filters = t->filter == WF_FILTER_LINEAR || (t->levels > 1 && t->level_filter == WF_FILTER_LINEAR);
    if (filters && !t->normalised_read && type != TYPE_F16 && type != TYPE_F32)
        return "linear filtering needs float texels or normalised reads";
    if (t->normalised_read && type != TYPE_U8 && type != TYPE_S8 && type != TYPE_U16 && type != TYPE_S16)
        return "normalised reads need 8- or 16-bit integer texels";
    return NULL;
}

uint64_t wf_texture_create(struct wf_context *c, uint64_t data, const struct wf_texture_config *t)
{
    enum isa_type type = texel_type(t->texel);
    const char *wrong = check(t, type);
    if (wrong) {
        diag_error(&c->diag, loc_none(), "texture: %s", wrong);
        return 0;
    }
    uint64_t texel_bytes = t->channels * isa_type_bytes(type), row_bytes = t->width * texel_bytes;
    uint64_t pitch = t->pitch_bytes ? t->pitch_bytes : row_bytes;
    uint64_t rows = (uint64_t)(t->height ? t->height : 1) * (t->depth ? t->depth : 1);
    if (pitch < row_bytes || pitch > UINT32_MAX) {
        diag_error(&c->diag, loc_none(), "texture: a pitch of %llu bytes for rows of %llu",
                   (unsigned long long)pitch, (unsigned long long)row_bytes);
        return 0;
    }
    uint64_t bytes =
        t->levels > 1 ? pitch * rows + smaller_levels(t, texel_bytes) : pitch * (rows - 1) + row_bytes;
    if (!memory_host(api_memory(c), data, bytes)) {
        struct strbuf where = {0};
        memory_describe(c->memory, data, &where);
        diag_error(&c->diag, loc_none(), "texture: %llu bytes at 0x%llx are not in one allocation: %s",
                   (unsigned long long)bytes, (unsigned long long)data, strbuf_text(&where));
        strbuf_fini(&where);
        return 0;
    }
    struct texture texture = {.data = data,
                              .width = t->width,
                              .height = t->height,
                              .depth = t->depth,
                              .pitch_bytes = (uint32_t)pitch,
                              .type = (uint8_t)type,
                              .channels = (uint8_t)t->channels,
                              .normalised_coordinates = t->normalised_coordinates,
                              .normalised_read = t->normalised_read,
                              .layered = t->layered,
                              .cube = t->cube,
                              .levels = (uint8_t)t->levels,
                              .filter = filter_mode(t->filter),
                              .level_filter = filter_mode(t->level_filter),
                              .level_bias = t->level_bias,
                              .level_least = t->level_least,
                              .level_most = t->level_least != 0 || t->level_most != 0 ? t->level_most
                                                                                      : (float)t->levels};
    for (int i = 0; i < 3; i++) texture.address[i] = address_mode(t->address[i]);
    for (size_t i = 0; i < c->textures.count; i++) // a destroyed texture has no channels
        if (!c->textures.data[i].channels) {
            c->textures.data[i] = texture;
            return i + 1;
        }
    vec_push(&c->textures, texture);
    return c->textures.count;
}

enum wf_status wf_texture_destroy(struct wf_context *c, uint64_t texture)
{
    if (!texture || texture > c->textures.count || !c->textures.data[texture - 1].channels) {
        diag_error(&c->diag, loc_none(), "0x%llx is no texture", (unsigned long long)texture);
        return WF_BAD_INPUT;
    }
    c->textures.data[texture - 1] = (struct texture){0};
    return WF_OK;
}

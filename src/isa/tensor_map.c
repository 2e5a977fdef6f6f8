// Tensor maps: see tensor_map.h. Flags, word 2:
//
//      21  20 19  18 17  16   15   14 13   12 11   10..7  6..4    0
//     ┌───┬──────┬──────┬────┬─────┬────────┬──────┬──────┬──────┬──────┐
//     │big│atoms │ L2   │tf32│ NaN │swizzle │inter.│ type │rank-1│im2col│    big: 65,536 elements or more
//     └───┴──────┴──────┴────┴─────┴────────┴──────┴──────┴──────┴──────┘
#include "isa/tensor_map.h"

#include <string.h>

enum {
    FLAGS = 2,
    STRIDES = 3,
    SIZES = 8,
    STEPS = 13,
    BOX = 14,
    PIXELS = 15,
    BYTES = 16,
    SWIZZLE = 18,
    TF32_BIT = 16
};

static const struct {
    uint8_t code, bytes;
    bool is_tf32, is_float;
} types[TENSOR_TYPES] = {[TENSOR_U8] = {0, 1, false, false},     [TENSOR_U16] = {1, 2, false, false},
                         [TENSOR_U32] = {2, 4, false, false},    [TENSOR_S32] = {3, 4, false, false},
                         [TENSOR_U64] = {4, 8, false, false},    [TENSOR_S64] = {5, 8, false, false},
                         [TENSOR_F16] = {6, 2, false, true},     [TENSOR_F32] = {7, 4, false, true},
                         [TENSOR_F64] = {9, 8, false, true},     [TENSOR_BF16] = {10, 2, false, true},
                         [TENSOR_F32_FTZ] = {8, 4, false, true}, [TENSOR_TF32] = {7, 4, true, true},
                         [TENSOR_TF32_FTZ] = {8, 4, true, true}};

unsigned tensor_type_bytes(enum tensor_type type) { return types[type].bytes; }

static const char *wrong_dimension(const struct tensor_map *m, unsigned k)
{
    if (m->sizes[k] < 1 || m->sizes[k] > 1ull << 32) return "a size outside 1 to 2^32";
    if (m->steps[k] < 1 || m->steps[k] > 8) return "an element stride outside 1 to 8";
    if (k && (m->strides[k] % 16 || m->strides[k] >= 1ull << 36))
        return "a stride that is no multiple of 16 below 2^36";
    if (m->box[k] < 1 || m->box[k] > 256) return "a box outside 1 to 256";
    return NULL;
}

static const char *wrong(const struct tensor_map *m)
{
    if (m->type >= TENSOR_TYPES) return "an unknown type";
    if (m->rank < 1 || m->rank > TENSOR_RANK_MAX) return "a rank outside 1 to 5";
    if (m->address % 16) return "an address that is no multiple of 16";
    if (m->swizzle > 3) return "a swizzle of other atoms than 16 bytes";
    if (m->fills_nan && !types[m->type].is_float) return "NaN as the fill of integers";
    for (unsigned k = 0; k < m->rank; k++)
        if (wrong_dimension(m, k)) return wrong_dimension(m, k);
    uint64_t row = m->box[0] * (uint64_t)types[m->type].bytes;
    if (row % 16) return "a row of the box that is no multiple of 16 bytes";
    if (m->swizzle && row > 16u << m->swizzle) return "a row of the box longer than the swizzle";
    return NULL;
}

const char *tensor_map_encode(const struct tensor_map *m, uint32_t words[TENSOR_MAP_WORDS])
{
    static const uint16_t swizzles[] = {0x10, 0x100, 0x200, 0x400};
    const char *why = wrong(m);
    uint64_t elements = 1, bytes = 0;
    if (why) return why;
    memset(words, 0, TENSOR_MAP_WORDS * sizeof *words);
    words[0] = (uint32_t)m->address;
    words[1] = (uint32_t)(m->address >> 32);
    bytes = types[m->type].bytes;
    for (unsigned k = 0; k < m->rank; k++) {
        if (k) words[STRIDES + k - 1] = (uint32_t)(m->strides[k] / 16);
        words[SIZES + k] = (uint32_t)(m->sizes[k] - 1);
        words[STEPS] |= (m->steps[k] - 1) << 3 * k;
        elements = elements > 65535 ? elements : elements * m->sizes[k];
        bytes *= m->box[k] / m->steps[k];
        if (k) words[BOX] |= (m->box[k] - 1) << 8 * (k - 1);
    }
    words[STEPS] |= (m->box[0] - 1) << 24;
    words[BYTES] = (uint32_t)bytes;
    words[SWIZZLE] = swizzles[m->swizzle];
    words[FLAGS] = (m->rank - 1u) << 4 | (uint32_t)types[m->type].code << 7 | (uint32_t)m->swizzle << 13 |
                   (uint32_t)m->fills_nan << 15 | (uint32_t)types[m->type].is_tf32 << TF32_BIT |
                   (m->promotion & 3u) << 17 | (uint32_t)(elements > 65535) << 21;
    return NULL;
}

bool tensor_map_decode(struct tensor_map *m, const uint32_t words[TENSOR_MAP_WORDS])
{
    uint32_t flags = words[FLAGS];
    *m = (struct tensor_map){.address = (uint64_t)words[1] << 32 | words[0],
                             .type = TENSOR_TYPES,
                             .rank = (uint8_t)((flags >> 4 & 7) + 1),
                             .swizzle = flags >> 13 & 3,
                             .promotion = flags >> 17 & 3,
                             .fills_nan = flags >> 15 & 1};
    for (unsigned t = 0; t < TENSOR_TYPES; t++)
        if (types[t].code == (flags >> 7 & 15) && types[t].is_tf32 == (flags >> TF32_BIT & 1))
            m->type = (uint8_t)t;
    if (m->type == TENSOR_TYPES || m->rank > TENSOR_RANK_MAX || flags & 1 || flags >> 11 & 3 ||
        flags >> 19 & 3)
        return false;
    for (unsigned k = 0; k < m->rank; k++) {
        m->strides[k] = k ? 16ull * words[STRIDES + k - 1] : types[m->type].bytes;
        m->sizes[k] = words[SIZES + k] + 1ull;
        m->steps[k] = (words[STEPS] >> 3 * k & 7) + 1;
        m->box[k] = (k ? words[BOX] >> 8 * (k - 1) & 255 : words[STEPS] >> 24) + 1;
    }
    return !wrong(m);
}

// Addresses of the lanes of a load or store, and moves of the data: for memory.c and flat.c.
#pragma once
#include "exec/fast.h"

// Per lane of the warp's vector k: number of the lane in the warp times `size`.
static inline vu lane_steps(unsigned k, uint32_t size)
{
    vu r;
    for (unsigned n = 0; n < VECTOR_LANES; n++) r[n] = (k * VECTOR_LANES + n) * size;
    return r;
}

static inline uint32_t first_word(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}
static inline uint32_t lane_word(const uint8_t *p, unsigned lane)
{
    uint32_t x;
    memcpy(&x, p + 4 * lane, 4);
    return x;
}

// True when the lower word of lane n's address is lane 0's plus n * size, modulo 2^32, and the upper words
// are equal. high: upper words of 64-bit addresses; NULL: 32-bit addresses.
static inline bool is_row(const uint8_t *low, const uint8_t *high, uint32_t size)
{
    vu difference = splat(0), base = splat(first_word(low));
    EACH_VECTOR(k) difference |= simd_load(low, k) ^ (base + lane_steps(k, size));
    if (high) {
        vu upper = splat(first_word(high));
        EACH_VECTOR(k) difference |= simd_load(high, k) ^ upper;
    }
    return is_zero(difference);
}

// Whether a row of `size` bytes a lane from the first address on stays below 2^32: no lane wraps around.
static inline bool stays_below(uint32_t first, unsigned size)
{
    return (uint64_t)first + (uint64_t)(FAST_LANES - 1) * size <= UINT32_MAX;
}

// -- offsets ------------------------------------------------------------------------------------------------
struct places {
    uint8_t *base; // of the lowest address
    // Per lane: bytes from base. An inactive lane has an active lane's offset; after flat.c's spread_stacks,
    // the offset of the same byte in the inactive lane's own stack.
    _Alignas(64) uint32_t offset[FAST_LANES];
};

static inline uint32_t lowest(vu x)
{
    uint32_t r = x[0];
    for (unsigned n = 1; n < VECTOR_LANES; n++) r = x[n] < r ? x[n] : r;
    return r;
}
static inline uint32_t highest(vu x)
{
    uint32_t r = x[0];
    for (unsigned n = 1; n < VECTOR_LANES; n++) r = x[n] > r ? x[n] : r;
    return r;
}

// Fills p->offset from the lanes' address registers, relative to *least. Over active lanes, *least and *most:
// lowest and highest lower word; *bits: OR of the lower words. False: the active lanes' upper words differ.
static inline bool gather_offsets(const uint8_t *low, const uint8_t *high, uint64_t active, struct places *p,
                                  uint32_t *least, uint32_t *most, uint32_t *bits)
{
    unsigned first = bit_lowest(active);
    vu someone = splat(lane_word(low, first)), min = someone, max = someone, any = splat(0),
       different = splat(0);
    vu upper = splat(high ? lane_word(high, first) : 0);
    EACH_VECTOR(k)
    {
        vm m = mask_part(active, k);
        vu x = choose(m, simd_load(low, k), someone);
        if (high) different |= choose(m, simd_load(high, k), upper) ^ upper;
        min = choose(less_u(x, min), x, min);
        max = choose(less_u(max, x), x, max);
        any |= x;
        simd_store((uint8_t *)p->offset, k, x);
    }
    *least = lowest(min);
    *most = highest(max);
    uint32_t together = 0;
    for (unsigned n = 0; n < VECTOR_LANES; n++) together |= any[n];
    *bits = together;
    vu base = splat(*least);
    EACH_VECTOR(k) simd_store((uint8_t *)p->offset, k, simd_load((const uint8_t *)p->offset, k) - base);
    return is_zero(different);
}

// -- moving lanes -------------------------------------------------------------------------------------------
static inline vu gather_words(const uint8_t *base, vu offset)
{
#if FAST_BITS == 512
    return (vu)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif FAST_BITS == 256
    return (vu)_mm256_i32gather_epi32((const int *)(const void *)base, (__m256i)offset, 1);
#else
    vu r;
    for (unsigned n = 0; n < VECTOR_LANES; n++) r[n] = lane_word(base + offset[n], 0);
    return r;
#endif
}

static inline bool all_of(uint64_t active, unsigned k)
{
    return ((active >> (k * VECTOR_LANES)) & bit_mask(VECTOR_LANES)) == bit_mask(VECTOR_LANES);
}

// True when all offsets are below 2^31; gather instructions take larger offsets as negative.
static inline bool near(const struct places *p)
{
    vu any = splat(0);
    EACH_VECTOR(k) any |= simd_load((const uint8_t *)p->offset, k);
    return is_zero(any & 0x80000000u);
}

static inline void read_words(const struct places *p, uint8_t *to, uint64_t active)
{
    EACH_VECTOR(k)
    {
        vu o = simd_load((const uint8_t *)p->offset, k);
        vu row = o ^ (splat(o[0]) + lane_steps(k, 4) - splat(k * VECTOR_LANES * 4));
        vu v =
            all_of(active, k) && is_zero(row) ? simd_load_anywhere(p->base + o[0]) : gather_words(p->base, o);
        simd_store_masked(to, k, mask_part(active, k), v);
    }
}

static inline void read_groups(const struct places *p, uint8_t *to, uint64_t active, unsigned words)
{
    for (unsigned n = 0; n < words; n++) EACH_VECTOR(k)
        {
            vu v = gather_words(p->base + 4 * n, simd_load((const uint8_t *)p->offset, k));
            simd_store_masked(to + n * REGISTER_BYTES, k, mask_part(active, k), v);
        }
}

static inline uint32_t narrow(const uint8_t *from, enum isa_type type)
{
    uint16_t half;
    switch ((int)type) {
    case TYPE_U8: return *from;
    case TYPE_S8: return (uint32_t)(int8_t)*from;
    }
    memcpy(&half, from, 2);
    return type == TYPE_U16 ? half : (uint32_t)(int16_t)half;
}

static inline void read_narrow(const struct places *p, uint8_t *to, uint64_t active, enum isa_type type)
{
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        uint32_t x = narrow(p->base + p->offset[l], type);
        memcpy(to + 4 * l, &x, 4);
    }
}

static inline void write_words(const struct places *p, const uint8_t *from, uint64_t active, unsigned words)
{
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        uint8_t *at = p->base + p->offset[l];
        for (unsigned n = 0; n < words; n++) memcpy(at + 4 * n, from + n * REGISTER_BYTES + 4 * l, 4);
    }
}

static inline void write_rows(const struct places *p, const uint8_t *from, uint64_t active)
{
    EACH_VECTOR(k)
    {
        vu o = simd_load((const uint8_t *)p->offset, k);
        vu row = o ^ (splat(o[0]) + lane_steps(k, 4) - splat(k * VECTOR_LANES * 4));
        if (all_of(active, k) && is_zero(row)) {
            simd_store_anywhere(p->base + o[0], simd_load(from, k));
        } else {
            write_words(p, from, active & bit_mask(VECTOR_LANES) << (k * VECTOR_LANES), 1);
        }
    }
}

static inline void write_narrow(const struct places *p, const uint8_t *from, uint64_t active, unsigned bytes)
{
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        memcpy(p->base + p->offset[l], from + 4 * l, bytes);
    }
}

// read_places loads, write_places stores the data of all active lanes. `type` is a compile-time constant in
// each form.
static inline void read_places(const struct places *p, uint8_t *to, uint64_t active, enum isa_type type)
{
    if (type == TYPE_B32)
        read_words(p, to, active);
    else if (type == TYPE_B64)
        read_groups(p, to, active, 2);
    else if (type == TYPE_B128)
        read_groups(p, to, active, 4);
    else
        read_narrow(p, to, active, type);
}
static inline void write_places(const struct places *p, const uint8_t *from, uint64_t active,
                                enum isa_type type)
{
    if (type == TYPE_B32)
        write_rows(p, from, active);
    else if (type == TYPE_B64)
        write_words(p, from, active, 2);
    else if (type == TYPE_B128)
        write_words(p, from, active, 4);
    else
        write_narrow(p, from, active, type == TYPE_U8 || type == TYPE_S8 ? 1 : 2);
}
static inline unsigned bytes_of(enum isa_type type)
{
    return type == TYPE_B128 ? 16 : type == TYPE_B64 ? 8 : type == TYPE_B32 ? 4 : type <= TYPE_S8 ? 1 : 2;
}

// Rows of 4, 8 or 16 bytes per lane.
static inline void read_row(const uint8_t *restrict from, uint8_t *restrict to, unsigned words)
{
    if (words == 1) {
        EACH_VECTOR(k) simd_store(to, k, simd_load_anywhere(from + k * sizeof(vu)));
        return;
    }
    for (unsigned n = 0; n < words; n++) {
        uint32_t *column = (uint32_t *)(void *)(to + n * REGISTER_BYTES);
        for (unsigned l = 0; l < FAST_LANES; l++) column[l] = lane_word(from + 4 * n, l * words);
    }
}
static inline void write_row(uint8_t *restrict to, const uint8_t *restrict from, unsigned words)
{
    if (words == 1) {
        EACH_VECTOR(k) simd_store_anywhere(to + k * sizeof(vu), simd_load(from, k));
        return;
    }
    for (unsigned l = 0; l < FAST_LANES; l++)
        for (unsigned n = 0; n < words; n++)
            memcpy(to + 4 * (l * words + n), from + n * REGISTER_BYTES + 4 * l, 4);
}
static inline void read_same(const uint8_t *from, uint8_t *to, unsigned words)
{
    for (unsigned n = 0; n < words; n++) {
        const vu v = splat(lane_word(from, n));
        EACH_VECTOR(k) simd_store(to + n * REGISTER_BYTES, k, v);
    }
}

static inline uint64_t first_address(const struct bound *d, const uint8_t *low, bool wide)
{
    if (!wide) return (uint32_t)(first_word(low) + (uint32_t)d->offset);
    uint64_t address = (uint64_t)first_word(low + REGISTER_BYTES) << 32 | first_word(low);
    return address + (uint64_t)(int64_t)d->offset;
}

// Bytes per lane of types that a full warp moves as one row; 0: types of 8 and 16 bits, moved lane by lane.
#define ROW_BYTES(TYPE) ((TYPE) == TYPE_B128 ? 16 : (TYPE) == TYPE_B64 ? 8 : (TYPE) == TYPE_B32 ? 4 : 0)

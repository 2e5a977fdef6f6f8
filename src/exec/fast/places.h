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

// Offsets from a base address in vectors; an inactive lane's offset is 0.
struct offsets {
    vu lane[VECTORS];
};

static inline vu lanes_there(bool full, uint64_t active, unsigned k)
{
    return full ? splat(~0u) : mask_words(mask_part(active, k));
}

// Writes the lower words of the addresses less `base` to o. True: all are multiples of `bytes` and below `room`, and
// the upper words are `upper` (high NULL: without upper words). full: all lanes are active.
static inline __attribute__((always_inline)) bool find_offsets(const uint8_t *low, const uint8_t *high,
                                                               uint32_t base, uint32_t upper, uint32_t room,
                                                               bool full, uint64_t active, unsigned bytes,
                                                               struct offsets *o)
{
    const vu from = splat(base), above = splat(upper);
    vu most = splat(0), any = splat(0), differ = splat(0);
    EACH_VECTOR(k)
    {
        const vu there = lanes_there(full, active, k);
        vu x = (simd_load(low, k) - from) & there;
        if (high) differ |= (simd_load(high, k) ^ above) & there;
        most = larger_u(most, x);
        any |= x;
        o->lane[k] = x;
    }
    return is_zero(differ | (any & (bytes - 1)) | mask_words(at_least_u(most, splat(room))));
}

// Number of offsets at which an access of `bytes` bytes fits.
static inline uint32_t room_of(uint64_t size_bytes, unsigned bytes)
{
    return size_bytes < bytes || size_bytes > INT32_MAX ? 0 : (uint32_t)size_bytes - bytes + 1;
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

// Words at base + offset for the lanes of m, the old value for other lanes.
static inline vu gather_masked(const uint8_t *base, vu offset, vm m, vu old)
{
#if FAST_BITS == 512
    return (vu)_mm512_mask_i32gather_epi32((__m512i)old, m, (__m512i)offset, base, 1);
#elif FAST_BITS == 256
    return (vu)_mm256_mask_i32gather_epi32((__m256i)old, (const int *)(const void *)base, (__m256i)offset,
                                           (__m256i)m, 1);
#else
    return choose(m, gather_words(base, offset), old);
#endif
}

// Stores the words of the lanes of m to `to`, consecutive by lane.
static inline void store_row_masked(uint8_t *to, vm m, vu v)
{
#if FAST_BITS == 512
    _mm512_mask_storeu_epi32(to, m, (__m512i)v);
#elif FAST_BITS == 256
    _mm256_maskstore_epi32((int *)(void *)to, (__m256i)m, (__m256i)v);
#else
    for (unsigned n = 0; n < VECTOR_LANES; n++)
        if (m[n]) memcpy(to + 4 * n, (const uint8_t *)&v + 4 * n, 4);
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

// -- moving lanes by vectors of offsets ---------------------------------------------------------------------
// Vectors in which the words of all lanes are one word, or consecutive.
static inline bool vectors_are(const struct offsets *o, uint32_t step)
{
    vu differ = splat(0);
    const vu steps = lane_steps(0, step);
    EACH_VECTOR(k) differ |= o->lane[k] - splat(o->lane[k][0]) - steps;
    return is_zero(differ);
}

// The word of a load of 8 or 16 bits, from the whole word around the location.
static inline vu narrow_word(const uint8_t *base, vu offset, enum isa_type type)
{
    vu v = gather_words(base, offset & ~3u) >> ((offset & 3) << 3);
    switch ((int)type) {
    case TYPE_U8: return v & 0xff;
    case TYPE_S8: return (vu)((vi)(v << 24) >> 24);
    case TYPE_U16: return v & 0xffff;
    }
    return (vu)((vi)(v << 16) >> 16);
}

// Loads the data of all active lanes. `type` and `full` are constants in each form. The base address is a multiple
// of 4, and the word around a location may be read.
static inline __attribute__((always_inline)) void load_lanes(const uint8_t *base, const struct offsets *o,
                                                             uint8_t *to, bool full, uint64_t active,
                                                             enum isa_type type)
{
    const unsigned words = type == TYPE_B128 ? 4 : type == TYPE_B64 ? 2 : 1;
    if (full && type == TYPE_B32) {
        uint32_t step = o->lane[0][1] - o->lane[0][0];
        if (step == 0 && vectors_are(o, 0)) {
            EACH_VECTOR(k) simd_store(to, k, splat(first_word(base + o->lane[k][0])));
            return;
        }
        if (step == 4 && vectors_are(o, 4)) {
            EACH_VECTOR(k) simd_store(to, k, simd_load_anywhere(base + o->lane[k][0]));
            return;
        }
    }
    for (unsigned n = 0; n < words; n++, to += REGISTER_BYTES, base += 4) EACH_VECTOR(k)
        {
            if (type <= TYPE_S8 || type == TYPE_U16 || type == TYPE_S16)
                simd_store_masked(to, k, full ? mask_part(ALL_LANES, k) : mask_part(active, k),
                                  narrow_word(base, o->lane[k], type));
            else if (full)
                simd_store(to, k, gather_words(base, o->lane[k]));
            else
                simd_store(to, k, gather_masked(base, o->lane[k], mask_part(active, k), simd_load(to, k)));
        }
}

// Stores the data of all active lanes, in lane order.
static inline __attribute__((always_inline)) void
store_lanes(uint8_t *base, const struct offsets *o, const uint8_t *from, uint64_t active, enum isa_type type)
{
    const unsigned bytes = bytes_of(type), first = bit_lowest(active);
    uint32_t offset[FAST_LANES];
    memcpy(offset, o, sizeof offset);
    if (type == TYPE_B32) {
        const uint32_t row = offset[first] - 4 * first;
        vu differ = splat(0);
        EACH_VECTOR(k)
        differ |= (o->lane[k] ^ (splat(row) + lane_steps(k, 4))) & mask_words(mask_part(active, k));
        if (is_zero(differ)) {
            EACH_VECTOR(k)
            store_row_masked(base + (int64_t)(int32_t)row + k * sizeof(vu), mask_part(active, k),
                             simd_load(from, k));
            return;
        }
        if ((lanes_t)active == ALL_LANES && offset[1] - offset[0] == 4 && vectors_are(o, 4)) {
            EACH_VECTOR(k) simd_store_anywhere(base + o->lane[k][0], simd_load(from, k));
            return;
        }
    }
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint8_t *at = base + offset[l];
        if (bytes < 4)
            memcpy(at, from + 4 * l, bytes);
        else
            for (unsigned n = 0; n < bytes / 4; n++) memcpy(at + 4 * n, from + n * REGISTER_BYTES + 4 * l, 4);
    }
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

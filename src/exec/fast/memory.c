// Fast forms: loads and stores.
//
// What lanes access most often is a row (lane n at n times the size from lane 0), the same place, or rows of
// a vector's lanes. The first two are recognised on the address registers directly; everything else goes
// through an array of offsets from the lowest address, which decides bounds for all lanes at once. An access
// that is not plainly good is left to the general handlers, which know every case and every fault.
//
// Global memory: each instruction remembers the allocation its lanes were last in (struct allocation_slot). A
// generic address found in an allocation is a global one, so LD and ST are forms of LDG and STG.
#include "exec/fast.h"

// Lane numbers of vector k times a size.
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

// Whether the lanes' addresses grow by `size` from the first one; `high`: their upper words, NULL when there
// are none.
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

static inline struct allocation_slot *slot_of(const struct bound *d, const struct warp *w)
{
    return &w->exec->slots[d->slot];
}

// -- offsets ------------------------------------------------------------------------------------------------
struct places {
    uint8_t *base; // of the lowest address
    _Alignas(
        64) uint32_t offset[FAST_LANES]; // bytes from it; lanes that do not take part: some lane's that does
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

// Fills offsets from the address registers; false when the upper words differ. *low and *high: range of lower
// words.
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

static inline bool find_global(const struct bound *d, const struct warp *w, const uint8_t *regs,
                               uint64_t active, bool wide, unsigned bytes, struct places *p)
{
    const uint8_t *low = regs + d->src[0], *high = wide ? low + REGISTER_BYTES : NULL;
    uint32_t least, most, bits;
    if (!gather_offsets(low, high, active, p, &least, &most, &bits)) return false;
    const struct allocation_slot *slot = slot_of(d, w);
    uint64_t upper = wide ? (uint64_t)lane_word(high, bit_lowest(active)) << 32 : 0;
    uint64_t address = (upper | least) + (uint64_t)(int64_t)d->offset, offset = address - slot->start;
    if (!wide && (address >> 32 || (address + (most - least)) >> 32)) return false; // 32-bit sums wrap around
    if (((bits | (uint32_t)d->offset) & (bytes - 1)) || offset >= slot->size_bytes) return false;
    if (slot->size_bytes - offset < (uint64_t)(most - least) + bytes) return false;
    p->base = slot->host + offset;
    return true;
}

static inline bool find_shared(const struct bound *d, const struct warp *w, const uint8_t *regs,
                               uint64_t active, unsigned bytes, struct places *p)
{
    uint32_t least, most, bits;
    gather_offsets(regs + d->src[0], NULL, active, p, &least, &most, &bits);
    uint64_t address = (uint32_t)(least + (uint32_t)d->offset);
    if ((bits | (uint32_t)d->offset) & (bytes - 1)) return false;
    if (address + (most - least) + bytes > w->exec->launch->shared_total) return false;
    p->base = w->shared + address;
    return true;
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

// Offsets are below 2^31, or gathers would take them for negative.
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

// What was found, moved. The size is a constant of each form.
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

// -- global -------------------------------------------------------------------------------------------------
// Not in the remembered allocation: remembers the one the first lane is in and tries again, or leaves the
// access to the general handler.
static __attribute__((noinline)) const struct bound *global_miss(const struct bound *d, struct warp *w,
                                                                 uint8_t *regs, uint64_t active)
{
    struct allocation_slot *slot = slot_of(d, w);
    const struct inst *i = bound_inst(d, w);
    const struct memory *memory = w->exec->launch->memory;
    uint64_t address = exec_lane_address(d, w, regs, 0, bit_lowest(active));
    const struct memory_allocation *a = memory_find(memory, address);
    if (a && slot->start != a->address) {
        uint64_t row = (uint64_t)FAST_LANES * isa_type_bytes((enum isa_type)i->type);
        *slot = (struct allocation_slot){a->address, a->size_bytes,
                                         a->size_bytes >= row ? a->size_bytes - row + 1 : 0,
                                         memory_host(memory, a->address, 0)};
        w->counts.thread_instructions += bit_count(w->active & ~active); // the guard takes them off again
        return d;
    }
    return isa_has(i, ISA_STORE) ? exec_store(d, w, regs, active) : exec_load(d, w, regs, active);
}

// Rows of 4, 8 or 16 bytes a lane.
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

// The bytes a lane moves where whole rows can be moved at once; 0 for the narrow types.
#define ROW_BYTES(TYPE) ((TYPE) == TYPE_B128 ? 16 : (TYPE) == TYPE_B64 ? 8 : (TYPE) == TYPE_B32 ? 4 : 0)

// For some lanes: all their places are found, then what is there is moved, or `MISS` does the access.
// Destinations may be the address registers, so places are found before anything is written.
#define MASKED(name, FOUND, MOVE, MISS, COUNTER)                                                             \
    static __attribute__((noinline)) bool name##_lanes(const struct bound *d, struct warp *w, uint8_t *regs, \
                                                       uint64_t active)                                      \
    {                                                                                                        \
        struct places p;                                                                                     \
        if (!(FOUND)) return false;                                                                          \
        MOVE;                                                                                                \
        return true;                                                                                         \
    }                                                                                                        \
    HANDLER_OUTLINED(name##_masked)                                                                          \
    {                                                                                                        \
        if (!name##_lanes(d, w, regs, active)) TAIL(MISS(d, w, regs, active));                               \
        w->counts.COUNTER++;                                                                                 \
        NEXT(d + 1, w->active);                                                                              \
    }

#define GLOBAL_LOAD(name, TYPE, WIDE)                                                                        \
    MASKED(name, find_global(d, w, regs, active, WIDE, bytes_of(TYPE), &p) && near(&p),                      \
           read_places(&p, regs + d->dst, active, TYPE), global_miss, global_loads)                          \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0], *high = (WIDE) ? low + REGISTER_BYTES : NULL;                 \
        if (BYTES != 0) {                                                                                    \
            const struct allocation_slot *slot = slot_of(d, w);                                              \
            uint64_t address = first_address(d, low, WIDE), offset = address - slot->start;                  \
            if (is_row(low, high, BYTES)) {                                                                  \
                if (offset >= slot->row_limit || address % (BYTES ? BYTES : 1))                              \
                    TAIL(global_miss(d, w, regs, active));                                                   \
                w->counts.global_loads++;                                                                    \
                read_row(slot->host + offset, regs + d->dst, BYTES / 4);                                     \
                NEXT(d + 1, active);                                                                         \
            }                                                                                                \
            if (is_row(low, high, 0)) {                                                                      \
                if (offset >= slot->row_limit || address % (BYTES ? BYTES : 1))                              \
                    TAIL(name##_masked(d, w, regs, active));                                                 \
                w->counts.global_loads++;                                                                    \
                read_same(slot->host + offset, regs + d->dst, BYTES / 4);                                    \
                NEXT(d + 1, active);                                                                         \
            }                                                                                                \
        }                                                                                                    \
        TAIL(name##_masked(d, w, regs, active));                                                             \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

#define GLOBAL_STORE(name, TYPE, WIDE)                                                                       \
    MASKED(name, find_global(d, w, regs, active, WIDE, bytes_of(TYPE), &p),                                  \
           write_places(&p, regs + d->src[1], active, TYPE), global_miss, global_stores)                     \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0], *high = (WIDE) ? low + REGISTER_BYTES : NULL;                 \
        const struct allocation_slot *slot = slot_of(d, w);                                                  \
        uint64_t address = first_address(d, low, WIDE), offset = address - slot->start;                      \
        if (BYTES != 0 && is_row(low, high, BYTES)) {                                                        \
            if (offset >= slot->row_limit || address % (BYTES ? BYTES : 1))                                  \
                TAIL(global_miss(d, w, regs, active));                                                       \
            w->counts.global_stores++;                                                                       \
            write_row(slot->host + offset, regs + d->src[1], BYTES / 4);                                     \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        TAIL(name##_masked(d, w, regs, active));                                                             \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

// -- shared -------------------------------------------------------------------------------------------------
static inline bool shared_fits(const struct warp *w, uint64_t address, unsigned bytes, unsigned lanes)
{
    return address + (uint64_t)bytes * lanes <= w->exec->launch->shared_total &&
           address % (bytes ? bytes : 1) == 0;
}

#define SHARED_LOAD(name, TYPE)                                                                              \
    MASKED(name, find_shared(d, w, regs, active, bytes_of(TYPE), &p),                                        \
           read_places(&p, regs + d->dst, active, TYPE), exec_load, shared_loads)                            \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0];                                                               \
        uint64_t address = first_address(d, low, false);                                                     \
        if (BYTES != 0 && is_row(low, NULL, 0) && shared_fits(w, address, BYTES, 1)) {                       \
            w->counts.shared_loads++;                                                                        \
            read_same(w->shared + address, regs + d->dst, BYTES / 4);                                        \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        if (BYTES != 0 && is_row(low, NULL, BYTES) && shared_fits(w, address, BYTES, FAST_LANES)) {          \
            w->counts.shared_loads++;                                                                        \
            read_row(w->shared + address, regs + d->dst, BYTES / 4);                                         \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        TAIL(name##_masked(d, w, regs, active));                                                             \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

#define SHARED_STORE(name, TYPE)                                                                             \
    MASKED(name, find_shared(d, w, regs, active, bytes_of(TYPE), &p),                                        \
           write_places(&p, regs + d->src[1], active, TYPE), exec_store, shared_stores)                      \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0];                                                               \
        uint64_t address = first_address(d, low, false);                                                     \
        if (BYTES != 0 && is_row(low, NULL, BYTES) && shared_fits(w, address, BYTES, FAST_LANES)) {          \
            w->counts.shared_stores++;                                                                       \
            write_row(w->shared + address, regs + d->src[1], BYTES / 4);                                     \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        TAIL(name##_masked(d, w, regs, active));                                                             \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

#define ALL_TYPES(X, ...)                                                                                    \
    X(u8, TYPE_U8)                                                                                           \
    X(s8, TYPE_S8) X(u16, TYPE_U16) X(s16, TYPE_S16) X(b32, TYPE_B32) X(b64, TYPE_B64) X(b128, TYPE_B128)
#define STORE_TYPES(X) X(u8, TYPE_U8) X(u16, TYPE_U16) X(b32, TYPE_B32) X(b64, TYPE_B64) X(b128, TYPE_B128)
#define X(name, type)                                                                                        \
    GLOBAL_LOAD(ldg_##name, type, true) GLOBAL_LOAD(ldg32_##name, type, false) SHARED_LOAD(lds_##name, type)
ALL_TYPES(X)
#undef X
#define X(name, type)                                                                                        \
    GLOBAL_STORE(stg_##name, type, true)                                                                     \
    GLOBAL_STORE(stg32_##name, type, false) SHARED_STORE(sts_##name, type)
STORE_TYPES(X)
#undef X

// -- local: lanes that agree on the address access whole vectors --------------------------------------------
static inline bool same_address(const struct bound *d, const uint8_t *regs, uint64_t active,
                                uint64_t *address)
{
    const uint8_t *low = regs + d->src[0];
    const uint32_t first = lane_word(low, bit_lowest(active));
    const vu same = splat(first);
    vu difference = splat(0);
    EACH_VECTOR(k) difference |= choose(mask_part(active, k), simd_load(low, k), same) ^ same;
    *address = (uint32_t)(first + (uint32_t)d->offset);
    return is_zero(difference);
}

static inline uint8_t *local_row(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                 uint64_t active, unsigned bytes)
{
    uint64_t address;
    if (!same_address(d, regs, active, &address) || address % bytes ||
        address + bytes > w->exec->launch->local_total)
        return NULL;
    return w->local + address / 4 * REGISTER_BYTES;
}

#define LOCAL(name, WORDS)                                                                                   \
    HANDLER(ldl_##name##_masked)                                                                             \
    {                                                                                                        \
        const uint8_t *from = local_row(d, w, regs, active, 4 * (WORDS));                                    \
        if (!from) TAIL(exec_load(d, w, regs, active));                                                      \
        uint8_t *to = regs + d->dst;                                                                         \
        for (unsigned n = 0; n < (WORDS); n++, from += REGISTER_BYTES, to += REGISTER_BYTES)                 \
            EACH_VECTOR(k) simd_store_masked(to, k, mask_part(active, k), simd_load(from, k));               \
        w->counts.local_loads++;                                                                             \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    HANDLER(stl_##name##_masked)                                                                             \
    {                                                                                                        \
        uint8_t *to = local_row(d, w, regs, active, 4 * (WORDS));                                            \
        if (!to) TAIL(exec_store(d, w, regs, active));                                                       \
        const uint8_t *from = regs + d->src[1];                                                              \
        for (unsigned n = 0; n < (WORDS); n++, from += REGISTER_BYTES, to += REGISTER_BYTES)                 \
            EACH_VECTOR(k) simd_store_masked(to, k, mask_part(active, k), simd_load(from, k));               \
        w->counts.local_stores++;                                                                            \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers ldl_##name = {ldl_##name##_masked, ldl_##name##_masked},                    \
                                 stl_##name = {stl_##name##_masked, stl_##name##_masked};
LOCAL(b32, 1)
LOCAL(b64, 2)
LOCAL(b128, 4)

// -- constant bank with a register in the address: lanes that agree -----------------------------------------
HANDLER(ldc_masked)
{
    uint64_t address;
    if (!same_address(d, regs, active, &address) || address % 4 ||
        address + 4 > w->exec->launch->bank_bytes[d->spare_byte])
        TAIL(exec_ldc(d, w, regs, active));
    const vu v = splat(lane_word(w->exec->launch->bank[d->spare_byte] + address, 0));
    uint8_t *to = regs + d->dst;
    EACH_VECTOR(k) simd_store_masked(to, k, mask_part(active, k), v);
    w->counts.constant_loads++;
    NEXT(d + 1, w->active);
}
static const struct handlers ldc = {ldc_masked, ldc_masked};

// -- binding ------------------------------------------------------------------------------------------------
static const struct handlers *bind_load(const struct inst *i)
{
    bool wide = i->src[0].width == 2;
    switch ((int)i->op * TYPE_COUNT + i->type) {
#define X(name, type)                                                                                        \
    case OP_LD *TYPE_COUNT + (type):                                                                         \
    case OP_LDG *TYPE_COUNT + (type): return wide ? &ldg_##name : &ldg32_##name;                             \
    case OP_LDS *TYPE_COUNT + (type): return &lds_##name;
        ALL_TYPES(X)
#undef X
    case OP_LDL *TYPE_COUNT + TYPE_B32: return &ldl_b32;
    case OP_LDL *TYPE_COUNT + TYPE_B64: return &ldl_b64;
    case OP_LDL *TYPE_COUNT + TYPE_B128: return &ldl_b128;
    }
    return NULL;
}

static const struct handlers *bind_store(const struct inst *i)
{
    bool wide = i->src[0].width == 2;
    unsigned type = i->type == TYPE_S8 ? TYPE_U8 : i->type == TYPE_S16 ? TYPE_U16 : i->type;
    if (!is_register(&i->src[1])) return NULL;
    switch ((int)i->op * TYPE_COUNT + (int)type) {
#define X(name, type)                                                                                        \
    case OP_ST *TYPE_COUNT + (type):                                                                         \
    case OP_STG *TYPE_COUNT + (type): return wide ? &stg_##name : &stg32_##name;                             \
    case OP_STS *TYPE_COUNT + (type): return &sts_##name;
        STORE_TYPES(X)
#undef X
    case OP_STL *TYPE_COUNT + TYPE_B32: return &stl_b32;
    case OP_STL *TYPE_COUNT + TYPE_B64: return &stl_b64;
    case OP_STL *TYPE_COUNT + TYPE_B128: return &stl_b128;
    }
    return NULL;
}

extern fast_family FAST(fast_memory);
const struct handlers *FAST(fast_memory)(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)e;
    switch ((int)i->op) {
    case OP_LD:
    case OP_LDG:
    case OP_LDS:
    case OP_LDL: return bind_load(i);
    case OP_ST:
    case OP_STG:
    case OP_STS:
    case OP_STL: return bind_store(i);
    case OP_LDC: d->spare_byte = i->bank; return i->type == TYPE_B32 ? &ldc : NULL;
    }
    return NULL;
}

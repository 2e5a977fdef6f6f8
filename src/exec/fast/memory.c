// Fast forms: loads and stores.
//
// The most frequent access patterns are a row (lane n at n times the size from lane 0), one common address,
// and rows within each vector. Rows and common addresses of a full warp are recognised directly on the
// address registers. All other patterns use vectors of offsets, with one bounds check for all lanes (local
// memory: common addresses only). Any access that may fault is left to the general handlers.
//
// Global memory: each instruction remembers the allocation of an earlier access (struct allocation_slot). A
// generic address inside an allocation is a global address, so LD and ST use the forms of LDG and STG.
#include "exec/fast/memory.h"
#include "isa/fields.h"

// -- finding the lanes' places ------------------------------------------------------------------------------
// By whole addresses, for allocations of 2 GiB and more and allocations on both sides of a multiple of 2^32.
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

// -- global -------------------------------------------------------------------------------------------------
// The access is outside the remembered allocation. Remembers the first lane's allocation and tries again, or
// leaves the access to the general handler.
static __attribute__((noinline)) const struct bound *global_miss(const struct bound *d, struct warp *w,
                                                                 uint8_t *regs, uint64_t active)
{
    if (remember_allocation(d, w, regs, active)) return d;
    return isa_has(bound_inst(d, w), ISA_STORE) ? exec_store(d, w, regs, active)
                                                : exec_load(d, w, regs, active);
}

// Handler for a partial lane mask. FOUND finds the memory places of all lanes, MOVE moves the data, and MISS
// is the handler after a failed FOUND. Destination registers may be the address registers, so all places are
// found before the first write.
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

// Whether no address of a row wraps around: the lower words of 64-bit addresses, before the offset is added, or
// the 32-bit addresses.
static inline bool row_goes_on(const uint8_t *low, uint64_t address, bool wide, unsigned bytes)
{
    return stays_below(wide ? first_word(low) : (uint32_t)address, bytes);
}

// Handlers of a load, for some lanes and for a full warp of any pattern. OFFSETS finds vectors of offsets from BASE;
// MISS is the handler after a failed OFFSETS.
#define LOAD_APART(name, OFFSETS, BASE, TYPE, MISS, COUNTER)                                                 \
    HANDLER_OUTLINED(name##_masked)                                                                          \
    {                                                                                                        \
        enum { FULL = false };                                                                               \
        struct offsets o;                                                                                    \
        if (!(OFFSETS)) TAIL(MISS(d, w, regs, active));                                                      \
        load_lanes((BASE), &o, regs + d->dst, FULL, active, TYPE);                                           \
        w->counts.COUNTER++;                                                                                 \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    HANDLER_OUTLINED(name##_apart)                                                                           \
    {                                                                                                        \
        enum { FULL = true };                                                                                \
        struct offsets o;                                                                                    \
        if (!(OFFSETS)) TAIL(MISS(d, w, regs, active));                                                      \
        load_lanes((BASE), &o, regs + d->dst, FULL, active, TYPE);                                           \
        w->counts.COUNTER++;                                                                                 \
        NEXT(d + 1, active);                                                                                 \
    }

// The handler of a store for any lanes and any pattern.
#define STORE_APART(name, OFFSETS, BASE, TYPE, MISS, COUNTER)                                                \
    static __attribute__((noinline)) bool name##_move(const struct bound *d, struct warp *w, uint8_t *regs,  \
                                                      uint64_t active)                                       \
    {                                                                                                        \
        enum { FULL = false };                                                                               \
        struct offsets o;                                                                                    \
        if (!(OFFSETS)) return false;                                                                        \
        store_lanes((BASE), &o, regs + d->src[1], active, TYPE);                                             \
        return true;                                                                                         \
    }                                                                                                        \
    HANDLER_OUTLINED(name##_masked)                                                                          \
    {                                                                                                        \
        if (!name##_move(d, w, regs, active)) TAIL(MISS(d, w, regs, active));                                \
        w->counts.COUNTER++;                                                                                 \
        NEXT(d + 1, w->active);                                                                              \
    }

// Distance of the addresses of the first two lanes, which tells the pattern worth a test.
static inline uint32_t first_step(const uint8_t *low) { return lane_word(low, 1) - first_word(low); }

#define GLOBAL_LOAD(name, TYPE, WIDE)                                                                        \
    MASKED(name##_far, find_global(d, w, regs, active, WIDE, bytes_of(TYPE), &p) && near(&p),                \
           read_places(&p, regs + d->dst, active, TYPE), global_miss, global_loads)                          \
    LOAD_APART(name, global_offsets(d, w, regs, FULL, active, WIDE, bytes_of(TYPE), &o),                     \
               slot_of(d, w)->host, TYPE, name##_far_masked, global_loads)                                   \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0], *high = (WIDE) ? low + REGISTER_BYTES : NULL;                 \
        if (BYTES != 0) {                                                                                    \
            const struct allocation_slot *slot = slot_of(d, w);                                              \
            const uint32_t step = first_step(low);                                                           \
            uint64_t address = first_address(d, low, WIDE), offset = address - slot->start;                  \
            if (step == BYTES && is_row(low, high, BYTES) && row_goes_on(low, address, WIDE, BYTES)) {       \
                if (offset >= slot->row_limit || address % (BYTES ? BYTES : 1))                              \
                    TAIL(global_miss(d, w, regs, active));                                                   \
                w->counts.global_loads++;                                                                    \
                read_row(slot->host + offset, regs + d->dst, BYTES / 4);                                     \
                NEXT(d + 1, active);                                                                         \
            }                                                                                                \
            if (step == 0 && is_row(low, high, 0)) {                                                         \
                if (offset >= slot->row_limit || address % (BYTES ? BYTES : 1))                              \
                    TAIL(name##_apart(d, w, regs, active));                                                  \
                w->counts.global_loads++;                                                                    \
                read_same(slot->host + offset, regs + d->dst, BYTES / 4);                                    \
                NEXT(d + 1, active);                                                                         \
            }                                                                                                \
        }                                                                                                    \
        TAIL(name##_apart(d, w, regs, active));                                                              \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

#define GLOBAL_STORE(name, TYPE, WIDE)                                                                       \
    MASKED(name##_far, find_global(d, w, regs, active, WIDE, bytes_of(TYPE), &p),                            \
           write_places(&p, regs + d->src[1], active, TYPE), global_miss, global_stores)                     \
    STORE_APART(name, global_offsets(d, w, regs, FULL, active, WIDE, bytes_of(TYPE), &o),                    \
                slot_of(d, w)->host, TYPE, name##_far_masked, global_stores)                                 \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0], *high = (WIDE) ? low + REGISTER_BYTES : NULL;                 \
        const struct allocation_slot *slot = slot_of(d, w);                                                  \
        uint64_t address = first_address(d, low, WIDE), offset = address - slot->start;                      \
        if (BYTES != 0 && first_step(low) == BYTES && is_row(low, high, BYTES) &&                            \
            row_goes_on(low, address, WIDE, BYTES)) {                                                        \
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
    LOAD_APART(name, shared_offsets(d, w, regs, FULL, active, bytes_of(TYPE), &o), w->shared, TYPE,          \
               exec_load, shared_loads)                                                                      \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0];                                                               \
        const uint32_t step = first_step(low);                                                               \
        uint64_t address = first_address(d, low, false);                                                     \
        if (BYTES != 0 && step == 0 && is_row(low, NULL, 0) && shared_fits(w, address, BYTES, 1)) {          \
            w->counts.shared_loads++;                                                                        \
            read_same(w->shared + address, regs + d->dst, BYTES / 4);                                        \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        if (BYTES != 0 && step == BYTES && is_row(low, NULL, BYTES) &&                                       \
            shared_fits(w, address, BYTES, FAST_LANES)) {                                                    \
            w->counts.shared_loads++;                                                                        \
            read_row(w->shared + address, regs + d->dst, BYTES / 4);                                         \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        TAIL(name##_apart(d, w, regs, active));                                                              \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

#define SHARED_STORE(name, TYPE)                                                                             \
    STORE_APART(name, shared_offsets(d, w, regs, FULL, active, bytes_of(TYPE), &o), w->shared, TYPE,         \
                exec_store, shared_stores)                                                                   \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE) };                                                                    \
        const uint8_t *low = regs + d->src[0];                                                               \
        uint64_t address = first_address(d, low, false);                                                     \
        if (BYTES != 0 && first_step(low) == BYTES && is_row(low, NULL, BYTES) &&                            \
            shared_fits(w, address, BYTES, FAST_LANES)) {                                                    \
            w->counts.shared_stores++;                                                                       \
            write_row(w->shared + address, regs + d->src[1], BYTES / 4);                                     \
            NEXT(d + 1, active);                                                                             \
        }                                                                                                    \
        TAIL(name##_masked(d, w, regs, active));                                                             \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

// -- a source of arithmetic in shared memory ----------------------------------------------------------------
// Copies the source's words to the scratch register (d->scalar). False: an access may fault.
static inline bool copy_source(const struct bound *d, const struct warp *w, uint8_t *regs, bool full,
                               uint64_t active)
{
    const uint8_t *low = regs + d->src[d->spare_byte];
    struct offsets o;
    if (!find_offsets(low, NULL, 0 - (uint32_t)d->offset, 0, room_of(w->exec->launch->shared_total, 4), full,
                      active, 4, &o))
        return false;
    load_lanes(w->shared, &o, regs + d->scalar, full, active, TYPE_B32);
    return true;
}

static inline bool copy_same_or_row(const struct bound *d, const struct warp *w, uint8_t *regs)
{
    const uint8_t *low = regs + d->src[d->spare_byte];
    const uint32_t step = first_step(low);
    uint64_t address = first_address(d, low, false);
    if (step == 0 && is_row(low, NULL, 0) && shared_fits(w, address, 4, 1))
        read_same(w->shared + address, regs + d->scalar, 1);
    else if (step == 4 && is_row(low, NULL, 4) && shared_fits(w, address, 4, FAST_LANES))
        read_row(w->shared + address, regs + d->scalar, 1);
    else
        return false;
    return true;
}

HANDLER(shared_source_masked)
{
    if (!copy_source(d, w, regs, false, active)) TAIL(exec_general_alu(d, w, regs, active));
    d->target->handlers->masked(d->target, w, regs, active);
    NEXT(d + 1, w->active);
}

HANDLER(shared_source_full)
{
    if (!copy_same_or_row(d, w, regs) && !copy_source(d, w, regs, true, active))
        TAIL(exec_general_alu(d, w, regs, active));
    d->target->handlers->full(d->target, w, regs, active);
    NEXT(d + 1, active);
}
static const struct handlers shared_source = {shared_source_full, shared_source_masked};

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

// -- local: lanes with a common address access whole vectors ------------------------------------------------
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

// -- constant bank with a register in the address -----------------------------------------------------------
static inline bool find_constant(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                 uint64_t active, unsigned bytes, struct places *p)
{
    uint32_t least, most, bits;
    gather_offsets(regs + d->src[0], NULL, active, p, &least, &most, &bits);
    uint64_t address = (uint32_t)(least + (uint32_t)d->offset);
    if ((bits | (uint32_t)d->offset) & (bytes - 1)) return false;
    if (address + (most - least) + bytes > w->exec->launch->bank_bytes[d->spare_byte]) return false;
    // The pointer is to a constant bank: read_places only reads.
    p->base = (uint8_t *)(uintptr_t)w->exec->launch->bank[d->spare_byte] + address;
    return true;
}

static inline void read_same_masked(const uint8_t *from, uint8_t *to, unsigned words, uint64_t active)
{
    for (unsigned n = 0; n < words; n++, to += REGISTER_BYTES) {
        const vu v = splat(lane_word(from, n));
        EACH_VECTOR(k) simd_store_masked(to, k, mask_part(active, k), v);
    }
}

static inline __attribute__((always_inline)) bool constant_offsets(const struct bound *d,
                                                                   const struct warp *w, const uint8_t *regs,
                                                                   bool full, uint64_t active, unsigned bytes,
                                                                   struct offsets *o)
{
    return find_offsets(regs + d->src[0], NULL, 0 - (uint32_t)d->offset, 0,
                        room_of(w->exec->launch->bank_bytes[d->spare_byte], bytes), full, active, bytes, o);
}

// A word of a common address is loaded once for all lanes. 8 and 16 bits: a bank may end within a word.
#define CONSTANT_LOAD(name, TYPE)                                                                            \
    MASKED(name##_far, find_constant(d, w, regs, active, bytes_of(TYPE), &p),                                \
           read_places(&p, regs + d->dst, active, TYPE), exec_ldc, constant_loads)                           \
    LOAD_APART(name##_lanes,                                                                                 \
               ROW_BYTES(TYPE) != 0 && constant_offsets(d, w, regs, FULL, active, bytes_of(TYPE), &o),       \
               w->exec->launch->bank[d->spare_byte], TYPE, name##_far_masked, constant_loads)                \
    static inline bool name##_same(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)    \
    {                                                                                                        \
        enum { BYTES = ROW_BYTES(TYPE), STEP = BYTES ? BYTES : 1 };                                          \
        uint64_t address;                                                                                    \
        if (BYTES == 0 || !same_address(d, regs, active, &address) || address % STEP ||                      \
            address + BYTES > w->exec->launch->bank_bytes[d->spare_byte])                                    \
            return false;                                                                                    \
        read_same_masked(w->exec->launch->bank[d->spare_byte] + address, regs + d->dst, BYTES / 4, active);  \
        w->counts.constant_loads++;                                                                          \
        return true;                                                                                         \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        if (!name##_same(d, w, regs, active)) TAIL(name##_lanes_masked(d, w, regs, active));                 \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        if (!name##_same(d, w, regs, ALL_LANES)) TAIL(name##_lanes_apart(d, w, regs, active));               \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};
#define X(name, type) CONSTANT_LOAD(ldc_##name, type)
ALL_TYPES(X)
#undef X

// -- binding ------------------------------------------------------------------------------------------------
static const struct handlers *bind_load(const struct inst *i)
{
    bool wide = i->src[0].width == 2;
    switch ((int)i->op * TYPE_COUNT + i->type) {
#define X(name, type)                                                                                        \
    case OP_LD *TYPE_COUNT + (type):                                                                         \
    case OP_LDG *TYPE_COUNT + (type): return wide ? &ldg_##name : &ldg32_##name;                             \
    case OP_LDS *TYPE_COUNT + (type): return &lds_##name;                                                    \
    case OP_LDC *TYPE_COUNT + (type): return &ldc_##name;
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

static bool has_shared_source(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return true;
    return false;
}

extern fast_family FAST(fast_memory);
const struct handlers *FAST(fast_memory)(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (e->launch->flat) return NULL; // flat.c
    switch ((int)i->op) {
    case OP_LD:
    case OP_LDG:
    case OP_LDS:
    case OP_LDL: return bind_load(i);
    case OP_ST:
    case OP_STG:
    case OP_STS:
    case OP_STL: return bind_store(i);
    case OP_LDC: d->spare_byte = i->bank; return bind_load(i);
    }
    return d->target && has_shared_source(i) ? &shared_source : NULL; // bind_shared_source
}

// Fast forms: loads and stores of up to 4 bytes, and scratchpad atomics, in the address space of launch_flat.
// Supported are aligned accesses of all lanes to main memory, to the group's part of the scratchpad, or to
// their own stacks. Full warps with a row or one common address of words are recognised first. All other
// accesses, including faults, go to the general handlers.
#include "exec/fast/places.h"
#include "isa/fields.h"
#include "isa/modes.h"

static inline bool is_within(uint64_t start, uint64_t bytes, uint64_t from, uint64_t to)
{
    return start >= from && start + bytes <= to;
}

// Host address of guest bytes [start, start + bytes) inside main memory or the group's part of the
// scratchpad; NULL: elsewhere. *count: the counter to increment for the access.
static inline uint8_t *flat_host(struct warp *w, uint64_t start, uint64_t bytes, bool is_store,
                                 uint64_t **count)
{
    const struct launch_flat *f = w->exec->launch->flat;
    *count = is_store ? &w->counts.global_stores : &w->counts.global_loads;
    if (is_within(start, bytes, f->memory, f->memory_end)) return w->exec->flat + start;
    *count = is_store ? &w->counts.shared_stores : &w->counts.shared_loads;
    return is_within(start, bytes, w->shared_from, w->shared_end) ? w->exec->flat + start : NULL;
}

static inline bool is_stack(const struct warp *w, uint64_t start, uint64_t bytes)
{
    const struct launch_flat *f = w->exec->launch->flat;
    return is_within(start, bytes, f->stack_window, f->window_end);
}

// Host address of lane 0's word at `address` of its own stack; the words of the other lanes' stacks follow in
// lane order.
static inline uint8_t *stack_row(const struct warp *w, uint64_t address)
{
    return w->local + (address - w->exec->launch->flat->stack_window) / 4 * w->exec->local_stride;
}

// Turns p->offset from offsets relative to `start` in the threads' own stacks into offsets in w->local, the
// warp's interleaved stacks.
static inline void spread_stacks(const struct warp *w, struct places *p, uint32_t start)
{
    vu first = splat(start - (uint32_t)w->exec->launch->flat->stack_window);
    EACH_VECTOR(k)
    {
        vu o = simd_load((const uint8_t *)p->offset, k) + first;
        o = (o >> 2) * splat(w->exec->local_stride) + lane_steps(k, 4) + (o & splat(3));
        simd_store((uint8_t *)p->offset, k, o);
    }
    p->base = w->local;
}

static inline bool find_flat(const struct bound *d, struct warp *w, const uint8_t *regs, uint64_t active,
                             bool is_store, unsigned bytes, struct places *p)
{
    uint32_t least, most, bits;
    uint64_t *count;
    gather_offsets(regs + d->src[0], NULL, active, p, &least, &most, &bits);
    uint64_t start = (uint32_t)(least + (uint32_t)d->offset), span = (uint64_t)(most - least) + bytes;
    if ((bits | (uint32_t)d->offset) & (bytes - 1)) return false;
    if (is_stack(w, start, span)) {
        spread_stacks(w, p, (uint32_t)start);
        count = is_store ? &w->counts.local_stores : &w->counts.local_loads;
    } else {
        p->base = flat_host(w, start, span, is_store, &count);
        if (!p->base || !near(p)) return false;
    }
    ++*count;
    return true;
}

#define FLAT_LANES(name, FOUND, MOVE, MISS)                                                                  \
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
        NEXT(d + 1, w->active);                                                                              \
    }

#define FLAT_LOAD(name, TYPE)                                                                                \
    FLAT_LANES(name, find_flat(d, w, regs, active, false, bytes_of(TYPE), &p),                               \
               read_places(&p, regs + d->dst, active, TYPE), exec_load)
#define FLAT_STORE(name, TYPE)                                                                               \
    FLAT_LANES(name, find_flat(d, w, regs, active, true, bytes_of(TYPE), &p),                                \
               write_places(&p, regs + d->src[1], active, TYPE), exec_store)

FLAT_LOAD(load_u8, TYPE_U8)
FLAT_LOAD(load_s8, TYPE_S8)
FLAT_LOAD(load_u16, TYPE_U16)
FLAT_LOAD(load_s16, TYPE_S16)
FLAT_LOAD(load_b32, TYPE_B32)
FLAT_STORE(store_u8, TYPE_U8)
FLAT_STORE(store_u16, TYPE_U16)
FLAT_STORE(store_b32, TYPE_B32)

// Host address of a row of memory, one word per lane; is_same: of the word at the lanes' common address (own
// stacks: lane 0's word). Counts the access. NULL: misaligned, a row in the stacks, or not inside one area.
static inline uint8_t *find_row(const struct bound *d, struct warp *w, const uint8_t *low, bool is_same,
                                bool is_store)
{
    uint64_t *count, address = first_address(d, low, false);
    if (address & 3) return NULL;
    if (is_same && is_stack(w, address, 4)) {
        ++*(is_store ? &w->counts.local_stores : &w->counts.local_loads);
        return stack_row(w, address);
    }
    uint8_t *host = flat_host(w, address, is_same ? 4 : REGISTER_BYTES, is_store, &count);
    if (host) ++*count;
    return host;
}

HANDLER(load_row_full)
{
    const uint8_t *low = regs + d->src[0], *from;
    bool is_same = is_row(low, NULL, 0);
    if ((is_same || is_row(low, NULL, 4)) && (from = find_row(d, w, low, is_same, false))) {
        if (is_same && !is_stack(w, first_address(d, low, false), 4))
            read_same(from, regs + d->dst, 1);
        else
            read_row(from, regs + d->dst, 1);
        NEXT(d + 1, active);
    }
    TAIL(load_b32_masked(d, w, regs, active));
}

// Stores of all lanes to one word outside the stacks take write_places, where the highest lane wins.
HANDLER(store_row_full)
{
    const uint8_t *low = regs + d->src[0];
    bool is_same = is_row(low, NULL, 0) && is_stack(w, first_address(d, low, false), 4);
    uint8_t *to;
    if ((is_same || is_row(low, NULL, 4)) && (to = find_row(d, w, low, is_same, true))) {
        write_row(to, regs + d->src[1], 1);
        NEXT(d + 1, active);
    }
    TAIL(store_b32_masked(d, w, regs, active));
}

// -- atomics ------------------------------------------------------------------------------------------------
// Lane after lane, as in the general handler; launch_flat has atomics in the scratchpad only. Measured on
// Histogram with its large input: 41 instead of 15 million warp instructions a second.
static inline bool find_scratch(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                uint64_t active, struct places *p)
{
    uint32_t least, most, bits;
    gather_offsets(regs + d->src[0], NULL, active, p, &least, &most, &bits);
    p->base = w->exec->flat + least;
    return !(bits & 3) && is_within(least, (uint64_t)(most - least) + 4, w->shared_from, w->shared_end);
}

static inline int32_t as_signed(uint32_t x) { return (int32_t)x; }

// `new`: the word's new value, from the word's old value x and the lane's operand y.
#define FLAT_ATOMIC(name, new)                                                                               \
    HANDLER_OUTLINED(name##_masked)                                                                          \
    {                                                                                                        \
        struct places p;                                                                                     \
        if (!find_scratch(d, w, regs, active, &p)) TAIL(exec_atomic(d, w, regs, active));                    \
        for (uint64_t left = active; left; left &= left - 1) {                                               \
            unsigned lane = bit_lowest(left);                                                                \
            uint8_t *at = p.base + p.offset[lane];                                                           \
            uint32_t x = first_word(at), y = lane_word(regs + d->src[1], lane), result = (new);              \
            memcpy(at, &result, 4);                                                                          \
            memcpy(regs + d->dst + 4 * lane, &x, 4);                                                         \
        }                                                                                                    \
        w->counts.atomics++;                                                                                 \
        NEXT(d + 1, w->active);                                                                              \
    }

FLAT_ATOMIC(amo_add, x + y)
FLAT_ATOMIC(amo_exch, y)
FLAT_ATOMIC(amo_and, x &y)
FLAT_ATOMIC(amo_or, x | y)
FLAT_ATOMIC(amo_xor, x ^ y)
FLAT_ATOMIC(amo_min_s, as_signed(y) < as_signed(x) ? y : x)
FLAT_ATOMIC(amo_max_s, as_signed(y) > as_signed(x) ? y : x)
FLAT_ATOMIC(amo_min_u, y < x ? y : x)
FLAT_ATOMIC(amo_max_u, y > x ? y : x)

#define HANDLERS(name) static const struct handlers name = {name##_masked, name##_masked};
HANDLERS(load_u8)
HANDLERS(load_s8)
HANDLERS(load_u16)
HANDLERS(load_s16)
HANDLERS(store_u8)
HANDLERS(store_u16)
HANDLERS(amo_add)
HANDLERS(amo_exch)
HANDLERS(amo_and)
HANDLERS(amo_or)
HANDLERS(amo_xor)
HANDLERS(amo_min_s)
HANDLERS(amo_max_s)
HANDLERS(amo_min_u)
HANDLERS(amo_max_u)
static const struct handlers load_b32 = {load_row_full, load_b32_masked},
                             store_b32 = {store_row_full, store_b32_masked};

static const struct handlers *atomic_of(const struct inst *i)
{
    bool is_signed = i->type == TYPE_S32;
    if (i->type != TYPE_U32 && i->type != TYPE_B32 && !is_signed) return NULL;
    switch ((int)i->mode) {
    case MODE_ATOM_ADD: return &amo_add;
    case MODE_ATOM_EXCH: return &amo_exch;
    case MODE_ATOM_AND: return &amo_and;
    case MODE_ATOM_OR: return &amo_or;
    case MODE_ATOM_XOR: return &amo_xor;
    case MODE_ATOM_MIN: return is_signed ? &amo_min_s : &amo_min_u;
    case MODE_ATOM_MAX: return is_signed ? &amo_max_s : &amo_max_u;
    }
    return NULL;
}

extern fast_family FAST(fast_flat);
const struct handlers *FAST(fast_flat)(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)d;
    if (!e->launch->flat || i->src[0].width != 1) return NULL;
    if (i->op == OP_ATOM) return i->src[2].kind == OPERAND_NONE ? atomic_of(i) : NULL;
    if (i->op == OP_LD) {
        switch ((int)i->type) {
        case TYPE_U8: return &load_u8;
        case TYPE_S8: return &load_s8;
        case TYPE_U16: return &load_u16;
        case TYPE_S16: return &load_s16;
        case TYPE_B32: return &load_b32;
        }
    } else if (i->op == OP_ST) {
        switch ((int)i->type) {
        case TYPE_U8: return &store_u8;
        case TYPE_U16: return &store_u16;
        case TYPE_B32: return &store_b32;
        }
    }
    return NULL;
}

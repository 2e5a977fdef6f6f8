// Places of the lanes in global and shared memory, for memory.c and atomic.c. Global memory: each instruction remembers
// the allocation of an earlier access (struct allocation_slot).
#pragma once
#include "exec/fast/places.h"
#include "isa/fields.h"

static inline struct allocation_slot *slot_of(const struct bound *d, const struct warp *w)
{
    return &w->exec->slots[d->slot];
}

static inline __attribute__((always_inline)) bool global_offsets(const struct bound *d, const struct warp *w,
                                                                 const uint8_t *regs, bool full,
                                                                 uint64_t active, bool wide, unsigned bytes,
                                                                 struct offsets *o)
{
    const struct allocation_slot *slot = slot_of(d, w);
    const uint8_t *low = regs + d->src[0];
    return find_offsets(low, wide ? low + REGISTER_BYTES : NULL, slot->base, slot->upper, slot->room, full,
                        active, bytes, o);
}

static inline __attribute__((always_inline)) bool shared_offsets(const struct bound *d, const struct warp *w,
                                                                 const uint8_t *regs, bool full,
                                                                 uint64_t active, unsigned bytes,
                                                                 struct offsets *o)
{
    return find_offsets(regs + d->src[0], NULL, 0 - (uint32_t)d->offset, 0,
                        room_of(w->exec->launch->shared_total, bytes), full, active, bytes, o);
}

static inline struct allocation_slot slot_for(const struct memory *memory, const struct memory_allocation *a,
                                              int32_t offset, unsigned bytes)
{
    const uint64_t row = (uint64_t)FAST_LANES * bytes, base = a->address - (uint64_t)(int64_t)offset;
    bool is_one_window = base >> 32 == (base + a->size_bytes) >> 32;
    return (struct allocation_slot){.start = a->address,
                                    .size_bytes = a->size_bytes,
                                    .row_limit = a->size_bytes >= row ? a->size_bytes - row + 1 : 0,
                                    .host = memory_host(memory, a->address, 0),
                                    .base = (uint32_t)base,
                                    .upper = (uint32_t)(base >> 32),
                                    .room = is_one_window ? room_of(a->size_bytes, bytes) : 0};
}

// The instruction remembers the first active lane's allocation from now on. False: none, or remembered already. True:
// the caller has the instruction retried; the guard subtracts guarded-off lanes from thread_instructions again,
// compensated in advance.
static inline bool remember_allocation(const struct bound *d, struct warp *w, const uint8_t *regs,
                                       uint64_t active)
{
    struct allocation_slot *slot = slot_of(d, w);
    const struct inst *i = bound_inst(d, w);
    const struct memory *memory = w->exec->launch->memory;
    uint64_t address = exec_lane_address(d, w, regs, 0, bit_lowest(active));
    const struct memory_allocation *a = memory_find(memory, address);
    if (!a || slot->start == a->address) return false;
    *slot = slot_for(memory, a, d->offset, isa_type_bytes((enum isa_type)i->type));
    w->counts.thread_instructions += bit_count(w->active & ~active);
    return true;
}

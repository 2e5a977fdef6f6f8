// Events of warps (or blocks) in future cycles. Events less than RING_CYCLES ahead: a ring of buckets, a
// cycle a bucket, a bit a warp, with a bitmap of nonempty buckets. Later events, such as a mechanism's
// watchdogs: a binary heap, earliest first.
#pragma once
#include "base/bits.h"
#include "base/vec.h"

enum { RING_CYCLES = 256, RING_WORDS = RING_CYCLES / 64 };

struct far_event {
    uint64_t cycle;
    uint32_t warp;
};

struct event_ring {
    uint64_t warps[RING_CYCLES];
    uint64_t occupied[RING_WORDS];
    VEC(struct far_event) far; // binary heap: far.data[(n - 1) / 2] is never later than far.data[n]
};

static inline void far_add(struct event_ring *r, struct far_event e)
{
    vec_push(&r->far, e);
    size_t n = r->far.count - 1;
    for (; n && r->far.data[(n - 1) / 2].cycle > e.cycle; n = (n - 1) / 2)
        r->far.data[n] = r->far.data[(n - 1) / 2];
    r->far.data[n] = e;
}

static inline struct far_event far_take(struct event_ring *r)
{
    struct far_event first = r->far.data[0], last = vec_pop(&r->far);
    size_t n = 0;
    for (size_t child; (child = 2 * n + 1) < r->far.count; n = child) {
        bool right = child + 1 < r->far.count && r->far.data[child + 1].cycle < r->far.data[child].cycle;
        child += right;
        if (r->far.data[child].cycle >= last.cycle) break;
        r->far.data[n] = r->far.data[child];
    }
    r->far.data[n] = last;
    return first;
}

// Requires cycle - now < RING_CYCLES for the present cycle `now`.
static inline void ring_add_near(struct event_ring *r, uint64_t cycle, unsigned warp)
{
    unsigned bucket = cycle % RING_CYCLES;
    r->warps[bucket] |= 1ull << warp;
    r->occupied[bucket / 64] |= 1ull << bucket % 64;
}

// Requires now < cycle.
static inline void ring_add(struct event_ring *r, uint64_t now, uint64_t cycle, unsigned warp)
{
    if (__builtin_expect(cycle - now >= RING_CYCLES, 0)) {
        far_add(r, (struct far_event){cycle, warp});
        return;
    }
    ring_add_near(r, cycle, warp);
}

// Takes out the warps due in cycle `now`, as bits. Requires that no earlier bucket is occupied.
static inline uint64_t ring_take(struct event_ring *r, uint64_t now)
{
    unsigned bucket = now % RING_CYCLES;
    uint64_t warps = r->warps[bucket];
    if (warps) {
        r->warps[bucket] = 0;
        r->occupied[bucket / 64] &= ~(1ull << bucket % 64);
    }
    while (__builtin_expect(r->far.count && r->far.data[0].cycle <= now, 0))
        warps |= 1ull << far_take(r).warp;
    return warps;
}

static inline bool ring_is_bare(const struct event_ring *r) // no near events
{
    uint64_t occupied = 0;
    for (unsigned k = 0; k < RING_WORDS; k++) occupied |= r->occupied[k];
    return !occupied;
}

// The first cycle after `now` with an event; UINT64_MAX: none.
static inline uint64_t ring_next(const struct event_ring *r, uint64_t now)
{
    uint64_t next = r->far.count ? r->far.data[0].cycle : UINT64_MAX;
    if (ring_is_bare(r)) return next;
    unsigned start = (now + 1) % RING_CYCLES;
    for (unsigned k = 0; k <= RING_WORDS; k++) {
        unsigned word = (start / 64 + k) % RING_WORDS;
        uint64_t bits = r->occupied[word];
        if (k == 0) bits &= ~0ull << start % 64;
        if (k == RING_WORDS) bits &= bit_mask(start % 64);
        if (!bits) continue;
        unsigned bucket = word * 64 + bit_lowest(bits);
        uint64_t cycle = now + 1 + (bucket + RING_CYCLES - start) % RING_CYCLES;
        return cycle < next ? cycle : next;
    }
    return next;
}

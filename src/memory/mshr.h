// Miss status holding registers: lines requested by a cache and the waiters of each line. Used by L2 slices
// and by the caches of an SM.
//
//     line ─▶ bucket ─▶ mshr {line, sectors under way} ─▶ waiter ─▶ waiter, in order of arrival
#pragma once
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { MSHR_NONE = UINT32_MAX, MSHR_BUCKETS = 64 };

struct mshr_waiter { // opaque to this file
    uint32_t token;
    uint16_t owner;
    uint8_t sectors, kind, grid;
    bool is_coalesced; // the reply leaves with another waiter's
};

struct mshr {
    uint64_t line;
    union {
        uint64_t warps;  // an SM's cache: the owner's warps
        uint64_t groups; // the L2: groups of SMs with waiters
    };
    uint8_t sectors;             // requested, not yet filled
    uint32_t first, last, count; // waiters of the line
    uint32_t chain;              // next in the bucket or in the free list
};

struct mshr_link {
    struct mshr_waiter waiter;
    uint32_t next;
};

struct mshrs {
    VEC(struct mshr) all;
    VEC(struct mshr_link) links;
    uint32_t free, free_link;
    uint32_t used, most; // lines
    uint32_t merges;     // waiters of a line, at most
    uint32_t waiting;    // waiters of all lines
    uint32_t buckets[MSHR_BUCKETS];
};

void mshrs_init(struct mshrs *m, uint32_t most, uint32_t merges);
void mshrs_fini(struct mshrs *m);
uint32_t mshrs_find(const struct mshrs *m, uint64_t line); // MSHR_NONE: the line is not under way
uint32_t mshrs_take(struct mshrs *m, uint64_t line);       // the line must not be under way
void mshrs_release(struct mshrs *m, uint32_t k);           // the entry must have no waiters
void mshrs_wait(struct mshrs *m, uint32_t k, struct mshr_waiter w);
// Whether a further waiter fits on entry k of mshrs_find; for MSHR_NONE, whether a new line fits.
static inline bool mshrs_have_room(const struct mshrs *m, uint32_t k)
{
    return k == MSHR_NONE ? m->used < m->most : m->all.data[k].count < m->merges;
}
// Takes out of entry `k` the first waiter with no sector under way; false when every waiter still waits for a
// sector.
bool mshrs_next_served(struct mshrs *m, uint32_t k, struct mshr_waiter *w);

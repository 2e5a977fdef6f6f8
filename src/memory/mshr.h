// Miss status holding registers: the lines a cache has asked for, and who waits for each. For the L2's slices
// and for the caches of an SM alike.
//
//     line ─▶ bucket ─▶ mshr {line, sectors under way} ─▶ waiter ─▶ waiter, in order of arrival
#pragma once
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { MSHR_NONE = UINT32_MAX, MSHR_BUCKETS = 64 };

struct mshr_waiter { // the owner's words
    uint32_t token;
    uint16_t owner;
    uint8_t sectors, kind, grid;
};

struct mshr {
    uint64_t line;
    uint64_t warps;              // the owner's
    uint8_t sectors;             // on their way
    uint32_t first, last, count; // waiters
    uint32_t chain;              // of its bucket, or of the free ones
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
uint32_t mshrs_take(struct mshrs *m, uint64_t line);       // it must not be under way
void mshrs_release(struct mshrs *m, uint32_t k);           // without waiters
void mshrs_wait(struct mshrs *m, uint32_t k, struct mshr_waiter w);
// Whether another one may wait for the line (k from mshrs_find, MSHR_NONE: it would be a new line).
static inline bool mshrs_have_room(const struct mshrs *m, uint32_t k)
{
    return k == MSHR_NONE ? m->used < m->most : m->all.data[k].count < m->merges;
}
// Takes out the first waiter that none of the sectors under way concern; false when there is none.
bool mshrs_next_served(struct mshrs *m, uint32_t k, struct mshr_waiter *w);

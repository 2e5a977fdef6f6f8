// Names of what a warp's locations hold, a name a lane: kept as one while all lanes have the same, which is
// nearly always, and apart only where they differ. The form is canonical: equal lanes are always one, so
// warps whose lanes have equal names compare equal however they came by them.
#pragma once
#include "exec/launch.h"

#include <stdbool.h>
#include <stdint.h>

struct name {
    uint64_t common; // of all lanes, where they agree
    uint64_t *lanes; // where they do not; NULL: they do
};

struct names {
    struct name *at;  // by location
    uint64_t **store; // of lanes, by location: NULL until they first differed
    uint64_t all;     // lanes that there are
    uint32_t count;
};

void names_init(struct names *n, uint32_t locations, uint64_t lanes);
void names_fini(struct names *n);

static inline uint64_t names_lane(const struct names *n, uint32_t at, unsigned lane)
{
    return n->at[at].lanes ? n->at[at].lanes[lane] : n->at[at].common;
}

// Gives some lanes of a location a name.
void names_set_some(struct names *n, uint32_t at, uint64_t lanes, uint64_t name);
static inline void names_set(struct names *n, uint32_t at, uint64_t lanes, uint64_t name)
{
    if (n->all & ~lanes)
        names_set_some(n, at, lanes, name);
    else
        n->at[at] = (struct name){name, NULL};
}
// The same, each lane its own.
void names_set_each(struct names *n, uint32_t at, uint64_t lanes, const uint64_t name[WARP_SIZE_MAX]);

static inline uint64_t names_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9fb21c651e98df25ull;
    return h ^ h >> 29;
}

// One name for what these lanes hold: theirs, if they agree.
uint64_t names_of_lanes(const struct names *n, uint32_t at, uint64_t lanes);
static inline uint64_t names_of(const struct names *n, uint32_t at, uint64_t lanes)
{
    return n->at[at].lanes ? names_of_lanes(n, at, lanes) : n->at[at].common;
}

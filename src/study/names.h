// Names of what a warp's locations hold, a name a lane: kept as one while all lanes have the same, which is
// nearly always, and apart only where they differ. The form is canonical: equal lanes are always one, so
// warps whose lanes have equal names compare equal however they came by them.
#pragma once
#include "exec/launch.h"

#include <stdbool.h>
#include <stdint.h>

struct names {
    uint64_t *common;                  // by location, where the lanes agree
    uint64_t (**lanes)[WARP_SIZE_MAX]; // by location: NULL until they first differed
    bool *differ;
    uint64_t all; // lanes that there are
    uint32_t count;
};

void names_init(struct names *n, uint32_t locations, uint64_t lanes);
void names_fini(struct names *n);
void names_forget(struct names *n); // all lanes agree everywhere, on what is in `common`

static inline uint64_t names_lane(const struct names *n, uint32_t at, unsigned lane)
{
    return n->differ[at] ? (*n->lanes[at])[lane] : n->common[at];
}

// Gives some lanes of a location a name.
void names_set_some(struct names *n, uint32_t at, uint64_t lanes, uint64_t name);
static inline void names_set(struct names *n, uint32_t at, uint64_t lanes, uint64_t name)
{
    if (n->all & ~lanes) {
        names_set_some(n, at, lanes, name);
    } else {
        n->common[at] = name;
        n->differ[at] = false;
    }
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
    return n->differ[at] ? names_of_lanes(n, at, lanes) : n->common[at];
}

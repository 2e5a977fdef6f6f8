// Names (identity.h) of values in a warp's locations: registers, predicates and spill slots. Every lane has
// one name. Lanes with equal names, the usual case, share one stored name; differing lanes are stored
// separately. The form is canonical: names of equal lanes always compare equal, whatever writes made them.
#pragma once
#include "exec/access.h"
#include "exec/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
    uint64_t common; // name of all lanes, if equal
    uint64_t *lanes; // names by lane, if different; otherwise NULL
};

struct names {
    struct name *at;  // by location: names of the value
    uint64_t **store; // storage for lanes, by location; NULL before the first difference
    uint64_t all;     // mask of existing lanes
    uint32_t count;
};

void names_init(struct names *n, uint32_t locations, uint64_t lanes);
void names_fini(struct names *n);

static inline uint64_t names_lane(const struct names *n, uint32_t at, unsigned lane)
{
    return n->at[at].lanes ? n->at[at].lanes[lane] : n->at[at].common;
}

// Gives `lanes` of location `at` one name.
void names_set_some(struct names *n, uint32_t at, uint64_t lanes, uint64_t name);
static inline void names_set(struct names *n, uint32_t at, uint64_t lanes, uint64_t name)
{
    if (n->all & ~lanes)
        names_set_some(n, at, lanes, name);
    else
        n->at[at] = (struct name){name, NULL};
}
// Gives every lane of `lanes` its own name in location `at`: name[lane].
void names_set_each(struct names *n, uint32_t at, uint64_t lanes, const uint64_t name[WARP_SIZE_MAX]);

static inline uint64_t names_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9fb21c651e98df25ull;
    return h ^ h >> 29;
}

// One name for the values of `lanes`: the common name if equal, otherwise a hash of the names.
uint64_t names_of_lanes(const struct names *n, uint32_t at, uint64_t lanes);
static inline uint64_t names_of(const struct names *n, uint32_t at, uint64_t lanes)
{
    return n->at[at].lanes ? names_of_lanes(n, at, lanes) : n->at[at].common;
}

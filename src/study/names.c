// Locations whose lanes have different names, and the return to one name after the lanes agree again.
#include "study/names.h"
#include "base/arena.h"
#include "exec/access.h"

#include <stdlib.h>

void names_init(struct names *n, uint32_t locations, uint64_t lanes)
{
    *n = (struct names){.all = lanes, .count = locations};
    n->at = heap_alloc(locations * sizeof *n->at);
    n->store = heap_alloc(locations * sizeof *n->store);
}

void names_fini(struct names *n)
{
    for (uint32_t at = 0; at < n->count; at++) free(n->store[at]);
    free(n->at);
    free(n->store);
}

static uint64_t *apart(struct names *n, uint32_t at)
{
    struct name *x = &n->at[at];
    if (x->lanes) return x->lanes;
    if (!n->store[at]) n->store[at] = heap_alloc(WARP_SIZE_MAX * sizeof *n->store[at]);
    x->lanes = n->store[at];
    for (unsigned lane = 0; lane < WARP_SIZE_MAX; lane++) x->lanes[lane] = x->common;
    return x->lanes;
}

static void join(struct names *n, uint32_t at)
{
    const uint64_t *lanes = n->at[at].lanes;
    uint64_t first = lanes[__builtin_ctzll(n->all)];
    for (uint64_t left = n->all; left; left &= left - 1)
        if (lanes[__builtin_ctzll(left)] != first) return;
    n->at[at] = (struct name){first, NULL};
}

void names_set_some(struct names *n, uint32_t at, uint64_t lanes, uint64_t name)
{
    if (!lanes || (!n->at[at].lanes && n->at[at].common == name)) return;
    uint64_t *to = apart(n, at);
    for (uint64_t left = lanes; left; left &= left - 1) to[__builtin_ctzll(left)] = name;
    join(n, at);
}

void names_set_each(struct names *n, uint32_t at, uint64_t lanes, const uint64_t name[WARP_SIZE_MAX])
{
    if (!lanes) return;
    uint64_t *to = apart(n, at);
    for (uint64_t left = lanes; left; left &= left - 1)
        to[__builtin_ctzll(left)] = name[__builtin_ctzll(left)];
    join(n, at);
}

uint64_t names_of_lanes(const struct names *n, uint32_t at, uint64_t lanes)
{
    uint64_t first = names_lane(n, at, lanes ? (unsigned)__builtin_ctzll(lanes) : 0), h = 1;
    bool same = true;
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint64_t name = names_lane(n, at, (unsigned)__builtin_ctzll(left));
        same &= name == first;
        h = names_mix(h, name);
    }
    return same ? first : h;
}

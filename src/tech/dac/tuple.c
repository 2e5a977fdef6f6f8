#include "tech/dac/tuple.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static uint32_t place_of(const struct threads *t, uint32_t thread)
{
    return thread / t->warp_size * t->lanes + thread % t->warp_size;
}

void threads_init(struct threads *t, const uint32_t block[3], unsigned warp_size, unsigned lanes)
{
    *t = (struct threads){.lanes = lanes, .warp_size = warp_size, .count = block[0] * block[1] * block[2]};
    memcpy(t->block, block, sizeof t->block);
    t->warps = (t->count + warp_size - 1) / warp_size;
    for (unsigned k = 0; k < 3; k++) t->at[k] = heap_alloc((size_t)t->warps * lanes * sizeof *t->at[k]);
    for (uint32_t n = 0; n < t->count; n++) {
        uint32_t place = place_of(t, n);
        t->at[0][place] = n % block[0];
        t->at[1][place] = n / block[0] % block[1];
        t->at[2][place] = n / block[0] / block[1];
    }
}

void threads_fini(struct threads *t)
{
    for (unsigned k = 0; k < 3; k++) free(t->at[k]);
}

// Lanes computed together.
typedef uint32_t part __attribute__((vector_size(16)));
enum { PART = sizeof(part) / 4 };

static part part_at(const uint32_t *lanes)
{
    part p;
    memcpy(&p, lanes, sizeof p);
    return p;
}

static void expand_rest(const struct tuple *u, const struct threads *t, size_t first, uint32_t *to)
{
    for (unsigned l = 0; l < t->lanes; l += PART) {
        part p = u->base + u->stride[0] * part_at(t->at[0] + first + l);
        if (u->stride[1] | u->stride[2])
            p += u->stride[1] * part_at(t->at[1] + first + l) + u->stride[2] * part_at(t->at[2] + first + l);
        memcpy(to + l, &p, sizeof p);
    }
}

void tuple_expand(const struct tuple *u, const struct threads *t, unsigned warp, uint32_t *to)
{
    if (!tuple_is_uniform(u)) {
        expand_rest(u, t, (size_t)warp * t->lanes, to);
        return;
    }
    const part p = {u->base, u->base, u->base, u->base}; // most tuples are uniform
    for (unsigned l = 0; l < t->lanes; l += PART) memcpy(to + l, &p, sizeof p);
}

bool tuple_fit(struct tuple *u, const struct threads *t, const uint32_t *values)
{
    uint32_t step[3] = {1, t->block[0], t->block[0] * t->block[1]}, lanes[64];
    *u = (struct tuple){.base = values[0]};
    for (unsigned k = 0; k < 3; k++)
        if (t->block[k] > 1) u->stride[k] = values[place_of(t, step[k])] - values[0];
    for (unsigned w = 0; w < t->warps; w++) {
        tuple_expand(u, t, w, lanes);
        if (memcmp(lanes, values + (size_t)w * t->lanes, threads_in(t, w) * sizeof *lanes) != 0) return false;
    }
    return true;
}

bool tuple_is_lanewise(const struct tuple *u, const struct threads *t)
{
    if (tuple_is_uniform(u) || t->block[0] == t->count)
        return true; // lanes of a line of threads are its threads
    uint32_t lanes[64];
    for (unsigned w = 0; w < t->warps; w++) {
        tuple_expand(u, t, w, lanes);
        for (unsigned l = 2; l < threads_in(t, w); l++)
            if (lanes[l] - lanes[0] != l * (lanes[1] - lanes[0])) return false;
    }
    return true;
}

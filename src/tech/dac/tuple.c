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

// Number of lanes computed by one loop, constant so that the compiler vectorises the loops.
enum { PART = 32 };

static void expand_part(const struct tuple *u, const uint32_t *x, const uint32_t *y, const uint32_t *z,
                        uint32_t *to)
{
    for (unsigned l = 0; l < PART; l++) to[l] = u->base + u->stride[0] * x[l];
    if (!u->stride[1] && !u->stride[2]) return;
    for (unsigned l = 0; l < PART; l++) to[l] += u->stride[1] * y[l] + u->stride[2] * z[l];
}

static void fill_part(uint32_t value, uint32_t *to)
{
    for (unsigned l = 0; l < PART; l++) to[l] = value;
}

void tuple_expand(const struct tuple *u, const struct threads *t, unsigned warp, uint32_t *to)
{
    size_t first = (size_t)warp * t->lanes;
    for (unsigned l = 0; l < t->lanes; l += PART) {
        if (tuple_is_uniform(u)) // most tuples are
            fill_part(u->base, to + l);
        else
            expand_part(u, t->at[0] + first + l, t->at[1] + first + l, t->at[2] + first + l, to + l);
    }
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
    uint32_t lanes[64];
    for (unsigned w = 0; w < t->warps; w++) {
        tuple_expand(u, t, w, lanes);
        for (unsigned l = 2; l < threads_in(t, w); l++)
            if (lanes[l] - lanes[0] != l * (lanes[1] - lanes[0])) return false;
    }
    return true;
}

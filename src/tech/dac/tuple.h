// Affine tuples: a register of all threads of a block, as one base and a stride for each dimension.
//
//     value of thread (x, y, z) = base + stride[0] * x + stride[1] * y + stride[2] * z   (modulo 2^32)
//
// Uniform values have strides of 0. One tuple represents the registers of all warps of the block; each warp's
// lanes are expanded from the tuple.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct tuple {
    uint32_t base, stride[3];
};

// Coordinates of a block's threads, by warp and lane: lane l of warp w is entry w * lanes + l.
struct threads {
    uint32_t *at[3]; // coordinates x, y, z
    unsigned lanes, warps, warp_size;
    uint32_t block[3], count;
};

void threads_init(struct threads *t, const uint32_t block[3], unsigned warp_size, unsigned lanes);
void threads_fini(struct threads *t);
static inline unsigned threads_in(const struct threads *t, unsigned warp) // number of lanes with a thread
{
    uint32_t left = t->count - warp * t->warp_size;
    return left < t->warp_size ? left : t->warp_size;
}

static inline bool tuple_is_uniform(const struct tuple *u)
{
    return !(u->stride[0] | u->stride[1] | u->stride[2]);
}
static inline bool tuple_equal(const struct tuple *a, const struct tuple *b)
{
    return a->base == b->base && a->stride[0] == b->stride[0] && a->stride[1] == b->stride[1] &&
           a->stride[2] == b->stride[2];
}
// Computes the tuple's values in the lanes of a warp into `to`.
void tuple_expand(const struct tuple *u, const struct threads *t, unsigned warp, uint32_t *to);
// Whether in every warp the tuple's values have the form base + stride * lane, with a base and stride per
// warp.
bool tuple_is_lanewise(const struct tuple *u, const struct threads *t);
// Sets *u to the tuple of a block's `values`, by warp and lane. False: the values are not affine, and *u is
// of no use.
bool tuple_fit(struct tuple *u, const struct threads *t, const uint32_t *values);

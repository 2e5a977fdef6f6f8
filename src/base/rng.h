// splitmix64 (Steele, Lea and Flood 2014). All pseudo-random numbers come from such a generator, or from
// hash_u64, the generator's last step. In the command line's `rand:SEED`, element i of a buffer is made from
// output i of a generator started at SEED.
#pragma once
#include "base/hash.h"

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline void rng_init(struct rng *r, uint64_t seed) { r->state = seed; }
static inline struct rng rng_at(uint64_t seed,
                                uint64_t output) // the generator before an output, counted from 0
{
    return (struct rng){seed + output * 0x9e3779b97f4a7c15ull};
}
static inline uint64_t rng_next(struct rng *r) { return hash_u64(r->state += 0x9e3779b97f4a7c15ull); }
static inline uint32_t rng_below(struct rng *r, uint32_t bound) // bound > 0
{
    return (uint32_t)((rng_next(r) >> 32) * bound >> 32);
}
static inline float rng_f32(uint64_t z) { return (float)(z >> 40) * 0x1p-24f; }
static inline double rng_f64(uint64_t z) { return (double)(z >> 11) * 0x1p-53; }
// Blocks of the next `count` outputs: low + (high - low) * rng_f32(output), and the outputs as they are.
void rng_fill_f32(struct rng *r, float *to, size_t count, float low, float high);
void rng_fill_u64(struct rng *r, uint64_t *to, size_t count);

// Blocks of numbers have no chain of additions through the state: number n of a block is made from the state before
// the block and n, so a loop has vectors of numbers. Of a float's number, the upper 24 bits count, out of reach of
// the last step of hash_u64.
#include "base/rng.h"
#include "base/clones.h"

enum { BLOCK = 8 };

static const uint64_t STEP = 0x9e3779b97f4a7c15ull;

static inline uint64_t upper_bits(uint64_t z) // of hash_u64(z): bits 40 to 63
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    return (z ^ z >> 27) * 0x94d049bb133111ebull >> 40;
}

// Clones are static: the linker needs their names in no other file, and the library for other programs shows none.
static CLONES void fill_f32(struct rng *r, float *restrict to, size_t count, float low, float high)
{
    const float range = high - low;
    size_t whole = count / BLOCK * BLOCK;
    uint64_t state = r->state;
    for (size_t i = 0; i < whole; i += BLOCK, state += BLOCK * STEP)
        for (unsigned n = 0; n < BLOCK; n++)
            to[i + n] = low + range * ((float)(int32_t)upper_bits(state + (n + 1) * STEP) * 0x1p-24f);
    r->state = state;
    for (size_t i = whole; i < count; i++) to[i] = low + range * rng_f32(rng_next(r));
}

static CLONES void fill_u64(struct rng *r, uint64_t *restrict to, size_t count)
{
    size_t whole = count / BLOCK * BLOCK;
    uint64_t state = r->state;
    for (size_t i = 0; i < whole; i += BLOCK, state += BLOCK * STEP)
        for (unsigned n = 0; n < BLOCK; n++) to[i + n] = hash_u64(state + (n + 1) * STEP);
    r->state = state;
    for (size_t i = whole; i < count; i++) to[i] = rng_next(r);
}

void rng_fill_f32(struct rng *r, float *restrict to, size_t count, float low, float high)
{
    fill_f32(r, to, count, low, high);
}

void rng_fill_u64(struct rng *r, uint64_t *restrict to, size_t count) { fill_u64(r, to, count); }

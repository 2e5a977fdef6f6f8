// The programs of random combinations: small programs of every kind the generator makes, in blocks and
// grids of odd shapes and warps of every size.
#include "base/rng.h"
#include "differential/combination.h"

#include <string.h>

enum { WARPS_MAX = 32, THREADS_MAX = 192 }; // a block fits on every GPU, and no program takes long

static uint32_t draw_one(struct rng *r, const uint32_t *of, unsigned count)
{
    return of[rng_below(r, count)];
}

static void draw_block(struct rng *r, uint32_t warp_size, uint32_t block[3])
{
    static const uint32_t xs[] = {1,  2,  3,  4,  5,  7,  8,  8,  12, 16, 16,
                                  17, 24, 31, 32, 32, 33, 48, 64, 96, 128};
    static const uint32_t ys[] = {1, 1, 1, 2, 2, 3, 4, 4, 5, 8}, zs[] = {1, 1, 1, 1, 2, 2, 3, 4};
    bool single = !rng_below(r, 8), rows = rng_below(r, 2); // rows: threadIdx.x repeats every few warps
    for (uint32_t threads = 0; !threads;) {
        block[0] = draw_one(r, xs, sizeof xs / sizeof xs[0]);
        block[1] = draw_one(r, ys, sizeof ys / sizeof ys[0]);
        block[2] = draw_one(r, zs, sizeof zs / sizeof zs[0]);
        if (rows) block[0] = warp_size * (1 + rng_below(r, 4));
        if (rows) block[1] = 2 + rng_below(r, 7);
        threads = block[0] * block[1] * block[2];
        if (threads > THREADS_MAX || threads > WARPS_MAX * warp_size) threads = 0;
        if (!single && threads <= warp_size && warp_size < THREADS_MAX / 2) threads = 0;
    }
}

void combination_program(uint64_t seed, struct generated *out)
{
    static const uint32_t grids[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 1, 1}, {3, 1, 1},
                                        {1, 2, 1}, {1, 1, 2}, {2, 2, 1}};
    enum kind { VALUES, LANES, DEFINED, ORDER, SPLITS, UNDEFINED };
    static const enum kind kinds[] = {VALUES,  LANES,   DEFINED, DEFINED, DEFINED, DEFINED,
                                      DEFINED, DEFINED, ORDER,   ORDER,   SPLITS,  UNDEFINED};
    struct rng r;
    uint32_t block[3];
    rng_init(&r, hash_u64(seed ^ 0x9409));
    enum kind kind = kinds[rng_below(&r, sizeof kinds / sizeof kinds[0])];
    uint32_t warp_size = kind != LANES && rng_below(&r, 3) ? 1u << rng_below(&r, 7) : 32;
    draw_block(&r, warp_size, block);
    const uint32_t *grid = grids[rng_below(&r, sizeof grids / sizeof grids[0])];
    unsigned statements = 4 + rng_below(&r, 14);
    if (kind == VALUES || kind == LANES) {
        struct generator_options o = {.statements = statements,
                                      .no_lanes = kind == VALUES,
                                      .block = block,
                                      .grid = grid,
                                      .warp_size = warp_size};
        generator_make(seed, &o, out);
        return;
    }
    struct redundancy_options o = {.block = block,
                                   .grid = kind == UNDEFINED ? NULL : grid,
                                   .warp_size = warp_size,
                                   .defined = kind != UNDEFINED,
                                   .order = kind == ORDER || kind == SPLITS,
                                   .splits = kind == SPLITS};
    generator_redundancy_with(seed, &o, out);
}

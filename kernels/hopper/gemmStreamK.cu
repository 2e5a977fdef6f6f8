// C = A B^T in f16 with f32 sums, as gemmSimple, by a grid of n blocks that fit the card at once. Whole rounds of n
// tiles, all but the last whole round, are dealt out a tile a block. The other tiles' steps along K are dealt out
// evenly before: block i takes steps i/n to (i + 1)/n of the total, tile after tile. The block with a tile's first
// steps stores the tile. A block with later steps leaves sums in `partial` and raises a flag; the storing block adds
// the sums and lowers the flag. Only a block's first tile can begin with later steps, so a flag is raised without
// waiting. `partial` has 128 x 128 floats a block, `flags` two words a block, 0 at the start and at the end. n is a
// multiple of 128, k of 64.
#include "hopper.cuh"

constexpr int stream_stages = 4, stream_tile = 128 * 128; // bytes of a tile of A or B
constexpr int stream_shared = 1024 + stream_stages * 2 * stream_tile + 64;

// `steps` for every tile of `tiles`, `columns` tiles a row; the first `shared` tiles are dealt out by steps.
struct stream_work {
    int tiles, columns, steps, shared;
};

// Steps `first` to `last` of a tile.
struct stream_piece {
    int tile, first, last;
};

struct stream_ring {
    uint32_t tiles, full, empty;
    int turn;
};

// The first of the dealt out steps that belong to `block`.
DEVICE int stream_start(const stream_work &work, int block)
{
    return (int)((long long)work.shared * work.steps * block / gridDim.x);
}

// The block's next piece. *at: next of the block's dealt out steps; *whole: next tile of its own.
DEVICE bool stream_next(const stream_work &work, int *at, int *whole, stream_piece *piece)
{
    int end = stream_start(work, blockIdx.x + 1);
    if (*at < end) {
        piece->tile = *at / work.steps;
        piece->first = *at % work.steps;
        piece->last = min(end - piece->tile * work.steps, work.steps);
        *at += piece->last - piece->first;
        return true;
    }
    *piece = {*whole, 0, work.steps};
    *whole += gridDim.x;
    return piece->tile < work.tiles;
}

DEVICE void stream_produce(const tensor_map *a, const tensor_map *b, stream_ring ring,
                           const stream_work &work)
{
    int at = stream_start(work, blockIdx.x), whole = work.shared + blockIdx.x;
    stream_piece piece;
    while (stream_next(work, &at, &whole, &piece))
        for (int step = piece.first; step < piece.last; step++, ring.turn++) {
            int stage = ring.turn % stream_stages;
            uint32_t to = ring.tiles + stage * 2 * stream_tile, barrier = ring.full + 8 * stage;
            barrier_wait(ring.empty + 8 * stage, (ring.turn / stream_stages & 1) ^ 1);
            barrier_expect(barrier, 2 * stream_tile);
            load_box(to, a, barrier, step * 64, piece.tile / work.columns * 128);
            load_box(to + stream_tile, b, barrier, step * 64, piece.tile % work.columns * 128);
        }
}

DEVICE void stream_multiply(float (&d)[64], stream_ring &ring, int group, int steps)
{
#pragma unroll 1
    for (int step = 0; step < steps; step++, ring.turn++) {
        int stage = ring.turn % stream_stages;
        uint32_t from = ring.tiles + stage * 2 * stream_tile;
        uint64_t a = row_descriptor(from + group * 64 * 128), b = row_descriptor(from + stream_tile);
        barrier_wait(ring.full + 8 * stage, ring.turn / stream_stages & 1);
        hold(d);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; i++) wgmma_128_f16(d, a + 2 * i, b + 2 * i, step + i);
        wgmma_commit();
        wgmma_wait<0>();
        hold(d);
        if (threadIdx.x % 128 == 0) barrier_arrive(ring.empty + 8 * stage);
    }
}

// A warpgroup's partial sums: value i of thread t at i x 128 + t.
DEVICE float *stream_partial(float *partial, int block, int group)
{
    return partial + ((size_t)block * 2 + group) * 64 * 128 + threadIdx.x % 128;
}

DEVICE void stream_leave(float *partial, int *flags, const float (&d)[64], int group)
{
    float *to = stream_partial(partial, blockIdx.x, group);
#pragma unroll
    for (int i = 0; i < 64; i++) __stcg(to + i * 128, d[i]);
    __threadfence();
    named_sync(1 + group, 128);
    if (threadIdx.x % 128 == 0)
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flags + blockIdx.x * 2 + group) : "memory");
}

DEVICE void stream_await(const int *flag)
{
    int raised = 0;
    for (uint32_t tries = 0; !raised; tries++) {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(raised) : "l"(flag) : "memory");
        if (tries == wait_tries) __trap();
    }
}

// Adds the sums of `block` and lowers the flag.
DEVICE void stream_join(const float *partial, int *flags, float (&d)[64], int group, int block)
{
    int *flag = flags + block * 2 + group;
    if (threadIdx.x % 128 == 0) stream_await(flag);
    named_sync(1 + group, 128);
    const float *from = stream_partial((float *)partial, block, group);
#pragma unroll
    for (int i = 0; i < 64; i++) d[i] += __ldcg(from + i * 128);
    if (threadIdx.x % 128 == 0) *flag = 0;
}

DEVICE void stream_store(__half *c, const float (&d)[64], const stream_work &work, int tile)
{
    int n = work.columns * 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __half *corner = c + (size_t)(tile / work.columns * 128 + warp * 16 + lane / 4) * n +
                     tile % work.columns * 128 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        *(__half2 *)(corner + 8 * i) = __floats2half2_rn(d[4 * i], d[4 * i + 1]);
        *(__half2 *)(corner + 8 * n + 8 * i) = __floats2half2_rn(d[4 * i + 2], d[4 * i + 3]);
    }
}

// Adds what later blocks have left of the tile's steps from `done` on.
DEVICE void stream_complete(const float *partial, int *flags, float (&d)[64], int group,
                            const stream_work &work, int tile, int done)
{
    int end = (tile + 1) * work.steps;
    done += tile * work.steps;
    for (int block = blockIdx.x + 1; done < end; block++) {
        int after = min(stream_start(work, block + 1), end);
        if (after > done) stream_join(partial, flags, d, group, block);
        done = after;
    }
}

DEVICE void stream_consume(__half *c, float *partial, int *flags, stream_ring ring, const stream_work &work)
{
    int group = threadIdx.x / 128;
    int at = stream_start(work, blockIdx.x), whole = work.shared + blockIdx.x;
    stream_piece piece;
    while (stream_next(work, &at, &whole, &piece)) {
        float d[64];
        stream_multiply(d, ring, group, piece.last - piece.first);
        if (piece.first > 0) {
            stream_leave(partial, flags, d, group);
            continue;
        }
        if (piece.last < work.steps) stream_complete(partial, flags, d, group, work, piece.tile, piece.last);
        stream_store(c, d, work, piece.tile);
    }
}

KERNEL void __launch_bounds__(288)
    gemm_stream_k(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, __half *c,
                  float *partial, int *flags, int m, int n, int k)
{
    uint32_t tiles = dynamic_shared();
    uint32_t full = tiles + stream_stages * 2 * stream_tile, empty = full + 8 * stream_stages;
    stream_work work = {m / 128 * (n / 128), n / 128, k / 64, 0};
    work.shared = work.tiles - max(work.tiles / (int)gridDim.x - 1, 0) * (int)gridDim.x;
    stream_ring ring = {tiles, full, empty, 0};
    if (threadIdx.x == 0) {
        for (int i = 0; i < stream_stages; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 2);
        }
        barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x < 256)
        stream_consume(c, partial, flags, ring, work);
    else if (elect())
        stream_produce(&a, &b, ring, work);
}

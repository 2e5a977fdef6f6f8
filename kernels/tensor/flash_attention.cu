// Attention forward of halves without the matrix of scores in memory, as in FlashAttention-2 (Dao 2023):
//
//     O = softmax(Q * transpose(K) * scale) * V        for every head; causal: query i sees keys 0 to i
//
// Q, K, V and O are [heads of all batches][seq][D] in rows; `seq` is a multiple of 128. Grid (seq / rows of a block, heads), 128
// threads. A block walks over tiles of 64 keys, copied one tile ahead; queries, scores and sums stay in registers. A warp has
// 16 * FRAGMENTS queries:
//   D  64: FRAGMENTS 2, 128 queries a block, 32 KB of shared memory
//   D 128: FRAGMENTS 1,  64 queries a block, 64 KB of shared memory
// Shared memory: K and V of tile t in stage t % 2; queries pass through stage 1 first. Cell c (16 bytes) of row r lies at
// c ^ (r % 8).
#include "tensor.h"

#define ATTENTION_THREADS 128
#define ATTENTION_KEYS    64

// State of a warp's 16 queries: O and, for rows g and g + 8, the greatest score and the lane's part of the sum.
template <int D> struct attention_rows {
    float o[D / 8][4];
    float most[2], sum[2];
};

// Starts copies of `ROWS` rows of D halves.
template <int ROWS, int D> INLINE void attention_copy(unsigned to, const f16 *from)
{
    const int cells = D / 8;
#pragma unroll
    for (int part = 0; part < ROWS * cells; part += ATTENTION_THREADS) {
        int i = part + threadIdx.x, row = i / cells, cell = i % cells;
        copy_16(to + row * D * 2 + ((cell ^ (row % 8)) << 4), from + i * 8, true);
    }
}

// Scores of a warp's queries and a tile's keys: s = q * transpose(k).
template <int FRAGMENTS, int D>
INLINE void attention_scores(float (&s)[FRAGMENTS][8][4], const unsigned (&q)[FRAGMENTS][D / 16][4],
                             unsigned keys)
{
    int lane = threadIdx.x % 32;
    unsigned place = keys + (lane % 8 + lane / 16 * 8) * D * 2, cell = lane / 8 % 2;
#pragma unroll
    for (int f = 0; f < FRAGMENTS; f++)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) s[f][j][i] = 0;
#pragma unroll
    for (int depth = 0; depth < D / 16; depth++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned k[4];
            load_matrices(k, place + j * 16 * D * 2 + (((depth * 2 + cell) ^ (lane % 8)) << 4));
#pragma unroll
            for (int f = 0; f < FRAGMENTS; f++) {
                mma_f16::multiply(s[f][2 * j], q[f][depth], k[0], k[1]);
                mma_f16::multiply(s[f][2 * j + 1], q[f][depth], k[2], k[3]);
            }
        }
}

// Scores of keys behind the query become minus infinity. `ahead`: the lane's first query less the tile's first key.
INLINE void attention_mask(float (&s)[8][4], int ahead)
{
    int column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (j * 8 + column + i % 2 > ahead + i / 2 * 8) s[j][i] = MINUS_INFINITY;
}

// Scores become weights, exp(score - greatest); O and the sum are scaled to the new greatest score.
template <int D> INLINE void attention_softmax(float (&s)[8][4], attention_rows<D> &rows, float scale)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float most = rows.most[half];
#pragma unroll
        for (int j = 0; j < 8; j++) most = fmaxf(most, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
        most = quad_max(most);
        float factor = exp2_fast((rows.most[half] - most) * scale), sum = rows.sum[half] * factor;
        rows.most[half] = most;
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; i++) {
                s[j][i] = exp2_fast(s[j][i] * scale - most * scale);
                sum += s[j][i];
            }
        rows.sum[half] = sum;
#pragma unroll
        for (int j = 0; j < D / 8; j++) rows.o[j][2 * half] *= factor, rows.o[j][2 * half + 1] *= factor;
    }
}

// O += weights * v. The accumulators of the scores have the layout of fragments of A, two columns of 8 for one of 16.
template <int FRAGMENTS, int D>
INLINE void attention_values(attention_rows<D> (&rows)[FRAGMENTS], const float (&s)[FRAGMENTS][8][4],
                             unsigned values)
{
    int lane = threadIdx.x % 32;
    unsigned place = values + lane % 16 * D * 2, cell = lane / 16;
#pragma unroll
    for (int depth = 0; depth < 4; depth++) {
        unsigned p[FRAGMENTS][4];
#pragma unroll
        for (int f = 0; f < FRAGMENTS; f++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float *pair = &s[f][2 * depth + i / 2][i % 2 * 2];
                p[f][i] = f16_pair(pair[0], pair[1]);
            }
#pragma unroll
        for (int j = 0; j < D / 16; j++) {
            unsigned v[4];
            load_matrices_trans(v, place + depth * 16 * D * 2 + (((j * 2 + cell) ^ (lane % 8)) << 4));
#pragma unroll
            for (int f = 0; f < FRAGMENTS; f++) {
                mma_f16::multiply(rows[f].o[2 * j], p[f], v[0], v[1]);
                mma_f16::multiply(rows[f].o[2 * j + 1], p[f], v[2], v[3]);
            }
        }
    }
}

// Divides O by the sums and stores 16 rows at `o`.
template <int D> INLINE void attention_store(f16 *o, const attention_rows<D> &rows)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float factor = 1 / quad_sum(rows.sum[half]);
        f16 *row = o + (lane / 4 + half * 8) * D + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < D / 8; j++)
            *(unsigned *)(row + j * 8) =
                f16_pair(rows.o[j][2 * half] * factor, rows.o[j][2 * half + 1] * factor);
    }
}

// Fragments of a warp's queries from shared memory.
template <int FRAGMENTS, int D>
INLINE void attention_queries(unsigned (&q)[FRAGMENTS][D / 16][4], unsigned from)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int f = 0; f < FRAGMENTS; f++)
#pragma unroll
        for (int depth = 0; depth < D / 16; depth++) {
            int row = (warp * FRAGMENTS + f) * 16 + lane % 16, cell = depth * 2 + lane / 16;
            load_matrices(q[f][depth], from + row * D * 2 + ((cell ^ (row % 8)) << 4));
        }
}

// The kernel's body. `scale`: factor of the scores.
template <int FRAGMENTS, int D, bool CAUSAL>
INLINE void attention(const f16 *q, const f16 *k, const f16 *v, f16 *o, int seq, float scale)
{
    const int block_rows = 64 * FRAGMENTS, tile_bytes = ATTENTION_KEYS * D * 2, stage_bytes = 2 * tile_bytes;
    unsigned base = shared_offset(tensor_shared);
    int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x; // causal: the longest first
    int first = block * block_rows, mine = first + threadIdx.x / 32 * 16 * FRAGMENTS;
    int tiles = CAUSAL ? (first + block_rows) / ATTENTION_KEYS : seq / ATTENTION_KEYS;
    size_t head = (size_t)blockIdx.y * seq * D;
    auto copy = [&](int t) {
        unsigned to = base + t % 2 * stage_bytes;
        attention_copy<ATTENTION_KEYS, D>(to, k + head + t * ATTENTION_KEYS * D);
        attention_copy<ATTENTION_KEYS, D>(to + tile_bytes, v + head + t * ATTENTION_KEYS * D);
        copy_commit();
    };

    attention_copy<block_rows, D>(base + stage_bytes, q + head + (size_t)first * D);
    copy_commit();
    copy(0);
    copy_wait<1>();
    __syncthreads();
    unsigned queries[FRAGMENTS][D / 16][4];
    attention_queries<FRAGMENTS, D>(queries, base + stage_bytes);
    attention_rows<D> rows[FRAGMENTS];
#pragma unroll
    for (int f = 0; f < FRAGMENTS; f++) rows[f] = {{}, {MINUS_INFINITY, MINUS_INFINITY}, {0, 0}};

    scale *= 1.44269504f; // log2(e): exponentials are powers of 2
    for (int t = 0; t < tiles; t++) {
        copy_wait<0>();
        __syncthreads(); // tile t has landed, and stage (t + 1) % 2 is read no more
        if (t + 1 < tiles) copy(t + 1);
        unsigned stage = base + t % 2 * stage_bytes;
        float s[FRAGMENTS][8][4];
        attention_scores<FRAGMENTS, D>(s, queries, stage);
#pragma unroll
        for (int f = 0; f < FRAGMENTS; f++) {
            int ahead = mine + f * 16 - t * ATTENTION_KEYS;
            if (CAUSAL && ahead < ATTENTION_KEYS - 1) attention_mask(s[f], ahead + threadIdx.x % 32 / 4);
            attention_softmax<D>(s[f], rows[f], scale);
        }
        attention_values<FRAGMENTS, D>(rows, s, stage + tile_bytes);
    }
#pragma unroll
    for (int f = 0; f < FRAGMENTS; f++) attention_store<D>(o + head + (size_t)(mine + f * 16) * D, rows[f]);
}

#define ATTENTION_KERNEL(name, blocks, fragments, d, causal)                                                 \
    KERNEL void __launch_bounds__(ATTENTION_THREADS, blocks)                                                 \
        name(const f16 *q, const f16 *k, const f16 *v, f16 *o, int seq, float scale)                         \
    {                                                                                                        \
        attention<fragments, d, causal>(q, k, v, o, seq, scale);                                             \
    }

ATTENTION_KERNEL(flash_attention_64, 2, 2, 64, false)
ATTENTION_KERNEL(flash_attention_64_causal, 2, 2, 64, true)
ATTENTION_KERNEL(flash_attention_128, 3, 1, 128, false)
ATTENTION_KERNEL(flash_attention_128_causal, 3, 1, 128, true)

// Attention, forward: O = softmax(Q K^T / sqrt(D)) V, head by head, f16 with f32 sums. Tensors are
// [batch][token][head][D].
//
// A block of three warpgroups computes 128 rows of a head: a single thread loads Q, then tiles of 128 rows of K and V
// into two stages of K and two of V; two warpgroups have 64 rows apiece. S = Q K^T stays in registers, becomes P in
// registers as f16 and multiplies V (rows of V lie along N). A warpgroup issues the product for the next tile of K
// before the product of P and V, and computes exponentials during the latter; two named barriers let the two
// warpgroups issue in turn. Tiles of K go from the last to the first, so the causal mask cuts the first only. Grid:
// (tokens / 128, heads, batch).
#include "hopper.cuh"

constexpr int attention_panel = 128 * 128; // bytes: 128 rows of 64 columns
constexpr int attention_rounds = 2;        // stages of K and of V
template <int D> constexpr int attention_tile = D / 64 * attention_panel;
template <int D> constexpr int attention_shared = 1024 + (1 + 2 * attention_rounds) * attention_tile<D> + 128;

struct attention_maps {
    const tensor_map *q, *k, *v, *o;
};

// Addresses in shared memory: tiles, barriers behind the tiles.
struct attention_places {
    uint32_t q, k, v, q_full, k_full, k_empty, v_full, v_empty;
};

template <int D> DEVICE attention_places attention_layout()
{
    attention_places p;
    p.q = dynamic_shared();
    p.k = p.q + attention_tile<D>;
    p.v = p.k + attention_rounds * attention_tile<D>;
    p.q_full = p.v + attention_rounds * attention_tile<D>;
    p.k_full = p.q_full + 8;
    p.k_empty = p.k_full + 8 * attention_rounds;
    p.v_full = p.k_empty + 8 * attention_rounds;
    p.v_empty = p.v_full + 8 * attention_rounds;
    return p;
}

DEVICE void attention_init(const attention_places &p)
{
    barrier_init(p.q_full, 1);
    for (int i = 0; i < attention_rounds; i++) {
        barrier_init(p.k_full + 8 * i, 1);
        barrier_init(p.v_full + 8 * i, 1);
        barrier_init(p.k_empty + 8 * i, 2);
        barrier_init(p.v_empty + 8 * i, 2);
    }
    barrier_init_done();
}

// 128 rows from `token` of the block's head.
template <int D> DEVICE void attention_load(uint32_t to, const tensor_map *map, uint32_t barrier, int token)
{
    barrier_expect(barrier, attention_tile<D>);
#pragma unroll
    for (int i = 0; i < D / 64; i++)
        load_box_4d(to + i * attention_panel, map, barrier, i * 64, token, blockIdx.y, blockIdx.z);
}

// 128 rows from `token` into stage `turn` mod 2 as soon as the stage is free.
template <int D>
DEVICE void attention_refill(uint32_t tiles, const tensor_map *map, uint32_t full, uint32_t empty, int turn,
                             int token)
{
    int stage = turn % attention_rounds, round = turn / attention_rounds;
    barrier_wait(empty + 8 * stage, (round & 1) ^ 1);
    attention_load<D>(tiles + stage * attention_tile<D>, map, full + 8 * stage, token);
}

template <int D>
DEVICE void attention_produce(const attention_maps &maps, const attention_places &p, int row, int tiles)
{
    attention_load<D>(p.q, maps.q, p.q_full, row * 128);
    attention_refill<D>(p.k, maps.k, p.k_full, p.k_empty, 0, (tiles - 1) * 128);
#pragma unroll 1
    for (int j = 1; j < tiles; j++) {
        attention_refill<D>(p.k, maps.k, p.k_full, p.k_empty, j, (tiles - 1 - j) * 128);
        attention_refill<D>(p.v, maps.v, p.v_full, p.v_empty, j - 1, (tiles - j) * 128);
    }
    attention_refill<D>(p.v, maps.v, p.v_full, p.v_empty, tiles - 1, 0);
}

DEVICE void attention_ready(uint32_t full, int turn)
{
    barrier_wait(full + 8 * (turn % attention_rounds), turn / attention_rounds & 1);
}

DEVICE void attention_release(uint32_t empty, int turn)
{
    if (threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * (turn % attention_rounds));
}

// S = Q K^T: 64 x 128.
template <int D> DEVICE void attention_scores(float (&s)[64], const attention_places &p, int group, int turn)
{
    uint32_t k = p.k + turn % attention_rounds * attention_tile<D>;
#pragma unroll
    for (int panel = 0; panel < D / 64; panel++) {
        uint64_t a = row_descriptor(p.q + panel * attention_panel + group * 64 * 128);
        uint64_t b = row_descriptor(k + panel * attention_panel);
#pragma unroll
        for (int i = 0; i < 4; i++) wgmma_128_f16(s, a + 2 * i, b + 2 * i, panel + i);
    }
    wgmma_commit();
}

DEVICE void attention_multiply(float (&o)[32], const uint32_t *p, uint64_t v)
{
    wgmma_64_registers(o, p[0], p[1], p[2], p[3], v);
}

DEVICE void attention_multiply(float (&o)[64], const uint32_t *p, uint64_t v)
{
    wgmma_128_registers(o, p[0], p[1], p[2], p[3], v);
}

// O += P V: 64 x D over 128 rows of V, 16 rows (2,048 bytes) a step.
template <int D>
DEVICE void attention_values(float (&o)[D / 2], const uint32_t (&weights)[32], const attention_places &p,
                             int turn)
{
    uint64_t v = matrix_descriptor(p.v + turn % attention_rounds * attention_tile<D>, attention_panel, 1024);
#pragma unroll
    for (int i = 0; i < 8; i++) attention_multiply(o, &weights[4 * i], v + i * (2048 >> 4));
    wgmma_commit();
}

// Scores right of the diagonal of a square tile get no weight.
DEVICE void attention_mask(float (&s)[64], int group)
{
    int top = group * 64 + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        int row = top + i / 2 % 2 * 8, column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
        if (column > row) s[i] = -INFINITY;
    }
}

DEVICE float attention_power(float x) // 2^x
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The two rows in a thread's registers: greatest score and sum of weights so far, and the factor by which a
// new maximum scales earlier weights.
struct attention_rows {
    float greatest[2], sum[2], rescale[2];
};

// Scores become weights relative to the greatest score so far. `unit` = log2(e) / sqrt(D).
DEVICE void attention_softmax(float (&s)[64], attention_rows &rows, float unit)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float greatest = rows.greatest[r], sum = 0;
#pragma unroll
        for (int i = 0; i < 16; i++)
            greatest = fmaxf(greatest, fmaxf(s[4 * i + 2 * r], s[4 * i + 2 * r + 1]));
        greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, 1));
        greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, 2));
        rows.rescale[r] = attention_power((rows.greatest[r] - greatest) * unit);
        rows.greatest[r] = greatest;
        float base = greatest * unit;
#pragma unroll
        for (int i = 0; i < 32; i++) {
            float &x = s[i / 2 * 4 + 2 * r + i % 2];
            x = attention_power(fmaf(x, unit, -base));
            sum += x;
        }
        rows.sum[r] = rows.sum[r] * rows.rescale[r] + sum;
    }
}

template <int n> DEVICE void attention_rescale(float (&o)[n], const float (&scale)[2])
{
#pragma unroll
    for (int i = 0; i < n; i++) o[i] *= scale[i / 2 % 2];
}

// Fragments of S as fragments of A: four registers for every 16 columns.
DEVICE void attention_pack(uint32_t (&weights)[32], const float (&s)[64])
{
#pragma unroll
    for (int i = 0; i < 32; i++) weights[i] = pack_half(s[2 * i], s[2 * i + 1]);
}

// O over the sums of its rows, through the warpgroup's rows of Q, no longer needed.
template <int D>
DEVICE void attention_finish(const tensor_map *map, float (&o)[D / 2], attention_rows &rows,
                             const attention_places &p, int group, int row)
{
    float scale[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float sum = rows.sum[r];
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        scale[r] = 1 / sum;
    }
    uint32_t tile = p.q + group * 64 * 128;
#pragma unroll
    for (int panel = 0; panel < D / 64; panel++)
        store_fragment_half(tile + panel * attention_panel, threadIdx.x / 32 % 4 * 16, o, panel * 32,
                            scale[0], scale[1]);
    fence_async();
    named_sync(3 + group, 128);
    if (threadIdx.x % 128 != 0) return;
#pragma unroll
    for (int panel = 0; panel < D / 64; panel++)
        store_box_4d(map, tile + panel * attention_panel, panel * 64, row * 128 + group * 64, blockIdx.y,
                     blockIdx.z);
    store_commit();
    store_wait<0>();
}

template <int D, bool causal>
DEVICE void attention_consume(const attention_maps &maps, const attention_places &p, int group, int row,
                              int tiles, float unit)
{
    float s[64], o[D / 2];
    uint32_t weights[32];
    attention_rows rows = {{-INFINITY, -INFINITY}, {0, 0}, {0, 0}};
    int own = 1 + group, other = 2 - group; // barriers of the two turns
#pragma unroll
    for (int i = 0; i < D / 2; i++) o[i] = 0;

    if (group == 1) named_arrive(other, 256); // group 0 has the first turn
    barrier_wait(p.q_full, 0);
    attention_ready(p.k_full, 0);
    named_sync(own, 256);
    wgmma_fence();
    attention_scores<D>(s, p, group, 0);
    if (group == 0 || tiles > 1) named_arrive(other, 256);
    wgmma_wait<0>();
    hold(s);
    attention_release(p.k_empty, 0);
    if (causal) attention_mask(s, group);
    attention_softmax(s, rows, unit);
    attention_pack(weights, s);

#pragma unroll 1
    for (int j = 1; j < tiles; j++) {
        attention_ready(p.k_full, j);
        attention_ready(p.v_full, j - 1);
        named_sync(own, 256);
        hold(s);
        hold(o);
        hold(weights);
        wgmma_fence();
        attention_scores<D>(s, p, group, j);
        attention_values<D>(o, weights, p, j - 1);
        if (group == 0 || j < tiles - 1) named_arrive(other, 256);
        wgmma_wait<1>();
        hold(s);
        attention_release(p.k_empty, j);
        attention_softmax(s, rows, unit);
        wgmma_wait<0>();
        hold(o);
        hold(weights);
        attention_release(p.v_empty, j - 1);
        attention_rescale(o, rows.rescale);
        attention_pack(weights, s);
    }

    attention_ready(p.v_full, tiles - 1);
    hold(o);
    hold(weights);
    wgmma_fence();
    attention_values<D>(o, weights, p, tiles - 1);
    wgmma_wait<0>();
    hold(o);
    attention_finish<D>(maps.o, o, rows, p, group, row);
}

template <int D, bool causal> DEVICE void attention_run(const attention_maps &maps, float unit)
{
    attention_places p = attention_layout<D>();
    if (threadIdx.x == 0) {
        attention_init(p);
        prefetch_map(maps.q);
        prefetch_map(maps.k);
        prefetch_map(maps.v);
    }
    __syncthreads();

    int row = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x; // the longest rows first
    int tiles = causal ? row + 1 : gridDim.x, group = threadIdx.x / 128;
    if (group == 0) {
        registers_lower<24>();
        if (threadIdx.x < 32 && elect()) attention_produce<D>(maps, p, row, tiles);
    } else {
        registers_raise<240>();
        attention_consume<D, causal>(maps, p, group - 1, row, tiles, unit);
    }
}

#define ATTENTION(name, D, causal)                                                                           \
    KERNEL void __launch_bounds__(384, 1)                                                                    \
        name(const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,                     \
             const __grid_constant__ tensor_map v, const __grid_constant__ tensor_map o, float unit)         \
    {                                                                                                        \
        attention_maps maps = {&q, &k, &v, &o};                                                              \
        attention_run<D, causal>(maps, unit);                                                                \
    }

ATTENTION(attention_64, 64, false)
ATTENTION(attention_64_causal, 64, true)
ATTENTION(attention_128, 128, false)
ATTENTION(attention_128_causal, 128, true)

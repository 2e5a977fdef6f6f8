// out = in by plain bulk copies: a block's single thread moves 16-KiB pieces through four stages of shared memory and
// never reads the bytes. Grid: any; `pieces` is spread over the blocks in turn.
#include "hopper.cuh"

constexpr int bulk_piece = 16384, bulk_stages = 4;
constexpr int bulk_shared = 1024 + bulk_stages * bulk_piece + 8 * bulk_stages;

KERNEL void __launch_bounds__(32) bulk_copy(const char *in, char *out, int pieces)
{
    if (threadIdx.x != 0) return;
    uint32_t tiles = dynamic_shared(), full = tiles + bulk_stages * bulk_piece;
    int mine = (pieces - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    auto place = [&](int i) { return ((size_t)blockIdx.x + (size_t)i * gridDim.x) * bulk_piece; };
    auto load = [&](int i) {
        int stage = i % bulk_stages;
        barrier_expect(full + 8 * stage, bulk_piece);
        load_bulk(tiles + stage * bulk_piece, in + place(i), bulk_piece, full + 8 * stage);
    };

    for (int i = 0; i < bulk_stages; i++) barrier_init(full + 8 * i, 1);
    barrier_init_done();
    for (int i = 0; i < min(mine, bulk_stages); i++) load(i);
    for (int i = 0; i < mine; i++) {
        int stage = i % bulk_stages, next = i - 1 + bulk_stages;
        barrier_wait(full + 8 * stage, i / bulk_stages & 1);
        store_bulk(out + place(i), tiles + stage * bulk_piece, bulk_piece);
        store_commit();
        if (i == 0 || next >= mine) continue;
        store_wait_read<1>(); // store i - 1 has read stage i - 1
        load(next);
    }
    store_wait<0>();
}

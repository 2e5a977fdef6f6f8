// Host side of kernels/tbClock.cu. Clock values depend on the GPU. The reference only knows two facts: the
// first warp of a block waits at least `delay` cycles, and every warp ends after its start.
#include "workload/host.h"

enum { THREADS = 1024, WARPS = THREADS / 32 };

void workload_run_tbClock(struct host *h)
{
    static const struct {
        unsigned blocks;
        uint64_t delay;
    } sizes[] = {{3, 1000}, {40, 20000}, {120, 50000}};
    const unsigned blocks = sizes[h->size].blocks;
    const uint64_t delay = sizes[h->size].delay;
    const size_t count = blocks * WARPS, bytes = count * sizeof(uint64_t);

    uint64_t begins = host_alloc(h, bytes), ends = host_alloc(h, bytes);
    host_launch(h, "tb_clock", DIM(blocks), DIM(THREADS), 0, ARG(begins), ARG(ends), ARG(delay));
    const int64_t *begin = host_output(h, begins, bytes), *end = host_output(h, ends, bytes);

    uint32_t *got = HOST_ARRAY(h, uint32_t, count), *want = HOST_ARRAY(h, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        int64_t least = i % WARPS ? 1 : (int64_t)delay;
        got[i] = end[i] - begin[i] >= least;
        want[i] = 1;
    }
    host_compare_u32(h, "whether it took its time, warp", got, want, count);
}

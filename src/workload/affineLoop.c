// Host side of kernels/affineLoop.cu.
#include "workload/host.h"

enum { THREADS = 256 };

void workload_run_affineLoop(struct host *h)
{
    static const struct {
        unsigned blocks;
        int rounds;
    } sizes[] = {{6, 20}, {90, 100}, {360, 200}};
    const unsigned blocks = sizes[h->size].blocks;
    const int rounds = sizes[h->size].rounds, threads = (int)blocks * THREADS;
    const size_t count = (size_t)(rounds * threads), bytes = count * sizeof(int);
    const uint32_t *in = host_random_u32(h, count, 0);

    uint64_t from = host_upload(h, in, bytes), to = host_alloc(h, bytes);
    host_launch(h, "affine_loop", DIM(blocks), DIM(THREADS), 0, ARG(to), ARG(from), ARG(rounds),
                ARG(threads));
    const uint32_t *got = host_output(h, to, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (size_t i = 0; i < count; i++) want[i] = in[i] + 1;
    host_compare_u32(h, "number", got, want, count);
}

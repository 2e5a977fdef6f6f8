// Host side of kernels/transpose.cu.
#include "workload/host.h"

void workload_run_transpose(struct host *h)
{
    static const struct {
        int width, height; // no multiples of the tile
    } sizes[] = {{100, 70}, {1500, 2100}, {5000, 6300}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const size_t count = (size_t)width * (size_t)height, bytes = count * sizeof(uint32_t);
    const uint32_t *in = host_random_u32(h, count, 0);

    uint64_t device_in = host_upload(h, in, bytes), out = host_alloc(h, bytes);
    host_launch(h, "transpose", DIM(host_blocks((size_t)width, 32), host_blocks((size_t)height, 32)),
                DIM(32, 8), 0, ARG(device_in), ARG(out), ARG(width), ARG(height));
    const uint32_t *got = host_output(h, out, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) want[x * height + y] = in[y * width + x];
    host_compare_u32(h, "transpose", got, want, count);
}

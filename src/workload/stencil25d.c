// Host side of kernels/stencil25d.cu: two applications of the stencil; the border of each result is zero.
#include "workload/host.h"

enum { RADIUS = 3, THREADS = 1024, STEPS = 2 };

struct box {
    int width, height, depth;
};

static double *apply(struct host *h, const struct box *b, const double *now, const float *weights)
{
    const int steps[] = {1, b->width, b->width * b->height};
    double *next = HOST_ARRAY(h, double, b->width * b->height * b->depth);
    for (int z = RADIUS; z < b->depth - RADIUS; z++)
        for (int y = RADIUS; y < b->height - RADIUS; y++)
            for (int x = RADIUS; x < b->width - RADIUS; x++) {
                int at = (z * b->height + y) * b->width + x;
                for (int axis = 0; axis < 3; axis++)
                    for (int k = -RADIUS; k <= RADIUS; k++)
                        next[at] += (double)weights[k < 0 ? -k : k] * now[at + k * steps[axis]];
            }
    return next;
}

void workload_run_stencil25d(struct host *h)
{
    static const struct box sizes[] = {{256, 12, 8}, {256, 128, 40}, {256, 256, 128}};
    static const float weights[] = {-49 / 18.0f, 3 / 2.0f, -3 / 20.0f, 1 / 90.0f};
    const struct box *b = &sizes[h->size];
    const int plane = b->width * b->height;
    const size_t count = (size_t)(plane * b->depth), bytes = count * sizeof(float);
    const float *in = host_random_f32(h, count, -1, 1);

    host_set_symbol(h, "weights", weights, sizeof weights);
    uint64_t from = host_upload(h, in, bytes);
    for (int i = 0; i < STEPS; i++) {
        uint64_t to = host_zero(h, bytes);
        host_launch(h, "stencil25d", DIM((unsigned)(plane / THREADS)), DIM(THREADS), 0, ARG(to), ARG(from),
                    ARG(b->width), ARG(b->height), ARG(b->depth));
        from = to;
    }
    const float *got = host_output(h, from, bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int i = 0; i < STEPS; i++) want = apply(h, b, want, weights);
    host_compare_f32(h, "point", got, want, count, 10);
}

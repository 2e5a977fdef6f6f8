// Host side of kernels/stencil7.cu: two applications of the stencil; the border of each result is zero.
#include "workload/host.h"

enum { THREADS = 1024, ACROSS = 1248, STEPS = 2 }; // across: threads of a row

struct box {
    int width, height, depth;
};

static double *apply(struct host *h, const struct box *b, const double *now, const float *weights)
{
    const int row = b->width, plane = row * b->height;
    double *next = HOST_ARRAY(h, double, plane * b->depth);
    for (int k = 1; k < b->depth - 1; k++)
        for (int j = 1; j < b->height - 1; j++)
            for (int i = 1; i < b->width - 1; i++) {
                const double *at = &now[k * plane + j * row + i];
                next[at - now] =
                    (double)weights[0] * at[0] +
                    (double)weights[1] * (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]);
            }
    return next;
}

void workload_run_stencil7(struct host *h)
{
    static const struct box sizes[] = {{226, 9, 8}, {226, 55, 48}, {226, 211, 48}, {226, 55, 48}};
    static const float weights[] = {-2, 0.25f};
    const struct box *b = &sizes[h->size];
    const size_t count = (size_t)(b->width * b->height * b->depth), bytes = count * sizeof(float);
    const float *in = host_random_f32(h, count, -1, 1);
    const unsigned blocks = host_blocks((size_t)(ACROSS * (b->height - 3) + b->width), THREADS);

    host_set_symbol(h, "weights", weights, sizeof weights);
    uint64_t from = host_upload(h, in, bytes);
    for (int i = 0; i < STEPS; i++) {
        uint64_t to = host_zero(h, bytes);
        host_launch(h, "stencil7", DIM(blocks), DIM(THREADS), 0, ARG(to), ARG(from), ARG(b->width),
                    ARG(b->height), ARG(b->depth));
        from = to;
    }
    const float *got = host_output(h, from, bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int i = 0; i < STEPS; i++) want = apply(h, b, want, weights);
    host_compare_f32(h, "point", got, want, count, 10);
}

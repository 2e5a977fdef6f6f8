// Host side of kernels/SRADv1.cu. As in the published application, the device sums up the image for mean and
// variance. The host computes the speckle's strength from the sums, once an iteration.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 512 };

static const double LAMBDA = 0.5;

struct image {
    int rows, cols, pixels;
    int *north, *south, *west, *east; // rows and columns of the neighbours; an edge is its own neighbour
};

static struct image make_image(struct host *h, int rows, int cols)
{
    struct image m = {.rows = rows, .cols = cols, .pixels = rows * cols};
    m.north = HOST_ARRAY(h, int, rows);
    m.south = HOST_ARRAY(h, int, rows);
    m.west = HOST_ARRAY(h, int, cols);
    m.east = HOST_ARRAY(h, int, cols);
    for (int i = 0; i < rows; i++) {
        m.north[i] = i > 0 ? i - 1 : 0;
        m.south[i] = i < rows - 1 ? i + 1 : rows - 1;
    }
    for (int i = 0; i < cols; i++) {
        m.west[i] = i > 0 ? i - 1 : 0;
        m.east[i] = i < cols - 1 ? i + 1 : cols - 1;
    }
    return m;
}

// The speckle's strength: variance over squared mean.
static double strength(double sum, double sum2, int pixels)
{
    double mean = sum / pixels;
    return (sum2 / pixels - mean * mean) / (mean * mean);
}

static void iterate(const struct image *m, double *image, double *coefficient, double (*difference)[4])
{
    double sum = 0, sum2 = 0;
    for (int i = 0; i < m->pixels; i++) {
        sum += image[i];
        sum2 += image[i] * image[i];
    }
    double q0sqr = strength(sum, sum2, m->pixels);
    for (int i = 0; i < m->pixels; i++) {
        int row = i % m->rows, col = i / m->rows;
        double here = image[i], *d = difference[i];
        d[0] = image[m->north[row] + m->rows * col] - here;
        d[1] = image[m->south[row] + m->rows * col] - here;
        d[2] = image[row + m->rows * m->west[col]] - here;
        d[3] = image[row + m->rows * m->east[col]] - here;
        double gradient2 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]) / (here * here);
        double laplacian = (d[0] + d[1] + d[2] + d[3]) / here;
        double numerator = 0.5 * gradient2 - laplacian * laplacian / 16, root = 1 + 0.25 * laplacian;
        double qsqr = numerator / (root * root);
        coefficient[i] = fmin(fmax(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))), 0), 1);
    }
    for (int i = 0; i < m->pixels; i++) {
        int row = i % m->rows, col = i / m->rows;
        const double *d = difference[i];
        double divergence = coefficient[i] * d[0] + coefficient[m->south[row] + m->rows * col] * d[1] +
                            coefficient[i] * d[2] + coefficient[row + m->rows * m->east[col]] * d[3];
        image[i] += 0.25 * LAMBDA * divergence;
    }
}

void workload_run_SRADv1(struct host *h)
{
    static const struct {
        int rows, cols, iterations;
    } sizes[] = {{50, 46, 2}, {250, 230, 4}, {500, 458, 10}, {502, 458, 10}, {502, 65, 10}};
    const int iterations = sizes[h->size].iterations;
    const struct image m = make_image(h, sizes[h->size].rows, sizes[h->size].cols);
    const size_t bytes = (size_t)m.pixels * sizeof(float);
    const unsigned blocks = host_blocks((size_t)m.pixels, THREADS);

    // Two tissues, a bright disc in a darker ground, under multiplicative speckle.
    float *image = host_random_f32(h, (size_t)m.pixels, 0.6f, 1.4f);
    for (int i = 0; i < m.pixels; i++) {
        float y = (float)(i % m.rows) / (float)m.rows - 0.5f, x = (float)(i / m.rows) / (float)m.cols - 0.5f;
        image[i] *= x * x + y * y < 0.08f ? 150.0f : 70.0f;
    }

    uint64_t device_image = host_upload(h, image, bytes);
    uint64_t north = host_upload(h, m.north, (size_t)m.rows * sizeof(int));
    uint64_t south = host_upload(h, m.south, (size_t)m.rows * sizeof(int));
    uint64_t west = host_upload(h, m.west, (size_t)m.cols * sizeof(int));
    uint64_t east = host_upload(h, m.east, (size_t)m.cols * sizeof(int));
    uint64_t north_diff = host_alloc(h, bytes), south_diff = host_alloc(h, bytes);
    uint64_t west_diff = host_alloc(h, bytes), east_diff = host_alloc(h, bytes),
             coefficient = host_alloc(h, bytes);
    uint64_t sums = host_alloc(h, bytes), sums2 = host_alloc(h, bytes);

    host_launch(h, "srad_extract", DIM(blocks), DIM(THREADS), 0, ARG(device_image), ARG(m.pixels));
    for (int i = 0; i < iterations; i++) {
        host_launch(h, "srad_prepare", DIM(blocks), DIM(THREADS), 0, ARG(device_image), ARG(sums), ARG(sums2),
                    ARG(m.pixels));
        int count = m.pixels, spacing = 1;
        while (count > 1) {
            unsigned reducers = host_blocks((size_t)count, THREADS);
            host_launch(h, "srad_reduce", DIM(reducers), DIM(THREADS), 0, ARG(sums), ARG(sums2), ARG(count),
                        ARG(spacing));
            count = (int)reducers;
            spacing *= THREADS;
        }
        const float *sum = host_fetch(h, sums, sizeof(float)), *sum2 = host_fetch(h, sums2, sizeof(float));
        float q0sqr = (float)strength((double)*sum, (double)*sum2, m.pixels), lambda = (float)LAMBDA;
        host_launch(h, "srad", DIM(blocks), DIM(THREADS), 0, ARG(south_diff), ARG(north_diff), ARG(east_diff),
                    ARG(west_diff), ARG(coefficient), ARG(device_image), ARG(north), ARG(south), ARG(west),
                    ARG(east), ARG(q0sqr), ARG(m.rows), ARG(m.pixels));
        host_launch(h, "srad2", DIM(blocks), DIM(THREADS), 0, ARG(lambda), ARG(m.rows), ARG(m.pixels),
                    ARG(south), ARG(east), ARG(south_diff), ARG(north_diff), ARG(east_diff), ARG(west_diff),
                    ARG(coefficient), ARG(device_image));
    }
    host_launch(h, "srad_compress", DIM(blocks), DIM(THREADS), 0, ARG(device_image), ARG(m.pixels));
    const float *got = host_output(h, device_image, bytes);

    double *want = HOST_ARRAY(h, double, m.pixels), *c = HOST_ARRAY(h, double, m.pixels);
    double(*difference)[4] = arena_alloc(&h->arena, sizeof(double[4]) * (size_t)m.pixels);
    for (int i = 0; i < m.pixels; i++) want[i] = exp((double)image[i] / 255);
    for (int i = 0; i < iterations; i++) iterate(&m, want, c, difference);
    for (int i = 0; i < m.pixels; i++) want[i] = log(want[i]) * 255;
    host_compare_f32(h, "pixel", got, want, (size_t)m.pixels, 1);
}

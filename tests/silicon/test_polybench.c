// Kernels of PolyBench's measured launches compute the intended results. Scripts run without timing; every
// n-th element is compared with the host's, with n coprime to the sizes.
#include "silicon/run.h"

#include <math.h>
#include <stdlib.h>

// Product of a square matrix, or its transpose, with a vector, added to the previous contents.
struct product {
    const char *point, *out;
    uint64_t matrix, vector, before; // seeds; before 0: zeros
    bool is_by_columns;
};

static void check_product(struct test *t, const struct product *m)
{
    enum { SIDE = 4096 };
    struct point p;
    point_run(&p, t, m->point, m->out);
    float *out = point_buffer(&p, m->out, 4 * SIDE), *matrix = random_f32(SIDE * SIDE, m->matrix);
    float *vector = random_f32(SIDE, m->vector), *before = random_f32(SIDE, m->before);
    bool is_right = true;
    for (size_t i = 0; i < SIDE && is_right; i += 61) {
        double want = m->before ? before[i] : 0;
        for (size_t k = 0; k < SIDE; k++)
            want += (double)matrix[m->is_by_columns ? k * SIDE + i : i * SIDE + k] * vector[k];
        is_right = is_close(&p, i, out[i], want, 1e-5 * want);
    }
    free(out), free(matrix), free(vector), free(before);
    point_fini(&p);
}

static void test_matrix_times_vector(struct test *t)
{
    static const struct product products[] = {
        {"poly-atax1", "product", 1, 2, 0, false}, {"poly-atax2", "out", 1, 2, 0, true},
        {"poly-mvt2", "x2", 1, 5, 3, true},        {"poly-bicg1", "s", 1, 2, 0, true},
        {"qv-mvt", "x1", 1, 4, 2, false},
    };
    for (size_t i = 0; i < TEST_COUNT(products); i++) check_product(t, &products[i]);
}

static void test_sum_of_products(struct test *t)
{
    enum { SIDE = 4096 };
    struct point p;
    point_run(&p, t, "qv-gesummv", "y");
    float *y = point_buffer(&p, "y", 4 * SIDE), *x = random_f32(SIDE, 3);
    float *a = random_f32(SIDE * SIDE, 1), *b = random_f32(SIDE * SIDE, 2);
    bool is_right = true;
    for (size_t i = 0; i < SIDE && is_right; i += 61) {
        double want = 0;
        for (size_t k = 0; k < SIDE; k++) want += (1.5 * a[i * SIDE + k] + 0.75 * b[i * SIDE + k]) * x[k];
        is_right = is_close(&p, i, y[i], want, 1e-5 * want);
    }
    free(y), free(x), free(a), free(b);
    point_fini(&p);
}

// alpha times a matrix product, plus beta times the previous contents.
struct matrix_product {
    const char *point, *out;
    size_t side;
    uint64_t a, b, before; // seeds; before 0: zeros
    double alpha, beta;
    bool is_transposed, is_symmetric; // b is transposed; a · bT and b · aT are both added
    size_t step;
};

static void check_matrix_product(struct test *t, const struct matrix_product *m)
{
    struct point p;
    point_run(&p, t, m->point, m->out);
    size_t n = m->side;
    float *out = point_buffer(&p, m->out, 4 * n * n), *before = random_f32(n * n, m->before);
    float *a = random_f32(n * n, m->a), *b = random_f32(n * n, m->b);
    bool is_right = true;
    for (size_t i = 0; i < n * n && is_right; i += m->step) {
        size_t x = i % n, y = i / n;
        double want = m->before ? m->beta * before[i] : 0;
        for (size_t k = 0; k < n; k++) {
            want += m->alpha * a[y * n + k] * b[m->is_transposed ? x * n + k : k * n + x];
            if (m->is_symmetric) want += m->alpha * b[y * n + k] * a[x * n + k];
        }
        is_right = is_close(&p, i, out[i], want, 1e-5 * want);
    }
    free(out), free(before), free(a), free(b);
    point_fini(&p);
}

static void test_matrix_products(struct test *t)
{
    static const struct matrix_product products[] = {
        {"poly-gemm", "c", 512, 1, 2, 3, 1.5, 0.75, false, false, 1013},
        {"poly-3mm3", "g", 512, 1, 2, 0, 1, 1, false, false, 1013},
        {"poly-syrk", "c", 1024, 1, 1, 2, 1.5, 0.75, true, false, 4001},
    };
    // Minutes on a slow machine.
    static const struct matrix_product giants[] = {
        {"poly-syr2k", "c", 2048, 1, 2, 3, 1.5, 0.75, true, true, 40009},
        {"qv-2mm", "c", 2048, 1, 2, 0, 1, 1, false, false, 40009},
    };
    for (size_t i = 0; i < TEST_COUNT(products); i++) check_matrix_product(t, &products[i]);
    if (test_is_long())
        for (size_t i = 0; i < TEST_COUNT(giants); i++) check_matrix_product(t, &giants[i]);
}

enum { ROWS = 2048, PITCH = ROWS + 1 }; // of tables, counted from 1

static void test_means(struct test *t)
{
    struct point p;
    point_run(&p, t, "poly-corr-mean", "mean");
    float *mean = point_buffer(&p, "mean", 4 * PITCH), *data = random_f32(PITCH * PITCH, 1);
    bool is_right = true;
    for (size_t j = 1; j <= ROWS && is_right; j++) {
        double sum = 0;
        for (size_t i = 1; i <= ROWS; i++) sum += data[i * PITCH + j];
        is_right = is_close(&p, j, mean[j], sum / ROWS, 1e-5);
    }
    free(mean), free(data);
    point_fini(&p);

    point_run(&p, t, "poly-cov-reduce", "data");
    float *out = point_buffer(&p, "data", 4 * PITCH * PITCH);
    mean = random_f32(PITCH, 1), data = random_f32(PITCH * PITCH, 2);
    for (size_t i = 1; i <= ROWS && is_right; i++)
        for (size_t j = 1; j <= ROWS && is_right; j++) // the grid has 512 rows
            is_right = is_close(&p, i * PITCH + j, out[i * PITCH + j],
                                data[i * PITCH + j] - (i <= 512 ? mean[j] : 0.0f), 1e-6);
    free(out), free(mean), free(data);
    point_fini(&p);
}

static void test_correlation(struct test *t)
{
    struct point p;
    if (!test_is_long()) {
        test_skip(t, "665 million warp instructions: --long");
        return;
    }
    point_run(&p, t, "poly-corr", "correlation");
    float *out = point_buffer(&p, "correlation", 4 * PITCH * PITCH), *data = random_f32(PITCH * PITCH, 1);
    bool is_right = true;
    for (size_t first = 1; first < ROWS && is_right; first += 97)
        for (size_t second = first + 1; second <= ROWS && is_right; second += 89) {
            double want = 0;
            for (size_t i = 1; i <= ROWS; i++)
                want += (double)data[i * PITCH + first] * data[i * PITCH + second];
            is_right = is_close(&p, first, out[first * PITCH + second], want, 1e-5 * want) &&
                       is_close(&p, second, out[second * PITCH + first], want, 1e-5 * want);
        }
    free(out), free(data);
    point_fini(&p);
}

static void test_convolutions(struct test *t)
{
    enum { WIDTH = 4096, SIDE = 256, PLANE = 100 };
    static const double flat[9] = {0.2, -0.3, 0.4, 0.5, 0.6, 0.7, -0.8, -0.9, 0.1};
    struct point p;
    point_run(&p, t, "poly-2dconv", "out");
    float *out = point_buffer(&p, "out", 4 * WIDTH * WIDTH), *in = random_f32(WIDTH * WIDTH, 1);
    bool is_right = true;
    for (size_t i = 0; i < WIDTH * WIDTH && is_right; i += 1013) {
        size_t x = i % WIDTH, y = i / WIDTH;
        double want = 0;
        if (x > 0 && x < WIDTH - 1 && y > 0 && y < WIDTH - 1)
            for (size_t k = 0; k < 9; k++) want += flat[k] * in[(y + k / 3 - 1) * WIDTH + x + k % 3 - 1];
        is_right = is_close(&p, i, out[i], want, 1e-5);
    }
    free(out), free(in);
    point_fini(&p);

    // Coefficient, then offsets in plane, row and column from the point.
    static const int taps[15][4] = {{2, -1, -1, -1},  {4, 1, -1, -1},  {5, -1, -1, -1}, {7, 1, -1, -1},
                                    {-8, -1, -1, -1}, {10, 1, -1, -1}, {-3, 0, -1, 0},  {6, 0, 0, 0},
                                    {-9, 0, 1, 0},    {2, -1, -1, 1},  {4, 1, -1, 1},   {5, -1, 0, 1},
                                    {7, 1, 0, 1},     {-8, -1, 1, 1},  {10, 1, 1, 1}};
    point_run(&p, t, "poly-3dconv", "out");
    out = point_buffer(&p, "out", 4 * SIDE * SIDE * SIDE), in = random_f32(SIDE * SIDE * SIDE, 1);
    for (int i = 0; i < SIDE * SIDE && is_right; i++) {
        int x = i % SIDE, y = i / SIDE, at = PLANE * SIDE * SIDE + i;
        double want = 0;
        if (x > 0 && x < SIDE - 1 && y > 0 && y < SIDE - 1)
            for (size_t k = 0; k < 15; k++)
                want += (double)taps[k][0] * in[at + (taps[k][1] * SIDE + taps[k][2]) * SIDE + taps[k][3]];
        is_right = is_close(&p, (size_t)at, out[at], want, 1e-4);
    }
    free(out), free(in);
    point_fini(&p);
}

static void test_waves(struct test *t)
{
    enum { SIDE = 2048 };
    size_t wide = (size_t)SIDE * (SIDE + 1);
    struct point p;
    float *ex = random_f32(wide, 1), *ey = random_f32(wide, 2), *hz = random_f32((size_t)SIDE * SIDE, 3);
    bool is_right = true;

    point_run(&p, t, "poly-fdtd2", "ex");
    float *out = point_buffer(&p, "ex", 4 * wide);
    for (size_t i = 0; i < (size_t)SIDE * SIDE && is_right; i += 101) {
        size_t x = i % SIDE, y = i / SIDE, at = y * (SIDE + 1) + x;
        is_right = is_close(&p, at, out[at], x ? ex[at] - 0.5 * (hz[i] - hz[i - 1]) : ex[at], 1e-5);
    }
    free(out);
    point_fini(&p);

    point_run(&p, t, "poly-fdtd3", "hz");
    out = point_buffer(&p, "hz", 4 * (size_t)SIDE * SIDE);
    for (size_t i = 0; i < (size_t)SIDE * SIDE && is_right; i += 101) {
        size_t at = i / SIDE * (SIDE + 1) + i % SIDE;
        is_right = is_close(&p, i, out[i], hz[i] - 0.7 * (ex[at + 1] - ex[at] + ey[i + SIDE] - ey[i]), 1e-5);
    }
    free(out), free(ex), free(ey), free(hz);
    point_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"matrix times vector", test_matrix_times_vector},
        {"sum of products", test_sum_of_products},
        {"matrix products", test_matrix_products},
        {"means", test_means},
        {"correlation", test_correlation},
        {"convolutions", test_convolutions},
        {"waves", test_waves},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

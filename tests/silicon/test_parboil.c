// Kernels of Parboil's measured launches and of micro-kernels compute the intended results. Scripts run
// without timing; results are compared with the host's.
#include "silicon/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_matrix_product(struct test *t)
{
    enum { ROWS = 128, COLUMNS = 160, DEPTH = 96 };
    struct point p;
    point_run(&p, t, "parboil-sgemm-small", "c");
    float *c = point_buffer(&p, "c", 4 * ROWS * COLUMNS), *a = random_f32(ROWS * DEPTH, 1),
          *b = random_f32(COLUMNS * DEPTH, 2);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double want = 0;
        for (size_t k = 0; k < DEPTH; k++) want += (double)a[k * ROWS + i % ROWS] * b[k * COLUMNS + i / ROWS];
        if (!is_close(&p, i, c[i], want, 1e-4)) break;
    }
    free(c), free(a), free(b);
    point_fini(&p);
}

static void test_stencil(struct test *t)
{
    enum { WIDTH = 128, HEIGHT = 128, DEPTH = 32, PLANE = WIDTH * HEIGHT, COUNT = PLANE * DEPTH };
    struct point p;
    point_run(&p, t, "parboil-stencil", "a");
    float *out = point_buffer(&p, "a", 4 * COUNT), *now = random_f32(COUNT, 1), *next = calloc(COUNT, 4);
    for (int step = 0; step < 3; step++) {
        for (int i = PLANE; i < COUNT - PLANE; i++) {
            int x = i % WIDTH, y = i / WIDTH % HEIGHT;
            if (x == 0 || x == WIDTH - 1 || y == 0 || y == HEIGHT - 1) continue;
            next[i] = 0.0277778f * (now[i - 1] + now[i + 1] + now[i - WIDTH] + now[i + WIDTH] +
                                    now[i - PLANE] + now[i + PLANE]) -
                      0.1666667f * now[i];
        }
        float *swap = now;
        now = next, next = swap;
    }
    for (size_t i = 0; i < COUNT; i++)
        if (!is_close(&p, i, out[i], now[i], 1e-6)) break;
    free(out), free(now), free(next);
    point_fini(&p);
}

// Two launches with the same samples.
static void test_q(struct test *t)
{
    enum { POINTS = 32768, SAMPLES = 1024 };
    struct point p;
    point_run(&p, t, "parboil-mriq", "real imaginary");
    float *real = point_buffer(&p, "real", 4 * POINTS),
          *imaginary = point_buffer(&p, "imaginary", 4 * POINTS);
    float *x = random_f32(POINTS, 1), *y = random_f32(POINTS, 2), *z = random_f32(POINTS, 3);
    float *samples = random_f32(4 * SAMPLES, 4);
    bool is_right = true;
    for (size_t i = 0; i < POINTS && is_right; i += 101) {
        double cosines = 0, sines = 0;
        for (const float *s = samples; s < samples + 4 * SAMPLES; s += 4) {
            double phase = 2 * acos(-1) * ((double)s[0] * x[i] + (double)s[1] * y[i] + (double)s[2] * z[i]);
            cosines += 2 * s[3] * cos(phase), sines += 2 * s[3] * sin(phase);
        }
        is_right = is_close(&p, i, real[i], cosines, 5e-3) && is_close(&p, i, imaginary[i], sines, 5e-3);
    }
    free(real), free(imaginary), free(x), free(y), free(z), free(samples);
    point_fini(&p);
}

static void test_vectors(struct test *t)
{
    enum { COUNT = 4000000, LONG_COUNT = 8388608 };
    struct point p;
    point_run(&p, t, "qv-vectoradd-4m", "c");
    float *out = point_buffer(&p, "c", 4 * COUNT), *a = random_f32(COUNT, 1), *b = random_f32(COUNT, 2);
    for (size_t i = 0; i < COUNT; i++)
        if (!is_close(&p, i, out[i], a[i] + b[i], 0)) break;
    free(out), free(a), free(b);
    point_fini(&p);

    point_run(&p, t, "qv-mem-bw", "out");
    out = point_buffer(&p, "out", 4 * (size_t)LONG_COUNT);
    float *sum = random_f32(LONG_COUNT, 1);
    for (uint64_t seed = 2; seed <= 5; seed++) {
        float *next = random_f32(LONG_COUNT, seed);
        for (size_t i = 0; i < LONG_COUNT; i++) sum[i] += next[i];
        free(next);
    }
    for (size_t i = 0; i < LONG_COUNT; i++)
        if (!is_close(&p, i, out[i], sum[i], 0)) break;
    free(out), free(sum);
    point_fini(&p);
}

// The convolution with few taps, over the exclusive or of the indices.
static void test_dyadic_convolution(struct test *t)
{
    enum { COUNT = 1 << 19, TAPS = 1 << 11 };
    struct point p;
    point_run(&p, t, "qv-fwt-11-19", "data");
    float *out = point_buffer(&p, "data", 4 * COUNT), *data = random_f32(COUNT, 1),
          *taps = random_f32(TAPS, 2);
    bool is_right = true;
    for (size_t i = 0; i < COUNT && is_right; i += 1013) {
        double want = 0;
        for (size_t k = 0; k < TAPS; k++) want += (double)taps[k] * data[i ^ k];
        is_right = is_close(&p, i, out[i], want, 1e-3 * want);
    }
    free(out), free(data), free(taps);
    point_fini(&p);
}

// Pointer chains in memory, with a length dividing the steps, end at their start.
static void test_chains(struct test *t)
{
    enum { POINTERS = 4096 };
    static const char *const names[] = {"qv-l1-lat", "qv-l2-lat"};
    for (size_t n = 0; n < TEST_COUNT(names); n++) {
        struct point p;
        point_run(&p, t, names[n], "chain out");
        uint64_t *chain = point_buffer(&p, "chain", 8 * POINTERS), *out = point_buffer(&p, "out", 8);
        for (size_t i = 0; i < POINTERS; i++)
            if (!is_close(&p, i, (double)(chain[i] - chain[POINTERS - 1]),
                          (double)(8 * (i + 1) % (8 * POINTERS)), 0))
                break;
        is_close(&p, 0, (double)*out, (double)chain[POINTERS - 1], 0);
        free(chain), free(out);
        point_fini(&p);
    }
}

static void test_shared_chains(struct test *t)
{
    enum { LINKS = 16384, SHARED_LINKS = 12288, STRIDE = 1024, THREADS = 1024 };
    struct point p;
    point_run(&p, t, "qv-shared-lat", "out");
    uint64_t *end = point_buffer(&p, "out", 8);
    is_close(&p, 0, (double)*end, 2048, 0); // steps
    free(end);
    point_fini(&p);

    point_run(&p, t, "qv-l1-shared-bw", "out");
    uint32_t *out = point_buffer(&p, "out", 4 * THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t at = i, shared_at = i;
        for (int step = 0; step < LINKS + 4096; step++) at = at < THREADS ? at + STRIDE + 1 : 0;
        for (int step = 0; step < 4096; step++) shared_at = (shared_at + STRIDE + 7) % SHARED_LINKS;
        if (!is_close(&p, i, out[i], at + shared_at, 0)) break;
    }
    free(out);
    point_fini(&p);
}

static void test_rates(struct test *t)
{
    enum { THREADS = 1024, READERS = 163840, ROUNDS = 2048, WORDS = 12288 };
    struct point p;
    point_run(&p, t, "qv-maxflops", "out");
    float *sums = point_buffer(&p, "out", 4 * THREADS), *a = random_f32(THREADS, 1),
          *b = random_f32(THREADS, 2);
    for (size_t i = 0; i < THREADS; i++)
        if (!is_close(&p, i, sums[i], 4096.0 * a[i] * b[i], 0.5)) break;
    free(sums), free(a), free(b);
    point_fini(&p);

    point_run(&p, t, "qv-l2-bw-64f", "out");
    double *doubles = point_buffer(&p, "out", 8 * READERS);
    for (size_t i = 0; i < READERS; i++) // exact: integers below 2^53
        if (!is_close(&p, i, doubles[i], (double)(i * (ROUNDS + 1)) + 32.0 * ROUNDS * (ROUNDS - 1) / 2, 0))
            break;
    free(doubles);
    point_fini(&p);

    point_run(&p, t, "qv-shared-bw", "out");
    sums = point_buffer(&p, "out", 4 * THREADS);
    for (int i = 0; i < THREADS; i++) {
        double want = 0;
        for (int j = 4 * i; j < WORDS / 2; j += 4 * THREADS) // mean of four words over all rounds
            want += 4.0 * WORDS / 2 * (j + 1.5 + (WORDS / 2 - 1) / 2.0);
        if (!is_close(&p, (size_t)i, sums[i], want, 1e-4 * want)) break;
    }
    free(sums);
    point_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"matrix product", test_matrix_product},
        {"stencil", test_stencil},
        {"Q", test_q},
        {"vectors", test_vectors},
        {"dyadic convolution", test_dyadic_convolution},
        {"chains", test_chains},
        {"shared chains", test_shared_chains},
        {"rates", test_rates},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

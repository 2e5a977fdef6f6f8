// Kernels of measured launches from the CUDA samples compute the intended results. Scripts run without
// timing; results are compared with the host's, or with properties of a correct result.
#include "silicon/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double normal_distribution(double x) { return 0.5 * erfc(-x / sqrt(2)); }

// Price of a call option by Black and Scholes.
static double call_price(double stock, double strike, double years, double riskless, double volatility)
{
    double root = volatility * sqrt(years);
    double d1 = (log(stock / strike) + (riskless + 0.5 * volatility * volatility) * years) / root;
    return stock * normal_distribution(d1) - strike * exp(-riskless * years) * normal_distribution(d1 - root);
}

static void test_black_scholes(struct test *t)
{
    enum { COUNT = 4000000 };
    struct point p;
    point_run(&p, t, "blackscholes", "call put stock strike years");
    float *call = point_buffer(&p, "call", 4 * COUNT), *put = point_buffer(&p, "put", 4 * COUNT);
    float *stock = point_buffer(&p, "stock", 4 * COUNT), *strike = point_buffer(&p, "strike", 4 * COUNT);
    float *years = point_buffer(&p, "years", 4 * COUNT);
    bool is_right = true;
    for (size_t i = 0; i < COUNT && is_right; i += 97) {
        if (stock[i] < 1e-3f || strike[i] < 1e-3f || years[i] < 1e-3f) continue;
        double want = call_price(stock[i], strike[i], years[i], 0.02, 0.3);
        is_right = is_close(&p, i, call[i], want, 1e-4) &&
                   is_close(&p, i, put[i], want - stock[i] + strike[i] * exp(-0.02 * years[i]), 1e-4);
    }
    free(call), free(put), free(stock), free(strike), free(years);
    point_fini(&p);
}

// 17 taps along one axis; outside the image the edge pixel (is_clamped) or zero.
static void check_convolution(struct test *t, const char *name, int width, int height, bool along_rows,
                              bool is_clamped)
{
    size_t count = (size_t)width * (size_t)height;
    struct point p;
    point_run(&p, t, name, "out");
    float *out = point_buffer(&p, "out", 4 * count), *image = random_f32(count, 2), *taps = random_f32(17, 1);
    bool is_right = true;
    // A step coprime to the width visits all columns, including the borders.
    for (size_t i = 0; i < count && is_right; i += 1013) {
        int x = (int)(i % (size_t)width), y = (int)(i / (size_t)width);
        double want = 0;
        for (int k = -8; k <= 8; k++) {
            int at_x = along_rows ? x + k : x, at_y = along_rows ? y : y + k;
            bool is_outside = at_x < 0 || at_x >= width || at_y < 0 || at_y >= height;
            if (is_outside && !is_clamped) continue;
            at_x = at_x < 0 ? 0 : at_x >= width ? width - 1 : at_x;
            at_y = at_y < 0 ? 0 : at_y >= height ? height - 1 : at_y;
            want += (double)taps[8 - k] * image[at_y * width + at_x];
        }
        is_right = is_close(&p, i, out[i], want, 1e-4);
    }
    free(out), free(image), free(taps);
    point_fini(&p);
}

static void test_convolutions(struct test *t)
{
    check_convolution(t, "convtexture-rows", 3072, 1536, true, true);
    check_convolution(t, "convtexture-columns", 3072, 1536, false, true);
    check_convolution(t, "convseparable-rows", 3072, 3072, true, false);
    check_convolution(t, "convseparable-columns", 3072, 3072, false, false);
}

static double cosine(int k, int n)
{
    return sqrt((k ? 2.0 : 1.0) / 8) * cos((2 * n + 1) * k * acos(-1) / 16);
}

static void check_dct(struct test *t, const char *name)
{
    enum { SIZE = 512 };
    struct point p;
    point_run(&p, t, name, "out");
    float *out = point_buffer(&p, "out", 4 * SIZE * SIZE), *image = random_f32(SIZE * SIZE, 1);
    bool is_right = true;
    for (int i = 0; i < SIZE * SIZE && is_right; i += 41) {
        int x = i % SIZE, y = i / SIZE;
        double want = 0;
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++)
                want += cosine(y % 8, row) * cosine(x % 8, column) *
                        image[(y / 8 * 8 + row) * SIZE + x / 8 * 8 + column];
        is_right = is_close(&p, (size_t)i, out[i], want, 1e-4);
    }
    free(out), free(image);
    point_fini(&p);
}

static void test_cosine_transforms(struct test *t)
{
    check_dct(t, "dct8x8-1");
    check_dct(t, "dct8x8-2");
}

static void test_quantisation(struct test *t)
{
    enum { COUNT = 512 * 512 };
    struct point p;
    point_run(&p, t, "dct8x8-quantise", "coefficients");
    float *out = point_buffer(&p, "coefficients", 4 * COUNT), *in = random_f32(COUNT, 1);
    for (int i = 0; i < COUNT; i += 512 * 8) // quantum 16 of the first coefficient in a block
        if (!is_close(&p, (size_t)i, out[i], 16 * round((-256 + 512.0 * in[i]) / 16), 0)) break;
    free(out), free(in);
    point_fini(&p);
}

static int parity(unsigned x) { return __builtin_parity(x); }

static void test_walsh(struct test *t)
{
    enum { COUNT = 1 << 23, SEGMENT = 2048 };
    struct point p;
    float *in = random_f32(COUNT, 1);
    point_run(&p, t, "fwt-batch1", "out");
    float *out = point_buffer(&p, "out", 4ul * COUNT);
    bool is_right = true;
    for (unsigned i = 5; i < COUNT && is_right; i += 100003) {
        double want = 0;
        for (unsigned n = 0; n < SEGMENT; n++)
            want += (parity(n & i % SEGMENT) ? -1.0 : 1.0) * in[i / SEGMENT * SEGMENT + n];
        is_right = is_close(&p, i, out[i], want, 2e-3);
    }
    free(out);
    point_fini(&p);

    point_run(&p, t, "fwt-batch2", "data");
    out = point_buffer(&p, "data", 4ul * COUNT);
    for (unsigned i = 7; i < COUNT && is_right; i += 100003) {
        double want = 0;
        for (unsigned n = 0; n < COUNT / SEGMENT; n++)
            want += (parity(n & i / SEGMENT) ? -1.0 : 1.0) * in[n * SEGMENT + i % SEGMENT];
        is_right = is_close(&p, i, out[i], want, 4e-3);
    }
    free(out), free(in);
    point_fini(&p);
}

static void test_matrix_product(struct test *t)
{
    enum { COUNT = 320 * 640 };
    struct point p;
    point_run(&p, t, "matrixmul", "c");
    float *c = point_buffer(&p, "c", 4 * COUNT);
    for (size_t i = 0; i < COUNT; i++)
        if (!is_close(&p, i, c[i], 3.2, 1e-4)) break;
    free(c);
    point_fini(&p);
}

// The first coordinate is the bit-reversed index. In the other two, every 1,024th part of the unit
// interval holds as many points.
static void test_quasirandom(struct test *t)
{
    enum { COUNT = 1 << 20, PARTS = 1024 };
    struct point p;
    point_run(&p, t, "quasirandom", "out");
    float *out = point_buffer(&p, "out", 12ul * COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        double reversed = 0;
        for (int bit = 0; bit < 20; bit++)
            if (i >> bit & 1) reversed += ldexp(1, -1 - bit);
        if (!is_close(&p, i, out[i], reversed, 1e-7)) break;
    }
    for (unsigned dimension = 1; dimension < 3; dimension++) {
        unsigned counts[PARTS + 1] = {0};
        for (unsigned i = 0; i < COUNT; i++)
            counts[(unsigned)(fmaxf(0, fminf(1, out[dimension * COUNT + i] - 1e-7f)) * PARTS)]++;
        for (unsigned part = 0; part < PARTS; part++)
            if (!is_close(&p, part, counts[part], COUNT / PARTS, 1)) break;
    }
    free(out);
    point_fini(&p);
}

static void test_inverse_normal(struct test *t)
{
    enum { COUNT = 3145728 };
    struct point p;
    point_run(&p, t, "inversecnd", "out");
    float *out = point_buffer(&p, "out", 4ul * COUNT);
    for (unsigned i = 0; i < COUNT; i += 101) {
        double distance = 0xffffffffu / (COUNT + 1);
        if (!is_close(&p, i, normal_distribution(out[i]), ((i + 1) * distance + 0.5) / 4294967296, 2e-6))
            break;
    }
    free(out);
    point_fini(&p);
}

static void test_sums(struct test *t)
{
    struct point p;
    point_run(&p, t, "reduce6", "out");
    int *sums = point_buffer(&p, "out", 4 * 64);
    for (size_t i = 0; i < 64; i++)
        if (!is_close(&p, i, sums[i], 262144, 0)) break;
    free(sums);
    point_fini(&p);

    point_run(&p, t, "reduce6-32", "out");
    sums = point_buffer(&p, "out", 4);
    CHECK_EQ(t, sums[0], 64);
    free(sums);
    point_fini(&p);

    enum { COUNT = 1048576 };
    float *in = random_f32(COUNT, 1), *other = random_f32(COUNT, 2);
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) sum += in[i];
    point_run(&p, t, "threadfence-single", "out");
    float *out = point_buffer(&p, "out", 4 * 64);
    is_close(&p, 0, out[0], sum, 1);
    free(out);
    point_fini(&p);

    point_run(&p, t, "scalarprod", "out");
    out = point_buffer(&p, "out", 4 * 256);
    for (size_t pair = 0; pair < 256; pair++) {
        sum = 0;
        for (size_t i = pair * 4096; i < (pair + 1) * 4096; i++) sum += (double)in[i] * other[i];
        if (!is_close(&p, pair, out[pair], sum, 1e-2)) break;
    }
    free(out), free(in), free(other);
    point_fini(&p);
}

static void test_scans(struct test *t)
{
    enum { COUNT = 6815744 };
    struct point p;
    point_run(&p, t, "scan-update", "data");
    unsigned *data = point_buffer(&p, "data", 4ul * COUNT), *in;
    for (unsigned i = 0; i < COUNT; i++)
        if (!is_close(&p, i, data[i], i + i / 1024, 0)) break;
    free(data);
    point_fini(&p);

    point_run(&p, t, "scan-exclusive", "in out");
    in = point_buffer(&p, "in", 4ul * COUNT), data = point_buffer(&p, "out", 4ul * COUNT);
    unsigned sum = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        if (i % 1024 == 0) sum = 0;
        if (!is_close(&p, i, data[i], sum, 0)) break;
        sum += in[i];
    }
    free(in), free(data);
    point_fini(&p);

    enum { WIDTH = 1920, HEIGHT = 1080 };
    point_run(&p, t, "shfl-rows", "image sums");
    unsigned char *image = point_buffer(&p, "image", WIDTH * HEIGHT);
    data = point_buffer(&p, "sums", 4ul * WIDTH * HEIGHT);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        sum = (i % WIDTH ? sum : 0) + image[i];
        if (!is_close(&p, i, data[i], sum, 0)) break;
    }
    free(image), free(data);
    point_fini(&p);
}

// Each value still belongs to its key, and no value is lost. Runs of `size` keys are
// sorted, alternately down and up.
static void check_sorted(struct test *t, const char *name, unsigned size, unsigned distance)
{
    enum { COUNT = 1048576 };
    struct point p;
    point_run(&p, t, name, "in_keys keys values");
    unsigned *in = point_buffer(&p, "in_keys", 4 * COUNT), *keys = point_buffer(&p, "keys", 4 * COUNT);
    unsigned *values = point_buffer(&p, "values", 4 * COUNT);
    char *seen = calloc(1, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        bool is_new = values[i] < COUNT && !seen[values[i]];
        CHECK_MSG(t, is_new, "%s: value %u is lost or there twice", name, values[i]);
        if (!is_new || !is_close(&p, i, keys[i], in[values[i]], 0)) break;
        seen[values[i]] = 1;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        // within pairs only
        if (i / (2 * distance) != (i + distance) / (2 * distance) && distance > 1) continue;
        if (i / size != (i + distance) / size) continue;
        bool is_upwards = i / size % 2,
             is_right = is_upwards ? keys[i] <= keys[i + distance] : keys[i] >= keys[i + distance];
        CHECK_MSG(t, is_right, "%s: keys %u and %u are in the wrong order", name, i, i + distance);
        if (!is_right) break;
    }
    free(in), free(keys), free(values), free(seen);
    point_fini(&p);
}

static void test_sorting_networks(struct test *t)
{
    check_sorted(t, "bitonic-sort-shared1", 1024, 1);
    check_sorted(t, "bitonic-merge-shared", 16384, 1);
    check_sorted(t, "bitonic-merge-global", 16384, 4096);
}

static unsigned rank_of(unsigned key, const unsigned *keys, unsigned count, bool is_inclusive)
{
    unsigned rank = 0;
    while (rank < count && (is_inclusive ? keys[rank] <= key : keys[rank] < key)) rank++;
    return rank;
}

static void test_merge_ranks(struct test *t)
{
    enum { COUNT = 4194304, SEGMENT = 65536, SAMPLE = 128, SAMPLES = SEGMENT / SAMPLE };
    struct point p;
    point_run(&p, t, "mergesort-ranks", "keys ranks_a ranks_b");
    unsigned *keys = point_buffer(&p, "keys", 4ul * COUNT);
    unsigned *ranks_a = point_buffer(&p, "ranks_a", 4 * COUNT / SAMPLE);
    unsigned *ranks_b = point_buffer(&p, "ranks_b", 4 * COUNT / SAMPLE);
    for (unsigned i = 0; i < COUNT / SAMPLE; i += 31) {
        unsigned *a = keys + i / (2 * SAMPLES) * 2 * SEGMENT, *b = a + SEGMENT, at = i % SAMPLES * SAMPLE;
        bool is_of_a = i / SAMPLES % 2 == 0;
        unsigned other = is_of_a ? rank_of(a[at], b, SEGMENT, false) : rank_of(b[at], a, SEGMENT, true);
        if (!is_close(&p, i, ranks_a[i], is_of_a ? at : other, 0)) break;
        if (!is_close(&p, i, ranks_b[i], is_of_a ? other : at, 0)) break;
    }
    free(keys), free(ranks_a), free(ranks_b);
    point_fini(&p);
}

static void test_transposes(struct test *t)
{
    enum { SIZE = 1024 };
    static const struct {
        const char *name;
        bool is_copy;
    } variants[] = {{"transpose-copy", true},
                    {"transpose-copy-shared", true},
                    {"transpose-naive", false},
                    {"transpose-nobankconflicts", false},
                    {"transpose-diagonal", false}};
    float *in = random_f32(SIZE * SIZE, 1);
    for (size_t v = 0; v < TEST_COUNT(variants); v++) {
        struct point p;
        point_run(&p, t, variants[v].name, "out");
        float *out = point_buffer(&p, "out", 4 * SIZE * SIZE);
        for (size_t i = 0; i < SIZE * SIZE; i++)
            if (!is_close(&p, i, out[i], in[variants[v].is_copy ? i : i % SIZE * SIZE + i / SIZE], 0)) break;
        free(out);
        point_fini(&p);
    }
    free(in);
}

// -- the second set -----------------------------------------------------------------------------------------

// Checks the sum over blocks of the points inside the quarter circle.
static void check_pi(struct test *t, const char *name, double want, double tolerance)
{
    struct point p;
    point_run(&p, t, name, "inside");
    unsigned *inside = point_buffer(&p, "inside", 4 * 391), sum = 0;
    for (size_t i = 0; i < 391; i++) sum += inside[i];
    is_close(&p, 0, sum, want, tolerance);
    free(inside);
    point_fini(&p);
}

static void test_pi(struct test *t)
{
    enum { POINTS = 100000, THREADS = 50048 };
    float *coordinates = random_f32(2 * POINTS, 1);
    unsigned count = 0;
    for (size_t i = 0; i < POINTS; i++) {
        float x = coordinates[i], y = coordinates[POINTS + i];
        count += x * x + y * y < 1;
    }
    free(coordinates);
    check_pi(t, "mc-pi-q", count, 2); // rounding of points on the circle
    check_pi(t, "mc-pi-inline-p", POINTS * acos(-1) / 4, 500);

    struct point p;
    point_run(&p, t, "mc-pi-inline-q", "directions inside");
    unsigned *directions = point_buffer(&p, "directions", 4 * 64);
    double want = 0;
    for (unsigned thread = 0; thread < THREADS; thread++)
        for (unsigned k = 0; k < (thread + THREADS < POINTS ? 2u : 1u); k++) {
            unsigned gray = (thread + k) ^ (thread + k) >> 1;
            double square = 0;
            for (unsigned dimension = 0; dimension < 2; dimension++) {
                unsigned value = 0;
                for (unsigned bit = 0; bit < 32; bit++)
                    if (gray >> bit & 1) value ^= directions[dimension * 32 + bit];
                square += value / 4294967296.0 * (value / 4294967296.0);
            }
            want += square < 1;
        }
    free(directions);
    point_fini(&p);
    check_pi(t, "mc-pi-inline-q", want, 2);
}

static void test_sobol(struct test *t)
{
    enum { POINTS = 100000, DIMENSIONS = 100 };
    struct point p;
    point_run(&p, t, "sobol-qrng", "directions out");
    unsigned *directions = point_buffer(&p, "directions", 4 * 32 * DIMENSIONS);
    float *out = point_buffer(&p, "out", 4ul * POINTS * DIMENSIONS);
    for (unsigned i = 0; i < POINTS * DIMENSIONS; i += 37) {
        unsigned point = i % POINTS, value = 0;
        for (unsigned bit = 0; bit < 32; bit++)
            if ((point ^ point >> 1) >> bit & 1) value ^= directions[i / POINTS * 32 + bit];
        if (!is_close(&p, i, out[i], value / 4294967296.0, 1e-7)) break;
    }
    free(directions), free(out);
    point_fini(&p);
}

static void test_options(struct test *t)
{
    enum { PATHS = 100000, STEPS = 87 };
    struct point p;
    float *prices = random_f32(PATHS * STEPS, 1);
    double want = 0;
    for (size_t path = 0; path < PATHS; path++) {
        double mean = 0;
        for (size_t step = 0; step < STEPS; step++) mean += prices[step * PATHS + path];
        want += exp(-0.03 * 0.3333) * fmax(0, 40 * mean / STEPS - 35);
    }
    free(prices);
    point_run(&p, t, "mc-asian", "values");
    float *values = point_buffer(&p, "values", 4 * 391);
    double sum = 0;
    for (size_t i = 0; i < 391; i++) sum += values[i];
    is_close(&p, 0, sum, want, 1e-3 * want + 1e-3);
    free(values);
    point_fini(&p);

    enum { OPTIONS = 1024 };
    struct {
        float stock, strike, move, up, down;
    } * drawn;
    point_run(&p, t, "binomial-options", "drawn prices");
    drawn = point_buffer(&p, "drawn", sizeof *drawn * OPTIONS);
    float *lattice = point_buffer(&p, "prices", 4 * OPTIONS);
    for (size_t i = 0; i < OPTIONS; i++) {
        double years = 2048 * pow(drawn[i].move / 0.1, 2);
        double closed = call_price(drawn[i].stock, drawn[i].strike, years, 0.06, 0.1);
        if (!is_close(&p, i, lattice[i], closed, 1e-2)) break;
    }
    free(drawn), free(lattice);
    point_fini(&p);
}

static unsigned count_below(const float *diagonal, const float *off_diagonal, double value)
{
    double pivot = 1;
    unsigned negative = 0;
    for (size_t k = 0; k < 2048; k++) {
        pivot = diagonal[k] - value - (double)off_diagonal[k] * off_diagonal[k] / pivot;
        negative += pivot < 0;
    }
    return negative;
}

// Every shrunk interval still contains its eigenvalue.
static void test_eigenvalues(struct test *t)
{
    struct point p;
    point_run(&p, t, "eigenvalues-one", "diagonal off_diagonal left right numbers");
    float *diagonal = point_buffer(&p, "diagonal", 4 * 2048),
          *off = point_buffer(&p, "off_diagonal", 4 * 2048);
    float *left = point_buffer(&p, "left", 4 * 32), *right = point_buffer(&p, "right", 4 * 32);
    unsigned *numbers = point_buffer(&p, "numbers", 4 * 32), met = 0;
    for (size_t i = 0; i < 32; i++) {
        if (count_below(diagonal, off, right[i]) <= numbers[i]) continue; // no eigenvalue inside
        met++;
        CHECK(t, count_below(diagonal, off, left[i] - 1e-5) <= numbers[i]);
        CHECK(t, count_below(diagonal, off, left[i] + 4e-5) > numbers[i]);
    }
    CHECK(t, met > 16);
    free(diagonal), free(off), free(left), free(right), free(numbers);
    point_fini(&p);
}

static void test_small_kernels(struct test *t)
{
    struct point p;
    enum { RAY = 10000 };
    point_run(&p, t, "line-of-sight", "is_visible");
    char *is_visible = point_buffer(&p, "is_visible", RAY);
    float *angles = random_f32(RAY, 1), *highest = random_f32(RAY, 2);
    for (size_t i = 0; i < RAY; i++)
        if (!is_close(&p, i, is_visible[i], highest[i] <= angles[i], 0)) break;
    free(is_visible), free(angles), free(highest);
    point_fini(&p);

    enum { SIZE = 2048, HEIGHT = 7, WIDTH = 6 };
    point_run(&p, t, "fft2d-pad-kernel", "out");
    float *out = point_buffer(&p, "out", 4ul * SIZE * SIZE), *taps = random_f32(HEIGHT * WIDTH, 1);
    for (size_t i = 0; i < (size_t)SIZE * SIZE; i++) {
        size_t y = (i / SIZE + 3) % SIZE, x = (i + 4) % SIZE;
        if (!is_close(&p, i, out[i], y < HEIGHT && x < WIDTH ? taps[y * WIDTH + x] : 0, 0)) break;
    }
    free(out), free(taps);
    point_fini(&p);

    point_run(&p, t, "dwt-fill", "out");
    out = point_buffer(&p, "out", 4 * 2048);
    for (size_t i = 0; i < 2048; i++)
        if (!is_close(&p, i, out[i], 0, 0)) break;
    free(out);
    point_fini(&p);

    point_run(&p, t, "clock-block", "waited");
    long long *waited = point_buffer(&p, "waited", 8);
    CHECK(t, *waited >= 16705000 && *waited < 16706000);
    free(waited);
    point_fini(&p);
}

// Both zeros lie in intervals found, and the intervals are narrow.
static void test_interval_newton(struct test *t)
{
    enum { THREADS = 65536, MOST = 8 };
    struct interval {
        double low, high;
    };
    struct point p;
    point_run(&p, t, "interval-newton", "zeros counts");
    struct interval *zeros = point_buffer(&p, "zeros", 16777216 * 8ul);
    int *counts = point_buffer(&p, "counts", 4 * THREADS);
    for (int thread = 0; thread < THREADS; thread++) {
        double a = (thread + 1) / (double)THREADS, root = sqrt(a * a + 4 * a);
        int met = 0;
        bool is_right = counts[thread] >= 2 && counts[thread] < MOST;
        for (int i = 0; is_right && i < counts[thread]; i++) {
            struct interval x = zeros[i * THREADS + thread];
            is_right = x.high - x.low < 1e-2;
            met |= x.low <= (2 + a - root) / 2 && (2 + a - root) / 2 <= x.high;
            met |= (x.low <= (2 + a + root) / 2 && (2 + a + root) / 2 <= x.high) << 1;
        }
        CHECK_MSG(t, is_right && met == 3, "thread %d: %d intervals", thread, counts[thread]);
        if (test_failed(t)) break;
    }
    free(zeros), free(counts);
    point_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"black_scholes", test_black_scholes},
                                             {"convolutions", test_convolutions},
                                             {"cosine_transforms", test_cosine_transforms},
                                             {"quantisation", test_quantisation},
                                             {"walsh", test_walsh},
                                             {"matrix_product", test_matrix_product},
                                             {"quasirandom", test_quasirandom},
                                             {"inverse_normal", test_inverse_normal},
                                             {"sums", test_sums},
                                             {"scans", test_scans},
                                             {"sorting_networks", test_sorting_networks},
                                             {"merge_ranks", test_merge_ranks},
                                             {"transposes", test_transposes},
                                             {"pi", test_pi},
                                             {"sobol", test_sobol},
                                             {"options", test_options},
                                             {"eigenvalues", test_eigenvalues},
                                             {"small_kernels", test_small_kernels},
                                             {"interval_newton", test_interval_newton}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

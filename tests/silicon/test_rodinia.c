// Kernels of Rodinia's measured launches compute the intended results. Scripts run without timing; results
// are compared with the host's, or with properties of a correct result.
#include "silicon/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 65536, HIDDEN = 16, WEIGHTS = (INPUTS + 1) * (HIDDEN + 1) };

static size_t weight_at(size_t input, size_t hidden) { return input * (HIDDEN + 1) + hidden; }

static void test_perceptron_forward(struct test *t)
{
    struct point p;
    point_run(&p, t, "backprop-forward", "partial");
    float *partial = point_buffer(&p, "partial", 4 * INPUTS);
    float *input = random_f32(INPUTS + 1, 1), *weights = random_f32(WEIGHTS, 2);
    bool is_right = true;
    for (size_t i = 0; i < INPUTS && is_right; i++) { // block · hidden + unit
        double want = 0;
        for (size_t k = i / HIDDEN * 16 + 1; k <= i / HIDDEN * 16 + 16; k++)
            want += (double)input[k] * weights[weight_at(k, i % HIDDEN + 1)];
        is_right = is_close(&p, i, partial[i], want, 1e-5);
    }
    free(partial), free(input), free(weights);
    point_fini(&p);
}

static void test_perceptron_adjust(struct test *t)
{
    struct point p;
    point_run(&p, t, "backprop-adjust", "weights change");
    float *weights = point_buffer(&p, "weights", 4 * WEIGHTS),
          *change = point_buffer(&p, "change", 4 * WEIGHTS);
    float *input = random_f32(INPUTS + 1, 1), *weights_before = random_f32(WEIGHTS, 2);
    float *delta = random_f32(HIDDEN + 1, 3), *change_before = random_f32(WEIGHTS, 4);
    bool is_right = true;
    for (size_t i = 0; i < WEIGHTS && is_right; i++) {
        size_t from = i / (HIDDEN + 1), to = i % (HIDDEN + 1);
        double want = to ? 0.3 * delta[to] * (from ? input[from] : 1.0f) + 0.3 * change_before[i] : 0;
        is_right = is_close(&p, i, weights[i], weights_before[i] + want, 1e-6) &&
                   is_close(&p, i, change[i], to ? want : change_before[i], 1e-6);
    }
    free(weights), free(change), free(input), free(weights_before), free(delta), free(change_before);
    point_fini(&p);
}

static void test_heat(struct test *t)
{
    enum { SIDE = 512, COUNT = SIDE * SIDE };
    static double now[COUNT], next[COUNT];
    struct point p;
    point_run(&p, t, "hotspot", "next");
    float *out = point_buffer(&p, "next", 4 * COUNT), *power = random_f32(COUNT, 1),
          *start = random_f32(COUNT, 2);
    for (size_t i = 0; i < COUNT; i++) now[i] = 320 + 20.0 * start[i];
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < COUNT; i++) {
            int x = i % SIDE, y = i / SIDE;
            double north = now[y ? i - SIDE : i], south = now[y < SIDE - 1 ? i + SIDE : i];
            double west = now[x ? i - 1 : i], east = now[x < SIDE - 1 ? i + 1 : i];
            next[i] = now[i] + 1.4583e-07 / 4.2725e-07 *
                                   (power[i] + (north + south - 2 * now[i]) / 10 +
                                    (east + west - 2 * now[i]) / 10 + (80 - now[i]) / 5120);
        }
        memcpy(now, next, sizeof now);
    }
    for (size_t i = 0; i < COUNT; i++)
        if (!is_close(&p, i, out[i], now[i], 1e-3)) break;
    free(out), free(power), free(start);
    point_fini(&p);
}

static int least(int a, int b) { return a < b ? a : b; }

static void test_pathfinder(struct test *t)
{
    enum { COLUMNS = 100000, STEPS = 20 };
    struct point p;
    point_run(&p, t, "pathfinder", "costs below");
    int *costs = point_buffer(&p, "costs", (size_t)4 * 100 * COLUMNS),
        *below = point_buffer(&p, "below", 4 * COLUMNS);
    int *now = malloc(4 * COLUMNS), *next = malloc(4 * COLUMNS);
    for (int i = 0; i < COLUMNS; i++) now[i] = i;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < COLUMNS; i++) {
            int best = least(now[i], least(now[i ? i - 1 : i], now[i < COLUMNS - 1 ? i + 1 : i]));
            next[i] = best + costs[(STEPS + step) * COLUMNS + i];
        }
        memcpy(now, next, 4 * COLUMNS);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        if (!is_close(&p, i, below[i], now[i], 0)) break;
    free(costs), free(below), free(now), free(next);
    point_fini(&p);
}

// L times U equals the matrix, within the rounding of the summed products.
static void test_lu(struct test *t)
{
    enum { SIDE = 256 };
    struct point p;
    point_run(&p, t, "qv-lud-256", "m");
    float *m = point_buffer(&p, "m", 4 * SIDE * SIDE), *before = random_f32(SIDE * SIDE, 1);
    bool is_right = true;
    for (size_t i = 0; i < SIDE * SIDE && is_right; i++) {
        size_t x = i % SIDE, y = i / SIDE;
        double sum = 0, size = 0;
        for (size_t k = 0; k <= x && k <= y; k++) {
            double product = (k == y ? 1.0 : m[y * SIDE + k]) * m[k * SIDE + x];
            sum += product;
            size += fabs(product);
        }
        is_right = is_close(&p, i, sum, before[i], 1e-5 * size);
    }
    free(m), free(before);
    point_fini(&p);
}

static void test_alignment(struct test *t)
{
    enum { SIDE = 2049, MATCH = 5, GAP = 10 };
    struct point p;
    point_run(&p, t, "qv-nw-2048", "score");
    int *score = point_buffer(&p, "score", 4 * SIDE * SIDE), *want = calloc(SIDE * SIDE, 4);
    for (size_t i = SIDE; i < SIDE * SIDE; i++)
        if (i % SIDE)
            want[i] = -least(-want[i - SIDE - 1] - MATCH, least(GAP - want[i - 1], GAP - want[i - SIDE]));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        if (!is_close(&p, i, score[i], want[i], 0)) break;
    free(score), free(want);
    point_fini(&p);
}

static void test_distances(struct test *t)
{
    enum { COUNT = 42764 };
    struct point p;
    point_run(&p, t, "qv-nn", "out");
    float *out = point_buffer(&p, "out", 4 * COUNT), *places = random_f32(2 * COUNT, 1);
    for (size_t i = 0; i < COUNT; i++)
        if (!is_close(&p, i, out[i], hypot(30.0 - places[2 * i], 90.0 - places[2 * i + 1]), 1e-4)) break;
    free(out), free(places);
    point_fini(&p);
}

// The output is in bucket order, with the input's sum of squares.
static void test_buckets(struct test *t)
{
    enum { COUNT = 4194304, BUCKETS = 1024 };
    struct point p;
    point_run(&p, t, "hybridsort-scatter", "out");
    float *out = point_buffer(&p, "out", 4 * (size_t)COUNT), *in = random_f32(COUNT, 1);
    double sum = 0;
    int last = 0;
    for (size_t i = 0; i < COUNT; i++) {
        int bucket = (int)(out[i] * BUCKETS);
        sum += (double)out[i] * out[i] - (double)in[i] * in[i];
        if (bucket < last && !is_close(&p, i, bucket, last, 0)) break;
        last = bucket;
    }
    is_close(&p, COUNT, sum, 0, 1e-6);
    free(out), free(in);
    point_fini(&p);
}

enum { BOXES = 10, PARTICLES = 100, ALL = BOXES * BOXES * BOXES * PARTICLES };

// Checks the forces v, x, y and z on a sample of the particles.
static void test_forces(struct test *t)
{
    struct point p;
    point_run(&p, t, "lavamd", "places charges forces");
    double *places = point_buffer(&p, "places", 32 * (size_t)ALL),
           *charges = point_buffer(&p, "charges", 8 * (size_t)ALL);
    double *forces = point_buffer(&p, "forces", 32 * (size_t)ALL);
    bool is_right = true;
    for (int i = 0; i < ALL && is_right; i += 1999) {
        int box = i / PARTICLES, bx = box % BOXES, by = box / BOXES % BOXES, bz = box / (BOXES * BOXES);
        double want[4] = {0};
        for (int j = 0; j < ALL; j++) {
            int other = j / PARTICLES;
            if (abs(other % BOXES - bx) > 1 || abs(other / BOXES % BOXES - by) > 1 ||
                abs(other / (BOXES * BOXES) - bz) > 1)
                continue;
            const double *a = &places[4 * i], *b = &places[4 * j];
            double potential = exp(-0.5 * (a[0] + b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3])));
            want[0] += charges[j] * potential;
            for (int k = 1; k < 4; k++) want[k] += charges[j] * 2 * potential * (a[k] - b[k]);
        }
        for (int k = 0; k < 4; k++)
            is_right &= is_close(&p, (size_t)(4 * i + k), forces[4 * i + k], want[k], 1e-9);
    }
    free(places), free(charges), free(forces);
    point_fini(&p);
}

static int mirror(int i, int size) { return i < 0 ? -i : i >= size ? 2 * size - 2 - i : i; }

// One wavelet transform of `size` numbers, `stride` apart: low-pass into the first
// half, high-pass into the second.
static void lift(int *numbers, int size, int stride)
{
    static int line[512];
    for (int i = 0; i < size; i++) line[i] = numbers[i * stride];
    for (int i = 1; i < size; i += 2) line[i] -= (line[i - 1] + line[mirror(i + 1, size)]) >> 1;
    for (int i = 0; i < size; i += 2) line[i] += (line[mirror(i - 1, size)] + line[i + 1] + 2) >> 2;
    for (int i = 0; i < size; i++) numbers[(i / 2 + (i % 2 ? size / 2 : 0)) * stride] = line[i];
}

static void test_wavelets(struct test *t)
{
    enum { SIDE = 512 };
    struct point p;
    point_run(&p, t, "dwt2d-forward53", "image out");
    int *image = point_buffer(&p, "image", 4 * SIDE * SIDE), *out = point_buffer(&p, "out", 4 * SIDE * SIDE);
    for (int y = 0; y < SIDE; y++) lift(image + y * SIDE, SIDE, 1);
    for (int x = 0; x < SIDE; x++) lift(image + x, SIDE, SIDE);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        if (!is_close(&p, i, out[i], image[i], 0)) break;
    free(image), free(out);
    point_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"perceptron forward", test_perceptron_forward},
        {"perceptron adjust", test_perceptron_adjust},
        {"heat", test_heat},
        {"pathfinder", test_pathfinder},
        {"LU", test_lu},
        {"alignment", test_alignment},
        {"distances", test_distances},
        {"buckets", test_buckets},
        {"forces", test_forces},
        {"wavelets", test_wavelets},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

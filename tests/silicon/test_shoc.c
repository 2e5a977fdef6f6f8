// Kernels of measured launches from SHOC and LonestarGPU compute the intended results, with the method of
// tests/silicon/test_cuda_samples.c.
#include "base/rng.h"
#include "silicon/run.h"

#include <math.h>
#include <stdlib.h>

// A transform of a transform is the reversed input times its length; an inverse
// transform twice, over its length.
static void check_twice_transformed(struct point *p, size_t count, double (*got)(const void *, size_t),
                                    const void *data, double (*in)(const void *, size_t), const void *input,
                                    double factor)
{
    for (size_t i = 0; i < count; i++) {
        size_t point = i / 2, first = point / 512 * 512, from = first + (512 - point % 512) % 512;
        if (!is_close(p, i, got(data, i), factor * in(input, 2 * from + i % 2), 2e-3 * factor)) break;
    }
}

static double at_f32(const void *values, size_t i) { return ((const float *)values)[i]; }
static double at_f64(const void *values, size_t i) { return ((const double *)values)[i]; }

static void check_fft_f64(struct test *t, const char *name, double factor)
{
    enum { COUNT = 128 * 1024 };
    struct point p;
    struct rng rng;
    double *input = malloc(8 * COUNT);
    rng_init(&rng, 1);
    for (size_t i = 0; i < COUNT; i++) input[i] = rng_f64(rng_next(&rng));
    point_run(&p, t, name, "data");
    double *data = point_buffer(&p, "data", 8 * COUNT);
    check_twice_transformed(&p, COUNT, at_f64, data, at_f64, input, factor);
    free(data), free(input);
    point_fini(&p);
}

static void test_transforms(struct test *t)
{
    enum { COUNT = 256 * 1024 };
    struct point p;
    float *input = random_f32(COUNT, 1);
    point_run(&p, t, "shoc-fft512-sp", "data");
    float *data = point_buffer(&p, "data", 4 * COUNT);
    check_twice_transformed(&p, COUNT, at_f32, data, at_f32, input, 512);
    free(data), free(input);
    point_fini(&p);

    check_fft_f64(t, "shoc-fft512-dp", 512);
    check_fft_f64(t, "shoc-ifft512-dp", 1.0 / 512);
}

static void test_sums(struct test *t)
{
    struct point p;
    point_run(&p, t, "shoc-reduce-sp", "in out");
    float *in = point_buffer(&p, "in", 4 * 262144), *out = point_buffer(&p, "out", 4 * 64);
    double want = 0, sum = 0;
    for (size_t i = 0; i < 262144; i++) want += in[i];
    for (size_t i = 0; i < 64; i++) sum += out[i];
    is_close(&p, 0, sum, want, 1);
    free(in), free(out);
    point_fini(&p);

    point_run(&p, t, "shoc-reduce-dp", "in out");
    double *in64 = point_buffer(&p, "in", 8 * 131072), *out64 = point_buffer(&p, "out", 8 * 64);
    want = sum = 0;
    for (size_t i = 0; i < 131072; i++) want += in64[i];
    for (size_t i = 0; i < 64; i++) sum += out64[i];
    is_close(&p, 0, sum, want, 1e-6);
    free(in64), free(out64);
    point_fini(&p);
}

// Keys cycle through 0 to 1,023. The output is ordered by the last digit and stable.
static void test_reorder(struct test *t)
{
    enum { COUNT = 262144 };
    struct point p;
    point_run(&p, t, "shoc-sort-reorder", "out_keys out_values");
    unsigned *keys = point_buffer(&p, "out_keys", 4 * COUNT),
             *values = point_buffer(&p, "out_values", 4 * COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned digit = i / (COUNT / 16), key = i % (COUNT / 16) * 16 % 1024 + digit;
        if (!is_close(&p, i, keys[i], key, 0) || !is_close(&p, i, values[i], key, 0)) break;
    }
    free(keys), free(values);
    point_fini(&p);
}

static void test_md5(struct test *t)
{
    struct point p;
    point_run(&p, t, "shoc-md5", "found key");
    int *found = point_buffer(&p, "found", 4);
    unsigned *key = point_buffer(&p, "key", 8);
    CHECK_EQ(t, *found, 5432101);
    CHECK_EQ(t, key[0], 0x02010001); // digits of the number, the last digit first
    CHECK_EQ(t, key[1], 0x00050403);
    free(found), free(key);
    point_fini(&p);
}

static void test_search(struct test *t)
{
    struct point p;
    point_run(&p, t, "shoc-bfs-warp", "levels");
    unsigned *levels = point_buffer(&p, "levels", 4 * 1000);
    for (unsigned node = 0; node < 1000; node++)
        if (!is_close(&p, node, levels[node], floor(log2(node + 1)), 0)) break;
    free(levels);
    point_fini(&p);
}

// Every body hangs in the tree once, and no lock is left.
static void test_octree(struct test *t)
{
    enum { BODIES = 30000, ROOT = 60032 };
    struct point p;
    point_run(&p, t, "bh-tree", "children");
    int *children = point_buffer(&p, "children", 32 * (ROOT + 1)), *stack = malloc(4 * (ROOT + 1));
    int depth = 0, bodies = 0, cells = 0;
    char *seen = calloc(1, ROOT + 1);
    stack[depth++] = ROOT;
    while (depth && cells <= ROOT) {
        const int *cell = &children[8 * stack[--depth]];
        cells++;
        for (int i = 0; i < 8; i++) {
            if (cell[i] == -1) continue;
            bool is_right = cell[i] >= 0 && cell[i] < ROOT && !seen[cell[i]];
            CHECK_MSG(t, is_right, "child %d is a lock, or there twice", cell[i]);
            if (!is_right) goto out;
            seen[cell[i]] = 1;
            if (cell[i] < BODIES)
                bodies++;
            else
                stack[depth++] = cell[i];
        }
    }
    CHECK_EQ(t, bodies, BODIES);
out:
    free(children), free(stack), free(seen);
    point_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"transforms", test_transforms}, {"sums", test_sums},
                                             {"reorder", test_reorder},       {"md5", test_md5},
                                             {"search", test_search},         {"octree", test_octree}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

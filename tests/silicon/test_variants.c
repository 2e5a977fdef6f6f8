// The convolution with measured variants computes the intended result, with and without padding: sampled
// pixels are compared with the host's.
#include "silicon/run.h"

#include <stdlib.h>

enum { WIDTH = 4096, HEIGHT = 360, TAPS = 15, PITCH = WIDTH + TAPS - 1, STEP = 997 };

static double pixel(const float *image, const float *taps, size_t x, size_t y)
{
    double sum = 0;
    for (size_t i = 0; i < TAPS; i++)
        for (size_t j = 0; j < TAPS; j++) sum += (double)image[(y + i) * PITCH + x + j] * taps[i * TAPS + j];
    return sum;
}

static void check_variant(struct test *t, const char *name)
{
    struct point p;
    point_run(&p, t, name, "out");
    float *out = point_buffer(&p, "out", 4 * WIDTH * HEIGHT), *taps = random_f32(TAPS * TAPS, 1),
          *image = random_f32((size_t)PITCH * (HEIGHT + TAPS - 1), 2);
    for (size_t i = 0; i < WIDTH * HEIGHT; i += STEP)
        if (!is_close(&p, i, out[i], pixel(image, taps, i % WIDTH, i / WIDTH), 1e-3)) break;
    free(out), free(taps), free(image);
    point_fini(&p);
}

static void test_plain(struct test *t) { check_variant(t, "convolution-96-8-3-3-0-0"); }
static void test_padded(struct test *t) { check_variant(t, "convolution-16-8-1-7-1-0"); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"plain", test_plain}, {"padded", test_padded}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Blocks of random numbers are the numbers drawn one by one.
#include "base/rng.h"
#include "harness/test.h"

enum { MOST = 100 };

static void test_blocks_of_floats(struct test *t)
{
    for (size_t count = 0; count <= MOST; count++) {
        struct rng block, single;
        float got[MOST];
        rng_init(&block, 7 + count);
        rng_init(&single, 7 + count);
        rng_fill_f32(&block, got, count, -3, 5);
        for (size_t i = 0; i < count; i++) {
            float want = -3 + (5.0f - -3.0f) * rng_f32(rng_next(&single));
            CHECK_MSG(t, got[i] == want, "number %zu of %zu is %g, not %g", i, count, (double)got[i],
                      (double)want);
        }
        CHECK(t, block.state == single.state);
    }
}

static void test_blocks_of_words(struct test *t)
{
    for (size_t count = 0; count <= MOST; count++) {
        struct rng block, single;
        uint64_t got[MOST];
        rng_init(&block, ~count);
        rng_init(&single, ~count);
        rng_fill_u64(&block, got, count);
        for (size_t i = 0; i < count; i++) CHECK(t, got[i] == rng_next(&single));
        CHECK(t, block.state == single.state);
    }
}

static void test_starting_at_an_output(struct test *t)
{
    struct rng from_start;
    rng_init(&from_start, 11);
    for (uint64_t i = 0; i < 5; i++) {
        struct rng r = rng_at(11, i);
        CHECK(t, rng_next(&r) == rng_next(&from_start));
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"blocks_of_floats", test_blocks_of_floats},
        {"blocks_of_words", test_blocks_of_words},
        {"starting_at_an_output", test_starting_at_an_output},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

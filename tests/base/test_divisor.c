// Quotients and rests by a prepared divisor equal those of the division, at edges and at random.
#include "base/divisor.h"
#include "base/rng.h"
#include "harness/test.h"

#include <inttypes.h>

static void compare(struct test *t, uint64_t value, uint64_t n)
{
    struct divisor d = divisor_of(value);
    CHECK_MSG(t, divisor_quotient(&d, n) == n / value && divisor_rest(&d, n) == n % value,
              "%" PRIu64 " by %" PRIu64 ": %" PRIu64 ", rest %" PRIu64, n, value, divisor_quotient(&d, n),
              divisor_rest(&d, n));
}

static void test_quotients(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned k = 0; k < 200000 && !test_failed(t); k++) {
        uint64_t value = k < 5000 ? k + 1 : rng_next(&r) >> rng_below(&r, 64),
                 n = rng_next(&r) >> rng_below(&r, 64);
        if (!value) value = 1;
        compare(t, value, n);
        // around multiples, and where the multiplication ends
        uint64_t multiple = n - n % value, end = UINT64_MAX / value;
        for (uint64_t delta = 0; delta < 3; delta++) {
            compare(t, value, multiple - delta);
            compare(t, value, multiple + delta);
            compare(t, value, end - delta);
            compare(t, value, end + delta);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"quotients", test_quotients}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

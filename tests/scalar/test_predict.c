// The rules of the scalar pipe, over every case; sums against words added lane by lane.
#include "base/rng.h"
#include "harness/test.h"
#include "scalar/predict.h"

static void test_scalarisable(struct test *t)
{
    unsigned yes = 0;
    for (unsigned n = 0; n < 8 * 16; n++) {
        struct scalar_operands o = {.is_allowed = n & 1,
                                    .is_add = n >> 1 & 1,
                                    .all_active = n >> 2 & 1,
                                    .a = (enum scalar_kind)(n >> 3 & 3),
                                    .b = (enum scalar_kind)(n >> 5 & 3)};
        int vectors = (o.a > SCALAR_AFFINE) + (o.b > SCALAR_AFFINE);
        int affine = (o.a == SCALAR_AFFINE) + (o.b == SCALAR_AFFINE);
        bool want = o.is_allowed && o.all_active && !vectors && affine <= (o.is_add ? 1 : 0);
        CHECK_MSG(t, scalar_is_scalarisable(&o) == want, "allowed %d, add %d, all %d, kinds %d and %d",
                  o.is_allowed, o.is_add, o.all_active, o.a, o.b);
        yes += want;
    }
    CHECK_EQ(t, yes, 1 + 3); // uniform and uniform; for an addition also uniform and affine
}

static void check_add(struct test *t, const struct scalar_rule *rule, struct scalar_form a,
                      struct scalar_form b, unsigned verdicts[2])
{
    struct scalar_form sum, seen;
    uint32_t words[SCALAR_LANES_MAX];
    for (unsigned lane = 0; lane < rule->lanes; lane++)
        words[lane] = scalar_word(a, lane) + scalar_word(b, lane);
    bool is_scalar = scalar_detect(rule, words, bit_mask(rule->lanes), &seen) != SCALAR_VECTOR;
    CHECK_EQ(t, scalar_add(rule, a, b, &sum), is_scalar);
    CHECK(t, !is_scalar || (sum.base == seen.base && sum.code == seen.code));
    verdicts[is_scalar]++;
}

// The scalar pipe's result, written without a detector, equals the detector's result.
static void test_add(struct test *t)
{
    struct rng r;
    unsigned verdicts[2] = {0};
    rng_init(&r, test_seed(4));
    for (unsigned n = 0; n < 100000 && !test_failed(t); n++) {
        struct scalar_rule rule = {(uint8_t)(2u << rng_below(&r, 6)), SCALAR_ALL_STRIDES,
                                   rng_below(&r, 4) == 0};
        uint8_t code = (uint8_t)rng_below(&r, SCALAR_CODES);
        struct scalar_form affine = {rng_below(&r, 1000) * rule.lanes * (scalar_stride(code) | !code), code};
        struct scalar_form uniform = {(uint32_t)rng_next(&r), 0};
        if (rng_below(&r, 2)) uniform.base &= 0u - rule.lanes * 4u;
        check_add(t, &rule, affine, uniform, verdicts);
        check_add(t, &rule, uniform, affine, verdicts);
    }
    CHECK(t, verdicts[false] > 10000 && verdicts[true] > 10000);
}

static void test_table(struct test *t)
{
    struct scalar_table p;
    scalar_table_init(&p, 100);
    for (uint32_t n = 0; n < 100; n++) CHECK(t, !scalar_predicted(&p, n));
    scalar_learn(&p, 63, true);
    scalar_learn(&p, 64, true);
    scalar_learn(&p, 65, false);
    scalar_learn(&p, 99, true);
    for (uint32_t n = 0; n < 200; n++) CHECK_EQ(t, scalar_predicted(&p, n), n == 63 || n == 64 || n == 99);
    scalar_learn(&p, 64, false);
    CHECK(t, scalar_predicted(&p, 63) && !scalar_predicted(&p, 64));
    scalar_table_fini(&p);
}

static void test_moves(struct test *t)
{
    unsigned yes = 0;
    for (unsigned n = 0; n < 16 * 64; n++) {
        struct scalar_leaving w = {.all_active = n & 1,
                                   .jumps = n >> 1 & 1,
                                   .is_passed = n >> 2 & 1,
                                   .predicted = n >> 3 & 1,
                                   .there = n >> 4,
                                   .limit = 32};
        bool goes = scalar_goes_to_scalar(&w);
        CHECK(t, !goes || (w.all_active && !w.jumps && !w.is_passed && w.predicted && w.there < 32));
        yes += goes;
    }
    CHECK_EQ(t, yes, 32); // as many as permitted, and one of the remaining cases
    for (unsigned n = 0; n < 8; n++) {
        bool gave_up = n & 1, waits = n >> 1 & 1, predicted = n >> 2;
        CHECK_EQ(t, scalar_goes_to_vector(gave_up, waits, predicted), n == 0 || n == 1 || n == 5);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"scalarisable", test_scalarisable}, {"add", test_add}, {"table", test_table}, {"moves", test_moves}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

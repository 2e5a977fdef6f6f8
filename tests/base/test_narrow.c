// Numbers of 16 bits: every f16 and bf16 there and back, and rounding against a search for the nearest number.
#include "base/narrow.h"
#include "base/rng.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>

static void test_all(struct test *t)
{
    for (unsigned format = NARROW_F16; format <= NARROW_BF16; format++) {
        unsigned wrong = 0;
        for (unsigned bits = 0; bits < 1u << 16; bits++) {
            double value = narrow_to((enum narrow_format)format, (uint16_t)bits);
            wrong += !isnan(value) && narrow_from((enum narrow_format)format, value) != bits;
        }
        CHECK_EQ(t, wrong, 0);
    }
}

static void test_known(struct test *t)
{
    static const struct {
        enum narrow_format format;
        double value;
        uint16_t bits;
    } rows[] = {{NARROW_F16, 1, 0x3c00},           {NARROW_F16, -2, 0xc000},
                {NARROW_F16, 65504, 0x7bff},       {NARROW_F16, 65519, 0x7bff},
                {NARROW_F16, 65520, 0x7c00},       {NARROW_F16, 0x1p-24, 1},
                {NARROW_F16, 0x1p-25, 0},          {NARROW_F16, 0x1.8p-24, 2},
                {NARROW_F16, 1 + 0x1p-11, 0x3c00}, {NARROW_F16, 1 + 0x3p-11, 0x3c02},
                {NARROW_F16, -0.0, 0x8000},        {NARROW_F16, 1e30, 0x7c00},
                {NARROW_BF16, 1, 0x3f80},          {NARROW_BF16, 3.3895314e38, 0x7f7f},
                {NARROW_BF16, 1e300, 0x7f80},      {NARROW_BF16, 1.00390625, 0x3f80},
                {NARROW_BF16, 1.01171875, 0x3f82}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
        CHECK_EQ(t, narrow_from(rows[i].format, rows[i].value), rows[i].bits);
    CHECK_EQ(t, narrow_from(NARROW_F16, (double)NAN), 0x7fff);
    CHECK_EQ(t, narrow_from(NARROW_BF16, (double)-INFINITY), 0xff80);
}

// The result is nearer than its neighbours; of two at the same distance it is even.
static void test_nearest(struct test *t)
{
    struct rng r;
    rng_init(&r, 1);
    for (unsigned i = 0; i < 100000; i++) {
        double value = scalbn(rng_f64(rng_next(&r)), (int)(rng_next(&r) % 40) - 26);
        uint16_t bits = narrow_from(NARROW_F16, value);
        double error = fabs(narrow_to(NARROW_F16, bits) - value),
               above = fabs(narrow_to(NARROW_F16, (uint16_t)(bits + 1)) - value),
               below = bits ? fabs(narrow_to(NARROW_F16, (uint16_t)(bits - 1)) - value) : INFINITY;
        bool even = !(bits & 1),
             good = even ? error <= above && error <= below : error < above && error < below;
        if (!good) CHECK_MSG(t, good, "%a became 0x%04x", value, bits);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"all", test_all}, {"known", test_known}, {"nearest", test_nearest}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// The detector against the paper's equations and against the hardware's
// bit comparisons, both written anew here.
#include "base/rng.h"
#include "harness/test.h"
#include "scalar/detector.h"

#include <inttypes.h>
#include <string.h>

static const struct scalar_rule hardware = {32, SCALAR_ALL_STRIDES, false};

struct verdict {
    enum scalar_kind kind;
    struct scalar_form form;
};

// Fig. 2a, stage 2, first match in order: new_i % (lanes x s) = i x s and
// new_i / (lanes x s) = leader / (lanes x s).
static struct verdict by_equations(const struct scalar_rule *rule, const uint32_t *words, uint64_t among)
{
    uint32_t lanes = rule->lanes, leader = words[bit_lowest(among)];
    for (unsigned code = 0; code < SCALAR_CODES; code++) {
        uint32_t s = scalar_stride(code), base = leader - bit_lowest(among) * s;
        bool matches = rule->strides >> code & 1;
        for (uint32_t i = 0; i < lanes; i++) {
            if (!(among >> i & 1)) continue;
            if (!s)
                matches &= words[i] == leader;
            else if (rule->any_base)
                matches &= words[i] == base + i * s;
            else
                matches &= words[i] % (lanes * s) == i * s && words[i] / (lanes * s) == leader / (lanes * s);
        }
        if (matches) return (struct verdict){code ? SCALAR_AFFINE : SCALAR_UNIFORM, {base, (uint8_t)code}};
    }
    return (struct verdict){.kind = SCALAR_VECTOR};
}

// The hardware of 32 lanes: bits 31 to 7 equal lane 0's, and the seven below are checked by stride.
static struct verdict by_bits(const uint32_t *words)
{
    bool is_stride[SCALAR_CODES] = {true, true, true, true};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t low = words[lane] & 127, leader = words[0] & 127;
        bool same_above = words[lane] >> 7 == words[0] >> 7;
        is_stride[0] &= same_above && low == leader;
        is_stride[1] &= same_above && low >> 5 == leader >> 5 && (low & 31) == lane;
        is_stride[2] &= same_above && low >> 6 == leader >> 6 && (low >> 1 & 31) == lane && !(low & 1);
        is_stride[3] &= same_above && low >> 2 == lane && !(low & 3);
    }
    for (unsigned code = 0; code < SCALAR_CODES; code++)
        if (is_stride[code])
            return (struct verdict){code ? SCALAR_AFFINE : SCALAR_UNIFORM, {words[0], (uint8_t)code}};
    return (struct verdict){.kind = SCALAR_VECTOR};
}

static void check_equal(struct test *t, struct verdict got, struct verdict want, const uint32_t *words)
{
    bool is_equal =
        got.kind == want.kind &&
        (got.kind == SCALAR_VECTOR || (got.form.base == want.form.base && got.form.code == want.form.code));
    CHECK_MSG(t, is_equal, "%08" PRIx32 ", %08" PRIx32 ", %08" PRIx32 " …: kind %d, not %d", words[0],
              words[1], words[2], got.kind, want.kind);
}

static enum scalar_kind check(struct test *t, const struct scalar_rule *rule, const uint32_t *words,
                              uint64_t among)
{
    struct verdict got = {.kind = SCALAR_VECTOR};
    got.kind = scalar_detect(rule, words, among, &got.form);
    check_equal(t, got, by_equations(rule, words, among), words);
    if (rule->lanes == 32 && among == bit_mask(32) && rule->strides == SCALAR_ALL_STRIDES && !rule->any_base)
        check_equal(t, got, by_bits(words), words);
    return got.kind;
}

static enum scalar_kind kind_of(struct test *t, uint32_t base, uint32_t stride)
{
    uint32_t words[32];
    for (uint32_t n = 0; n < 32; n++) words[n] = base + n * stride;
    return check(t, &hardware, words, bit_mask(32));
}

static void test_table(struct test *t)
{
    CHECK_EQ(t, kind_of(t, 0, 0), SCALAR_UNIFORM);
    CHECK_EQ(t, kind_of(t, 0xffffffff, 0), SCALAR_UNIFORM);
    CHECK_EQ(t, kind_of(t, 0, 1), SCALAR_AFFINE);
    CHECK_EQ(t, kind_of(t, 0, 2), SCALAR_AFFINE);
    CHECK_EQ(t, kind_of(t, 0, 4), SCALAR_AFFINE);
    CHECK_EQ(t, kind_of(t, 0, 3), SCALAR_VECTOR);
    CHECK_EQ(t, kind_of(t, 0, 8), SCALAR_VECTOR);
    CHECK_EQ(t, kind_of(t, 128, 0xffffffff), SCALAR_VECTOR); // downwards
    for (uint32_t stride = 1; stride <= 4; stride *= 2) {
        CHECK_EQ(t, kind_of(t, 0xc0000000 + 32 * stride, stride), SCALAR_AFFINE);
        CHECK_EQ(t, kind_of(t, 0xc0000000 + stride, stride), SCALAR_VECTOR); // a base off by one lane
        CHECK_EQ(t, kind_of(t, 0u - 32 * stride, stride), SCALAR_AFFINE);    // up to the last word
        CHECK_EQ(t, kind_of(t, 0u - 16 * stride, stride), SCALAR_VECTOR);    // and past it
    }
}

// Every base and stride with different inspected bits, and every word with one bit flipped.
static void test_all_bits(struct test *t)
{
    for (uint32_t base = 0; base < 512; base++)
        for (uint32_t stride = 0; stride <= 9; stride++) {
            kind_of(t, base, stride);
            kind_of(t, 0u - base, stride);
        }
    for (unsigned code = 0; code < SCALAR_CODES; code++) {
        uint32_t words[32];
        scalar_expand((struct scalar_form){0x12345000, (uint8_t)code}, 32, words);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned bit = 0; bit < 32; bit++) {
                words[lane] ^= 1u << bit;
                CHECK_EQ(t, check(t, &hardware, words, bit_mask(32)), SCALAR_VECTOR);
                words[lane] ^= 1u << bit;
            }
    }
}

// Warps of every size, some of their lanes, every set of strides, with bases that fit and bases that do not.
static void test_rules(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    unsigned kinds[3] = {0};
    for (unsigned n = 0; n < 200000; n++) {
        struct scalar_rule rule = {(uint8_t)(1u << rng_below(&r, 7)), (uint8_t)(1 | rng_below(&r, 16)),
                                   rng_below(&r, 2)};
        uint32_t words[SCALAR_LANES_MAX], stride = rng_below(&r, 6);
        uint32_t base = rng_below(&r, 4) ? rng_below(&r, 64) * rule.lanes : (uint32_t)rng_next(&r);
        for (uint32_t k = 0; k < rule.lanes; k++) words[k] = base + k * stride;
        uint64_t among = bit_mask(rule.lanes);
        if (!rng_below(&r, 3)) among &= rng_next(&r);
        if (!rng_below(&r, 3)) words[rng_below(&r, rule.lanes)] ^= 1u << rng_below(&r, 32);
        if (!among) among = 1;
        kinds[check(t, &rule, words, among)]++;
    }
    for (unsigned k = 0; k < 3; k++) CHECK_MSG(t, kinds[k] > 5000, "kind %u: %u times", k, kinds[k]);
}

static void test_expand(struct test *t)
{
    for (unsigned code = 0; code < SCALAR_CODES; code++) {
        static const uint32_t strides[SCALAR_CODES] = {0, 1, 2, 4};
        struct scalar_form form = {0xfffffff0, (uint8_t)code};
        uint32_t words[SCALAR_LANES_MAX], base = 0xfffffff0;
        scalar_expand(form, 64, words);
        for (uint32_t n = 0; n < 64; n++) {
            CHECK_EQ(t, words[n], base + n * strides[code]);
            CHECK_EQ(t, scalar_word(form, n), words[n]);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"table", test_table}, {"all_bits", test_all_bits}, {"rules", test_rules}, {"expand", test_expand}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

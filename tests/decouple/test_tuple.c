// Tuples by the figures of the paper, records and predicates at their edges, and every operation against
// values computed thread by thread. Fails when a tuple, record or predicate differs from the threads'
// values.
#include "base/rng.h"
#include "decouple/tuple.h"
#include "harness/test.h"

#include <inttypes.h>

static struct decouple_tuple tuple(uint64_t base, uint64_t offset)
{
    struct decouple_tuple t = decouple_tuple_scalar(32, base);
    t.offset[DECOUPLE_TID_X] = offset;
    return t;
}

static void check_tuple(struct test *t, struct decouple_tuple got, uint64_t base, uint64_t offset)
{
    struct decouple_tuple want = tuple(base, offset);
    CHECK_MSG(t, decouple_tuple_equal(&got, &want),
              "(%#" PRIx64 ", %#" PRIx64 "), not (%#" PRIx64 ", %#" PRIx64 ")", got.base,
              got.offset[DECOUPLE_TID_X], base, offset);
}

static uint64_t value_at(struct decouple_tuple t, uint32_t x)
{
    return decouple_tuple_value(&t, (uint32_t[DECOUPLE_DIMENSIONS]){x});
}

// Figures 1 and 2: A = (0x100, 4), B = (0x200, 0), C = A + B over two warps.
static void test_figures_1_and_2(struct test *t)
{
    struct decouple_tuple a = tuple(0x100, 4), b = tuple(0x200, 0), c = decouple_tuple_add(&a, &b);
    check_tuple(t, c, 0x300, 4);
    CHECK_EQ(t, value_at(c, 0), 0x300);
    CHECK_EQ(t, value_at(c, 31), 0x37c);
    CHECK_EQ(t, value_at(c, 32), 0x380);
}

// Figure 5, with A[] at 0x80000 and rows of 0x400 words: operands of Figure 4's lines 3, 4, 12 and 13.
static void test_figure_5(struct test *t)
{
    struct decouple_tuple tid = decouple_tuple_index(DECOUPLE_TID_X), four = tuple(4, 0),
                          row = tuple(0x400, 0), array = tuple(0x80000, 0), r1, r3;
    CHECK(t, decouple_tuple_multiply(&tid, &four, &r1));
    check_tuple(t, r1, 0, 4);
    struct decouple_tuple address = decouple_tuple_add(&array, &r1);
    check_tuple(t, address, 0x80000, 4);
    CHECK(t, decouple_tuple_multiply(&row, &four, &r3));
    check_tuple(t, r3, 0x1000, 0);
    struct decouple_tuple next = decouple_tuple_add(&r3, &address);
    check_tuple(t, next, 0x81000, 4);
    CHECK_EQ(t, value_at(next, 1), 0x81004);
    CHECK_EQ(t, value_at(next, 2), 0x81008);
    CHECK(t, !decouple_tuple_multiply(&tid, &address, &r3)); // equation 3 has a single varying factor
}

static struct decouple_tuple random_tuple(struct rng *r)
{
    struct decouple_tuple t = decouple_tuple_scalar(32, rng_next(r));
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++)
        t.offset[d] = rng_next(r) % 3 ? rng_next(r) % 64 : (uint32_t)rng_next(r);
    return t;
}

static void random_index(struct rng *r, uint32_t index[DECOUPLE_DIMENSIONS])
{
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) index[d] = (uint32_t)rng_next(r) % 1024;
}

static void test_arithmetic_is_that_of_every_thread(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned n = 0; n < 5000; n++) {
        struct decouple_tuple a = random_tuple(&r), b = random_tuple(&r), product;
        struct decouple_tuple scalar = decouple_tuple_scalar(32, rng_next(&r));
        struct decouple_tuple sum = decouple_tuple_add(&a, &b), difference = decouple_tuple_subtract(&a, &b);
        uint32_t index[DECOUPLE_DIMENSIONS];
        random_index(&r, index);
        uint32_t x = (uint32_t)decouple_tuple_value(&a, index), y = (uint32_t)decouple_tuple_value(&b, index);
        CHECK_EQ(t, decouple_tuple_value(&sum, index), x + y);
        CHECK_EQ(t, decouple_tuple_value(&difference, index), x - y);
        CHECK(t, decouple_tuple_multiply(&scalar, &a, &product));
        CHECK_EQ(t, decouple_tuple_value(&product, index), x * (uint32_t)scalar.base);
    }
}

// The test by extremes is never wrong: a widened pair holds each thread's extended word.
static void test_widening_notices_wrap(struct test *t)
{
    struct rng r;
    unsigned wide = 0, wraps = 0;
    rng_init(&r, test_seed(2));
    for (unsigned n = 0; n < 4000; n++) {
        struct decouple_tuple a = tuple(rng_next(&r),
                                        rng_next(&r) % 2 ? rng_next(&r) % 0x800000 : rng_next(&r)),
                              pair;
        struct decouple_box box = {.high = {1023}};
        bool is_signed = rng_next(&r) % 2;
        if (!decouple_tuple_widen(&a, &box, is_signed, &pair)) {
            wraps++;
            continue;
        }
        wide++;
        uint32_t index[DECOUPLE_DIMENSIONS] = {(uint32_t)rng_next(&r) % 1024};
        uint32_t word = (uint32_t)decouple_tuple_value(&a, index);
        uint64_t want = is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
        CHECK_EQ(t, decouple_tuple_value(&pair, index), want);
    }
    CHECK(t, wide > 100 && wraps > 100);
    struct decouple_tuple edge = tuple(0x7ffffff0, 1), pair;
    struct decouple_box sixteen = {.high = {15}}, seventeen = {.high = {16}};
    CHECK(t, decouple_tuple_widen(&edge, &sixteen, true, &pair));
    CHECK(t, !decouple_tuple_widen(&edge, &seventeen, true, &pair));
    CHECK(t, decouple_tuple_widen(&edge, &seventeen, false, &pair));
}

// -- address expansion -------------------------------------------------------------------------------------

static const struct decouple_warp warp_0 = {.block = {64, 1, 1}, .warp_size = 32},
                                  warp_1 = {.block = {64, 1, 1}, .warp = 1, .warp_size = 32};

static void check_record(struct test *t, const struct decouple_record *r, uint64_t region, uint32_t granules,
                         unsigned first, bool last)
{
    CHECK_EQ(t, r->region, region);
    CHECK_EQ(t, r->granules, granules);
    CHECK_EQ(t, r->first, first);
    CHECK_EQ(t, r->last, last);
}

static unsigned expand(uint64_t base, uint64_t offset, const struct decouple_warp *w,
                       struct decouple_record *records)
{
    struct decouple_tuple a = tuple(base, offset);
    return decouple_expand(&a, w, UINT64_MAX, 4, records);
}

static void test_records(struct test *t)
{
    struct decouple_record r[DECOUPLE_RECORDS_MAX];
    CHECK_EQ(t, expand(0x1000, 4, &warp_0, r), 1);
    check_record(t, &r[0], 0x1000, UINT32_MAX, 0, true);
    CHECK_EQ(t, expand(0x1000, 4, &warp_1, r), 1);
    check_record(t, &r[0], 0x1080, UINT32_MAX, 0, true);
    CHECK_EQ(t, expand(0x1000, 8, &warp_0, r), 2);
    check_record(t, &r[0], 0x1000, 0x55555555, 0, false);
    check_record(t, &r[1], 0x1080, 0x55555555, 16, true);
    CHECK_EQ(t, expand(0x1010, 0, &warp_0, r), 1);
    check_record(t, &r[0], 0x1000, 1 << 4, 0, true);
    CHECK(t, r[0].broadcast && !r[0].reversed);
    CHECK_EQ(t, expand(0x107c, (uint64_t)-4, &warp_0, r), 1);
    check_record(t, &r[0], 0x1000, UINT32_MAX, 0, true);
    CHECK(t, r[0].reversed && !r[0].broadcast);
    CHECK_EQ(t, expand(0x1000, 128, &warp_0, r), 32);
    check_record(t, &r[31], 0x1000 + 31 * 128, 1, 31, true);
    CHECK_EQ(t, expand(0x1040, 4, &warp_0, r), 2); // the second line is the next warp's first
    check_record(t, &r[0], 0x1000, 0xffff0000, 0, false);
    check_record(t, &r[1], 0x1080, 0x0000ffff, 16, true);
    CHECK_EQ(t, expand(0x1040, 4, &warp_1, r), 2);
    CHECK_EQ(t, r[0].region, 0x1080);
    CHECK_EQ(t, expand(0x1002, 4, &warp_0, r), 0); // not aligned: the program's own fault
}

// Rows of 16 threads: a full warp holds two rows, the block's last warp a single row.
static void test_rows_in_a_warp(struct test *t)
{
    struct decouple_record r[DECOUPLE_RECORDS_MAX];
    struct decouple_warp w = {.block = {16, 3, 1}, .warp_size = 32};
    struct decouple_tuple a = tuple(0x1000, 4);
    a.offset[DECOUPLE_TID_Y] = 0x400;
    CHECK_EQ(t, decouple_expand(&a, &w, UINT64_MAX, 4, r), 2);
    check_record(t, &r[0], 0x1000, 0xffff, 0, false);
    check_record(t, &r[1], 0x1400, 0xffff, 16, true);
    w.warp = 1;
    CHECK_EQ(t, decouple_warp_threads(&w), 16);
    CHECK_EQ(t, decouple_expand(&a, &w, UINT64_MAX, 4, r), 1);
    check_record(t, &r[0], 0x1800, 0xffff, 0, true);
}

// For any tuple, shape, size and set of lanes, the records give back each thread's address.
static void test_records_lead_back(struct test *t)
{
    struct rng rng;
    rng_init(&rng, test_seed(3));
    static const uint32_t shapes[][3] = {{64, 1, 1}, {16, 16, 1}, {8, 2, 4}, {5, 7, 1}, {48, 2, 1}};
    static const uint64_t offsets[] = {0, 1, 2, (uint64_t)-1, (uint64_t)-2, 3, 32, 64};
    for (unsigned n = 0; n < 3000; n++) {
        const uint32_t *shape = shapes[rng_next(&rng) % TEST_COUNT(shapes)];
        struct decouple_warp w = {.block = {shape[0], shape[1], shape[2]}, .warp_size = 32};
        unsigned bytes = 1u << rng_next(&rng) % 5;
        struct decouple_tuple a = decouple_tuple_scalar(64, 0x7fff00000000 + rng_next(&rng) % 64 * bytes);
        for (unsigned d = 0; d < 3; d++) a.offset[d] = offsets[rng_next(&rng) % TEST_COUNT(offsets)] * bytes;
        uint64_t lanes = rng_next(&rng) % 2 ? UINT64_MAX : rng_next(&rng);
        struct decouple_record r[DECOUPLE_RECORDS_MAX];
        unsigned records = decouple_expand(&a, &w, lanes, bytes, r), thread = 0;
        uint64_t addresses[32];
        uint32_t threads = decouple_warp_threads(&w);
        unsigned count = (unsigned)__builtin_popcountll(lanes & (UINT64_MAX >> (64 - threads)));
        CHECK_EQ(t, records > 0, count > 0);
        decouple_record_addresses(r, records, bytes, count, addresses);
        for (uint32_t lane = 0; lane < threads; lane++) {
            uint32_t index[DECOUPLE_DIMENSIONS];
            if (!(lanes >> lane & 1)) continue;
            decouple_warp_index(&w, lane, index);
            CHECK_EQ(t, addresses[thread++], decouple_tuple_value(&a, index));
        }
    }
}

// -- predicates --------------------------------------------------------------------------------------------

static void check_comparison(struct test *t, struct decouple_tuple a, enum isa_cmp cmp, bool is_signed,
                             uint32_t limit, enum decouple_effort effort, uint64_t lanes)
{
    struct decouple_tuple scalar = tuple(limit, 0);
    struct decouple_comparison c = decouple_compare(&a, &scalar, cmp, is_signed, &warp_0);
    CHECK_EQ(t, c.effort, effort);
    CHECK_EQ(t, c.lanes, lanes);
}

static void test_comparisons(struct test *t)
{
    check_comparison(t, tuple(7, 0), CMP_LT, true, 9, EFFORT_BLOCK, UINT32_MAX);
    check_comparison(t, tuple(0, 1), CMP_LT, true, 32, EFFORT_ENDS, UINT32_MAX);
    check_comparison(t, tuple(0, 1), CMP_LT, true, 5, EFFORT_LANES, 0x1f);
    check_comparison(t, tuple(0, 1), CMP_LE, true, 31, EFFORT_ENDS, UINT32_MAX);
    check_comparison(t, tuple(0, (uint64_t)-1), CMP_GT, true, 0, EFFORT_ENDS, 0);
    // Both ends satisfy the comparison, and the values wrap in between: 0x7ffffff0 + 31 is negative.
    check_comparison(t, tuple(0x7ffffff0, 1), CMP_LT, true, 0x7ffffff8, EFFORT_LANES, 0xffff00ff);
    check_comparison(t, tuple(0x7ffffff0, 1), CMP_LT, false, 0x7ffffff8, EFFORT_LANES, 0x000000ff);
    // Neither end is equal, but a value in between is.
    check_comparison(t, tuple(0, 1), CMP_EQ, true, 5, EFFORT_LANES, 1 << 5);
    check_comparison(t, tuple(0, 1), CMP_NE, true, 5, EFFORT_LANES, ~(1u << 5));
    check_comparison(t, tuple(0, 1), CMP_NE, true, 32, EFFORT_ENDS, UINT32_MAX);
}

// With several rows in a warp the first and last thread give no bound: x is 0 and 15 at the ends of both
// rows.
static void test_comparison_of_rows(struct test *t)
{
    struct decouple_warp w = {.block = {16, 4, 1}, .warp_size = 32};
    struct decouple_tuple x = tuple(0, 1), limit = tuple(8, 0);
    struct decouple_comparison c = decouple_compare(&x, &limit, CMP_LT, true, &w);
    CHECK_EQ(t, c.effort, EFFORT_LANES);
    CHECK_EQ(t, c.lanes, 0x00ff00ff);
    struct decouple_tuple y = decouple_tuple_index(DECOUPLE_TID_Y), two = tuple(2, 0);
    w.warp = 1;
    c = decouple_compare(&y, &two, CMP_LT, true, &w);
    CHECK_EQ(t, c.effort, EFFORT_ENDS);
    CHECK_EQ(t, c.lanes, 0);
}

static void test_comparison_is_that_of_every_lane(struct test *t)
{
    static const enum isa_cmp comparisons[] = {CMP_LT, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE};
    struct rng r;
    unsigned efforts[3] = {0};
    rng_init(&r, test_seed(4));
    for (unsigned n = 0; n < 20000; n++) {
        struct decouple_warp w = {.block = {1u << rng_next(&r) % 7, 8, 2}, .warp_size = 32};
        struct decouple_tuple a =
            tuple(rng_next(&r) % 4 ? rng_next(&r) % 64 : rng_next(&r), rng_next(&r) % 3);
        a.offset[DECOUPLE_TID_Y] = rng_next(&r) % 2 ? 0 : rng_next(&r);
        struct decouple_tuple limit = tuple(rng_next(&r) % 4 ? rng_next(&r) % 64 : rng_next(&r), 0);
        enum isa_cmp cmp = comparisons[rng_next(&r) % TEST_COUNT(comparisons)];
        bool is_signed = rng_next(&r) % 2;
        struct decouple_comparison c = decouple_compare(&a, &limit, cmp, is_signed, &w);
        efforts[c.effort]++;
        for (uint32_t lane = 0; lane < decouple_warp_threads(&w); lane++) {
            uint32_t index[DECOUPLE_DIMENSIONS];
            decouple_warp_index(&w, lane, index);
            uint32_t x = (uint32_t)decouple_tuple_value(&a, index), y = (uint32_t)limit.base;
            bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
            bool want = (cmp == CMP_EQ && x == y) || (cmp == CMP_NE && x != y) || (cmp == CMP_LT && less) ||
                        (cmp == CMP_LE && (less || x == y)) || (cmp == CMP_GT && !less && x != y) ||
                        (cmp == CMP_GE && !less);
            CHECK_EQ(t, c.lanes >> lane & 1, want);
        }
    }
    CHECK(t, efforts[EFFORT_BLOCK] && efforts[EFFORT_ENDS] && efforts[EFFORT_LANES]);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"figures_1_and_2", test_figures_1_and_2},
        {"figure_5", test_figure_5},
        {"arithmetic_is_that_of_every_thread", test_arithmetic_is_that_of_every_thread},
        {"widening_notices_wrap", test_widening_notices_wrap},
        {"records", test_records},
        {"rows_in_a_warp", test_rows_in_a_warp},
        {"records_lead_back", test_records_lead_back},
        {"comparisons", test_comparisons},
        {"comparison_of_rows", test_comparison_of_rows},
        {"comparison_is_that_of_every_lane", test_comparison_is_that_of_every_lane},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

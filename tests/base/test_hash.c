// Maps against a linear search, splitmix64 against its published outputs, and bit helpers.
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <string.h>

// The first outputs for seed 1234567 of the reference implementation (Vigna, splitmix64.c).
static void test_splitmix_vectors(struct test *t)
{
    static const uint64_t want[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
                                    4593380528125082431ull, 16408922859458223821ull};
    struct rng r;
    rng_init(&r, 1234567);
    for (size_t i = 0; i < TEST_COUNT(want); i++) {
        uint64_t got = rng_next(&r);
        CHECK_MSG(t, got == want[i], "output %zu is %llu", i, (unsigned long long)got);
    }
    rng_init(&r, 0);
    CHECK(t, rng_next(&r) == 0xe220a8397b1dcdafull);
}

static void test_ranges(struct test *t)
{
    CHECK(t, rng_f32(UINT64_MAX) == 1.0f - 0x1p-24f && rng_f32(0) == 0);
    CHECK(t, rng_f64(UINT64_MAX) == 1.0 - 0x1p-53);
    struct rng r;
    rng_init(&r, 9);
    unsigned seen[6] = {0};
    for (int i = 0; i < 6000; i++) {
        uint32_t v = rng_below(&r, 6);
        CHECK(t, v < 6);
        seen[v]++;
    }
    for (int i = 0; i < 6; i++) CHECK_MSG(t, seen[i] > 850 && seen[i] < 1150, "%d came %u times", i, seen[i]);
}

static void test_strmap(struct test *t)
{
    enum { COUNT = 3000 };
    static char keys[COUNT][12];
    struct strmap m = {0};
    uint32_t value;
    CHECK(t, !strmap_get(&m, "x", 1, &value));
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(keys[i], sizeof keys[i], "%%r%u", i * 7919u);
        CHECK(t, strmap_set(&m, keys[i], strlen(keys[i]), i));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(t, strmap_get(&m, keys[i], strlen(keys[i]), &value) && value == i);
        CHECK(t, str_equal(m.entries.data[i].key, keys[i])); // insertion order
    }
    CHECK(t, !strmap_set(&m, keys[5], strlen(keys[5]), 77));
    CHECK(t, strmap_get(&m, keys[5], strlen(keys[5]), &value) && value == 77);
    CHECK(t, !strmap_get(&m, keys[5], strlen(keys[5]) - 1, &value)); // a prefix is a different key
    CHECK_EQ(t, m.entries.count, COUNT);
    strmap_fini(&m);
}

static void test_u64map(struct test *t)
{
    struct u64map m = {0};
    uint32_t value;
    CHECK(t, !u64map_get(&m, 0, &value));
    for (uint64_t i = 0; i < 3000; i++) CHECK(t, u64map_set(&m, i << 32, (uint32_t)i));
    for (uint64_t i = 0; i < 3000; i++) CHECK(t, u64map_get(&m, i << 32, &value) && value == i);
    CHECK(t, !u64map_get(&m, 1, &value));
    u64map_fini(&m);
}

// Every length and every flipped bit gives a different hash.
static void test_bytes(struct test *t)
{
    unsigned char bytes[40] = {0};
    uint64_t seen[41 + 40 * 8];
    size_t count = 0;
    for (size_t n = 0; n <= sizeof bytes; n++) seen[count++] = hash_bytes(bytes, n, 0);
    for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        seen[count++] = hash_bytes(bytes, sizeof bytes, 0);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) CHECK(t, seen[i] != seen[k]);
    CHECK(t, hash_bytes("ab", 2, 1) != hash_bytes("ab", 2, 2));
}

static void test_bits(struct test *t)
{
    CHECK_EQ(t, align_up(0, 256), 0);
    CHECK_EQ(t, align_up(257, 256), 512);
    CHECK(t, is_power_of_two(1) && is_power_of_two(1ull << 63) && !is_power_of_two(0) && !is_power_of_two(6));
    CHECK(t, bit_mask(0) == 0 && bit_mask(64) == UINT64_MAX && bit_mask(63) == UINT64_MAX >> 1);
    CHECK(t, bit_lowest(0x50) == 4 && bit_highest(0x50) == 6 && bit_count(0x50) == 2);
    CHECK(t, f32_bits(-0.0f) == 0x80000000u && f32_from_bits(0x3f800000) == 1.0f);
    CHECK(t, f64_bits(1.0) == 0x3ff0000000000000ull && f64_from_bits(0xc000000000000000ull) == -2.0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"splitmix_vectors", test_splitmix_vectors},
                                             {"ranges", test_ranges},
                                             {"strmap", test_strmap},
                                             {"u64map", test_u64map},
                                             {"bytes", test_bytes},
                                             {"bits", test_bits}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// The stack cache, case by case, and at random against a plain model of the cache and its memory.
#include "base/arena.h"
#include "base/rng.h"
#include "harness/test.h"
#include "scalar/stackcache.h"

#include <stdlib.h>

enum { ENTRIES = 2048, INDEX = 1 << 7, TAG = 1 << 18 };
static const uint32_t stack = 0xc0000000;

static void test_storage(struct test *t)
{
    CHECK_EQ(t, stackcache_storage_bits(ENTRIES), 98304);
    CHECK_EQ(t, stackcache_storage_bits(ENTRIES) / 8, 12 * 1024);
}

static void test_rules(struct test *t)
{
    struct stackcache c;
    const struct scalar_form one = {1, 0}, lanes = {64, 2};
    stackcache_init(&c, ENTRIES);
    CHECK(t, !stackcache_load(&c, stack, true).is_here); // a miss, without allocation
    CHECK(t, !stackcache_load(&c, stack, true).is_here);
    CHECK(t, !stackcache_load(&c, 0x08008000, false).is_here); // not a stack address: no miss
    CHECK_EQ(t, c.load_misses, 2);
    struct stackcache_outcome o = stackcache_store(&c, stack + 4, &one);
    CHECK(t, o.is_here && !o.written_back);
    o = stackcache_load(&c, stack + 127, true); // any word of the line
    CHECK(t, o.is_here && o.form.base == 1 && o.form.code == 0);
    CHECK(t, !stackcache_load(&c, stack + 128, true).is_here);
    CHECK(t, !stackcache_load(&c, stack + TAG, true).is_here); // another line of the same index
    o = stackcache_store(&c, stack, &lanes);                   // in its own entry
    CHECK(t, o.is_here && !o.written_back);
    o = stackcache_store(&c, stack + 3 * TAG, &one); // in the entry of another line
    CHECK(t, o.is_here && o.written_back);
    CHECK_EQ(t, o.line, stack);
    CHECK(t, o.victim.base == 64 && o.victim.code == 2);
    CHECK(t, !stackcache_load(&c, stack, true).is_here);
    o = stackcache_store(&c, stack, NULL); // bypasses the cache, and keeps a line of the same index
    CHECK(t, !o.is_here && !o.written_back);
    CHECK(t, stackcache_load(&c, stack + 3 * TAG, true).is_here);
    // a word of a cached line: the line is written back first
    o = stackcache_store(&c, stack + 3 * TAG + 8, NULL);
    CHECK(t, !o.is_here && o.written_back);
    CHECK_EQ(t, o.line, stack + 3 * TAG);
    CHECK(t, !stackcache_load(&c, stack + 3 * TAG, true).is_here);
    o = stackcache_store(&c, stack + 3 * TAG, NULL); // only once
    CHECK(t, !o.written_back);
    CHECK_EQ(t, c.load_hits, 2);
    CHECK_EQ(t, c.load_misses, 6);
    CHECK_EQ(t, c.stores, 3);
    CHECK_EQ(t, c.written_back, 2);
    stackcache_fini(&c);
}

// Addresses with the warp's number in bits 12 to 7 keep warps in separate entries.
static void test_warps_apart(struct test *t)
{
    struct stackcache c;
    struct rng r;
    stackcache_init(&c, ENTRIES);
    rng_init(&r, test_seed(2));
    for (unsigned n = 0; n < 5000; n++) {
        const struct scalar_form form = {(uint32_t)n, 0};
        uint32_t warp = rng_below(&r, 64), place = rng_below(&r, 4096);
        struct stackcache_outcome o =
            stackcache_store(&c, stack | place << 13 | warp * INDEX, rng_below(&r, 3) ? &form : NULL);
        CHECK_MSG(t, !o.written_back || (o.line / INDEX & 63) == warp, "a line of warp %u leaves for warp %u",
                  (unsigned)(o.line / INDEX & 63), (unsigned)warp);
    }
    CHECK(t, c.written_back > 100);
    stackcache_fini(&c);
}

// Few entries and a memory of few lines: a load gives the last stored value, wherever it
// is, and memory equals the plain model's.
static void test_random(struct test *t)
{
    enum { FEW = 8, LINES = 32 };
    struct stackcache c;
    struct rng r;
    uint32_t memory[LINES] = {0}, newest[LINES] = {0}, kept[FEW] = {0}; // kept: the line's number + 1
    stackcache_init(&c, FEW);
    rng_init(&r, test_seed(3));
    for (unsigned n = 1; n < 100000 && !test_failed(t); n++) {
        uint32_t line = rng_below(&r, LINES), address = line * INDEX + rng_below(&r, INDEX),
                 index = line % FEW;
        bool is_kept = kept[index] == line + 1;
        struct stackcache_outcome o;
        if (rng_below(&r, 2)) {
            o = stackcache_load(&c, address, true);
            CHECK_EQ(t, o.is_here, is_kept);
            CHECK_EQ(t, o.is_here ? o.form.base : memory[line], newest[line]);
            continue;
        }
        const struct scalar_form form = {n, (uint8_t)rng_below(&r, 4)};
        bool is_scalar = rng_below(&r, 2);
        o = stackcache_store(&c, address, is_scalar ? &form : NULL);
        bool leaves = kept[index] && (is_scalar ? !is_kept : is_kept);
        CHECK_EQ(t, o.written_back, leaves);
        CHECK_EQ(t, o.is_here, is_scalar);
        if (o.written_back) {
            CHECK_EQ(t, o.line, (kept[index] - 1) * INDEX);
            memory[o.line / INDEX] = o.victim.base;
        }
        newest[line] = n;
        if (is_scalar) {
            kept[index] = line + 1;
        } else {
            memory[line] = n;
            if (is_kept) kept[index] = 0;
        }
    }
    stackcache_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"storage", test_storage},
                                             {"rules", test_rules},
                                             {"warps_apart", test_warps_apart},
                                             {"random", test_random}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

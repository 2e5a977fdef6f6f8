// Tags alone: edge cases of every replacement and allocation policy, and random
// traffic against a plain model of LRU and FIFO.
#include "base/rng.h"
#include "harness/test.h"
#include "memory/cache.h"
#include "memory/mshr.h"

enum { LINE = 128, ALL = 15 };

static struct cache *one_set(uint32_t ways, enum cache_replacement replacement, bool on_fill)
{
    struct cache_config c = {
        .sets = 1, .ways = ways, .line_bytes = LINE, .replacement = replacement, .on_fill = on_fill};
    return cache_create(&c);
}

// Loads a line and fills it; returns the evicted line, 0: none.
static uint64_t bring(struct cache *c, uint64_t line)
{
    uint8_t missing;
    struct cache_victim v, late = {0};
    if (cache_load(c, line, ALL, &missing, &v) != CACHE_HIT) cache_fill(c, line, missing, &late);
    return v.valid ? v.line : late.valid ? late.line : 0;
}

// Lines 1 to 3 fill the set and line 1 is used again: LRU evicts 2, FIFO evicts 1.
static void test_replacement(struct test *t)
{
    for (unsigned on_fill = 0; on_fill < 2; on_fill++) {
        struct cache *lru = one_set(3, CACHE_LRU, on_fill), *fifo = one_set(3, CACHE_FIFO, on_fill);
        for (uint64_t k = 1; k <= 3; k++) CHECK(t, !bring(lru, k * LINE) && !bring(fifo, k * LINE));
        bring(lru, 1 * LINE);
        bring(fifo, 1 * LINE);
        CHECK_EQ(t, bring(lru, 4 * LINE), 2 * LINE);
        CHECK_EQ(t, bring(fifo, 4 * LINE), 1 * LINE);
        // The way of an invalidated line is taken next, without an eviction.
        cache_invalidate(lru, 4 * LINE);
        CHECK_EQ(t, bring(lru, 5 * LINE), 0);
        CHECK_EQ(t, bring(lru, 6 * LINE), 3 * LINE);
        cache_clear_range(lru, 6 * LINE, UINT64_MAX); // 1, 5 and 6 are resident
        CHECK(t, !cache_contains(lru, 6 * LINE, 1) && cache_contains(lru, 5 * LINE, ALL));
        CHECK_EQ(t, bring(lru, 6 * LINE), 0);
        cache_clear_range(lru, 0, UINT64_MAX);
        CHECK(t, !cache_contains(lru, 5 * LINE, 1));
        CHECK_EQ(t, bring(lru, 6 * LINE), 0);
        cache_destroy(lru);
        cache_destroy(fifo);
    }
}

// Two ways may be dirty: on the third store the oldest stored line is cleaned, and stays.
static void test_dirty_ways(struct test *t)
{
    struct cache_config config = {.sets = 1, .ways = 4, .line_bytes = LINE, .dirty_ways = 2};
    struct cache *c = cache_create(&config);
    struct cache_victim v;
    for (uint64_t k = 1; k <= 2; k++) {
        cache_store(c, k * LINE, 3, true, true, &v);
        CHECK(t, !v.valid && !v.cleaned_sectors);
    }
    cache_store(c, 1 * LINE, 4, true, true, &v); // dirty already
    CHECK(t, !v.cleaned_sectors);
    cache_store(c, 3 * LINE, 1, true, true, &v);
    CHECK_EQ(t, v.cleaned, 2 * LINE); // least recently used
    CHECK_EQ(t, v.cleaned_sectors, 3);
    CHECK(t, cache_contains(c, 2 * LINE, 3));
    bring(c, 4 * LINE);
    uint8_t missing;
    cache_load(c, 5 * LINE, ALL, &missing, &v); // takes line 2's way, clean by now
    CHECK(t, v.valid && v.line == 2 * LINE && !v.dirty);
    cache_destroy(c);
}

// Indexed by address bits, the lines of a stride as long as the cache fall into one set; with a folded
// index, into every set. Adjacent lines fill the sets evenly under both indices. A cache with one piece of
// every turn needs the folded index.
static void test_index(struct test *t)
{
    enum { SETS = 64, WAYS = 2 };
    for (unsigned k = 0; k < 6; k++) {
        bool hashed = k & 1, strided = k >= 2 && k < 4;
        struct cache_config config = {.sets = SETS,
                                      .ways = WAYS,
                                      .line_bytes = LINE,
                                      .index = hashed ? CACHE_INDEX_HASH : CACHE_INDEX_BITS,
                                      .turn_bytes = k >= 4 ? 22 * 2 * LINE : 0,
                                      .piece_bytes = 2 * LINE};
        struct cache *c = cache_create(&config);
        unsigned pushed_out = 0;
        for (uint64_t n = 0; n < SETS * WAYS; n++) {
            uint64_t number = strided ? n * SETS : k >= 4 ? n / 2 * 44 + n % 2 : n;
            pushed_out += bring(c, number * LINE) != 0;
        }
        if (hashed || k == 0) CHECK_EQ(t, pushed_out, 0);
        if (!hashed && k) CHECK(t, pushed_out > SETS * WAYS / 4);
        cache_destroy(c);
    }
}

// Every way is evicted in its turn, no way twice as often as expected, and two runs are equal.
static void test_random(struct test *t)
{
    struct cache *a = one_set(4, CACHE_RANDOM, false), *b = one_set(4, CACHE_RANDOM, false);
    unsigned age_of_victim[5] = {0};
    uint64_t held[4] = {0};
    for (uint64_t k = 1; k <= 4004; k++) {
        uint64_t gone = bring(a, k * LINE);
        CHECK_EQ(t, bring(b, k * LINE), gone);
        unsigned n = 0;
        while (n < 4 && held[n] != gone) n++;
        if (gone) age_of_victim[k - gone / LINE < 5 ? k - gone / LINE : 0]++;
        held[n] = k * LINE;
    }
    CHECK_EQ(t, age_of_victim[0] + age_of_victim[1] + age_of_victim[2] + age_of_victim[3] + age_of_victim[4],
             4000);
    CHECK(t, age_of_victim[1] > 800 && age_of_victim[1] < 1200); // the newest line, one time in four
    cache_destroy(a);
    cache_destroy(b);
}

// Allocation on miss takes the way at once, so a set of pending lines is full.
// Allocation on fill takes the way when data arrive.
static void test_allocation(struct test *t)
{
    struct cache_victim v;
    uint8_t missing;
    struct cache *miss = one_set(2, CACHE_LRU, false), *fill = one_set(2, CACHE_LRU, true);
    for (uint64_t k = 1; k <= 2; k++) {
        CHECK_EQ(t, cache_load(miss, k * LINE, ALL, &missing, &v), CACHE_MISS);
        CHECK_EQ(t, missing, ALL);
    }
    CHECK_EQ(t, cache_load(miss, 3 * LINE, ALL, &missing, &v), CACHE_FULL);
    CHECK_EQ(t, cache_store(miss, 3 * LINE, ALL, true, true, &v), CACHE_FULL);
    CHECK_EQ(t, cache_load(miss, 1 * LINE, 1, &missing, &v), CACHE_PENDING);
    CHECK_EQ(t, cache_pending_lines(miss), 2);
    cache_fill(miss, 1 * LINE, 1, &v);
    CHECK_EQ(t, cache_load(miss, 1 * LINE, 1, &missing, &v), CACHE_HIT);
    CHECK_EQ(t, cache_load(miss, 3 * LINE, ALL, &missing, &v), CACHE_FULL); // three sectors still pending
    cache_fill(miss, 1 * LINE, 14, &v);
    CHECK_EQ(t, cache_load(miss, 3 * LINE, ALL, &missing, &v), CACHE_MISS);
    CHECK(t, v.valid && v.line == 1 * LINE);

    for (uint64_t k = 1; k <= 9; k++) CHECK_EQ(t, cache_load(fill, k * LINE, 3, &missing, &v), CACHE_MISS);
    CHECK_EQ(t, cache_pending_lines(fill), 0);
    for (uint64_t k = 9; k >= 1; k--) {
        cache_fill(fill, k * LINE, 3, &v);
        CHECK(t, v.valid == (k <= 7) && (k > 7 || v.line == (k + 2) * LINE));
    }
    CHECK(t, cache_contains(fill, 1 * LINE, 3) && cache_contains(fill, 2 * LINE, 3));
    CHECK_EQ(t, cache_load(fill, 1 * LINE, 7, &missing, &v), CACHE_SECTOR_MISS);
    CHECK_EQ(t, missing, 4);
    cache_destroy(miss);
    cache_destroy(fill);
}

static void count_dirty(void *context, uint64_t line, uint8_t dirty) { *(uint64_t *)context += line * dirty; }

static void test_stores(struct test *t)
{
    struct cache_victim v;
    uint8_t missing;
    struct cache *c = one_set(2, CACHE_LRU, false);
    CHECK_EQ(t, cache_store(c, LINE, 1, false, false, &v), CACHE_MISS);
    CHECK(t, !cache_contains(c, LINE, 1));
    CHECK_EQ(t, cache_store(c, LINE, 2, true, true, &v), CACHE_MISS);
    CHECK(t, cache_contains(c, LINE, 2) && !cache_contains(c, LINE, 1));
    CHECK_EQ(t, cache_store(c, LINE, 1, true, false, &v), CACHE_SECTOR_MISS);
    CHECK_EQ(t, cache_store(c, LINE, 3, true, false, &v), CACHE_HIT);
    CHECK_EQ(t, cache_load(c, LINE, 7, &missing, &v), CACHE_SECTOR_MISS);
    CHECK_EQ(t, missing, 4);
    cache_fill(c, LINE, 4, &v);
    bring(c, 2 * LINE);
    cache_load(c, 3 * LINE, 1, &missing, &v);
    CHECK(t, v.valid && v.line == LINE && v.dirty == 2);
    CHECK_EQ(t, cache_store(c, 2 * LINE, 8, true, true, &v), CACHE_HIT);
    uint64_t sum = 0;
    cache_flush(c, count_dirty, &sum);
    cache_flush(c, count_dirty, &sum); // clean by now
    CHECK_EQ(t, sum, 2 * LINE * 8);
    cache_destroy(c);
}

// In a set of three, two lines can be locked. Both stay while lines 4 to 40 pass through the third way, and
// are evicted by age once unlocked as often as locked.
static void test_locks(struct test *t)
{
    static const enum cache_replacement all[] = {CACHE_LRU, CACHE_FIFO, CACHE_RANDOM};
    struct cache_victim v;
    uint8_t missing;
    for (unsigned n = 0; n < 6; n++) {
        struct cache *c = one_set(3, all[n % 3], n / 3);
        CHECK(t, !cache_lock(c, 1 * LINE) && cache_may_lock(c, 1 * LINE)); // not resident
        for (uint64_t k = 1; k <= 3; k++) bring(c, k * LINE);
        CHECK(t, cache_lock(c, 1 * LINE) && cache_lock(c, 2 * LINE) && cache_lock(c, 1 * LINE));
        CHECK(t, !cache_lock(c, 3 * LINE));
        CHECK(t,
              cache_may_lock(c, 1 * LINE) && !cache_may_lock(c, 3 * LINE) && !cache_may_lock(c, 50 * LINE));
        for (uint64_t k = 4; k <= 40; k++) CHECK_EQ(t, bring(c, k * LINE), (k - 1) * LINE);
        cache_unlock(c, 1 * LINE);
        CHECK_EQ(t, bring(c, 41 * LINE), 40 * LINE); // line 1 is locked once more
        cache_unlock(c, 1 * LINE);
        CHECK(t, cache_lock(c, 41 * LINE)); // room for another lock
        CHECK_EQ(t, bring(c, 42 * LINE), 1 * LINE);
        CHECK(t, cache_contains(c, 2 * LINE, ALL) && cache_contains(c, 41 * LINE, ALL));
        // A locked line, invalidated, keeps its way, and its sectors are fetched again.
        cache_invalidate(c, 2 * LINE);
        CHECK_EQ(t, cache_load(c, 2 * LINE, ALL, &missing, &v), CACHE_SECTOR_MISS);
        CHECK_EQ(t, missing, ALL);
        cache_fill(c, 2 * LINE, ALL, &v);
        CHECK(t, !v.valid && cache_contains(c, 2 * LINE, ALL));
        cache_clear(c);
        for (uint64_t k = 1; k <= 3; k++) bring(c, k * LINE);
        for (uint64_t k = 4; k <= 6; k++) CHECK(t, bring(c, k * LINE)); // no lock remains
        cache_destroy(c);
    }
    // Locked and pending lines together fill a set; the only way of a direct-mapped cache is never locked.
    struct cache *two = one_set(2, CACHE_LRU, false), *one = one_set(1, CACHE_LRU, false);
    bring(two, 1 * LINE);
    bring(one, 1 * LINE);
    CHECK(t, cache_lock(two, 1 * LINE) && !cache_lock(one, 1 * LINE));
    CHECK_EQ(t, cache_load(two, 2 * LINE, ALL, &missing, &v), CACHE_MISS);
    CHECK_EQ(t, cache_load(two, 3 * LINE, ALL, &missing, &v), CACHE_FULL);
    cache_unlock(two, 1 * LINE);
    CHECK_EQ(t, cache_load(two, 3 * LINE, ALL, &missing, &v), CACHE_MISS);
    cache_destroy(two);
    cache_destroy(one);
}

// Lines by age, modelled plainly: at[0] is evicted next.
struct plain {
    uint64_t at[8];
    unsigned count, ways;
};

static uint64_t plain_bring(struct plain *p, uint64_t line, bool lru)
{
    unsigned k = 0;
    while (k < p->count && p->at[k] != line) k++;
    if (k < p->count && !lru) return 0;
    uint64_t gone = 0;
    if (k == p->count && p->count == p->ways) gone = p->at[k = 0];
    if (k == p->count) p->count++;
    for (; k + 1 < p->count; k++) p->at[k] = p->at[k + 1];
    p->at[p->count - 1] = line;
    return gone;
}

static void test_against_plain(struct test *t)
{
    struct rng r;
    rng_init(&r, 7);
    for (unsigned round = 0; round < 8; round++) {
        struct cache_config config = {.sets = 3,
                                      .ways = 1 + round,
                                      .line_bytes = LINE,
                                      .replacement = round % 2 ? CACHE_FIFO : CACHE_LRU,
                                      .on_fill = round / 2 % 2};
        struct cache *c = cache_create(&config);
        struct plain sets[3] = {{.ways = 1 + round}, {.ways = 1 + round}, {.ways = 1 + round}};
        for (unsigned k = 0; k < 3000; k++) {
            uint64_t number = 1 + rng_below(&r, 40);
            CHECK_EQ(t, bring(c, number * LINE),
                     plain_bring(&sets[number % 3], number * LINE, config.replacement == CACHE_LRU));
            if (k % 500 != 499) continue;
            cache_clear(c);
            for (unsigned n = 0; n < 3; n++) sets[n].count = 0;
        }
        cache_destroy(c);
    }
}

// Waiters are served in order of arrival, as soon as no sector of theirs is pending.
static void test_mshrs(struct test *t)
{
    struct mshrs m;
    struct mshr_waiter w;
    mshrs_init(&m, 2, 3);
    CHECK_EQ(t, mshrs_find(&m, LINE), MSHR_NONE);
    uint32_t a = mshrs_take(&m, LINE), b = mshrs_take(&m, 2 * LINE);
    CHECK(t, mshrs_find(&m, LINE) == a && mshrs_find(&m, 2 * LINE) == b);
    CHECK(t, !mshrs_have_room(&m, MSHR_NONE) && mshrs_have_room(&m, a));
    m.all.data[a].sectors = 7;
    for (uint32_t k = 0; k < 3; k++)
        mshrs_wait(&m, a, (struct mshr_waiter){.token = k, .sectors = (uint8_t)(4 >> k)});
    CHECK(t, !mshrs_have_room(&m, a) && !mshrs_next_served(&m, a, &w));
    m.all.data[a].sectors = 1; // the second and third sector arrived
    CHECK(t, mshrs_next_served(&m, a, &w) && w.token == 0);
    CHECK(t, mshrs_next_served(&m, a, &w) && w.token == 1);
    CHECK(t, !mshrs_next_served(&m, a, &w));
    mshrs_wait(&m, a, (struct mshr_waiter){.token = 9, .sectors = 2});
    CHECK(t, mshrs_next_served(&m, a, &w) && w.token == 9);
    m.all.data[a].sectors = 0;
    CHECK(t, mshrs_next_served(&m, a, &w) && w.token == 2);
    mshrs_release(&m, a);
    CHECK(t,
          mshrs_have_room(&m, MSHR_NONE) && mshrs_find(&m, LINE) == MSHR_NONE && !m.waiting && m.used == 1);
    mshrs_fini(&m);
}

// A closed cache: a set with lines is full, an empty set is not, and unused ways are taken only if no line can leave.
static void test_closed(struct test *t)
{
    struct cache *c = one_set(4, CACHE_LRU, false);
    struct cache_victim v;
    uint8_t missing;
    cache_close(c, true);
    CHECK_EQ(t, bring(c, 1 * LINE), 0); // the set was empty
    cache_close(c, false);
    CHECK_EQ(t, bring(c, 2 * LINE), 0);
    CHECK_EQ(t, bring(c, 3 * LINE), 0);
    cache_invalidate(c, 3 * LINE); // leaves an unused way behind
    cache_close(c, true);
    CHECK_EQ(t, bring(c, 4 * LINE), 1 * LINE);
    CHECK_EQ(t, bring(c, 5 * LINE), 2 * LINE);
    CHECK_EQ(t, cache_load(c, 6 * LINE, ALL, &missing, &v), CACHE_MISS); // pending lines cannot leave
    CHECK_EQ(t, cache_load(c, 7 * LINE, ALL, &missing, &v), CACHE_MISS);
    CHECK_EQ(t, cache_load(c, 8 * LINE, ALL, &missing, &v), CACHE_MISS);
    CHECK(t, !v.valid);
    cache_clear(c); // opens the cache
    for (uint64_t k = 1; k <= 4; k++) CHECK_EQ(t, bring(c, k * LINE), 0);
    cache_destroy(c);
}

// A large cache finds every line while it fills, is full and after a clear, and loses exactly the oldest line of a set.
static void test_many_lines(struct test *t)
{
    enum { SETS = 8, WAYS = 600, LINES = SETS * WAYS };
    struct cache_config config = {.sets = SETS, .ways = WAYS, .line_bytes = LINE};
    struct cache *c = cache_create(&config);
    for (unsigned round = 0; round < 2; round++) {
        for (uint64_t k = 1; k <= LINES; k++) {
            CHECK(t, !cache_contains(c, k * LINE, 1));
            CHECK_EQ(t, bring(c, k * LINE), 0);
            if (k % 512 > 2) continue;
            for (uint64_t n = 1; n <= k; n++) CHECK(t, cache_contains(c, n * LINE, ALL));
        }
        for (uint64_t k = 1; k <= SETS; k++) CHECK_EQ(t, bring(c, (LINES + k) * LINE), k * LINE);
        for (uint64_t k = 1; k <= LINES + SETS; k++) CHECK_EQ(t, cache_contains(c, k * LINE, ALL), k > SETS);
        cache_clear(c);
    }
    cache_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"replacement", test_replacement},
                                             {"closed", test_closed},
                                             {"many_lines", test_many_lines},
                                             {"index", test_index},
                                             {"dirty_ways", test_dirty_ways},
                                             {"random", test_random},
                                             {"allocation", test_allocation},
                                             {"stores", test_stores},
                                             {"against_plain", test_against_plain},
                                             {"mshrs", test_mshrs},
                                             {"locks", test_locks}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// A DRAM channel alone: the cycle of every request's data, derived from the timing constraints of the GTX
// 1080 Ti's memory, and the order of requests.
//
//     activate ─ tRCD 16 ─▶ column ─ tCL 16 + burst 2 ─▶ data            columns: tCCD 2, tCCDL 4 in a group
//     activate ─ tRAS 37 ─▶ precharge ─ tRP 16 ─▶ activate (tRC 52 after one of the bank, tRRD 8 of others)
//     write: column ─ tWL 6 + burst 2 ─▶ data ─ tCDLR 7 ─▶ column of a read;  data ─ tWR 16 ─▶ precharge
#include "base/bits.h"
#include "base/rng.h"
#include "harness/test.h"
#include "memory/dram.h"

enum { MANY = 400, NEXT_GROUP = 4, READ = 0, WRITE = 1 }; // 16 banks in 4 groups

static void defaults(struct memory_config *c)
{
    struct config all;
    config_init(&all);
    config_add(&all, memory_config_keys, memory_config_key_count, c);
    config_fini(&all);
}

struct ask {
    uint64_t arrival;
    uint32_t bank, row;
    uint8_t sectors;
    bool is_write;
};

// Pushes the requests in order and runs until no request is left.
// `cycles`: the cycle of every request's data.
static void serve(struct test *t, const struct memory_config *c, const struct ask *asks, unsigned count,
                  uint64_t *cycles, struct dram_counts *counts)
{
    struct dram *d = dram_create(c);
    struct dram_done done;
    uint64_t now = 0, next = 0;
    unsigned finished = 0;
    for (unsigned k = 0; k < count; k++) {
        const struct ask *a = &asks[k];
        uint8_t sectors = (uint8_t)bit_mask(a->sectors);
        dram_push(d, &(struct dram_request){a->arrival, a->bank, a->row, sectors, a->is_write, k, 0});
    }
    for (; next != DRAM_NEVER && now < 1000000; now = next) {
        if (!dram_step(d, now, &done, &next)) continue;
        CHECK_EQ(t, done.is_write, asks[done.token].is_write);
        cycles[done.token] = done.cycle;
        finished++;
    }
    CHECK_EQ(t, finished, count);
    CHECK_EQ(t, dram_waiting(d), 0);
    if (counts) *counts = *dram_counts(d, 0);
    dram_destroy(d);
}

static void expect(struct test *t, const struct memory_config *c, const char *what, const struct ask *asks,
                   unsigned count, const uint64_t *want)
{
    uint64_t got[8] = {0};
    serve(t, c, asks, count, got, NULL);
    for (unsigned k = 0; k < count; k++)
        CHECK_MSG(t, got[k] == want[k], "%s: request %u has its data at %llu, not %llu", what, k,
                  (unsigned long long)got[k], (unsigned long long)want[k]);
}

// The third request goes before the second, which needs another row,
// unless the scheduler cannot see the third yet.
static void test_first_ready(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    static const struct ask asks[] = {{0, 0, 0, 1, READ}, {1, 0, 7, 1, READ}, {2, 0, 0, 1, READ}};
    // Columns at 16 and 20; precharge 37, activate 53, column 69.
    expect(t, &c, "first ready", asks, 3, (const uint64_t[]){16 + 18, 69 + 18, 20 + 18});
    // One at a time: the same, then back to the first row: precharge 53 + 37 = 90, activate 106, column 122.
    c.dram_queue = 1;
    expect(t, &c, "queue of one", asks, 3, (const uint64_t[]){16 + 18, 69 + 18, 122 + 18});
}

// Four sectors a request. In two groups the requests share the bus, and both keep their
// pace of tCCDL; in one group they do not.
static void test_groups(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    // Activations at 0 and 8; columns at 16, 20, 24, 28 and at 26, 30, 34, 38.
    static const struct ask two[] = {{0, 0, 0, 4, READ}, {0, NEXT_GROUP, 0, 4, READ}};
    expect(t, &c, "two groups", two, 2, (const uint64_t[]){28 + 18, 38 + 18});
    // 16, 20, 24, 28 and then 32, 36, 40, 44.
    static const struct ask one[] = {{0, 0, 0, 4, READ}, {0, 1, 0, 4, READ}};
    expect(t, &c, "one group", one, 2, (const uint64_t[]){28 + 18, 44 + 18});
    // Without groups a column may follow after tCCD, the older request's first: 16 … 22, 24 … 30.
    c.t_ccdl = 0;
    expect(t, &c, "no groups", one, 2, (const uint64_t[]){22 + 18, 30 + 18});
}

static void test_writes(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    // The write's column at 16, its data until 24; the read's column 7 later.
    static const struct ask same_row[] = {{0, 0, 0, 1, WRITE}, {1, 0, 0, 1, READ}};
    expect(t, &c, "read after write", same_row, 2, (const uint64_t[]){24, 31 + 18});
    // Precharge 16 after the data, at 40; activate 56, column 72.
    static const struct ask other_row[] = {{0, 0, 0, 1, WRITE}, {1, 0, 7, 1, READ}};
    expect(t, &c, "row after write", other_row, 2, (const uint64_t[]){24, 72 + 18});
    // A write may follow a read once the bus is free at the time of the
    // write's data: 34 - 6, equal to tCCD by then.
    static const struct ask after_read[] = {{0, 0, 0, 1, READ}, {1, 0, 0, 1, WRITE}};
    expect(t, &c, "write after read", after_read, 2, (const uint64_t[]){34, 34 + 2});
}

// Activations are tRRD apart, and yield to a column command in the same cycle:
//
//     activations  0  8  17  25  34        columns  16  24  33  41  50
static void test_activations(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    static const struct ask asks[] = {
        {0, 0, 5, 1, READ}, {0, 4, 5, 1, READ}, {0, 8, 5, 1, READ}, {0, 12, 5, 1, READ}, {0, 1, 5, 1, READ}};
    expect(t, &c, "activations", asks, 5, (const uint64_t[]){16 + 18, 24 + 18, 33 + 18, 41 + 18, 50 + 18});
}

// The fifth activation waits for the end of the first activation's window of 100: column at 116.
static void test_four_activations(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    static const struct ask asks[] = {
        {0, 0, 5, 1, READ}, {0, 4, 5, 1, READ}, {0, 8, 5, 1, READ}, {0, 12, 5, 1, READ}, {0, 1, 5, 1, READ}};
    c.t_faw = 100;
    expect(t, &c, "four activations", asks, 5,
           (const uint64_t[]){16 + 18, 24 + 18, 33 + 18, 41 + 18, 116 + 18});
}

// Bursts of 64 bytes take 4 cycles on the bus and move two sectors, if two are requested.
static void test_long_bursts(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    c.dram_burst = 16;
    c.t_ccd = 4;
    c.t_ccdl = 6;
    // Columns at 16 and 22.
    static const struct ask line[] = {{0, 0, 0, 4, READ}};
    expect(t, &c, "a line", line, 1, (const uint64_t[]){22 + 20});
    static const struct ask three[] = {{0, 0, 0, 3, READ}};
    expect(t, &c, "three sectors", three, 1, (const uint64_t[]){22 + 20});
    uint64_t cycle;
    struct dram_counts n;
    serve(t, &c, three, 1, &cycle, &n);
    CHECK_EQ(t, n.reads, 3);
    CHECK_EQ(t, n.busy_cycles, 8);
}

// A refresh at 400 closes the row as early as permitted, and takes 50.
// Refreshes due in an idle period are over.
static void test_refresh(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    c.t_refi = 400;
    c.t_rfc = 50;
    // Column at 399; precharge 3 after it, at 402; refresh from 418 to 468, activation, column at 484.
    static const struct ask asks[] = {{0, 0, 0, 1, READ}, {399, 0, 0, 1, READ}, {400, 0, 0, 1, READ}};
    expect(t, &c, "refresh", asks, 3, (const uint64_t[]){16 + 18, 399 + 18, 484 + 18});
    static const struct ask late[] = {{0, 0, 0, 1, READ}, {1290, 0, 0, 1, READ}};
    expect(t, &c, "an idle refresh", late, 2, (const uint64_t[]){16 + 18, 1290 + 16 + 18});
}

// The bus turns from reading to writing: 5 cycles between the data.
static void test_turn(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    c.t_rtw = 5;
    static const struct ask after_read[] = {{0, 0, 0, 1, READ}, {1, 0, 0, 1, WRITE}};
    expect(t, &c, "write after read", after_read, 2, (const uint64_t[]){34, 34 + 5 + 2});
}

// Random requests: every request is served, the books agree, and the bus carries no more than its rate.
static void test_random(struct test *t)
{
    struct rng r;
    rng_init(&r, 3);
    for (unsigned round = 0; round < 20; round++) {
        struct memory_config c;
        defaults(&c);
        if (round % 2) c.t_ccdl = 0;
        if (round % 3 == 1) c.dram_queue = 2;
        struct ask asks[MANY];
        uint64_t cycles[MANY], arrival = 0, sectors = 0, last = 0;
        for (unsigned k = 0; k < MANY; k++) {
            arrival += rng_below(&r, 6);
            asks[k] = (struct ask){arrival, (uint32_t)rng_below(&r, 16), (uint32_t)rng_below(&r, 3),
                                   (uint8_t)(1 + rng_below(&r, 4)), rng_below(&r, 3) == 0};
            sectors += asks[k].sectors;
        }
        struct dram_counts n;
        serve(t, &c, asks, MANY, cycles, &n);
        for (unsigned k = 0; k < MANY; k++) {
            unsigned least = asks[k].is_write ? 6 + 2 : 16 + 2;
            CHECK(t, cycles[k] >= asks[k].arrival + least);
            if (cycles[k] > last) last = cycles[k];
        }
        CHECK_EQ(t, n.reads + n.writes, sectors);
        CHECK_EQ(t, n.row_hits + n.row_misses, MANY);
        CHECK_EQ(t, n.busy_cycles, 2 * sectors);
        CHECK(t, n.busy_cycles <= last);
        CHECK(t, n.precharges <= n.activations && n.activations - n.precharges <= 16);
        CHECK(t, n.row_misses <= n.activations);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"first_ready", test_first_ready},
                                             {"groups", test_groups},
                                             {"writes", test_writes},
                                             {"activations", test_activations},
                                             {"four_activations", test_four_activations},
                                             {"long_bursts", test_long_bursts},
                                             {"refresh", test_refresh},
                                             {"turn", test_turn},
                                             {"random", test_random}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// The memory behind the SMs: latencies derived by hand, bandwidths against the bus, balanced books, and
// replies independent of windows.
#include "base/rng.h"
#include "harness/test.h"
#include "memory/address.h"
#include "memory/system.h"

#include <string.h>

static void defaults(struct memory_config *c)
{
    *c = (struct memory_config){.perfect = false};
    struct config all;
    config_init(&all);
    config_add(&all, memory_config_keys, memory_config_key_count, c);
    c->core_mhz = 1417;
    config_fini(&all);
}

// Equal clocks in every domain, so that cycles can be added up.
static void one_clock(struct memory_config *c)
{
    defaults(c);
    c->icnt_mhz = c->l2_mhz = c->dram_mhz = c->core_mhz;
}

// Begins a window: requests pushed in the previous window are on their way. The SMs' side and the
// partitions' side may go in any order.
static void window(struct memory_system *m, unsigned sms, uint64_t from, uint64_t until, bool sms_first)
{
    memory_system_hand_over(m, from);
    for (unsigned k = 0; sms_first && k < sms; k++) memory_system_open(m, k);
    for (unsigned k = memory_system_partitions(m); k-- > 0;) memory_system_run(m, k, until);
    for (unsigned k = 0; !sms_first && k < sms; k++) memory_system_open(m, k);
}

static uint64_t latency_of(struct memory_system *m, uint64_t cycle, uint64_t address, enum memory_kind kind)
{
    struct memory_request q = {.cycle = cycle, .line = address, .sectors = 1, .kind = (uint8_t)kind};
    struct memory_reply r = {0};
    window(m, 4, cycle, cycle + 8, true);
    memory_system_push(m, &q);
    for (uint64_t now = cycle; !memory_system_take(m, 0, UINT64_MAX, &r);) {
        now += 8;
        window(m, 4, now, now + 8, true);
    }
    return r.cycle - cycle;
}

// A load that misses, row closed:
//     crossbar 24 + L2 120 + half the fixed DRAM latency 50 + activation-to-column 16
//     + column-to-data 16 + burst 2 + other half 50 + crossbar 24; the packets' single flits cost no more.
// Then a hit: 24 + 120 + 24. Then another line of the open row: the miss without the 16 of the activation.
static void test_latencies(struct test *t)
{
    struct memory_config c;
    one_clock(&c);
    struct memory_system *m = memory_system_create(&c, 4);
    CHECK_EQ(t, latency_of(m, 0, 0x10000000, MEMORY_LOAD), 24 + 120 + 50 + 16 + 16 + 2 + 50 + 24);
    CHECK_EQ(t, latency_of(m, 1000, 0x10000000, MEMORY_LOAD), 24 + 120 + 24);
    CHECK_EQ(t, latency_of(m, 2000, 0x10000080, MEMORY_LOAD), 24 + 120 + 50 + 16 + 2 + 50 + 24);
    CHECK_EQ(t, latency_of(m, 3000, 0x10000000, MEMORY_STORE), 24 + 120 + 24);
    struct memory_counts n;
    memory_system_counts(m, 0, &n);
    CHECK_EQ(t, n.l2_hits, 1);
    CHECK_EQ(t, n.l2_misses, 2);
    CHECK_EQ(t, n.dram.row_hits, 1);
    CHECK_EQ(t, n.dram.row_misses, 1);
    memory_system_destroy(m);
}

// Another row of the same bank: precharge 16 and activation 16 precede the column command; by then the first
// row has been open for longer than tRAS.
static void test_row_miss(struct test *t)
{
    struct memory_config c;
    one_clock(&c);
    struct memory_system *m = memory_system_create(&c, 4);
    struct memory_place first = memory_place_of(&c, 0x10000000), p;
    uint64_t other = 0x10000000;
    do p = memory_place_of(&c, other += 128);
    while (p.channel != first.channel || p.bank != first.bank || p.row == first.row);
    latency_of(m, 0, 0x10000000, MEMORY_LOAD);
    CHECK_EQ(t, latency_of(m, 1000, other, MEMORY_LOAD), 24 + 120 + 50 + 16 + 16 + 16 + 2 + 50 + 24);
    memory_system_destroy(m);
}

// Requests of one cycle, from separate SMs. `after`: the reply's delay after `cycle`, by SM.
static void replies_of(struct memory_system *m, uint64_t cycle, struct memory_request *q, unsigned count,
                       uint64_t *after)
{
    unsigned missing = count;
    window(m, 4, cycle, cycle + 8, true);
    for (unsigned k = 0; k < count; k++) {
        q[k].cycle = cycle;
        q[k].sm = (uint16_t)k;
        memory_system_push(m, &q[k]);
    }
    for (uint64_t now = cycle; missing;) {
        struct memory_reply r;
        now += 8;
        window(m, 4, now, now + 8, true);
        for (unsigned k = 0; k < count; k++)
            if (memory_system_take(m, k, UINT64_MAX, &r)) after[k] = r.cycle - cycle, missing--;
    }
}

// Two SMs load a missing line: a single read of DRAM, and the second reply leaves behind the first.
static void test_merging(struct test *t)
{
    struct memory_config c;
    one_clock(&c);
    struct memory_system *m = memory_system_create(&c, 4);
    struct memory_request both[2] = {{.line = 0x10000000, .sectors = 3}, {.line = 0x10000000, .sectors = 1}};
    struct memory_counts n;
    uint64_t after[2];
    // In cycle 0 SM 0 has the first turn. Two sectors: 72 bytes, two flits.
    const uint64_t miss = 24 + 120 + 50 + 16 + 16 + 4 + 2 + 50 + 24; // the second sector's column 4 later
    replies_of(m, 0, both, 2, after);
    CHECK_EQ(t, after[0], miss + 1);
    CHECK_EQ(t, after[1], miss + 2); // its port to the other SM is free, the slice's was not
    memory_system_counts(m, 0, &n);
    CHECK_EQ(t, n.dram.reads, 2);
    CHECK_EQ(t, n.l2_misses, 1);
    CHECK_EQ(t, n.l2_pending_hits, 1);
    memory_system_destroy(m);
}

// An atomic keeps its slice busy for l2.atomic_interval per sector, a load for a cycle.
static void test_atomics(struct test *t)
{
    for (uint32_t interval = 2; interval < 12; interval += 3) {
        struct memory_config c;
        one_clock(&c);
        c.atomic_interval = interval;
        struct memory_system *m = memory_system_create(&c, 4);
        struct memory_request two[2] = {
            {.line = 0x10000000, .sectors = 1, .kind = MEMORY_ATOMIC, .data_bytes = 32},
            {.line = 0x10000000, .sectors = 1, .kind = MEMORY_ATOMIC, .data_bytes = 32}};
        uint64_t after[2];
        latency_of(m, 0, 0x10000000, MEMORY_LOAD);
        replies_of(m, 1000, two, 2, after); // 1000 % 4: SM 0 first
        CHECK_EQ(t, after[0], 24 + 120 + 24);
        CHECK_EQ(t, after[1], 24 + 120 + 24 + interval);
        two[0].kind = two[1].kind = MEMORY_LOAD;
        two[0].data_bytes = two[1].data_bytes = 0;
        replies_of(m, 2000, two, 2, after);
        CHECK_EQ(t, after[1], 24 + 120 + 24 + 1);
        memory_system_destroy(m);
    }
}

// Two lines in the L2, requested together by an SM. `after`: the delays of both replies after `cycle`.
static void pair_of(struct memory_system *m, uint64_t cycle, uint64_t first, uint64_t second, bool rides,
                    uint64_t after[2])
{
    struct memory_reply r;
    unsigned got = 0;
    window(m, 4, cycle, cycle + 8, true);
    memory_system_push(m, &(struct memory_request){.cycle = cycle, .line = first, .sectors = 1, .token = 0});
    memory_system_push(m, &(struct memory_request){
                              .cycle = cycle, .line = second, .sectors = 1, .token = 1, .rides = rides});
    for (uint64_t now = cycle; got < 2;) {
        now += 8;
        window(m, 4, now, now + 8, true);
        for (; memory_system_take(m, 0, UINT64_MAX, &r); got++) after[r.token] = r.cycle - cycle;
    }
}

// A riding request has no flit of its own in front of the slice and no interval at the tags. Its reply comes
// separately, behind the first. Both lines belong to a slice; lines of two slices travel separately.
static void test_pairs(struct test *t)
{
    struct memory_config c;
    one_clock(&c);
    c.l2_interval = 7;
    const uint64_t a = 0x10000000, same = a + 128, other = a + 256;
    CHECK(t, memory_place_of(&c, a).slice == memory_place_of(&c, same).slice &&
                 memory_place_of(&c, a).slice != memory_place_of(&c, other).slice);
    struct memory_system *m = memory_system_create(&c, 4);
    struct memory_counts n;
    uint64_t after[2];
    for (unsigned k = 0; k < 3; k++) latency_of(m, k * 1000, a + k * 128, MEMORY_LOAD);
    pair_of(m, 4000, a, same, false, after);
    CHECK(t, after[0] == 24 + 120 + 24 && after[1] == after[0] + 7);
    memory_system_counts(m, 0, &n);
    CHECK(t, n.rides == 0 && n.request_flits == 5);
    pair_of(m, 5000, a, same, true, after);
    CHECK(t, after[0] == 24 + 120 + 24 && after[1] == after[0] + 1);
    memory_system_counts(m, 0, &n);
    CHECK(t, n.rides == 1 && n.request_flits == 6 && n.requests == 7 && n.replies == 7);
    pair_of(m, 6000, a, other, true, after);
    CHECK(t, after[1] == 24 + 120 + 24 + 1); // its flit
    memory_system_counts(m, 0, &n);
    CHECK(t, n.rides == 1 && n.request_flits == 8);
    CHECK(t, !memory_system_check(m));
    memory_system_destroy(m);
}

// A set of two ways. Sectors stored or changed by an atomic go to DRAM when their line
// is evicted; with write-through, at once.
static void test_write_policies(struct test *t)
{
    for (unsigned through = 0; through < 2; through++)
        for (enum memory_kind kind = MEMORY_STORE; kind <= MEMORY_REDUCE; kind++) {
            struct memory_config c;
            one_clock(&c);
            c.partitions = c.slices = c.l2_sets = 1;
            c.l2_ways = 2;
            c.l2_write = through ? CACHE_WRITE_THROUGH : CACHE_WRITE_BACK;
            struct memory_system *m = memory_system_create(&c, 4);
            struct memory_counts n;
            latency_of(m, 0, 0x10000000, kind);
            // the line is still resident after the first load of another line
            for (unsigned k = 0; k < 2; k++) {
                latency_of(m, 1000, 0x10000080, MEMORY_LOAD);
                window(m, 4, 3000, 4000, true);
                memory_system_counts(m, 0, &n);
                CHECK_EQ(t, n.dram.writes, through);
            }
            latency_of(m, 5000, 0x10000100, MEMORY_LOAD);
            window(m, 4, 6000, 7000, true);
            memory_system_counts(m, 0, &n);
            CHECK_EQ(t, n.dram.writes, 1);
            CHECK_EQ(t, n.l2_writebacks, 1);
            CHECK(t, !memory_system_check(m));
            memory_system_destroy(m);
        }
}

// A stream of whole lines beyond the bus's rate: measured bandwidth against the bus's rate.
static void test_bandwidth(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    enum { LINES = 40000, SMS = 28 }; // 40000 lines take some 12,000 cycles
    struct memory_system *m = memory_system_create(&c, SMS);
    uint64_t pushed = 0, done = 0, last = 0, now = 0, outstanding = 0;
    while (done < LINES) {
        window(m, SMS, now, now + 24, true);
        for (; pushed < LINES && outstanding < 4000; pushed++, outstanding++) {
            struct memory_request q = {.cycle = now,
                                       .line = 0x10000000 + pushed * 128,
                                       .sectors = 15,
                                       .sm = (uint16_t)(pushed % SMS),
                                       .kind = MEMORY_LOAD};
            memory_system_push(m, &q);
        }
        now += 24;
        struct memory_reply r;
        for (unsigned sm = 0; sm < SMS; sm++)
            while (memory_system_take(m, sm, now, &r)) {
                done++;
                outstanding--;
                last = r.cycle;
            }
    }
    struct memory_counts n;
    memory_system_counts(m, 0, &n);
    CHECK_EQ(t, n.dram.reads, LINES * 4);
    double bus =
        (double)c.partitions * c.dram_bus_bytes * c.dram_rate * c.dram_mhz / c.core_mhz; // bytes a core cycle
    double ports = (double)SMS * c.icnt_flit_bytes * 128 / (128 + 32);
    CHECK(t, ports > 1.2 * bus); // the bus is the limit
    double got = LINES * 128.0 / (double)last;
    CHECK_MSG(t, got > 0.9 * bus && got <= bus, "%.1f bytes a core cycle of %.1f", got, bus);
    memory_system_destroy(m);
}

// A stream of stores to more lines than the L2 holds. Without a limit on write-backs the stores continue at
// the ports' rate; with a limit, at the bus's rate. Returns the cycle of the last acknowledgement.
static uint64_t store_all(struct memory_config *c, uint64_t lines, unsigned sms)
{
    struct memory_system *m = memory_system_create(c, sms);
    uint64_t pushed = 0, done = 0, last = 0;
    for (uint64_t now = 0; done < lines; now += 24) {
        window(m, sms, now, now + 24, true);
        for (; pushed < lines && pushed - done < 4000; pushed++)
            memory_system_push(m, &(struct memory_request){.cycle = now,
                                                           .line = 0x10000000 + pushed * 128,
                                                           .sectors = 15,
                                                           .data_bytes = 128,
                                                           .sm = (uint16_t)(pushed % sms),
                                                           .kind = MEMORY_STORE});
        struct memory_reply r;
        for (unsigned sm = 0; sm < sms; sm++)
            for (; memory_system_take(m, sm, now + 24, &r); done++) last = r.cycle;
    }
    memory_system_destroy(m);
    return last;
}

static void test_back_pressure(struct test *t)
{
    enum { LINES = 80000, SMS = 28 };
    struct memory_config c;
    defaults(&c);
    double capacity = (double)c.partitions * c.slices * c.l2_sets * c.l2_ways * 128,
           bus = (double)c.partitions * c.dram_bus_bytes * c.dram_rate * c.dram_mhz / c.core_mhz;
    double least =
        // cycles, with everything beyond the L2's capacity going over the bus
        (LINES * 128.0 - capacity) / bus;
    uint64_t unlimited = store_all(&c, LINES, SMS);
    c.dram_backlog = 64;
    uint64_t limited = store_all(&c, LINES, SMS);
    CHECK_MSG(t, (double)unlimited < 0.8 * least && (double)limited > 0.95 * least,
              "%llu and %llu cycles of %.0f", (unsigned long long)unlimited, (unsigned long long)limited,
              least);
}

// The same random traffic in windows of different lengths gives the same replies, and the books balance.
static uint64_t traffic(struct test *t, uint64_t seed, uint64_t length, bool sms_first,
                        struct memory_counts *n)
{
    struct memory_config c;
    defaults(&c);
    c.partitions = 1; // so that slices stall
    c.l2_mshrs = 4;
    c.l2_sets = 4;
    struct memory_system *m = memory_system_create(&c, 4);
    struct rng r;
    rng_init(&r, seed);
    uint64_t hash = 0, cycle = 0, now = 0, before[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    struct memory_reply reply;
    window(m, 4, 0, length, sms_first);
    for (unsigned k = 0; k < 3000; k++) {
        cycle += rng_below(&r, 3);
        while (now + length <= cycle) {
            now += length;
            window(m, 4, now, now + length, sms_first);
        }
        struct memory_request q = {.cycle = cycle,
                                   .line = 0x10000000 + (uint64_t)rng_below(&r, 600) * 128,
                                   .sectors = (uint8_t)(1 + rng_below(&r, 15)),
                                   .token = k,
                                   .sm = (uint16_t)rng_below(&r, 4),
                                   .kind = (uint8_t)rng_below(&r, 4)};
        q.rides = before[q.sm] == cycle && rng_below(&r, 2);
        before[q.sm] = cycle;
        if (q.kind != MEMORY_LOAD) q.data_bytes = 32;
        memory_system_push(m, &q);
    }
    CHECK(t, memory_system_check(m) != NULL); // requests still under way
    unsigned replies = 0;
    uint64_t of_sm[4] = {0};
    while (!memory_system_is_idle(m) && now < 1000000) {
        now += length;
        window(m, 4, now, now + length, sms_first);
        for (unsigned sm = 0; sm < 4; sm++)
            while (memory_system_take(m, sm, UINT64_MAX, &reply)) {
                of_sm[sm] = hash_u64(of_sm[sm] + reply.token * 3u + reply.cycle * 7 + reply.sm);
                replies++;
            }
    }
    for (unsigned sm = 0; sm < 4; sm++) hash = hash_u64(hash + of_sm[sm]);
    CHECK_EQ(t, replies, 3000);
    CHECK(t, memory_system_is_idle(m));
    const char *wrong = memory_system_check(m);
    CHECK_MSG(t, !wrong, "%s", wrong);
    memory_system_counts(m, 0, n);
    CHECK_EQ(t, n->requests, 3000);
    CHECK_EQ(t, n->replies, 3000);
    memory_system_destroy(m);
    return hash;
}

static void test_windows(struct test *t)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct memory_counts a, b, c;
        uint64_t first = traffic(t, seed, 1, true, &a);
        CHECK_EQ(t, traffic(t, seed, 7, false, &b), first);
        CHECK_EQ(t, traffic(t, seed, 24, true, &c), first);
        CHECK(t, memcmp(&a, &c, sizeof a) == 0 && memcmp(&a, &b, sizeof a) == 0);
        // The traffic covers these events.
        CHECK(t, a.l2_stalls > 0 && a.l2_pending_hits > 0 && a.l2_writebacks > 0 && a.rides > 0);
    }
}

// L2 lines shorter than a request's: a request takes a way for each of its L2 lines, which age apart, and waits while one
// of them finds no way. Loads of lines A and B of one slice with a single set, in turn; hits of the L2 after each.
static void test_l2_lines(struct test *t)
{
    static const struct {
        uint32_t line_bytes, ways;
        uint64_t hits[6];
    } rows[] = {{64, 2, {0, 1, 1, 2, 2, 2}},  // B takes the way of A's first half
                {128, 1, {0, 1, 1, 1, 1, 1}}, // B takes A's way
                {0, 1, {0, 1, 1, 1, 1, 1}},
                {64, 1, {0, 0, 0, 0, 0, 0}}}; // one half of A at a time, whichever came last
    static const struct {
        uint64_t line;
        uint8_t sectors;
    } loads[] = {{0x10000000, 15}, {0x10000000, 15}, {0x10000080, 3},
                 {0x10000000, 12}, {0x10000000, 3},  {0x10000080, 12}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct memory_config c;
        one_clock(&c);
        c.partitions = c.slices = 1;
        c.l2_sets = 1;
        c.l2_ways = rows[k].ways;
        c.l2_line_bytes = rows[k].line_bytes;
        CHECK(t, !memory_config_check(&c));
        struct memory_system *m = memory_system_create(&c, 4);
        for (size_t n = 0; n < TEST_COUNT(loads); n++) {
            struct memory_request q = {.line = loads[n].line, .sectors = loads[n].sectors};
            struct memory_counts counts;
            uint64_t after;
            replies_of(m, 10000 * (n + 1), &q, 1, &after);
            memory_system_counts(m, 0, &counts);
            CHECK_MSG(t, counts.l2_hits == rows[k].hits[n], "row %zu, load %zu: %llu hits", k, n,
                      (unsigned long long)counts.l2_hits);
        }
        CHECK(t, !memory_system_check(m));
        memory_system_destroy(m);
    }
    struct memory_config c;
    defaults(&c);
    c.l2_line_bytes = 96;
    CHECK(t, memory_config_check(&c));
    c.line_bytes = 32;
    c.l2_line_bytes = 64;
    CHECK(t, memory_config_check(&c));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"latencies", test_latencies},
                                             {"row_miss", test_row_miss},
                                             {"merging", test_merging},
                                             {"atomics", test_atomics},
                                             {"pairs", test_pairs},
                                             {"write_policies", test_write_policies},
                                             {"back_pressure", test_back_pressure},
                                             {"bandwidth", test_bandwidth},
                                             {"windows", test_windows},
                                             {"l2_lines", test_l2_lines}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

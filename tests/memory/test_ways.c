// Between an SM and the DRAM: packets and their flits, turns at a port, the mapping of addresses, and
// conversion of cycles between clocks.
#include "base/bits.h"
#include "base/rng.h"
#include "harness/test.h"
#include "memory/address.h"
#include "memory/crossbar.h"

#include <stdlib.h>

static void defaults(struct memory_config *c)
{
    struct config all;
    config_init(&all);
    config_add(&all, memory_config_keys, memory_config_key_count, c);
    config_fini(&all);
}

// 8 bytes of header, 40 in a flit.
static void test_flits(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    static const unsigned cases[][2] = {{0, 1}, {32, 1}, {33, 2}, {64, 2}, {96, 3}, {128, 4}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) CHECK_EQ(t, crossbar_flits(&c, cases[k][0]), cases[k][1]);
    c.icnt_header_bytes = 0;
    CHECK_EQ(t, crossbar_flits(&c, 0), 1); // an empty packet still has a flit
}

// Collects the packets of every sender to one receiver, in the order of its port.
static void collect(struct arrivals *a, struct bag *bags, unsigned senders, unsigned receiver)
{
    for (unsigned k = 0; k < senders; k++) arrivals_gather(a, &bags[k], receiver);
    arrivals_sort(a);
}

// Three senders send two flits each in the same cycle. The first sender rotates with the cycle, the others
// follow by number, and a packet waits for earlier flits. Packets for other receivers are not in the way.
static void test_turns(struct test *t)
{
    enum { SENDERS = 3 };
    struct memory_config c;
    defaults(&c);
    for (uint64_t start = 9; start < 15; start++) {
        struct bag bags[SENDERS];
        struct arrivals a = {0};
        for (unsigned k = 0; k < SENDERS; k++) {
            struct packet p = {.start = start, .sm = (uint16_t)k, .flits = 2};
            p.turn = crossbar_turn(start, k, SENDERS);
            bag_init(&bags[k], 2);
            bag_add(&bags[k], 1, &p);
            p.flits = 100;
            bag_add(&bags[k], 0, &p);
        }
        collect(&a, bags, SENDERS, 1);
        CHECK_EQ(t, a.packets.count, SENDERS);
        uint64_t port = 0;
        for (unsigned k = 0; k < SENDERS; k++) {
            CHECK_EQ(t, a.packets.data[k].sm, (start + k) % SENDERS);
            CHECK_EQ(t, crossbar_arrive(&c, &port, &a.packets.data[k], a.packets.data[k].flits),
                     start + 24 + 2 * k + 1);
        }
        for (unsigned k = 0; k < SENDERS; k++) bag_fini(&bags[k]);
        vec_fini(&a.packets);
    }
}

// Packets are taken in order of departure, whoever the sender; an idle port is free at once.
static void test_order(struct test *t)
{
    struct memory_config c;
    defaults(&c);
    struct bag bags[2];
    struct arrivals a = {0};
    static const uint64_t starts[2][3] = {{5, 9, 40}, {4, 6, 9}};
    for (unsigned k = 0; k < 2; k++) {
        bag_init(&bags[k], 1);
        for (unsigned n = 0; n < 3; n++) {
            struct packet p = {.start = starts[k][n], .sm = (uint16_t)k, .flits = 4};
            p.turn = crossbar_turn(p.start, k, 2);
            bag_add(&bags[k], 0, &p);
        }
    }
    collect(&a, bags, 2, 0);
    static const unsigned senders[] = {1, 0, 1, 1, 0, 0}; // in cycle 9 sender 1 has the first turn
    static const uint64_t last_flits[] = {4 + 24 + 3, 35, 39, 43, 47, 40 + 24 + 3};
    uint64_t port = 0;
    for (unsigned k = 0; k < 6; k++) {
        CHECK_EQ(t, a.packets.data[k].sm, senders[k]);
        CHECK_EQ(t, crossbar_arrive(&c, &port, &a.packets.data[k], a.packets.data[k].flits), last_flits[k]);
    }
    for (unsigned k = 0; k < 2; k++) bag_fini(&bags[k]);
    vec_fini(&a.packets);
}

static void each_chip(struct test *t, void (*check)(struct test *t, const struct memory_config *c))
{
    static const uint32_t chips[][4] = {{11, 2, 16, 4}, {24, 2, 16, 4}, {1, 1, 16, 4}, {6, 2, 16, 1}};
    for (size_t k = 0; k < TEST_COUNT(chips); k++) {
        struct memory_config c;
        defaults(&c);
        c.partitions = chips[k][0];
        c.slices = chips[k][1];
        c.dram_banks = chips[k][2];
        c.dram_groups = chips[k][3];
        check(t, &c);
    }
}

// The pieces of a turn fall into distinct slices, a row holds its
// capacity of pieces, and a piece has one place.
static void check_places(struct test *t, const struct memory_config *c)
{
    const uint32_t all = c->partitions * c->slices, of_row = c->dram_row_bytes / c->interleave_bytes;
    const uint32_t rows = 4, turns = rows * c->dram_banks * of_row / c->slices;
    unsigned *in_row = calloc((size_t)c->partitions * c->dram_banks * rows, sizeof *in_row);
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint64_t seen = 0;
        for (uint32_t k = 0; k < all; k++) {
            uint64_t address = ((uint64_t)turn * all + k) * c->interleave_bytes;
            struct memory_place p = memory_place_of(c, address),
                                last = memory_place_of(c, address + c->interleave_bytes - 1);
            CHECK(t, p.slice == last.slice && p.bank == last.bank && p.row == last.row);
            CHECK(t, p.slice < all && p.channel == p.slice / c->slices && p.bank < c->dram_banks &&
                         p.row < rows);
            seen |= 1ull << p.slice;
            in_row[(p.channel * c->dram_banks + p.bank) * rows + p.row]++;
        }
        CHECK_EQ(t, seen, bit_mask(all));
    }
    for (uint32_t k = 0; k < c->partitions * c->dram_banks * rows; k++) CHECK_EQ(t, in_row[k], of_row);
    free(in_row);
}

static void test_places(struct test *t) { each_chip(t, check_places); }

// The prepared divisions name the same places, for addresses of every size.
static void check_map(struct test *t, const struct memory_config *c)
{
    struct memory_map map;
    struct rng r;
    memory_map_init(&map, c);
    rng_init(&r, 5);
    for (unsigned k = 0; k < 4000; k++) {
        uint64_t address = rng_next(&r) >> rng_below(&r, 40);
        struct memory_place a = memory_place_of(c, address), b = memory_place_at(&map, address);
        CHECK_MSG(t, a.slice == b.slice && a.channel == b.channel && a.bank == b.bank && a.row == b.row,
                  "address 0x%llx", (unsigned long long)address);
    }
}

static void test_map(struct test *t) { each_chip(t, check_map); }

// No stride of a power of two, from a piece to a megabyte, concentrates on few slices.
static void check_strides(struct test *t, const struct memory_config *c)
{
    enum { COUNT = 4096 };
    const uint32_t all = c->partitions * c->slices;
    for (uint64_t stride = c->interleave_bytes; stride <= 1 << 20; stride *= 2) {
        unsigned in_slice[64] = {0};
        for (uint64_t k = 0; k < COUNT; k++) in_slice[memory_place_of(c, 0x10000000 + k * stride).slice]++;
        for (uint32_t k = 0; k < all; k++)
            CHECK_MSG(t, in_slice[k] * all <= 2 * COUNT, "%u slices, stride %llu: %u of %u in slice %u", all,
                      (unsigned long long)stride, in_slice[k], COUNT, k);
    }
}

static void test_strides(struct test *t) { each_chip(t, check_strides); }

// The first cycle of one clock not beginning before a cycle of another clock, at any ratio.
static void test_clocks(struct test *t)
{
    struct rng r;
    rng_init(&r, 11);
    CHECK_EQ(t, clock_from_core((struct clock_ratio){1417, 2500}, 1417), 2500);
    CHECK_EQ(t, clock_from_core((struct clock_ratio){1000, 500}, 3), 2);
    CHECK_EQ(t, clock_to_core((struct clock_ratio){1000, 500}, 3), 6);
    for (unsigned k = 0; k < 20000; k++) {
        struct clock_ratio c = {(uint32_t)(50 + rng_below(&r, 5000)), (uint32_t)(50 + rng_below(&r, 5000))};
        uint64_t core = rng_below(&r, 1u << 31), own = clock_from_core(c, core);
        CHECK(t, own * c.core_mhz >= core * c.own_mhz);
        CHECK(t, !own || (own - 1) * c.core_mhz < core * c.own_mhz);
        uint64_t back = clock_to_core(c, own);
        CHECK(t, back >= core && back * c.own_mhz >= own * c.core_mhz);
        CHECK(t, !back || (back - 1) * c.own_mhz < own * c.core_mhz);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"flits", test_flits}, {"turns", test_turns},     {"order", test_order},  {"places", test_places},
        {"map", test_map},     {"strides", test_strides}, {"clocks", test_clocks}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

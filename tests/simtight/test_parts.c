// The core's parts, with tables worked out by hand.
#include "harness/test.h"
#include "simtight/barrier.h"
#include "simtight/memory.h"
#include "simtight/schedule.h"
#include "simtight/units.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH 0xbfff0000u
#define STACKS  0xc0000000u

static const struct simtight_window scratch = {SCRATCH, STACKS - 1};

static struct simtight_config defaults(void)
{
    struct simtight_config c;
    struct config all;
    config_init(&all);
    config_add(&all, simtight_config_keys, simtight_config_key_count, &c);
    config_fini(&all);
    return c;
}

// -- schedule -----------------------------------------------------------------------------------------------
static void test_schedule(struct test *t)
{
    static const struct {
        uint64_t available;
        int who;
    } turns[] = {{7, 0},
                 {7, 1},
                 {7, 2},
                 {7, 0}, // round and round
                 {6, 1},
                 {5, 2}, // 0 has had its turn, 1 is unavailable: 2
                 {3, 0},
                 {2, 1}, // a new round, beginning with 0
                 {0, SIMTIGHT_NOBODY},
                 {1ull << 63 | 1, 63},
                 {1ull << 63 | 1, 0}};
    struct simtight_schedule s = {0};
    for (size_t k = 0; k < TEST_COUNT(turns); k++)
        CHECK_EQ(t, simtight_pick(&s, turns[k].available), turns[k].who);
}

// -- barrier ------------------------------------------------------------------------------------------------
// Load, check, then a cycle a warp.
static void test_release(struct test *t)
{
    struct simtight_barrier b = {0};
    uint64_t waiting = UINT64_MAX;
    CHECK_EQ(t, simtight_release(&b, waiting, 64, false), SIMTIGHT_NONE_RELEASED);
    CHECK_EQ(t, simtight_release(&b, waiting, 64, false), SIMTIGHT_NONE_RELEASED);
    for (int warp = 0; warp < 64; warp++) {
        CHECK_EQ(t, simtight_release(&b, waiting, 64, true), SIMTIGHT_NONE_RELEASED); // frozen
        CHECK_EQ(t, simtight_release(&b, waiting, 64, false), warp);
        waiting &= ~(1ull << warp);
    }
    CHECK_EQ(t, simtight_release(&b, waiting, 64, false), SIMTIGHT_NONE_RELEASED); // no warp is left
    CHECK(t, !b.is_loaded);
}

// Warps 2 and 3 are a group, and 0 and 1 are skipped; 4 waits for 5.
static void test_release_groups(struct test *t)
{
    enum { NO = SIMTIGHT_NONE_RELEASED };
    static const int cycles[] = {NO /* load */,
                                 NO /* check 0, 1 */,
                                 NO,
                                 NO,
                                 NO /* check 2, 3 */,
                                 2,
                                 3,
                                 NO /* check 4, 5 */,
                                 NO,
                                 NO,
                                 NO /* nobody is left */,
                                 NO /* load */};
    struct simtight_barrier b = {0};
    uint64_t waiting = 1 << 2 | 1 << 3 | 1 << 4;
    for (size_t k = 0; k < TEST_COUNT(cycles); k++) {
        int warp = simtight_release(&b, waiting, 2, false);
        CHECK_MSG(t, warp == cycles[k], "cycle %zu: %d, not %d", k, warp, cycles[k]);
        if (warp != NO) waiting &= ~(1ull << warp);
    }
    CHECK(t, b.is_loaded); // 4 still waits
}

// -- coalescer ----------------------------------------------------------------------------------------------
static struct simtight_request row(uint32_t base, uint32_t step, uint8_t bytes)
{
    struct simtight_request r = {.lanes = UINT32_MAX, .bytes = bytes};
    for (uint32_t l = 0; l < SIMTIGHT_LANES_MAX; l++) r.address[l] = base + l * step;
    return r;
}

struct total {
    unsigned groups, beats, first_mode;
    uint32_t first_lanes;
};

static struct total add_up_of(const struct simtight_request *r, unsigned lanes)
{
    struct total all = {0};
    for (uint32_t pending = r->lanes; pending;) {
        struct simtight_group g = simtight_group(r, pending, scratch, lanes);
        if (!all.groups++) {
            all.first_mode = g.mode;
            all.first_lanes = g.lanes;
        }
        all.beats += g.beats;
        pending &= ~g.lanes;
    }
    return all;
}

static struct total add_up(const struct simtight_request *r) { return add_up_of(r, SIMTIGHT_LANES_MAX); }

static void test_groups(struct test *t)
{
    static const struct {
        const char *what;
        uint32_t base, step, lanes;
        uint8_t bytes;
        unsigned groups, beats, mode;
    } table[] = {
        {"words side by side", 0x10000, 4, UINT32_MAX, 4, 1, 2, SIMTIGHT_WORD},
        {"half of them", 0x10000, 4, 0xffff, 4, 1, 2, SIMTIGHT_WORD},
        {"one lane alone", 0x10000, 4, 1, 4, 1, 1, SIMTIGHT_ADDRESS},
        {"a word further", 0x10004, 4, UINT32_MAX, 4, 32, 32, SIMTIGHT_ADDRESS},
        {"one address", 0x10000, 0, UINT32_MAX, 4, 1, 1, SIMTIGHT_ADDRESS},
        {"every second word", 0x10000, 8, UINT32_MAX, 4, 32, 32, SIMTIGHT_ADDRESS},
        {"halves side by side", 0x10040, 2, UINT32_MAX, 2, 1, 1, SIMTIGHT_HALF},
        {"halves, half a block further", 0x10060, 2, UINT32_MAX, 2, 32, 32, SIMTIGHT_ADDRESS},
        {"bytes side by side", 0x10020, 1, UINT32_MAX, 1, 1, 1, SIMTIGHT_BYTE},
        {"bytes of words, as in stacks", 0x10003, 4, UINT32_MAX, 1, 1, 2, SIMTIGHT_WORD},
        {"the scratchpad", SCRATCH, 4, UINT32_MAX, 4, 1, 0, SIMTIGHT_SCRATCHPAD},
        {"scattered there", SCRATCH, 132, UINT32_MAX, 4, 1, 0, SIMTIGHT_SCRATCHPAD},
    };
    for (size_t k = 0; k < TEST_COUNT(table); k++) {
        struct simtight_request r = row(table[k].base, table[k].step, table[k].bytes);
        r.lanes = table[k].lanes;
        struct total all = add_up(&r);
        CHECK_MSG(t,
                  all.groups == table[k].groups && all.beats == table[k].beats &&
                      all.first_mode == table[k].mode,
                  "%s: %u groups, %u beats, mode %u", table[k].what, all.groups, all.beats, all.first_mode);
    }
}

// Warps of fewer lanes: blocks are as long as the warp is wide.
static void test_few_lanes(struct test *t)
{
    static const struct {
        unsigned lanes;
        uint32_t base, step;
        uint8_t bytes;
        unsigned groups, beats, mode;
    } table[] = {
        {16, 0x10000, 4, 4, 1, 1, SIMTIGHT_WORD},      {16, 0x10040, 4, 4, 1, 1, SIMTIGHT_WORD},
        {16, 0x10020, 4, 4, 16, 16, SIMTIGHT_ADDRESS}, {16, 0x10020, 2, 2, 1, 1, SIMTIGHT_HALF},
        {16, 0x10010, 1, 1, 1, 1, SIMTIGHT_BYTE},      {8, 0x10020, 4, 4, 1, 1, SIMTIGHT_WORD},
        {8, 0x10010, 4, 4, 8, 8, SIMTIGHT_ADDRESS},    {4, 0x10000, 0, 4, 1, 1, SIMTIGHT_ADDRESS},
    };
    for (size_t k = 0; k < TEST_COUNT(table); k++) {
        struct simtight_request r = row(table[k].base, table[k].step, table[k].bytes);
        r.lanes = (uint32_t)bit_mask(table[k].lanes);
        struct total all = add_up_of(&r, table[k].lanes);
        CHECK_MSG(t,
                  all.groups == table[k].groups && all.beats == table[k].beats &&
                      all.first_mode == table[k].mode,
                  "row %zu: %u groups, %u beats, mode %u", k, all.groups, all.beats, all.first_mode);
    }
}

// The leader's address is an outlier: the leader goes alone, the rest as a block.
static void test_odd_leader(struct test *t)
{
    struct simtight_request r = row(0x10000, 4, 4);
    r.address[0] = 0x20004;
    struct total all = add_up(&r);
    CHECK_EQ(t, all.groups, 2);
    CHECK_EQ(t, all.beats, 3);
    CHECK_EQ(t, all.first_lanes, 1);
}

// Lanes of the scratchpad go together once one of them is the leader, not earlier.
static void test_mixed(struct test *t)
{
    struct simtight_request r = row(0x10000, 4, 4);
    for (unsigned l = 1; l < SIMTIGHT_LANES_MAX; l += 2) r.address[l] = SCRATCH + 4 * l;
    struct total all = add_up(&r);
    CHECK_EQ(t, all.groups, 2);
    CHECK_EQ(t, all.beats, 2);
    CHECK_EQ(t, all.first_lanes, 0x55555555);
}

static void test_fence(struct test *t)
{
    struct simtight_request r = {.lanes = 0xff00ff00, .is_fence = true};
    struct total all = add_up(&r);
    CHECK_EQ(t, all.groups, 1);
    CHECK_EQ(t, all.beats, 1);
    CHECK_EQ(t, all.first_lanes, 0xff00ff00);
}

// -- scratchpad ---------------------------------------------------------------------------------------------
static void test_banks(struct test *t)
{
    static const struct {
        uint32_t step, lanes;
        bool is_broadcast;
        unsigned cycles;
    } table[] = {
        {4, UINT32_MAX, true, 2}, // lanes 0 to 15, then 16 to 31
        {4, 0xffff, true, 1},
        {4, 0x00010001, true, 2}, // two lanes of one port
        {0, UINT32_MAX, true, 1}, // one address
        {0, UINT32_MAX, false, 32} /* the same, stores or atomics */,
        {8, UINT32_MAX, true, 4}, // 8 banks
        {64, UINT32_MAX, true, 32} /* one bank */,
    };
    for (size_t k = 0; k < TEST_COUNT(table); k++) {
        struct simtight_request r = row(SCRATCH, table[k].step, 4);
        r.is_broadcast = table[k].is_broadcast;
        unsigned cycles = simtight_scratch_cycles(&r, table[k].lanes, 16);
        CHECK_MSG(t, cycles == table[k].cycles, "row %zu: %u cycles, not %u", k, cycles, table[k].cycles);
    }
}

// -- memory -------------------------------------------------------------------------------------------------
struct memory_run {
    struct simtight_config config;
    struct simtight_memory *memory;
};

static struct memory_run begin(const char *const *settings)
{
    struct memory_run r = {.config = defaults(), .memory = heap_alloc(sizeof *r.memory)};
    for (; settings && *settings; settings++) {
        struct config all;
        struct diag d;
        struct simtight_config before = r.config;
        diag_init(&d);
        config_init(&all);
        config_add(&all, simtight_config_keys, simtight_config_key_count, &r.config);
        r.config = before;
        config_set_pair(&all, *settings, loc_none(), &d);
        config_fini(&all);
        diag_fini(&d);
    }
    return r;
}

static void start(struct memory_run *r) { simtight_memory_init(r->memory, &r->config, scratch, STACKS); }

static void end(struct memory_run *r)
{
    simtight_memory_fini(r->memory);
    free(r->memory);
}

static void ask(struct memory_run *r, struct simtight_request what, uint8_t warp)
{
    struct simtight_request *to = simtight_memory_ask(r->memory);
    what.warp = warp;
    *to = what;
}

// Runs from cycle `from` until idle. `at`: the cycles of the replies, in order; returns their number.
static unsigned run(struct memory_run *r, uint64_t from, uint64_t *at, unsigned most)
{
    unsigned count = 0;
    for (uint64_t now = from; !simtight_memory_is_idle(r->memory); now++) {
        struct simtight_reply reply;
        simtight_memory_tick(r->memory, now);
        if (simtight_memory_take(r->memory, now, &reply) && count < most) at[count++] = now;
    }
    return count;
}

// Requested in cycle 0: stages 0 to 4 in 1 to 5, a group in 6, its
// beats in 6 and 7, 30 cycles, a reply of 3.
static void test_load(struct test *t)
{
    struct memory_run r = begin(NULL);
    uint64_t at[4];
    start(&r);
    ask(&r, row(0x10000, 4, 4), 0);
    CHECK_EQ(t, run(&r, 1, at, 4), 1);
    CHECK_EQ(t, at[0], 6 + 1 + 30 + 3);
    CHECK_EQ(t, r.memory->traffic.load_beats, 2);
    end(&r);
}

// A group every second cycle; replies of two beats take three.
static void test_loads(struct test *t)
{
    struct memory_run r = begin(NULL);
    uint64_t at[4];
    start(&r);
    for (uint8_t warp = 0; warp < 4; warp++) ask(&r, row(0x10000 + 128u * warp, 4, 4), warp);
    CHECK_EQ(t, run(&r, 1, at, 4), 4);
    for (unsigned k = 0; k < 4; k++) CHECK_EQ(t, at[k], 40 + 3 * k);
    end(&r);
}

// 32 groups, four cycles apart since the rest goes round; replies of a beat.
static void test_scattered(struct test *t)
{
    struct memory_run r = begin(NULL);
    uint64_t at[32];
    start(&r);
    ask(&r, row(0x10004, 4, 4), 0);
    CHECK_EQ(t, run(&r, 1, at, 32), 32);
    for (unsigned k = 0; k < 32; k++) CHECK_EQ(t, at[k], 6 + 4 * k + 30 + 2);
    end(&r);
}

// Four warps share the loop: a group every second cycle.
static void test_interleaved(struct test *t)
{
    struct memory_run r = begin(NULL);
    uint64_t at[128];
    start(&r);
    for (uint8_t warp = 0; warp < 4; warp++) ask(&r, row(0x10004 + 4096u * warp, 4, 4), warp);
    CHECK_EQ(t, run(&r, 1, at, 128), 128);
    CHECK_EQ(t, at[127] - at[0], 127 * 2);
    end(&r);
}

// Stores of two beats go every third cycle, without replies.
static void test_stores(struct test *t)
{
    struct memory_run r = begin(NULL);
    struct simtight_request store = row(0x10000, 4, 4);
    uint64_t at[1];
    start(&r);
    store.is_store = true;
    for (uint8_t warp = 0; warp < 5; warp++) ask(&r, store, warp);
    CHECK_EQ(t, run(&r, 1, at, 1), 0);
    CHECK_EQ(t, r.memory->traffic.store_beats, 10);
    CHECK_EQ(t, r.memory->send_at, 6 + 5 * 3);
    end(&r);
}

// Half a beat a cycle: beats in cycles 6 and 8, 10 and 12, …
static void test_slow_dram(struct test *t)
{
    struct memory_run r = begin((const char *const[]){"simt.dram_rate=50", NULL});
    uint64_t at[4];
    start(&r);
    for (uint8_t warp = 0; warp < 4; warp++) ask(&r, row(0x10000 + 128u * warp, 4, 4), warp);
    CHECK_EQ(t, run(&r, 1, at, 4), 4);
    for (unsigned k = 0; k < 4; k++) CHECK_EQ(t, at[k], 6 + 4 * k + 2 + 30 + 3);
    end(&r);
}

// With room for two beats a load waits for the reply of the previous load.
static void test_inflight(struct test *t)
{
    struct memory_run r = begin((const char *const[]){"simt.dram_inflight=2", NULL});
    uint64_t at[2];
    start(&r);
    for (uint8_t warp = 0; warp < 2; warp++) ask(&r, row(0x10000 + 128u * warp, 4, 4), warp);
    CHECK_EQ(t, run(&r, 1, at, 2), 2);
    CHECK_EQ(t, at[0], 40);
    CHECK_EQ(t, at[1], 40 + 31); // sent after the first reply, in cycle 37
    end(&r);
}

// Replies come in the order of the groups: the stack cache's reply waits for an earlier request to DRAM. A
// store absorbed by the cache passes at once; a store that evicts a line pays for the line and for itself.
static void test_replies_in_order(struct test *t)
{
    struct memory_run r = begin((const char *const[]){"simt.stack_cache=16", NULL});
    struct simtight_request kept = row(STACKS, 4, 4), load = row(STACKS, 4, 4), other = row(STACKS, 4, 4);
    uint64_t at[4], sent;
    kept.is_store = kept.is_scalar = other.is_store = true;
    start(&r);
    for (uint8_t warp = 0; warp < 4; warp++) ask(&r, kept, warp);
    CHECK_EQ(t, run(&r, 1, at, 4), 0);
    CHECK_EQ(t, r.memory->send_at, 6 + 4);
    CHECK_EQ(t, r.memory->traffic.store_beats, 0);

    ask(&r, row(0x10000, 4, 4), 0);
    ask(&r, load, 1);
    CHECK_EQ(t, run(&r, 101, at, 4), 2);
    CHECK_EQ(t, at[0], 100 + 40);
    CHECK_EQ(t, at[1], 100 + 42);
    ask(&r, load, 1);
    CHECK_EQ(t, run(&r, 201, at, 4), 1);
    CHECK_EQ(t, at[0], 206 + 2);
    CHECK_EQ(t, r.memory->traffic.load_beats, 2);

    ask(&r, other, 2);
    CHECK_EQ(t, run(&r, 301, at, 4), 0);
    sent = 306;
    CHECK_EQ(t, r.memory->send_at, sent + 3 + 3);
    CHECK_EQ(t, r.memory->traffic.store_beats, 2 + 2);
    end(&r);
}

static void test_queue_is_full(struct test *t)
{
    struct memory_run r = begin((const char *const[]){"simt.request_queue=2", NULL});
    start(&r);
    CHECK(t, simtight_memory_ask(r.memory) && simtight_memory_ask(r.memory));
    CHECK(t, !simtight_memory_ask(r.memory));
    end(&r);
}

// Two cycles for 32 lanes, six for the round trip.
static void test_scratch_reply(struct test *t)
{
    struct memory_run r = begin(NULL);
    uint64_t at[2];
    start(&r);
    for (uint8_t warp = 0; warp < 2; warp++) ask(&r, row(SCRATCH, 4, 4), warp);
    CHECK_EQ(t, run(&r, 1, at, 2), 2);
    CHECK_EQ(t, at[0], 6 + 1 + 6);
    CHECK_EQ(t, at[1], 6 + 2 + 1 + 6);
    CHECK_EQ(t, r.memory->traffic.scratch_cycles, 4);
    end(&r);
}

// A scalar stored to a stack is kept, and answers a load without DRAM; a later vector store evicts it first.
static void test_stack_cache(struct test *t)
{
    struct memory_run r = begin((const char *const[]){"simt.stack_cache=2048", NULL});
    struct simtight_request load = row(STACKS + 0x1000, 4, 4), store = load, vector = load;
    uint64_t at[1];
    start(&r);
    store.is_store = vector.is_store = true;
    store.is_scalar = true;
    ask(&r, store, 0);
    CHECK_EQ(t, run(&r, 1, at, 1), 0);
    CHECK_EQ(t, r.memory->traffic.store_beats, 0);
    ask(&r, load, 0);
    CHECK_EQ(t, run(&r, 101, at, 1), 1);
    CHECK_EQ(t, at[0], 106 + 2);
    CHECK_EQ(t, r.memory->traffic.load_beats, 0);
    ask(&r, vector, 0);
    run(&r, 201, at, 1);
    CHECK_EQ(t, r.memory->traffic.store_beats, 4);
    CHECK_EQ(t, r.memory->stack_cache.load_hits, 1);
    CHECK_EQ(t, r.memory->stack_cache.written_back, 1);
    end(&r);
}

// -- units --------------------------------------------------------------------------------------------------
static void test_units(struct test *t)
{
    struct simtight_config c = defaults();
    struct simtight_units *u = heap_alloc(sizeof *u);
    struct simtight_result r;
    simtight_units_init(u, &c);
    simtight_unit_begin(u, SIMTIGHT_DIV, (struct simtight_result){34, 1, 5, 3});
    CHECK(t, !simtight_unit_takes(u, SIMTIGHT_DIV)); // one at a time
    CHECK(t, !simtight_unit_take(u, SIMTIGHT_DIV, 33, &r));
    CHECK(t, simtight_unit_take(u, SIMTIGHT_DIV, 34, &r) && r.warp == 5 && r.reg == 3);
    CHECK(t, simtight_unit_takes(u, SIMTIGHT_DIV));
    simtight_unit_begin(u, SIMTIGHT_FPU,
                        (struct simtight_result){40, 1, 1, 0}); // a division overtaken by an addition
    simtight_unit_begin(u, SIMTIGHT_FPU, (struct simtight_result){12, 1, 2, 0});
    CHECK_EQ(t, simtight_units_next(u), 12);
    CHECK(t, simtight_unit_take(u, SIMTIGHT_FPU, 50, &r) && r.warp == 2);
    CHECK(t, simtight_unit_take(u, SIMTIGHT_FPU, 50, &r) && r.warp == 1);
    for (unsigned k = 0; k < c.fp_inflight; k++)
        simtight_unit_begin(u, SIMTIGHT_FPU, (struct simtight_result){100, 1, (uint8_t)k, 0});
    CHECK(t, !simtight_unit_takes(u, SIMTIGHT_FPU));
    c.divider = SIMTIGHT_FULL;
    simtight_units_init(u, &c);
    simtight_unit_begin(u, SIMTIGHT_DIV, (struct simtight_result){13, 1, 5, 3});
    CHECK(t, simtight_unit_takes(u, SIMTIGHT_DIV));
    free(u);
}

// -- settings -----------------------------------------------------------------------------------------------
static void test_settings(struct test *t)
{
    struct simtight_config c = defaults();
    CHECK(t, !simtight_config_check(&c));
    c.scalar_unit = true;
    CHECK_HAS(t, simtight_config_check(&c), "simt.scalar_unit=1 needs simt.registers");
    c.registers = SIMTIGHT_AFFINE;
    CHECK(t, !simtight_config_check(&c));
    c.stack_cache = 100;
    CHECK_HAS(t, simtight_config_check(&c), "power of two");
    c.stack_cache = 0;
    c.scratch_banks = 12;
    CHECK_HAS(t, simtight_config_check(&c), "simt.scratch_banks");
    c = defaults();
    c.vectors = 256;
    CHECK_HAS(t, simtight_config_check(&c), "simt.vectors");
    c = defaults();
    c.warps = 48;
    CHECK_HAS(t, simtight_config_check(&c), "simt.lanes and simt.warps");
    c = defaults();
    c.registers = SIMTIGHT_AFFINE;
    c.vectors = 255;
    CHECK_HAS(t, simtight_config_check(&c), "4 times simt.warps");
    c.warps = 32; // half the warps need half the room
    CHECK(t, !simtight_config_check(&c));
    c = defaults();
    c.warps = 32;
    c.vectors = 1024; // all registers of 32 warps
    CHECK(t, !simtight_config_check(&c));
    c = defaults();
    c.stack_cache = 64;
    CHECK_HAS(t, simtight_config_check(&c), "simt.stack_cache needs");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"schedule", test_schedule},
        {"release", test_release},
        {"release_groups", test_release_groups},
        {"groups", test_groups},
        {"few_lanes", test_few_lanes},
        {"odd_leader", test_odd_leader},
        {"mixed", test_mixed},
        {"fence", test_fence},
        {"banks", test_banks},
        {"load", test_load},
        {"loads", test_loads},
        {"scattered", test_scattered},
        {"interleaved", test_interleaved},
        {"stores", test_stores},
        {"slow_dram", test_slow_dram},
        {"inflight", test_inflight},
        {"replies_in_order", test_replies_in_order},
        {"queue_is_full", test_queue_is_full},
        {"scratch_reply", test_scratch_reply},
        {"stack_cache", test_stack_cache},
        {"units", test_units},
        {"settings", test_settings},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

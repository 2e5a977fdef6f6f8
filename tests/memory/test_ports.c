// Ports between SMs and the L2: the rate of a slice on a clock of its own, the port of an SM, loads of near SMs that share a lookup and
// a reply's way out of the slice.
#include "base/bits.h"
#include "harness/test.h"
#include "memory/address.h"
#include "memory/system.h"

enum { SMS = 32, LINE = 128, WINDOW = 8 };

static void configure(struct memory_config *c)
{
    *c = (struct memory_config){0};
    struct config all;
    config_init(&all);
    config_add(&all, memory_config_keys, memory_config_key_count, c);
    config_fini(&all);
    c->core_mhz = c->icnt_mhz = c->l2_mhz = c->dram_mhz = 1000;
    c->icnt_flit_bytes = 72; // a line: two flits
}

struct load {
    uint64_t cycle, line;
    unsigned sm;
    uint8_t sectors;
};

// Runs the loads of lines that the L2 has. Cycle of the last reply, and that of each load by `after`, if wanted: an SM has
// one load.
static uint64_t run(const struct memory_config *c, const struct load *loads, unsigned count,
                    struct memory_counts *n, uint64_t *after)
{
    struct memory_system *m = memory_system_create(c, SMS);
    for (unsigned k = 0; k < count; k++) memory_system_fill(m, loads[k].line, LINE);
    unsigned pushed = 0, done = 0;
    uint64_t last = 0;
    for (uint64_t now = 0; done < count; now += WINDOW) {
        memory_system_hand_over(m, now);
        for (unsigned k = 0; k < SMS; k++) memory_system_open(m, k);
        for (unsigned k = memory_system_partitions(m); k-- > 0;) memory_system_run(m, k, now + WINDOW);
        for (; pushed < count && loads[pushed].cycle < now + WINDOW; pushed++)
            memory_system_push(m, &(struct memory_request){.cycle = u64_max(now, loads[pushed].cycle),
                                                           .line = loads[pushed].line,
                                                           .sectors = loads[pushed].sectors,
                                                           .sm = (uint16_t)loads[pushed].sm,
                                                           .kind = MEMORY_LOAD});
        struct memory_reply r;
        for (unsigned sm = 0; sm < SMS; sm++)
            for (; memory_system_take(m, sm, now + WINDOW, &r); done++) {
                last = r.cycle;
                if (after) after[sm] = r.cycle;
            }
    }
    memory_system_counts(m, 0, n);
    memory_system_destroy(m);
    return last;
}

static uint64_t line_of_slice(const struct memory_config *c, uint32_t slice, unsigned number)
{
    for (uint64_t line = 0x10000000;; line += LINE)
        if (memory_place_of(c, line).slice == slice && !number--) return line;
}

// Every SM loads lines of one slice. The slice's port is busy for two cycles of the crossbar with a line, the tags for one
// of the L2 with a sector, whatever the ratio of the clocks: a slower clock loses nothing to rounding.
static void test_rates(struct test *t)
{
    enum { LINES = 1600 };
    static const uint32_t clocks[] = {1000, 900, 859, 700, 650, 510};
    static struct load loads[LINES];
    for (size_t k = 0; k < TEST_COUNT(clocks); k++)
        for (unsigned sector = 0; sector < 2; sector++) {
            struct memory_config c;
            configure(&c);
            c.icnt_mhz = c.l2_mhz = clocks[k];
            for (unsigned i = 0; i < LINES; i++)
                loads[i] = (struct load){
                    .line = line_of_slice(&c, 3, i % 16), .sm = i % SMS, .sectors = sector ? 1 : 15};
            struct memory_counts n;
            double got = (double)run(&c, loads, LINES, &n, NULL),
                   least = (sector ? 1.0 : 2.0) * LINES * 1000 / clocks[k];
            CHECK_MSG(t, got > least && got < 1.01 * least + 500, "%u MHz, %s: %.0f cycles, at least %.0f",
                      clocks[k], sector ? "sectors" : "lines", got, least);
            CHECK_EQ(t, n.l2_hits, LINES);
        }
}

// One SM loads lines of all slices: its port takes two cycles a line, or one with icnt.sm_bytes for a line with its header.
static void test_port(struct test *t)
{
    enum { LINES = 2000 };
    static struct load loads[LINES];
    for (unsigned i = 0; i < LINES; i++)
        loads[i] = (struct load){.line = 0x10000000 + i % 256 * LINE, .sm = 1, .sectors = 15};
    for (unsigned wide = 0; wide < 2; wide++) {
        struct memory_config c;
        struct memory_counts n;
        configure(&c);
        c.icnt_sm_bytes = wide ? 136 : 0;
        uint64_t got = run(&c, loads, LINES, &n, NULL), least = (wide ? 1 : 2) * LINES;
        CHECK_MSG(t, got > least && got < least + 500, "%u: %u cycles", wide, (unsigned)got);
    }
    struct memory_config c;
    struct memory_counts n;
    configure(&c);
    uint64_t narrow = run(&c, loads, 1, &n, NULL);
    c.icnt_sm_bytes = 136;
    CHECK_EQ(t, run(&c, loads, 1, &n, NULL), narrow); // the slice's port still has two flits
}

// All SMs load one line at once: with groups of 16, one lookup and one passage through the slice's port for each group, and
// a reply for every SM. Loads of other sectors, of other lines and after the reply has left are their own.
static void test_coalescing(struct test *t)
{
    struct memory_config c;
    struct memory_counts n;
    struct load loads[SMS];
    uint64_t apart[SMS], together[SMS];
    configure(&c);
    for (unsigned k = 0; k < SMS; k++) loads[k] = (struct load){.line = 0x10000000, .sm = k, .sectors = 15};
    run(&c, loads, SMS, &n, apart);
    CHECK_EQ(t, n.l2_hits, SMS);
    c.l2_coalesce = 16;
    uint64_t last = run(&c, loads, SMS, &n, together);
    CHECK_EQ(t, n.l2_hits, 2);
    CHECK_EQ(t, n.l2_coalesced, SMS - 2);
    CHECK_EQ(t, n.replies, SMS);
    CHECK_EQ(t, together[0], apart[0]); // the first, by its turn
    // Requests reach the slice one a cycle. Apart, replies leave one in two cycles: the last waits for 31 times the difference.
    CHECK_EQ(t, apart[SMS - 1] - last, SMS - 1);

    for (unsigned k = 0; k < SMS; k++) loads[k].sectors = k % 2 ? 1 : 2;
    run(&c, loads, SMS, &n, NULL);
    CHECK_EQ(t, n.l2_hits + n.l2_coalesced, SMS);
    CHECK(t, n.l2_hits >= 4);
    for (unsigned k = 0; k < SMS; k++)
        loads[k] = (struct load){.line = 0x10000000, .sm = k, .sectors = 15, .cycle = k * 400};
    run(&c, loads, SMS, &n, NULL);
    CHECK_EQ(t, n.l2_hits, SMS);
    for (unsigned k = 0; k < SMS; k++)
        loads[k] = (struct load){.line = 0x10000000 + k * LINE, .sm = k, .sectors = 15};
    run(&c, loads, SMS, &n, NULL);
    CHECK_EQ(t, n.l2_hits, SMS);
}

// A line on its way from DRAM: loads of a group join the first of them.
static void test_coalesced_misses(struct test *t)
{
    struct memory_config c;
    configure(&c);
    for (unsigned group = 0; group <= 16; group += 16) {
        c.l2_coalesce = group;
        struct memory_system *m = memory_system_create(&c, SMS);
        unsigned done = 0;
        for (uint64_t now = 0; done < SMS; now += WINDOW) {
            memory_system_hand_over(m, now);
            for (unsigned k = 0; k < SMS; k++) memory_system_open(m, k);
            for (unsigned k = memory_system_partitions(m); k-- > 0;) memory_system_run(m, k, now + WINDOW);
            for (unsigned k = 0; !now && k < SMS; k++)
                memory_system_push(
                    m, &(struct memory_request){
                           .line = 0x10000000, .sectors = 15, .sm = (uint16_t)k, .kind = MEMORY_LOAD});
            struct memory_reply r;
            for (unsigned sm = 0; sm < SMS; sm++)
                while (memory_system_take(m, sm, now + WINDOW, &r)) done++;
        }
        struct memory_counts n;
        memory_system_counts(m, 0, &n);
        CHECK_EQ(t, n.dram.reads, 4);
        CHECK_EQ(t, n.l2_misses, 1);
        CHECK_EQ(t, n.l2_pending_hits, group ? 1 : SMS - 1);
        CHECK_EQ(t, n.l2_coalesced, group ? SMS - 2 : 0);
        CHECK(t, !memory_system_check(m));
        memory_system_destroy(m);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"rates", test_rates},
                                             {"port", test_port},
                                             {"coalescing", test_coalescing},
                                             {"coalesced_misses", test_coalesced_misses}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

// Resources of an SM left over by blocks: Table 5 of Xiang's dissertation,
// and Figure 20, derived from it, row by row.
#include "chip/bench.h"

#include <math.h>

// Table 5, with its two slips corrected (docs/explanation/techniques/warpman.md). Of a block: warps, registers a thread,
// shared bytes. Of an SM: blocks, unused registers as printed or derived, and further warps with room.
static const struct row {
    const char *name;
    uint32_t warps, registers, shared, blocks, left, more;
    bool is_limited; // limited by registers: GM_reg in Figure 20, with MC as the seventh
} table5[] = {
    {"CT", 6, 24, 0, 7, 512, 0, true},       {"MC", 12, 20, 0, 4, 2048, 0, true},
    {"RS", 16, 23, 4096, 2, 9216, 12, true}, {"SN", 16, 17, 8192, 3, 6656, 0, false},
    {"HS", 8, 35, 3072, 3, 5888, 5, true},   {"PF", 8, 13, 2048, 6, 12800, 0, false},
    {"SR", 16, 5, 4096, 3, 25088, 0, false}, {"ST", 32, 17, 0, 1, 15360, 16, false},
    {"RAY", 6, 64, 0, 2, 8192, 4, true},     {"MM", 8, 24, 2048, 5, 2048, 2, true},
    {"NN", 8, 24, 0, 5, 2048, 2, true},
};

static struct chip_occupancy occupancy_of(struct test *t, const struct chip_config *c, const struct row *r)
{
    struct chip_occupancy o = {0};
    const struct launch l = {.block = {32 * r->warps, 1, 1},
                             .warp_size = 32,
                             .registers = r->registers,
                             .shared_total = r->shared};
    CHECK(t, chip_occupancy(c, &l, 0, &o) && !chip_occupancy(c, &l, 1, &o));
    return o;
}

static void test_table(struct test *t)
{
    struct chip_config c;
    double used = 0, used_limited = 0;
    unsigned limited = 0;
    gpu_settings(t, &c, "gtx480-warpman", "");
    for (size_t k = 0; k < TEST_COUNT(table5); k++) {
        const struct row *r = &table5[k];
        struct chip_occupancy o = occupancy_of(t, &c, r);
        CHECK_MSG(t, o.blocks == r->blocks, "%s: %u blocks", r->name, o.blocks);
        CHECK_MSG(t, o.free_registers == r->left, "%s: %u registers left", r->name, o.free_registers);
        CHECK_MSG(t, o.more == r->more, "%s: %u warps more", r->name, o.more);
        CHECK_EQ(t, o.registers, 32 * r->warps * r->registers);
        double share = log(1 - o.free_registers / 32768.0);
        used += share;
        used_limited += r->is_limited ? share : 0;
        limited += r->is_limited;
    }
    CHECK_EQ(t, lround(1000 * (1 - exp(used / TEST_COUNT(table5)))), 294);
    CHECK_EQ(t, lround(1000 * (1 - exp(used_limited / limited))), 136);
}

// The chapter's first example: blocks of 9 k registers; three blocks leave 5 k.
static void test_first(struct test *t)
{
    static const struct row nine = {"9k", 9, 32, 0, 3, 5120, 5, true};
    struct chip_config c;
    gpu_settings(t, &c, "gtx480-warpman", "");
    struct chip_occupancy o = occupancy_of(t, &c, &nine);
    CHECK_EQ(t, o.blocks, nine.blocks);
    CHECK_EQ(t, o.free_registers, nine.left);
    CHECK_EQ(t, o.more, nine.more);
}

// No context, no shared memory, or no resident block: no part of a block fits.
static void test_none(struct test *t)
{
    static const char *const settings[] = {"sm.blocks=5", "sm.shared_bytes=10240"};
    struct chip_config c;
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        gpu_settings(t, &c, "gtx480-warpman", settings[k]);
        CHECK_EQ(t, occupancy_of(t, &c, &table5[9]).more, 0);
    }
    gpu_settings(t, &c, "gtx480-warpman", "sm.registers=4096");
    struct chip_occupancy o = occupancy_of(t, &c, &table5[9]);
    CHECK_EQ(t, o.blocks, 0);
    CHECK_EQ(t, o.more, 0);
    CHECK_HAS(t, o.limit, "registers");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"table", test_table}, {"first", test_first}, {"none", test_none}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

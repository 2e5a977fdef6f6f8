// The books of an SM's room and of the chip's hand that assigns it (sim.check): any resource lost, invented
// or assigned twice is reported.
#include "chip/chip_impl.h"
#include "harness/scene.h"
#include "sm/sm_impl.h"
#include "tech/extra.h"

#include <stdlib.h>

static const char loops[] = "MOV R1, 0x40\nloop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n"
                            "@P0 BRA loop\nEXIT\n";

// -- of an SM -----------------------------------------------------------------------------------------------

enum theft { NOTHING, SLOT, PLACE, CONTEXT, COUNT, BLOCKS_COUNT, TO_COME, FOREIGN, MOVED, THEFTS };

static void steal(struct sm_grid *g, unsigned place, enum theft what)
{
    struct room *r = &g->sm->room;
    struct sm_block *b = &g->room.blocks[g->room.block_of[place]];
    switch (what) {
    case NOTHING:
    case THEFTS: break;
    case SLOT: r->taken |= 1ull << 63; break;
    case PLACE: g->room.taken &= ~(1ull << place); break;
    case CONTEXT: r->numbers |= 1ull << 40; break;
    case COUNT: r->resident_count++; break;
    case BLOCKS_COUNT: g->room.running++; break;
    case TO_COME: b->to_come = 9; break;
    case FOREIGN: b->slots |= 1ull << 50; break;
    case MOVED: g->room.slots[place] ^= 1; break;
    }
}

struct thief {
    struct sm_grid *sm;
    unsigned *wrong; // thefts missed by room_check, and reports without a theft
};

static void *sm_begin(void *launch, struct sm_grid *sm, uint64_t *counts)
{
    struct thief *t = heap_alloc(sizeof *t);
    (void)counts;
    *t = (struct thief){.sm = sm, .wrong = *(unsigned **)launch};
    return t;
}

// Commits every theft in turn, and restores the books.
static void warp_end(void *state, unsigned place)
{
    struct thief *t = state;
    struct sm *s = t->sm->sm;
    const struct room room = s->room;
    const struct room_grid grid = t->sm->room;
    for (enum theft what = NOTHING; what < THEFTS; what++) {
        steal(t->sm, place, what);
        t->wrong[what] += !room_check(s) != (what == NOTHING);
        s->room = room;
        t->sm->room = grid;
    }
    t->wrong[THEFTS]++; // number of checks
}

static const struct tech tech_thief = {
    .name = "thief",
    .skipped = -1,
    .reused = -1,
    .launch_begin = extra_launch_options,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_end = warp_end,
};

// Blocks of three warps, with four blocks on the SM.
static void test_thefts(struct test *t)
{
    unsigned wrong[THEFTS + 1] = {0};
    struct scene s;
    const struct tech_use uses[] = {{.tech = &tech_thief, .options = wrong}, {0}};
    const struct scene_plan plan = {.settings = "sm.warps=12 sm.blocks=5 sim.check=1",
                                    .uses = uses,
                                    .text = loops,
                                    .block = {96},
                                    .blocks = 7};
    scene_begin(&s, t, &plan);
    scene_run(&s);
    CHECK_EQ(t, wrong[THEFTS], 7 * 3);
    for (unsigned what = NOTHING; what < THEFTS; what++)
        CHECK_MSG(t, !wrong[what], "theft %u: %u times", what, wrong[what]);
    scene_end(&s);
}

// -- of the hand --------------------------------------------------------------------------------------------

static void test_shares(struct test *t)
{
    for (unsigned what = 0; what < 5; what++) {
        struct gpu_bench b;
        if (gpu_bench_init(&b, t, "tiny", "sim.check=1", loops, 96)) {
            struct chip *c = chip_create(&b.config);
            struct share *left = &c->dispatch.left[0];
            b.m.launch.grid[0] = 40;
            left->warps -= what == 1;
            left->registers += what == 2;
            left->shared -= what == 3;
            left->blocks -= what == 4;
            chip_run_alone(c, &b.m.launch, 0, 1, NULL, &b.result, &b.m.fault);
            CHECK_MSG(t, !b.result.imbalance == !what, "%u: %s", what,
                      b.result.imbalance ? b.result.imbalance : "not noticed");
            chip_destroy(c);
        }
        gpu_bench_fini(&b);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"thefts", test_thefts}, {"shares", test_shares}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

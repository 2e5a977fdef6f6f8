// Check of an SM's residents (sim.check). Slots, places, block numbers and warps in use are exactly those of
// the running blocks, and no two blocks share any. room.c, alone in changing the residents, calls the check
// after every arrival and departure.
#include "sm/sm_impl.h"

struct sums { // over the blocks of an SM
    uint64_t slots, warps, numbers;
    unsigned resident;
    bool is_broken;
};

static void add_once(struct sums *s, uint64_t *all, uint64_t more)
{
    s->is_broken |= *all & more;
    *all |= more;
}

static bool stands_where_it_says(const struct sm_grid *g, const struct sm_block *b, unsigned slot)
{
    const struct sm_warp *w = &g->sm->warps[slot];
    return w->grid == g && w->place < SM_WARPS && g->room.slots[w->place] == slot &&
           b->places >> w->place & 1 && &g->room.blocks[w->block] == b;
}

static void add_block(struct sums *s, const struct sm_grid *g, const struct sm_block *b, uint64_t *places)
{
    add_once(s, &s->slots, b->slots);
    add_once(s, &s->warps, b->warps);
    add_once(s, &s->numbers, 1ull << b->number);
    add_once(s, places, b->places);
    s->is_broken |= b->warps & ~b->slots || bit_count(b->slots) != bit_count(b->places);
    s->is_broken |= bit_count(b->slots) + b->to_come > g->launch->warps_per_block;
    for (uint64_t left = b->slots; left; left &= left - 1)
        s->is_broken |= !stands_where_it_says(g, b, bit_lowest(left));
}

static void add_grid(struct sums *s, const struct sm_grid *g)
{
    uint64_t places = 0;
    unsigned running = 0;
    for (const struct sm_block *b = g->room.blocks; b < g->room.blocks + SM_BLOCKS; b++) {
        if (!b->running) continue;
        add_block(s, g, b, &places);
        running++;
    }
    s->resident += g->room.resident_count;
    s->is_broken |= places != g->room.taken || bit_count(places) > g->launch->places;
    s->is_broken |= running != g->room.running || running > g->launch->blocks_per_sm;
}

const char *room_check(const struct sm *s)
{
    const struct room *r = &s->room;
    struct sums sums = {0};
    EACH_GRID(s, g) add_grid(&sums, g);
    if (sums.is_broken) return "the books of blocks and warps on an SM do not balance";
    if (sums.slots != r->taken) return "a warp's slot is nobody's, or was not given back";
    if (sums.numbers != r->numbers) return "a block's context is nobody's, or was not given back";
    if (r->resident & ~sums.warps || bit_count(r->resident) != r->resident_count ||
        sums.resident != r->resident_count)
        return "warps on an SM are counted wrongly";
    bool fits = bit_count(r->taken) <= s->config->max_warps && bit_count(r->numbers) <= s->config->max_blocks;
    return fits ? NULL : "an SM has more warps or blocks than room";
}

// Blocks come and go. The slots of warps and their registers are dealt out in equal shares: a block has the
// same slots as any block before it in its place.
#include "gpu/sm_impl.h"

#include <string.h>

void room_fini(struct sm *s)
{
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (s->room.blocks[k].cta) timed_block_destroy(s->room.blocks[k].cta);
    vec_fini(&s->room.placed);
    vec_fini(&s->room.ends);
}

// -- ends ---------------------------------------------------------------------------------------------------

static void block_ended(struct sm *s, struct sm_block *b, uint64_t cycle)
{
    stall_speaks_against(s);
    if (has_techs(s)) tech_block_end(s, (unsigned)(b - s->room.blocks));
    timed_block_end(s->engine, b->cta);
    b->running = false;
    b->free_at = cycle;
    for (uint64_t left = b->slots; left; left &= left - 1) s->warps[bit_lowest(left)].warp = NULL;
    vec_push(&s->room.ends, (struct sm_block_end){cycle, s->index});
}

// Nobody fetches or issues for it any more; its registers may still be written.
static void leave(struct sm *s, unsigned slot)
{
    stall_speaks_against(s);
    front_flush(s, slot, s->warps[slot].front.head);
    s->room.resident &= ~(1ull << slot);
    s->room.resident_count--;
    ready_forget(s, slot);
    front_forget(s, slot);
    issue_leave(s, slot);
    if (s->lsu.asked >> slot & 1) lsu_leave_line(s, slot);
    if (has_techs(s)) tech_warp_end(s, slot);
}

void room_warp_ended(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_block *b = &s->room.blocks[w->block];
    if (s->room.resident >> slot & 1) leave(s, slot);
    if (w->lsu.loads) return; // their registers are still to be written
    b->warps &= ~(1ull << slot);
    uint64_t end = s->now + 1;
    for (uint64_t left = b->slots; left; left &= left - 1)
        end = later(end, s->warps[bit_lowest(left)].operands.busy_until);
    if (!b->warps) block_ended(s, b, end);
}

size_t sm_ended(struct sm *s, struct sm_block_end **ends)
{
    size_t n = s->room.ends.count;
    *ends = s->room.ends.data;
    s->room.ends.count = 0;
    return n;
}

// -- beginnings ---------------------------------------------------------------------------------------------

static void warp_start(struct sm *s, unsigned slot, unsigned block, struct warp *warp)
{
    uint32_t generation = s->warps[slot].generation + 1;
    s->warps[slot] = (struct sm_warp){
        .warp = warp, .block = block, .generation = generation, .age = s->room.warps_so_far++};
    operand_start(s, slot);
    s->room.resident |= 1ull << slot;
    s->room.resident_count++;
    issue_join(s, slot);
    front_update(s, slot);
    ready_start(s, slot);
}

static void block_start(struct sm *s, uint64_t linear)
{
    unsigned n = 0, k = 0;
    while (s->room.blocks[n].running || s->room.blocks[n].free_at > s->now) n++;
    struct sm_block *b = &s->room.blocks[n];
    stall_speaks_against(s);
    if (!b->cta) {
        b->cta = timed_block_create(s->engine);
        b->slots = bit_mask(s->launch->warps_per_block) << n * s->launch->warps_per_block;
    }
    timed_block_start(s->engine, b->cta, linear);
    b->running = true;
    b->warps = b->slots;
    if (s->launch->tech_count) tech_block_start(s, n);
    for (uint64_t left = b->slots; left; left &= left - 1)
        warp_start(s, bit_lowest(left), n, &b->cta->warps[k++]);
}

void sm_place(struct sm *s, uint64_t block, uint64_t cycle)
{
    vec_push(&s->room.placed, (struct placed_block){block, cycle});
}

void room_start_placed(struct sm *s)
{
    while (s->room.placed.count && s->room.placed.data[0].cycle <= s->now) {
        uint64_t block = s->room.placed.data[0].block;
        memmove(s->room.placed.data, s->room.placed.data + 1,
                --s->room.placed.count * sizeof *s->room.placed.data);
        block_start(s, block);
    }
}

// -- questions ----------------------------------------------------------------------------------------------

struct cta *sm_stuck_block(const struct sm *s)
{
    for (unsigned k = 0; k < s->launch->blocks_per_sm; k++)
        if (s->room.blocks[k].running) return s->room.blocks[k].cta;
    return NULL;
}

void sm_collect(struct sm *s)
{
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (s->room.blocks[k].running) exec_cta_collect(s->room.blocks[k].cta);
}

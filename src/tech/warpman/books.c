// Bookkeeping of an SM. The workload buffer is checked against the dispatcher (chip/dispatch.h) at every warp
// start. Counted are warp cycles lost by blocks with warps of different lengths; the variant's limit of warps
// is checked.
#include "tech/warpman/warpman.h"

#include "exec/warp.h"

static void expect(struct warpman *w, bool holds, const char *otherwise)
{
    if (!holds && !w->broken) w->broken = otherwise;
}

static uint32_t warps_of_block(const struct warpman *w) { return tech_launch(w->grid)->warps_per_block; }

static void say(const struct warpman *w, const char *what)
{
    const struct tech_listener *l = w->launch->listener;
    const struct warpman_buffer *b = &w->buffer;
    if (!l) return;
    const struct tech_step step = {
        tech_now(w->grid), what, tech_index(w->grid), (unsigned)b->logical, b->start, 0, b->end};
    l->heard(l->context, &step);
}

// Enters the block into the workload buffer, with all warps still to start. Warps starting with the block
// start in the same cycle.
void warpman_block_start(void *state, unsigned block)
{
    struct warpman *w = state;
    expect(w, !w->buffer.valid, "warpman: a block starts while a partial block has warps not started");
    w->buffer = (struct warpman_buffer){block, 0, 0, warps_of_block(w) - 1, true};
    w->running |= 1ull << block;
    w->start[block] = tech_now(w->grid);
    w->started[block] = 0;
    w->ended_at[block] = 0;
    w->counters[COUNT_blocks]++;
}

// Counts a warp that starts later than its block, and at the block's first such warp a partial block. At the
// block's last warp: adds the cycles since the block's start to counter waited.
static void come_late(struct warpman *w, unsigned block)
{
    struct warpman_buffer *b = &w->buffer;
    if (w->counters[COUNT_late] == w->late_before[block]) w->counters[COUNT_partial]++;
    w->counters[COUNT_late]++;
    if (b->start == b->end) w->counters[COUNT_waited] += tech_now(w->grid) - w->start[block];
}

static bool may_be_beyond(const struct warpman *w)
{
    const struct warpman_options *o = w->launch->options;
    bool is_below = o->variant == VARIANT_THRESHOLD && w->resident < o->limit;
    return is_below || o->variant == VARIANT_SPATIAL || o->variant == VARIANT_DUELING;
}

void warpman_warp_start(void *state, unsigned place)
{
    struct warpman *w = state;
    struct warpman_buffer *b = &w->buffer;
    unsigned block = tech_block_of(w->grid, place);
    const struct warp *warp = tech_warp(w->grid, place);
    bool is_next = b->valid && b->physical == block && b->start == warp->index;
    expect(w, is_next, "warpman: a warp starts without an entry in the workload buffer");
    b->logical = warp->cta->linear;
    if (!w->started[block]++) w->late_before[block] = w->counters[COUNT_late];
    if (tech_now(w->grid) != w->start[block]) come_late(w, block);
    if (w->resident >= w->by_block) {
        w->counters[COUNT_beyond]++;
        expect(w, may_be_beyond(w), "warpman: more warps than the variant allows");
    }
    w->resident++;
    if (b->start == b->end)
        b->valid = false;
    else
        b->start++;
    say(w, b->valid ? "to come" : "complete");
}

void warpman_warp_end(void *state, unsigned place)
{
    struct warpman *w = state;
    unsigned block = tech_block_of(w->grid, place);
    w->resident--;
    w->last_end[block] = tech_now(w->grid);
    w->ended_at[block] += tech_now(w->grid) - w->start[block];
}

// Adds the block's warp cycles to counters warpman.held and warpman.lost. A block killed before the start of
// its last warp adds nothing.
void warpman_block_end(void *state, unsigned block)
{
    struct warpman *w = state;
    uint64_t held = warps_of_block(w) * (w->last_end[block] - w->start[block]);
    w->running &= ~(1ull << block);
    if (w->buffer.valid && w->buffer.physical == block) w->buffer.valid = false;
    if (w->started[block] < warps_of_block(w)) return;
    w->counters[COUNT_held] += held;
    w->counters[COUNT_lost] += held - w->ended_at[block];
}

const char *warpman_check(const void *state)
{
    const struct warpman *w = state;
    if (w->broken) return w->broken;
    if (w->buffer.valid) return "warpman: warps have not started at the end of the launch";
    return w->resident || w->running ? "warpman: warps or blocks have not ended" : NULL;
}

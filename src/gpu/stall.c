// What a warp was like is kept by Brent's method: the state behind the first backward branch, the second, the
// fourth … is what those that follow are compared with, so that a circle is found wherever the warp enters
// it.
#include "gpu/stall.h"
#include "gpu/sm_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct stall_state { // of a warp; then its parts, registers and local memory
    uint64_t pred[PRED_SLOTS], active, exited;
    uint32_t pc, depth, current, split_fuel, split_turn, turn_lane, parts;
};

struct stall_warp {
    uint8_t *kept, *now; // heap; kept: NULL before its first backward branch
    size_t bytes, size;  // bytes: of kept
    uint64_t branches, next_kept;
    bool came_back;
};

struct stall {
    bool is_over;
    uint64_t met;               // bits: blocks in which a warp has executed a barrier
    uint8_t *shared[SM_BLOCKS]; // heap: what it was at the beginning
    struct stall_warp warps[SM_WARPS];
};

void stall_begin(struct sm *s)
{
    uint32_t shared_bytes = s->launch->launch->shared_total;
    s->stall = heap_alloc(sizeof *s->stall);
    sm_note_guests(s);
    s->engine->compares = true;
    s->engine->changed_value = false;
    for (unsigned k = 0; k < s->launch->blocks_per_sm; k++) {
        if (!s->room.blocks[k].running || !shared_bytes) continue;
        s->stall->shared[k] = heap_alloc(shared_bytes);
        memcpy(s->stall->shared[k], s->room.blocks[k].cta->shared, shared_bytes);
    }
}

void stall_end(struct sm *s)
{
    if (!s->stall) return;
    for (unsigned k = 0; k < SM_BLOCKS; k++) free(s->stall->shared[k]);
    for (unsigned k = 0; k < SM_WARPS; k++) {
        free(s->stall->warps[k].kept);
        free(s->stall->warps[k].now);
    }
    free(s->stall);
    s->stall = NULL;
    sm_note_guests(s);
    s->engine->compares = false;
}

void stall_speaks_against(struct sm *s)
{
    if (s->stall) s->stall->is_over = true;
}

bool stall_is_over(const struct sm *s) { return s->stall->is_over || s->engine->changed_value; }

// -- a warp's state -----------------------------------------------------------------------------------------

static uint8_t *append(uint8_t *at, const void *from, size_t bytes)
{
    memcpy(at, from, bytes);
    return at + bytes;
}

// Padding is 0, so that states can be compared byte by byte.
static size_t take_state(struct stall_warp *x, const struct sm *s, const struct warp *w)
{
    const struct exec *e = w->exec;
    size_t registers = (size_t)s->launch->launch->program->reg_count * e->vector_bytes;
    size_t part = offsetof(struct split, barrier_threads) + sizeof(uint32_t); // what follows is padding
    size_t bytes = sizeof(struct stall_state) + w->splits.count * part + registers + w->cta->local_bytes;
    if (bytes > x->size) {
        free(x->now);
        free(x->kept);
        x->size = 2 * bytes;
        x->now = heap_alloc(x->size);
        x->kept = heap_alloc(x->size);
        x->bytes = 0;
    }
    struct stall_state state;
    memset(&state, 0, sizeof state);
    memcpy(state.pred, w->pred, sizeof state.pred);
    state.pred[PRED_SINK] = 0; // nobody reads it
    state.active = w->active;
    state.exited = w->exited;
    state.pc = w->pc;
    state.depth = w->depth;
    state.current = w->current;
    state.split_fuel = w->split_fuel;
    state.split_turn = w->split_turn;
    state.turn_lane = w->turn_lane;
    state.parts = (uint32_t)w->splits.count;
    uint8_t *at = append(x->now, &state, sizeof state);
    for (size_t k = 0; k < w->splits.count; k++) at = append(at, &w->splits.data[k], part);
    at = append(at, w->regs, registers);
    append(at, w->local, w->cta->local_bytes);
    return bytes;
}

static void look_at_warp(struct sm *s, unsigned slot)
{
    struct stall_warp *x = &s->stall->warps[slot];
    if (x->came_back || s->warps[slot].lsu.loads) return;
    size_t bytes = take_state(x, s, s->warps[slot].warp);
    if (x->bytes == bytes && !memcmp(x->kept, x->now, bytes)) {
        x->came_back = true;
        return;
    }
    if (x->branches++ < x->next_kept) return;
    uint8_t *kept = x->kept;
    x->kept = x->now;
    x->now = kept;
    x->bytes = bytes;
    x->next_kept = 2 * x->branches;
}

// -- instructions -------------------------------------------------------------------------------------------

static bool reads_time(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SREG && i->src[k].reg >= SREG_CLOCK_LO &&
            i->src[k].reg <= SREG_GLOBALTIMER)
            return true;
    return false;
}

// What comes of it depends on more than the warp and memory, or is seen outside. A barrier passes no values,
// but for a reduction.
static bool is_outward(const struct inst *i)
{
    return reads_time(i) || i->op == OP_NANOSLEEP || i->op == OP_SYSCALL ||
           (i->op == OP_BAR && i->mode == MODE_BAR_RED);
}

static bool shared_is_changed(const struct sm *s, const struct warp *w, unsigned block)
{
    const uint8_t *before = s->stall->shared[block];
    return !before || memcmp(before, w->cta->shared, s->launch->launch->shared_total) != 0;
}

void stall_executed(struct sm *s, unsigned slot, uint32_t index)
{
    const struct sm_warp *w = &s->warps[slot];
    const struct inst *i = &s->engine->exec.program->insts[index];
    bool writes = isa_has(i, ISA_STORE | ISA_ATOMIC) || i->op == OP_LDGSTS;
    if (s->stall->is_over) return;
    if (i->op == OP_BAR) s->stall->met |= 1ull << w->block;
    if (is_outward(i) ||
        (writes && s->launch->launch->shared_total && shared_is_changed(s, w->warp, w->block)))
        s->stall->is_over = true;
    else if (isa_has(i, ISA_BRANCH) && w->warp->state == WARP_READY && w->warp->pc <= index)
        look_at_warp(s, slot);
}

// -- the verdict --------------------------------------------------------------------------------------------

bool stall_is_certain(const struct sm *s)
{
    if (s->room.placed.count || s->stall->is_over) return false;
    for (unsigned k = 0; k < s->launch->blocks_per_sm; k++)
        if (s->room.blocks[k].running && s->room.blocks[k].warps & ~s->room.resident)
            return false; // has ended, but for replies
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        // Others' arrivals, of which a barrier counts those it has had, might complete it.
        bool waits =
            s->warps[slot].warp->state == WARP_BARRIER && !(s->stall->met >> s->warps[slot].block & 1);
        if (!waits && !s->stall->warps[slot].came_back) return false;
    }
    return true;
}

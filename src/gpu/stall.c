// What a warp was like is kept by Brent's method: the state behind the first backward branch, the second, the
// fourth … is what those that follow are compared with, so that a circle is found wherever the warp enters
// it.
#include "gpu/stall.h"
#include "gpu/sm_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct stall_state { // of a warp; with it its registers, parts and local memory
    uint64_t pred[PRED_SLOTS], active, exited;
    uint32_t pc, depth, current, split_fuel, split_turn, turn_lane, parts;
};

struct stall_warp {
    uint8_t *kept; // heap; NULL before its first backward branch
    size_t bytes;  // room in it
    uint64_t branches, next_kept;
    bool came_back;
};

struct stall {
    bool is_over;
    // By the number of a block.
    uint32_t met[SM_BLOCKS];    // bits: barriers that a warp has come to
    uint8_t *shared[SM_BLOCKS]; // heap: what it was at the beginning
    struct stall_warp warps[SM_WARPS];
    struct tech_kept elsewhere[TECH_REGISTERS]; // of the warp at hand: what mechanisms have of it
};

static void keep_shared(struct stall *x, const struct sm_grid *g)
{
    uint32_t bytes = g->launch->launch->shared_total;
    for (unsigned k = 0; bytes && k < g->launch->blocks_per_sm; k++) {
        const struct sm_block *b = &g->room.blocks[k];
        if (!b->running) continue;
        x->shared[b->number] = heap_alloc(bytes);
        memcpy(x->shared[b->number], b->cta->shared, bytes);
    }
}

void stall_begin(struct sm *s)
{
    s->stall = heap_alloc(sizeof *s->stall);
    sm_note_onlookers(s);
    EACH_GRID(s, g)
    {
        g->engine->compares = true;
        g->engine->changed_value = false;
        keep_shared(s->stall, g);
    }
}

void stall_end(struct sm *s)
{
    if (!s->stall) return;
    for (unsigned k = 0; k < SM_BLOCKS; k++) free(s->stall->shared[k]);
    for (unsigned k = 0; k < SM_WARPS; k++) free(s->stall->warps[k].kept);
    free(s->stall);
    s->stall = NULL;
    sm_note_onlookers(s);
    EACH_GRID(s, g) g->engine->compares = false;
}

void stall_speaks_against(struct sm *s)
{
    if (s->stall) s->stall->is_over = true;
}

bool stall_is_over(const struct sm *s)
{
    bool changed_value = false;
    EACH_GRID(s, g) changed_value |= g->engine->changed_value;
    return s->stall->is_over || changed_value;
}

// -- a warp's state -----------------------------------------------------------------------------------------

// It lies in pieces, which are compared where they are: most warps differ early from what was kept.
struct stall_piece {
    const void *at;
    size_t bytes;
};
enum { STALL_PIECES = 4 + LANES_MAX };

// Padding is 0, so that states can be compared byte by byte.
static struct stall_state stall_state_of(const struct warp *w)
{
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
    return state;
}

static unsigned stall_pieces_of(const struct warp *w, const struct stall_state *state,
                                const struct tech_kept *elsewhere, struct stall_piece pieces[STALL_PIECES])
{
    size_t registers = (size_t)w->exec->program->reg_count * w->exec->vector_bytes;
    size_t part = offsetof(struct split, barrier_threads) + sizeof(uint32_t); // what follows is padding
    unsigned n = 0;
    pieces[n++] = (struct stall_piece){state, sizeof *state};
    pieces[n++] = (struct stall_piece){w->regs, registers};
    if (elsewhere)
        pieces[n++] = (struct stall_piece){elsewhere, w->exec->program->reg_count * sizeof *elsewhere};
    for (size_t k = 0; k < w->splits.count; k++) pieces[n++] = (struct stall_piece){&w->splits.data[k], part};
    pieces[n++] = (struct stall_piece){w->local, w->cta->local_bytes};
    return n;
}

// The number of parts, in the first piece, says how many pieces there are and how long each is.
static bool stall_is_kept(const struct stall_warp *x, const struct stall_piece *pieces, unsigned count)
{
    const uint8_t *kept = x->kept;
    if (!kept) return false;
    for (unsigned k = 0; k < count; kept += pieces[k++].bytes)
        if (memcmp(kept, pieces[k].at, pieces[k].bytes) != 0) return false;
    return true;
}

static void stall_keep(struct stall_warp *x, const struct stall_piece *pieces, unsigned count)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < count; k++) bytes += pieces[k].bytes;
    if (bytes > x->bytes) {
        free(x->kept);
        x->kept = heap_alloc(bytes);
        x->bytes = bytes;
    }
    uint8_t *to = x->kept;
    for (unsigned k = 0; k < count; to += pieces[k++].bytes) memcpy(to, pieces[k].at, pieces[k].bytes);
}

static void look_at_warp(struct sm *s, unsigned slot)
{
    struct stall_warp *x = &s->stall->warps[slot];
    if (x->came_back || s->warps[slot].lsu.loads) return;
    struct stall_piece pieces[STALL_PIECES];
    const struct stall_state state = stall_state_of(s->warps[slot].warp);
    struct tech_kept *elsewhere = has_techs(s) ? s->stall->elsewhere : NULL;
    if (elsewhere) {
        memset(elsewhere, 0, sizeof s->stall->elsewhere);
        tech_kept(&s->warps[slot], elsewhere);
    }
    unsigned count = stall_pieces_of(s->warps[slot].warp, &state, elsewhere, pieces);
    x->came_back = stall_is_kept(x, pieces, count);
    if (x->came_back || x->branches++ < x->next_kept) return;
    stall_keep(x, pieces, count);
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
           (i->op == OP_BAR && i->mode == MODE_BAR_RED) || i->op == OP_WARPCMD || i->op == OP_RCSR;
}

static unsigned block_number(const struct sm_warp *w) { return w->grid->room.blocks[w->block].number; }

static bool shared_is_changed(const struct sm *s, const struct sm_warp *w)
{
    uint32_t bytes = w->grid->launch->launch->shared_total;
    const uint8_t *before = s->stall->shared[block_number(w)];
    return bytes && (!before || memcmp(before, w->warp->cta->shared, bytes) != 0);
}

// A number in a register may be any.
static uint32_t barriers_of(const struct inst *i)
{
    bool is_known = i->src[0].kind == OPERAND_IMM && i->src[0].value < BARRIERS;
    return is_known ? 1u << i->src[0].value : (uint32_t)bit_mask(BARRIERS);
}

void stall_executed(struct sm *s, unsigned slot, uint32_t index)
{
    const struct sm_warp *w = &s->warps[slot];
    const struct inst *i = &w->grid->engine->exec.program->insts[index];
    bool writes = isa_has(i, ISA_STORE | ISA_ATOMIC) || i->op == OP_LDGSTS;
    uint32_t *met = &s->stall->met[block_number(w)];
    if (s->stall->is_over) return;
    if (i->op == OP_BAR) *met |= barriers_of(i);
    // Stores of a flat machine are there at once, and nobody compares them; its atomics are the scratchpad's.
    bool is_unseen = w->grid->launch->launch->flat && !isa_has(i, ISA_ATOMIC);
    if (is_outward(i) || (writes && (is_unseen || shared_is_changed(s, w))))
        s->stall->is_over = true;
    else if (isa_has(i, ISA_BRANCH) && w->warp->state == WARP_READY && w->warp->pc <= index)
        look_at_warp(s, slot);
}

// -- the verdict --------------------------------------------------------------------------------------------

// At a barrier that others have come to since, their arrivals might complete it: it counts those it has had.
// One that has not arrived anywhere waits for lanes of its own.
static bool stall_waits_for_ever(const struct sm *s, unsigned slot)
{
    const struct warp *w = s->warps[slot].warp;
    return w->state == WARP_BARRIER && !(s->stall->met[block_number(&s->warps[slot])] >> w->waits_at & 1);
}

bool stall_is_certain(const struct sm *s)
{
    if (s->room.placed.count || s->stall->is_over) return false;
    EACH_GRID(s, g)
    {
        for (unsigned k = 0; k < g->launch->blocks_per_sm; k++)
            if (g->room.blocks[k].running && g->room.blocks[k].warps & ~s->room.resident)
                return false; // has ended, but for replies
    }
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (!stall_waits_for_ever(s, slot) && !s->stall->warps[slot].came_back) return false;
    }
    return true;
}

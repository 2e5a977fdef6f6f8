// Looks for warps that repeat the same states for ever (circles, exec/circle.h), and for events that end such
// a look.
#include "sm/stall.h"
#include "exec/circle.h"
#include "exec/timed.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

struct stall {
    bool is_over;
    bool is_doubtful; // values have changed unseen (stall_doubts)
    uint64_t began;
    // By block number on the SM.
    uint32_t met[SM_BLOCKS];    // bits: barriers at which warps have arrived since the look began
    uint8_t *shared[SM_BLOCKS]; // heap: copy of the block's shared memory at the start of the look
    struct circle warps[SM_WARPS];
    struct tech_kept elsewhere[TECH_REGISTERS]; // of the warp under examination: registers kept by mechanisms
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
    s->stall->began = s->now;
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
    for (unsigned k = 0; k < SM_WARPS; k++) circle_fini(&s->stall->warps[k]);
    free(s->stall);
    s->stall = NULL;
    sm_note_onlookers(s);
    EACH_GRID(s, g) g->engine->compares = false;
}

void stall_speaks_against(struct sm *s)
{
    if (s->stall) s->stall->is_over = true;
}

void stall_doubts(struct sm *s)
{
    if (s->stall) s->stall->is_doubtful = true;
}

bool stall_is_over(const struct sm *s)
{
    bool changed_value = false;
    EACH_GRID(s, g) changed_value |= g->engine->changed_value;
    return s->stall->is_over || changed_value;
}

// -- instructions -------------------------------------------------------------------------------------------

static unsigned block_number(const struct sm_warp *w) { return w->grid->room.blocks[w->block].number; }

static bool shared_is_changed(const struct sm *s, const struct sm_warp *w)
{
    uint32_t bytes = w->grid->launch->launch->shared_total;
    const uint8_t *before = s->stall->shared[block_number(w)];
    return bytes && (!before || memcmp(before, w->warp->cta->shared, bytes) != 0);
}

// Bits of the barriers an instruction may use: every barrier, if the number is in a register.
static uint32_t barriers_of(const struct inst *i)
{
    bool is_known = i->src[0].kind == OPERAND_IMM && i->src[0].value < BARRIERS;
    return is_known ? 1u << i->src[0].value : (uint32_t)bit_mask(BARRIERS);
}

static void look_at_warp(struct sm *s, unsigned slot)
{
    struct stall *x = s->stall;
    struct circle_elsewhere elsewhere = {0};
    if (s->warps[slot].lsu.loads || s->lsu.copies_of[slot]) return;
    if (has_techs(s)) {
        memset(x->elsewhere, 0, sizeof x->elsewhere);
        mech_kept(&s->warps[slot], x->elsewhere);
        elsewhere = (struct circle_elsewhere){x->elsewhere, sizeof *x->elsewhere};
    }
    circle_branched(&x->warps[slot], s->warps[slot].warp, elsewhere);
}

void stall_executed(struct sm *s, unsigned slot, uint32_t index)
{
    const struct sm_warp *w = &s->warps[slot];
    const struct timed_engine *e = w->grid->engine;
    const struct inst *i = &e->exec.program->insts[index];
    bool writes = isa_has(i, ISA_STORE | ISA_ATOMIC) || i->op == OP_LDGSTS;
    if (s->stall->is_over) return;
    if (i->op == OP_BAR) s->stall->met[block_number(w)] |= barriers_of(i);
    circle_executed(&s->stall->warps[slot], w->warp, index,
                    e->exec.address_operand[index] ? &e->access : NULL, s->now);
    // With flat memory, stores reach memory at once, without comparison of old and new value; atomics are on
    // the scratchpad.
    bool is_unseen = w->grid->launch->launch->flat && !isa_has(i, ISA_ATOMIC);
    if (circle_is_outward(i) || (writes && (is_unseen || shared_is_changed(s, w))))
        s->stall->is_over = true;
    else if (isa_has(i, ISA_BRANCH) && w->warp->state == WARP_READY && w->warp->pc <= index)
        look_at_warp(s, slot);
}

// The address of a skipped load is unknown; the load is taken to read the same word again.
void stall_skipped(struct sm *s, unsigned slot, uint32_t index)
{
    static const struct exec_access somewhere = {.kind = ACCESS_LOAD, .bytes = 4, .mask = 1};
    const struct sm_warp *w = &s->warps[slot];
    if (!s->stall) return;
    const struct inst *i = &w->grid->engine->exec.program->insts[index];
    s->stall->is_doubtful = true;
    circle_executed(&s->stall->warps[slot], w->warp, index, isa_has(i, ISA_LOAD) ? &somewhere : NULL, s->now);
}

// -- the verdict --------------------------------------------------------------------------------------------

// Whether the warp waits at a barrier without an arrival since the look began: an arrival might complete the
// barrier. Also true if parts of the warp wait at different barriers (NO_BARRIER), for lanes of the warp.
static bool stall_waits_for_ever(const struct sm *s, unsigned slot)
{
    const struct warp *w = s->warps[slot].warp;
    if (w->parked) return false; // for a phase: goes on when its time is up
    if (w->state != WARP_BARRIER || w->waits_at >= BARRIERS) return w->state == WARP_BARRIER;
    return !(s->stall->met[block_number(&s->warps[slot])] >> w->waits_at & 1);
}

static bool some_block_ends(const struct sm *s)
{
    if (s->room.placed.count) return true;
    EACH_GRID(s, g)
    {
        for (unsigned k = 0; k < g->launch->blocks_per_sm; k++)
            // a warp of the block has exited and waits for replies
            if (g->room.blocks[k].running && g->room.blocks[k].warps & ~s->room.resident) return true;
    }
    return false;
}

bool stall_is_certain(const struct sm *s)
{
    if (s->stall->is_over || s->stall->is_doubtful || some_block_ends(s)) return false;
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (!stall_waits_for_ever(s, slot) && !s->stall->warps[slot].came_back) return false;
    }
    return true;
}

bool stall_is_likely(const struct sm *s, uint64_t now, uint64_t patience)
{
    if (s->stall->is_over || now - s->stall->began < patience || some_block_ends(s)) return false;
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (!stall_waits_for_ever(s, slot) && !circle_polls(&s->stall->warps[slot], now, patience))
            return false;
    }
    return true;
}

void stall_describe(const struct sm *s, unsigned slot, struct strbuf *out)
{
    struct strbuf round = {0};
    if (!s->stall) return;
    circle_describe(&s->stall->warps[slot], s->warps[slot].warp, &round);
    if (round.length) strbuf_printf(out, "; %s", strbuf_text(&round));
    strbuf_fini(&round);
}

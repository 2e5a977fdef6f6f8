#include "isa/isa.h"
#include "sm/operand_take.h"

#include <stdlib.h>

void predict_init(struct sm *s)
{
    if (s->config->predict == PREDICT_NONE) return;
    s->predict.warps = heap_alloc(SM_SLOTS * sizeof *s->predict.warps);
    s->predict.counters = heap_alloc(s->config->predict_bits / 2);
}

void predict_fini(struct sm *s)
{
    free(s->predict.warps);
    free(s->predict.counters);
}

// -- directions ---------------------------------------------------------------------------------------------

static uint8_t *counter_of(struct sm *s, uint32_t index)
{
    uint32_t counters = s->config->predict_bits / 2,
             history = s->predict.history & (uint32_t)bit_mask(s->config->predict_history);
    return &s->predict.counters[(index ^ history) % counters];
}

static bool predicts_taken(struct sm *s, uint32_t index, const struct inst *i, bool is_taken)
{
    switch ((enum predict_way)s->config->predict) {
    case PREDICT_STATIC: return i->target <= index; // backwards
    case PREDICT_GSHARE: return *counter_of(s, index) > 1;
    case PREDICT_PERFECT:
    case PREDICT_NONE: break;
    }
    return is_taken;
}

// Updates gshare's table and history with a branch's outcome (the prediction, if the lanes diverge), already
// at issue. All warps of the SM share the table and the history.
static void train(struct sm *s, uint32_t index, bool taken)
{
    uint8_t *counter = counter_of(s, index);
    if (taken && *counter < 3) ++*counter;
    if (!taken && *counter > 0) --*counter;
    s->predict.history = s->predict.history << 1 | taken;
}

// -- a branch -----------------------------------------------------------------------------------------------

void predict_branch(struct sm *s, unsigned slot, const struct op *o, const struct inst *i)
{
    struct sm_warp *w = &s->warps[slot];
    struct predict_warp *p = &s->predict.warps[slot];
    struct gpu_counts *n = &w->grid->counts;
    uint32_t index = (uint32_t)(o - w->grid->ops);
    uint64_t guard = w->warp->pred[o->guard], taken = s->issue.lanes & (o->guard_not ? ~guard : guard);
    *p = (struct predict_warp){0};
    // All branches but BRA issue as without prediction: calls, returns, exits, RISC-V's branches.
    if (i->op != OP_BRA) {
        ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
        return;
    }
    p->is_followed = true;
    p->next = w->warp->state == WARP_READY ? w->warp->pc : index + 1;
    if (!o->is_guarded) return;
    bool is_taken = taken == s->issue.lanes, parts = taken && !is_taken;
    bool predicted = predicts_taken(s, index, i, is_taken);
    train(s, index, parts ? predicted : is_taken);
    if (parts) {
        n->predict_divergent++;
    } else if (predicted == is_taken) {
        n->predict_right++;
    } else {
        n->predict_wrong++;
        p->is_wrong = true;
        p->next = predicted ? i->target : index + 1;
        p->resume = s->now + s->config->predict_resolve;
        p->known = p->resume - 2;
    }
}

void predict_follow(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct predict_warp *p = &s->predict.warps[slot];
    if (!p->is_followed) return;
    p->is_followed = false;
    if (w->warp->state != WARP_READY) return;
    if (!p->is_wrong) {
        if (p->next == w->warp->pc && p->next != w->front.head) front_follow(s, slot, p->next);
        return;
    }
    if (has_techs(s)) { // mechanisms control fetching and cannot handle wrong paths: the warp waits instead
        ready_pause(&w->ready, p->resume, SLOT_FETCH);
        return;
    }
    s->predict.wrong |= 1ull << slot;
    ready_pause(&w->ready, CYCLE_NEVER, SLOT_FETCH);
    p->stall = w->operands.stall_until;
    if (p->next != w->front.head) front_follow(s, slot, p->next);
    ready_wake_at(s, slot, p->known > s->now ? p->known : s->now + 1);
}

// -- a wrong path -------------------------------------------------------------------------------------------

void predict_look(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct predict_warp *p = &s->predict.warps[slot];
    if (p->known > s->now) return;
    s->predict.wrong &= ~(1ull << slot);
    operand_stall(&w->operands, p->stall);
    front_flush(s, slot, w->warp->pc);
    front_update(s, slot);
    ready_pause(&w->ready, p->resume, SLOT_FETCH);
}

bool predict_may_issue(const struct op *o) { return o->path == PATH_ALU || o->path == PATH_MEMORY; }

void predict_ghost(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *o = &w->grid->ops[w->front.head];
    uint64_t done = s->now + 1;
    if (o->read_count || o->path == PATH_ALU) done = operand_collect(s, w, o);
    if (o->path == PATH_ALU) done = operand_execute(s, w, o, done, o->interval);
    if (s->config->dependences == DEPENDENCES_SINGLE) operand_stall(&w->operands, done - o->bypass);
    w->grid->counts.predict_ghosts++;
    front_take(&w->front);
}

void predict_forget(struct sm *s, unsigned slot)
{
    s->predict.wrong &= ~(1ull << slot);
    if (s->predict.warps) s->predict.warps[slot] = (struct predict_warp){0};
}

// Issue at a mechanism's port (tech_to_port): at most one instruction a cycle, of the port's warps in turn,
// without issue slot, collector or pipeline.
#include "exec/timed.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/issue/issue_impl.h"
#include "sm/mech/ask.h"
#include "sm/operand_take.h"

#include <assert.h>

void issue_to_port(struct sm *s, unsigned slot, bool to_port)
{
    s->issue.at_port &= ~(1ull << slot);
    s->issue.at_port |= (uint64_t)to_port << slot;
}

// The instruction executes without a collector or a pipeline, with the latency of an instruction that found
// both free.
static void dispatch_at_port(struct sm *s, unsigned slot, const struct op *o, const struct inst *i,
                             uint64_t lanes)
{
    enum { COLLECT = 1, START = 1 }; // cycles, as in operand.c
    struct sm_warp *w = &s->warps[slot];
    if (s->config->check) check_read_preds(&s->check, slot, o, s->issue.lanes, s->now);
    operand_look_up(s, w, o);
    mech_executed(w, (uint32_t)(o - w->grid->ops));
    w->grid->counts.lanes[o->lanes] += issue_price(w, o, lanes).lanes;
    if (isa_has(i, ISA_BRANCH)) ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
    uint64_t done = operand_write(s, w, w->operands.map + o->dst, o, s->now + COLLECT + START + o->latency);
    operand_result(s, w, o, done, false);
    // is_over is true: an instruction at the port takes no entry of the scoreboard of dependences=board.
    issue_keep_warp(s, w, o, done, true);
    issue_pay(s, w, o, done);
    if (s->stall) stall_executed(s, slot, (uint32_t)(o - w->grid->ops));
    if (s->watch) watch_issued(s, slot, o, s->now + COLLECT, false);
}

static enum outcome issue_at_port(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    uint32_t index = w->front.head;
    const struct op *o = &g->ops[index];
    const struct inst *i = &g->engine->exec.program->insts[index];
    if (o->constant && !tags_have_constant(s, slot, o->constant)) {
        ready_evaluate(s, slot);
        return OUTCOME_REFUSED;
    }
    s->issue.lanes = w->warp->active;
    mech_reads(w, index);
    if (!mech_port(w, index)) {
        mech_settles(g);
        ready_evaluate(s, slot);
        return OUTCOME_REFUSED;
    }
    uint64_t lanes_before = w->warp->counts.thread_instructions;
    enum timed_outcome outcome = timed_step(g->engine, w->warp, s->now);
    assert(outcome == TIMED_DONE && (o->path == PATH_ALU || isa_has(i, ISA_BRANCH)));
    (void)outcome;
    dispatch_at_port(s, slot, o, i, w->warp->counts.thread_instructions - lanes_before);
    g->counts.issue_port++;
    return issue_left(s, g, slot, index, o, false);
}

// For each scheduler without an issue in this cycle: notes its oldest ready warp at the port as refused.
static void refuse_others(struct sm *s, uint64_t ready)
{
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        uint64_t own = ready & s->ready.now & s->issue.warps_of[k];
        if (own && !s->issue.issued[k]) refuse(s, k, pick_oldest(s, own), SLOT_UNIT);
    }
}

// Tries to issue an instruction of one ready warp at the port, round robin. A warp just served by its
// scheduler in this cycle is left out.
void issue_port(struct sm *s)
{
    uint64_t ready = s->ready.now & s->issue.at_port;
    for (unsigned k = 0; ready && k < s->config->schedulers; k++)
        if (s->issue.issued[k]) ready &= ~(1ull << s->issue.last[k]);
    if (!ready || s->faulted) return;
    uint64_t behind = ready & ~bit_mask(s->issue.last_at_port + 1);
    unsigned slot = bit_lowest(behind ? behind : ready);
    s->issue.last_at_port = slot;
    enum outcome o = issue_at_port(s, slot);
    if (o == OUTCOME_ISSUED && s->warps[slot].warp->state == WARP_READY) {
        front_update(s, slot);
        ready_evaluate(s, slot);
    }
    refuse_others(s, ready);
}

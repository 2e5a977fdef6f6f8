// An instruction issues, inline: collector, load/store queue, branch unit and constants are checked, and the
// instruction is executed (exec/timed.h). Reservations decide from which cycle on later instructions of the warp
// may read its results.
//
//     head of the I-buffer ─▶ has room? ─▶ timed_step ─▶ dispatch: units, registers, queue ─▶ leaves the I-buffer
#pragma once
#include "exec/timed.h"
#include "exec/warp.h"
#include "sm/issue/issue_impl.h"
#include "sm/mech/ask.h"
#include "sm/operand_take.h"

// -- slot.c
// Why the instruction cannot issue under dependences other than the scoreboard's, where known only at issue;
// SLOT_ISSUED: no obstacle.
enum gpu_slot issue_obstacle(struct sm *s, unsigned slot, const struct op *o);
void issue_keep_strictly(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done, bool is_over);
// Whether the tensor unit of the warp's scheduler is too busy for the product. True: refused, and the warp pauses.
bool issue_finds_tensor_busy(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o);
// Counts the multiply-adds of an issuing product, and chooses the tensor unit.
void issue_product(struct sm *s, unsigned slot, const struct op *o);
// Charges the time of a control instruction or fence. Returns the cycle of the result.
uint64_t issue_control(struct sm *s, unsigned slot, const struct op *o, uint64_t collected);
// With onlookers: costs after all mechanisms' changes; the end of the issue. accesses: a memory instruction with an
// accessing lane.
struct op_cost issue_observed_cost(struct sm *s, unsigned slot, const struct op *o, bool accesses,
                                   uint64_t lanes);
void issue_observed(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, uint64_t done,
                    bool accesses);
// A mechanism supplies the result after `cycles` cycles.
void issue_reused(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, uint32_t cycles);
// A mechanism's move in place of the instruction; copied: of the hook `copies`.
enum outcome issue_copy(struct sm *s, unsigned scheduler, unsigned slot, uint32_t copied);
// Effects of a control instruction, or of one behind which the warp does not go on.
void issue_after_control(struct sm *s, struct sm_grid *g, unsigned slot, const struct op *o);

// sim.no_divergence: executes the warp's next instructions without time, as long as the warp's chosen lane takes no part.
void issue_pass_others(struct sm *s, unsigned slot);

// issue_stepped for a plain instruction behind which the warp does not go on.
enum outcome issue_unusual(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o,
                           enum timed_outcome outcome, uint64_t issued_before, uint64_t lanes_before);

enum outcome issue_watched(struct sm *s, unsigned scheduler, unsigned slot,
                           const struct op *o); // with onlookers

static inline const struct inst *issue_inst(const struct sm_grid *g, const struct op *o)
{
    return &g->engine->exec.insts[o - g->ops];
}

static inline void issue_keep_scheduler(struct sm *s, unsigned slot, uint32_t cycles)
{
    s->issue.free[slot % s->config->schedulers] = s->now + cycles;
}

// Who is told of an issuing instruction; a constant, so that questions to nobody are no code. TECHS: mechanisms alone.
// ALL: mechanisms, if there are some, a watch, sim.check, a look for launches without end.
enum audience { AUDIENCE_NONE, AUDIENCE_TECHS, AUDIENCE_ALL };

static inline __attribute__((always_inline)) bool issue_tells_techs(const struct sm *s, enum audience told)
{
    return told == AUDIENCE_TECHS || (told == AUDIENCE_ALL && has_techs(s));
}

// Whether nothing known only at issue stands in the way: load/store queue, collector, dependence tracking,
// branch unit, constants. False: the refusal has been noted. accesses: a memory instruction with an accessing
// lane (active, guard true). Memory instructions without one need neither queue nor collector.
static inline __attribute__((always_inline)) bool
issue_has_room(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, bool accesses)
{
    // A memory instruction without an accessing lane is complete at issue.
    bool is_over = o->path == PATH_MEMORY && !accesses;
    // The guard's value has changed since the warp's readiness was evaluated, so the access now needs room in
    // the load/store unit.
    if (accesses && !lsu_may_enter(&s->lsu, slot)) {
        refuse(s, scheduler, slot, SLOT_UNIT);
        ready_evaluate(s, slot);
        return false;
    }
    if (o->collects && !is_over && !operand_has_collector(s)) {
        refuse(s, scheduler, slot, SLOT_OPERAND);
        return false;
    }
    if (o->pipe == PIPE_TENSOR && issue_finds_tensor_busy(s, scheduler, slot, o)) return false;
    enum gpu_slot obstacle = s->config->dependences != DEPENDENCES_SCOREBOARD && !is_over
                                 ? issue_obstacle(s, slot, o)
                                 : SLOT_ISSUED;
    if (obstacle != SLOT_ISSUED) {
        refuse(s, scheduler, slot, obstacle);
        return false;
    }
    if (o->path == PATH_CONTROL && s->issue.branch_free[scheduler] > s->now) {
        refuse(s, scheduler, slot, SLOT_UNIT);
        return false;
    }
    if (o->constant && !tags_have_constant(s, slot, o->constant)) {
        refuse(s, scheduler, slot, SLOT_MEMORY);
        ready_evaluate(s, slot);
        waits_for_level(s, slot, LEVEL_CONSTANT);
        return false;
    }
    return true;
}

// Delays the warp's next instruction after the issue of `o`, whose result is available from cycle `done` on.
// is_over: `o` is a memory instruction without an accessing lane, or issued at a mechanism's port.
static inline __attribute__((always_inline)) void issue_keep(struct sm *s, struct sm_warp *w,
                                                             const struct op *o, uint64_t done, bool is_over)
{
    if (s->config->dependences >= DEPENDENCES_SINGLE)
        issue_keep_strictly(s, w, o, done, is_over);
    else if (s->config->dependences == DEPENDENCES_ENCODED)
        operand_stall(&w->operands, s->now + o->stall);
}

// Charges the time of an instruction executed in `lanes` lanes. accesses: a memory instruction with an
// accessing lane (active, guard true).
static inline __attribute__((always_inline)) void issue_dispatch(struct sm *s, unsigned slot,
                                                                 const struct op *o, bool accesses,
                                                                 uint64_t lanes, enum audience told)
{
    struct sm_warp *w = &s->warps[slot];
    bool collects = o->collects && (accesses || o->path != PATH_MEMORY);
    uint64_t collected = s->now + 1, done, result = 0;
    if (collects) collected = told ? operand_collect_observed(s, w, o) : operand_collect_plain(s, w, o);
    done = collected;
    uint32_t interval = o->interval, issue = s->config->issue_interval;
    if (told == AUDIENCE_TECHS) mech_executed(w, (uint32_t)(o - w->grid->ops));
    if (told == AUDIENCE_ALL || (told && w->grid->hooks->cost && (accesses || o->path != PATH_MEMORY))) {
        struct op_cost c = told == AUDIENCE_ALL ? issue_observed_cost(s, slot, o, accesses, lanes)
                                                : issue_price(w, o, lanes);
        lanes = c.lanes;
        interval = c.interval;
        issue = c.issue;
    }
    w->grid->counts.lanes[o->lanes] += lanes;
    if (issue > 1) issue_keep_scheduler(s, slot, issue);
    if (o->path == PATH_ALU) {
        if (o->pipe == PIPE_TENSOR) issue_product(s, slot, o);
        done = told ? operand_piped(s, w, o, operand_execute(s, w, o, collected, interval))
                    : operand_piped_plain(s, w, o, collected);
    } else if (o->path != PATH_MEMORY) {
        result = issue_control(s, slot, o, collected);
        if (o->dst_words) done = result;
    } else if (accesses) {
        // The source registers are in use until cycle `collected`, when the collector has read them.
        operand_keep_busy(&w->operands, collected);
        lsu_push(s, slot, o, issue_inst(w->grid, o), collected + 1);
    } else if (issue_tells_techs(s, told)) {
        mech_result(w, (uint32_t)(o - w->grid->ops), collected);
    }
    // The later cycle: a vote may write only a predicate, ready at `result`, not at `done`.
    issue_keep(s, w, o, later(done, result), o->path == PATH_MEMORY && !accesses);
    if (told == AUDIENCE_ALL) issue_observed(s, slot, o, collected, done, accesses);
    if (told == AUDIENCE_TECHS && s->config->dependences == DEPENDENCES_ENCODED) issue_pay(s, w, o, done);
}

// Removes the issued instruction from the I-buffer, and applies its effects on barriers and mechanisms, or
// the warp's end. has_slot: issued in a slot of its scheduler; false: at a mechanism's port.
static inline __attribute__((always_inline)) enum outcome
issue_leave_buffer(struct sm *s, struct sm_grid *g, unsigned slot, uint32_t index, const struct op *o,
                   bool has_slot, enum audience told)
{
    struct sm_warp *w = &s->warps[slot];
    g->counts.issue_issued++;
    if (has_slot)
        account_issued(&g->account, index);
    else
        account_saved(&g->account, index, SAVED_SLOT);
    front_take(&w->front);
    if (told == AUDIENCE_ALL && s->config->no_divergence) issue_pass_others(s, slot);
    bool goes_on = w->warp->state == WARP_READY && w->warp->pc == w->front.head;
    if (!goes_on || o->pipe == PIPE_CONTROL) issue_after_control(s, g, slot, o);
    if (issue_tells_techs(s, told)) {
        if (w->warp)
            mech_issued(w, index, goes_on);
        else
            mech_settles(g);
    }
    return goes_on ? OUTCOME_ISSUED : OUTCOME_STOPPED;
}

// After the step of instruction `o`, with the warp's counts of instructions and lanes before the step.
static inline __attribute__((always_inline)) enum outcome
issue_stepped(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, bool accesses,
              enum timed_outcome outcome, uint64_t issued_before, uint64_t lanes_before, enum audience told)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    switch (outcome) {
    case TIMED_RETRY:
        ready_pause(&w->ready, s->window_end, SLOT_MEMORY);
        refuse(s, scheduler, slot, SLOT_MEMORY);
        mech_settles(g);
        ready_evaluate(s, slot);
        waits_for_level(s, slot, o->order & OP_STORES ? LEVEL_ATOMICS : LEVEL_ORDER);
        return OUTCOME_REFUSED;
    case TIMED_FAULT:
        s->faulted = true;
        mech_settles(g);
        return OUTCOME_STOPPED;
    case TIMED_DONE: break;
    }
    if (w->warp->issued != issued_before) {
        issue_dispatch(s, slot, o, accesses, w->warp->counts.thread_instructions - lanes_before, told);
    } else { // lanes wait for reconvergence; the instruction executes later with all lanes
        g->counts.issue_parts++;
        if (issue_tells_techs(s, told)) mech_executed(w, (uint32_t)(o - g->ops));
    }
    return issue_leave_buffer(s, g, slot, (uint32_t)(o - g->ops), o, true, told);
}

// Tries to issue a plain instruction (decode.h) of a full warp, without onlookers.
static inline __attribute__((always_inline)) enum outcome issue_plain(struct sm *s, unsigned scheduler,
                                                                      unsigned slot, const struct op *o)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    struct timed_engine *t = g->engine;
    struct warp *lanes = w->warp;
    if (!operand_has_collector(s)) {
        refuse(s, scheduler, slot, SLOT_OPERAND);
        return OUTCOME_REFUSED;
    }
    if (o->constant && !tags_have_constant(s, slot, o->constant)) {
        refuse(s, scheduler, slot, SLOT_MEMORY);
        ready_evaluate(s, slot);
        waits_for_level(s, slot, LEVEL_CONSTANT);
        return OUTCOME_REFUSED;
    }
    uint64_t issued_before = lanes->issued, lanes_before = lanes->counts.thread_instructions;
    const struct bound *d = timed_begin(t, lanes, s->now), *next = exec_step(lanes, d);
    if (!exec_went_straight(lanes, d, next))
        return issue_unusual(s, scheduler, slot, o, timed_end(t, lanes, next), issued_before, lanes_before);
    operand_pass(s, w, g, o);
    g->counts.lanes[o->lanes] += lanes->counts.thread_instructions - lanes_before;
    g->counts.issue_issued++;
    account_issued(&g->account, w->front.head);
    front_take(&w->front);
    return OUTCOME_ISSUED;
}

// With onlookers, before the step: true if a mechanism supplies the instruction's result, or changes its guard, or
// issues a move in its place. *outcome: of the issue.
static inline __attribute__((always_inline)) bool issue_supplied(struct sm *s, unsigned scheduler,
                                                                 unsigned slot, const struct op *o,
                                                                 bool accesses, enum audience told,
                                                                 enum outcome *outcome)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    uint32_t index = (uint32_t)(o - g->ops);
    s->issue.lanes = w->warp->active;
    if (told == AUDIENCE_ALL && s->config->check) check_issue(&s->check, index, w->warp->pc);
    if (!issue_tells_techs(s, told)) return false;
    uint32_t copied = mech_copies(w, index);
    if (copied) {
        *outcome = issue_copy(s, scheduler, slot, copied);
        return true;
    }
    mech_reads(w, index);
    // A mechanism has just supplied the guard's value, which decides on the memory access: evaluate the
    // warp's readiness again.
    if (accesses_memory(w, o) != accesses) {
        refuse(s, scheduler, slot, SLOT_UNIT);
        mech_settles(g);
        ready_evaluate(s, slot);
        *outcome = OUTCOME_REFUSED;
        return true;
    }
    uint32_t reused = o->path == PATH_ALU ? mech_reuse(w, index) : accesses ? mech_reuse_load(w, index) : 0;
    if (!reused) return false;
    if (accesses && s->lsu.asked >> slot & 1) lsu_leave_line(s, slot);
    issue_reused(s, scheduler, slot, o, reused);
    *outcome = issue_leave_buffer(s, g, slot, index, o, true, told);
    return true;
}

// issue_this for any instruction.
static inline __attribute__((always_inline)) enum outcome
issue_any(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, enum audience told)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    bool accesses = accesses_memory(w, o);
    if (!issue_has_room(s, scheduler, slot, o, accesses)) return OUTCOME_REFUSED;
    uint64_t lanes_before = w->warp->counts.thread_instructions;
    if (told) {
        enum outcome outcome;
        if (issue_supplied(s, scheduler, slot, o, accesses, told, &outcome)) return outcome;
    } else if (o->path == PATH_CONTROL) {
        s->issue.lanes = w->warp->active; // for the prediction of the branch
    }
    uint64_t issued_before = w->warp->issued;
    enum timed_outcome outcome = timed_step(g->engine, w->warp, s->now);
    return issue_stepped(s, scheduler, slot, o, accesses, outcome, issued_before, lanes_before, told);
}

// Tries to issue the instruction at the head of the I-buffer, an instruction of the right path.
static inline __attribute__((always_inline)) enum outcome issue_this(struct sm *s, unsigned scheduler,
                                                                     unsigned slot, enum sm_mode mode)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *o = &w->grid->ops[w->front.head];
    if (mode != MODE_PLAIN && has_onlookers(s)) return issue_watched(s, scheduler, slot, o);
    if (o->is_plain && w->warp->active == w->warp->full) return issue_plain(s, scheduler, slot, o);
    return issue_any(s, scheduler, slot, o, AUDIENCE_NONE);
}

// The rarer ways of an issuing instruction (one.h): control, other dependences than the scoreboard's, mechanisms and
// other onlookers.
#include "exec/timed.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "sm/issue/one.h"
#include "sm/products.h"

// Why the instruction cannot issue under the configured dependence tracking, where known only at issue;
// SLOT_ISSUED: no obstacle.
enum gpu_slot issue_obstacle(struct sm *s, unsigned slot, const struct op *o)
{
    if (s->config->dependences == DEPENDENCES_ENCODED) return operand_obstacle(s, &s->warps[slot], o);
    if (s->config->dependences != DEPENDENCES_BOARD || board_has_entries(s, slot, o)) return SLOT_ISSUED;
    ready_evaluate(s, slot);
    return SLOT_UNIT;
}

// A product may wait in its collector for the unit, so that bank conflicts of its many registers leave no gap between
// products.
enum { TENSOR_EARLY = 4 };

bool issue_finds_tensor_busy(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o)
{
    unsigned unit = slot % s->config->schedulers;
    uint64_t free = s->operands.pipe_free[PIPE_TENSOR][unit], soonest = s->now + o->collected + 1;
    operand_choose_tensor(s, unit);
    if (free <= soonest + TENSOR_EARLY) return false;
    refuse(s, scheduler, slot, SLOT_UNIT);
    ready_pause(&s->warps[slot].ready, s->now + free - soonest - TENSOR_EARLY, SLOT_UNIT);
    ready_evaluate(s, slot);
    return true;
}

void issue_product(struct sm *s, unsigned slot, const struct op *o)
{
    struct sm_grid *g = s->warps[slot].grid;
    operand_choose_tensor(s, slot % s->config->schedulers);
    product_count(&g->counts, issue_inst(g, o));
}

// A control word knows the banks of the program's registers, not the banks of registers substituted by a
// mechanism: the result may be late. The warp's next instruction then waits longer.
void issue_pay(const struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done)
{
    if (s->config->dependences != DEPENDENCES_ENCODED) return;
    // `done` is the cycle of the result
    bool is_result = o->path == PATH_ALU || (o->path == PATH_CONTROL && o->dst_words);
    uint64_t expected = s->now + (is_result ? o->cycles : o->collected);
    if (done > expected) operand_stall(&w->operands, w->operands.stall_until + done - expected);
    operand_settle(&w->operands);
}

// The costs of the instruction after the mechanisms' changes. Counts the lanes spared and the registers
// compared.
struct op_cost issue_price(const struct sm_warp *w, const struct op *o, uint64_t lanes)
{
    struct op_cost c = {
        .lanes = (uint32_t)lanes, .interval = o->interval, .issue = w->grid->sm->config->issue_interval};
    if (w->grid->hooks->cost) mech_cost(w, (uint32_t)(o - w->grid->ops), &c);
    w->grid->counts.issue_spared_lanes += lanes - c.lanes;
    operand_compare(w, c.compared);
    return c;
}

void issue_keep_strictly(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done, bool is_over)
{
    bool is_memory = o->path == PATH_MEMORY;
    if (s->config->dependences == DEPENDENCES_SINGLE) {
        operand_stall(&w->operands, done);
        return;
    }
    if (is_over) {
        board_passed(s, slot_of(s, w));
        return;
    }
    uint8_t entry = board_issued(s, slot_of(s, w), o, is_memory ? CYCLE_NEVER : done + o->bypass);
    if (is_memory && entry != BOARD_NONE) lsu_enter_board(s, entry);
}

// nanosleep: the warp pauses for the time asked by its lowest active lane.
static void sleep_warp(const struct sm *s, struct sm_warp *w, const struct inst *i)
{
    uint32_t lane = bit_lowest(w->warp->active ? w->warp->active : 1);
    uint64_t ns = i->src[0].kind == OPERAND_IMM
                      ? i->src[0].value
                      : reg_lanes(w->warp->regs, i->src[0].reg * w->grid->engine->exec.vector_bytes)[lane];
    ready_pause(&w->ready, s->now + ns * s->config->core_mhz / 1000 + 1, SLOT_BARRIER);
    ready_stop(&w->ready, w->front.head);
}

// A branch, barrier or other instruction of the branch unit, or a fence. Returns the cycle of the result.
uint64_t issue_control(struct sm *s, unsigned slot, const struct op *o, uint64_t collected)
{
    struct sm_warp *w = &s->warps[slot];
    const struct inst *i = issue_inst(w->grid, o);
    if (o->path == PATH_CONTROL) {
        s->issue.branch_free[slot % s->config->schedulers] = s->now + o->interval;
        if (isa_has(i, ISA_BRANCH)) {
            if (s->config->predict == PREDICT_NONE)
                ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
            else
                predict_branch(s, slot, o, i);
        }
        if (i->op == OP_NANOSLEEP) sleep_warp(s, w, i);
    }
    if (o->path == PATH_COPIES) warpgroup_issued(s, slot, i, collected);
    uint64_t result = operand_write(s, w, w->operands.map + o->dst, o, collected + o->latency);
    operand_result(s, w, o, result, false);
    return result;
}

// The costs of the issuing instruction after all mechanisms' changes, told to onlookers. accesses: as for dispatch.
struct op_cost issue_observed_cost(struct sm *s, unsigned slot, const struct op *o, bool accesses,
                                   uint64_t lanes)
{
    struct sm_warp *w = &s->warps[slot];
    if (s->config->check) check_read_preds(&s->check, slot, o, s->issue.lanes, s->now);
    if (has_techs(s)) mech_executed(w, (uint32_t)(o - w->grid->ops));
    if (w->grid->hooks->cost && (accesses || o->path != PATH_MEMORY)) return issue_price(w, o, lanes);
    return (struct op_cost){
        .lanes = (uint32_t)lanes, .interval = o->interval, .issue = s->config->issue_interval};
}

void issue_observed(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, uint64_t done,
                    bool accesses)
{
    if (has_techs(s) && s->config->dependences == DEPENDENCES_ENCODED) issue_pay(s, &s->warps[slot], o, done);
    if (s->stall) stall_executed(s, slot, (uint32_t)(o - s->warps[slot].grid->ops));
    if (s->watch) watch_issued(s, slot, o, collected, accesses);
}

// A mechanism supplies the result: the instruction takes an issue slot, but no collector and no pipeline. As
// the second instruction of a pair, it writes after the next cycle at the earliest: in the next cycle, the
// pair's first instruction reads its operands.
void issue_reused(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, uint32_t cycles)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t soonest = s->now + 1 + s->issue.issued[scheduler];
    uint64_t result = operand_write(s, w, w->operands.map + o->dst, o, later(s->now + cycles, soonest));
    w->warp->pc++;
    stall_skipped(s, slot, (uint32_t)(o - w->grid->ops));
    operand_stall(&w->operands, later(s->now + o->stall, result));
    operand_settle(&w->operands);
    operand_result(s, w, o, result, false);
    if (s->config->dependences == DEPENDENCES_BOARD) board_issued(s, slot, o, result);
    if (s->watch) watch_reused(s, slot, o);
}

// Whether the instruction may wait for other warps: a barrier, a wait for a phase, or a command of a RISC-V warp. The
// command is a barrier of the warp's group, or the warp's end.
static bool meets_others(const struct inst *i)
{
    return i->op == OP_BAR || i->op == OP_WARPCMD || i->op == OP_SYNCSWAIT || i->op == OP_UCGABAR;
}

// After a control instruction, or one behind which the warp does not go on: effects on the I-buffer, on barriers,
// and the warp's end.
void issue_after_control(struct sm *s, struct sm_grid *g, unsigned slot, const struct op *o)
{
    struct sm_warp *w = &s->warps[slot];
    const struct inst *i = issue_inst(g, o);
    if (meets_others(i)) ready_stop(&w->ready, (uint32_t)(o - g->ops));
    if (s->config->no_barriers && i->op == OP_BAR) timed_pass_barrier(w->warp);
    if (isa_has(i, ISA_BRANCH) && s->config->predict != PREDICT_NONE) predict_follow(s, slot);
    ready_settle(s, slot);
    // The last warp has arrived.
    if (meets_others(i) && i->op != OP_SYNCSWAIT && i->mode != MODE_BAR_ARRIVE &&
        w->warp->state == WARP_READY) {
        ready_pause(&w->ready, s->now + s->config->barrier_latency, SLOT_BARRIER);
        ready_evaluate(s, slot);
    }
    if (isa_has(i, ISA_BARRIER | ISA_EXIT)) ready_barriers(g, w->block);
    if (w->warp && w->warp->state == WARP_DONE) room_warp_ended(s, slot);
}

// Writes all lanes of register Rr, kept by a mechanism as a value for all lanes or as a base and a stride, or shared with
// other warps. The move takes the issue slot; the warp's instruction stays at the head of the I-buffer.
enum outcome issue_copy(struct sm *s, unsigned scheduler, unsigned slot, uint32_t copied)
{
    struct sm_warp *w = &s->warps[slot];
    unsigned r = (copied & ~TECH_COPY_LANES) - 1;
    uint64_t done = copied & TECH_COPY_LANES ? operand_move_own(w, r) : operand_spread(w, r);
    if (s->config->dependences != DEPENDENCES_SCOREBOARD)
        operand_stall(&w->operands, later(w->operands.stall_until, done));
    operand_keep_busy(&w->operands, done);
    if (s->config->issue_interval > 1) issue_keep_scheduler(s, slot, s->config->issue_interval);
    w->grid->counts.issue_copies++;
    refuse(s, scheduler, slot, SLOT_UNIT);
    ready_evaluate(s, slot);
    return OUTCOME_COPIED;
}

// Issues an instruction of a wrongly predicted path. An issue slot and, where needed, a collector and a
// pipeline are charged; nothing is executed.
enum outcome issue_ghost(struct sm *s, unsigned scheduler, unsigned slot)
{
    if (!operand_has_collector(s)) {
        refuse(s, scheduler, slot, SLOT_OPERAND);
        return OUTCOME_REFUSED;
    }
    refuse(s, scheduler, slot, SLOT_FETCH);
    s->issue.lanes = 0; // for sim.check, the reads of a wrong path are reads by no lane, and never fail
    predict_ghost(s, slot);
    if (s->config->issue_interval > 1) issue_keep_scheduler(s, slot, s->config->issue_interval);
    front_update(s, slot);
    ready_evaluate(s, slot);
    return OUTCOME_COPIED;
}

// The lane that stands for the warp's way: chosen anew, at random, whenever all live lanes go together.
static unsigned chosen_lane(struct sm *s, unsigned slot)
{
    const struct warp *w = s->warps[slot].warp;
    uint64_t live = w->present & ~w->exited;
    uint8_t *chosen = &s->issue.chosen[slot];
    if (w->active != live && live >> *chosen & 1) return *chosen;
    uint64_t seed = (w->cta->linear * 64 + w->index + w->issued * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    for (unsigned n = (unsigned)((seed >> 32) % bit_count(live)); n; n--) live &= live - 1;
    return *chosen = (uint8_t)bit_lowest(live);
}

void issue_pass_others(struct sm *s, unsigned slot)
{
    enum { MOST = 1 << 20 }; // instructions; a loop that waits for other warps needs time
    struct sm_warp *w = &s->warps[slot];
    if (has_techs(s)) return;
    for (unsigned n = 0; n < MOST && w->warp->state == WARP_READY; n++) {
        const struct inst *i = &w->grid->engine->exec.insts[w->warp->pc];
        bool takes_part = w->warp->active >> chosen_lane(s, slot) & 1;
        if (takes_part || meets_others(i) || isa_has(i, ISA_BARRIER | ISA_EXIT)) return;
        switch (timed_step(w->grid->engine, w->warp, s->now)) {
        case TIMED_DONE: break;
        case TIMED_RETRY: return;
        case TIMED_FAULT: s->faulted = true; return;
        }
    }
}

enum outcome issue_unusual(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o,
                           enum timed_outcome outcome, uint64_t issued_before, uint64_t lanes_before)
{
    return issue_stepped(s, scheduler, slot, o, false, outcome, issued_before, lanes_before, AUDIENCE_NONE);
}

// The stepped instruction passes through the units, as operand_pass without mechanisms. executed_lanes: the lanes
// at work.
static inline __attribute__((always_inline)) void pass_asked(struct sm *s, struct sm_warp *w, unsigned slot,
                                                             const struct op *o, uint32_t index,
                                                             uint64_t executed_lanes, unsigned concerns)
{
    struct sm_grid *g = w->grid;
    const struct mech_hooks *h = g->hooks;
    const bool asks_operands = h->operand && concerns & CONCERNS_OPERANDS;
    const bool is_simple = !asks_operands && !s->operands.has_free_banks;
    uint64_t collected = is_simple ? operand_collect_plain(s, w, o) : operand_collect_observed(s, w, o);
    uint32_t interval = o->interval;
    if (concerns & CONCERNS_EXECUTED) mech_executed(w, index);
    if (h->cost) {
        struct op_cost c = issue_price(w, o, executed_lanes);
        executed_lanes = c.lanes;
        interval = c.interval;
        if (c.issue > 1) issue_keep_scheduler(s, slot, c.issue);
    }
    g->counts.lanes[o->lanes] += executed_lanes;
    uint64_t cycle = operand_take_pipe(s, o, collected, interval);
    if (asks_operands)
        cycle = operand_write(s, w, w->operands.map + o->dst, o, cycle);
    else if (o->dst_words)
        cycle = operand_take_write_port(s, g, w->operands.map + o->dst, o->dst_words, cycle);
    uint64_t had = operand_had(s, w, o, cycle);
    operand_note_result(s, w, o, cycle, had, false);
    if (!asks_operands) operand_count_writes(g, o);
    if (h->result && concerns & CONCERNS_RESULT) h->result(g->hooked, w->place, index, had);
}

// issue_plain with mechanisms as the SM's only onlookers.
static enum outcome issue_plain_asked(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    struct warp *lanes = w->warp;
    uint32_t index = w->front.head, supplied;
    const unsigned concerns = mech_concerns(w, index);
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
    s->issue.lanes = lanes->active;
    supplied = mech_copies(w, index);
    if (supplied) return issue_copy(s, scheduler, slot, supplied);
    if (concerns & CONCERNS_READS)
        mech_reads(w, index);
    else
        mech_begins(w);
    supplied = mech_reuse(w, index);
    if (supplied) {
        issue_reused(s, scheduler, slot, o, supplied);
        return issue_leave_buffer(s, g, slot, index, o, true, AUDIENCE_TECHS);
    }
    uint64_t issued_before = lanes->issued, lanes_before = lanes->counts.thread_instructions;
    const struct bound *d = timed_begin(g->engine, lanes, s->now), *next = exec_step(lanes, d);
    if (!exec_went_straight(lanes, d, next))
        return issue_stepped(s, scheduler, slot, o, false, timed_end(g->engine, lanes, next), issued_before,
                             lanes_before, AUDIENCE_TECHS);
    pass_asked(s, w, slot, o, index, lanes->counts.thread_instructions - lanes_before, concerns);
    g->counts.issue_issued++;
    account_issued(&g->account, index);
    front_take(&w->front);
    if (concerns & CONCERNS_ISSUED)
        mech_issued(w, index, true);
    else
        mech_settles(g);
    return OUTCOME_ISSUED;
}

enum outcome issue_watched(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o)
{
    if (s->has_watchers) return issue_any(s, scheduler, slot, o, AUDIENCE_ALL);
    if (o->is_plain && s->warps[slot].warp->active == s->warps[slot].warp->full)
        return issue_plain_asked(s, scheduler, slot, o);
    return issue_any(s, scheduler, slot, o, AUDIENCE_TECHS);
}

enum outcome issue_one(struct sm *s, unsigned scheduler, unsigned slot)
{
    return issue_this(s, scheduler, slot, MODE_OBSERVED);
}

void issue_keep_warp(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done, bool is_over)
{
    issue_keep(s, w, o, done, is_over);
}

enum outcome issue_left(struct sm *s, struct sm_grid *g, unsigned slot, uint32_t index, const struct op *o,
                        bool has_slot)
{
    return issue_leave_buffer(s, g, slot, index, o, has_slot, AUDIENCE_ALL);
}

// An instruction issues: collector, load/store queue, branch unit and constants are checked, and the
// instruction is executed (exec/timed.h). Reservations decide from which cycle on later instructions of the
// warp may read its results.
#include "exec/timed.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "sm/issue/issue_impl.h"

// Why the instruction cannot issue under the configured dependence tracking, where known only at issue;
// SLOT_ISSUED: no obstacle.
static __attribute__((noinline)) enum gpu_slot obstacle_of(struct sm *s, unsigned slot, const struct op *o)
{
    if (s->config->dependences == DEPENDENCES_ENCODED) return operand_obstacle(s, &s->warps[slot], o);
    if (s->config->dependences != DEPENDENCES_BOARD || board_has_entries(s, slot, o)) return SLOT_ISSUED;
    ready_evaluate(s, slot);
    return SLOT_UNIT;
}

// Whether nothing known only at issue stands in the way: load/store queue, collector, dependence tracking,
// branch unit, constants. False: the refusal has been noted. accesses: a memory instruction with an accessing
// lane (active, guard true). Memory instructions without one need neither queue nor collector.
static bool has_room(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, bool accesses)
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
    if ((o->read_count || o->path == PATH_ALU) && !is_over && !operand_has_collector(s)) {
        refuse(s, scheduler, slot, SLOT_OPERAND);
        return false;
    }
    enum gpu_slot obstacle =
        s->config->dependences != DEPENDENCES_SCOREBOARD && !is_over ? obstacle_of(s, slot, o) : SLOT_ISSUED;
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
        return false;
    }
    return true;
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

static void keep_scheduler(struct sm *s, unsigned slot, uint32_t cycles)
{
    s->issue.free[slot % s->config->schedulers] = s->now + cycles;
}

static __attribute__((noinline)) void keep_strictly(struct sm *s, struct sm_warp *w, const struct op *o,
                                                    uint64_t done, bool is_over)
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

// Delays the warp's next instruction after the issue of `o`, whose result is available from cycle `done` on.
// is_over: `o` is a memory instruction without an accessing lane, or issued at a mechanism's port.
static inline __attribute__((always_inline)) void keep_warp(struct sm *s, struct sm_warp *w,
                                                            const struct op *o, uint64_t done, bool is_over)
{
    if (s->config->dependences >= DEPENDENCES_SINGLE)
        keep_strictly(s, w, o, done, is_over);
    else
        operand_stall(&w->operands, s->now + o->stall);
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

// Charges the time of an instruction executed in `lanes` lanes. accesses: a memory instruction with an
// accessing lane (active, guard true).
static void dispatch(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, bool accesses,
                     uint64_t lanes)
{
    struct sm_warp *w = &s->warps[slot];
    bool collects = o->path == PATH_MEMORY ? accesses && o->read_count : o->read_count || o->path == PATH_ALU;
    uint64_t collected = collects ? operand_collect(s, w, o) : s->now + 1, done = collected, result = 0;
    uint32_t interval = o->interval, issue = s->config->issue_interval;
    if (has_onlookers(s)) {
        if (s->config->check) check_read_preds(&s->check, slot, o, s->issue.lanes, s->now);
        if (has_techs(s)) mech_executed(w, (uint32_t)(o - w->grid->ops));
        if (w->grid->hooks->cost && (accesses || o->path != PATH_MEMORY)) {
            struct op_cost c = issue_price(w, o, lanes);
            lanes = c.lanes;
            interval = c.interval;
            issue = c.issue;
        }
    }
    w->grid->counts.lanes[o->lanes] += lanes;
    if (issue > 1) keep_scheduler(s, slot, issue);
    switch ((enum op_path)o->path) {
    case PATH_MEMORY:
        if (!accesses) {
            if (has_techs(s)) mech_result(w, (uint32_t)(o - w->grid->ops), collected);
            break;
        }
        // The source registers are in use until cycle `collected`, when the collector has read them.
        operand_keep_busy(&w->operands, collected);
        lsu_push(s, slot, o, i, collected + 1);
        break;
    case PATH_ALU: done = operand_piped(s, w, o, operand_execute(s, w, o, collected, interval)); break;
    case PATH_CONTROL:
        s->issue.branch_free[slot % s->config->schedulers] = s->now + o->interval;
        if (isa_has(i, ISA_BRANCH)) {
            if (s->config->predict == PREDICT_NONE)
                ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
            else
                predict_branch(s, slot, o, i);
        }
        if (i->op == OP_NANOSLEEP) sleep_warp(s, w, i);
        // fall through
    case PATH_FENCE:
        result = operand_write(s, w, w->operands.map + o->dst, o, collected + o->latency);
        if (o->dst_words) done = result;
        operand_result(s, w, o, result, false);
        break;
    }
    // The later cycle: a vote may write only a predicate, ready at `result`, not at `done`.
    keep_warp(s, w, o, later(done, result), o->path == PATH_MEMORY && !accesses);
    if (has_onlookers(s)) {
        if (has_techs(s)) issue_pay(s, w, o, done);
        if (s->stall) stall_executed(s, slot, (uint32_t)(o - w->grid->ops));
        if (s->watch) watch_issued(s, slot, o, collected, accesses);
    }
}

// A mechanism supplies the result: the instruction takes an issue slot, but no collector and no pipeline. As
// the second instruction of a pair, it writes after the next cycle at the earliest: in the next cycle, the
// pair's first instruction reads its operands.
static void pass_reused(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, uint32_t cycles)
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
    if (s->watch) watch_issued(s, slot, o, s->now + 1, false);
}

// Whether the instruction may wait for other warps: a barrier, or a command of a RISC-V warp. The command is
// a barrier of the warp's group, or the warp's end.
static bool meets_others(const struct inst *i) { return i->op == OP_BAR || i->op == OP_WARPCMD; }

static void after_control(struct sm *s, unsigned slot, const struct inst *i)
{
    struct sm_warp *w = &s->warps[slot];
    // The last warp has arrived.
    if (meets_others(i) && i->mode != MODE_BAR_ARRIVE && w->warp->state == WARP_READY) {
        ready_pause(&w->ready, s->now + s->config->barrier_latency, SLOT_BARRIER);
        ready_evaluate(s, slot);
    }
    if (isa_has(i, ISA_BARRIER | ISA_EXIT)) ready_barriers(w->grid, w->block);
    if (w->warp && w->warp->state == WARP_DONE) room_warp_ended(s, slot);
}

// Removes the issued instruction from the I-buffer, and applies its effects on barriers and mechanisms, or
// the warp's end. has_slot: issued in a slot of its scheduler; false: at a mechanism's port.
static inline __attribute__((always_inline)) enum outcome leave_buffer(struct sm *s, struct sm_grid *g,
                                                                       unsigned slot, uint32_t index,
                                                                       const struct op *o,
                                                                       const struct inst *i, bool has_slot)
{
    struct sm_warp *w = &s->warps[slot];
    g->counts.issue_issued++;
    if (has_slot)
        account_issued(&g->account, index);
    else
        account_saved(&g->account, index, SAVED_SLOT);
    front_take(&w->front);
    bool goes_on = w->warp->state == WARP_READY && w->warp->pc == w->front.head;
    if (!goes_on || o->pipe == PIPE_CONTROL) {
        if (meets_others(i)) ready_stop(&w->ready, index);
        if (isa_has(i, ISA_BRANCH) && s->config->predict != PREDICT_NONE) predict_follow(s, slot);
        ready_settle(s, slot);
        after_control(s, slot, i);
    }
    if (has_techs(s)) {
        if (w->warp)
            mech_issued(w, index, goes_on);
        else
            mech_settles(g);
    }
    return goes_on ? OUTCOME_ISSUED : OUTCOME_STOPPED;
}

// Writes register Rr, kept by a mechanism as a value for all lanes or as a base and a stride, to all lanes. The move takes the issue slot; the
// warp's instruction stays at the head of the I-buffer.
static enum outcome issue_copy(struct sm *s, unsigned scheduler, unsigned slot, unsigned r)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t done = operand_spread(w->grid, w->operands.map[r]);
    if (s->config->dependences != DEPENDENCES_SCOREBOARD)
        operand_stall(&w->operands, later(w->operands.stall_until, done));
    operand_keep_busy(&w->operands, done);
    if (s->config->issue_interval > 1) keep_scheduler(s, slot, s->config->issue_interval);
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
    if (s->config->issue_interval > 1) keep_scheduler(s, slot, s->config->issue_interval);
    front_update(s, slot);
    ready_evaluate(s, slot);
    return OUTCOME_COPIED;
}

enum outcome issue_one(struct sm *s, unsigned scheduler, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    uint32_t index = w->front.head;
    const struct op *o = &g->ops[index];
    bool accesses = accesses_memory(w, o);
    if (!has_room(s, scheduler, slot, o, accesses)) return OUTCOME_REFUSED;
    const struct inst *i = &g->engine->exec.program->insts[index];
    s->issue.lanes = w->warp->active;
    if (has_onlookers(s) && s->config->check) check_issue(&s->check, index, w->warp->pc);
    uint64_t lanes_before = w->warp->counts.thread_instructions;
    uint32_t reused = 0;
    if (has_techs(s)) {
        uint32_t copied = mech_copies(w, index);
        if (copied) return issue_copy(s, scheduler, slot, copied - 1);
        mech_reads(w, index);
        // A mechanism has just supplied the guard's value, which decides on the memory access: evaluate the
        // warp's readiness again.
        if (accesses_memory(w, o) != accesses) {
            refuse(s, scheduler, slot, SLOT_UNIT);
            mech_settles(g);
            ready_evaluate(s, slot);
            return OUTCOME_REFUSED;
        }
        reused = o->path == PATH_ALU ? mech_reuse(w, index) : 0;
    }
    if (reused) {
        pass_reused(s, scheduler, slot, o, reused);
    } else {
        uint64_t issued_before = w->warp->issued;
        switch (timed_step(g->engine, w->warp, s->now)) {
        case TIMED_RETRY:
            ready_pause(&w->ready, s->window_end, SLOT_MEMORY);
            refuse(s, scheduler, slot, SLOT_MEMORY);
            mech_settles(g);
            ready_evaluate(s, slot);
            return OUTCOME_REFUSED;
        case TIMED_FAULT:
            s->faulted = true;
            mech_settles(g);
            return OUTCOME_STOPPED;
        case TIMED_DONE: break;
        }
        if (w->warp->issued != issued_before) {
            dispatch(s, slot, o, i, accesses, w->warp->counts.thread_instructions - lanes_before);
        } else { // lanes wait for reconvergence; the instruction executes later with all lanes
            g->counts.issue_parts++;
            if (has_techs(s)) mech_executed(w, index);
        }
    }
    return leave_buffer(s, g, slot, index, o, i, true);
}

void issue_keep_warp(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done, bool is_over)
{
    keep_warp(s, w, o, done, is_over);
}

enum outcome issue_left(struct sm *s, struct sm_grid *g, unsigned slot, uint32_t index, const struct op *o,
                        const struct inst *i, bool has_slot)
{
    return leave_buffer(s, g, slot, index, o, i, has_slot);
}

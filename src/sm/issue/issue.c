// Issue: every cycle each scheduler takes one ready warp and issues up to issue.width adjacent instructions
// of the warp, to different pipelines. A ready warp has its registers ready. Collectors, pipeline queues and
// constants are checked here. A warp that meets a busy unit leaves the cycle to the next warp.
//
// A policy may pass over a ready warp for ever, or a unit may be busy at each of the warp's turns. Other
// warps may spin on the warp's work. A warp passed over for thousands of cycles is favoured for a while.
//
// The instruction is executed at issue (exec/timed.h). The reservations made here decide from which cycle on
// later instructions of the warp may read its results.
#include "sm/sm_impl.h"

#include <assert.h>
#include <string.h>

enum { PATIENCE = 4096 }; // cycles between two looks for warps that starve

// COPIED: a mechanism's move, or an instruction of a wrong path, issued in place of the instruction.
enum outcome { OUTCOME_ISSUED, OUTCOME_STOPPED, OUTCOME_REFUSED, OUTCOME_COPIED };

static void refuse(struct sm *s, unsigned scheduler, unsigned slot, enum gpu_slot why)
{
    if (s->issue.refused[scheduler]) return;
    s->issue.refused_slot[scheduler] = (uint8_t)slot;
    s->issue.refused[scheduler] = (uint8_t)why;
    s->issue.refused_inst[scheduler] = s->warps[slot].front.head;
}

// Obstacles known only at issue, by the kind of dependence tracking; SLOT_ISSUED: no obstacle.
static __attribute__((noinline)) enum gpu_slot obstacle_of(struct sm *s, unsigned slot, const struct op *o)
{
    if (s->config->dependences == DEPENDENCES_ENCODED) return operand_obstacle(s, &s->warps[slot], o);
    if (s->config->dependences != DEPENDENCES_BOARD || board_has_entries(s, slot, o)) return SLOT_ISSUED;
    ready_evaluate(s, slot);
    return SLOT_UNIT;
}

// accesses: a memory instruction with an active lane. Other memory instructions need only an issue slot.
static bool has_room(struct sm *s, unsigned scheduler, unsigned slot, const struct op *o, bool accesses)
{
    bool is_over = o->path == PATH_MEMORY && !accesses; // complete at issue
    // The guard's value has changed since the warp was evaluated.
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

// Control words know the banks of the program's registers, not the banks of registers substituted by a
// mechanism.
void issue_pay(const struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done)
{
    if (s->config->dependences != DEPENDENCES_ENCODED) return;
    // `done` is the cycle of the result
    bool is_result = o->path == PATH_ALU || (o->path == PATH_CONTROL && o->dst_words);
    uint64_t expected = s->now + (is_result ? o->cycles : o->collected);
    if (done > expected) operand_stall(&w->operands, w->operands.stall_until + done - expected);
    operand_settle(&w->operands);
}

// The costs of the instruction after the mechanisms' changes.
static struct op_cost price(const struct sm_warp *w, const struct op *o, uint64_t lanes)
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
// is_over: a memory instruction without an active lane.
static inline __attribute__((always_inline)) void keep_warp(struct sm *s, struct sm_warp *w,
                                                            const struct op *o, uint64_t done, bool is_over)
{
    if (s->config->dependences >= DEPENDENCES_SINGLE)
        keep_strictly(s, w, o, done, is_over);
    else
        operand_stall(&w->operands, s->now + o->stall);
}

// Charges the time of an instruction executed in `lanes` lanes. accesses: as for has_room.
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
            struct op_cost c = price(w, o, lanes);
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
        operand_keep_busy(&w->operands, collected); // a store's source registers are in use until then
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
        // fall through
    case PATH_FENCE:
        result = operand_write(s, w, w->operands.map + o->dst, o, collected + o->latency);
        if (o->dst_words) done = result;
        operand_result(s, w, o, result, false);
        break;
    }
    keep_warp(s, w, o, later(done, result),
              o->path == PATH_MEMORY && !accesses); // the result of a vote may be only a predicate
    if (has_onlookers(s)) {
        if (has_techs(s)) issue_pay(s, w, o, done);
        if (s->stall) stall_executed(s, slot, (uint32_t)(o - w->grid->ops));
        if (s->watch) watch_issued(s, slot, o, collected, accesses);
    }
    if (i->op == OP_NANOSLEEP) {
        uint32_t lane = bit_lowest(w->warp->active ? w->warp->active : 1);
        uint64_t ns =
            i->src[0].kind == OPERAND_IMM
                ? i->src[0].value
                : reg_lanes(w->warp->regs, i->src[0].reg * w->grid->engine->exec.vector_bytes)[lane];
        ready_pause(&w->ready, s->now + ns * s->config->core_mhz / 1000 + 1, SLOT_BARRIER);
        ready_stop(&w->ready, w->front.head);
    }
}

// A mechanism supplies the result: the instruction takes an issue slot, but no collector and no pipeline. The
// operands of the previous instruction are read in the next cycle. The second instruction of a pair may write
// after that cycle at the earliest.
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

// A barrier, or a command of a RISC-V warp: waits for the other warps of its group, unless the warp ends with
// the command.
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

// The instruction has issued, in a slot of its scheduler or at a mechanism's port.
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

// Writes a register that holds one value to all lanes. The move takes the issue slot; the instruction stays
// at the head of the I-buffer.
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

// An instruction of a wrong path takes an issue slot.
static __attribute__((noinline)) enum outcome issue_ghost(struct sm *s, unsigned scheduler, unsigned slot)
{
    if (!operand_has_collector(s)) {
        refuse(s, scheduler, slot, SLOT_OPERAND);
        return OUTCOME_REFUSED;
    }
    refuse(s, scheduler, slot, SLOT_FETCH);
    s->issue.lanes = 0; // reads no registers: its operands may not exist
    predict_ghost(s, slot);
    if (s->config->issue_interval > 1) keep_scheduler(s, slot, s->config->issue_interval);
    front_update(s, slot);
    ready_evaluate(s, slot);
    return OUTCOME_COPIED;
}

static enum outcome issue_one(struct sm *s, unsigned scheduler, unsigned slot)
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
        // The mechanism has just supplied the guard's value: evaluate again.
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

// Issues the head of the warp's I-buffer, on the right path or a wrong path.
static inline __attribute__((always_inline)) enum outcome issue_head(struct sm *s, unsigned scheduler,
                                                                     unsigned slot, bool beside)
{
    bool is_wrong = beside && s->predict.wrong >> slot & 1;
    return is_wrong ? issue_ghost(s, scheduler, slot) : issue_one(s, scheduler, slot);
}

static void note_second(struct sm *s, unsigned scheduler, enum gpu_slot why, uint32_t inst)
{
    s->issue.second_why[scheduler] = (uint8_t)why;
    s->issue.issued_inst[scheduler] = inst;
}

// The instruction behind the one just issued, in the same cycle. True: the warp has been evaluated, and
// nothing has changed since.
static inline __attribute__((always_inline)) bool issue_second(struct sm *s, unsigned scheduler,
                                                               unsigned slot, uint32_t first, bool beside)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *ops = w->grid->ops;
    note_second(s, scheduler, SLOT_FETCH, first);
    if (!w->front.count || (beside && (s->issue.at_port | s->predict.wrong) >> slot & 1)) return false;
    ready_evaluate(s, slot);
    note_second(s, scheduler, (enum gpu_slot)w->ready.why, w->front.head);
    if (!(s->ready.now >> slot & 1)) return true;
    uint32_t second = w->front.head;
    note_second(s, scheduler, SLOT_UNIT, second);
    if (ops[second].pipe == ops[first].pipe) return true;
    enum outcome o = issue_one(s, scheduler, slot);
    if (o == OUTCOME_REFUSED || o == OUTCOME_COPIED) {
        note_second(s, scheduler,
                    (enum gpu_slot)(s->issue.refused[scheduler] ? s->issue.refused[scheduler] : SLOT_UNIT),
                    second);
        return true;
    }
    s->issue.issued[scheduler] = 2;
    w->grid->counts.issue_dual++;
    return false;
}

// -- a scheduler's cycle ------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void issue_scheduler(struct sm *s, unsigned scheduler,
                                                                  bool beside)
{
    uint64_t among = s->ready.now & s->issue.warps_of[scheduler];
    if (beside) among &= ~s->issue.at_port;
    // These warps have a load/store queue entry kept for them, which would stay empty if other warps issued.
    uint64_t turn = among & s->lsu.turn;
    const struct pick *pick = s->issue.pick;
    if (pick->limit) among = pick->limit(s, scheduler, among) | turn;
    while (among && !s->faulted) {
        uint64_t first_of = among & turn ? among & turn : among;
        bool is_one = !(first_of & (first_of - 1));
        unsigned slot = is_one ? bit_lowest(first_of) : pick->first(s, s->issue.last[scheduler], first_of);
        uint32_t first = s->warps[slot].front.head;
        enum outcome o = issue_head(s, scheduler, slot, beside);
        among &= ~(1ull << slot);
        if (o == OUTCOME_REFUSED) continue;
        s->issue.last[scheduler] = slot;
        if (o == OUTCOME_COPIED) return;
        s->issue.issued[scheduler] = 1;
        note_second(s, scheduler, SLOT_FETCH, first);
        if (o == OUTCOME_STOPPED) return;
        bool is_evaluated = s->config->issue_width > 1 && issue_second(s, scheduler, slot, first, beside);
        if (s->warps[slot].warp && s->warps[slot].warp->state == WARP_READY) {
            front_update(s, slot);
            if (!is_evaluated) ready_evaluate(s, slot);
        }
        return;
    }
}

// -- starvation ---------------------------------------------------------------------------------------------

// Warps ready at the last look without an issue since: the same count of executed instructions and the same
// next instruction. (Reused instructions are not counted as executed.)
static uint64_t unserved_since_look(const struct sm *s)
{
    uint64_t unserved = 0;
    for (uint64_t left = s->issue.unserved & s->ready.now; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        const struct sm_warp *w = &s->warps[slot];
        if (s->issue.look_issued[slot] == w->warp->issued && s->issue.look_head[slot] == w->front.head)
            unserved |= left & -left;
    }
    return unserved;
}

// A warp ready at two consecutive looks without an issue in between has been passed over all the time. One
// starving warp, in turn, is favoured until the next look and issues before all warps of the SM. Guests have
// every second turn. A look in a skipped cycle would have found no warp ready.
static void look_for_starving(struct sm *s)
{
    bool is_next = s->now == s->issue.next_look, guests = s->has_guests && guest_look(s, is_next);
    uint64_t before = is_next ? unserved_since_look(s) : 0;
    s->issue.unserved = s->now % PATIENCE ? 0 : s->ready.now;
    for (uint64_t left = s->issue.unserved; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        s->issue.look_issued[slot] = s->warps[slot].warp->issued;
        s->issue.look_head[slot] = s->warps[slot].front.head;
    }
    s->issue.next_look = (s->now / PATIENCE + 1) * PATIENCE;
    uint64_t starving = before & s->issue.unserved, behind = starving & ~bit_mask(s->issue.last_favoured + 1);
    s->issue.favours_guests = guests && !(starving && s->issue.favours_guests);
    if (s->issue.favours_guests) starving = 0;
    if (starving) s->issue.last_favoured = bit_lowest(behind ? behind : starving);
    s->issue.favoured = starving ? 1ull << s->issue.last_favoured : 0;
    s->issue.calm_until = starving ? 0 : s->issue.next_look;
}

// The favoured warp or guest was refused. No warp may issue in this cycle: an issue now could keep a unit
// busy in the next cycle, and so on for ever. `own`: the scheduler of the favoured warp; SM_SCHEDULERS: a
// guest is favoured.
static void hold_all(struct sm *s, unsigned own)
{
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        uint64_t held = s->ready.now & s->issue.warps_of[k];
        if (k == own) continue;
        s->issue.refused[k] = 0;
        if (held) refuse(s, k, pick_oldest(s, held), SLOT_UNIT);
    }
}

// Issues one instruction of the favoured warp. Returns the warps of schedulers with an issue slot left in
// this cycle.
static uint64_t issue_favoured(struct sm *s)
{
    unsigned slot = s->issue.last_favoured, own = slot % s->config->schedulers;
    struct sm_warp *w = &s->warps[slot];
    uint32_t first = w->front.head;
    if (s->issue.free[own] > s->now) return ~0ull;
    enum outcome o = issue_head(s, own, slot, true);
    if (o == OUTCOME_REFUSED) {
        if (!(s->issue.favoured & s->ready.now)) return ~0ull;
        hold_all(s, own);
        return 0;
    }
    if (o == OUTCOME_COPIED) return ~s->issue.warps_of[own];
    s->issue.issued[own] = 1;
    s->issue.last[own] = slot;
    note_second(s, own, SLOT_UNIT, first);
    if (o == OUTCOME_ISSUED && w->warp && w->warp->state == WARP_READY) {
        front_update(s, slot);
        ready_evaluate(s, slot);
    }
    return ~s->issue.warps_of[own];
}

// A cycle in which a look is due or a warp is favoured.
static __attribute__((noinline)) uint64_t issue_uneasy(struct sm *s)
{
    if (s->now >= s->issue.next_look) look_for_starving(s);
    return s->issue.favoured & s->ready.now ? issue_favoured(s) : ~0ull;
}

void issue_nothing(struct sm *s)
{
    memset(s->issue.issued, 0, sizeof s->issue.issued);
    memset(s->issue.refused, 0, sizeof s->issue.refused);
}

// -- guests -------------------------------------------------------------------------------------------------

static bool guest_has_room(struct sm *s, const struct guest *x)
{
    const struct sm_warp *w = &s->warps[x->slot];
    const struct op *o = &w->grid->ops[w->front.head];
    if ((o->read_count || o->path == PATH_ALU) && !operand_has_collector(s)) return false;
    if (s->config->dependences == DEPENDENCES_ENCODED && operand_obstacle(s, w, o) != SLOT_ISSUED)
        return false;
    if (o->path == PATH_CONTROL && s->issue.branch_free[x->scheduler] > s->now) return false;
    return !o->constant || tags_have_constant(s, x->slot, o->constant);
}

static void issue_guest(struct sm *s, struct sm_grid *g)
{
    const struct guest *x = g->guest;
    const struct sm_warp *w = &s->warps[x->slot];
    unsigned k = x->scheduler;
    uint32_t index = w->front.head;
    const struct op *o = &g->ops[index];
    s->issue.lanes = ~0ull;
    if (o->path == PATH_CONTROL) s->issue.branch_free[k] = s->now + o->interval;
    g->counts.issue_issued++;
    if (x->turn == GUEST_BESIDE) {
        g->counts.issue_beside++;
        account_saved(&g->account, index, SAVED_SLOT);
    } else {
        account_issued(&g->account, index);
        s->issue.issued[k] = 1;
        s->issue.guest_of[k] = g;
        s->issue.guest_went_last[k] = true;
        note_second(s, k, SLOT_UNIT, index);
    }
    guest_issue(g);
}

static bool is_guests_turn(const struct sm *s, const struct guest *x, uint64_t warps)
{
    unsigned k = x->scheduler;
    if (x->turn == GUEST_BESIDE) return true;
    if (s->issue.issued[k] || s->issue.free[k] > s->now) return false;
    return guest_is_favoured(s, x) || guest_goes(x->turn, s->issue.last[k], s->issue.guest_went_last[k],
                                                 s->ready.now & warps & s->issue.warps_of[k]);
}

void issue_forget_guests(struct sm *s) { memset(s->issue.guest_of, 0, sizeof s->issue.guest_of); }

// Issues guests whose turn has come. Returns the warps of schedulers with an issue slot left, out of `warps`;
// 0: all are held.
static uint64_t issue_guests(struct sm *s, uint64_t warps)
{
    issue_forget_guests(s);
    if (!warps) return 0;
    EACH_GRID(s, g)
    {
        struct guest *x = g->guest;
        if (!guest_runs(x) || !is_guests_turn(s, x, warps) || !guest_can_issue(g)) continue;
        if (guest_has_room(s, x)) {
            issue_guest(s, g);
        } else if (guest_is_favoured(s, x)) {
            hold_all(s, SM_SCHEDULERS);
            return 0;
        }
        if (s->issue.guest_of[x->scheduler]) warps &= ~s->issue.warps_of[x->scheduler];
    }
    return warps;
}

// -- a mechanism's port -------------------------------------------------------------------------------------

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
    w->grid->counts.lanes[o->lanes] += price(w, o, lanes).lanes;
    if (isa_has(i, ISA_BRANCH)) ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
    uint64_t done = operand_write(s, w, w->operands.map + o->dst, o, s->now + COLLECT + START + o->latency);
    operand_result(s, w, o, done, false);
    // The scoreboard of dependences=board belongs to instructions of the lanes.
    keep_warp(s, w, o, done, true);
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
    return leave_buffer(s, g, slot, index, o, i, false);
}

// Refuses the warps of schedulers without an issue whose warps are at the port.
static void refuse_others(struct sm *s, uint64_t ready)
{
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        uint64_t own = ready & s->ready.now & s->issue.warps_of[k];
        if (own && !s->issue.issued[k]) refuse(s, k, pick_oldest(s, own), SLOT_UNIT);
    }
}

// Issues one ready warp at the port, round robin, except for warps whose scheduler has just served them.
static void issue_port(struct sm *s)
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

// -- schedulers that are busy -------------------------------------------------------------------------------

// Warps of free schedulers, out of `warps`. Warps of busy schedulers are refused.
static uint64_t pass_over_busy(struct sm *s, uint64_t warps)
{
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        uint64_t ready = s->ready.now & s->issue.warps_of[k] & ~s->issue.at_port;
        if (s->issue.free[k] <= s->now) continue;
        warps &= ~s->issue.warps_of[k];
        if (ready) refuse(s, k, pick_oldest(s, ready), SLOT_UNIT);
    }
    return warps;
}

// -- all schedulers -----------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void issue_all(struct sm *s, bool beside)
{
    issue_nothing(s);
    uint64_t warps = __builtin_expect(s->now >= s->issue.calm_until, 0) ? issue_uneasy(s) : ~0ull;
    if (beside) warps = issue_guests(s, warps);
    if (beside && s->config->issue_interval > 1) warps = pass_over_busy(s, warps);
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        if (!(s->ready.now & warps & s->issue.warps_of[k])) continue;
        issue_scheduler(s, k, beside);
        if (beside && s->issue.issued[k]) s->issue.guest_went_last[k] = false;
    }
    if (beside) issue_port(s);
}

void issue_cycle(struct sm *s) { issue_all(s, false); }
void issue_cycle_beside(struct sm *s) { issue_all(s, true); }

void issue_init(struct sm *s) { s->issue.pick = pick_policy(s->config->scheduler); }

// -- joining and leaving ------------------------------------------------------------------------------------

void issue_join(struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    s->issue.warps_of[scheduler] |= 1ull << slot;
    s->issue.order[scheduler][s->issue.order_count[scheduler]++] = (uint8_t)slot;
}

void issue_leave(struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    s->issue.at_port &= ~(1ull << slot);
    uint8_t *order = s->issue.order[scheduler];
    unsigned n = s->issue.order_count[scheduler], k = 0;
    while (k < n && order[k] != slot) k++;
    memmove(order + k, order + k + 1, n - k - 1);
    s->issue.order_count[scheduler]--;
}

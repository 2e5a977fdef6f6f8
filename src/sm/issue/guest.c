// The life of a guest (a mechanism's stream of instructions beside the warps) and the issue of its
// instructions. guest_goes decides the order among guests and warps, at issue and at fetch (front.c).
//
// Not modelled: a guest's reads of memory. A mechanism that charges time for a read requests the lines
// (tech_request) and holds the guest back (guest_may).
#include "sm/issue/guest.h"
#include "exec/exec_impl.h"
#include "exec/timed.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/issue/issue_impl.h"
#include "sm/operand_take.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static struct sm_warp *stream_of(const struct sm_grid *g) { return &g->sm->warps[g->guest->slot]; }

// -- start and end ------------------------------------------------------------------------------------------

void guest_begin(struct sm_grid *g)
{
    struct sm *s = g->sm;
    g->guest = heap_alloc(sizeof *g->guest);
    g->guest->slot = GUEST_SLOT;
    while (s->warps[g->guest->slot].grid) g->guest->slot++;
    s->warps[g->guest->slot] = (struct sm_warp){.grid = g, .place = NO_PLACE};
    operand_start_guest(g, g->guest->slot, g->guest->map);
    s->has_guests = true;
}

void guest_end(struct sm_grid *g)
{
    if (!g->guest) return;
    g->sm->warps[g->guest->slot] = (struct sm_warp){0};
    g->sm->guests_running = (uint8_t)(g->sm->guests_running - g->guest->runs);
    if (g->guest->block) timed_block_destroy(g->guest->block);
    free(g->guest);
    g->guest = NULL;
    g->sm->has_guests = false;
    issue_forget_guests(g->sm);
    EACH_GRID(g->sm, other) g->sm->has_guests |= other->guest != NULL;
    if (!g->sm->has_guests) front_forget_guests(g->sm);
}

void guest_start(struct sm_grid *g, const struct sm_tech *host, uint32_t pc, unsigned scheduler,
                 enum guest_turn turn)
{
    struct guest *x = g->guest;
    assert(!x->runs);
    x->host = host;
    x->roams = scheduler == GUEST_ANY;
    x->scheduler = x->roams ? 0 : scheduler % g->sm->config->schedulers;
    x->turn = turn;
    x->runs = true;
    g->sm->guests_running++;
    x->was_passed_over = x->starves = false;
    x->since = g->sm->now;
    front_flush(g->sm, x->slot, pc);
}

void guest_stop(struct sm_grid *g)
{
    if (!g->guest->runs) return;
    front_flush(g->sm, g->guest->slot, 0);
    g->guest->runs = false;
    g->sm->guests_running--;
}

// -- an instruction -----------------------------------------------------------------------------------------

// First cycle in which the guest's next instruction can issue, if issue slot, collector and units are free.
// CYCLE_NEVER: not yet known, or not yet allowed by the mechanism. *why: the reason for the wait.
static uint64_t ready_at(const struct sm_grid *g, enum gpu_slot *why)
{
    struct sm_warp *w = stream_of(g);
    const struct sm_tech *host = g->guest->host;
    uint64_t ready = ready_stream(g->sm, w, why);
    if (ready > g->sm->now || !host->hooks.guest_may || host->hooks.guest_may(host->state, w->front.head))
        return ready;
    *why = SLOT_SYNC;
    return CYCLE_NEVER;
}

bool guest_can_issue(const struct sm_grid *g)
{
    enum gpu_slot why;
    return ready_at(g, &why) <= g->sm->now;
}

// Charges a pipeline (ALU instructions alone) and a write port for a guest's instruction with operands
// collected at cycle `collected`. Returns the cycle of the result.
static uint64_t execute(struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected)
{
    if (o->path == PATH_ALU) return operand_execute(s, w, o, collected, o->interval);
    return operand_write(s, w, w->operands.map + o->dst, o, collected + o->latency);
}

void guest_issue(struct sm_grid *g)
{
    struct sm *s = g->sm;
    struct guest *x = g->guest;
    struct sm_warp *w = stream_of(g);
    uint32_t index = w->front.head;
    const struct op *o = &g->ops[index];
    struct guest_step step = {.next = index + 1, .lanes = 1};
    bool collects = o->read_count || o->path == PATH_ALU;
    uint64_t collected = collects ? operand_collect(s, w, o) : s->now + 1;
    stall_doubts(s);
    x->since = s->now;
    x->host->hooks.guest(x->host->state, index, &step);
    uint64_t done = execute(s, w, o, collected + step.more);
    bool forwards = step.forwards && o->path == PATH_ALU && o->pipe != PIPE_DOUBLE;
    operand_arrives(s, w, o, done, forwards ? done - READ_AND_WRITE : done, false);
    if (isa_has(&g->engine->exec.program->insts[index], ISA_BRANCH))
        ready_pause(&w->ready, s->now + o->latency - 1, SLOT_ALU);
    operand_stall(&w->operands, s->config->dependences == DEPENDENCES_SINGLE ? done : s->now + o->stall);
    // Control words (dependences=encoded) wait for results of ALU instructions, and of control instructions
    // with a destination register.
    bool is_waited_for = o->path == PATH_ALU || (o->path == PATH_CONTROL && o->dst_words);
    issue_pay(s, w, o, is_waited_for ? done : collected);
    g->counts.guest_issued++;
    g->counts.guest_lanes += step.lanes;
    g->counts.lanes[o->lanes] += step.lanes;
    g->counts.guest_again += step.again;
    if (step.again) return;
    front_take(&w->front);
    if (step.next == GUEST_ENDS)
        guest_stop(g);
    else if (step.next != index + 1)
        front_flush(s, x->slot, step.next);
}

// -- starvation ---------------------------------------------------------------------------------------------

// Notes for each guest whether it starves: it could issue, or wanted a fetch, at two consecutive starvation
// checks, without an issue in between. True: a guest starves. is_next: this check is on time, in the cycle
// set by the previous check.
bool guest_look(struct sm *s, bool is_next)
{
    bool any = false;
    EACH_GRID(s, g)
    {
        struct guest *x = g->guest;
        if (!guest_runs(x)) continue;
        bool could_go = front_wants(s, stream_of(g)) || guest_can_issue(g);
        x->starves = is_next && could_go && x->was_passed_over && x->since == x->look_since;
        x->was_passed_over = is_next && could_go;
        x->look_since = x->since;
        any |= x->starves;
    }
    return any;
}

bool guest_is_favoured(const struct sm *s, const struct guest *x)
{
    return s->issue.favours_guests && x->starves;
}

// -- questions ----------------------------------------------------------------------------------------------

static uint64_t next_of(const struct sm_grid *g)
{
    const struct sm_warp *w = stream_of(g);
    enum gpu_slot why;
    if (front_wants(g->sm, w)) return g->sm->now;
    uint64_t next = ready_at(g, &why);
    if (w->front.fetching && w->front.fill_at < next) next = w->front.fill_at;
    return later(next, g->sm->now);
}

uint64_t guest_next(const struct sm *s)
{
    uint64_t next = CYCLE_NEVER;
    EACH_GRID(s, g)
    {
        uint64_t own = guest_runs(g->guest) ? next_of(g) : CYCLE_NEVER;
        if (own < next) next = own;
    }
    return next;
}

void guest_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out)
{
    enum gpu_slot why = SLOT_ISSUED;
    ready_at(g, &why);
    strbuf_printf(out, "  SM %u, guest of %s: ", g->sm->index, g->guest->host->tech->name);
    strbuf_printf(out, "waits for %s since cycle %" PRIu64 ", at ",
                  why == SLOT_SYNC ? "the mechanism" : sm_reason(why), g->guest->since - begin);
    exec_describe_inst(&g->engine->exec, stream_of(g)->front.head, out);
}

// -- values -------------------------------------------------------------------------------------------------

struct warp *guest_values(struct sm_grid *g, uint64_t block, unsigned warp)
{
    struct guest *x = g->guest;
    if (!x->block) x->block = timed_block_create(g->engine);
    timed_block_start(g->engine, x->block, block, NULL);
    return &x->block->warps[warp];
}

// True: the instruction reads and writes only registers, predicates and the control flow of its own warp, and
// cannot fail.
static bool is_private(const struct exec *e, uint32_t index)
{
    enum {
        OUTWARD = ISA_LOAD | ISA_STORE | ISA_ATOMIC | ISA_FENCE | ISA_CROSS_LANE | ISA_INDIRECT | ISA_CALL |
                  ISA_BARRIER | ISA_SIDE_EFFECT
    };
    return !isa_has(&e->program->insts[index], OUTWARD) && !e->address_operand[index];
}

bool guest_compute(struct sm_grid *g, struct warp *values, uint32_t index)
{
    bool computes = is_private(&g->engine->exec, index);
    values->pc = index;
    if (computes) {
        timed_step(g->engine, values, g->sm->now);
    } else {
        values->pc++;
        timed_settle(values);
    }
    return computes;
}

bool guest_goes(enum guest_turn turn, unsigned last, bool went_last, uint64_t among)
{
    if (!among) return true;
    switch (turn) {
    case GUEST_FIRST: return true;
    case GUEST_OLDEST: return went_last || !(among >> last & 1);
    case GUEST_IN_TURN:
    case GUEST_BESIDE: return !went_last && !(among & ~bit_mask(last + 1));
    case GUEST_LAST: break;
    }
    return false;
}

// -- issue -------------------------------------------------------------------------------------------------

static bool guest_has_room(struct sm *s, const struct guest *x, unsigned k)
{
    const struct sm_warp *w = &s->warps[x->slot];
    const struct op *o = &w->grid->ops[w->front.head];
    if ((o->read_count || o->path == PATH_ALU) && !operand_has_collector(s)) return false;
    if (s->config->dependences == DEPENDENCES_ENCODED && operand_obstacle(s, w, o) != SLOT_ISSUED)
        return false;
    if (o->path == PATH_CONTROL && s->issue.branch_free[k] > s->now) return false;
    return !o->constant || tags_have_constant(s, x->slot, o->constant);
}

static void issue_guest(struct sm *s, struct sm_grid *g, unsigned k)
{
    const struct guest *x = g->guest;
    const struct sm_warp *w = &s->warps[x->slot];
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
        note_issue(s, k);
        s->issue.guest_of[k] = g;
        s->issue.guest_went_last |= 1ull << k;
        charge_second(s, g, SLOT_UNIT, index);
    }
    guest_issue(g);
}

static bool is_guests_turn(const struct sm *s, const struct guest *x, unsigned k, uint64_t warps)
{
    if (x->turn == GUEST_BESIDE) return true;
    if (s->issue.issued[k] || s->issue.free[k] > s->now) return false;
    return guest_is_favoured(s, x) || guest_goes(x->turn, s->issue.last[k], s->issue.guest_went_last >> k & 1,
                                                 s->ready.now & warps & s->issue.warps_of[k]);
}

// The scheduler that may issue the guest in this cycle; SM_SCHEDULERS: none. A roaming guest prefers a scheduler
// without a ready warp.
static unsigned find_turn(const struct sm *s, const struct guest *x, uint64_t warps)
{
    unsigned found = SM_SCHEDULERS;
    if (!x->roams) return is_guests_turn(s, x, x->scheduler, warps) ? x->scheduler : found;
    for (unsigned k = s->config->schedulers; k-- > 0;) {
        if (!is_guests_turn(s, x, k, warps)) continue;
        if (!(s->ready.now & warps & s->issue.warps_of[k])) return k;
        found = k;
    }
    return found;
}

// Obstacles of guest_can_issue that are found without a look at registers.
static inline bool is_kept(const struct sm_grid *g)
{
    const struct sm_warp *w = stream_of(g);
    const struct sm_tech *host = g->guest->host;
    if (!w->front.count || w->tags.waits_for_constant || w->ready.resume > g->sm->now) return true;
    return host->hooks.guest_may && !host->hooks.guest_may(host->state, w->front.head);
}

void issue_forget_guests(struct sm *s) { memset(s->issue.guest_of, 0, sizeof s->issue.guest_of); }

// Issues the guests whose turn has come. Returns the warps of `warps` (bits by slot) whose scheduler has
// given no issue slot to a guest; 0: no warp may issue in this cycle.
uint64_t issue_guests(struct sm *s, uint64_t warps)
{
    issue_forget_guests(s);
    if (!warps) return 0;
    EACH_GRID(s, g)
    {
        struct guest *x = g->guest;
        if (!guest_runs(x) || is_kept(g)) continue;
        unsigned k = find_turn(s, x, warps);
        if (k == SM_SCHEDULERS || !guest_can_issue(g)) continue;
        if (guest_has_room(s, x, k)) {
            issue_guest(s, g, k);
        } else if (guest_is_favoured(s, x)) {
            issue_hold_all(s, SM_SCHEDULERS);
            return 0;
        }
        if (s->issue.guest_of[k]) warps &= ~s->issue.warps_of[k];
    }
    return warps;
}

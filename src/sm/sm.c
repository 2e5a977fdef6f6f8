// The parts of an SM together: cycle, next event, reports.
//
//     replies, wakes ─▶ load/store unit ─▶ issue ─▶ fetch ─▶ account ─▶ next cycle, or next event
#include "exec/timed.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/bulk.h"
#include "sm/issue/cycle.h"
#include "sm/net.h"

#include <inttypes.h>
#include <stdlib.h>

_Static_assert(SLOT_ISSUED == 0, "0 means no reason where a reason is kept");

struct sm *sm_create(const struct gpu_config *c, uint32_t line_bytes, unsigned index, uint64_t now)
{
    struct sm *s = heap_alloc(sizeof *s);
    s->config = c;
    s->line_bytes = line_bytes;
    s->index = index;
    s->now = now;
    s->event_at = CYCLE_NEVER;
    if (c->check) check_init(&s->check, SM_SLOTS);
    operand_init(s);
    board_init(s);
    predict_init(s);
    front_init(s);
    issue_init(s);
    lsu_init(s);
    tags_init(s);
    account_init(s);
    sm_note_onlookers(s);
    return s;
}

void sm_destroy(struct sm *s)
{
    if (!s) return;
    stall_end(s);
    room_fini(s);
    tags_fini(s);
    warpgroup_free(s);
    bulk_unit_fini(s);
    net_fini(s);
    lsu_fini(s);
    operand_fini(s);
    board_fini(s);
    predict_fini(s);
    front_fini(s);
    ready_fini(s);
    check_fini(&s->check);
    free(s);
}

struct sm *sm_renew(struct sm *s, uint64_t now)
{
    struct sm *fresh = sm_create(s->config, s->line_bytes, s->index, now);
    tags_inherit(fresh, s);
    sm_destroy(s);
    return fresh;
}

void sm_note_onlookers(struct sm *s)
{
    s->has_techs = s->asks_fetch = false;
    EACH_GRID(s, g)
    {
        s->has_techs |= g->tech_count != 0;
        s->asks_fetch |= g->hooks && g->hooks->fetch;
    }
    s->has_watchers = s->config->check || s->stall || s->watch || s->config->no_divergence;
    s->has_onlookers = s->has_techs || s->has_watchers;
}

// -- time ---------------------------------------------------------------------------------------------------

static inline bool is_busy(const struct sm *s)
{
    return s->ready.now || s->front.fetchable || (s->lsu.count && !s->lsu.blocked && s->lsu.next <= s->now);
}

// Cycle of the next event of an SM that is not busy; events of mechanisms (tech_at) and guests are left out.
static inline uint64_t next_of_its_own(const struct sm *s)
{
    if (lsu_has_early(&s->lsu)) return s->now;
    uint64_t next = ring_next(&s->ready.wakes, s->now - 1);
    if (next <= s->now) return s->now;
    if (s->lsu.count && !s->lsu.blocked && s->lsu.next < next) next = s->lsu.next;
    if (s->lsu.next_reply < next) next = s->lsu.next_reply;
    uint64_t fill = ring_next(&s->front.fills, s->now - 1);
    if (fill < next) next = fill;
    if (s->room.placed.count && s->room.placed.data[0].cycle < next) next = s->room.placed.data[0].cycle;
    return next < s->now ? s->now : next;
}

static inline uint64_t next_of_idle(const struct sm *s)
{
    uint64_t next = next_of_its_own(s);
    if (!has_techs(s) || next == s->now) return next;
    uint64_t guest = s->has_guests ? guest_next(s) : CYCLE_NEVER;
    if (guest < next) next = guest;
    return s->event_at < next ? s->event_at : next;
}

uint64_t sm_next(const struct sm *s) { return is_busy(s) ? s->now : next_of_idle(s); }

bool sm_is_quiet(const struct sm *s)
{
    return !is_busy(s) && (s->room.taken ? next_of_idle(s) : next_of_its_own(s)) == CYCLE_NEVER;
}

static inline __attribute__((always_inline)) void wake(struct sm *s, unsigned slot, enum sm_mode mode)
{
    if (mode == MODE_PLAIN)
        ready_look_plain(s, &s->warps[slot], slot);
    else
        ready_look(s, &s->warps[slot], slot);
}

// MODE_BESIDE: whether nothing in the cycle is beside the warps.
static inline bool is_among_warps(const struct sm *s)
{
    return !s->guests_running && !s->has_port && s->config->issue_interval <= 1 && !s->config->predict;
}

// Runs the SM to cycle `until`. Inlined for every mode: a plain run does not pay for the general case.
static inline __attribute__((always_inline)) void run(struct sm *s, uint64_t until, enum sm_mode mode)
{
    const bool beside = mode == MODE_BESIDE, plain = mode == MODE_PLAIN;
    while (s->now < until) {
        if (s->config->skip_idle && !is_busy(s)) {
            uint64_t next = next_of_idle(s);
            if (next > until) next = until;
            if (next > s->now) {
                issue_nothing(s);
                if (!plain && sm_is_shared(s)) account_look(s);
                if (s->room.resident_count) account_cycles(s, s->room.resident_count, next - s->now);
                s->now = next;
                if (next == until) break;
            }
        }
        uint64_t warps;
        if (s->lsu.next_reply <= s->now) lsu_take_replies(s);
        if (s->room.placed.count) room_start_placed(s);
        for (warps = front_arrivals(&s->front, s->now); warps; warps &= warps - 1)
            front_fill(s, bit_lowest(warps), mode);
        if (beside && s->guests_running) front_fill_guests(s);
        for (warps = ready_due(&s->ready, s->now); warps; warps &= warps - 1)
            wake(s, bit_lowest(warps), mode);
        if (!plain && s->event_at <= s->now) mech_events(s);
        if (!plain && lsu_has_early(&s->lsu)) lsu_cycle_early(s);
        if (s->lsu.count && !s->lsu.blocked && s->lsu.next <= s->now) lsu_cycle(s);
        unsigned resident_count = s->room.resident_count;
        if (!plain && s->room.grid_count > 1) account_look(s);
        if (beside && !is_among_warps(s))
            issue_cycle_beside(s);
        else if (!s->ready.now && s->now < s->issue.calm_until)
            issue_nothing(s);
        else if (beside)
            issue_cycle_without_guests(s);
        else
            issue_cycle(s, mode);
        if (__builtin_expect(s->faulted, 0)) room_kill_failed(s);
        if (beside && s->guests_running)
            front_cycle_beside_guests(s);
        else if (beside && s->has_guests && s->front.fetchable)
            front_cycle_without_guests(s);
        else if (s->front.fetchable)
            front_cycle(s, mode);
        if (resident_count) account_cycles(s, resident_count, 1);
        if (!plain && s->watch) watch_cycle(s);
        s->now++;
    }
}

static __attribute__((noinline)) void run_plain(struct sm *s, uint64_t until) { run(s, until, MODE_PLAIN); }
static __attribute__((noinline)) void run_observed(struct sm *s, uint64_t until)
{
    run(s, until, MODE_OBSERVED);
}
static __attribute__((noinline)) void run_beside(struct sm *s, uint64_t until) { run(s, until, MODE_BESIDE); }

// Onlookers, guests, ports and grids come to an SM between windows. A grid's mechanisms begin with its first block,
// within a window: the launch says whether there are some.
static enum sm_mode mode_of(const struct sm *s)
{
    if (s->has_guests || s->has_port || s->config->issue_interval > 1 || s->config->predict)
        return MODE_BESIDE;
    bool has_mechanisms = s->room.grid_count && s->room.grids[0]->launch->tech_count;
    bool is_plain =
        !s->has_onlookers && !has_mechanisms && s->room.grid_count <= 1 && !lsu_has_early(&s->lsu);
    return is_plain ? MODE_PLAIN : MODE_OBSERVED;
}

static void run_to(struct sm *s, uint64_t until)
{
    switch (mode_of(s)) {
    case MODE_PLAIN: run_plain(s, until); break;
    case MODE_OBSERVED: run_observed(s, until); break;
    case MODE_BESIDE: run_beside(s, until); break;
    }
}

void sm_run(struct sm *s, struct memory_system *m, uint64_t until)
{
    s->window_end = until;
    lsu_open(s, m);
    if (s->config->block_warps || s->config->block_instructions || s->config->warp_instructions) room_cut(s);
    for (;;) {
        uint64_t stop = s->account.sample_at < until ? s->account.sample_at : until;
        run_to(s, stop);
        if (s->now != s->account.sample_at) return;
        account_sample(s);
    }
}

// -- questions ----------------------------------------------------------------------------------------------

bool sm_is_done_with(const struct sm_grid *g)
{
    const struct room *r = &g->sm->room;
    for (size_t k = 0; k < r->placed.count; k++)
        if (r->placed.data[k].grid == g) return false;
    return !g->room.running && lsu_is_done_with(g);
}

uint64_t sm_last_reply(const struct sm_grid *g) { return g->lsu.last_reply; }
uint64_t sm_unanswered(const struct sm_grid *g) { return g->lsu.requested - g->lsu.replied; }

const struct gpu_counts *sm_counts(struct sm_grid *g)
{
    account_settle(g);
    return &g->counts;
}

const uint64_t *sm_tech_counts(const struct sm_grid *g, const struct tech_use *u)
{
    for (unsigned k = 0; k < g->tech_count; k++)
        if (g->techs[k].tech == u->tech) return g->techs[k].counters;
    return NULL;
}

const uint64_t *sm_inst_saved(const struct sm_grid *g) { return g->account.inst_saved; }

const char *sm_reason(enum gpu_slot why)
{
    static const char *const reasons[SLOT_COUNT] = {[SLOT_ISSUED] = "nothing",
                                                    [SLOT_NO_WARP] = "nothing",
                                                    [SLOT_FETCH] = "instructions",
                                                    [SLOT_CODE] = "instructions",
                                                    [SLOT_ALU] = "a result",
                                                    [SLOT_MEMORY] = "memory or a fence",
                                                    [SLOT_BARRIER] = "a barrier",
                                                    [SLOT_UNIT] = "the execution unit",
                                                    [SLOT_SYNC] = "other warps, by a mechanism",
                                                    [SLOT_OPERAND] = "an operand collector",
                                                    [SLOT_COPY] = "asynchronous copies"};
    return reasons[why];
}

// What a resident warp waits for. A sleeping warp is charged to barriers, too.
static const char *reason_of(const struct sm_warp *w)
{
    const struct inst *insts = w->grid->engine->exec.program->insts;
    bool is_stopped = w->ready.why == SLOT_BARRIER;
    if (is_stopped && insts[w->ready.stopped_at].op == OP_NANOSLEEP) return "the end of a sleep";
    return sm_reason((enum gpu_slot)w->ready.why);
}

void sm_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out)
{
    const struct sm *s = g->sm;
    const char *separator = "";
    for (const struct sm_block *b = g->room.blocks; b < g->room.blocks + SM_BLOCKS; b++) {
        if (!b->running || !b->to_come) continue;
        const uint32_t *id = b->cta->id, count = g->launch->warps_per_block;
        strbuf_printf(out, "%s  SM %u, block (%u,%u,%u), %u of %u warps: not started yet, for want of room",
                      separator, s->index, id[0], id[1], id[2], b->to_come, count);
        separator = "\n";
    }
    for (unsigned slot = 0; slot < SM_WARPS; slot++) {
        const struct sm_warp *w = &s->warps[slot];
        bool is_resident = s->room.resident >> slot & 1;
        if (w->grid != g || (!is_resident && !(w->warp && w->lsu.loads + s->lsu.copies_of[slot]))) continue;
        const uint32_t *id = w->warp->cta->id;
        strbuf_printf(out, "%s  SM %u, block (%u,%u,%u), warp %u: ", separator, s->index, id[0], id[1], id[2],
                      w->warp->index);
        separator = "\n";
        if (!is_resident) {
            unsigned count = (unsigned)w->lsu.loads + s->lsu.copies_of[slot];
            strbuf_printf(out, "has ended, but waits for replies to %u memory instruction%s", count,
                          count == 1 ? "" : "s");
            continue;
        }
        strbuf_printf(out, "waits for %s since cycle %" PRIu64 ", at ", reason_of(w), w->ready.since - begin);
        exec_describe_inst(&g->engine->exec, w->ready.why == SLOT_BARRIER ? w->ready.stopped_at : w->warp->pc,
                           out);
        stall_describe(s, slot, out);
    }
    if (!guest_runs(g->guest)) return;
    strbuf_puts(out, separator);
    guest_report(g, begin, out);
}

const char *sm_check_grid(const struct sm_grid *g)
{
    const struct gpu_counts *n = &g->counts;
    const char *broken = mech_check(g);
    if (!broken &&
        n->fetch_fetched + n->guest_again != n->issue_issued + n->fetch_flushed + n->predict_ghosts)
        broken = "fetched + issued again is not issued + flushed + wrong paths";
    if (!broken && g->lsu.requested != g->lsu.replied) broken = "a memory request has no reply";
    if (!broken && g->lsu.early) broken = "a mechanism has not been told of a line";
    if (!broken && g->tags.locked.count) broken = "a mechanism has left a line locked";
    return broken ? broken : account_check(g);
}

const char *sm_check(const struct sm *s)
{
    if (s->room.broken) return s->room.broken;
    if (s->check.broken) return s->check.broken;
    const char *broken = board_check(s);
    return broken ? broken : lsu_check(s);
}

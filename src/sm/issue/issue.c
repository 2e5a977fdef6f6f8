// Issue: every cycle each scheduler takes one ready warp and issues up to issue.width adjacent instructions
// of the warp, to different pipelines. A ready warp has its registers ready. The issue of an instruction
// (slot.c) checks collector, load/store queue, branch unit and constants. A refused warp leaves the cycle to
// the next warp.
//
// A policy may pass over a ready warp for ever, or a unit may be busy at each of the warp's turns. Other
// warps may spin on the warp's work. A warp passed over for thousands of cycles is favoured for a while.
//
// The instruction is executed at issue (exec/timed.h). Reservations made at issue decide from which cycle on
// later instructions of the warp may read its results.
#include "exec/warp.h"
#include "sm/front_taken.h"
#include "sm/issue/one.h"
#include "sm/ready_look.h"

#include <string.h>

// Tries to issue the instruction behind `first`, the warp's instruction just issued, in the same cycle. True:
// no second instruction issued, and the warp's readiness is up to date. False: a second instruction issued,
// or there was none to try; the readiness is still to be evaluated.
static inline __attribute__((always_inline)) bool issue_second(struct sm *s, unsigned scheduler,
                                                               unsigned slot, uint32_t first, bool beside)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *ops = w->grid->ops;
    if (!w->front.count || (beside && (s->issue.at_port | s->predict.wrong) >> slot & 1)) {
        charge_second(s, w->grid, SLOT_FETCH, first);
        return false;
    }
    ready_look(s, w, slot);
    uint32_t second = w->front.head;
    if (!(s->ready.now >> slot & 1)) {
        charge_second(s, w->grid, (enum gpu_slot)w->ready.why, second);
        return true;
    }
    if (ops[second].pipe == ops[first].pipe) {
        charge_second(s, w->grid, SLOT_UNIT, second);
        return true;
    }
    enum outcome o = issue_one(s, scheduler, slot);
    if (o == OUTCOME_REFUSED || o == OUTCOME_COPIED) {
        enum gpu_slot why = (enum gpu_slot)s->issue.refused[scheduler];
        charge_second(s, w->grid, why ? why : SLOT_UNIT, second);
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
    // turn: warps with a reserved load/store queue entry. The entry would stay empty if other warps issued.
    uint64_t turn = among & s->lsu.turn;
    const struct pick *pick = s->issue.pick;
    if (pick->limit) among = pick->limit(s, scheduler, among) | turn;
    while (among && !s->faulted) {
        uint64_t first_of = among & turn ? among & turn : among;
        bool is_one = !(first_of & (first_of - 1));
        unsigned slot = is_one ? bit_lowest(first_of) : pick->first(s, s->issue.last[scheduler], first_of);
        struct sm_warp *w = &s->warps[slot];
        uint32_t first = w->front.head;
        enum outcome o = beside ? issue_head(s, scheduler, slot, true) : issue_this(s, scheduler, slot);
        among &= ~(1ull << slot);
        if (o == OUTCOME_REFUSED) continue;
        s->issue.last[scheduler] = slot;
        if (o == OUTCOME_COPIED) return;
        note_issue(s, scheduler);
        if (o == OUTCOME_STOPPED) {
            charge_second(s, w->grid, SLOT_FETCH, first);
            return;
        }
        bool is_evaluated = s->config->issue_width > 1 && issue_second(s, scheduler, slot, first, beside);
        if (w->warp && w->warp->state == WARP_READY) {
            front_taken(s, w, slot);
            if (!is_evaluated) ready_look(s, w, slot);
        }
        return;
    }
}

void issue_nothing(struct sm *s)
{
    s->issue.went = 0;
    memset(s->issue.issued, 0, sizeof s->issue.issued);
    memset(s->issue.refused, 0, sizeof s->issue.refused);
}

// -- schedulers that are busy -------------------------------------------------------------------------------

// Returns the warps of `warps` (bits by slot) whose scheduler is free. A busy scheduler's oldest ready warp,
// if any, is noted as refused.
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

// The first scheduler from `first` on with a ready warp among `warps` (bits by slot); none: past the last.
static inline unsigned next_with_ready(const struct sm *s, unsigned first, uint64_t warps)
{
    const unsigned schedulers = s->config->schedulers;
    const uint64_t ready = s->ready.now & warps;
    unsigned k = first;
    while (k < schedulers && !(s->issue.warps_of[k] & ready)) k++;
    return k;
}

static inline __attribute__((always_inline)) void issue_all(struct sm *s, bool beside)
{
    issue_nothing(s);
    uint64_t warps = __builtin_expect(s->now >= s->issue.calm_until, 0) ? issue_uneasy(s) : ~0ull;
    if (beside) warps = issue_guests(s, warps);
    if (beside && s->config->issue_interval > 1) warps = pass_over_busy(s, warps);
    for (unsigned k = next_with_ready(s, 0, warps); k < s->config->schedulers;
         k = next_with_ready(s, k + 1, warps)) {
        issue_scheduler(s, k, beside);
        if (beside && s->issue.issued[k]) s->issue.guest_went_last[k] = false;
    }
    if (beside) issue_port(s);
}

void issue_cycle(struct sm *s) { issue_all(s, false); }
void issue_cycle_beside(struct sm *s) { issue_all(s, true); }

void issue_init(struct sm *s)
{
    s->issue.pick = pick_policy(s->config->scheduler);
    s->issue.all = bit_mask(s->config->schedulers);
}

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

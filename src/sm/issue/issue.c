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
#include "sm/issue/cycle.h"

// -- a scheduler's other warps ------------------------------------------------------------------------------

static bool is_wrong(const struct sm *s, unsigned slot)
{
    return __builtin_expect(s->config->predict != 0, 0) && s->predict.wrong >> slot & 1;
}

void issue_others(struct sm *s, unsigned scheduler, uint64_t among)
{
    while (among && !s->faulted) {
        uint64_t turn = among & s->lsu.turn;
        unsigned slot = issue_choose(s, scheduler, turn ? turn : among);
        uint32_t first = s->warps[slot].front.head;
        enum outcome o = is_wrong(s, slot) ? issue_ghost(s, scheduler, slot) : issue_one(s, scheduler, slot);
        among &= ~(1ull << slot);
        if (o == OUTCOME_REFUSED) continue;
        issue_follow(s, scheduler, slot, first, o, MODE_BESIDE);
        return;
    }
}

void issue_nothing(struct sm *s) { issue_clear(s); }

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

void issue_cycle_beside(struct sm *s)
{
    issue_clear(s);
    uint64_t warps = __builtin_expect(s->now >= s->issue.calm_until, 0) ? issue_uneasy(s) : ~0ull;
    warps = issue_guests(s, warps);
    if (s->config->issue_interval > 1) warps = pass_over_busy(s, warps);
    for (unsigned k = issue_next(s, 0, warps); k < s->config->schedulers; k = issue_next(s, k + 1, warps)) {
        issue_scheduler(s, k, MODE_BESIDE);
        if (s->issue.issued[k]) s->issue.guest_went_last &= ~(1ull << k);
    }
    if (s->has_port) issue_port(s);
}

void issue_init(struct sm *s)
{
    s->issue.pick = pick_policy(s->config->scheduler);
    s->issue.all = s->issue.without_warps = bit_mask(s->config->schedulers);
}

// -- joining and leaving ------------------------------------------------------------------------------------

void issue_join(struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    s->issue.warps_of[scheduler] |= 1ull << slot;
    s->issue.order[scheduler][s->issue.order_count[scheduler]++] = (uint8_t)slot;
    s->issue.without_warps &= ~(1ull << scheduler);
}

void issue_leave(struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    s->issue.at_port &= ~(1ull << slot);
    uint8_t *order = s->issue.order[scheduler];
    unsigned n = s->issue.order_count[scheduler], k = 0;
    while (k < n && order[k] != slot) k++;
    memmove(order + k, order + k + 1, n - k - 1);
    if (!--s->issue.order_count[scheduler]) s->issue.without_warps |= 1ull << scheduler;
}

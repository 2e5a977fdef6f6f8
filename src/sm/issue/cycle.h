// A cycle of the schedulers, inline in the SM's cycle (sm.c) and, with guests, ports and busy schedulers, in
// issue.c.
//
//     ready warps ─▶ policy ─▶ issues one instruction (one.h) ─▶ a second of the warp ─▶ evaluated
//                                └ refused: the scheduler's next warp (issue_others)
#pragma once
#include "sm/front_taken.h"
#include "sm/issue/one.h"
#include "sm/ready_look.h"

#include <string.h>

// -- issue.c
// A scheduler's first choice was refused: tries the warps `among` (bits by slot), not empty.
void issue_others(struct sm *s, unsigned scheduler, uint64_t among);

enum issue_pair { PAIR_NONE, PAIR_EVALUATED, PAIR_ISSUED };

// Tries to issue the instruction behind `first`, the warp's instruction just issued, in the same cycle. EVALUATED:
// none issued, and the warp's readiness is up to date. Otherwise the readiness is still to be evaluated.
static inline __attribute__((always_inline)) enum issue_pair
issue_second(struct sm *s, unsigned scheduler, unsigned slot, uint32_t first, enum sm_mode mode)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    if (!w->front.count || (mode == MODE_BESIDE && (s->issue.at_port | s->predict.wrong) >> slot & 1)) {
        charge_second(s, g, SLOT_FETCH, first);
        return PAIR_NONE;
    }
    if (mode == MODE_PLAIN)
        ready_look_plain(s, w, slot);
    else
        ready_look(s, w, slot);
    uint32_t second = w->front.head;
    if (!(s->ready.now >> slot & 1)) {
        charge_second_of(s, slot, (enum gpu_slot)w->ready.why, second);
        return PAIR_EVALUATED;
    }
    if (g->ops[second].pipe == g->ops[first].pipe) {
        charge_second(s, g, SLOT_UNIT, second);
        return PAIR_EVALUATED;
    }
    enum outcome o = issue_one(s, scheduler, slot);
    if (o == OUTCOME_REFUSED || o == OUTCOME_COPIED) {
        enum gpu_slot why = (enum gpu_slot)s->issue.refused[scheduler];
        charge_second_of(s, slot, why ? why : SLOT_UNIT, second);
        return PAIR_EVALUATED;
    }
    s->issue.issued[scheduler] = 2;
    g->counts.issue_dual++;
    return PAIR_ISSUED;
}

// After the warp's instruction `first` has issued with outcome `o`: the second one, and the warp's readiness.
static inline __attribute__((always_inline)) void issue_follow(struct sm *s, unsigned scheduler,
                                                               unsigned slot, uint32_t first, enum outcome o,
                                                               enum sm_mode mode)
{
    struct sm_warp *w = &s->warps[slot];
    s->issue.last[scheduler] = slot;
    if (o == OUTCOME_COPIED) return;
    note_issue(s, scheduler);
    if (o == OUTCOME_STOPPED) {
        charge_second(s, w->grid, SLOT_FETCH, first);
        return;
    }
    enum issue_pair pair =
        s->config->issue_width > 1 ? issue_second(s, scheduler, slot, first, mode) : PAIR_NONE;
    if (pair == PAIR_ISSUED && !(w->warp && w->warp->state == WARP_READY)) return;
    if (mode == MODE_PLAIN) {
        front_taken_plain(s, w, slot);
        if (pair != PAIR_EVALUATED) ready_look_plain(s, w, slot);
    } else {
        front_taken(s, w, slot);
        if (pair != PAIR_EVALUATED) ready_look(s, w, slot);
    }
}

static inline unsigned issue_choose(const struct sm *s, unsigned scheduler, uint64_t among)
{
    bool is_one = !(among & (among - 1));
    return is_one ? bit_lowest(among) : s->issue.pick->first(s, s->issue.last[scheduler], among);
}

static inline __attribute__((always_inline)) void issue_scheduler(struct sm *s, unsigned scheduler,
                                                                  enum sm_mode mode)
{
    uint64_t among = s->ready.now & s->issue.warps_of[scheduler];
    if (mode == MODE_BESIDE) among &= ~s->issue.at_port;
    // turn: warps with a reserved load/store queue entry. The entry would stay empty if other warps issued.
    uint64_t turn = among & s->lsu.turn;
    if (s->issue.pick->limit) among = s->issue.pick->limit(s, scheduler, among) | turn;
    if (!among || __builtin_expect(s->faulted, 0)) return;
    unsigned slot = issue_choose(s, scheduler, turn ? turn : among);
    uint32_t first = s->warps[slot].front.head;
    const struct sm_warp *w = &s->warps[slot];
    bool is_watched = mode == MODE_BESIDE && has_onlookers(s) && !(s->predict.wrong >> slot & 1);
    enum outcome o = is_watched            ? issue_watched(s, scheduler, slot, &w->grid->ops[first])
                     : mode == MODE_BESIDE ? issue_head(s, scheduler, slot, true)
                                           : issue_this(s, scheduler, slot, mode);
    if (o != OUTCOME_REFUSED)
        issue_follow(s, scheduler, slot, first, o, mode);
    else if (among & (among - 1))
        issue_others(s, scheduler, among & ~(1ull << slot));
}

static inline void issue_clear(struct sm *s)
{
    s->issue.went = s->issue.refusers = 0;
    memset(s->issue.issued, 0, sizeof s->issue.issued);
    memset(s->issue.refused, 0, sizeof s->issue.refused);
}

// The first scheduler from `first` on with a ready warp among `warps` (bits by slot); none: past the last.
static inline unsigned issue_next(const struct sm *s, unsigned first, uint64_t warps)
{
    const unsigned schedulers = s->config->schedulers;
    const uint64_t ready = s->ready.now & warps;
    unsigned k = first;
    while (k < schedulers && !(s->issue.warps_of[k] & ready)) k++;
    return k;
}

// A cycle without guests, mechanism's port, wrong paths and busy schedulers.
static inline __attribute__((always_inline)) void issue_cycle(struct sm *s, enum sm_mode mode)
{
    issue_clear(s);
    uint64_t warps = __builtin_expect(s->now >= s->issue.calm_until, 0) ? issue_uneasy(s) : ~0ull;
    for (unsigned k = issue_next(s, 0, warps); k < s->config->schedulers; k = issue_next(s, k + 1, warps))
        issue_scheduler(s, k, mode);
}

// The same where guests exist, but none runs.
static inline void issue_cycle_without_guests(struct sm *s)
{
    issue_cycle(s, MODE_OBSERVED);
    s->issue.guest_went_last &= ~s->issue.went;
}

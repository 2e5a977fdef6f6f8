// Starvation: a policy may pass over a ready warp for ever, or a unit may be busy at each of the warp's
// turns, while other warps spin on the warp's work. Every 4096 cycles a look notes the ready warps. Warps
// ready at two consecutive looks without an issue in between are favoured, one at a time, until the next
// look.
#include "exec/warp.h"
#include "sm/issue/issue_impl.h"

enum { PATIENCE = 4096 }; // cycles between two looks

// Warps ready at the last look and now, without an issue in between: the same count of executed instructions
// and the same next instruction. (Reused instructions are not counted as executed.)
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

// A warp ready at two consecutive looks without an issue in between counts as starving. One starving warp, in
// turn, is favoured until the next look and issues before all warps of the SM. Starving guests have every
// second turn. A look in a skipped cycle would have found no warp ready.
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
// busy in the next cycle, and so on for ever. Notes the oldest ready warp of every other scheduler as
// refused. `own`: the scheduler of the favoured warp; SM_SCHEDULERS: a guest is favoured.
void issue_hold_all(struct sm *s, unsigned own)
{
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        uint64_t held = s->ready.now & s->issue.warps_of[k];
        if (k == own) continue;
        s->issue.refused[k] = 0;
        if (held) refuse(s, k, pick_oldest(s, held), SLOT_UNIT);
    }
}

// Tries to issue one instruction of the favoured warp. Returns the warps (bits by slot) of schedulers that
// may still issue in this cycle; 0: the favoured warp, still ready, was refused, and no warp may issue.
static uint64_t issue_favoured(struct sm *s)
{
    unsigned slot = s->issue.last_favoured, own = slot % s->config->schedulers;
    struct sm_warp *w = &s->warps[slot];
    uint32_t first = w->front.head;
    if (s->issue.free[own] > s->now) return ~0ull;
    enum outcome o = issue_head(s, own, slot, true);
    if (o == OUTCOME_REFUSED) {
        if (!(s->issue.favoured & s->ready.now)) return ~0ull;
        issue_hold_all(s, own);
        return 0;
    }
    if (o == OUTCOME_COPIED) return ~s->issue.warps_of[own];
    note_issue(s, own);
    s->issue.last[own] = slot;
    charge_second(s, w->grid, SLOT_UNIT, first);
    if (o == OUTCOME_ISSUED && w->warp && w->warp->state == WARP_READY) {
        front_update(s, slot);
        ready_evaluate(s, slot);
    }
    return ~s->issue.warps_of[own];
}

// For a cycle in which a look for starving warps is due or a warp is favoured. Makes a due look, and tries to
// issue for the favoured warp. Returns the warps (bits by slot) that may still issue in this cycle.
uint64_t issue_uneasy(struct sm *s)
{
    if (s->now >= s->issue.next_look) look_for_starving(s);
    return s->issue.favoured & s->ready.now ? issue_favoured(s) : ~0ull;
}

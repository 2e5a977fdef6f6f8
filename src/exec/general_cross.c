// Instructions that read other lanes: shuffles, votes, matches, reductions (PTX ISA 9.7.9.6, 9.7.13.9
// to 9.7.13.12).
//
// Exchange stays within a group of 32 lanes; a 64-lane warp has two groups. Lanes with equal member masks
// form a team, reduced to the lanes that execute the instruction. A shuffle from a lane that does not execute
// the shuffle reads the source lane's register as is.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/lane.h"
#include "exec/race.h"
#include "isa/fields.h"

#include <string.h>

struct teams { // executing lanes, grouped by equal member masks
    unsigned count;
    uint64_t lanes[LANES_MAX];
};

// Member mask of a lane, as lanes of the warp; without a mask operand, the executing lanes of its group.
static uint64_t members_of(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                           unsigned lane, uint64_t active)
{
    unsigned base = lane / GROUP_LANES * GROUP_LANES;
    if (bound_inst(d, w)->src[k].kind == OPERAND_NONE) return active & (0xffffffffull << base);
    return (uint64_t)exec_lane_word(d, w, regs, k, 0, lane) << base;
}

// Groups the active lanes into teams once all live member lanes have arrived (simt=stack: at once). False
// while a live member is missing, or after a fault; *next is then the code to run (NULL: the warp stopped).
static bool assemble(const struct bound *d, struct warp *w, const uint8_t *regs, unsigned k, uint64_t active,
                     struct teams *t, const struct bound **next)
{
    // outside: lanes of one team outside their own member mask; outside_members: the mask.
    uint64_t all = 0, outside = 0, outside_members = 0;
    t->count = 0;
    for (uint64_t rest = active; rest;) {
        unsigned first = bit_lowest(rest);
        uint64_t members = members_of(d, w, regs, k, first, active), team = 0;
        for (uint64_t left = rest; left; left &= left - 1) {
            unsigned l = bit_lowest(left);
            if (l / GROUP_LANES == first / GROUP_LANES && members_of(d, w, regs, k, l, active) == members)
                team |= left & -left;
        }
        t->lanes[t->count++] = team;
        if (team & ~members) outside = team & ~members, outside_members = members;
        all |= members;
        rest &= ~team;
    }
    if (!split_sync(w, d, active, all, next)) return false;
    race_warp_sync(w, w->active);
    *next = NULL;
    return !outside || exec_may_be_outside(w, d, bit_lowest(outside), outside_members);
}

const struct bound *exec_shfl(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    struct teams teams;
    const struct bound *next;
    if (!assemble(d, w, regs, 3, active, &teams, &next)) return next;
    uint32_t splat[LANES_MAX], out[LANES_MAX];
    const uint32_t *a = exec_source(d, w, regs, 0, 0, splat);
    uint64_t in_range = 0;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left), base = l / GROUP_LANES * GROUP_LANES;
        uint32_t b = exec_lane_word(d, w, regs, 1, 0, l) & 31, c = exec_lane_word(d, w, regs, 2, 0, l);
        uint32_t lane = l - base, segment = c >> 8 & 31, clamp = c & 31;
        uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment, from = lane;
        bool good = false;
        switch ((int)i->mode) {
        case MODE_SHFL_UP:
            from = lane - b;
            good = (int32_t)from >= (int32_t)most;
            break;
        case MODE_SHFL_DOWN:
            from = lane + b;
            good = from <= most;
            break;
        case MODE_SHFL_BFLY:
            from = lane ^ b;
            good = from <= most;
            break;
        case MODE_SHFL_IDX:
            from = least | (b & ~segment);
            good = from <= most;
            break;
        }
        if (!good) from = lane;
        out[l] = a[base + from];
        in_range |= (uint64_t)good << l;
    }
    exec_write(reg_lanes(regs, d->dst), out, active, w);
    w->pred[d->q] = (w->pred[d->q] & ~active) | in_range;
    return d + 1;
}

const struct bound *exec_vote(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    struct teams teams;
    const struct bound *next;
    if (!assemble(d, w, regs, 1, active, &teams, &next)) return next;
    uint64_t a = pred_source(w, d->src[0]), q = 0;
    for (unsigned t = 0; t < teams.count; t++) {
        uint64_t team = teams.lanes[t], yes = a & team;
        bool verdict = i->mode == MODE_VOTE_ALL   ? yes == team
                       : i->mode == MODE_VOTE_ANY ? yes != 0
                                                  : yes == team || yes == 0;
        if (verdict) q |= team;
        for (uint64_t left = team; left; left &= left - 1) {
            unsigned l = bit_lowest(left), base = l / GROUP_LANES * GROUP_LANES;
            reg_lanes(regs, d->dst)[l] = (uint32_t)(yes >> base);
        }
    }
    w->pred[d->q] = (w->pred[d->q] & ~active) | q;
    return d + 1;
}

const struct bound *exec_match(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    struct teams teams;
    const struct bound *next;
    if (!assemble(d, w, regs, 1, active, &teams, &next)) return next;
    unsigned words = i->type == TYPE_B64 ? 2 : 1;
    uint64_t q = 0;
    uint32_t out[LANES_MAX];
    for (unsigned t = 0; t < teams.count; t++) {
        uint64_t team = teams.lanes[t];
        for (uint64_t left = team; left; left &= left - 1) {
            unsigned l = bit_lowest(left), base = l / GROUP_LANES * GROUP_LANES;
            uint64_t equal = 0;
            for (uint64_t others = team; others; others &= others - 1) {
                unsigned o = bit_lowest(others);
                bool same = true;
                for (unsigned n = 0; n < words; n++)
                    same = same && exec_lane_word(d, w, regs, 0, n, l) == exec_lane_word(d, w, regs, 0, n, o);
                equal |= (uint64_t)same << o;
            }
            bool all = equal == team;
            out[l] = i->mode == MODE_VOTE_ANY || all ? (uint32_t)(equal >> base) : 0;
            if (all) q |= 1ull << l;
        }
    }
    exec_write(reg_lanes(regs, d->dst), out, active, w);
    w->pred[d->q] = (w->pred[d->q] & ~active) | q;
    return d + 1;
}

const struct bound *exec_redux(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    struct teams teams;
    const struct bound *next;
    if (!assemble(d, w, regs, 1, active, &teams, &next)) return next;
    uint32_t out[LANES_MAX];
    for (unsigned t = 0; t < teams.count; t++) {
        uint64_t team = teams.lanes[t];
        uint64_t x = exec_lane_word(d, w, regs, 0, 0, bit_lowest(team));
        for (uint64_t left = team & (team - 1); left; left &= left - 1) {
            uint32_t b = exec_lane_word(d, w, regs, 0, 0, bit_lowest(left));
            x = lane_atomic((enum isa_mode)i->mode, (enum isa_type)i->type, false, x, b, 0);
        }
        for (uint64_t left = team; left; left &= left - 1) out[bit_lowest(left)] = (uint32_t)x;
    }
    exec_write(reg_lanes(regs, d->dst), out, active, w);
    return d + 1;
}

const struct bound *exec_warpsync(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    uint64_t members = 0;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint64_t own = members_of(d, w, regs, 0, lane, active);
        if (!(own >> lane & 1) && !exec_may_be_outside(w, d, lane, own)) return NULL;
        members |= own;
    }
    warp_count_run(w, d);
    race_warp_sync(w, active);
    return split_warpsync(w, active, d->index + 1, members);
}

// What a warp wants of the front end, inline for the paths of every instruction. Belongs to front.c.
#pragma once
#include "sm/sm_impl.h"

// Of a warp or a guest.
static inline __attribute__((always_inline)) bool front_has_room(const struct sm *s, const struct sm_warp *w)
{
    return w->front.count < s->front.below && !w->front.fetching && !w->front.waits_for_line;
}

static inline __attribute__((always_inline)) bool front_has_code(const struct sm_warp *w)
{
    return w->front.pc < w->grid->launch->decoded.count;
}

// front_update for a live warp after its I-buffer has lost an instruction, or after the end of a fetch: the warp
// may want instructions that it did not want before. _plain: no mechanisms on the SM.
static inline __attribute__((always_inline)) void front_taken_plain(struct sm *s, const struct sm_warp *w,
                                                                    unsigned slot)
{
    if (front_has_room(s, w)) s->front.fetchable |= (uint64_t)front_has_code(w) << slot;
}

static inline __attribute__((always_inline)) void front_taken(struct sm *s, const struct sm_warp *w,
                                                              unsigned slot)
{
    if (has_techs(s))
        front_update(s, slot);
    else
        front_taken_plain(s, w, slot);
}

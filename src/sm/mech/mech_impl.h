// Shared by mech.c (an SM asks its mechanisms) and tech.c (mechanisms see and change an SM).
#pragma once
#include "sm/mech/ask.h"

#define EACH(g, k) for (struct sm_tech *k = (g)->techs; k < (g)->techs + (g)->tech_count; k++)

static inline unsigned slot_at(const struct sm_grid *g, unsigned place) { return g->room.slots[place]; }
static inline struct sm_warp *warp_at(struct sm_grid *g, unsigned place)
{
    return &g->sm->warps[slot_at(g, place)];
}

// Calls `saved` of all mechanisms except the supplier of the result.
void mech_tell_others(struct sm_grid *g, const struct sm_tech *saver, unsigned place, uint32_t index,
                      enum tech_saving what);

// Loose round robin: the lowest available warp not yet chosen in this round. A round ends when every
// available warp has been chosen.
#pragma once
#include "base/bits.h"

struct simtight_schedule {
    uint64_t history; // bits: warps chosen in this round
};

enum { SIMTIGHT_NOBODY = -1 };

static inline int simtight_pick(struct simtight_schedule *s, uint64_t available)
{
    uint64_t fresh = available & ~s->history;
    if (!available) return SIMTIGHT_NOBODY;
    if (!fresh) { // the next round
        fresh = available;
        s->history = 0;
    }
    s->history |= fresh & -fresh;
    return (int)bit_lowest(fresh);
}

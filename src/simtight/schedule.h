// Who goes next: the lowest warp that has not gone in this round, a round being as long as there is one.
#pragma once
#include "base/bits.h"

struct simtight_schedule {
    uint64_t history; // bits: warps that have gone in this round
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

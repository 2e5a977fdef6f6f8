// Places of a program where a thread may wait for another thread, and code behind such places.
//
// An inserted barrier is another wait, and two waits can deadlock:
//
//     BB1: @P0 BRA BB3      warps with P0
//     BB2: BAR.SYNC 0       the remaining warps meet here; ended warps are not waited for
//     BB3: (BAR.SYNC 1)     inserted: P0's warps wait for the remaining warps, and vice versa
//          …; EXIT
//
// A block reached by all threads equally often is safe if no waiting place leads to it. Threads still on the
// way are then not delayed by anything a thread at the inserted barrier has left to do.
#pragma once
#include "mark/ssa.h"

// By basic block: whether a waiting place leads to its beginning. `uncertain`, by basic block: threads may
// arrive an unequal number of times. The result is allocated from the arena.
bool *silicon_waits_lead_to(const struct mark_ssa *s, const bool *uncertain, struct arena *a);

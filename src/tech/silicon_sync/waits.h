// Where a thread may wait for another by the program's own means, and what lies behind such places.
//
// An inserted barrier is another wait, and two kinds of waiting can wait for each other:
//
//     BB1: @P0 BRA BB3      warps of which P0 holds
//     BB2: BAR.SYNC 0       the others meet here; who has ended is not waited for
//     BB3: (BAR.SYNC 1)     inserted, P0's warps would wait for the others, and these for them
//          …; EXIT
//
// A block at which all threads come, equally often, is safe when no waiting place leads to it: a thread that
// has yet to come to it is then not held up by anything that somebody who waits at it still has to do.
#pragma once
#include "mark/ssa.h"

// Of every block of the program: a waiting place leads to its beginning. `uncertain` says of a block that
// threads may come to it differently often. The result is allocated from the arena.
bool *silicon_waits_lead_to(const struct mark_ssa *s, const bool *uncertain, struct arena *a);

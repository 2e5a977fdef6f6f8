// The interface of scheduling policies, used by schedulers and by the front end. A policy chooses among warps
// ready to issue, or among warps that want a fetch. Collectors and units are checked after the choice.
//
//     ready warps ─▶ limit ─▶ warps with a load/store queue entry kept for them, if any ─▶ first ─▶ issues
//
// A warp with an entry kept for it may issue even if `limit` excludes the warp.
#pragma once
#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>

struct sm;

struct pick {
    bool is_fair; // a warp that stays in `among` is chosen after a bounded number of choices
    // Chooses one slot of `among` (bits by warp slot, at least two set). last: slot of the warp served last.
    // The function reads the SM's state and keeps no state of its own.
    unsigned (*first)(const struct sm *s, unsigned last, uint64_t among);
    // Slots from which a scheduler may choose; NULL: all of `among`. The function must admit an excluded warp
    // when the admitted warps wait for the excluded warp. Not called by the front end.
    uint64_t (*limit)(const struct sm *s, unsigned scheduler, uint64_t among);
};

const struct pick *pick_policy(int policy); // the policy with row number `policy` in pick.def

// Functions for policies.
// Slot of the warp in `among` (not empty) that has been on the SM longest.
unsigned pick_oldest(const struct sm *s, uint64_t among);
// Round robin: the next slot of `among` (not empty) behind `last`, else the lowest.
unsigned pick_behind(const struct sm *s, unsigned last, uint64_t among);
static inline unsigned pick_next(unsigned last, uint64_t among) // pick_behind, inline
{
    uint64_t behind = among & ~bit_mask(last + 1);
    return bit_lowest(behind ? behind : among);
}

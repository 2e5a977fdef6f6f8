// The seam at which schedulers and the front end are told who goes first. A policy chooses among warps that
// could go now; what they need besides (collectors, units, places in queues) is the stages' business.
//
//     ready warps ─▶ limit ─▶ those with a place kept in a queue, if any ─▶ first ─▶ issues
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sm;

struct pick {
    bool is_fair; // whoever could go all the time does, after a while
    // One of `among`, which has two bits at least; last: warp slot that was served last. It sees the SM's
    // state and keeps none.
    unsigned (*first)(const struct sm *s, unsigned last, uint64_t among);
    // Those that a scheduler may choose from; NULL: all of them. Whoever is kept out here must get in when
    // those that are in wait for it. (Not asked by the front end.)
    uint64_t (*limit)(const struct sm *s, unsigned scheduler, uint64_t among);
};

const struct pick *pick_policy(int policy); // by its place in pick.def

// For policies.
unsigned pick_oldest(const struct sm *s, uint64_t among);                // in the SM; among: not empty
unsigned pick_behind(const struct sm *s, unsigned last, uint64_t among); // round robin

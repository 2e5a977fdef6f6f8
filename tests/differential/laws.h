// Laws for the figures of every launch, in any combination and beside any other launch (docs/reference/json.md, "What
// adds up").
#pragma once
#include "api/warpfold.h"
#include "base/str.h"

// The launch and the settings that laws depend on.
struct laws {
    const struct wf_stats *stats;
    bool perfect; // memory.perfect=1: nothing goes through the crossbar
    // schedulers x issue.width of an SM; 0: SMs of different classes, or other launches on the same SMs
    uint64_t slots_a_cycle;
    uint64_t executions; // warp instructions of the same program without mechanisms; WF_UNKNOWN: not known
};

// False: the first law broken, with its numbers, is in `why`.
bool laws_hold(const struct laws *l, struct strbuf *why);

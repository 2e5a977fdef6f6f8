// Laws that the figures of every launch keep, whatever ran in what and beside whom (docs/json.md, "What adds up").
#pragma once
#include "api/warpfold.h"
#include "base/str.h"

// What a launch was run with, as far as laws depend on it.
struct laws {
    const struct wf_stats *stats;
    bool perfect; // memory.perfect=1: nothing goes through the crossbar
    uint64_t
        slots_a_cycle; // schedulers x issue.width of an SM; 0: its classes differ, or others were on its SMs
    uint64_t executions; // warp instructions of the same program without mechanisms; WF_UNKNOWN: not known
};

// False, and the first law that does not hold with its numbers.
bool laws_hold(const struct laws *l, struct strbuf *why);

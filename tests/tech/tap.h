// A mechanism for tests that only looks on: what the load/store units have sent, and how long warps lived.
//
// Each SM keeps its own, so any number of host threads gives the same records in the same order: an SM's by cycle.
#pragma once
#include "api/warpfold.h"
#include "base/vec.h"
#include "sm/mech/tech.h"

enum { TAP_SMS = 256 };

struct tap_line {
    uint64_t cycle;
    struct tech_line line;
};

struct tap_warp {
    uint64_t start, end; // the first cycle with it, the first without
    uint64_t block, instructions;
    uint32_t warp;
};

struct tap {
    struct tap_sm {
        VEC(struct tap_line) lines;
        VEC(struct tap_warp) warps;
    } sms[TAP_SMS];
};

extern const struct tech tech_tap;

// Launches of the context are looked at from now on, behind wf_tech. False: there is no place left.
bool tap_add(struct wf_context *c, struct tap *tap);
void tap_fini(struct tap *tap);

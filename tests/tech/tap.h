// A mechanism for tests that only observes: lines sent by the load/store units, and lifetimes of warps.
//
// Every SM keeps its own records, ordered by cycle, so the number of host threads does not change them.
#pragma once
#include "api/warpfold.h"
#include "base/vec.h"
#include "harness/test.h"
#include "sm/mech/tech.h"

enum { TAP_SMS = 256 };

struct tap_line {
    uint64_t cycle;
    struct tech_line line;
};

struct tap_warp {
    uint64_t start, end; // the first cycle of residence, the first cycle after it
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

// Observes the launches of the context from now on, after wf_tech. False: no place left.
bool tap_add(struct wf_context *c, struct tap *tap);
// The life of a warp; a warp not ended fails the case.
struct tap_warp tap_life(const struct tap *tap, struct test *t, uint64_t block, uint32_t warp);
void tap_fini(struct tap *tap);

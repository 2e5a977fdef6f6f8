// Release of warps from a barrier: a small state machine over groups of warps. It checks a group, then shifts
// past the group's warps, one a cycle, released or not (SIMTight's published source, barrier release of the
// pipeline).
//
//     load ──▶ check ──▶ shift, a cycle a warp ──▶ check the next group … ──▶ load, when no warp is left
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct simtight_barrier {
    uint64_t left; // waiting warps of the snapshot not yet passed; bit 0: the next warp of the current group
    uint32_t first, shifts; // next warp to pass; warps of the current group still to pass
    bool is_loaded, releases;
};

enum { SIMTIGHT_NONE_RELEASED = -1 };

// Simulates one cycle. `waiting`: bits of the warps at a barrier; `size`: warps of a group. Returns the
// warp released or SIMTIGHT_NONE_RELEASED. While the core spills (`is_frozen`), shifting stops.
int simtight_release(struct simtight_barrier *b, uint64_t waiting, unsigned size, bool is_frozen);

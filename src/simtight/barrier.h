// How the core lets warps go from a barrier: a machine of few states that looks at one group of warps after another, and
// shifts past its warps, one a cycle, whether they go or not (public source, its pipeline's barrier release).
//
//     load ──▶ check ──▶ shift, a cycle a warp ──▶ check the next group … ──▶ load, as soon as nobody else waits
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct simtight_barrier {
    uint64_t left;          // warps that wait, from the group under way on, the first at bit 0
    uint32_t first, shifts; // of the group under way: its first warp, warps still to pass
    bool is_loaded, releases;
};

enum { SIMTIGHT_NONE_RELEASED = -1 };

// A cycle: `waiting` are the warps at a barrier, `size` those of a group. The warp that goes, or none. While the core spills
// (`is_frozen`) none is passed.
int simtight_release(struct simtight_barrier *b, uint64_t waiting, unsigned size, bool is_frozen);

// CAE: inference of affine results (affine.c), and execution on base and stride (cae.c).
#pragma once
#include "exec/warp.h"
#include "sm/mech/tech.h"

// A warp's register. If is_affine, the value is base + stride * lane, modulo 2^32, in every live lane.
struct cae_tuple {
    bool is_affine;
    bool in_lanes; // the lanes hold the value besides base and stride; always true if not is_affine
    uint32_t base, stride;
};

struct cae_sources {
    const struct inst *inst;
    const struct warp *warp;
    const struct cae_tuple *registers; // of the warp, by number
    uint32_t index;
    uint64_t live;      // lanes with a thread that has not ended
    bool rows_of_warps; // rows of threads (equal y and z) fill whole warps, or the block is one row
};

// Whether the result has base and stride, inferred from opcode and sources. For a comparison: whether all
// live lanes are known to have the same outcome, from the operands in the first and last live lane.
bool cae_is_affine(const struct cae_sources *s);
bool cae_is_compare(const struct inst *i);

// CAE inside: which instructions keep base and stride what they are (affine.c), and what becomes of them (cae.c).
#pragma once
#include "exec/exec_impl.h"
#include "sm/mech/tech.h"

// What a warp's register holds: base + stride * lane, modulo 2^32, in every lane that has a thread.
struct cae_tuple {
    bool is_affine;
    bool in_lanes; // it is in the register's lanes as well; always, when it is not affine
    uint32_t base, stride;
};

struct cae_sources {
    const struct inst *inst;
    const struct warp *warp;
    const struct cae_tuple *registers; // of the warp, by number
    uint32_t index;
    uint64_t live;      // lanes that have a thread
    bool rows_of_warps; // the block's rows are whole warps, or it has one row
};

// Whether the result is base and stride too, by what the instruction is and what its sources are. Comparisons: whether the first and
// the last lane agree, and with them all.
bool cae_is_affine(const struct cae_sources *s);
bool cae_is_compare(const struct inst *i);

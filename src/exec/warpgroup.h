// Asynchronous products of a warpgroup (wgmma). Each of the four warps makes its own 16 rows of a product, and needs the others for nothing.
//
//     run                       factors in registers   factors in shared memory, sums
//     functional, early; timed  issue                  issue
//     functional, late          issue                  the wait that covers the product's group
//
// Groups belong to warps. A late run drops products without a wait when the warp starts anew.
#pragma once
#include "base/vec.h"
#include "exec/exec_impl.h"

struct warpgroup_product {
    const struct bound *d;
    uint32_t group;                      // commits of the warp before the issue
    bool is_over;                        // the sums are there
    uint64_t checksum;                   // with the checker: of the factors in shared memory at the issue
    bool adds;                           // scale-d: the sums are added to
    uint64_t a_descriptor, b_descriptor; // of groups of 32 lanes the first
    uint32_t a[4][LANES_MAX], metadata[LANES_MAX];
};

struct warpgroup_warp { // of a warp, late runs and the checker: products not waited for, in order of issue
    VEC(struct warpgroup_product) queue;
    uint32_t commits;
};

void warpgroup_start(struct warp *w); // a warp starts: nothing is under way
void warpgroup_exit(struct warp *w);  // threads end: the checker hears of products without a wait
void warpgroup_fini(struct warp *w);

// A matrix in shared memory by a descriptor (PTX ISA 9.7.15.5), in cells of 16 bytes.
struct warpgroup_matrix {
    uint32_t start, leading, stride; // bytes
    uint32_t span;                   // of the swizzle: 0, 32, 64 or 128 bytes
    uint32_t phase;                  // number of the swizzle's first row of 128 bytes
    bool is_turned;                  // false: a row (of b: a column) lies along the depth
};
struct warpgroup_matrix warpgroup_matrix_of(uint64_t descriptor, bool is_turned);
// Shared address of a cell. Along the depth: cell `at` of row `line`. Turned: eight rows from 8 * `line`, at depth `at`.
uint32_t warpgroup_cell(const struct warpgroup_matrix *m, unsigned line, unsigned at);

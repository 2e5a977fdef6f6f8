// Random PTX kernels from a seed.
//
// A generated kernel is well defined: every register is written before it is read, memory accesses stay
// inside what belongs to the thread, threads meet at barriers before they read each other's words, atomics
// are of kinds whose order does not show, lanes exchange values only where all of a warp are together, loops
// are bounded, and nothing approximate or dependent on clocks is computed. So every correct execution leaves
// the same memory.
//
// Within that it is as nasty as it can be: special constants, repeated and invariant subexpressions, old
// destinations behind guards, nested divergence, calls (recursive, indirect), jump tables, loops with two
// entries, partial warps, register pressure.
//
//     parameters of the kernel `k`                                   memory compared
//     in   1088 words of input, read only                            out, accumulators
//     out  GENERATOR_OUT_BYTES for each thread
//     acc  64 words changed by atomics only
//     n, a, x, y scalars; blob 32 bytes by value
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GENERATOR_IN_BYTES = 4352, // 1024 words and slack for wide loads
    GENERATOR_OUT_BYTES = 256,
    GENERATOR_ACC_BYTES = 256,
    GENERATOR_BLOB_BYTES = 32,
    GENERATOR_PARAM_BYTES = 80
};

struct generator_options {
    unsigned statements; // about so many at top level; 0: chosen by the seed
    bool no_lanes;       // nothing that depends on the warp size
    bool no_calls;
};

struct generated {
    struct strbuf text; // begins with a comment that holds all of the rest: "// launch …"
    uint64_t seed;
    uint32_t grid[3], block[3];
    bool lanes; // depends on the warp size
};

void generator_make(uint64_t seed, const struct generator_options *options, struct generated *out);
// A kernel for redundancy marks (redundancy.c): the same parameters, but 64 bytes of `out` for each of 1024
// threads a block, and what it stores may depend on clocks and on the order of atomics.
void generator_redundancy(uint64_t seed, struct generated *out);
// The same in blocks of that shape instead of the seed's.
void generator_redundancy_in(uint64_t seed, const uint32_t block[3], struct generated *out);
void generated_fini(struct generated *g);
// Reads the launch back from the comment of a generated (or shrunk) kernel. False when there is none.
bool generated_read(const char *text, struct generated *g);

// The launch's data, from the seed alone.
void generator_input(uint64_t seed, uint8_t *in); // GENERATOR_IN_BYTES
// The parameter block: pointers, then n, a, x, y, blob as the kernel declares them.
void generator_params(uint64_t seed, uint64_t in, uint64_t out, uint64_t acc, uint32_t threads,
                      uint8_t *params);

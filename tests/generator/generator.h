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
//     one to five more of any type, all in any order (params.c)
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GENERATOR_IN_BYTES = 4352, // 1024 words and slack for wide loads
    GENERATOR_OUT_BYTES = 256,
    GENERATOR_ACC_BYTES = 256,
    GENERATOR_BLOB_BYTES = 32,
    GENERATOR_PARAMS_MAX = 256
};

struct generator_options {
    unsigned statements; // about so many at top level; 0: chosen by the seed
    bool no_lanes;       // nothing that depends on the warp size
    bool no_calls;
    const uint32_t *block, *grid; // NULL: the seed's
    uint32_t warp_size;           // that it is launched with; 0: 32, or any if it does not depend on it
};

struct generated {
    struct strbuf text; // begins with a comment that holds all of the rest: "// launch …"
    uint64_t seed;
    uint32_t grid[3], block[3];
    bool lanes;     // depends on the warp size
    uint32_t warp;  // that it was made for; 0: 32, and any other if it does not depend on it
    bool order;     // threads order what they do by more than barriers: spins, tickets, locks
    bool splits;    // lanes of a warp wait for each other: simt=splits alone lets all of them go on
    bool undefined; // what it stores is not defined; what a mechanism shares can still be verified
    bool mixed; // parameters in an order of the seed's with more among them; otherwise the eight in one order
};

void generator_make(uint64_t seed, const struct generator_options *options, struct generated *out);
// A kernel for redundancy marks (redundancy.c): the same parameters, but 64 bytes of `out` for each of 1024
// threads a block, and what it stores may depend on clocks and on the order of atomics.
void generator_redundancy(uint64_t seed, struct generated *out);
// The same in blocks of that shape instead of the seed's.
void generator_redundancy_in(uint64_t seed, const uint32_t block[3], struct generated *out);

struct redundancy_options {
    const uint32_t *block, *grid; // NULL: the seed's, and two blocks
    unsigned warp_size;           // 0: 32
    bool defined; // every correct execution leaves the same memory; 64 bytes of `out` for each of n threads
    bool order;   // warps wait for each other by more than barriers (together.c); with `defined`
    bool splits;  // so may lanes of a warp
};
void generator_redundancy_with(uint64_t seed, const struct redundancy_options *options,
                               struct generated *out);
void generated_fini(struct generated *g);
// Reads the launch back from the comment of a generated (or shrunk) kernel. False when there is none.
bool generated_read(const char *text, struct generated *g);
void generated_comment(const struct generated *g, struct strbuf *out); // that comment, a line without its end

// The launch's data, from the seed alone.
void generator_input(uint64_t seed, uint8_t *in); // GENERATOR_IN_BYTES
// The parameter block as the kernel declares it, generator_param_bytes long.
void generator_params(const struct generated *g, uint64_t in, uint64_t out, uint64_t acc, uint8_t *params);
uint32_t generator_param_bytes(const struct generated *g);

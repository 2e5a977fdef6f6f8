// Random PTX kernels from a seed.
//
// A generated kernel is well defined, so every correct execution leaves the same memory:
//   - every register is written before a read, and accesses stay inside the thread's own bytes
//   - threads meet at barriers before they read words of other threads
//   - atomics are of kinds whose order does not show
//   - lanes exchange values only where the whole warp is together
//   - loops are bounded, and nothing approximate or dependent on clocks is computed
//
// Within these limits the kernel is as nasty as possible: special constants, repeated and invariant
// subexpressions, old destinations behind guards, nested divergence, calls (recursive, indirect), jump
// tables, loops with two entries, partial warps, register pressure.
//
//     parameters of the kernel `k`                                   memory compared
//     in   1088 words of input, read only                            out, accumulators
//     out  GENERATOR_OUT_BYTES per thread
//     acc  64 words changed by atomics only
//     n, a, x, y scalars; blob 32 bytes by value
//     one to five more of any type, in any order with the eight above (params.c)
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
    bool no_lanes;       // no instruction whose result depends on the warp size
    bool no_calls;
    const uint32_t *block, *grid; // NULL: the seed's
    // of the launch; 0: 32, or any size if the kernel does not depend on the warp size
    uint32_t warp_size;
};

struct generated {
    struct strbuf text; // begins with a comment "// launch …" holding the other members
    uint64_t seed;
    uint32_t grid[3], block[3];
    bool lanes;     // depends on the warp size
    uint32_t warp;  // warp size the kernel was made for; 0: 32, or any size if `lanes` is false
    bool order;     // threads order their accesses by more than barriers: spins, tickets, locks
    bool splits;    // lanes of a warp wait for other lanes of the warp: only simt=splits terminates
    bool undefined; // stored values are not defined; values shared by a mechanism can still be verified
    // the eight parameters in a random order with extra parameters between; false: the eight in fixed order
    bool mixed;
};

void generator_make(uint64_t seed, const struct generator_options *options, struct generated *out);
// Makes a kernel for redundancy marks (redundancy.c): the same parameters, but 64 bytes of `out` per
// thread, for 1024 threads a block. Stored values may depend on clocks and on the order of atomics.
void generator_redundancy(uint64_t seed, struct generated *out);
// The same in blocks of shape `block` instead of the seed's.
void generator_redundancy_in(uint64_t seed, const uint32_t block[3], struct generated *out);

struct redundancy_options {
    const uint32_t *block, *grid; // NULL: the seed's, and two blocks
    unsigned warp_size;           // 0: 32
    // every correct execution leaves the same memory; `out` has 64 bytes for each of n threads
    bool defined;
    bool order;  // warps wait for each other by more than barriers (together.c); with `defined`
    bool splits; // lanes of a warp may wait for each other as well
};
void generator_redundancy_with(uint64_t seed, const struct redundancy_options *options,
                               struct generated *out);
// Makes a kernel of asynchronous copies, groups and waits (copies.c), with the same parameters.
void generator_copies(uint64_t seed, struct generated *out);
void generated_fini(struct generated *g);
// Reads the launch back from the comment of a generated (or shrunk) kernel. False without a launch comment.
bool generated_read(const char *text, struct generated *g);
// Writes the launch comment, without line end.
void generated_comment(const struct generated *g, struct strbuf *out);

// The launch's data, from the seed alone.
void generator_input(uint64_t seed, uint8_t *in); // GENERATOR_IN_BYTES
// Fills the parameter block as declared by the kernel, generator_param_bytes long.
void generator_params(const struct generated *g, uint64_t in, uint64_t out, uint64_t acc, uint8_t *params);
uint32_t generator_param_bytes(const struct generated *g);

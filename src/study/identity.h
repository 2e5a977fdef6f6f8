// Ghost identities: where every value of a functional run came from, so that redundancy marks can be judged
// by more than coincidence of bits.
//
// Each lane of each register, predicate and spill slot of a warp carries a 64-bit name:
//
//   arithmetic, moves, read-only loads     hash(instruction, names of what this lane read)
//   thread and block indices, dimensions   hash(special register, value; of thread indices, of all lanes)
//   loads of memory that may change        hash(…, the lane's last barrier of the block, fences passed since)
//   shuffles and votes                     hash(…, all active lanes and their names)
//   atomics, clocks, ordered loads         a name of its own
//
// Equal names mean equal values, unless a race lies between. Two executions of an instruction by warps of a
// block *correspond* when both warps have executed the same instructions with the same lanes since the last
// barrier that the whole block met at one place; that is their history, and with it go the branches and
// which lanes took them. A marked instruction must give corresponding executions with all lanes on the path
// equal names and equal values.
#pragma once
#include "base/str.h"
#include "exec/observe.h"
#include "mark/mark.h"

struct identity;

struct identity_counts {
    uint64_t executions; // with results, all lanes on the path
    uint64_t compared;   // marked ones that met an earlier one that corresponds
    uint64_t holes;      // of them, with another name or another value
    uint64_t raced;      // equal names, unequal values: a race in the program; its block is judged no further
    uint64_t patterns;   // executions whose lanes deny the pattern of their mark
    uint64_t not_kept;   // executions that found no room among the kept ones of their block
};

// Corresponding executions, once no more can come.
struct identity_group {
    uint64_t key;   // names the group; equal in runs whose control flow is equal
    uint32_t index; // of the instruction
    uint32_t count; // executions
    bool same_names, same_results;
    bool same_operands; // and results: what the paper calls redundant
};

struct identity_options {
    bool check_patterns; // simt=stack only, see mark.h
    // simt=stack only: histories hold the outcomes of the branches to which all lanes of a warp come
    // together, so warps whose lanes parted, in whatever way, correspond again once they have met.
    bool loose;
    void (*group)(void *context, const struct identity_group *g); // may be NULL
    // Of every execution with results by all lanes, with a hash of these; may be NULL.
    void (*executed)(void *context, const struct observed *o, uint64_t results);
    void *context;
};

// The marks' program is the one that runs, and they outlive the runs observed.
struct identity *identity_create(const struct marks *m, const struct identity_options *options);
void identity_destroy(struct identity *s);
// The observer to run with; valid as long as `s`.
const struct observer *identity_observer(struct identity *s);
const struct identity_counts *identity_counts(const struct identity *s);
// The first hole: instruction, source line, warps, reason of the mark; "" when there was none.
const char *identity_first_hole(struct identity *s);
const char *identity_first_race(struct identity *s);
const char *identity_first_pattern(struct identity *s); // likewise, of patterns denied

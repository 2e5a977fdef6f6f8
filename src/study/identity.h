// Ghost identities: the origin of every value of a functional run, a stricter judge of redundancy marks than
// a coincidence of bits.
//
// Every lane of a register, predicate or spill slot of a warp carries a 64-bit name:
//
//   arithmetic, moves, read-only loads     hash(instruction, names of the lane's sources)
//   thread and block indices, dimensions   hash(special register, value; of thread indices, of all lanes)
//   loads of memory that may change        hash(…, the lane's last barrier of the block, fences passed since)
//   shuffles and votes                     hash(…, all active lanes and their names)
//   atomics, clocks, ordered loads         a fresh name
//
// Equal names mean equal values, except for a race. Two executions of an instruction by warps of a block
// *correspond* when the warps have equal histories. A history is the sequence of instructions with active
// lanes since the last barrier met by the whole block at one place. Branches and taken lanes follow from it.
// In corresponding executions with all lanes on the path, a marked instruction must give equal names and
// equal values.
#pragma once
#include "base/str.h"
#include "exec/observe.h"
#include "mark/mark.h"

struct identity;

struct identity_counts {
    uint64_t executions; // executions with comparable results, all lanes on the warp's path
    uint64_t compared;   // executions of marked instructions with an earlier corresponding execution
    // of `compared`: the result's name differs from the earlier one, before any race in the block
    uint64_t holes;
    // equal names, unequal values: a race in the program; later holes of the block do not count
    uint64_t raced;
    uint64_t patterns; // executions whose lanes contradict the pattern of the mark
    uint64_t not_kept; // executions without room in the list of their block
};

// A group of corresponding executions, reported when complete.
struct identity_group {
    uint64_t key;   // names the group; equal in runs with equal control flow
    uint32_t index; // index of the instruction
    uint32_t count; // number of executions in the group
    bool same_names, same_results;
    bool same_operands; // operands and results are equal: redundant in the sense of DARSIE
};

struct identity_options {
    bool check_patterns; // simt=stack only, see mark.h
    // simt=stack only. Histories hold only outcomes of branches and barriers reached by all lanes of a warp
    // together. After reconvergence of their lanes, warps correspond again, regardless of the divergence.
    bool loose;
    void (*group)(void *context, const struct identity_group *g); // may be NULL
    // Called for every execution with comparable results by all lanes of the warp; `results`: a hash of the
    // results. May be NULL.
    void (*executed)(void *context, const struct observed *o, uint64_t results);
    void *context;
};

// The program of the marks must be the running program, and the marks must outlive the observed runs. On the
// heap; free with identity_destroy.
struct identity *identity_create(const struct marks *m, const struct identity_options *options);
void identity_destroy(struct identity *s);
// The observer of a run; valid as long as `s`.
const struct observer *identity_observer(struct identity *s);
const struct identity_counts *identity_counts(const struct identity *s);
// The first hole (marked instruction whose corresponding executions have unequal names): instruction, source
// line, warps, reason of the mark; "" without holes.
const char *identity_first_hole(struct identity *s);
const char *identity_first_race(struct identity *s);
const char *identity_first_pattern(struct identity *s); // likewise, for contradicted patterns

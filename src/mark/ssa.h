// SSA over an allocated program: which definition each read of a register, predicate or spill slot sees.
// Built anew from the program alone, so any front end's code can be analysed.
#pragma once
#include "flow/blocks.h"
#include "isa/program.h"
#include "mark/mark.h"

enum mark_def_kind {
    DEF_UNDEFINED,
    DEF_CALL, // whatever is in a register when a function begins, and when a call returns
    DEF_INST,
    DEF_PHI
};

struct mark_def {
    uint8_t kind; // enum mark_def_kind
    uint32_t location;
    uint32_t block;
    uint32_t inst;     // INST
    uint32_t *sources; // PHI: one a predecessor, definitions
    // What propagate.c finds. A definition starts redundant, its pattern unknown, and only ever gets weaker.
    bool vector, varies; // varies: lanes of a warp meet here with values of different ways
    uint8_t conditions;
    struct mark_pattern pattern;
    uint8_t cause;      // enum mark_cause of the last weakening
    uint32_t from_def;  // SOURCE, GUARD, OLD: definition to blame
    uint32_t from_inst; // JOIN, LOOP, BARRIER, EPOCH: branch
};

struct mark_ssa {
    const struct program *program;
    struct arena *arena;
    struct flow_blocks flow;
    struct flow_tree dominators, postdominators;
    struct flow_loops loops;
    uint32_t location_count;
    bool blocks_talk; // the program has atomics, fences or ordered accesses
    struct mark_def *defs;
    uint32_t def_count;
    // Of instruction i: definitions behind its reads, in access_reads' order, and made by its writes, in
    // access_writes'.
    uint32_t *read_first, *reads; // read_first[i] … read_first[i + 1]
    uint32_t *write_first, *writes;
    uint32_t *phi_first, *phis; // of block b: phi_first[b] … phi_first[b + 1]
    // Found by mark_propagate, of the branch that ends a block: warps may part there; where, unless the
    // conditions hold, they may.
    bool *parts;
    uint8_t *parts_unless;
    bool *parts_lanes; // lanes of one warp may
};

void mark_ssa_init(struct mark_ssa *s, const struct program *p, struct arena *a);

// SSA over an allocated program: the definition seen by every read of a register, predicate, spill slot or
// local memory. Built from the program alone, so code of any front end can be analysed.
#pragma once
#include "flow/blocks.h"
#include "mark/mark.h"

struct program;

enum mark_def_kind {
    DEF_UNDEFINED,
    DEF_CALL, // value of a location at function entry and after a call
    DEF_INST,
    DEF_PHI
};

struct mark_def {
    uint8_t kind; // enum mark_def_kind
    uint32_t location;
    uint32_t block;
    uint32_t inst;     // INST
    uint32_t *sources; // PHI: definitions, one per predecessor
    // Results of propagate.c. A definition starts redundant, with unknown pattern, and only becomes weaker.
    bool vector, varies; // varies: lanes of one warp bring values of different paths to the phi
    uint8_t conditions;
    struct mark_pattern pattern;
    uint8_t cause;      // enum mark_cause of the last weakening
    uint32_t from_def;  // SOURCE, GUARD, OLD, LOCAL: the definition to blame
    uint32_t from_inst; // JOIN, LOOP, BARRIER, EPOCH: the branch to blame
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
    // Instruction i: definitions of its reads, in the order of access_reads; definitions made by its writes,
    // in the order of access_writes.
    uint32_t *read_first, *reads; // range of i: read_first[i] … read_first[i + 1] - 1
    uint32_t *write_first, *writes;
    uint32_t *phi_first, *phis; // range of block b: phi_first[b] … phi_first[b + 1] - 1
    // Results of mark_propagate for the branch ending a block. parts: warps may part at the branch.
    // parts_unless: bits of enum mark_condition; warps may part unless all hold.
    bool *parts;
    uint8_t *parts_unless;
    bool *parts_lanes; // lanes of one warp may part
};

void mark_ssa_init(struct mark_ssa *s, const struct program *p, struct arena *a);
// Marks of definitions: the fixed point of the rules (propagate.c).
void mark_propagate(struct mark_ssa *s, const struct mark_rules *r);
// The mark of an instruction, after mark_propagate: the weakest claim on its definitions, or VECTOR with a
// cause when every warp must execute the instruction. The grid members stay 0. mark_explain follows the chain
// behind `from` through the definitions.
void mark_of_inst(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct mark *out);

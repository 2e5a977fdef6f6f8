// What a rule says of a value's redundancy: nothing against it (uniform(), no conditions), only in blocks of
// some shapes, or not at all; with the cause that a reader is told.
#pragma once
#include "mark/ssa.h"

struct claim {
    bool vector;
    uint8_t conditions, cause;
    bool varies; // of a branch, join or loop exit: lanes of one warp part there
};

static inline bool claim_is_weak(const struct claim *c) { return c->vector || c->conditions; }

static inline struct claim claim_redundant(void) { return (struct claim){.cause = CAUSE_NONE}; }

static inline struct claim claim_vector(enum mark_cause cause)
{
    return (struct claim){.vector = true, .cause = (uint8_t)cause};
}

// Whether a soundness rule is in force: the paper's rules have none of them, tests leave out one at a time.
static inline bool claim_rule_is_on(const struct mark_rules *r, enum mark_soundness rule)
{
    return !r->paper && !(r->broken >> rule & 1);
}

// What an instruction does to redundancy apart from its sources: where redundancy comes from and what forbids
// it (source.c).
struct claim claim_of_inst(const struct mark_ssa *s, const struct mark_rules *r, const struct inst *i);

// The pattern over the lanes of a warp of instruction `inst`'s first result, from its sources' patterns
// (pattern.c). TOP when a source is not known yet. `seen` gives a source's pattern as seen from the
// instruction's block.
typedef struct mark_pattern claim_pattern_of(const void *context, uint32_t def, uint32_t block);
struct mark_pattern claim_pattern(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                                  claim_pattern_of *seen, const void *context);
struct mark_pattern claim_pattern_merged(struct mark_pattern a, struct mark_pattern b);
// Instructions that cut a thread's index out of a larger number, so that their results are as redundant as *c says whatever
// their sources are: tid.x & (2^n - 1) with 2^n up to the warp size (rules->tid_x_mod), and of RISC-V the hart's number &
// (2^n - 1) (rules->hart). *p: the pattern (index.c). Both are asked of every instruction again and again.
static inline bool claim_may_be_index(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst)
{
    return (r->tid_x_mod || r->hart) && s->program->insts[inst].op == OP_LOP3;
}
bool claim_find_index(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct claim *c);
bool claim_index_pattern(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                         struct mark_pattern *p);
static inline bool claim_is_index(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                                  struct claim *c)
{
    return claim_may_be_index(s, r, inst) && claim_find_index(s, r, inst, c);
}

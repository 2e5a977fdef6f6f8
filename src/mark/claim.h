// The claim of a rule about a value's redundancy: redundant (no conditions), redundant in blocks of some
// shapes, or vector; with the cause reported to the user.
#pragma once
#include "isa/isa.h"
#include "isa/program.h"
#include "mark/ssa.h"

struct claim {
    bool vector;
    uint8_t conditions, cause;
    bool varies; // lanes of one warp may diverge at the branch, join or loop exit
};

static inline bool claim_is_weak(const struct claim *c) { return c->vector || c->conditions; }

static inline struct claim claim_redundant(void) { return (struct claim){.cause = CAUSE_NONE}; }

static inline struct claim claim_vector(enum mark_cause cause)
{
    return (struct claim){.vector = true, .cause = (uint8_t)cause};
}

// True: a soundness rule is in force. The paper's rules use no soundness rule; tests leave out one rule at a
// time.
static inline bool claim_rule_is_on(const struct mark_rules *r, enum mark_soundness rule)
{
    return !r->paper && !(r->broken >> rule & 1);
}

// The claim on an instruction's results apart from the claims on its sources (source.c). Redundant: special
// registers equal in all warps (thread indices: under a condition). Vector: atomics, calls and the like.
struct claim claim_of_inst(const struct mark_ssa *s, const struct mark_rules *r, const struct inst *i);

// The pattern over the lanes of a warp of the first result of `inst`, from the patterns of its sources
// (pattern.c). Unknown (`known` false) while the pattern of a source is unknown. `seen` gives a source's
// pattern as seen from the instruction's block.
typedef struct mark_pattern claim_pattern_of(const void *context, uint32_t def, uint32_t block);
struct mark_pattern claim_pattern(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                                  claim_pattern_of *seen, const void *context);
struct mark_pattern claim_pattern_merged(struct mark_pattern a, struct mark_pattern b);
// Instructions that cut a thread's index out of a larger number (index.c). Their results are as redundant as
// *c says, independent of the sources. Forms: tid.x & (2^n - 1) with 2^n up to the warp size
// (rules->tid_x_mod); in RISC-V programs the hart's number & (2^n - 1) (rules->hart). *p: the pattern of the
// result. False: any other instruction; claim_find_index also for an immediate hart mask with 2^n above the
// warp size. claim_may_be_index is a quick test only: true for every LOP3 under one of the two rules.
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

// Which pipe a warp's next instruction goes to: the scalar pipe, which has one lane and sees the SRF alone, or the vector
// pipe (SIMTight, ICCD 2024, III-C; what the text leaves open as in its public source).
//
//              ┌──────────── its next instruction was scalarisable the last time: all lanes, no jump, room ──────────┐
//         vector pipe                                                                                           scalar pipe
//     executes, and notes in the table                                                                executes, or gives up
//     whether it was scalarisable                                                                                     │
//              └──────────── given up, or its next instruction was not scalarisable ─────────────────────────────────┘
//
// Pure rules: who asks has the operands and the queues.
#pragma once
#include "scalar/detector.h"

// -- operands -----------------------------------------------------------------------------------------------

// What an instruction reads that varies: registers as they are kept. Immediates, and what is one value by itself, are
// none; so who has fewer than two leaves the rest at SCALAR_UNIFORM.
struct scalar_operands {
    bool is_allowed; // its opcode is one that the scalar pipe has
    bool is_add;     // and of those that take one affine operand
    bool all_active; // every lane of the warp runs it
    enum scalar_kind a, b;
};

// What the vector pipe notes in the table.
static inline bool scalar_is_scalarisable(const struct scalar_operands *o)
{
    bool both_uniform = o->a == SCALAR_UNIFORM && o->b == SCALAR_UNIFORM;
    bool one_affine = (o->a == SCALAR_UNIFORM && o->b == SCALAR_AFFINE) ||
                      (o->a == SCALAR_AFFINE && o->b == SCALAR_UNIFORM);
    return o->is_allowed && o->all_active && (both_uniform || (o->is_add && one_affine));
}

// a + b, of which one at most is affine. False: the detector would not accept the result, for its base; the scalar pipe
// gives up. (The vector pipe does not look: it calls such an addition scalarisable again and again.)
static inline bool scalar_add(const struct scalar_rule *rule, struct scalar_form a, struct scalar_form b,
                              struct scalar_form *sum)
{
    *sum = (struct scalar_form){a.base + b.base, (uint8_t)(a.code | b.code)};
    return scalar_may_begin_at(rule, sum->base, sum->code);
}

// -- the table ----------------------------------------------------------------------------------------------

// A bit a word of code: it was scalarisable the last time that the vector pipe had it.
struct scalar_table {
    uint64_t *bits;
    uint32_t words;
};

void scalar_table_init(struct scalar_table *p, uint32_t words); // nothing has been
void scalar_table_fini(struct scalar_table *p);
static inline bool scalar_predicted(const struct scalar_table *p, uint32_t word) // behind the end: no
{
    return word < p->words && p->bits[word / 64] >> word % 64 & 1;
}
static inline void scalar_learn(struct scalar_table *p, uint32_t word, bool was_scalarisable)
{
    p->bits[word / 64] = (p->bits[word / 64] & ~(1ull << word % 64)) | (uint64_t)was_scalarisable
                                                                           << word % 64;
}

// -- from pipe to pipe --------------------------------------------------------------------------------------

// Of a warp behind the vector pipe.
struct scalar_leaving {
    bool all_active;
    bool jumps;     // some lane's next instruction is not the one behind this one: a taken branch stays
    bool is_passed; // it has not executed: suspended, refused by its unit, or a register is on its way back
    bool predicted; // the table's bit of the instruction behind this one
    unsigned there; // warps in the scalar pipe
    unsigned limit; // that may be
};
static inline bool scalar_goes_to_scalar(const struct scalar_leaving *w)
{
    return w->all_active && !w->jumps && !w->is_passed && w->predicted && w->there < w->limit;
}

// Of a warp behind the scalar pipe, whose next instruction is looked up where it really is. One that waits for a unit
// stays.
static inline bool scalar_goes_to_vector(bool gave_up, bool waits, bool predicted)
{
    return !waits && (gave_up || !predicted);
}

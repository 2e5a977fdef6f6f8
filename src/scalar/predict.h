// Chooses the pipe of a warp's next instruction: the scalar pipe, with one lane and access to the scalar
// register file (SRF) only, or the vector pipe (SIMTight, ICCD 2024, III-C; details absent from the paper
// follow its public source).
//
//              ┌──── next instruction was scalarisable the last time: all lanes, no jump, room ────┐
//         vector pipe                                                                         scalar pipe
//     executes, and notes in the table                                              executes, or gives up
//     whether it was scalarisable                                                                   │
//              └──── given up, or next instruction was not scalarisable ────────────────────────────┘
//
// Pure rules: the caller owns the operands and the queues.
#pragma once
#include "base/arena.h"
#include "scalar/detector.h"

#include <stdlib.h>

// -- operands -----------------------------------------------------------------------------------------------

// What decides whether the scalar pipe could execute an instruction. a, b: stored kinds of the two least
// uniform source registers. SCALAR_UNIFORM also stands for a missing register.
struct scalar_operands {
    bool is_allowed; // the scalar pipe has the opcode, and every predicate read is uniform
    bool is_add;     // the instruction accepts one affine operand
    bool all_active; // every lane with a live thread is active
    enum scalar_kind a, b;
};

// Whether the scalar pipe could execute the instruction, as far as opcode, operands and active lanes tell.
// The vector pipe notes the answer in scalar_table.
static inline bool scalar_is_scalarisable(const struct scalar_operands *o)
{
    bool both_uniform = o->a == SCALAR_UNIFORM && o->b == SCALAR_UNIFORM;
    bool one_affine = (o->a == SCALAR_UNIFORM && o->b == SCALAR_AFFINE) ||
                      (o->a == SCALAR_AFFINE && o->b == SCALAR_UNIFORM);
    return o->is_allowed && o->all_active && (both_uniform || (o->is_add && one_affine));
}

// Adds a and b, at most one of them affine. False: the detector would reject the base of the sum, so the
// scalar pipe gives up. (The vector pipe has no such check: it notes the addition as scalarisable every
// time.)
static inline bool scalar_add(const struct scalar_rule *rule, struct scalar_form a, struct scalar_form b,
                              struct scalar_form *sum)
{
    *sum = (struct scalar_form){a.base + b.base, (uint8_t)(a.code | b.code)};
    return scalar_may_begin_at(rule, sum->base, sum->code);
}

// -- the table ----------------------------------------------------------------------------------------------

// One bit per instruction, at an index chosen by the caller: scalarisable (executable by the scalar pipe) at
// the last execution by the vector pipe.
struct scalar_table {
    uint64_t *bits;
    uint32_t words;
};

static inline void scalar_table_init(struct scalar_table *p, uint32_t words) // all bits 0
{
    *p = (struct scalar_table){.bits = heap_alloc((words / 64 + 1) * sizeof *p->bits), .words = words};
}
static inline void scalar_table_fini(struct scalar_table *p) { free(p->bits); }
static inline bool scalar_predicted(const struct scalar_table *p, uint32_t word) // past the end: false
{
    return word < p->words && p->bits[word / 64] >> word % 64 & 1;
}
static inline void scalar_learn(struct scalar_table *p, uint32_t word, bool was_scalarisable)
{
    p->bits[word / 64] = (p->bits[word / 64] & ~(1ull << word % 64)) | (uint64_t)was_scalarisable
                                                                           << word % 64;
}

// -- from pipe to pipe --------------------------------------------------------------------------------------

// A warp leaving the vector pipe.
struct scalar_leaving {
    bool all_active;
    bool jumps;     // some lane continues elsewhere than at the next word: the warp stays in the vector pipe
    bool is_passed; // not executed, or the warp cannot go on at once: it stays in the vector pipe
    bool predicted; // table bit of the next word
    unsigned there; // other warps in the scalar pipe
    unsigned limit; // most warps in the scalar pipe
};
static inline bool scalar_goes_to_scalar(const struct scalar_leaving *w)
{
    return w->all_active && !w->jumps && !w->is_passed && w->predicted && w->there < w->limit;
}

// Whether a warp leaves the scalar pipe for the vector pipe. gave_up: the scalar pipe could not execute the
// instruction. waits: the warp waits for a unit, and stays. predicted: scalar_table's bit of the actual next
// instruction.
static inline bool scalar_goes_to_vector(bool gave_up, bool waits, bool predicted)
{
    return !waits && (gave_up || !predicted);
}

// Which way a warp went, as one number: the outcomes of the branches that all its threads came to together.
// Two warps of a block that began alike and have equal histories have come the same way (up to collisions of
// 64 bits), so a pc and a history name one instance of an instruction; and since a history never becomes an
// earlier one again, a warp executes each of them once.
//
// A branch that divides a warp is an outcome of its own, and what happens until its threads are together
// again adds nothing.
#pragma once
#include "study/values.h"

enum { HISTORY_START = 1 };

// To be called for instructions of ROLE_CONTROL that all threads of the warp are at. `o` as given to `after`;
// the values are those before the instruction.
static inline uint64_t history_after(uint64_t history, const struct observed *o, const struct values *v)
{
    uint64_t outcome = o->lanes == o->path ? 1 : o->lanes ? 2 : 0;
    const struct operand *target = &o->inst->src[0]; // of an indirect one
    if (outcome && isa_has(o->inst, ISA_INDIRECT) && target->kind == OPERAND_REG && target->reg != REG_ZERO) {
        const struct value *x = values_at(v, o->warp, target->reg);
        outcome = x->pattern == PATTERN_UNIFORM && outcome == 1 ? 3 + (uint64_t)x->base : 2;
    }
    return value_fold(history, (uint64_t)o->index << 34 ^ outcome);
}

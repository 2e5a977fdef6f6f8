// The control flow of a warp as one number: outcomes of the branches reached by all its threads together. Two
// warps of a block starting alike with equal histories took the same path, up to collisions of 64 bits. A
// history never returns to an earlier value, so a pc and a history name one instance of an instruction. Each
// warp executes an instance at most once.
//
// A branch that divides a warp is an outcome of its own. Instructions before reconvergence add nothing.
#pragma once
#include "isa/isa.h"
#include "study/values.h"

enum { HISTORY_START = 1 };

// Call for instructions of ROLE_CONTROL reached by all threads of the warp. `o`: as given to `after`. `v`:
// the values before the instruction. Returns the new history.
static inline uint64_t history_after(uint64_t history, const struct observed *o, const struct values *v)
{
    uint64_t outcome = o->lanes == o->path ? 1 : o->lanes ? 2 : 0;
    const struct operand *target = &o->inst->src[0]; // target of an indirect branch
    if (outcome && isa_has(o->inst, ISA_INDIRECT) && target->kind == OPERAND_REG && target->reg != REG_ZERO) {
        const struct value *x = values_at(v, o->warp, target->reg);
        outcome = x->pattern == PATTERN_UNIFORM && outcome == 1 ? 3 + (uint64_t)x->base : 2;
    }
    return value_fold(history, (uint64_t)o->index << 34 ^ outcome);
}

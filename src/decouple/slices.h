// Private state of the analysis: values of definitions, control dependence.
#pragma once
#include "decouple/decouple.h"
#include "mark/access.h"
#include "mark/divergence.h"
#include "mark/ssa.h"

struct program;

struct decouple_value { // of a definition
    uint8_t kind, pieces, cause;
    bool potential;
    uint32_t from;
};

struct decouple_slices {
    struct mark_ssa ssa;
    struct divergence divergence;
    struct decouple_value *values; // by definition
    // Divergence. join_kind, by block: worst kind among the predicates of branches whose parted threads meet
    // in the block. leave_kind, by loop: likewise, of branches that leave the loop. join_from, leave_from:
    // the first branch of that kind.
    uint8_t *join_kind, *leave_kind;
    uint32_t *join_from, *leave_from;
    // By block: the blocks whose branches control the block (control dependence).
    uint32_t *depends_first, *depends;
};

// spills.c: tracks spill slots as registers. decouple_name_of_slot: register number of a slot in the affine
// stream, past the registers of the program. decouple_move_of_slot: the stream's move of one word between
// slot register and program register.
void decouple_find_spills(struct decouple *d);
unsigned decouple_name_of_slot(const struct program *p, uint32_t address);
struct inst decouple_move_of_slot(const struct program *p, const struct inst *i, unsigned word);
// demand.c: sets `drops` and `free` of every instruction.
void decouple_find_demands(struct decouple *d);
void decouple_find_kinds(struct decouple *d);
// Value of a definition as seen from a block. If the block is outside a loop around the definition, and
// threads leave the loop in different iterations, every kind turns into DECOUPLE_VECTOR.
struct decouple_value decouple_value_at(const struct decouple_slices *s, uint32_t def, uint32_t block);
void decouple_find_slices(struct decouple *d);

static inline uint32_t decouple_last_of(const struct mark_ssa *s, uint32_t block)
{
    return s->flow.blocks[block].first + s->flow.blocks[block].count - 1;
}

// Inside the compiler's half: what is known of definitions, and what depends on which branch.
#pragma once
#include "decouple/decouple.h"
#include "mark/access.h"
#include "mark/divergence.h"
#include "mark/ssa.h"

struct decouple_value { // of a definition
    uint8_t kind, pieces, cause;
    bool potential;
    uint32_t from;
};

struct decouple_slices {
    struct mark_ssa ssa;
    struct divergence divergence;
    struct decouple_value *values; // by definition
    // Of a block: threads of several ways meet there, of a branch that they take differently; of a loop: threads leave it
    // in different iterations. The kind is the predicate's, the branch the first found.
    uint8_t *join_kind, *leave_kind;
    uint32_t *join_from, *leave_from;
    // Of a block: the blocks whose branch decides whether control comes to it.
    uint32_t *depends_first, *depends;
};

// spills.c: which spill slots are followed. The register that is the affine stream's for one, whose number is past the program's;
// and that stream's move between such and the others, a word of it.
void decouple_find_spills(struct decouple *d);
unsigned decouple_name_of_slot(const struct program *p, uint32_t address);
struct inst decouple_move_of_slot(const struct program *p, const struct inst *i, unsigned word);
void decouple_find_kinds(struct decouple *d);
// As it is seen from a block: what leaves a loop that threads leave in different iterations is no tuple behind it.
struct decouple_value decouple_value_at(const struct decouple_slices *s, uint32_t def, uint32_t block);
void decouple_find_slices(struct decouple *d);

static inline uint32_t decouple_last_of(const struct mark_ssa *s, uint32_t block)
{
    return s->flow.blocks[block].first + s->flow.blocks[block].count - 1;
}

// Bits of values that are constant in every run (a forward analysis), and bits that some user reads (a
// backward analysis).
#pragma once
#include "compile/ir/ir.h"

struct known_bits {
    uint64_t zeros, ones; // bits known to be 0 and to be 1; the upper half of a 32-bit value is known to be 0
};

struct known {
    struct known_bits *bits; // by value id
    uint64_t *demanded;      // by value id: bits that may influence a user; NULL before known_demand
    uint32_t count;          // values created later have no entry: nothing is known
};

// Requires ir_analyse. Results stay valid while the function is unchanged, and when equal values replace each
// other.
void known_init(struct known *k, struct ir_function *f);
void known_demand(struct known *k, struct ir_function *f); // computes `demanded`
void known_fini(struct known *k);

struct known_bits known_of(const struct known *k, const struct ir_value *v);
uint64_t known_demanded(const struct known *k, const struct ir_value *v);
// The largest unsigned number consistent with the known zeros.
uint64_t known_max(const struct known *k, const struct ir_value *v);
bool known_not_negative(const struct known *k, const struct ir_value *v);

// Without an analysis of the function: the number of low bits known to be zero in every execution, the proof
// that adjacent accesses can be merged into a wider access. 64 for constant zero. Stateless (leaves `note`
// alone) and bounded in depth: cheap enough for a call per access. In align.c.
unsigned align_known_zeros(const struct ir_value *v);

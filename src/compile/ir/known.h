// Bits of values that are the same in every run: computed forwards from operands, and backwards which bits
// anybody reads.
#pragma once
#include "compile/ir/ir.h"

struct known_bits {
    uint64_t zeros, ones; // bits known to be 0, to be 1; of 32-bit values the upper half is known to be 0
};

struct known {
    struct known_bits *bits; // by value id
    uint64_t *demanded;      // by value id: bits that some user may look at; NULL before known_demand
    uint32_t count;          // values made later have no entry: nothing is known of them
};

// After ir_analyse, while the function stays as it is; answers stay true when equal values replace each
// other.
void known_init(struct known *k, struct ir_function *f);
void known_demand(struct known *k, struct ir_function *f); // adds the demanded bits
void known_fini(struct known *k);

struct known_bits known_of(const struct known *k, const struct ir_value *v);
uint64_t known_demanded(const struct known *k, const struct ir_value *v);
uint64_t known_max(const struct known *k,
                   const struct ir_value *v); // the largest unsigned number that fits the zeros
bool known_not_negative(const struct known *k, const struct ir_value *v);

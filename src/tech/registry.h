// Mechanisms by name, with their options: "darsie:entries=4,coalescer=off+uv".
#pragma once
#include "sm/mech/tech.h"

#define TECH(symbol) extern const struct tech tech_##symbol;
#include "tech/registry.def"
#undef TECH

const struct tech *tech_at_index(size_t index); // NULL past the last

struct tech_claim_info { // sm/mech/claims.def
    const char *name, *meaning;
    bool is_exclusive; // at most one mechanism of a combination may make the claim
};
const struct tech_claim_info *tech_claim_at(size_t index); // by enum tech_claim; NULL past the last

struct tech_choice { // mechanisms with their options, parsed by tech_choose
    struct tech_use uses[TECH_MAX];
    unsigned count;
    struct arena arena;
};

void tech_choice_init(struct tech_choice *c);
void tech_choice_fini(struct tech_choice *c);
// Parses `text` into the choice; "base": no mechanism. False: an error is in *d; for an unknown mechanism or
// option with the nearest known name, if a name is near.
bool tech_choose(struct tech_choice *c, const char *text, struct diag *d);

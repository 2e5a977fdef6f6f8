// Chains of plain dependences between definitions, followed for the reasons behind marks.
#pragma once
#include "mark/ssa.h"

// Whether the chain goes on behind definition `def`: the cause is among the bits of `followed` (1 << enum
// mark_cause) and names another definition.
bool mark_chain_goes_on(const struct mark_ssa *s, uint32_t followed, uint32_t def);
// By definition: the last one of its chain. Conditions that reach a loop from two sides may blame each other:
// all chains into such a cycle end in one definition of the cycle, behind which the chain goes on. One pass
// over all definitions, whatever the lengths of the chains.
uint32_t *mark_chain_ends(const struct mark_ssa *s, uint32_t followed, struct arena *a);

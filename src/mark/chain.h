// Chains of plain dependences between definitions, followed for the reasons behind marks.
#pragma once
#include "mark/ssa.h"

// Whether the chain goes on behind definition `def`: the cause is among the bits of `followed` (1 << enum
// mark_cause) and names a further definition.
bool mark_chain_goes_on(const struct mark_ssa *s, uint32_t followed, uint32_t def);
// By definition: the last definition of the chain. Two conditions merged in a loop may blame definitions in a
// cycle. Chains into a cycle all end in the same definition of the cycle, where mark_chain_goes_on still
// holds. A single pass over the definitions; the lengths of chains add no cost.
uint32_t *mark_chain_ends(const struct mark_ssa *s, uint32_t followed, struct arena *a);

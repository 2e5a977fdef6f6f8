// A cheap check for races within a block, in functional runs: warps that write and read a word of shared
// memory with no ordering in between.
//
// A functional run executes one warp after another, up to a barrier. A kernel whose warps rely on running
// side by side then computes other values than a GPU, unnoticed. The first block of a kernel's first
// functional launch is therefore watched for some time: the check runs before accesses to shared memory, and
// the forms themselves are unchanged.
//
// Accesses are compared within an epoch. Any event that might order two warps (a completed barrier, a fence,
// an atomic, a volatile or other strong access) starts a new epoch. Stores of the value already in memory are
// harmless. Generic accesses and accesses below 4 bytes are not checked. A report is likely true; many races
// go unreported. The complete race detector is race.h.
#pragma once
#include "exec/exec_impl.h"

void hint_create(struct exec *e);  // call before exec_prepare
void hint_destroy(struct exec *e); // findings go to e->notes
// For bind.c: true when the instruction's `run` has to be hint_full, hint_masked or, in masked code at a
// reconvergence point, hint_join.
bool hint_concerns(const struct exec *e, const struct inst *i);
exec_handler hint_full, hint_masked, hint_join;
void hint_ordered(const struct cta *c); // after an event that may order warps: starts a new epoch

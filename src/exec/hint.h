// A cheap look for races within a block, in functional runs: warps that write and read a word of shared
// memory with nothing between that could order them.
//
// A functional run takes one warp after the other, up to a barrier. What a kernel computes whose warps rely
// on running side by side is then no value that a GPU gives, and nobody would know. So the first block of a
// kernel's first functional launch is watched: in front of every access to shared memory, the forms
// themselves stay as they are. Whatever might order two warps (a barrier that lets somebody go, a fence, a
// volatile or atomic access) ends all that was seen, warps that write what is there already do no harm, and
// generic and short accesses are not looked at: what is said is likely true, and much is not said. The race detector (race.h) is what finds races.
#pragma once
#include "exec/exec_impl.h"

void hint_create(struct exec *e);                               // before exec_prepare
void hint_destroy(struct exec *e);                              // what was found goes to e->notes
bool hint_concerns(const struct exec *e, const struct inst *i); // for bind.c: its `run` is one of these
exec_handler hint_full, hint_masked;
void hint_ordered(const struct cta *c); // warps of the block may be ordered now

// Launches that never end: some cycles (sim.stall) after the last look, an SM is looked at again for whether
// its warps can still do anything.
//
// A look is over when something happens that may let a warp go on: a byte of shared or global memory changes its value, a warp
// prints, takes part in a reduction at a barrier, starts or ends. Until then
//
//   - a launch is certain never to end when every warp goes round in circles (exec/circle.h), or has waited at a barrier all
//     the time while no other warp of the block came to it, and no block's end is under way. No program that would go on is
//     stopped: parts of a warp that spin take turns of hundreds of rounds, so a look may have to be long, but most are over
//     after some cycles.
//   - a launch is taken to be stuck when the look has lasted for sim.patience cycles and every warp has waited at a barrier, or
//     read the same words again and again, all that time. What such warps count, or how late it is, may still let
//     one go on: a time-out. Warps of which a mechanism skips instructions, so that their values are elsewhere, end
//     in no other way.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sm;
struct strbuf;
struct stall; // of an SM

void stall_begin(struct sm *s); // looks from now on
void stall_end(struct sm *s);
void stall_speaks_against(struct sm *s); // something happened that may let a warp go on
void stall_doubts(struct sm *s);         // a mechanism did something after which nothing is certain any more
// The warp in the slot did not execute the instruction, whose result a mechanism has.
void stall_skipped(struct sm *s, unsigned slot, uint32_t index);
bool stall_is_over(const struct sm *s);    // something speaks against it
bool stall_is_certain(const struct sm *s); // all its warps go round, or there are none
// All its warps have waited, or read the same words, for so many cycles.
bool stall_is_likely(const struct sm *s, uint64_t now, uint64_t patience);
// What is known of where the warp in the slot goes round; nothing where nobody looks.
void stall_describe(const struct sm *s, unsigned slot, struct strbuf *out);

// For the stages, while an SM is looked at (s->stall): the warp has executed an instruction.
void stall_executed(struct sm *s, unsigned slot, uint32_t index);

// Launches that never end: some cycles (sim.stall) after the last look, an SM is looked at again for whether
// all its warps go round in circles.
//
// A warp has come back when it is, behind a backward branch, where it was behind one before: PC, lanes,
// parts, predicates, registers and local memory are the same, and no result of its own is under way. While
// nobody changes the value of a byte of shared or global memory, reads a clock, sleeps, prints, starts or
// ends, what a warp does next depends on itself alone, however the scheduler, the caches and the DRAM go on:
// every load gives what it gave. So a warp that has come back comes back for ever, and writes what is there
// already. When all have, or wait at a barrier that no other has come to since, and no block's end is under
// way, the launch never ends.
//
// The look is over at the first thing that speaks against it, and not before: a circle may be long (parts of a
// warp that spin take turns of hundreds of rounds). Most are over after some cycles. So a launch that
// goes on is not stopped; one that does not may go unnoticed: a warp that counts its turns never comes back,
// nor does one that a mechanism has skip instructions, whose values are elsewhere.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sm;
struct op;
struct stall; // of an SM

void stall_begin(struct sm *s); // looks from now on
void stall_end(struct sm *s);
void stall_speaks_against(struct sm *s);   // something happened that may let a warp go on
bool stall_is_over(const struct sm *s);    // that did
bool stall_is_certain(const struct sm *s); // all its warps go round, or there are none

// For the stages, while an SM is looked at (s->stall): the warp has executed an instruction.
void stall_executed(struct sm *s, unsigned slot, uint32_t index);

// Detection of launches that never end: every sim.stall cycles, a look at whether the warps of an SM can
// still make progress.
//
// An event that may let a warp proceed ends a look: a byte of shared or global memory changes its value, or a
// warp starts, ends or acts outward (circle_is_outward: a print, a reduction at a barrier …). Until then
//
//   - a launch is certain never to end if every warp goes round in circles (exec/circle.h) or waits at a
//     barrier, and no block is ending or about to start. The barrier must have had no arrival since the look
//     began. No program with progress left is stopped. Diverged parts of a spinning warp take turns of
//     hundreds of rounds, so a look may have to be long, but most are over after some cycles.
//   - a launch is taken to be stuck after a look of sim.patience cycles in which every warp waited at a
//     barrier or read the same words again and again. A counter or a time-out may still free a warp. Warps
//     with instructions skipped by a mechanism have values elsewhere and can be judged in no other way.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sm;
struct strbuf;
struct stall; // state of an SM's look

void stall_begin(struct sm *s); // starts a look
void stall_end(struct sm *s);
// An event has happened that may let a warp proceed: the look is over.
void stall_speaks_against(struct sm *s);
void stall_doubts(struct sm *s); // a mechanism has acted on a warp: the look can no longer be certain
// The warp skipped or reused an instruction: a mechanism has the result. The look can no longer be certain.
void stall_skipped(struct sm *s, unsigned slot, uint32_t index);
bool stall_is_over(const struct sm *s); // an event has ended the look
// Whether no block is ending or about to start, and every resident warp certainly goes round in circles
// (exec/circle.h) or waits for ever. True without resident warps; false once the look is over or in doubt.
bool stall_is_certain(const struct sm *s);
// Whether every warp has waited at a barrier, or read the same words, for `patience` cycles of the look.
// False once the look is over, or while a block is ending or about to start.
bool stall_is_likely(const struct sm *s, uint64_t now, uint64_t patience);
// Appends the known circle (repeated instructions) of the warp in the slot; without a look, nothing.
void stall_describe(const struct sm *s, unsigned slot, struct strbuf *out);

// To be called by the stages during a look (s->stall): the warp has executed an instruction.
void stall_executed(struct sm *s, unsigned slot, uint32_t index);

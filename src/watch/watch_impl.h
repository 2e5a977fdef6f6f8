// Writing a watch: an SM is inspected after every cycle; the SIMTight core reports its own events.
#pragma once
#include "watch/watch.h"

uint64_t watch_time_of(const struct watch_sm *w, uint64_t cycle); // timeline cycle
// Returns the instruction's index in `insts`; WATCH_NONE: outside of the cycles kept.
uint32_t watch_add_inst(struct watch_sm *w, struct watch_inst i);
// Keeps an instruction of the launch skipped by a mechanism, if the watch keeps steps.
void watch_add_skip(struct watch_sm *w, struct watch_skip skip);
void watch_add_span(struct watch_sm *w, struct watch_span span); // clipped to the cycles kept
// From `time` on the warp waits in `state` with the instruction, or issues (WATCH_BUSY).
void watch_set_state(struct watch_sm *w, unsigned slot, uint64_t time, uint8_t state, uint32_t inst);
// Records the instruction, if buffered or on its way, as dropped, and removes it from the I-buffer.
void watch_drop_inst(struct watch_sm *w, unsigned slot, uint32_t inst, uint64_t time);
// Records the I-buffer's instructions after the first `keep` as dropped, never issued, and removes them.
void watch_drop(struct watch_sm *w, unsigned slot, unsigned keep, uint64_t time);
void watch_warp_ends(struct watch_sm *w, unsigned slot, uint64_t time);
// Block slot k of a launch on one SM, index into *x: the last warp has started; the block has ended.
void watch_late_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time);
void watch_block_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time);
void watch_close(struct watch_sm *w, uint64_t time); // ends everything under way and stops recording

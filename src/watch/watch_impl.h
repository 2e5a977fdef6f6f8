// How a watch is written: by an SM, which is looked at after every cycle, and by the SIMTight core, which tells what it does.
#pragma once
#include "watch/watch.h"

uint64_t watch_time_of(const struct watch_sm *w, uint64_t cycle); // of the timeline
// The instruction's place; WATCH_NONE: it is outside of what is kept.
uint32_t watch_add_inst(struct watch_sm *w, struct watch_inst i);
void watch_add_span(struct watch_sm *w, struct watch_span span); // cut to what is kept
// The warp waits with the instruction in this state from that time on (or issues: WATCH_BUSY).
void watch_set_state(struct watch_sm *w, unsigned slot, uint64_t time, uint8_t state, uint32_t inst);
// Instructions of the I-buffer behind the first `keep` are gone without having been issued.
void watch_drop(struct watch_sm *w, unsigned slot, unsigned keep, uint64_t time);
void watch_warp_ends(struct watch_sm *w, unsigned slot, uint64_t time);
// Block k of a launch: its last warps have started; it has ended.
void watch_late_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time);
void watch_block_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time);
void watch_close(struct watch_sm *w, uint64_t time); // all that is under way ends, and nothing more is kept

// What is kept of a watched SM, for those who write it: watch.c, which looks at SMs, and watch_core.c, which is told.
#pragma once
#include "gpu/watch.h"

uint64_t watch_time_of(const struct watch_sm *w, uint64_t cycle); // of the timeline
// The instruction's place; NONE32: it is outside of what is kept.
uint32_t watch_add_inst(struct watch_sm *w, struct watch_inst i);
void watch_add_span(struct watch_sm *w, struct watch_span span); // cut to what is kept
void watch_set_state(struct watch_sm *w, unsigned slot, uint64_t time, uint8_t state, uint32_t inst);
void watch_warp_ends(struct watch_sm *w, unsigned slot, uint64_t time);

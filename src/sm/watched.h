// Reports of a watched SM (watch.h). Watching never changes timing.
#pragma once
#include "watch/watch.h"

#include <stdbool.h>
#include <stdint.h>

struct sm;
struct op;

// -- called by the stages of a watched SM
void watch_cycle(struct sm *s); // call at the end of every cycle
// An instruction has issued (executed, or reused by a mechanism); all operands are collected at `collected`.
// queued: the instruction has an entry in the load/store unit's queue.
void watch_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, bool queued);
// The same for an instruction whose result a mechanism supplies.
void watch_reused(struct sm *s, unsigned slot, const struct op *o);
// A mechanism has taken the warp past the instruction; has taken it out of the I-buffer, or off its way there.
void watch_skipped(struct sm *s, unsigned slot, uint32_t index);
void watch_dropped(struct sm *s, unsigned slot, uint32_t index);
void watch_left_queue(struct sm *s, uint32_t place); // place: queue entry that an instruction has left
void watch_completed(struct sm *s, uint32_t record, uint64_t cycle);

// A watched SM (watch.h): what its stages tell. Watching changes nothing about time.
#pragma once
#include "watch/watch.h"

struct sm;
struct op;

// -- the stages of a watched SM
void watch_cycle(struct sm *s); // a cycle is over
// An instruction has been executed and dispatched, its operands are there at `collected`; queued: the
// load/store unit has it.
void watch_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, bool queued);
void watch_left_queue(struct sm *s, uint32_t place); // of the load/store unit
void watch_completed(struct sm *s, uint32_t record, uint64_t cycle);

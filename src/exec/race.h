// The race detector (check_races): watches every access to global and shared memory of a launch and reports
// pairs that nothing orders.
//
// Two accesses to common bytes by different threads race when at least one writes, not both are strong
// (atomic, volatile, relaxed, acquire, release), and neither happens before the other. What orders:
//
//   barriers           vector clocks per warp, so partial and named barriers order just who took part, transitively
//   warp-wide .sync    the lanes that execute bar.warp.sync, shfl, vote, match or redux together; lock-step
//                      orders nothing
//   fences and flags   a strong write after a fence publishes, a strong read of that place acquires, for its
//                      whole block
//   one instruction    lanes that write the same value to one place at once do not race
//
//   streams            launches of which one waits for the other (race_between.c)
//
// What it may miss, so that what it reports is real: of the reads of a place only the last two by different
// warps are kept, and publication is kept as one time a place, not one a thread. Memory beyond RACE_CELLS_MAX
// words that were touched is not watched; the report says so. With the detector on, memory instructions run
// on the general handlers, which call it; without it nothing is paid.
#pragma once
#include "exec/exec_impl.h"

enum race_access { RACE_READ, RACE_WRITE, RACE_ATOMIC };

void race_create(struct exec *e);
// Hands over what was found, and looks for races with the launch's rivals (race_book.h).
void race_destroy(struct exec *e, struct launch_race *out);

// Once a block: its clocks. The state is the block's, kept with it.
void race_block_start(struct cta *c);
void race_block_end(struct cta *c);

// Before the lanes of a memory instruction; then each lane's access. `value` is what a write leaves (NULL: a
// read).
void race_instruction(struct warp *w);
void race_lane(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
               unsigned bytes, enum race_access access, const void *value);

void race_fence(struct warp *w);
void race_warp_sync(struct warp *w, uint64_t lanes);
void race_barrier_arrive(struct warp *w, unsigned number);
void race_barrier_leave(struct warp *w, unsigned number); // a waiting warp is released
void race_barrier_complete(struct cta *c, unsigned number);

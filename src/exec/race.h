// The race detector (check_races): watches every access to global and shared memory of a launch and reports
// unordered conflicting pairs.
//
// Two accesses to common bytes by different threads race when at least one access writes, not both are
// strong, and neither happens before the other. Strong: atomic, volatile, relaxed, acquire, release.
// Sources of order:
//
//   barriers           vector clocks per warp: partial and named barriers order arriving warps transitively
//   warp-wide .sync    the lanes that execute bar.warp.sync, shfl, vote, match or redux together; lock-step
//                      orders nothing
//   fences and flags   a strong write after a fence publishes, a strong read of the same place acquires:
//                      other blocks' accesses for the reader's block, its own block's for the reader's warp
//   observation        a strong write happens before what follows a strong read of its value
//   copies             a copy by cp.async is a thread of its own, ended by the wait for its group (race_copy.h)
//   one instruction    lanes that write the same value to one place at once do not race
//
//   streams            launches ordered by a wait of the later launch for the earlier (race_between.c)
//
// Some races are missed; every reported race is real. Of the reads of a place only the last two by different
// warps are kept, and publication is one time per place, not per thread. Global memory beyond RACE_CELLS_MAX
// touched words is not watched; the report says so. With the detector on, memory instructions run on general
// handlers, which call the detector; with it off there is no cost.
#pragma once
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "exec/warp.h"

enum race_access { RACE_READ, RACE_WRITE, RACE_ATOMIC };

// Copies of a thread that end together (race_copy.h): of cp.async; reads and writes of bulk copies that have groups; bulk
// copies that complete at an mbarrier.
enum race_track { RACE_CP_ASYNC, RACE_BULK_SOURCE, RACE_BULK_TARGET, RACE_BULK_BARRIER, RACE_TRACKS };

void race_create(struct exec *e);
// Searches for races with the launch's rivals (race_book.h), hands over all findings, and frees the detector.
// out NULL: the findings are dropped.
void race_destroy(struct exec *e, struct launch_race *out);

// Once per block: allocates and frees the detector's state of the block.
void race_block_start(struct cta *c);
void race_block_end(struct cta *c);

// race_instruction: begins a memory instruction, before its calls of race_lane. race_lane: compares a lane's
// access with the recorded accesses, and records the access; tells the checker, too. value: bytes that the lane writes (NULL: a
// read).
void race_instruction(struct warp *w, const struct bound *d);
void race_lane(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
               unsigned bytes, enum race_access access, const void *value);

struct race_lanes { // accesses of an instruction's lanes to one space, shared or global
    enum isa_space space;
    enum race_access access;
    unsigned bytes;                // of a lane; addresses are multiples
    const uint64_t *address;       // by lane, within the space
    uint64_t rows, same;           // lanes whose next lane has the next place, and the same place
    const uint32_t *const *values; // of RACE_WRITE: by word, by lane
};

// race_lane for `lanes`, in order, up to the first lane with a race, a finding, or anything else unusual. Returns the lanes
// recorded; the caller calls race_lane for the next. Without the detector, none.
uint64_t race_lanes(struct warp *w, const struct race_lanes *a, uint64_t lanes);

// cp.async: a copy of a lane begins, before its calls of race_lane; the lanes close a group, wait for all but the newest
// `pending` groups, arrive at an mbarrier behind their copies, or end.
void race_copy(struct warp *w, const struct bound *d, unsigned lane);
void race_copy_commit(struct warp *w, uint64_t lanes);
void race_copy_wait(struct warp *w, uint64_t lanes, unsigned pending);
void race_copy_arrive(struct warp *w, uint64_t lanes);
void race_copy_exit(struct warp *w, uint64_t lanes);

// The same of bulk copies. race_bulk: before the calls of race_lane of a track. race_bulk_complete: the copy completes at the
// mbarrier of block `to`. race_bulk_wait: sources: for their reads alone.
void race_bulk(struct warp *w, const struct bound *d, unsigned lane, enum race_track track, bool is_strong);
void race_bulk_complete(struct warp *w, unsigned lane, const struct cta *to, uint32_t barrier);
void race_bulk_commit(struct warp *w, uint64_t lanes);
void race_bulk_wait(struct warp *w, uint64_t lanes, unsigned pending, bool sources);

// The async proxy reads shared memory of the block, for the checker (race_proxy.c).
void race_proxy_read(struct warp *w, const struct bound *d, unsigned lane, uint64_t address, unsigned bytes);

void race_fence(struct warp *w);
// A release that the warp makes, and an acquire of such releases up to a time. race_release: the time of the latest, given
// `before`.
uint32_t race_release(struct warp *w, uint32_t before);
void race_acquire(struct warp *w, uint32_t time);
void race_warp_sync(struct warp *w, uint64_t lanes);
void race_barrier_arrive(struct warp *w, unsigned number);
void race_barrier_leave(struct warp *w, unsigned number); // a waiting warp is released
void race_barrier_complete(struct cta *c, unsigned number,
                           bool is_of_all); // all warps of the block were released

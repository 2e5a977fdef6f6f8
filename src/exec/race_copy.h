// Clocks of asynchronous copies (cp.async) for the race detector. A copy is a thread of its own:
//
//     thread   ──issue──┬───────────────────▶ wait for the group ──▶ barrier, fence …
//     copy              └─ reads, writes ──▶ ┘
//
// The copy happens after everything before its issue, and before everything behind the wait of its thread that covers
// its group, or behind an acquire of an arrival at an mbarrier that follows the copy. A copy's record has the group in
// place of a stamp; the stamps of the wait are here, by thread. Until the wait a copy is ordered before nothing.
#pragma once
#include "exec/exec_impl.h"
#include "exec/race_book.h"

//
// Bulk copies (bulk.h) have groups of their own, which may be waited for by halves: their threads are counted as further
// tracks of the same threads. A bulk copy that completes at an mbarrier is followed at once by an arrival.
struct race_copies; // of a block

struct race_copy_end { // stamps of the wait that covers a group
    uint32_t covered;  // groups below are covered
    uint32_t time, stamp, sync;
};

struct race_copies *race_copies_create(uint32_t threads);
void race_copies_destroy(struct race_copies *c); // NULL: no effect
// A lane issues a copy by instruction `inst`. Returns the copy's group.
uint32_t race_copies_issue(struct race_copies *c, uint32_t thread, uint32_t inst);
void race_copies_commit(struct race_copies *c, uint32_t thread);
// The thread waits for all but the newest `pending` groups; end: the stamps, `covered` is filled in.
void race_copies_wait(struct race_copies *c, uint32_t thread, uint32_t pending, struct race_copy_end end);
// An arrival at an mbarrier follows all copies of the thread.
void race_copies_arrive(struct race_copies *c, uint32_t thread, uint32_t time);
// The wait that covers the group; NULL: none yet.
const struct race_copy_end *race_copies_end(const struct race_copies *c, uint32_t thread, uint32_t group);
// Time of the first arrival behind a copy issued at `time`; 0: none.
uint32_t race_copies_arrival(const struct race_copies *c, uint32_t thread, uint32_t time);
// A copy of the thread that no wait and no arrival covers, taken off the list. False: none is left.
bool race_copies_take_open(struct race_copies *c, uint32_t thread, uint32_t *inst);

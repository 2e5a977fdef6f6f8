// A memory partition: L2 slices and the DRAM channel behind them. Partitions know nothing of each other, so
// each is simulated for itself, a window at a time.
//
//     packets ─▶ slice: queue ─▶ tags ─┬ hit: pipeline ──────────────────────────┬─▶ port ─▶ packets
//                                      └ miss: MSHR ─▶ DRAM ─▶ fill ─▶ waiters ──┘
//
// Every queue is in order of time already, so what happens next is at the head of one of them: there is no
// other calendar.
#pragma once
#include "memory/crossbar.h"
#include "memory/system.h"

struct partition;

struct partition *partition_create(const struct memory_config *c, unsigned index, unsigned sm_count);
void partition_destroy(struct partition *p);
// Packets from the SMs: all that leave before interconnect cycle `complete` are among those gathered so far.
struct arrivals *partition_arrivals(struct partition *p);
void partition_accept(struct partition *p, uint64_t complete);
// Everything before core cycle `until`. Replies go to the bag.
void partition_run(struct partition *p, uint64_t until, struct bag *replies);
// The first cycle at which something happens, UINT64_MAX when all is quiet.
uint64_t partition_next(const struct partition *p);
void partition_clear_caches(struct partition *p, uint64_t from, uint64_t to);
void partition_counts(const struct partition *p, unsigned grid, struct memory_counts *add_to);
// NULL when nothing is under way and its books balance, else what does not; static text.
const char *partition_check(const struct partition *p);

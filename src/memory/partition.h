// A memory partition: L2 slices and the DRAM channel behind them. Partitions share no state, so each is
// simulated alone, a window at a time.
//
//     packets ─▶ slice: queue ─▶ tags ─┬ hit: pipeline ──────────────────────────┬─▶ port ─▶ packets
//                                      └ miss: MSHR ─▶ DRAM ─▶ fill ─▶ waiters ──┘
//
// Every queue is in time order, so the next event is a queue head; a calendar is not needed.
#pragma once
#include "memory/crossbar.h"
#include "memory/system.h"

struct partition;

struct partition *partition_create(const struct memory_config *c, unsigned index, unsigned sm_count);
void partition_destroy(struct partition *p);
// Packets gathered from the SMs. The caller has gathered every packet leaving before interconnect cycle
// `complete` before it calls partition_accept, which queues these packets at the slices.
struct arrivals *partition_arrivals(struct partition *p);
void partition_accept(struct partition *p, uint64_t complete);
// Simulates all events before core cycle `until`. Replies go to the bag.
void partition_run(struct partition *p, uint64_t until, struct bag *replies);
// Cycle of the next event, UINT64_MAX when the partition is idle.
uint64_t partition_next(const struct partition *p);
// A sector becomes valid in the slice, without time and counts. A victim is not written back.
void partition_fill(struct partition *p, uint32_t slice, uint64_t line, uint8_t sector);
void partition_close(struct partition *p, bool is_closed); // cache_close of all slices
void partition_clear_caches(struct partition *p, uint64_t from, uint64_t to);
void partition_counts(const struct partition *p, unsigned grid, struct memory_counts *add_to);
// NULL when the partition is idle and its counts of requests and sectors balance, else the failed invariant;
// static text.
const char *partition_check(const struct partition *p);

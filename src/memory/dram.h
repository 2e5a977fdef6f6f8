// One DRAM channel: banks with open rows, bank groups, the usual timing constraints, and a first-ready
// first-come first-served scheduler over a bounded queue. Times are the channel's own command cycles; it is
// driven by events: it says when it next has something to decide.
#pragma once
#include "memory/config.h"

#include <stddef.h>

#define DRAM_NEVER UINT64_MAX

struct dram_request {
    uint64_t arrival; // command cycle from which it may be served
    uint32_t bank, row;
    uint8_t sectors; // how many 32-byte sectors
    bool is_write;
    uint32_t token; // the owner's
};

struct dram_counts {
    uint64_t reads, writes;        // sectors
    uint64_t row_hits, row_misses; // requests whose first column command found its row open, or not
    uint64_t activations, precharges;
    uint64_t busy_cycles;  // command cycles in which the data bus moved data
    uint64_t queue_cycles; // summed over requests: from arrival to the last column command
};

struct dram;

struct dram *dram_create(const struct memory_config *c);
void dram_destroy(struct dram *d);
void dram_push(struct dram *d, const struct dram_request *r);

struct dram_done {
    uint32_t token;
    bool is_write;
    uint64_t cycle; // last data on the bus
};
// Issues at most one command at command cycle `now`. True when a request was completed by it (its data
// follows at done->cycle). *next is the first cycle at which another call can do something, DRAM_NEVER when
// the queue is empty.
bool dram_step(struct dram *d, uint64_t now, struct dram_done *done, uint64_t *next);
const struct dram_counts *dram_counts(const struct dram *d);
size_t dram_waiting(const struct dram *d);

// One DRAM channel: banks with open rows, bank groups, timing constraints, and a first-ready first-come
// first-served scheduler (FR-FCFS) over a bounded queue. Times are command cycles of the channel.
// Event-driven: dram_step returns the next cycle with a decision to make.
#pragma once
#include "memory/config.h"

#include <stddef.h>

#define DRAM_NEVER UINT64_MAX

struct dram_request {
    uint64_t arrival; // first command cycle of service
    uint32_t bank, row;
    uint8_t sectors; // bits: wanted 32-byte sectors of a line
    bool is_write;
    uint32_t token; // the owner's
    uint8_t grid;   // grid charged for the request
};

struct dram_counts {
#define MEMORY_COUNTER(name, unit, meaning)
#define DRAM_COUNTER(name, unit, meaning) uint64_t name;
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
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
// Issues at most one command at command cycle `now`. True when the command completed a request (`done`: last
// data at done->cycle). *next: a cycle before which no further call can act; DRAM_NEVER: the queue is empty.
bool dram_step(struct dram *d, uint64_t now, struct dram_done *done, uint64_t *next);
// Steps from cycle *next on, to the first command that completes a request (true), or until *next is at least
// `end`. *next as above.
bool dram_run(struct dram *d, uint64_t *next, uint64_t end, struct dram_done *done);
const struct dram_counts *dram_counts(const struct dram *d, unsigned grid);
size_t dram_waiting(const struct dram *d);

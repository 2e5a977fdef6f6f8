// The common part of prefetching mechanisms: requests of lines, outcomes of prefetched lines, the throttle, and
// the buffer beside L1.
//
//     a mechanism ─▶ prefetch_line ─▶ requested before? outside? throttled? ─▶ L1, or the buffer beside L1
//     lines of warps' loads ─▶ useful, late, early ─▶ throttle
#pragma once
#include "sm/mech/tech.h"

struct prefetch_options { // members of the mechanism's options, by tech/prefetch/options.def
    uint32_t record, period, early_high, early_low, met_high, buffer;
    int throttle;
};

enum prefetch_counter { // numbers from the first counter of tech/prefetch/counters.def on
#define COUNTER(name, unit, meaning) PREFETCH_##name,
#include "tech/prefetch/counters.def"
#undef COUNTER
    PREFETCH_COUNTERS
};

// -- outcomes of prefetched lines (record.c) ----------------------------------------------------------------

enum prefetch_state { PREFETCH_NONE, PREFETCH_ASKED, PREFETCH_THERE };

struct prefetch_line {
    uint64_t line;
    uint8_t state; // enum prefetch_state
};

struct prefetch_record {
    const struct prefetch_options *options;
    uint64_t *counters; // by enum prefetch_counter
    uint32_t line_bytes;
    struct prefetch_line *lines; // heap; by line number modulo option record
    uint64_t next;               // cycle of the throttle's next decision
    uint64_t asked, met, early;  // counters at the throttle's last decision; met: useful or late
    unsigned degree; // of every PREFETCH_DEGREES prefetches, number left out; PREFETCH_DEGREES: no prefetches
    unsigned turn;
};
enum { PREFETCH_DEGREES = 5, PREFETCH_BEGIN = 2 };

void prefetch_record_init(struct prefetch_record *r, const struct prefetch_options *o, uint32_t line_bytes,
                          uint64_t *counters);
void prefetch_record_fini(struct prefetch_record *r);
bool prefetch_record_has(const struct prefetch_record *r, uint64_t line);
void prefetch_record_asked(struct prefetch_record *r, uint64_t line);
void prefetch_record_came(struct prefetch_record *r, uint64_t line);
// Access by a warp. Returns whether the line was prefetched.
bool prefetch_record_met(struct prefetch_record *r, uint64_t line, enum line_outcome outcome);
bool prefetch_record_lets(struct prefetch_record *r, uint64_t now); // throttle: may a line be prefetched?

// -- requests and hooks (prefetch.c) ------------------------------------------------------------------------

struct prefetch {
    struct sm_grid *grid;
    const struct tech *tech;
    const struct prefetch_options *options;
    uint64_t *counters; // by enum prefetch_counter
    struct prefetch_record record;
};

void prefetch_init(struct prefetch *p, struct sm_grid *g, const struct tech *tech,
                   const struct prefetch_options *o, uint64_t *counters);
void prefetch_fini(struct prefetch *p);
uint64_t prefetch_line_of(const struct prefetch *p, uint64_t address); // address of the line's first byte
// Requests the line, unless requested before, outside every allocation, throttled or refused. Returns whether
// requested.
bool prefetch_line(struct prefetch *p, uint64_t line);
uint32_t prefetch_buffer_lines(const struct prefetch_options *o); // in whole sets
// For the hooks of the same names.
void prefetch_access(struct prefetch *p, const struct tech_line *line);
void prefetch_came(struct prefetch *p, uint64_t line);
void prefetch_buffered(struct prefetch *p, enum tech_buffered what);
const char *prefetch_check(const struct prefetch *p);
// Rows of storage, from out on; returns the number of rows.
size_t prefetch_storage(const struct prefetch_options *o, struct tech_storage *out);

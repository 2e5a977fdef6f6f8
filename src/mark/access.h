// The locations an instruction reads and writes: registers, predicates, the words of spill slots, which
// are as good as registers because nothing else addresses them, and the rest of a thread's local memory as
// one location that every store changes.
#pragma once
#include "isa/program.h"

enum {
    LOCATION_PREDICATE = 255, // registers are 0..254
    LOCATION_SPILL = LOCATION_PREDICATE + 7,
    ACCESSES_MAX = 4 * 4 + 2 * 4 + 9 // sources, old destinations, guard
};

enum access_role { ROLE_SOURCE, ROLE_GUARD, ROLE_OLD };

struct access_list {
    struct {
        uint32_t location;
        uint8_t role;    // reads
        uint8_t operand; // reads: which source
    } at[ACCESSES_MAX];
    unsigned count;
};

uint32_t access_location_count(const struct program *p);
// The location that stands for a thread's local memory, the last one.
uint32_t access_local(const struct program *p);
// Everything the instruction's results depend on that lies in a location; a guarded write reads its
// destination.
void access_reads(const struct program *p, const struct inst *i, struct access_list *out);
void access_writes(const struct program *p, const struct inst *i, struct access_list *out);
// Whether a local access goes to a spill slot.
bool access_is_spill(const struct program *p, const struct inst *i);
// Whether what a thread loads afterwards may be another thread's newer store: barriers, fences, acquires and
// ordered loads, the end of asynchronous copies, and calls, which may hold any of them.
bool access_orders_memory(const struct inst *i);
// A load of the block's shared memory, or an operand from there.
bool access_reads_shared(const struct inst *i);
// Whether it reads memory that other threads may write while the kernel runs: not what is read-only, nor
// local memory.
bool access_may_change(const struct inst *i);
// A barrier of the whole block, by its form: no count of threads, and it waits.
bool access_is_full_barrier(const struct inst *i);

// The locations an instruction reads and writes: registers, predicates, spill slots word by word, and local
// memory. A spill slot counts as a register because nothing else addresses its word. The rest of a thread's
// local memory is one location, changed by every store that may reach local memory.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct inst;
struct program;

enum {
    LOCATION_PREDICATE = 255, // registers are 0..254
    LOCATION_SPILL = LOCATION_PREDICATE + 7,
    ACCESSES_MAX = 4 * 4 + 128 + 9 // sources, old destinations (sums of WGMMA), guard
};

enum access_role { ROLE_SOURCE, ROLE_GUARD, ROLE_OLD };

struct access_list {
    struct {
        uint32_t location;
        uint8_t role;    // reads
        uint8_t operand; // reads: index of the source operand
    } at[ACCESSES_MAX];
    unsigned count;
};

uint32_t access_location_count(const struct program *p);
// The location of a thread's local memory outside the spill slots: the last location.
uint32_t access_local(const struct program *p);
// Every location that the instruction's results and effects depend on. A guarded write also reads its
// destination.
void access_reads(const struct program *p, const struct inst *i, struct access_list *out);
void access_writes(const struct program *p, const struct inst *i, struct access_list *out);
// True: the load or store of local memory accesses a spill slot.
bool access_is_spill(const struct program *p, const struct inst *i);
// True: the instruction may make newer stores of other threads visible to later loads. Barriers, fences,
// acquires, ordered loads and the end of asynchronous copies; also calls, because the callee may hold any
// such instruction.
bool access_orders_memory(const struct inst *i);
// True: the instruction loads from the block's shared memory, or has an operand in shared memory.
bool access_reads_shared(const struct inst *i);
// True: the instruction reads memory writable by other threads during the kernel, so neither read-only nor
// local memory.
bool access_may_change(const struct inst *i);
// True: the instruction is a barrier of the whole block: a waiting barrier without a thread count, never a
// RISC-V warp command.
bool access_is_full_barrier(const struct inst *i);

// The parts of WIR:
//
//     plan.c      instructions that can be reused, and their operations by number
//     pool.c      physical registers: values, references, the free list, signatures
//     buffer.c    the reuse buffer: results by operation and numbers of source registers
//     wir.c       the instructions of warps: rename table, reuse, write-back
//
// A physical register has a number from 0 on, counted over the SM. The value of a number never changes while the
// number has a second reference: the same numbers stand for the same values, whatever the warp. References are those of
// rename tables, of entries of the reuse buffer, and of instructions under way that will fill an entry.
//
// The registers of the engine (tech_own) stay the names by which the SM knows when a result is ready. A number decides
// on the value and on the bank.
#pragma once
#include "base/bits.h"
#include "sm/mech/tech.h"

#include <string.h>

enum { WIR_SOURCES = 6, WIR_RESULTS = 2, WIR_WARPS = 64, WIR_LOADS = 8 };
enum { WIR_NONE = UINT16_MAX }; // no number

// LOADS_UNSOUND: stores and barriers alone end the entries of loads, and a warp may take an entry again.
enum wir_pending { WIR_PENDING_EXECUTES, WIR_PENDING_WAITS };
enum wir_loads { WIR_LOADS_OFF, WIR_LOADS_ON, WIR_LOADS_UNSOUND };

struct wir_options {
    uint32_t entries, ways, signatures, signature_ways, signature_bits, banks, latency, corrupt;
    int loads, pins, pending;
};

enum wir_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/wir/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum wir_kind { WIR_EXECUTES, WIR_COMPUTES, WIR_GLOBAL, WIR_SHARED };

struct wir_plan { // of an instruction
    // Two instructions with the same operation have equal results if their source registers, in order, are equal.
    uint32_t operation;
    uint8_t kind; // enum wir_kind
    uint8_t count, sources[WIR_SOURCES];
    bool is_late;      // the result comes by another way than a pipeline or a load's reply
    bool ends_loads;   // other warps may have written what a later load reads
    bool is_ordering;  // of these, not a store and not a barrier
    bool is_read_only; // a load of memory that nobody writes during the launch
};

struct wir_launch {
    const struct wir_options *options;
    const struct program *program;
    const struct op *ops;
    struct wir_plan *plans; // by instruction. Heap.
    unsigned lanes;         // of a warp
    bool verify;
    uint64_t *mismatches;
};

// -- physical registers (pool.c) ----------------------------------------------------------------------------
struct wir_signature { // of a register in use
    bool used;
    uint16_t number;
    uint32_t hash;
    uint64_t last_used;
};

struct wir_number {
    uint32_t references, hash;
    bool is_signed;      // a signature names the number
    uint64_t valid_from; // cycle of the write; CYCLE_NEVER: not known yet
    uint64_t free_from;  // of a free number: cycle of the write by which the last reference went
};

struct wir_pool {
    uint32_t count, lanes;
    struct wir_number *numbers;
    uint32_t *values; // [number][lane]
    uint8_t *banks;   // of the register file, by number
    uint16_t *free;   // ring of free numbers, the first is the longest free
    uint32_t free_first, free_count;
    struct wir_signature *signatures;
    uint32_t sets, ways, mask; // of signatures; bits of a signature
    uint64_t serial;
    uint64_t *counters;
};

void wir_pool_begin(struct wir_pool *p, const struct wir_options *o, uint32_t count, uint32_t lanes,
                    uint32_t banks, uint64_t *counters);
void wir_pool_end(struct wir_pool *p);
static inline uint32_t *wir_value(const struct wir_pool *p, uint16_t number)
{
    return p->values + (size_t)number * p->lanes;
}
// Lanes of a register: mostly of 32 lanes, by instructions in place of a call.
static inline void wir_move(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    if (lanes == 32)
        memcpy(to, from, 32 * sizeof *to);
    else
        memcpy(to, from, lanes * sizeof *to);
}
static inline bool wir_equal(const uint32_t *a, const uint32_t *b, uint32_t lanes)
{
    return memcmp(a, b, lanes * sizeof *a) == 0;
}
static inline void wir_hold(struct wir_pool *p, uint16_t number)
{
    p->numbers[number].references++;
    p->counters[COUNT_references]++;
}
// Takes a reference away. Without references the number is free, for writes from cycle `from` on.
void wir_drop(struct wir_pool *p, uint16_t number, uint64_t from);
// The free number that is free longest, with one reference. The caller makes sure that a number is free.
uint16_t wir_take(struct wir_pool *p);
// The number written last with the signature of the lanes; WIR_NONE: no number. *hash: the signature.
uint16_t wir_find(struct wir_pool *p, const uint32_t *lanes, uint32_t *hash);
void wir_sign(struct wir_pool *p, uint16_t number, uint32_t hash);
void wir_unsign(struct wir_pool *p, uint16_t number); // the value is about to change

// -- the reuse buffer (buffer.c) ----------------------------------------------------------------------------
struct wir_key {
    uint32_t operation;
    uint32_t block; // of loads from shared memory: the block's place on the SM + 1
    uint8_t count;
    uint16_t sources[WIR_SOURCES];
};

struct wir_entry { // holds a reference to each source and each result
    bool used, is_read_only;
    uint8_t result_count;
    struct wir_key key;
    uint16_t results[WIR_RESULTS];
    uint64_t ready;     // cycle of the write
    uint64_t epoch;     // of loads: of the SM when the load read memory
    uint64_t had;       // of loads, bits by place: warps that have made or taken the entry
    uint64_t last_used; // serial number of the last use
};

enum { WIR_BANKS = 64 };
struct wir_buffer {
    struct wir_entry *entries;
    uint32_t count, sets, ways, hand; // hand: the next entry to give up
    uint64_t serial;
    // By bank, a part of the sets: cycle of the last read, and the set read.
    uint64_t read_cycle[WIR_BANKS];
    const struct wir_entry *read_set[WIR_BANKS];
};
// Banks of a buffer of the configured size.
static inline uint32_t wir_banks(const struct wir_options *o)
{
    uint32_t sets = o->entries / (o->ways < o->entries ? o->ways : o->entries);
    return o->banks < sets ? o->banks : sets;
}

// -- warps --------------------------------------------------------------------------------------------------
// How the instruction at hand, or the load under way, writes its results. NOTHING: no lane. SHARED: all lanes.
// ALONE: some lanes, late, or by another mechanism. REUSED: not at all.
enum wir_write { WIR_NOTHING, WIR_ALONE, WIR_ALL_LANES, WIR_REUSED };

struct wir_register { // an entry of the rename table
    uint16_t number;  // WIR_NONE: never written
    bool is_pinned;   // the value is the warp's alone, in the engine's registers
    uint8_t coming;   // of the first register of a load's result: enum wir_write; 0: no load under way
};

struct wir_load { // under way, to fill an entry at the reply; holds a reference to each source
    bool used;
    uint8_t dst;
    struct wir_key key;
    uint64_t epoch;
};

struct wir {
    struct wir_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    uint64_t alive; // bits by place
    struct wir_pool pool;
    struct wir_buffer buffer;
    struct wir_register (*map)[TECH_REGISTERS]; // by place
    struct wir_load (*loads)[WIR_LOADS];        // by place
    uint64_t epoch;                             // ends the entries of loads of earlier epochs
    uint64_t hits;                              // for the option `corrupt`
    const char *broken; // static text: what is wrong in the books; NULL: nothing so far
    // State of the instruction at hand.
    enum wir_write write;
    bool fills; // no entry was found, and the result fills an entry
    bool holds; // and the sources of `key` are held for it
    struct wir_key key;
    struct wir_entry *hit, *set; // set: of the key, since the lookup
    // Numbers to be stamped with the cycle of the instruction's write: written, and freed by the write.
    uint16_t written[TECH_REGISTERS], freed[TECH_REGISTERS];
    unsigned written_count, freed_count;
};

struct wir_plan *wir_plans(const struct wir_launch *l); // by instruction, to be freed by the caller. Heap.

void wir_buffer_begin(struct wir *w);
// Sets w->key. False: a source is not shared.
bool wir_set_key(struct wir *w, unsigned place, const struct wir_plan *p);
// The entry with w->key that the warp may take now, with the result at entry->ready; NULL: none. w->fills: the result of the instruction may fill an
// entry. Counts the lookup.
struct wir_entry *wir_look_up(struct wir *w, unsigned place, const struct wir_plan *p);
// Fills an entry with w->map's numbers of the results, usable from cycle `ready` on. The key's sources are held
// already; the entry takes the references over.
void wir_fill(struct wir *w, unsigned place, uint32_t index, const struct wir_key *key, uint64_t ready,
              uint64_t epoch);
void wir_hold_sources(struct wir *w, const struct wir_key *key);
void wir_drop_sources(struct wir *w, const struct wir_key *key);
// Gives up entries, then loads under way, until a number is free.
void wir_make_room(struct wir *w);

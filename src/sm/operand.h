// Register reads, pipelines and register writes in time: collectors, banks, pipelines, write ports. Written
// only in operand.c and in this header, readable everywhere.
#pragma once
#include "base/bits.h"
#include "sm/decode.h"
#include "sm/places.h"
#include "sm/sm.h"
#include "sm/waits.h"

struct sm;
struct sm_grid;
struct sm_warp;

enum { WRITE_CYCLES = 1024 };

struct operand_warp {
    uint32_t registers; // physical number of the warp's own R0
    // encoded waits: number of the warp's outstanding memory instructions, by wait barrier
    uint16_t barrier_pending[WAIT_BARRIERS];
    uint16_t *map;       // Rr is physical register map[r]: registers + r, unless renamed by a mechanism
    uint64_t busy_until; // cycle of the last operand read or register write known so far
    // Set (decode.h) of registers and predicates whose last result may still be under way.
    uint64_t flying;
    uint64_t pred_ready[7];
    // stall_until: earliest cycle of the warp's next issue (issue.dependences: encoded, single; board, after
    // an instruction without an entry).
    // barrier_ready, by wait barrier: cycle at which the instructions with a known end are done.
    uint64_t stall_until, barrier_ready[WAIT_BARRIERS];
    // bits by predicate, by wait barrier: the last writer was a memory instruction
    uint8_t pred_from_memory, barrier_from_memory;
    bool stalls_for_memory; // stall_until comes from a memory reply
    uint8_t last_source;    // of the warp's last reply of memory (account.h); 0: none
    // bits: wait barriers of instructions skipped by mechanisms, left to the warp's next instruction
    uint8_t owed;
};

// cycle / WRITE_CYCLES, shifted to leave eight bits for a count.
static inline uint32_t operand_turn(uint64_t cycle) { return (uint32_t)(cycle / WRITE_CYCLES) << 8; }

struct operands {
    // By physical register.
    uint64_t *ready;      // cycle from which the last result may be read; CYCLE_NEVER: a reply is outstanding
    uint64_t *read;       // cycle of the register's last delayed read (bank conflict, mechanism)
    uint64_t last_read;   // the latest cycle in `read`
    uint8_t *from_memory; // SOURCE_ALU, SOURCE_AWAITED or a level (account.h)
    uint8_t *bank_of;
    bool has_free_banks; // some entries of bank_of are NO_BANK
    uint32_t numbers;    // number of physical registers
    uint64_t collector_free[64];
    unsigned collector; // collector to look at first; behind operand_has_collector: a free collector
    // By bank: number of the next port, counted over all cycles: cycle * bank_ports + port in the cycle.
    uint64_t port[SM_BANKS];
    uint64_t pipe_free[PIPE_COUNT][32];
    uint32_t pipes[PIPE_COUNT]; // by enum pipe: number of pipelines
    uint32_t pipe[PIPE_COUNT];  // by enum pipe: pipeline to look at first
    uint32_t tensor;            // tensor unit of the product that issues: the scheduler's number
    // by cycle mod WRITE_CYCLES: operand_turn of the cycle + number of results written in the cycle
    uint32_t writes[WRITE_CYCLES];
};

struct operands_grid {
    uint32_t first, count; // the grid's physical registers
    uint32_t own;          // number of registers of its warps
    uint16_t *linear;      // heap; linear[n] is first + n
    uint16_t *maps;        // heap; by place, MAP_REGISTERS entries a warp; NULL: no mechanisms began
    // physical number of the first of the guest's MAP_REGISTERS registers, the last numbers of the grid's
    // range
    uint32_t guest;
};

void operand_init(struct sm *s);
void operand_fini(struct sm *s);
void operand_begin(struct sm_grid *g);
void operand_end(struct sm_grid *g);
void operand_begin_techs(struct sm_grid *g); // allocates the maps: mechanisms may rename from now on
uint32_t operand_own(const struct sm_grid *g, unsigned place); // R0 of the warp in the place
void operand_start(struct sm *s, unsigned slot);
// map: the guest's own
void operand_start_guest(struct sm_grid *g, unsigned slot, uint16_t map[MAP_REGISTERS]);
// Cycle from which the first need_count registers (op_need) and all predicates of an instruction are ready, and
// whether the wait is for memory: SOURCE_ALU, SOURCE_AWAITED or a level (account.h).
struct hazard {
    uint64_t cycle;
    uint8_t memory;
};
struct hazard operand_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o,
                             unsigned need_count);
// The level of the latest result of a memory instruction among the needs of `o`; LEVEL_ORDER: none known.
enum gpu_level operand_level(const struct sm *s, const struct sm_warp *w, const struct op *o);
// operand_has_collector, _collect, _execute, _write, _result, _piped, _flying: operand_take.h
// Counts the operand reads of an instruction on a mechanism's port: no collector, no bank port.
void operand_look_up(struct sm *s, const struct sm_warp *w, const struct op *o);
// The slot reason (operand bank, unit or write port) for which `o`, issued now, would exceed its fixed
// latency; SLOT_ISSUED: no such reason.
enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o);
// Charges the copy of a register for a mechanism, without a collector; moves no values. Returns the cycle at
// which the copy is ready.
uint64_t operand_move(struct sm_grid *g, uint16_t from, uint16_t to);
// Charges the expansion, into all lanes, of the warp's Rr, kept by a mechanism in short form (one value; base and
// stride); moves no values. Returns the cycle at which the register is ready.
uint64_t operand_spread(struct sm_warp *w, unsigned r);
// The same for a value of all lanes in a register shared with other warps.
uint64_t operand_move_own(struct sm_warp *w, unsigned r);
// The warp's Rr is physical register `physical` from now on.
void operand_remap(struct sm_warp *w, unsigned r, uint16_t physical);
// Counts `count` registers as written with a comparison of their lanes, for a mechanism.
void operand_compare(const struct sm_warp *w, uint32_t count);
// Charges the write of a value kept by a mechanism to the warp's own register Rr.
void operand_write_back(struct sm *s, struct sm_warp *w, unsigned r);

static inline void operand_keep_busy(struct operand_warp *w, uint64_t until)
{
    w->busy_until = later(w->busy_until, until);
}
// A memory instruction's reply: the results are ready at cycle `ready`. registers: physical destinations as
// mapped at issue. current: bits of the destination words without a younger definition. source: of the result.
static inline void operand_reply(struct operands *all, struct operand_warp *w, const struct op *o,
                                 const uint16_t *registers, uint64_t ready, uint8_t current, uint8_t source)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        if (!(current >> n & 1)) continue;
        all->ready[registers[n]] = ready;
        all->from_memory[registers[n]] = source;
    }
    w->last_source = source;
    for (unsigned left = o->pred_writes; left; left &= left - 1) w->pred_ready[bit_lowest(left)] = ready;
    if (o->barrier) {
        w->barrier_pending[o->barrier - 1]--;
        w->barrier_ready[o->barrier - 1] = later(w->barrier_ready[o->barrier - 1], ready);
    }
    operand_keep_busy(w, ready);
}
static inline void operand_predicates(struct operand_warp *w, unsigned predicates, uint64_t cycle,
                                      bool from_memory)
{
    for (unsigned left = predicates; left; left &= left - 1) w->pred_ready[bit_lowest(left)] = cycle;
    w->pred_from_memory =
        (uint8_t)(from_memory ? w->pred_from_memory | predicates : w->pred_from_memory & ~predicates);
}
static inline void operand_stall(struct operand_warp *w, uint64_t until)
{
    w->stall_until = until;
    w->stalls_for_memory = false;
}
static inline void operand_stall_for_memory(struct operand_warp *w, uint64_t until)
{
    w->stall_until = until;
    w->stalls_for_memory = true;
}
// An instruction of the warp issues: all waits owed by skipped instructions are satisfied.
static inline void operand_settle(struct operand_warp *w) { w->owed = 0; }

// -- for mechanisms (tech.h)
// Skips an instruction; the waits and stall of its control word carry over to the warp's next instruction.
void operand_skip(struct sm *s, unsigned slot, const struct op *o);
void operand_free_banks(struct sm *s, uint16_t first, uint32_t count); // reads need no ports from now on

// Private parts of the core.
//     core.c       life, launches, the cycle        vector.c   execute stage of the vector pipeline
//     registers.c  compressed registers, spilling   scalar.c   execute stage of the scalar pipeline
//     decode.c     instruction properties used by the core
#pragma once
#include "exec/exec_impl.h"
#include "scalar/predict.h"
#include "simtight/barrier.h"
#include "simtight/core.h"
#include "simtight/memory.h"
#include "simtight/schedule.h"
#include "simtight/units.h"

enum { SIMTIGHT_WARPS_MAX = 64, SIMTIGHT_RING = 64, SIMTIGHT_SCALAR_CODE = 32 };

enum simtight_kind { KIND_ALU, KIND_UNIT, KIND_LOAD, KIND_STORE, KIND_ATOMIC, KIND_FENCE, KIND_COMMAND };

struct simtight_inst {
    uint8_t rd, rs1, rs2; // 0: none
    // enum simtight_kind, enum simtight_unit; access width of a lane in bytes
    uint8_t kind, unit, bytes;
    uint16_t latency; // UNIT: cycles to the result
    bool is_scalar;   // executable by the scalar pipeline
    bool is_add, has_imm, jumps;
    uint32_t imm;
};

struct simtight_slot { // of a pipeline: a warp on the way to the execute stage
    uint8_t warp;
    bool is_full, spills;
};

struct simtight_pipe {
    struct simtight_schedule schedule;
    uint64_t queue;                            // warps that may be chosen
    struct simtight_slot slots[SIMTIGHT_RING]; // by execute cycle
    unsigned under_way, depth;                 // full slots; cycles from choosing to executing
};

struct simtight_lanes { // results on the way to the registers
    uint32_t lanes;
    uint8_t warp, reg;
    bool is_unspill;
};

struct simtight {
    const struct simtight_config *config;
    const struct simtight_listener *listener; // may be NULL
    uint64_t all_warps;                       // bits: warps of the core
    uint32_t all_lanes;                       // bits: lanes of a warp
    bool compresses, verifies, has_launch;
    uint64_t now, ended_at;
    // -- values
    const struct launch *launch;
    struct exec exec;
    struct exec_counts exec_counts, *given_counts;
    struct cta *cta;
    struct launch_fault fault;
    struct simtight_inst *code; // heap; by instruction
    // In warp instructions: when the next stall check (exec/look.h) begins, when the present check began.
    uint64_t look_at, looked_at;
    // -- warps, bits
    uint64_t at_barrier, ended, suspended, was_suspended, in_scalar, spilling;
    uint32_t waits_for[SIMTIGHT_WARPS_MAX]; // by warp: lanes with outstanding results
    unsigned group_warps;                   // warps of a barrier group
    // -- pipelines
    struct simtight_pipe vector, scalar;
    // Bits: warps that left an execute stage in the current cycle and return to their queues in the next.
    uint64_t back_vector, back_scalar, back_spilled;
    // The previous cycle spilled a register: its victim used the register port.
    bool has_spilled;
    uint64_t resumed[SIMTIGHT_RING]; // by cycle mod SIMTIGHT_RING: warps that resume at the cycle's end
    uint64_t resuming;               // number of warps in `resumed`, over all cycles
    uint64_t port_busy_at;           // cycle of the last ALU result written through the register port
    bool has_resume;
    struct simtight_lanes resume; // result waiting for the write port, if has_resume
    uint64_t stored_at;           // cycle of the last register write, `stored`
    struct simtight_lanes stored;
    unsigned store_latency;
    struct simtight_units units, scalar_units;
    struct simtight_barrier barrier;
    struct simtight_memory memory;
    // -- compressed registers
    struct scalar_regfile file;
    struct scalar_table predicted;
    uint64_t mismatches;
    char *mismatch; // heap
    struct simtight_counts counts;
    struct simtight_traffic traffic_before; // at the start of the launch
    struct stackcache stack_cache_before;   // at the start of the launch
};

static inline struct warp *simtight_warp(const struct simtight *s, unsigned warp)
{
    return &s->cta->warps[warp];
}
static inline uint32_t *simtight_words(const struct simtight *s, unsigned warp, unsigned reg)
{
    return reg_lanes(simtight_warp(s, warp)->regs, reg * s->exec.vector_bytes);
}
static inline void simtight_suspend(struct simtight *s, unsigned warp, uint32_t lanes)
{
    s->suspended |= 1ull << warp;
    s->waits_for[warp] |= lanes;
}
// Ends the warp's suspension at the end of `cycle`.
static inline void simtight_resume_at(struct simtight *s, unsigned warp, uint64_t cycle)
{
    s->resumed[cycle % SIMTIGHT_RING] |= 1ull << warp;
    s->resuming++;
}
// simtight_tell: tells the listener, if any, the warp's state from the next cycle on. simtight_tell_executed:
// tells the listener about an executed instruction.
static inline void simtight_tell(const struct simtight *s, unsigned warp, enum simtight_state state)
{
    if (s->listener && s->listener->state) s->listener->state(s->listener->context, warp, state, s->now + 1);
}
void simtight_tell_executed(const struct simtight *s, const struct simtight_pipe *p, unsigned warp,
                            uint32_t inst, uint32_t lanes);
// Executes the warp's next instruction. False: a fault.
bool simtight_step(struct simtight *s, struct warp *w);
// Index of the next instruction of a warp, at a barrier or not.
uint32_t simtight_next_index(const struct warp *w);

// -- decode.c
void simtight_decode(struct simtight *s);

// -- vector.c, scalar.c: execute stages; slot: the warp that executes in the current cycle
void simtight_vector_execute(struct simtight *s, struct simtight_slot slot);
void simtight_scalar_execute(struct simtight *s, struct simtight_slot slot);

// -- registers.c
void simtight_registers_begin(struct simtight *s);
bool simtight_must_spill(const struct simtight *s);
void simtight_registers_verify(struct simtight *s, unsigned warp, const struct simtight_inst *i);
void simtight_registers_write(struct simtight *s, unsigned warp, unsigned reg, uint32_t lanes);
void simtight_registers_unspill(struct simtight *s, unsigned warp, unsigned reg);
// First spilled register among the sources of an instruction and, with is_partial, its destination;
// SCALAR_NONE: all operands are present.
int simtight_registers_missing(const struct simtight *s, unsigned warp, const struct simtight_inst *i,
                               bool is_partial);
struct scalar_operands simtight_operands(const struct simtight *s, unsigned warp,
                                         const struct simtight_inst *i, bool all_active);
// Spills one of the warp's registers: requests its store, or drops it if the warp has ended. False: no
// register to spill or the queue is full.
bool simtight_registers_spill(struct simtight *s, unsigned warp);
uint64_t simtight_registers_left(const struct simtight *s); // bits: ended warps that still hold vectors
// Requests the load of a spilled register. False: the queue is full.
bool simtight_registers_ask(struct simtight *s, unsigned warp, unsigned reg);

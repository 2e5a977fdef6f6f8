// The SIMTight core (Naylor et al., ICCD 2024; details absent from the paper follow its public source). A
// barrel processor of simt.warps warps of simt.lanes RISC-V threads, in place of the SMs of other GPUs. Stages with their
// cycles, for plain registers:
//
//     schedule 2 ─▶ active threads 2 ─▶ fetch 1 ─▶ operands 2 ─▶ execute 1 ─▶ write back 1
//        ▲                                                          │             ▲
//        └── the warp returns to its queue ◀────────────────────────┤             └── results, replies
//                                                                   └──▶ units, memory.h (lanes suspended)
//
// A warp has one instruction under way. The instruction takes full effect on registers and memory by
// exec_step on entering the execute stage; later stages only decide when the warp may issue again. With
// compressed registers, results are also written to scalar/regfile.h and, on request, compared with exec's
// registers at every read.
#pragma once
#include "exec/launch.h"
#include "simtight/config.h"

#include <stdbool.h>
#include <stdint.h>

struct exec_counts;

struct simtight_counts {
#define SIMTIGHT_COUNT(name, unit, meaning) uint64_t name;
#include "simtight/counts.def"
};

struct simtight_count_info {
    const char *name, *unit, *meaning; // "simtight.cycles"
    size_t offset;                     // in simtight_counts
    bool is_most;                      // of several launches, keep the largest
};
extern const struct simtight_count_info simtight_count_infos[];
extern const size_t simtight_count_count;

struct simtight;

// Listener: told about warp events, cycle by cycle, and about the counts so far at a fixed interval.
// Listening changes no result.
enum simtight_state { // of a warp between two instructions
    SIMTIGHT_READY,   // may be chosen
    SIMTIGHT_RESULT,  // result under way to the registers
    SIMTIGHT_MEMORY,
    SIMTIGHT_BARRIER,
    // A unit or queue was full, or a spilled register must be loaded first.
    SIMTIGHT_REFUSED,
    SIMTIGHT_ENDED
};
struct simtight_executed {
    uint64_t chosen, cycle; // cycle of the choice by the pipeline; cycle of entering the execute stage
    uint64_t lanes;
    uint32_t inst;
    unsigned warp;
    bool accesses_memory, is_scalar; // is_scalar: executed by the scalar pipeline
};
struct simtight_listener {
    void *context;
    void (*executed)(void *context, const struct simtight_executed *e);                    // may be NULL
    void (*state)(void *context, unsigned warp, enum simtight_state state, uint64_t from); // may be NULL
    void *sample_context;
    uint64_t interval; // cycles; 0: no samples
    void (*sample)(void *sample_context, uint64_t cycle, const struct simtight_counts *so_far);
};

// `c` must outlive the core.
struct simtight *simtight_create(const struct simtight_config *c);
void simtight_destroy(struct simtight *s);
// Sets the listener, which must outlive the launches; NULL: no listener from now on.
void simtight_listen(struct simtight *s, const struct simtight_listener *l);
// Places a launch of all warps, whole, with flat memory; its cycle 0 begins now. `l` and `counts` (added to)
// must outlive the launch. Stack cache contents and predictions stay from the previous launch.
void simtight_place(struct simtight *s, const struct launch *l, struct exec_counts *counts, bool verify);
// Runs up to cycle `until` of the launch; stops early at the end of the launch or at a fault.
void simtight_run(struct simtight *s, uint64_t until);
bool simtight_is_over(const struct simtight *s); // all warps ended, memory idle
uint64_t simtight_now(const struct simtight *s); // current cycle of the launch
// Cycle of the next event; UINT64_MAX: the launch is over, or its warps wait for each other.
uint64_t simtight_next(const struct simtight *s);
// Moves the fault that ended the launch to *fault, now owned by the caller. False: no fault.
bool simtight_take_fault(struct simtight *s, struct launch_fault *fault);
void simtight_fail_deadlocked(struct simtight *s); // records the deadlock as a fault
// Writes a line for each warp not ended: its position and the reason it waits.
void simtight_report(const struct simtight *s, struct strbuf *out);
// Mismatches between compressed registers and exec's registers in the last launch. *first: description of
// the first, NULL without mismatches.
uint64_t simtight_mismatches(const struct simtight *s, const char **first);
// at the end of a launch: NULL when the core's counts and state are consistent; else the failed check
const char *simtight_check(const struct simtight *s);
void simtight_collect(struct simtight *s, struct simtight_counts *counts); // of the launch so far
void simtight_remove(struct simtight *s);                                  // ends the launch
// Register storage in bits: uncompressed, counted one for one; compressed, by the accounting of the SIMTight
// paper (Fig. 8).
uint64_t simtight_register_bits(const struct simtight_config *c);

// Places, runs and removes one launch. False: failed, see *fault. max_cycles 0: no limit.
bool simtight_launch(struct simtight *s, const struct launch *l, uint64_t max_cycles, bool verify,
                     struct exec_counts *counts, struct simtight_counts *own, struct launch_fault *fault);

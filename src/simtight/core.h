// The SIMTight core (Naylor et al., ICCD 2024; what the text leaves open as in its public source): a barrel of 64 warps of
// 32 RISC-V threads, that stands where other GPUs have their SMs.
//
//     schedule 2 ─▶ active threads 2 ─▶ fetch 1 ─▶ operands 2 ─▶ execute 1 ─▶ write back 1      cycles, plain registers
//        ▲                                                         │               ▲
//        └──── the warp is back in its queue ◀─────────────────────┤               └── resume: results of units, replies
//                                                                  └──▶ units, memory.h (its lanes are suspended)
//
// A warp has one instruction under way. It executes, with all effects on registers and memory, by exec's own step when it
// gets to the execute stage; what comes after decides when the warp may go on. With compressed registers what is written
// goes into scalar/regfile.h as well, and is compared with exec's registers at every read where that is asked for.
#pragma once
#include "exec/exec_impl.h"
#include "simtight/config.h"

struct simtight_counts {
#define SIMTIGHT_COUNT(name, unit, meaning) uint64_t name;
#include "simtight/counts.def"
};

struct simtight_count_info {
    const char *name, *unit, *meaning; // "simtight.cycles"
    size_t offset;                     // in simtight_counts
    bool is_most;                      // of several launches the largest counts
};
extern const struct simtight_count_info simtight_count_infos[];
extern const size_t simtight_count_count;

struct simtight;

// Who looks on: told of what happens to warps, in order of cycles, and of the counts so far every so many cycles of a launch.
// Being looked at changes nothing.
enum simtight_state { // of a warp between two instructions
    SIMTIGHT_READY,   // it may be chosen
    SIMTIGHT_RESULT,  // its result is under way to the registers
    SIMTIGHT_MEMORY,
    SIMTIGHT_BARRIER,
    SIMTIGHT_REFUSED, // a unit or a queue had no room for it, or a spilled register has to come first
    SIMTIGHT_ENDED
};
struct simtight_executed {
    uint64_t chosen, cycle; // when the pipeline took the warp, and when it got to the execute stage
    uint64_t lanes;
    uint32_t inst;
    unsigned warp;
    bool accesses_memory, is_scalar; // scalar: by the scalar pipeline
};
struct simtight_listener {
    void *context;
    void (*executed)(void *context, const struct simtight_executed *e);                    // NULL: nobody
    void (*state)(void *context, unsigned warp, enum simtight_state state, uint64_t from); // the same
    void *sample_context;
    uint64_t interval; // cycles; 0: no samples
    void (*sample)(void *sample_context, uint64_t cycle, const struct simtight_counts *so_far);
};

// The settings outlive the core.
struct simtight *simtight_create(const struct simtight_config *c);
void simtight_destroy(struct simtight *s);
void simtight_listen(struct simtight *s,
                     const struct simtight_listener *l); // which outlives its launches; NULL: nobody
// A launch, of 64 whole warps and with a flat memory, begins in the core's present cycle. It and the counts, which are
// added to, outlive it. What the stack cache holds and what is predicted stays from the launch before.
void simtight_place(struct simtight *s, const struct launch *l, struct exec_counts *counts, bool verify);
void simtight_run(struct simtight *s,
                  uint64_t until); // to this cycle of the launch; stops at its end, or at a fault
bool simtight_is_over(const struct simtight *s); // all warps have ended, and all that was under way
uint64_t simtight_now(const struct simtight *s); // cycle of the launch
// The first cycle in which anything can happen; UINT64_MAX: never, its warps wait for each other.
uint64_t simtight_next(const struct simtight *s);
// A fault that ended the launch, which is the caller's from now on. False: there was none.
bool simtight_take_fault(struct simtight *s, struct launch_fault *fault);
void simtight_fail_deadlocked(struct simtight *s); // makes a fault of it
// A line a warp that has not ended: where it is, what it waits for.
void simtight_report(const struct simtight *s, struct strbuf *out);
// What compressed registers held otherwise than exec's in the last launch, and a text of the first time, NULL: there was
// none.
uint64_t simtight_mismatches(const struct simtight *s, const char **first);
const char *simtight_check(const struct simtight *s); // NULL when the books balance at the end
void simtight_collect(struct simtight *s, struct simtight_counts *counts); // of the launch so far
void simtight_remove(struct simtight *s);                                  // the launch goes
// Storage that its registers take: a bit a bit of theirs, or, compressed, what the paper counts (its Fig. 8).
uint64_t simtight_register_bits(const struct simtight_config *c);

// All of it, for one launch. False and a fault: it went wrong. max_cycles 0: no limit.
bool simtight_launch(struct simtight *s, const struct launch *l, uint64_t max_cycles, bool verify,
                     struct exec_counts *counts, struct simtight_counts *own, struct launch_fault *fault);

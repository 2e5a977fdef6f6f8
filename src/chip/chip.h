// The chip: SMs, the memory behind them, and the hand that gives out blocks.
//
// Time passes in windows no longer than the way from an SM to the L2. In a window every SM and every memory
// partition runs for itself, on any thread; between windows their packets change hands (memory/system.h),
// stores and atomics are applied in order of (cycle, SM) (exec/timed.h), ended blocks make room for the next.
// So any number of threads gives the same bytes and the same counts.
#pragma once
#include "chip/config.h"
#include "chip/series.h"
#include "sm/mech/tech.h"
#include "watch/watch.h"

struct chip_result {
    uint64_t cycles;   // core cycles from when the first block could start to the last reply
    uint64_t start;    // the chip's cycle in which it came
    uint64_t overhead; // cycles from then until the first block could start (gpu.launch_latency)
    // Its part of what is there whether it works or not: cycles of the chip, and of all its SMs. All of them for
    // one that had the chip to itself. Others share: an SM's active cycles by their warps on it, the rest equally.
    uint64_t chip_cycles, sm_cycles;
    struct exec_counts exec;
    struct gpu_counts gpu;
    struct memory_counts memory;
    double occupancy; // mean resident warps over the most there can be, while an SM is active
    uint64_t techs[TECH_MAX][TECH_COUNTERS_MAX];                     // counters of the mechanisms
    uint64_t kind_techs[GPU_KINDS_MAX][TECH_MAX][TECH_COUNTERS_MAX]; // the same by kind of SM (chip_kinds)
    uint64_t mismatches; // of what mechanisms share with what its readers would have computed, when verified
    const char *imbalance; // NULL: the books balance (sm_check)
};

struct chip;
struct grid;

struct chip_account {           // what a launch adds to; the caller's, and each may be NULL
    uint64_t *inst_slots;       // [instruction, or none][SLOT_COUNT]
    uint64_t *inst_saved;       // [instruction][SAVINGS]
    struct gpu_counts *sms;     // by SM
    struct chip_series *series; // NULL: no samples are taken
    struct watcher *watcher;    // NULL: nobody watches; of all launches on a chip, the same
    struct watch_stream stream; // what the watcher calls its stream
};

struct chip *chip_create(const struct chip_config *c);
void chip_destroy(struct chip *c);

// Whether a block of the launch fits on an SM of some kind; else why not. On SMs of other kinds it does not run.
bool chip_fits(const struct chip_config *c, const struct launch *l, struct strbuf *why);
// What an SM of a kind gives its blocks, of this launch alone.
struct chip_occupancy {
    uint32_t warps, registers, shared; // of a block: warps, registers of all its threads, bytes
    uint32_t blocks;                   // that are there at once; 0: not one fits
    const char *limit;                 // what there is too little of for another, "registers (sm.registers)"
    uint32_t free_registers, free_warps;
    uint32_t more; // warps of another block that have room, if its shared memory and a context are there
};
bool chip_occupancy(const struct chip_config *c, const struct launch *l, unsigned kind,
                    struct chip_occupancy *out); // false: there are not so many kinds

// -- grids: launches that live on the chip ------------------------------------------------------------------
// A launch comes to the chip, in its present cycle, beside those that are there. Launch, account (may be NULL)
// and what they point to outlive the grid. max_cycles: since it came; 0: no limit.
struct grid *chip_begin(struct chip *c, const struct launch *l, uint64_t max_cycles,
                        const struct chip_account *account);
// Lets time pass until one of them is over, well or not, and says which: one that chip_end has not ended yet.
// NULL: there is none.
struct grid *chip_run(struct chip *c, unsigned threads);
// Ends a grid that is over; what it has measured. False after a fault. The others go on.
bool chip_end(struct chip *c, struct grid *g, struct chip_result *result, struct launch_fault *fault);

// All three, for a launch that has the chip to itself.
bool chip_run_alone(struct chip *c, const struct launch *l, uint64_t max_cycles, unsigned threads,
                    const struct chip_account *account, struct chip_result *result,
                    struct launch_fault *fault);

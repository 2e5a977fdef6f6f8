// The chip: SMs, the memory system behind them, and the dispatcher of blocks.
//
// Time passes in windows, no longer than the latency from an SM to the L2. Within a window every SM and
// every memory partition runs independently, on any thread. Between windows packets are exchanged
// (memory/system.h), stores and atomics are applied in order of (cycle, SM) (exec/timed.h), and ended
// blocks are replaced. The number of threads therefore changes neither bytes nor counts.
#pragma once
#include "chip/config.h"
#include "chip/series.h"
#include "exec/counts.h"
#include "memory/system.h"
#include "sm/mech/tech.h"
#include "watch/watch.h"

struct launch_fault;

struct chip_result {
    // core cycles from the earliest start of the first block to the last reply or block end; of a failed
    // launch, to the failure
    uint64_t cycles;
    uint64_t start; // chip cycle at which the launch arrived
    // cycles from arrival to the earliest start of the first block (gpu.launch_latency)
    uint64_t overhead;
    // Share of the chip's cycles, and of the cycles of all SMs, active or idle: all for a launch alone on the
    // chip. Otherwise an SM's active cycles are split by resident warps, other cycles equally among launches
    // begun.
    uint64_t chip_cycles, sm_cycles;
    struct exec_counts exec;
    struct gpu_counts gpu;
    struct memory_counts memory;
    double occupancy; // mean resident warps / maximum, over the active cycles of SMs
    uint64_t techs[TECH_MAX][TECH_COUNTERS_MAX];                     // counters of the mechanisms
    uint64_t kind_techs[GPU_KINDS_MAX][TECH_MAX][TECH_COUNTERS_MAX]; // by kind of SM (chip_kinds)
    uint64_t mismatches; // with verification: results shared by a mechanism, unequal to the reader's own
    // A miscount found by the simulator's checks of SMs, dispatcher and memory; NULL: none.
    const char *imbalance;
};

struct chip;
struct grid;

// Counts of a launch alone on the chip, between two windows of simulated time.
struct chip_sums {
    uint64_t cycle;               // since the earliest start of the first block
    uint64_t ended, next, blocks; // blocks: ended, begun or taken, of the grid
    uint64_t wave;                // blocks resident at once on the empty chip
    uint64_t unanswered;          // requests to memory
    struct gpu_counts gpu;
    struct memory_counts memory;
};

// Takes blocks out of the chip's hands: the sampler executes them, and the chip counts them as ended. Time
// does not pass for taken blocks. The chip asks only while the launch is alone.
struct chip_sampler {
    void *context;
    uint64_t due; // ended blocks from which on `take` is called; written by the sampler
    // Returns the number of blocks executed from block now->next on.
    uint64_t (*take)(void *context, const struct chip_sums *now);
};

// Closes the L2, as if it were full (memory_system_close): write-backs begin at once. For samplers.
void chip_close_l2(struct chip *c, bool is_closed);

struct chip_account {           // results that launches add to; owned by the caller, any pointer may be NULL
    uint64_t *inst_slots;       // [instruction, last: no instruction][SLOT_COLUMNS]
    uint64_t *inst_saved;       // [instruction][SAVINGS]
    struct gpu_counts *sms;     // by SM
    struct chip_series *series; // NULL: no samples
    struct watcher *watcher;    // timeline recorder, the same for all launches on a chip; NULL: none
    struct watch_stream stream; // number and name of the launch's stream, for the watcher's records
    struct chip_sampler *sampler; // NULL: all blocks are timed
};

struct chip *chip_create(const struct chip_config *c);
void chip_destroy(struct chip *c);

// Whether a block of the launch fits on an SM that the launch may use. False: *why has the reasons, by kind
// of SM. SMs of kinds without room stay unused.
bool chip_fits(const struct chip_config *c, const struct launch *l, struct strbuf *why);
// Clusters of the launch resident at once, without other launches. False: *why has what is wrong with gpu.gpcs.
bool chip_clusters(const struct chip_config *c, const struct launch *l, uint64_t *count, struct strbuf *why);
// Residency of a launch on an SM of a kind, without other launches.
struct chip_occupancy {
    uint32_t warps, registers, shared; // of a block, as allocated: warps, registers, bytes of shared memory
    uint32_t blocks;                   // most blocks resident on the SM at once; 0: a block does not fit
    const char *limit;                 // the resource that limits `blocks`, as in "registers (sm.registers)"
    uint32_t free_registers, free_warps;
    // warps of a further block that would fit beside `blocks`; 0, for instance, without shared memory or a
    // block context for the block
    uint32_t more;
};
// False: the chip has fewer kinds.
bool chip_occupancy(const struct chip_config *c, const struct launch *l, unsigned kind,
                    struct chip_occupancy *out);

// With l2.copies: sectors that the host has just written enter the L2, clean. Takes no time; sectors that
// leave the L2 for them are not written back. Only between calls of chip_run.
void chip_copied(struct chip *c, uint64_t address, uint64_t bytes);

// -- grids: launches on the chip ---------------------------------------------------------------------------
// Adds a launch to the chip, beside the grids already there; it starts in the next chip_run. Launch,
// account (may be NULL) and everything in them outlive the grid. max_cycles: from the earliest start of the
// first block; 0: no limit.
struct grid *chip_begin(struct chip *c, const struct launch *l, uint64_t max_cycles,
                        const struct chip_account *account);
// Runs until a grid is over, finished or failed. Returns the grid, not yet passed to chip_end; NULL: no
// grids.
struct grid *chip_run(struct chip *c, unsigned threads);
// Removes a grid that is over and returns its result. False: the grid failed, and *fault has the reason.
// Other grids continue.
bool chip_end(struct chip *c, struct grid *g, struct chip_result *result, struct launch_fault *fault);

// chip_begin, chip_run and chip_end for a launch alone on the chip; returns the value of chip_end.
bool chip_run_alone(struct chip *c, const struct launch *l, uint64_t max_cycles, unsigned threads,
                    const struct chip_account *account, struct chip_result *result,
                    struct launch_fault *fault);

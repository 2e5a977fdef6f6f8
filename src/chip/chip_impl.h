// Inside the chip: state with the chip's lifetime (chip.c), grids (grid.c), the dispatcher of blocks
// (dispatch.c, policies.c).
#pragma once
#include "chip/chip.h"
#include "chip/clusters.h"
#include "chip/dispatch.h"
#include "chip/pace.h"
#include "exec/timed.h"
#include "sm/stall.h"

enum { CHIP_SMS = 256 }; // upper bound of gpu.sm_count

enum grid_state {
    GRID_WAITS, // for a free number
    GRID_LIVES,
    GRID_DIES, // failed; outstanding requests drain
    GRID_OVER
};

struct grid_part { // a grid's part on an SM; made when its first block is placed there
    unsigned sm;
    uint32_t blocks, warps; // placed on the SM, with resources not yet freed by the dispatcher
    struct sm_grid *on;
    struct timed_engine engine;
};

struct grid {
    struct chip *chip;
    const struct launch *launch;
    enum grid_state state;
    uint8_t number;       // number of the grid, unique among grids begun and not yet ended
    bool is_alone;        // no other grid has been on the chip at the same time
    bool has_window_hook; // some mechanism of the grid has a `window` hook
    uint64_t max_cycles;  // 0: no limit
    // start: cycle of arrival. begin: earliest start of the first block, from which a launch's cycles count.
    uint64_t start, begin;
    uint64_t next_block, blocks, ended, last_end;
    uint32_t cluster;                      // blocks of a cluster, which are placed together
    struct sm_launch kinds[GPU_KINDS_MAX]; // by kind of SM; blocks_per_sm is 0 if no block fits
    struct need needs[GPU_KINDS_MAX];
    struct tech_use uses[TECH_MAX]; // the chip's, counting into `mismatches`
    uint64_t mismatches;
    VEC(struct grid_part *) parts; // in order of SM
    struct grid_part *by_sm[CHIP_SMS];
    struct memory_counts before; // memory counts of earlier grids with the same number, to be subtracted
    // Costs shared equally by all grids begun, indexed by the number of sharing grids: cycles of the chip,
    // and cycles of SMs without a warp. Sums of whole cycles do not depend on how time was divided into
    // spans.
    struct {
        uint64_t chip, idle;
    } shared[MEMORY_GRIDS + 1];
    struct chip_account account;
    struct chip_result result;
    struct launch_fault fault;
    bool good;
    struct arena arena;
};

// Identity of a kernel, for icache.keep. Kernels with equal identities share cache lines of code, which
// affects timing alone.
struct known_code {
    uint64_t name;  // hash
    uint32_t count; // number of instructions
};

struct chip {
    struct chip_config config;
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned kind_count;
    struct memory_system *memory;
    uint64_t window; // cycles in a window
    uint64_t now, until;
    VEC(struct known_code) code; // identities of the kernels run so far, if icache.keep is on
    VEC(struct grid *) grids;    // not yet ended by chip_end, in order of arrival
    uint32_t numbers;            // bits: numbers of grids begun and not yet ended
    struct dispatch dispatch;
    struct sm *sms[CHIP_SMS];           // NULL: no block so far
    struct exec_spare spare[CHIP_SMS];  // by SM
    VEC(struct sm *) busy;              // SMs with a grid, in order
    VEC(struct timed_engine *) engines; // of all parts, in order of SM
    bool has_moved;                     // `busy` and `engines` are out of date
    bool has_clusters;                  // some grid so far has clusters of several blocks
    uint8_t gpc_of[CHIP_SMS];           // by SM (clusters.h)
    bool is_broken;                     // outstanding requests have lost their receivers
    uint64_t windows;                   // windows simulated, not skipped, since a grid last began
    struct pace pace;                   // of the host threads
    bool was_small;                     // the last window had too little work for a second thread
    uint64_t look_at;                   // earliest cycle of the next stall check
    bool is_looking;
    uint64_t looked_since;
};

// -- chip.c
// Places warps of a block (sm_place; sms: of its cluster, by rank, or NULL). Creates the SM at its first block, or renews an SM without grids.
void chip_place(struct chip *c, struct grid *g, unsigned sm, uint64_t block, uint32_t warps, uint64_t cycle,
                const uint8_t *sms);
// L2 address of the grid's code: in the grid's address space, or with icache.keep in a space shared by the
// kernel's launches.
uint64_t chip_code_address(struct chip *c, const struct grid *g);
unsigned chip_kind_of(const struct chip *c, unsigned sm);

// -- grid.c
bool grid_shape_fits(const struct gpu_kind *kinds, unsigned count, const struct launch *l,
                     struct strbuf *why);
void grid_begin(struct grid *g, unsigned number, bool is_alone); // the grid takes the number and lives
void grid_destroy(struct grid *g);
// Whether the grid lives, has blocks not yet placed, and may use the SM, whose kind has room for a block when
// empty.
bool grid_has_blocks(const struct grid *g, unsigned sm);
uint32_t grid_warps_on(const struct grid *g, unsigned sm);
// The grid's part on the SM; created if needed.
struct grid_part *grid_part_on(struct grid *g, unsigned sm);
void grid_leave_sms(struct grid *g);
void grid_tell_window(struct grid *g);      // calls the mechanisms' `window` hooks
bool grid_is_done(const struct grid *g);    // no block and no request is left
bool grid_is_stuck(const struct grid *g);   // on some SM a running block has started all warps
uint64_t grid_end_of(const struct grid *g); // cycle of the last block end or last reply, the later
// Moves the earliest fault of the grid's parts to *fault, owned by the caller from then on. False: no fault.
bool grid_take_fault(struct grid *g, struct launch_fault *fault);
uint64_t grid_age(const struct grid *g); // cycles since the earliest start of the first block
bool grid_is_over_limit(struct grid *g, bool is_done, struct launch_fault *fault);
void grid_fail_deadlocked(struct grid *g, struct launch_fault *fault);
void grid_fail_stalled(struct grid *g, struct launch_fault *fault); // certain never to end
void grid_fail_waiting(struct grid *g, struct launch_fault *fault); // stuck for sim.patience cycles
void grid_fail_interrupted(struct grid *g, struct launch_fault *fault);
void grid_collect(struct grid *g, bool finished); // sums up the results so far
void grid_sums(struct grid *g, struct chip_sums *sums);

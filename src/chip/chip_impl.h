// Inside the chip: what lives as long as it does (chip.c), the grids on it (grid.c), and the hand that gives their
// blocks out (dispatch.c, policies.c).
#pragma once
#include "chip/chip.h"
#include "chip/dispatch.h"
#include "sm/stall.h"

enum { CHIP_SMS = 256 }; // the range of gpu.sm_count

enum grid_state {
    GRID_WAITS, // for a number
    GRID_LIVES,
    GRID_DIES, // it has failed; what it had under way is on its way out
    GRID_OVER
};

struct grid_part { // on an SM that a block has come to
    unsigned sm;
    uint32_t blocks, warps; // placed there that have not left their room
    struct sm_grid *on;
    struct timed_engine engine;
};

struct grid {
    struct chip *chip;
    const struct launch *launch;
    enum grid_state state;
    uint8_t number;        // among those that live
    bool is_alone;         // nobody else has been on the chip with it
    bool has_window_hook;  // a mechanism of it has
    uint64_t max_cycles;   // 0: no limit
    uint64_t start, begin; // when it came; when its first block may start, from which its cycles count
    uint64_t next_block, blocks, ended, last_end;
    struct sm_launch kinds[GPU_KINDS_MAX]; // by kind of the chip's; no blocks fit: blocks_per_sm is 0
    struct need needs[GPU_KINDS_MAX];
    struct tech_use uses[TECH_MAX]; // the chip's, which count in `mismatches`
    uint64_t mismatches;
    VEC(struct grid_part *) parts; // in order of SMs
    struct grid_part *by_sm[CHIP_SMS];
    struct memory_counts before; // of others that had its number
    // Borne in equal parts by all grids that had begun: cycles of the chip, and of SMs without a warp, by how many bore
    // them. Sums of whole cycles, so that it does not matter in which spans time passed.
    struct {
        uint64_t chip, idle;
    } shared[MEMORY_GRIDS + 1];
    struct chip_account account;
    struct chip_result result;
    struct launch_fault fault;
    bool good;
    struct arena arena;
};

struct
    known_code { // tells kernels apart; two that are alike in it share their lines, which costs no more than time
    uint64_t name;  // hash
    uint32_t count; // instructions
};

struct chip {
    struct chip_config config;
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned kind_count;
    struct memory_system *memory;
    uint64_t window; // cycles
    uint64_t now, until;
    VEC(struct known_code) code; // of kernels that have run, with icache.keep
    VEC(struct grid *) grids;    // that have not been ended, in the order in which they came
    uint32_t numbers;            // bits: those of grids that live or die
    struct dispatch dispatch;
    struct sm *sms[CHIP_SMS];           // NULL: no block has come to it yet
    VEC(struct sm *) busy;              // those with a grid, in order
    VEC(struct timed_engine *) engines; // of all parts, in order of SMs
    bool has_moved;                     // a part has come or gone since these two were made
    bool is_broken;                     // requests are under way that nobody waits for
    uint64_t windows;                   // so far
    uint64_t look_at;                   // cycle of the next look for a stall
    bool is_looking;
    uint64_t looked_since;
};

// -- chip.c
// Places warps of a block (sm_place); the SM is made, or begins anew, if it has no grid.
void chip_place(struct chip *c, struct grid *g, unsigned sm, uint64_t block, uint32_t warps, uint64_t cycle);
// Where the L2 has a grid's code: beside the rest of the grid, or with icache.keep where an earlier launch of the kernel had it.
uint64_t chip_code_address(struct chip *c, const struct grid *g);
unsigned chip_kind_of(const struct chip *c, unsigned sm);

// -- grid.c
bool grid_shape_fits(const struct gpu_kind *kinds, unsigned count, const struct launch *l,
                     struct strbuf *why);
void grid_begin(struct grid *g, unsigned number, bool is_alone); // it lives from now on
void grid_destroy(struct grid *g);
bool grid_has_blocks(const struct grid *g, unsigned sm); // left to give out, and one would fit on such an SM
uint32_t grid_warps_on(const struct grid *g, unsigned sm);
struct grid_part *grid_part_on(struct grid *g, unsigned sm); // comes to the SM if it is not there
void grid_leave_sms(struct grid *g);
void grid_tell_window(struct grid *g);      // to its mechanisms
bool grid_is_done(const struct grid *g);    // all its blocks have ended, all its requests been answered
bool grid_is_stuck(const struct grid *g);   // blocks of it are on SMs
uint64_t grid_end_of(const struct grid *g); // the last block's end, or the last reply
// Why it ends before its time; a fault is the caller's then.
bool grid_take_fault(struct grid *g, struct launch_fault *fault);
uint64_t grid_age(const struct grid *g); // cycles since its first block could start
bool grid_is_over_limit(struct grid *g, bool is_done, struct launch_fault *fault);
void grid_fail_deadlocked(struct grid *g, struct launch_fault *fault);
void grid_fail_stalled(struct grid *g, struct launch_fault *fault); // it will never end
void grid_fail_waiting(struct grid *g, struct launch_fault *fault); // it has waited for sim.patience cycles
void grid_fail_interrupted(struct grid *g, struct launch_fault *fault);
void grid_collect(struct grid *g, bool finished); // what it has measured until now

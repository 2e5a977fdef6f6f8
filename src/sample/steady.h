// Whether the blocks of a running launch have settled: issue rate and DRAM traffic stand still.
//
//   blocks   |── first wave ──|─ window ─|─ window ─|─ window ─|─ window ─|   skipped, functional   | rest |
//   counts   cold caches        instructions, cycles, sectors of DRAM                                 timed
//
// A mark is made every half wave (a wave: blocks resident on the chip at once) of ended blocks, from half a wave behind
// the first wave on. Windows lie STEADY_WAVE marks apart: blocks of a wave often run in step, and parts of a wave differ
// more than waves do. With more than STEADY_FEW marks the first quarter is dropped, and with
// more than STEADY_MOST windows neighbours are joined. The launch has settled once, over at least STEADY_WINDOWS
// windows,
//
//   - no two-sided test of the slope (5 %) finds a trend in cycles, sectors read or sectors written an
//     instruction, of more than a few per cent from the first window to the last;
//   - the windows have at least one in STEADY_SHARE of all blocks;
//   - requests without an answer do not pile up: stores that nobody waits for may come faster than DRAM writes;
//   - the half-width of the cycles to be estimated is within the target, of all cycles;
//   - write-backs have begun. Dirty lines are evicted only after reads and stores have filled the L2. Until
//     then nothing has settled, unless the launch cannot fill the L2, or DRAM would be idle for most of the time
//     even with a write for every store.
//
// A launch that waits for write-backs alone has two phases. At the end of the first, the L2 is closed: sets are
// full with the lines that they have, so write-backs begin. Marks of the second phase begin half a wave later.
//
//   blocks   |── first wave ──|── windows ──| closed |── windows ──|   skipped, functional   | rest |
//                               early rates             late rates     early, then late
//
// Skipped blocks up to the block that would have filled the L2 have the rates of the first phase. The L2 is opened
// again, for good, if the second phase reads more from DRAM: lines lost by closing were still in use.
#pragma once
#include "base/vec.h"
#include "sample/ratio.h"

#include <stdbool.h>
#include <stdint.h>

enum steady_verdict { STEADY_GOES_ON, STEADY_CLOSES, STEADY_OPENS, STEADY_SETTLED };

enum {
    STEADY_WINDOWS = 3,
    STEADY_WAVE = 2,
    STEADY_MOST = 16,
    STEADY_FEW = 16,
    STEADY_LEAST = 16,
    STEADY_SHARE = 64
};

struct steady_sums { // since the launch's begin
    uint64_t cycle, instructions;
    uint64_t read, written; // sectors of DRAM
    uint64_t stored;        // sectors written to the L2
    uint64_t answered;      // requests to memory
    uint64_t waiting;       // requests to memory without an answer, at the time
    uint64_t ended;         // blocks
};

struct steady {
    uint64_t wave;     // blocks resident at once
    uint64_t blocks;   // of the launch
    uint64_t capacity; // sectors of the L2
    double peak;       // sectors a cycle that DRAM can move
    double error;      // target: half-width of the estimated cycles over all cycles
    VEC(struct steady_sums) marks;
    size_t from;                   // first mark of the present phase
    size_t early[STEADY_MOST + 1]; // marks between the windows of the first phase
    size_t early_windows;          // 0: the L2 is not closed
    uint64_t filled;               // ended blocks at which the open L2 would be full
    bool stays_open;               // closing the L2 has failed
};

void steady_fini(struct steady *s);
// Records sums between two windows of simulated time, if a mark is due (steady_due).
void steady_look(struct steady *s, const struct steady_sums *now);
uint64_t steady_due(const struct steady *s); // ended blocks at the next mark
// The marks between windows, first to last; returns the number of windows, 0: too few marks.
size_t steady_windows(const struct steady *s, size_t marks[STEADY_MOST + 1]);
// What the marks say, with `left` blocks to be executed without time. STEADY_CLOSES and STEADY_OPENS: the L2 is to be
// closed or opened, and a phase begins.
enum steady_verdict steady_judge(struct steady *s, uint64_t left);
// Share of `taken` blocks that have the rates of the first phase.
double steady_early_share(const struct steady *s, uint64_t taken);
// Whether y has a slope, by a two-sided test at 5 %, and changes by more than `least` of its mean from the first
// value to the last.
bool steady_has_trend(const double *y, size_t count, double least);

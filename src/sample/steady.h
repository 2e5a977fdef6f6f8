// Whether the blocks of a running launch have settled: issue rate and DRAM traffic stand still.
//
//   blocks   |── first wave ──|── window ──|── window ──|── window ──|   skipped, functional   | rest |
//   counts   cold caches        instructions, cycles, sectors of DRAM                            timed
//
// A mark is made every wave (blocks resident on the chip at once) of ended blocks, from the end of the first wave
// on: blocks of a wave often run in step, and parts of a wave differ more than waves do. Windows lie between marks.
// With more than STEADY_FEW marks the first quarter is dropped, and with more than STEADY_MOST windows neighbours
// are joined. The launch has settled once, over at least STEADY_WINDOWS windows,
//
//   - no two-sided test of the slope (5 %) finds a trend in cycles, sectors read or sectors written an
//     instruction, of more than a few per cent from the first window to the last;
//   - the half-width of the cycles to be estimated is within the target, of all cycles;
//   - write-backs have begun. Dirty lines are evicted only after reads and stores have filled the L2. Until
//     then nothing has settled, unless the launch cannot fill the L2, or DRAM would be idle for most of the time
//     even with a write for every store.
#pragma once
#include "base/vec.h"
#include "sample/ratio.h"

#include <stdbool.h>
#include <stdint.h>

enum { STEADY_WINDOWS = 4, STEADY_MOST = 16, STEADY_FEW = 8, STEADY_LEAST = 16 };

struct steady_sums { // since the launch's begin
    uint64_t cycle, instructions;
    uint64_t read, written; // sectors of DRAM
    uint64_t stored;        // sectors written to the L2
    uint64_t ended;         // blocks
};

struct steady {
    uint64_t wave;     // blocks resident at once
    uint64_t blocks;   // of the launch
    uint64_t capacity; // sectors of the L2
    double peak;       // sectors a cycle that DRAM can move
    double error;      // target: half-width of the estimated cycles over all cycles
    VEC(struct steady_sums) marks;
};

void steady_fini(struct steady *s);
// Records sums between two windows of simulated time, if a mark is due (steady_due).
void steady_look(struct steady *s, const struct steady_sums *now);
uint64_t steady_due(const struct steady *s); // ended blocks at the next mark
// The marks between windows, first to last; returns the number of windows, 0: too few marks.
size_t steady_windows(const struct steady *s, size_t marks[STEADY_MOST + 1]);
// Whether the launch has settled, with `left` blocks to be executed without time.
bool steady_is_settled(const struct steady *s, uint64_t left);
// Whether y has a slope, by a two-sided test at 5 %, and changes by more than `least` of its mean from the first
// value to the last.
bool steady_has_trend(const double *y, size_t count, double least);

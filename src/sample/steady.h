// Whether the blocks of a running launch have settled: issue rate and DRAM traffic stand still.
//
//   blocks   |── first wave ──|── window ──|── window ──|── window ──|   skipped, functional   | rest |
//   counts   cold caches        instructions, cycles, sectors of DRAM                              timed
//
// A window is a quarter of a wave (blocks resident on the chip at once) of ended blocks, at least STEADY_LEAST. The first wave is
// left out. The launch has settled once the last STEADY_WINDOWS windows show no trend (two-sided test of the
// slope, 5 %) in cycles per instruction, sectors read per instruction or sectors written per instruction, and the
// interval of cycles per instruction is within the target error. Write-backs begin only when dirty lines have
// filled the L2: with stores to memory, but fewer than L2's capacity, nothing is settled until lines
// have been written back, unless the whole launch cannot fill the L2.
#pragma once
#include "base/vec.h"
#include "sample/ratio.h"

#include <stdbool.h>
#include <stdint.h>

enum { STEADY_WINDOWS = 8, STEADY_PER_WAVE = 4, STEADY_LEAST = 16 };

struct steady_sums { // since the launch's begin
    uint64_t cycle, instructions;
    uint64_t read, written; // sectors of DRAM
    uint64_t stored;        // sectors written to the L2
    uint64_t ended;         // blocks
};

struct steady {
    uint64_t wave;                 // blocks resident at once
    uint64_t blocks;               // of the launch
    uint64_t capacity;             // bytes of the L2
    double error;                  // target: relative half-width of the interval of cycles
    VEC(struct steady_sums) marks; // at the ends of windows, in order
};

void steady_init(struct steady *s, uint64_t wave, uint64_t blocks, uint64_t capacity, double error);
void steady_fini(struct steady *s);
// Records sums between two windows of simulated time. Marks are kept a quarter of a wave of ended blocks apart.
void steady_look(struct steady *s, const struct steady_sums *now);
uint64_t steady_due(const struct steady *s); // ended blocks at the next mark
// Index of the mark before the settled windows.
size_t steady_first(const struct steady *s);
// Whether the launch has settled at the last mark.
bool steady_is_settled(const struct steady *s);
// Cycles of the settled windows, as a ratio to instructions.
struct ratio steady_cycles(const struct steady *s);
// Relative slope of y over its index: two-sided test, 5 %. False: no trend, or fewer than 3 points.
bool steady_has_trend(const double *y, size_t count);

// Counts over time: a sample every `interval` cycles of a launch, over all SMs and the memory system.
//
//     launch ├─ interval ─┼─ interval ─┼─ … ─┼─ rest ─┤ end      samples add up to the launch's counts
//
// SMs record counts at requested cycles, also inside a window of simulated time. Sampling does not change
// timing.
#pragma once
#include "base/vec.h"
#include "memory/system.h"
#include "sm/sm.h"

struct chip_sample {
    uint64_t from, to; // cycles since the launch's start
    struct gpu_counts gpu;
    struct memory_counts memory;
};

struct chip_series {
    uint64_t interval; // cycles
    uint64_t next;     // chip cycle of the memory's next sample
    uint64_t start;
    VEC(struct chip_sample) samples; // counts since the launch's start; differences after series_finish
    size_t taken;                    // number of samples with the SMs' part
};

void series_fini(struct chip_series *s);
void series_begin(struct chip_series *s, uint64_t start);
// Lets the SM record counts for samples. Call when a launch places its first block on an SM.
void series_join(const struct chip_series *s, struct sm_grid *part);
// Call between windows, at `now`: keeps the memory's counts for samples up to `now`. A partition runs whole
// windows, so its counts for the window around a sample's end belong to the sample.
void series_keep(struct chip_series *s, const struct memory_system *m, unsigned grid,
                 const struct memory_counts *before, uint64_t now);
// Adds the SMs' counts to the samples. Call after a window of the SMs: series_take for every part of the
// launch, then series_taken once.
void series_take(struct chip_series *s, struct sm_grid *part);
void series_taken(struct chip_series *s);
// The launch has ended after `cycles`, with the given totals: turns samples into differences.
void series_finish(struct chip_series *s, uint64_t cycles, const struct gpu_counts *gpu,
                   const struct memory_counts *memory);

void gpu_counts_add(struct gpu_counts *to, const struct gpu_counts *from);
void memory_counts_subtract(struct memory_counts *from, const struct memory_counts *what);

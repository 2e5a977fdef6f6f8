// Counts as they grow: a sample every so many cycles of a launch, over all SMs and the memory behind them.
//
//     launch ├─ interval ─┼─ interval ─┼─ … ─┼─ rest ─┤ end      samples add up to the launch's counts
//
// SMs keep their own counts at the cycles asked for, inside whatever window they fall; nothing about time
// changes for being looked at.
#pragma once
#include "base/vec.h"
#include "sm/sm.h"

struct chip_sample {
    uint64_t from, to; // cycles of the launch
    struct gpu_counts gpu;
    struct memory_counts memory;
};

struct chip_series {
    uint64_t interval; // cycles
    uint64_t next;     // chip's cycle of the memory's next sample
    uint64_t start;
    VEC(struct chip_sample) samples; // counts from the launch's start until series_finish
    size_t taken;                    // samples that have the SMs' part
};

void series_fini(struct chip_series *s);
void series_begin(struct chip_series *s, uint64_t start);
void series_join(const struct chip_series *s, struct sm_grid *part); // the launch comes to an SM
// Between windows, at `now`: keeps the memory's counts for samples up to then. A partition runs a window at a
// time, so what it did in the window that a sample ends in belongs to that sample.
void series_keep(struct chip_series *s, const struct memory_system *m, unsigned grid,
                 const struct memory_counts *before, uint64_t now);
// After a window of the SMs: what each of the launch's parts has kept; and that it was the last one.
void series_take(struct chip_series *s, struct sm_grid *part);
void series_taken(struct chip_series *s);
// The launch took so many cycles and counted this: samples become differences.
void series_finish(struct chip_series *s, uint64_t cycles, const struct gpu_counts *gpu,
                   const struct memory_counts *memory);

void gpu_counts_add(struct gpu_counts *to, const struct gpu_counts *from);
void memory_counts_subtract(struct memory_counts *from, const struct memory_counts *what);

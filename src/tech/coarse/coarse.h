// Coarse-grained L1: lines are fetched in aligned groups of two or four. Options, state of a launch,
// counters.
#pragma once
#include "base/hash.h"
#include "base/reuse.h"
#include "sm/mech/duel.h"
#include "sm/mech/tech.h"

// In the order of enum reuse_verdict.
enum coarse_lines { LINES_1, LINES_2, LINES_4 }; // log2 of the lines in a group
enum coarse_when { WHEN_MISS, WHEN_ACCESS };

struct coarse_options {
    int lines; // enum coarse_lines
    int when;  // enum coarse_when
    bool touch, wait, dueling, classify;
    uint32_t sample, epoch, hold, leaders, before;
    const char *kernels; // "NAME:LINES/NAME:LINES"
};

struct coarse_launch {
    const struct coarse_options *options;
    const struct tech_listener *listener; // NULL: no listener
    unsigned lines;                       // in a group: 2 or 4; 1: no neighbours
    struct duel duel;
    // classify=1: addresses of the first accesses of the kind's first SM, written by that SM, until the verdict
    // (between windows of time). NULL: the verdict has been given, or no sample is taken.
    uint64_t *sample;
    uint32_t sampled;
    unsigned line, blocks; // log2 of a line's bytes and of L1's lines, for the verdict
    unsigned first;        // number of the kind's first SM
};

enum coarse_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/coarse/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- verdict.c ----------------------------------------------------------------------------------------------

// Lines in a group for launches of the kernel: by the kernel's name in `kernels` (*is_named), or the default.
unsigned coarse_lines(const struct coarse_options *o, const char *kernel, bool *is_named);
const char *coarse_wrong(const void *options); // NULL, or an error message, static text

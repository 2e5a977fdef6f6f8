// Coarse-grained L1: lines are fetched in aligned groups of two or four. Options, state of a launch,
// counters.
#pragma once
#include "base/hash.h"
#include "sm/mech/duel.h"
#include "sm/mech/tech.h"

enum coarse_lines { LINES_1, LINES_2, LINES_4 }; // log2 of the lines in a group
enum coarse_when { WHEN_MISS, WHEN_ACCESS };

struct coarse_options {
    int lines; // enum coarse_lines
    int when;  // enum coarse_when
    bool touch, wait, dueling;
    uint32_t epoch, hold, leaders, before;
    const char *kernels; // "NAME:LINES/NAME:LINES"
};

struct coarse_launch {
    const struct coarse_options *options;
    const struct tech_listener *listener; // NULL: no listener
    unsigned lines;                       // in a group: 2 or 4
    struct duel duel;
};

enum coarse_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/coarse/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- verdict.c ----------------------------------------------------------------------------------------------

// Lines in a group for launches of the kernel: by the kernel's name, or the default.
unsigned coarse_lines(const struct coarse_options *o, const char *kernel);
const char *coarse_wrong(const void *options); // NULL, or an error message, static text

// Results as sentences for the top of a page: the experiments' headlines, with measured values. Without any
// headline: the highest and the lowest mean, or value of a single kernel, of the first chart with such a
// value. Finally, comparison of outputs with the CPU's.
#pragma once
#include "lab/chart.h"

struct headline_piece {
    enum headline_kind { HEADLINE_WORDS, HEADLINE_VALUE, HEADLINE_PAPER } kind;
    const char *text;
};

struct headline {
    VEC(struct headline_piece) pieces;
    struct arena arena;
};

struct headline_outputs { // counts of the shown timed runs
    uint64_t compared, equal, refused;
};

// The headline of a GPU and profile, in *h, the caller's storage; free with headline_fini.
void headline_make(struct headline *h, const struct charts *charts, const char *gpu, const char *profile,
                   const struct headline_outputs *outputs);
void headline_fini(struct headline *h);

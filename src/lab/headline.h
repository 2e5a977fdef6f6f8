// What came out, in a sentence or two for a page's top: of the experiments that have a headline their words
// with the values measured, of others the highest and the lowest mean; and whether the outputs were those of
// the reference.
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

struct headline_outputs { // of the timed runs that are shown
    uint64_t compared, equal, refused;
};

// Of a GPU and profile, and on the caller's storage.
void headline_make(struct headline *h, const struct charts *charts, const char *gpu, const char *profile,
                   const struct headline_outputs *outputs);
void headline_fini(struct headline *h);

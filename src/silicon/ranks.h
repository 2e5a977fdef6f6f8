// Ranking of measured variants of one kernel (points of set `variants`): does the simulator order the
// variants as the card does? Variants are simulated on a part of the card and of the input, so only orders
// are compared, not times.
#pragma once
#include "silicon/accuracy.h"

#include "base/str.h"

struct fidelity;

struct ranking { // of an application on a card
    const char *application, *card;
    size_t points;         // number of variants, comparable or not
    struct accuracy times; // only the correlations
    // the card's time of the variant fastest in simulation, over the card's shortest time of a variant, less
    // 1; NAN: no variant with both times
    double lost;
};

void ranks_add(struct fidelity *f); // fills f->rankings, in the order of f->rows
void ranks_sentences(const struct fidelity *f, const char *before, struct strbuf *out); // a line per ranking

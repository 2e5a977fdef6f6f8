// How measured variants of one kernel rank (points of set `variants`): whether what is faster on the card is faster here. Variants run
// on a part of the card and of the input, so no time is compared, only their order.
#pragma once
#include "silicon/accuracy.h"

#include "base/str.h"

struct fidelity;

struct ranking { // of an application on a card
    const char *application, *card;
    size_t points;         // those that cannot be compared with them
    struct accuracy times; // its correlations
    double
        lost; // time on the card of the variant that is fastest here, over the fastest's, less 1; NAN: none
};

void ranks_add(struct fidelity *f); // to f->rankings, in the list's order
void ranks_sentences(const struct fidelity *f, const char *before, struct strbuf *out); // a line a ranking

// How time answers to clocks: d log t / d log f of launches that were measured at several (points of set `clocks`), ours beside the
// card's. A launch that computes has -1 for the core's clock, one that waits for memory -1 for the memory's. Sizes may be other ones
// than were measured: no time is compared, only how it changes.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct fidelity;

struct elasticity {
    const char *series, *card;
    size_t points; // with times of both, or, where nothing was measured, of ours
    bool measured;
    double core[2], memory[2]; // ours, the card's; NAN: the clock is always the same, or not measured
};

// d log t / d log f of the two clocks by least squares; NAN where a clock does not vary, or not without the other.
void elasticity_fit(const double *core, const double *memory, const double *time, size_t count,
                    double *of_core, double *of_memory);
void elasticity_add(struct fidelity *f); // to f->elasticities, in the list's order
// How far ours are from the cards', a line a card, each behind `before`.
void elasticity_sentences(const struct fidelity *f, const char *before, struct strbuf *out);
void elasticity_table(const struct fidelity *f, bool colour, struct strbuf *out);
void elasticity_markdown(const struct fidelity *f, struct strbuf *out);

// Elasticity of time over clocks: d log t / d log f of launches measured at several clocks (points of set
// `clocks`), simulated beside the card's. A compute-bound launch has -1 for the core clock, a memory-bound
// launch -1 for the memory clock. Input sizes may differ from the measured sizes, because only changes of
// time are compared.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct fidelity;

struct elasticity {
    const char *series, *card;
    size_t points; // points with simulated and measured times; if not `measured`, points with simulated times
    bool measured;
    // [0] simulated, [1] the card's elasticity over the core clock and over the memory clock; NAN: not
    // measured, or the clock does not vary by itself
    double core[2], memory[2];
};

// Elasticities of time over the core and memory clocks (d log time / d log clock), by least squares. NAN:
// fewer than two times, a clock that does not vary, or clocks that always vary together, as between only two
// times.
void elasticity_fit(const double *core, const double *memory, const double *time, size_t count,
                    double *of_core, double *of_memory);
void elasticity_add(struct fidelity *f); // fills f->elasticities, in the order of f->rows
// Adds the mean absolute differences between simulated and measured elasticities, a line per card. Every line
// begins with `before`.
void elasticity_sentences(const struct fidelity *f, const char *before, struct strbuf *out);
void elasticity_table(const struct fidelity *f, bool colour, struct strbuf *out);
void elasticity_markdown(const struct fidelity *f, struct strbuf *out);

// How far simulated cycles are from a real card's, on launches that a card was measured with and no parameter was
// chosen on, by GPU and by what limits the launch (docs/results/fidelity.md).
#pragma once
#include "base/str.h"

#include <stddef.h>

struct report_run;

struct measured {
    const char *gpu, *kind;
    unsigned launches;
    double error; // mean of |simulated / measured - 1| of the cycles
};

// The kind of launch for a limit (report_limits.by): memory, latency, compute, shared, double.
const char *measured_kind(const char *by);
const char *measured_kind_at(size_t index); // NULL past the last
// NULL: no such launch was measured on the card of this name.
const struct measured *measured_of(const char *gpu, const char *by);
// Appends a line per kind of the run's kernels. Nothing without launches on SMs.
void measured_print(const struct report_run *r, struct strbuf *out);

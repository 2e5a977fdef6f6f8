// What a mechanism does, measured: small kernels with work of one kind each (experiments/probes.ptx), run with and
// without the mechanism on one SM of a GPU. A row of the table is an expression on counters of the runs.
#pragma once
#include "base/arena.h"
#include "base/diag.h"

enum probe_answer { PROBE_NO, PROBE_YES, PROBE_UNKNOWN }; // UNKNOWN: no counter shows the property

struct probe_row {
    const char *name, *meaning;
};

// By index; NULL past the last.
const struct probe_row *probe_row_at(size_t index);
size_t probe_row_count(void);
// Runs the probes with a mechanism of the library on a GPU of the library, and fills an answer for every row.
// *bits: storage that the mechanism adds to an SM. False and an error: a probe fails.
bool probe_run(const char *gpu, const char *profile, const char *tech, enum probe_answer *answers,
               uint64_t *bits, struct diag *d);

// The energy of a run: rows of events, parts, total and average power.
#pragma once
#include "api/warpfold.h"
#include "base/json.h"
#include "base/vec.h"

struct report_energy {
    VEC(struct wf_energy) rows; // sums over the launches; names on the heap
    uint64_t cycles;
    double core_mhz; // 0: not timed
};

void report_energy_fini(struct report_energy *e);
// Adds a launch's energy. All launches of a run must have the same rows.
void report_energy_add(struct report_energy *e, const struct wf_stats *stats);
void report_energy_merge(struct report_energy *e, const struct report_energy *more);
double report_energy_total(const struct report_energy *e); // pJ
double report_energy_part(const struct report_energy *e, const char *part);
// Average power in watts, over the time of the run's launches; NAN without timed launches.
double report_energy_watts(const struct report_energy *e);
void report_energy_json(const struct report_energy *e, struct json *j);
void report_energy_table(const struct report_energy *e, bool colour, struct strbuf *out); // a row per part

// Results of `warpfold run` of which a part is estimated: half-widths of 95 % intervals, and what was timed.
#pragma once
#include "report/run.h"

// Adds the half-widths of a launch's figures to the run's. Nothing for a launch timed whole.
void report_sampled_add(struct report_run *r, const struct wf_stats *stats);
// Writes member "sample" of a launch: null without sampling.
void report_sampled_launch(struct json *j, const struct report_launch *l);
// With sampling: "sampled: 2 of 13 launches and 812 of 4,096 blocks timed; ± is the half-width of a 95 % interval",
// and a line for every reason why a launch was timed whole.
void report_sampled_print(const struct report_run *r, struct strbuf *out);

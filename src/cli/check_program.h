// The part of `warpfold check -- PROGRAM` inside the program's process: the checker of the context, and its findings when the
// program ends.
#pragma once
#include "cli/options.h"
#include "report/run.h"

// Before the options are applied: code without the optimiser, and a checker.
bool check_program_begin(struct wf_context *c);
// Prints findings on stderr and writes the JSON. Returns whether there is a finding.
bool check_program_end(const struct report_run *report, struct wf_context *c, const struct options *o);

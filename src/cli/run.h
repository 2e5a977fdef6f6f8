// The launches of `warpfold run`, for every command with the same options.
#pragma once
#include "cli/options.h"
#include "cli/session.h"

// Checks options and operands before the run: a readable file, or --script, and the options needed or
// excluded beside it. Not WF_OK: an error is in `d`.
enum wf_status run_check(const struct options *o, struct diag *d);
// Runs the launch, program or script. Outputs stay in the session and its results; no file is written.
enum wf_status run_execute(const struct options *o, struct session *s);

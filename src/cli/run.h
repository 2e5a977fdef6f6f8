// The launches of `warpfold run`, for every command that takes its options.
#pragma once
#include "cli/options.h"
#include "cli/session.h"

// Checks options and operands before anything runs: a readable file or a script, and the options of a launch.
enum wf_status run_check(const struct options *o, struct diag *d);
// Runs the launch or the script. Outputs are with the session; nothing is written or printed.
enum wf_status run_execute(const struct options *o, struct session *s);

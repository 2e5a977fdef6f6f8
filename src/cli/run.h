// The launches of `warpfold run`, for every command that takes its options.
#pragma once
#include "cli/options.h"
#include "cli/session.h"

// The words that a launch or a script needs are there; operands are one file, or none with a script.
bool run_check(const struct options *o, struct diag *d);
// Runs the launch or the script. Outputs are with the session; nothing is written or printed.
enum wf_status run_execute(const struct options *o, struct session *s);

// The launches of `warpfold run`, also for `warpfold study`, with the options of `warpfold run`.
#pragma once
#include "cli/options.h"
#include "cli/session.h"

// Checks options and operands before the run. --script excludes a file and the options of a launch. Without
// --script, one readable file is needed: PTX with --kernel, --grid and --block, or a RISC-V program
// (hosted_check). Not WF_OK: an error is in `d`.
enum wf_status run_check(const struct options *o, struct diag *d);
// Runs the launch, program or script. Outputs stay in the session and its results; no file is written.
enum wf_status run_execute(const struct options *o, struct session *s);

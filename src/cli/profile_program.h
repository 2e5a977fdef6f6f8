// The end of `warpfold profile -- PROGRAM` inside the program's process: what-if runs of the program, rules and page.
//
//     program, timed ─ ends ─▶ facts ─▶ the program again, once a what-if run, with input and output of /dev/null ─▶ page
#pragma once
#include "cli/options.h"
#include "report/run.h"

// Profiles the launches of the report. folder: the program's at its start. False: a result cannot be written, or a message
// has been printed.
bool profile_program(struct report_run *report, struct wf_context *c, const struct options *o,
                     const char *folder);

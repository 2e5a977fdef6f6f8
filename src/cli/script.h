// Scripts: an application's copies, launches and dumps, a command per line (docs/reference/script.md).
#pragma once
#include "cli/session.h"

// Reads the whole script, then runs it. Errors have locations in the script. An unreadable line prevents the
// run.
enum wf_status script_run(struct session *s, const char *path);

// Checks without running: known commands, numbers of words, matched loops.
bool script_check(const char *text, size_t length, uint32_t source, struct diag *d);

// Scripts: an application's copies, launches and dumps, one a line (docs/script.md).
#pragma once
#include "cli/session.h"

// Reads the whole script, then runs it. Errors point into the script; nothing is run when a line cannot be
// read.
enum wf_status script_run(struct session *s, const char *path);

// Reads only: whether every line is a command with as many words as it takes, and every loop has its end.
bool script_check(const char *text, size_t length, uint32_t source, struct diag *d);

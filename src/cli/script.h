// Scripts: an application's copies, launches and dumps, a command per line (docs/reference/script.md).
#pragma once
#include "cli/session.h"

// Reads and checks the whole script, then runs the commands up to the first error. A faulty line prevents the
// run. Errors of lines have locations in the script.
enum wf_status script_run(struct session *s, const char *path);

// Checks without running: readable words, known commands, numbers of words, matched loops. False and errors.
bool script_check(const char *text, size_t length, uint32_t source, struct diag *d);

// `warpfold run app.elf`: a program with a host part of its own (docs/riscv.md).
#pragma once
#include "cli/options.h"
#include "cli/session.h"

bool hosted_is(const char *path); // the file is an ELF file; false when it cannot be read
// Which options do not go with a program.
bool hosted_check(const struct options *o, struct diag *d);
// Loads it and runs it to its end; launches are recorded in the session's report.
enum wf_status hosted_run(const struct options *o, struct session *s);

// `warpfold run app.elf`: a program with its own host part (docs/explanation/riscv.md).
#pragma once
#include "cli/options.h"
#include "cli/session.h"

enum hosted_kind {
    HOSTED_NONE,    // not an ELF file, not a regular file, or unreadable
    HOSTED_PROGRAM, // RISC-V ELF file, or a file cut off before the number of the machine (e_machine)
    HOSTED_FOREIGN  // ELF for another machine: loading refuses the file, with the reason
};
enum hosted_kind hosted_kind(const char *path);
// Refuses options that do not apply to a RISC-V program and, without --gpu, options that need time. False and
// errors.
bool hosted_check(const struct options *o, struct diag *d);
// Loads the program and runs it to the end. Launches are recorded in the session's report.
enum wf_status hosted_run(const struct options *o, struct session *s);

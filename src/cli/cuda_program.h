// `warpfold run -- PROGRAM ARGS…`, `profile` and `check`: a whole CUDA program under the drop-in runtime (docs/howto/cuda-programs.md).
//
// The program's process gets the options in the variable WARPFOLD_RUN, and tells the outcome through a pipe, whose number
// is in WARPFOLD_RUN_PIPE. Options are words, a word a line. For `profile`, the word profile and the present folder stand
// before the options, for `check` the word check.
#pragma once
#include "cli/options.h"

#define CUDA_PROGRAM_OPTIONS "WARPFOLD_RUN"
#define CUDA_PROGRAM_PIPE    "WARPFOLD_RUN_PIPE"
#define CUDA_PROGRAM_GPU     "gtx1080ti" // without --gpu

// What the process tells, a byte each; the largest counts, as several processes of the program may tell.
enum {
    CUDA_PROGRAM_DONE = 1,
    CUDA_PROGRAM_MISMATCH,
    CUDA_PROGRAM_FOUND,
    CUDA_PROGRAM_FAILED,
    CUDA_PROGRAM_REFUSED
};
enum { CHECK_FOUND = 1 }; // exit status of `check`
void cuda_program_tell(uint8_t outcome);

// Whether all options apply to a program; false and an error otherwise.
bool cuda_program_check(const struct options *o, struct diag *d);

// Launches to be timed (--kernel, --launches): numbers first to last, counted from 1, of the kernel (NULL: any).
struct cuda_program_choice {
    const char *kernel;
    uint64_t first, last;
};
bool cuda_program_choose(struct cuda_program_choice *c, const struct options *o, struct diag *d);

// Whether the operands name a program: behind `--`, and no RISC-V program or file that cannot be executed.
bool cuda_program_is_named(const struct options *o);
// Runs the program of the operands, and ends the options. Returns the exit status of the command.
int cuda_program_command(struct options *o);

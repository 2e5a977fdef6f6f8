// CUDA C named where a command takes PTX: compiled once a command (toolchain/cuda.h), and kept for further
// sessions of the command, such as the runs of --verify and what-if runs.
#pragma once
#include "cli/options.h"
#include "toolchain/cuda.h"

struct source {
    char *path; // heap
    struct toolchain_ptx ptx;
};

struct sources {
    const struct options *options; // --kernel, --nvcc, --cc and --quiet; NULL: none
    VEC(struct source) list;
};

void sources_init(struct sources *s, const struct options *o);
void sources_fini(struct sources *s);
// The PTX of a file of CUDA C, valid as long as `s`. The first call compiles, and notes the compiler in `d`, except
// with --quiet. NULL and an error: the file does not compile.
const struct toolchain_ptx *sources_ptx(struct sources *s, const char *path, struct diag *d);

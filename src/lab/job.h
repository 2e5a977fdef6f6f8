// Jobs: runs needed by experiments and for comparison with launches measured on real GPUs (silicon/), each
// run once. A run is a warpfold process with JSON as result.
#pragma once
#include "base/hash.h"
#include "lab/experiment.h"

#define NO_JOB SIZE_MAX // no index of a job

struct job {
    // Hexadecimal hash of the command, kernel_hash and warpfold's version. Runs with equal ids are one run.
    char id[17];
    const char *command; // arguments of warpfold, without --quiet and the options naming the result's file
    // Properties of the run; NULL: not applicable to its kind. profile: for programs, the code (rv32i,
    // rv32e).
    const char *kind, *subject, *source, *size, *gpu, *profile, *tech, *settings;
    char kernel_hash[17];
    bool left_out; // not to be run now; a stored result still counts
};

// A file read by commands as kernels/NAME.
struct job_file {
    const char *name, *bytes;
    size_t length;
    const char *path; // of an own program; NULL: bundled
};

struct jobs {
    struct arena arena;
    VEC(struct job) list;
    struct strmap by_id;
    VEC(struct job_file) files;
    // of the user's own runs; files belong at own/HASH/NAME in the results' folder
    VEC(struct own_bundle) bundles;
    struct own_cache compiled;
    struct strmap by_variables; // index of a bundle, by subject and values of variables
    struct diag *diag;          // for unreadable files of own runs; NULL: such runs are not added
};

void jobs_init(struct jobs *j);
void jobs_fini(struct jobs *j);
// Adds the timed run of a bundled kernel, with a series' mechanism and settings, on the GPU of the series or
// of the view. registers: value of launch.registers; 0: not set. Like all functions here that add a job,
// returns the job's index.
size_t jobs_bench(struct jobs *j, const struct experiment *x, const char *kernel, unsigned registers,
                  const char *size, const struct experiment_view *view,
                  const struct experiment_series *series);
// Adds the run of two kernels sharing one chip, compared with each kernel's run alone. Settings may have
// words place=WORD for the placement. The table of the experiment's group gives the registers per thread.
size_t jobs_mix(struct jobs *j, const struct experiment *x, const struct experiment_pair *pair,
                const char *size, const struct experiment_view *view, const struct experiment_series *series);
// Adds a study of a bundled kernel, or of several kernels with commas between their names. kernel NULL: a
// study of the experiment's file.
size_t jobs_study(struct jobs *j, const struct experiment *x, const char *kernel, unsigned registers,
                  const char *size, const struct experiment_view *view);
// Adds the run of `warpfold mark` for a kernel of the experiment, from the workload's PTX compiled by nvcc.
size_t jobs_marks(struct jobs *j, const struct experiment *x, const char *kernel,
                  const struct experiment_view *view);
// Adds the timed run of a subject of the user's own, with a series' mechanism and settings, on the GPU of the
// series or of the view. Words $NAME=VALUE and --OPTION=VALUE among the settings are the subject's. NO_JOB and
// an error in `diag`: a file is not readable, or a variable has no value.
size_t jobs_own(struct jobs *j, const struct experiment *x, const struct own_subject *own,
                const struct experiment_view *view, const struct experiment_series *series);
// Adds the timed run of a RISC-V program on a GPU, from the file built for a code (rv32i or rv32e).
size_t jobs_program(struct jobs *j, const struct experiment *x, const struct program_subject *program,
                    const char *size, const char *gpu, const char *code, const char *settings);
// The timed run of a script on a GPU.
struct job_script {
    const char *subject, *path, *gpu;
    const char *settings, *more; // KEY=VALUE words, `more` last
    const char *silent;          // settings ahead of `settings`: in the command, not in the stored settings
    uint64_t hash;               // over all files read by the script
    bool left_out;
};
size_t jobs_script(struct jobs *j, const struct job_script *s);
// A bundled PTX or program by the name of its file: an experiment's file, a workload or of kernels/riscv. NULL:
// unknown name.
const char *jobs_file(const char *name, size_t *length);

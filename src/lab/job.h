// Runs that experiments need, each once: a warpfold process that leaves JSON.
#pragma once
#include "base/hash.h"
#include "lab/experiment.h"

struct job {
    char id[17];         // hash of the command and of the kernel's text, hexadecimal
    const char *command; // arguments, without those that say where the result goes
    // NULL: has none. profile: of a program the code.
    const char *kind, *subject, *source, *size, *gpu, *profile, *tech, *settings;
    char kernel_hash[17];
    bool left_out; // it is not to be run now: what was kept of it counts, if there is any
};

struct jobs {
    struct arena arena;
    VEC(struct job) list;
    struct strmap by_id;
    VEC(const char *) files; // of jobs_file, that commands name as kernels/NAME
};

void jobs_init(struct jobs *j);
void jobs_fini(struct jobs *j);
// The run of a bundled kernel with a series' mechanism and settings on its GPU or the view's, timed; its index.
size_t jobs_bench(struct jobs *j, const struct experiment *x, const char *kernel, unsigned registers,
                  const char *size, const struct experiment_view *view,
                  const struct experiment_series *series);
// A pair together on one chip: the same with a reference, with words place=WORD among the settings, which say where, and with the
// registers that the experiment's group has for its kernels.
size_t jobs_mix(struct jobs *j, const struct experiment *x, const struct experiment_pair *pair,
                const char *size, const struct experiment_view *view, const struct experiment_series *series);
// A study of a bundled kernel, or of several, with commas between their names, or of the experiment's file
// when kernel is NULL.
size_t jobs_study(struct jobs *j, const struct experiment *x, const char *kernel, const char *size,
                  const struct experiment_view *view);
// The marks of the experiment's kernel: of its workload's PTX.
size_t jobs_marks(struct jobs *j, const struct experiment *x, const char *kernel,
                  const struct experiment_view *view);
// The run of a program on a GPU, timed, in the form for a code.
size_t jobs_program(struct jobs *j, const struct experiment *x, const struct program_subject *program,
                    const char *size, const char *gpu, const char *code, const char *settings);
// The run of a script on a GPU, timed.
struct job_script {
    const char *subject, *path, *gpu;
    const char *settings, *more; // KEY=VALUE words, `more` last
    const char *silent;          // before these, and not kept with the run
    uint64_t hash;               // of everything that the script reads
    bool left_out;
};
size_t jobs_script(struct jobs *j, const struct job_script *s);
// The PTX or the program that a command names as kernels/NAME: of an experiment's file, of a workload or of kernels/riscv. NULL: none.
const char *jobs_file(const char *name, size_t *length);

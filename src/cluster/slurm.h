// Slurm as we use it: sbatch starts workers as one job array, scancel ends them, squeue says whether any is left. Each job runs
// `warpfold worker DIR` in the place of its shell, so that what Slurm signals is the worker.
#pragma once
#include "base/str.h"
#include "cluster/plan.h"

// "slurm[:OPTION=VALUE[,OPTION=VALUE…]]": the options are sbatch's own, without their dashes.
bool slurm_is(const char *spec);
struct slurm_order {
    const char *program; // warpfold itself
    const char *spec;
    const char *lease; // of the workers; NULL: as they have it
    unsigned workers;
};
// Submits workers, and notes their job in the folder. False and an error in one line: no Slurm, or what it said.
bool slurm_submit(const struct plan *p, const struct slurm_order *o, char job[32], struct diag *d);
// Ends all jobs that were noted; *count: how many. False and an error.
bool slurm_cancel(const struct plan *p, size_t *count, struct diag *d);
// Whether there were some, of which none runs or will without somebody's help. Where Slurm does not answer: false, for it may be away
// for a while.
bool slurm_has_ended(const struct plan *p);
// A line of how many run and wait, and what for; nothing where no job was noted or Slurm does not answer.
void slurm_describe(const struct plan *p, struct strbuf *out);

// Slurm: sbatch starts the workers as a job array, scancel ends them, squeue reports live jobs. Each job
// executes `warpfold worker DIR` in place of its shell, so Slurm's signals reach the worker.
#pragma once
#include "base/str.h"
#include "cluster/plan.h"

// Whether spec has the form "slurm[:OPTION=VALUE[,OPTION=VALUE…]]": options of sbatch, without dashes. The
// options are not checked.
bool slurm_is(const char *spec);
struct slurm_order {
    const char *program; // path of warpfold
    const char *spec;
    const char *lease; // of the workers; NULL: the default
    unsigned workers;
};
// Submits workers and records the job in the folder. False and a one-line error: malformed options, no Slurm,
// Slurm's refusal, or no record of the job.
bool slurm_submit(const struct plan *p, const struct slurm_order *o, char job[32], struct diag *d);
// Cancels all recorded jobs. *count: the number of jobs. False and an error: no scancel on this machine.
bool slurm_cancel(const struct plan *p, size_t *count, struct diag *d);
// Whether jobs were recorded and none can run any more: all ended or are held. False if Slurm does not
// answer, because an outage may be temporary.
bool slurm_has_ended(const struct plan *p);
// Appends the numbers of running and pending tasks with reasons. No output without recorded jobs or an answer
// from Slurm.
void slurm_describe(const struct plan *p, struct strbuf *out);

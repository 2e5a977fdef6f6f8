// Options of `warpfold reproduce` for plans run by other machines. --submit, --wait and --collect load the
// experiments, --collect those named in the plan. --status, --retry and --cancel need only the folder.
#pragma once
#include "cli/command.h"
#include "cluster/collect.h"
#include "lab/pool.h"

struct gather {
    const struct options *options;
    const char *folder, *program, *build;
    const struct jobs *jobs;
    struct database *db;
    struct pool *pool; // receives the number of finished points, and given-up points with the reason
    struct diag *diag;
};

// Whether --status, --retry or --cancel is given. gather_plain executes the option, and refuses further
// options and operands.
bool gather_is_plain(const struct options *o);
enum wf_status gather_plain(const struct options *o, struct diag *d);
// Checks values of the options, and options that need another option. False and an error.
bool gather_check(const struct options *o, struct diag *d);
// Reads the folder's plan and changes to the working directory of the original command. Then parses the words
// stored in the plan as options of `warpfold reproduce`. False: an error is in `d`.
bool gather_words(struct plan *p, const char *folder, struct options *o, struct diag *d);
// Writes the plan, collects results already committed, submits workers (--submit slurm), and prints the next
// commands to type. False: an error is in g->diag.
bool gather_submit(const struct gather *g);
// Collects the finished points; with --wait, until no point is outstanding, or a signal arrives
// (g->pool->interrupted). *complete: no point is waiting or running, or the folder has no plan. False and an
// error: the plan is of another build, for example.
bool gather_collect(const struct gather *g, bool *complete);

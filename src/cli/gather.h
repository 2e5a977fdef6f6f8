// What `warpfold reproduce` does with a plan that others run: --submit, --wait and --collect, which know the experiments, and --status,
// --retry and --cancel, which know only the folder.
#pragma once
#include "cli/command.h"
#include "cluster/collect.h"
#include "lab/pool.h"

struct gather {
    const struct options *options;
    const char *folder, *program, *build;
    const struct jobs *jobs;
    struct database *db;
    struct pool *pool; // gets what was done, and what was left with its reason
    struct diag *diag;
};

// --status, --retry, --cancel.
bool gather_is_plain(const struct options *o);
enum wf_status gather_plain(const struct options *o, struct diag *d);
// What cannot be meant together.
bool gather_check(const struct options *o, struct diag *d);
// The words that a plan was made by, as options of `warpfold reproduce`, said where they were said.
bool gather_words(struct plan *p, const char *folder, struct options *o, struct diag *d);
// Writes the plan, submits workers, and says what to type next.
bool gather_submit(const struct gather *g);
// Takes in what is there; with --wait until nothing is to come. *complete: nothing is waiting or running. Where the folder has
// no plan of these jobs there is nothing to take.
bool gather_collect(const struct gather *g, bool *complete);

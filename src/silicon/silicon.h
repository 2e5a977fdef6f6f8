// `warpfold reproduce silicon`: chosen points (launches measured on real cards), their runs, and the results.
#pragma once
#include "lab/page.h"
#include "silicon/fidelity.h"

struct silicon {
    struct points points;
    const char *gpu;          // GPU that replaces the points' cards in all runs; NULL: the cards
    struct strbuf settings;   // KEY=VALUE words, applied last
    struct strbuf unlike;     // deviations of gpu and settings from the list, in words
    VEC(size_t) runs;         // by point: index of its job
    struct fidelity fidelity; // valid after silicon_judge
};

void silicon_init(struct silicon *s);
void silicon_fini(struct silicon *s);
// Plans the points' runs, the longest first by estimate, and writes the files of embedded points into the
// folder `folder`/silicon. Points of an own list run in place. False: an error is in `d`.
bool silicon_plan(struct silicon *s, struct jobs *jobs, const char *folder, struct diag *d);
// Makes s->fidelity from the runs, and stores it in the database. False and an error: the database fails.
bool silicon_judge(struct silicon *s, const struct jobs *jobs, const struct pool *pool, struct database *db);
// The part of report.html for the points (silicon/page.c).
struct page_part silicon_page_part(const struct silicon *s);

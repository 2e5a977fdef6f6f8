// `warpfold reproduce silicon`: chosen points, their runs, and what these came to.
#pragma once
#include "lab/page.h"
#include "silicon/fidelity.h"

struct silicon {
    struct points points;
    const char *gpu;          // in place of the points' cards; NULL: those
    struct strbuf settings;   // KEY=VALUE words, applied last
    struct strbuf unlike;     // what of that is not as the list says, in words
    VEC(size_t) runs;         // of each point its job
    struct fidelity fidelity; // once made
};

void silicon_init(struct silicon *s);
void silicon_fini(struct silicon *s);
// Puts the points' runs into jobs, the longest first, and what they read into the folder: points of the library have
// their scripts in its silicon/, those of a list of one's own are run where they are. False and errors.
bool silicon_plan(struct silicon *s, struct jobs *jobs, const char *folder, struct diag *d);
// Makes s->fidelity of what was run, and stores it.
bool silicon_judge(struct silicon *s, const struct jobs *jobs, const struct pool *pool, struct database *db);
// What report.html shows of it (silicon/page.c).
struct page_part silicon_page_part(const struct silicon *s);

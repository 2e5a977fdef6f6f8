// Work on experiments, described once in the results' folder. Any machine with access to the folder can take
// part:
//
//   DIR/plan         the plan as text: the build, the words of the command, and all points, longest first
//   DIR/queue/       a token per point; its name holds the point's state (token.h)
//   DIR/committed/   results not yet in the database (worker.h, collect.h)
//   DIR/compiled/    compiled kernels, shared by points (api/kept.c)
//   DIR/workers/     records of present and past workers (beat.h), and output of Slurm jobs
//   DIR/results.db   written only by the holder of DIR/lock; workers do not open it
#pragma once
#include "base/diag.h"
#include "cluster/token.h"
#include "lab/job.h"

struct plan_point {
    char id[17]; // of the job
    const char *kind, *command;
    double seconds; // expected
};

struct plan {
    struct arena arena;
    char *folder; // absolute
    char build[17];
    const char *home; // working directory of the command
    // words of the command line `warpfold reproduce`, without options on the manner of execution
    VEC(const char *) words;
    VEC(struct plan_point) points;
    double factor;       // the total is expected within this factor of the sum of seconds
    struct strmap by_id; // index into points
};

// Reads the plan of a folder. False and an error: no plan, or no valid plan of this version.
bool plan_read(struct plan *p, const char *folder, struct diag *d);
// Like plan_read, from a text in memory. False: not a plan of this version.
bool plan_read_text(struct plan *p, const char *folder, const char *text, size_t length);
void plan_print(const struct plan *p, struct strbuf *out); // the plan's text
void plan_fini(struct plan *p);
bool plan_is_there(const char *folder);

// Makes a plan for the jobs, with the longest jobs first. seconds: expected per job, in the jobs' order;
// factor: error factor of the sum of seconds.
void plan_make(struct plan *p, const char *folder, const char *build, const struct jobs *jobs,
               const double *seconds, double factor);
// Whether the plan was made by the build. False and an error otherwise.
bool plan_is_of(const struct plan *p, const char *build, struct diag *d);
// Whether two plans have the same build and points. False and an error otherwise.
bool plan_is_same(const struct plan *a, const struct plan *b, struct diag *d);
// Creates the folders and missing tokens, then the plan's file. A visible plan therefore has all tokens. May
// be repeated after an interruption; existing tokens are kept.
bool plan_write(const struct plan *p, struct diag *d);

// Heap array by point: the point's token, or NULL. Of several tokens of a point, the winner by token_beats.
// *surplus: number of losing tokens; the pointer `surplus` may be NULL.
const struct token **plan_tokens(const struct plan *p, const struct tokens *all, size_t *surplus);
// Creates the token of a point. False and errno.
bool plan_make_token(int queue, const struct plan_point *point, enum token_state state);
// Creates a folder of the plan if missing. *is_new: created. False and errno.
bool plan_has_folder(const struct plan *p, const char *folder, bool *is_new);

// "DIR/FOLDER/NAME", heap.
char *plan_path(const struct plan *p, const char *folder, const char *name);

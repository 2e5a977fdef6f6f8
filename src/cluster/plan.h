// What is to be run, written once into the results' folder, so that any machine that sees the folder can take part:
//
//   DIR/plan          this list: which build made it, by which words, and every point, longest expected first
//   DIR/queue/        a token a point, whose name says how far it is (token.h)
//   DIR/committed/    results that nobody has taken into the database yet (worker.h, collect.h)
//   DIR/compiled/     kernels, which points share that run the same one (api/kept.c)
//   DIR/workers/      who works, or has worked (beat.h), and what Slurm's jobs said
//   DIR/results.db    written by one alone, who holds DIR/lock; workers do not open it
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
    const char *home;        // where the words were said
    VEC(const char *) words; // of `warpfold reproduce`, without those that say how it is run
    VEC(struct plan_point) points;
    double factor;       // the sum of expected seconds is right to within this
    struct strmap by_id; // index into points
};

// Reads the plan of a folder. False and an error: there is none, or it is none that this version can read.
bool plan_read(struct plan *p, const char *folder, struct diag *d);
// The same from the plan's text, for a folder. False: not a plan of this version.
bool plan_read_text(struct plan *p, const char *folder, const char *text, size_t length);
void plan_print(const struct plan *p, struct strbuf *out); // the plan's text
void plan_fini(struct plan *p);
bool plan_is_there(const char *folder);

// A plan of jobs; seconds: what each is expected to take, in the order of jobs, and all of them to within a factor. The longest come
// first.
void plan_make(struct plan *p, const char *folder, const char *build, const struct jobs *jobs,
               const double *seconds, double factor);
// That it was made by this build; false and an error: by another.
bool plan_is_of(const struct plan *p, const char *build, struct diag *d);
// The same points of the same build; false and an error: it is another.
bool plan_is_same(const struct plan *a, const struct plan *b, struct diag *d);
// Makes the folders and a token for every point that has none, and then writes the plan, so that whoever sees it sees
// all of them. Again after whatever interrupted it: what is there stays.
bool plan_write(const struct plan *p, struct diag *d);

// One token a point, or NULL, heap: of those that were read the one that says the most (token_beats). *surplus: how many there are
// beyond that; NULL: nobody asks.
const struct token **plan_tokens(const struct plan *p, const struct tokens *all, size_t *surplus);
// A token for a point that has none. False and errno.
bool plan_make_token(int queue, const struct plan_point *point, enum token_state state);
// A folder of the plan is there, or is made. *is_new: it was made. False and errno.
bool plan_has_folder(const struct plan *p, const char *folder, bool *is_new);

// "DIR/FOLDER/NAME", heap.
char *plan_path(const struct plan *p, const char *folder, const char *name);

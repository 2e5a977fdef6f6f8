// Experiments: what to run, what to show of it, and what the paper says, as files of KEY = VALUE lines
// (docs/experiments.md; experiments/ has those that come with the library).
#pragma once
#include "base/diag.h"
#include "lab/claim.h"
#include "lab/program.h"

struct experiment_series { // a bar of each group, a column of the table
    const char *label;
    const char *
        what; // runs: the mechanism, or of programs the GPU; study, marks, storage: a column; settings: a key
    const char *code;     // of programs: what the series names, else the view's
    const char *settings; // runs: KEY=VALUE words; ""
    const char *gpu;      // runs of kernels: NULL: the view's
    const struct experiment_series
        *over; // the same: what this one is compared with; NULL: the experiment's base
};

struct experiment_value { // what the paper's text says
    const char *series, *category;
    double value;
    const char *text; // as it was written
};

struct experiment_split { // of kernels or programs into two classes, by what one of the series measures
    const char *series;   // NULL: there are none
    double limit;
    const char *names[2]; // of those that reach the limit, and of the others
};

struct experiment_view {
    const char *gpu, *profile; // profile: of programs the code
    const char *said;          // as the file names it
};

struct experiment_axis { // of a design space (sweep.h)
    const char *key;
    VEC(const char *) values;
};

struct experiment_pair { // of bundled kernels, together on one chip (mix/mix.h)
    const char *first, *second;
    const char *name; // "NQU+MM", by their short names in the experiment's group
};

enum experiment_kind {
    EXPERIMENT_RUNS, // timed runs of bundled kernels, compared with `base`, or of programs, with the view's GPU
    EXPERIMENT_STUDY,    // a table of a limit study
    EXPERIMENT_MARKS,    // the listing of a kernel
    EXPERIMENT_STORAGE,  // structures of a mechanism
    EXPERIMENT_SETTINGS, // what the GPU is configured as
    EXPERIMENT_KERNELS,  // which kernels there are
    EXPERIMENT_FEATURES, // what mechanisms are said to do
    EXPERIMENT_TIME      // a run's counters over time
};

struct experiment {
    const char *name, *title, *source, *group, *text; // text: of the file
    enum experiment_kind kind;
    const char *show;    // bars, table, stack, lines
    const char *measure; // runs: of measures.def
    const char *study, *table, *file, *arguments;
    const char *rows;      // the column that names a row, for tables of several; NULL: a row a kernel
    const char *mechanism; // of storage
    bool together;         // one run for all kernels
    const char *settings;  // of every run: KEY=VALUE words
    const char *size;      // NULL: as asked for
    const char *ptx;
    VEC(const char *) kernels;         // names and groups
    struct program_subjects programs;  // in place of kernels
    VEC(struct experiment_pair) pairs; // in place of kernels
    const char *reference;             // of pairs: GPUs on which each is alone; NULL: the run's
    const char *input;                 // of every program's console, hexadecimal; NULL: as the size says
    VEC(struct experiment_view) views;
    VEC(struct experiment_axis) axes; // whose product is run
    VEC(const char *) only;           // kernels: the others are left out; empty: none is
    VEC(struct experiment_series) series;
    struct experiment_series base; // of runs of kernels; its label: NULL where it is the unmodified GPU
    struct experiment_split split; // means are over each class, too
    VEC(struct experiment_value) values;
    VEC(const char *) expects, notes;
    VEC(struct claim) claims;
    // A sentence's subject and what it says, with {SERIES | CATEGORY} for values; NULL: none.
    const char *subject, *predicate;
};

struct experiments {
    struct arena arena;
    VEC(struct experiment) list;
};

void experiments_init(struct experiments *x);
void experiments_fini(struct experiments *x);
// The i-th that comes with the library; NULL past the last.
const char *experiment_name_at(size_t i);
// Adds one by name, all of a group by its name ("darsie"), or one from a file, when the name has a slash or a
// dot. False and located errors.
bool experiments_add(struct experiments *x, const char *name, struct diag *d);
bool experiments_add_text(struct experiments *x, const char *name, const char *text, size_t length,
                          struct diag *d);
// A file that experiments use, of those that come with the library; NULL: none of that name.
const char *experiment_file(const char *name);

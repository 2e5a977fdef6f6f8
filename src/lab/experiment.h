// Experiments: runs, presentation and the paper's values, as files of KEY = VALUE lines
// (docs/howto/experiments.md; bundled experiments: experiments/).
#pragma once
#include "base/diag.h"
#include "lab/claim.h"
#include "lab/own.h"
#include "lab/program.h"

struct experiment_series { // bars of one name over all categories, or a column of the table
    const char *label;
    // by experiment kind. Timed runs: the mechanism, or for programs the GPU; study, marks: a column of the
    // table; settings: a setting's key; features: a mechanism
    const char *what;
    const char *code;     // programs: RISC-V code given by the series; NULL: the view's
    const char *settings; // runs: KEY=VALUE words; ""
    const char *gpu;      // runs of kernels; NULL: the view's
    // runs of kernels: base of comparison; NULL: the experiment's base
    const struct experiment_series *over;
};

struct experiment_value { // a value in the paper's text
    const char *series, *category;
    double value;
    const char *text; // as written
};

struct experiment_split { // splits kernels or programs into two classes by the measured values of one series
    const char *series;   // NULL: no split
    double limit;
    // names of the classes: [0] of subjects with values reaching `limit`, [1] of other subjects
    const char *names[2];
};

struct experiment_left_out { // a kernel, program or pair left out of the means of a series
    const char *series, *subject;
};

struct experiment_view {
    const char *gpu, *profile; // profile: for programs the code
    const char *said;          // as written in the file
};

struct experiment_axis { // an axis of a design space (sweep.h)
    const char *key;
    VEC(const char *) values;
};

struct experiment_pair { // two bundled kernels sharing a chip (mix/mix.h)
    const char *first, *second;
    const char *name; // "NQU+MM", from abbreviations in the experiment's group
};

enum experiment_kind {
    // timed runs of kernels, pairs of kernels, or programs, for values relative to a base run
    EXPERIMENT_RUNS,
    EXPERIMENT_STUDY,    // a table of a limit study
    EXPERIMENT_MARKS,    // the listing of a kernel
    EXPERIMENT_STORAGE,  // structures of a mechanism
    EXPERIMENT_SETTINGS, // the configuration of a GPU
    EXPERIMENT_KERNELS,  // the list of kernels
    EXPERIMENT_FEATURES, // what mechanisms do, measured by probes (probe.h)
    EXPERIMENT_TIME      // a run's counters over time
};

struct measure;

struct experiment {
    const char *name, *title, *source, *group, *text; // text: of the file
    enum experiment_kind kind;
    const char *show;         // bars, table, stack, lines, map
    const char *measure;      // runs: name in measures.def, or an expression over counters
    const struct measure *by; // the measure; NULL: none
    const char *study, *table, *file, *arguments;
    // column naming the table's rows, for several rows per run; NULL: one row per kernel
    const char *rows;
    const char *mechanism;    // for storage
    bool together;            // one run for all kernels
    const char *settings;     // for every run: KEY=VALUE words
    const char *size;         // NULL: the requested size
    const char *default_size; // without --size; NULL: medium
    bool
        compiles; // code is compiled for the registers in the table of the kernels' group, not only dispatched by them
    bool shapes; // tables have grid, waves and occupancy beside the values
    const char *ptx;
    VEC(const char *) kernels;         // names and groups
    struct program_subjects programs;  // instead of kernels
    VEC(struct experiment_pair) pairs; // instead of kernels
    struct own_subjects own;           // beside kernels, or instead
    // pairs: GPU for running each kernel alone, or two GPUs with a comma between, one per kernel; NULL: the
    // pair's GPU
    const char *reference;
    const char *input; // console input of every program, hexadecimal; NULL: depends on the size
    VEC(struct experiment_view) views;
    VEC(struct experiment_view) more_views; // added to `views` where --only names any
    VEC(struct experiment_axis) axes;       // the product of the axes is run
    VEC(const char *) only;                 // selected kernels; empty: all
    size_t programs_left_out;               // programs not selected by --only
    VEC(struct experiment_series) series;
    struct experiment_series base; // runs of kernels: base of comparison; label NULL: the unmodified GPU
    struct experiment_split split; // adds means over each class
    VEC(struct experiment_left_out) left_out;
    VEC(struct experiment_value) values;
    VEC(const char *) expects, notes;
    VEC(struct claim) claims;
    // Headline sentence: subject without values, and predicate with {SERIES | CATEGORY} for each value. Both
    // NULL: no headline.
    const char *subject, *predicate;
};

struct experiments {
    struct arena arena;
    VEC(struct experiment) list;
};

void experiments_init(struct experiments *x);
void experiments_fini(struct experiments *x);
// Name of the i-th bundled experiment; NULL past the last.
const char *experiment_name_at(size_t i);
// Adds one experiment by name, a group by its name ("darsie"), or a file if the name has a slash or a dot.
// False and errors.
bool experiments_add(struct experiments *x, const char *name, struct diag *d);
bool experiments_add_text(struct experiments *x, const char *name, const char *text, size_t length,
                          struct diag *d);
// Option --only: keeps a part of the runs. Text: "WHAT=NAME[,NAME…]", where WHAT is a swept key, or kernel,
// program, series or view. An experiment with some of the names keeps only those; an experiment with none
// stays whole. False and an error: bad syntax, or a name unknown to every experiment.
bool experiments_keep_only(struct experiments *x, const char *text, struct diag *d);
// Option --programs: bundled RISC-V programs are replaced by files NAME.elf, and rv32e/NAME.elf where an
// experiment has code for 16 registers, of a folder; NAME is the bundled program's or the public suite's. False
// and an error: a file is missing, or no experiment runs bundled programs.
bool experiments_take_programs(struct experiments *x, const char *folder, struct diag *d);
// Text of a bundled file used by experiments; NULL: unknown name.
const char *experiment_file(const char *name);

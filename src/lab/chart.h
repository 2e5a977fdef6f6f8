// What a figure shows, computed once: the page, the terminal's tables, CSV and Markdown are written from a
// chart and compute nothing themselves, and table `points` keeps it.
//
// A value stands at a category (a kernel, a row, a cycle), for a bar of it and for a series. In plain figures
// there is one bar, and each series is drawn beside the others; in stacks each series is a part of the bar.
#pragma once
#include "lab/figure.h"

enum chart_format {
    CHART_NUMBER, // with three digits behind the point
    CHART_SHARE,  // in per cent
    CHART_PLAIN   // whole numbers as such
};
enum chart_categories { CHART_KERNELS, CHART_ROWS, CHART_CYCLES, CHART_STEPS }; // steps: of a sweep, numbers

struct chart_series {
    const char *name;
    enum chart_format format;
    const char *meaning; // NULL: as the name says
};

struct chart_value {
    size_t category, bar, series;
    double value;     // NAN: not measured, or a word
    double paper;     // what the paper's text says; NAN: nothing
    const char *text; // the word; NULL: a number
    bool
        nothing; // its runs are there, and have nothing that the measure is a share of: means are over the others
    const char *run,
        *base; // of table `runs`; NULL: none, as of means, which are over the values of their series
};

struct chart_finding { // what became of a claim
    enum chart_verdict { CHART_HELD, CHART_CONTRADICTED, CHART_OPEN } verdict;
    const char *text;
};

struct chart_view {
    const char *gpu, *profile;
    VEC(const char *) categories;
    VEC(const char *) bars;
    VEC(struct chart_series) series;
    VEC(struct chart_value) values; // by category, bar and series
    VEC(struct chart_finding) findings;
};

struct chart {
    const struct experiment *experiment;
    const char *name, *title, *source, *axis, *show, *size;
    enum chart_categories categories;
    const char *across; // what numbers the categories are; NULL: they are none
    double line;     // where bars begin to mean something: at 1 when they are relative to the unmodified GPU
    bool every_view; // it says the same of every GPU and profile
    VEC(struct chart_view) views; // as the experiment names them
    VEC(const char *) missing; // why values are: what was refused, or gave other results than the reference
    struct arena arena;
};

struct charts {
    VEC(struct chart) list;
};

// Of the runs there are. On the caller's storage; valid as long as figure and jobs are.
bool chart_make(struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db);
void chart_fini(struct chart *c);
void charts_fini(struct charts *c);
// Writes its rows of table `points` anew.
bool chart_store(const struct chart *c, struct database *db);

// The value of a series at a category, by their names; NULL: none.
const struct chart_value *chart_find(const struct chart_view *v, const char *category, const char *series);
const struct chart_view *chart_view_of(const struct chart *c, const char *gpu, const char *profile);
void chart_add_number(struct strbuf *out, enum chart_format format, double value); // "-" for NAN

// The class that a kernel is in by the experiment's split, by number; CHART_NO_CLASS: there is no split, its value is missing, or it
// is no kernel. A class has a mean of its own, called by its name.
enum { CHART_CLASSES = 2, CHART_NO_CLASS = CHART_CLASSES };
unsigned chart_class_of(const struct experiment *x, const struct chart_view *v, const char *category);

// What became of the experiment's claims, in every view (chart_claims.c).
void chart_judge(struct chart *c);

// Where cycles and energy went: stacks, one bar the unmodified GPU and one for each of the experiment's
// series, as high as the run is long, or takes energy, relative to the unmodified GPU (chart_costs.c).
enum chart_cost { CHART_CYCLES_SPENT, CHART_ENERGY, CHART_WORK, CHART_COSTS };
bool chart_cost(struct chart *c, enum chart_cost cost, const struct figure *f, const struct jobs *jobs,
                struct database *db);

// Of a sweep: what its lines are called, and the mean over the subjects of each combination, where there are several
// (chart_sweep.c).
void chart_name_lines(struct chart *c, struct chart_view *v, const struct figure *f);
void chart_mean_lines(struct chart_view *v, const struct figure *f);

// A measure's axis, which ends in what it is compared with.
const char *chart_axis(const struct experiment *x, const char *axis, struct arena *arena);

// As tables for a terminal, a view after the other; the values as CSV; what the paper's text says beside what
// was measured, of all charts, as a page of Markdown (chart_text.c).
void chart_table(const struct chart *c, bool colour, struct strbuf *out);
void chart_csv(const struct chart *c, struct strbuf *out);
void chart_papers(const struct charts *charts, struct strbuf *out);

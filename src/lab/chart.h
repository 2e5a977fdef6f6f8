// Contents of a figure, computed once. The page, the terminal's tables, CSV and Markdown are written from a
// chart without further computation. Table `points` of the results database stores the values.
//
// A value belongs to a category (a kernel, a table's row, a cycle), to a bar of the category and to a series.
// Plain figures have one bar, with the series side by side; in stacks, every series is a part of the bar.
#pragma once
#include "lab/figure.h"

enum chart_format {
    CHART_NUMBER, // with three digits behind the point
    CHART_SHARE,  // in per cent
    CHART_PLAIN   // whole numbers without decimals
};
enum chart_categories { CHART_KERNELS, CHART_ROWS, CHART_CYCLES, CHART_STEPS }; // steps: of a sweep, numbers

struct chart_series {
    const char *name;
    enum chart_format format;
    const char *meaning; // NULL: explained by the name
};

struct chart_value {
    size_t category, bar, series;
    double value;     // NAN: not measured, `nothing`, or a word in `text`
    double error;     // half-width of the 95 % interval of a value from sampled runs; 0: exact
    double paper;     // value in the paper's text; NAN: not given
    const char *text; // the word; NULL: a number
    // no value although run and base have status ok: the measure's SQL gives NULL, mostly for a denominator
    // of 0; excluded from means over groups of kernels
    bool nothing;
    // ids in table `runs` of the measured run and of its base run; NULL: no such run, as for means
    const char *run, *base;
    double occupancy; // of a kernel's run: mean resident warps over the most; 0: none
};

struct chart_finding { // the verdict on a claim
    enum chart_verdict { CHART_HELD, CHART_CONTRADICTED, CHART_OPEN } verdict;
    const char *text;
};

struct chart_view {
    const char *gpu, *profile;
    VEC(const char *) categories;
    // of categories, as far as there are any: blocks of the kernel's first grid, and waves, blocks over those that
    // the chip holds at once; NULL: none
    VEC(const char *) shapes;
    VEC(double) waves; // of categories, as far as known; 0: unknown
    VEC(const char *) bars;
    VEC(struct chart_series) series;
    VEC(struct chart_value) values; // sorted by category, bar and series
    VEC(struct chart_finding) findings;
};

struct chart {
    const struct experiment *experiment;
    const char *name, *title, *source, *axis, *show, *size;
    enum chart_categories categories;
    const char *across; // meaning of numeric categories, as an axis title; NULL: categories are not numbers
    // height of the bars' reference line: 1 when values are relative to a base of comparison, otherwise 0
    double line;
    bool every_view;              // the views' contents are equal: no value depends on GPU or profile
    VEC(struct chart_view) views; // in the experiment's order
    VEC(const char *) missing;    // distinct messages of runs not ok: refused, failed, or mismatch
    struct arena arena;
};

struct charts {
    VEC(struct chart) list;
};

// Makes the chart of a figure from the runs in the database. *c, the caller's storage, refers to texts of the
// figure's experiment and of `jobs`; both must outlive the chart. False and an error: the database fails, or
// the first result of a study or of `warpfold mark` lacks a named table or column.
bool chart_make(struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db);
void chart_fini(struct chart *c);
void charts_fini(struct charts *c);
// Replaces the rows of table `points` for the chart's experiment and input size. False and an error: the
// database fails, and the rows are unchanged.
bool chart_store(const struct chart *c, struct database *db);

// The value of a series at a category, both given by name. NULL: the view has no such value.
const struct chart_value *chart_find(const struct chart_view *v, const char *category, const char *series);
const struct chart_view *chart_view_of(const struct chart *c, const char *gpu, const char *profile);
void chart_add_number(struct strbuf *out, enum chart_format format, double value); // "-" for NAN

// The class of a kernel, program or pair in the experiment's split: 0 if the value of the split's series
// reaches the limit, otherwise 1. CHART_NO_CLASS: no split, no measured value of the split's series, or a
// category of another kind, such as a mean.
enum { CHART_CLASSES = 2, CHART_NO_CLASS = CHART_CLASSES };
unsigned chart_class_of(const struct experiment *x, const struct chart_view *v, const char *category);

// Judges every claim of the experiment, in every view or in the views of the claim's GPU (chart_claims.c).
void chart_judge(struct chart *c);

// Stacks of cycles, energy, or energy of work (without leakage and idle clocks: MEASURE_WORK). Bars: the base
// of comparison, and each series of the experiment unlike the base. Height of a bar: the amount of the run,
// divided by the same of the base (chart_costs.c). False and an error: the database fails.
enum chart_cost { CHART_CYCLES_SPENT, CHART_ENERGY, CHART_WORK, CHART_COSTS };
bool chart_cost(struct chart *c, enum chart_cost cost, const struct figure *f, const struct jobs *jobs,
                struct database *db);

// For sweeps (chart_sweep.c). chart_name_lines names the lines, lines of means included. chart_mean_lines
// adds, if there are several subjects, the mean over the subjects for each series and combination of axis
// values.
void chart_name_lines(struct chart *c, struct chart_view *v, const struct figure *f);
void chart_mean_lines(struct chart_view *v, const struct figure *f);

// The axis title of a measure. A final " base" is replaced by the label of the experiment's own base, if any.
const char *chart_axis(const struct experiment *x, const char *axis, struct arena *arena);

// Output (chart_text.c). chart_table: tables for a terminal, one per view. chart_csv: the values.
// chart_papers: a page of Markdown for all charts, with the paper's values beside measured values, means, and
// judged claims.
void chart_table(const struct chart *c, bool colour, struct strbuf *out);
void chart_csv(const struct chart *c, struct strbuf *out);
// A row a run of the chart, a column a variable: what was run, every axis of a sweep and setting of a series by name,
// and figures (chart_tidy.c). False and an error: the database fails.
bool chart_tidy(const struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db,
                struct strbuf *out);
void chart_papers(const struct charts *charts, struct strbuf *out);

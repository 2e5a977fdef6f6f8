// Contents of a figure, computed once. The page, the terminal's tables, CSV and Markdown are written from a
// chart without further computation, and table `points` stores it.
//
// A value belongs to a category (a kernel, a row, a cycle), to a bar of the category and to a series. Plain
// figures have one bar, with the series side by side; in stacks, every series is a part of the bar.
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
    double value;     // NAN: not measured, or a word
    double paper;     // value in the paper's text; NAN: not given
    const char *text; // the word; NULL: a number
    // no value although run and base exist, since the measure's denominator is empty: excluded from means
    bool nothing;
    // ids in table `runs` of the measured run and of the base run; NULL: no run, as for means
    const char *run, *base;
};

struct chart_finding { // the verdict on a claim
    enum chart_verdict { CHART_HELD, CHART_CONTRADICTED, CHART_OPEN } verdict;
    const char *text;
};

struct chart_view {
    const char *gpu, *profile;
    VEC(const char *) categories;
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
    double line;        // reference line of bars: 1 when values are relative to the unmodified GPU
    bool every_view;    // equal for every GPU and profile
    VEC(struct chart_view) views; // in the experiment's order
    VEC(const char *) missing;    // reasons for missing values: refused runs, or results unlike the reference
    struct arena arena;
};

struct charts {
    VEC(struct chart) list;
};

// Makes the chart of a figure from the runs in the database. *c is the caller's storage, and stays valid as
// long as figure and jobs.
bool chart_make(struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db);
void chart_fini(struct chart *c);
void charts_fini(struct charts *c);
// Replaces the chart's rows of table `points`.
bool chart_store(const struct chart *c, struct database *db);

// The value of a series at a category, by names; NULL: no value.
const struct chart_value *chart_find(const struct chart_view *v, const char *category, const char *series);
const struct chart_view *chart_view_of(const struct chart *c, const char *gpu, const char *profile);
void chart_add_number(struct strbuf *out, enum chart_format format, double value); // "-" for NAN

// The class of a kernel by the experiment's split, as a number. CHART_NO_CLASS: no split, no value of the
// kernel, or no kernel. Every class has its own mean, named after the class.
enum { CHART_CLASSES = 2, CHART_NO_CLASS = CHART_CLASSES };
unsigned chart_class_of(const struct experiment *x, const struct chart_view *v, const char *category);

// Judges the experiment's claims in every view (chart_claims.c).
void chart_judge(struct chart *c);

// Stacks of cycles and energy: one bar for the unmodified GPU and one for each of the experiment's series.
// Height: duration or energy of the run, relative to the unmodified GPU (chart_costs.c).
enum chart_cost { CHART_CYCLES_SPENT, CHART_ENERGY, CHART_WORK, CHART_COSTS };
bool chart_cost(struct chart *c, enum chart_cost cost, const struct figure *f, const struct jobs *jobs,
                struct database *db);

// For sweeps. chart_name_lines names the lines. chart_mean_lines adds, for several subjects, the mean over
// the subjects of each combination of axis values (chart_sweep.c).
void chart_name_lines(struct chart *c, struct chart_view *v, const struct figure *f);
void chart_mean_lines(struct chart_view *v, const struct figure *f);

// The axis title of a measure, ending with the base of comparison.
const char *chart_axis(const struct experiment *x, const char *axis, struct arena *arena);

// Output (chart_text.c). chart_table: tables for a terminal, one per view. chart_csv: the values.
// chart_papers: a page of Markdown with the paper's values beside the measured values, for all charts.
void chart_table(const struct chart *c, bool colour, struct strbuf *out);
void chart_csv(const struct chart *c, struct strbuf *out);
void chart_papers(const struct charts *charts, struct strbuf *out);

// A figure or table of an experiment: which runs each of its points comes from, and what the point's value is
// once they are in the database.
#pragma once
#include "lab/database.h"

struct figure_cell { // one point, or a table of them
    size_t view, category_order, series;
    const char *category;
    size_t job, base; // into jobs; NO_JOB: none
};
#define NO_JOB SIZE_MAX

struct figure {
    const struct experiment *experiment;
    const char *size;
    VEC(struct figure_cell) cells;
};

void figure_fini(struct figure *f);
// Puts what the figure needs into jobs.
void figure_plan(struct figure *f, const struct experiment *x, const char *size, struct jobs *jobs);
// Writes its rows of table `points` anew, from the runs there are.
bool figure_fill(const struct figure *f, const struct jobs *jobs, struct database *db);
// Its tables for a terminal, a view after the other; and its points as CSV.
bool figure_table(const struct figure *f, struct database *db, bool colour, struct strbuf *out);
// What the paper's text says beside what was measured, of all figures, as a page of Markdown.
bool figure_papers(const struct figure *figures, size_t count, struct database *db, struct strbuf *out);
bool figure_csv(const struct figure *f, struct database *db, struct strbuf *out);

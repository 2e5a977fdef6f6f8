// Output of charts: tables for a terminal, CSV, and Markdown with the paper's values.
#include "base/csv.h"
#include "lab/categories.h"
#include "lab/chart.h"
#include "lab/measures.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- for a terminal -----------------------------------------------------------------------------------------

// error above 0: "1.25 ± 0.02".
static void add_cell(struct table *t, const struct chart_series *s, double value, double error)
{
    struct strbuf text = {0};
    chart_add_number(&text, s->format, value);
    if (error > 0) strbuf_puts(&text, " ± ");
    if (error > 0) chart_add_number(&text, s->format, error);
    table_add(t, "%s", text.text);
    strbuf_fini(&text);
}

// The grid and waves of a category's kernel; NULL: none.
static const char *shape_of(const struct chart_view *v, size_t category)
{
    return category < v->shapes.count ? v->shapes.data[category] : NULL;
}

// Adds a row of occupancies, labelled with grid and waves, below the row of a kernel that has them.
static void add_shape(struct table *t, const struct chart_view *v, size_t category,
                      const struct chart_value *const *cells)
{
    const char *shape = shape_of(v, category);
    if (!shape) return;
    table_add(t, "  %s; occupancy", shape);
    for (size_t s = 0; s + 1 < t->columns; s++)
        if (cells[s] && cells[s]->occupancy > 0)
            table_add(t, "%.2f", cells[s]->occupancy);
        else
            table_add(t, "%s", "-");
}

// Adds one category: a row with a cell per series, and below a row of the paper's values, if any, and one of
// occupancies.
static void add_category(struct table *t, const struct chart_view *v, size_t category)
{
    const struct chart_value *cells[64] = {0};
    bool has_paper = false;
    for (size_t i = 0; i < v->values.count; i++) {
        const struct chart_value *p = &v->values.data[i];
        if (p->category != category || p->series >= 64) continue;
        cells[p->series] = p;
        has_paper |= !isnan(p->paper);
    }
    table_add(t, "%s", v->categories.data[category]);
    for (size_t s = 0; s + 1 < t->columns; s++)
        if (cells[s] && cells[s]->text)
            table_add(t, "%s", cells[s]->text);
        else
            add_cell(t, &v->series.data[s], cells[s] ? cells[s]->value : NAN, cells[s] ? cells[s]->error : 0);
    if (has_paper) {
        table_add(t, "  paper");
        for (size_t s = 0; s + 1 < t->columns; s++)
            add_cell(t, &v->series.data[s], cells[s] ? cells[s]->paper : NAN, 0);
    }
    add_shape(t, v, category, cells);
}

static void add_view(const struct chart_view *v, bool colour, struct strbuf *out)
{
    const char *heads[65] = {""};
    size_t count = 1;
    for (size_t s = 0; s < v->series.count && count < 65; s++) heads[count++] = v->series.data[s].name;
    struct table t;
    table_init(&t, heads, count);
    for (size_t k = 0; k < v->categories.count; k++) add_category(&t, v, k);
    table_print(&t, colour, out);
    table_fini(&t);
}

// Sweeps: steps as columns, lines as rows.
static void add_lines(const struct chart *c, const struct chart_view *v, bool colour, struct strbuf *out)
{
    const char *heads[65] = {c->across};
    size_t steps = v->categories.count < 64 ? v->categories.count : 64, lines = v->series.count;
    const struct chart_value **cells = heap_alloc((lines * steps + 1) * sizeof *cells);
    for (size_t i = 0; i < v->values.count; i++)
        if (v->values.data[i].category < steps)
            cells[v->values.data[i].series * steps + v->values.data[i].category] = &v->values.data[i];
    for (size_t k = 0; k < steps; k++) heads[k + 1] = v->categories.data[k];
    struct table t;
    table_init(&t, heads, steps + 1);
    for (size_t s = 0; s < lines; s++) {
        table_add(&t, "%s", v->series.data[s].name);
        for (size_t k = 0; k < steps; k++) {
            const struct chart_value *p = cells[s * steps + k];
            add_cell(&t, &v->series.data[s], p ? p->value : NAN, p ? p->error : 0);
        }
    }
    table_print(&t, colour, out);
    table_fini(&t);
    free(cells);
}

// Adds "kernels: BIN is binomialOptions, …": the kernels abbreviated in the chart, with their full names.
static void add_key(const struct chart *c, struct strbuf *out)
{
    const char *between = "kernels: ";
    for (size_t i = 0; c->views.count && i < c->views.data[0].categories.count; i++) {
        const char *category = c->views.data[0].categories.data[i];
        const struct workload *w =
            c->categories == CHART_KERNELS ? categories_kernel(c->experiment, category) : NULL;
        if (!w || str_equal(w->name, category)) continue;
        strbuf_printf(out, "%s%s is %s", between, category, w->name);
        between = ", ";
    }
    if (*between == ',') strbuf_putc(out, '\n');
}

void chart_table(const struct chart *c, bool colour, struct strbuf *out)
{
    const struct experiment *x = c->experiment;
    bool has_axis = x->measure != NULL;
    strbuf_printf(out, "%s%s%s%s%s%s\n", c->source, *c->source ? ": " : "", c->title, has_axis ? " (" : "",
                  has_axis ? c->axis : "", has_axis ? ")" : "");
    for (size_t i = 0; i < c->views.count; i++) {
        const struct chart_view *v = &c->views.data[i];
        if (c->views.count > 1 || x->kind == EXPERIMENT_RUNS)
            strbuf_printf(out, "on %s, profile %s, %s inputs\n", v->gpu, v->profile, c->size);
        if (c->categories == CHART_STEPS)
            add_lines(c, v, colour, out);
        else
            add_view(v, colour, out);
        for (size_t n = 0; n < v->findings.count; n++)
            if (v->findings.data[n].verdict == CHART_CONTRADICTED)
                strbuf_printf(out, "not as expected: %s\n", v->findings.data[n].text);
    }
    for (size_t i = 0; i < c->missing.count; i++)
        strbuf_printf(out, "not measured: %s\n", c->missing.data[i]);
    add_key(c, out);
    for (size_t i = 0; i < x->notes.count; i++) strbuf_printf(out, "note: %s\n", x->notes.data[i]);
}

// -- CSV ----------------------------------------------------------------------------------------------------

void chart_csv(const struct chart *c, struct strbuf *out)
{
    strbuf_puts(out, "gpu,profile,category,series,value,paper,run,base\n");
    for (size_t i = 0; i < c->views.count; i++) {
        const struct chart_view *v = &c->views.data[i];
        for (size_t n = 0; n < v->values.count; n++) {
            const struct chart_value *p = &v->values.data[n];
            csv_add_text(out, v->gpu, ',');
            csv_add_text(out, v->profile, ',');
            csv_add_text(out, v->categories.data[p->category], ',');
            csv_add_text(out, v->series.data[p->series].name, ',');
            if (p->text)
                csv_add_text(out, p->text, ',');
            else
                csv_add_number(out, p->value, ',');
            csv_add_number(out, p->paper, ',');
            csv_add_text(out, p->run, ',');
            csv_add_text(out, p->base, '\n');
        }
    }
}

// -- Markdown -----------------------------------------------------------------------------------------------

// Adds a cell of a Markdown table. Shares are in per cent; other values of timed runs have two decimals. part:
// words behind the number.
static void add_markdown(struct strbuf *out, const struct chart *c, enum chart_format format, double value,
                         const char *part)
{
    bool runs = c->experiment->kind == EXPERIMENT_RUNS;
    if (isnan(value))
        strbuf_puts(out, " not measured");
    else if (format == CHART_SHARE)
        strbuf_printf(out, " %.1f %%", 100 * value);
    else if (value == floor(value) && !runs)
        strbuf_printf(out, " %.0f", value);
    else
        strbuf_printf(out, runs ? " %.2f" : " %.3g", value);
    strbuf_printf(out, "%s |", part);
}

// Words behind a series' mean over fewer subjects by the experiment's leave-outs; "": a subject, or no leave-outs.
static const char *without(struct chart *c, const char *category, const char *series)
{
    bool is_mean = !categories_is_subject(c->experiment, category);
    return is_mean ? categories_without(c->experiment, series, &c->arena) : "";
}

// Adds a row of Markdown for every value of a chart that the paper's text also gives, in each view.
static void add_papers(struct chart *c, struct strbuf *out)
{
    const struct chart_view *first = c->views.data;
    for (size_t n = 0; c->views.count && n < first->values.count; n++) {
        if (isnan(first->values.data[n].paper)) continue;
        const char *category = first->categories.data[first->values.data[n].category],
                   *series = first->series.data[first->values.data[n].series].name;
        for (size_t i = 0; i < c->views.count; i++) {
            const struct chart_view *v = &c->views.data[i];
            const struct chart_value *p = chart_find(v, category, series);
            if (!p) continue;
            enum chart_format format = v->series.data[p->series].format;
            strbuf_printf(out, "| %s | %s: %s | %s | %s, %s, %s |", c->source, c->title, series, category,
                          v->gpu, v->profile, c->size);
            add_markdown(out, c, format, p->value, without(c, category, series));
            add_markdown(out, c, format, p->paper, "");
            strbuf_putc(out, '\n');
        }
    }
}

// The value of a series at a mean, given by its name; *part: the rest of the category's name, such as
// " of 2 of 8 kernels". NULL: the view has no such mean.
static const struct chart_value *find_mean(const struct chart_view *v, const char *mean, const char *series,
                                           const char **part)
{
    size_t length = strlen(mean);
    for (size_t i = 0; i < v->categories.count; i++) {
        const char *category = v->categories.data[i];
        *part = category + length;
        if (str_starts_with(category, mean) && (!**part || str_starts_with(*part, " of ")))
            return chart_find(v, category, series);
    }
    *part = "";
    return NULL;
}

// Adds rows of Markdown with the means of a chart's series over 1D, 2D and all kernels, given by the paper or
// not.
static void add_means(struct chart *c, struct strbuf *out)
{
    static const char *const means[][2] = {
        {"GMEAN-1D", "MEAN-1D"}, {"GMEAN-2D", "MEAN-2D"}, {"GMEAN", "MEAN"}};
    for (size_t i = 0; i < c->views.count; i++) {
        const struct chart_view *v = &c->views.data[i];
        for (size_t s = 0; s < v->series.count; s++) {
            const struct chart_series *series = &v->series.data[s];
            struct strbuf cells = {0};
            bool any = false;
            for (size_t n = 0; n < 3; n++) {
                const char *part;
                const struct chart_value *p = find_mean(v, means[n][0], series->name, &part);
                if (!p) p = find_mean(v, means[n][1], series->name, &part);
                if (p && !isnan(p->value))
                    add_markdown(&cells, c, series->format, p->value,
                                 arena_printf(&c->arena, "%s%s", part, without(c, "", series->name)));
                else
                    strbuf_puts(&cells, " |");
                any |= p != NULL;
            }
            if (any)
                strbuf_printf(out, "| %s | %s | %s, %s, %s | %s |%s\n", c->name, c->axis, v->gpu, v->profile,
                              c->size, series->name, cells.text);
            strbuf_fini(&cells);
        }
    }
}

// "PT, FW, SR1"
static void add_members(const struct chart *c, const struct chart_view *v, unsigned class, struct strbuf *out)
{
    const char *before = "";
    for (size_t k = 0; k < v->categories.count; k++) {
        if (chart_class_of(c->experiment, v, v->categories.data[k]) != class) continue;
        strbuf_printf(out, "%s%s", before, v->categories.data[k]);
        before = ", ";
    }
    if (!*before) strbuf_puts(out, "none");
}

// Adds the measured mean of a series over a class of kernels, and the paper's mean.
static void add_class_mean(const struct chart_view *v, const char *class, const char *series,
                           struct strbuf *out)
{
    struct strbuf category = {0};
    strbuf_printf(&category, "GMEAN-%s", class);
    const char *part;
    const struct chart_value *p = find_mean(v, category.text, series, &part);
    if (!p) p = find_mean(v, category.text + 1, series, &part); // arithmetic mean
    double values[] = {p ? p->value : NAN, p ? p->paper : NAN};
    for (unsigned k = 0; k < 2; k++)
        if (isnan(values[k]))
            strbuf_puts(out, " |");
        else
            strbuf_printf(out, " %.3f%s |", values[k], k ? "" : part);
    strbuf_fini(&category);
}

static void add_classes(const struct chart *c, const struct chart_view *v, struct strbuf *out)
{
    const struct experiment_split *s = &c->experiment->split;
    strbuf_printf(out, "\n**%s**, %s, %s, %s. %s, where %s is %g or more: ", c->name, v->gpu, v->profile,
                  c->size, s->names[0], s->series, s->limit);
    add_members(c, v, 0, out);
    strbuf_printf(out, ". %s: ", s->names[1]);
    add_members(c, v, 1, out);
    strbuf_printf(out, ".\n\n| bar | %s | paper | %s | paper |\n|---|---:|---:|---:|---:|\n", s->names[0],
                  s->names[1]);
    for (size_t k = 0; k < v->series.count; k++) {
        strbuf_printf(out, "| %s |", v->series.data[k].name);
        for (unsigned class = 0; class < CHART_CLASSES; class ++)
            add_class_mean(v, s->names[class], v->series.data[k].name, out);
        strbuf_putc(out, '\n');
    }
}

static void add_all_classes(const struct charts *charts, struct strbuf *out)
{
    const char *title = "\n## Means by class\n\nKernels are divided by what was measured of them in the same "
                        "experiment.\n";
    for (size_t i = 0; i < charts->list.count; i++) {
        const struct chart *c = &charts->list.data[i];
        for (size_t v = 0; c->experiment->split.series && v < c->views.count; v++) {
            strbuf_puts(out, title);
            title = "";
            add_classes(c, &c->views.data[v], out);
        }
    }
}

// Adds a row of Markdown for each kernel with a shape: grid and waves, and the occupancy of every bar.
static void add_shapes(const struct chart *c, const struct chart_view *v, struct strbuf *out)
{
    strbuf_printf(out, "\n**%s**, %s, %s, %s:\n\n| kernel | grid, waves |", c->name, v->gpu, v->profile,
                  c->size);
    for (size_t s = 0; s < v->series.count; s++) strbuf_printf(out, " %s |", v->series.data[s].name);
    strbuf_puts(out, "\n|---|---|");
    for (size_t s = 0; s < v->series.count; s++) strbuf_puts(out, "---:|");
    for (size_t k = 0; k < v->shapes.count; k++) {
        if (!shape_of(v, k)) continue;
        strbuf_printf(out, "\n| %s | %s |", v->categories.data[k], shape_of(v, k));
        for (size_t s = 0; s < v->series.count; s++) {
            const struct chart_value *p = chart_find(v, v->categories.data[k], v->series.data[s].name);
            strbuf_printf(out, p && p->occupancy > 0 ? " %.2f |" : " |", p ? p->occupancy : 0);
        }
    }
    strbuf_putc(out, '\n');
}

static bool shows_run(const struct chart *c, const char *run)
{
    for (size_t i = 0; i < c->views.count; i++)
        for (size_t n = 0; n < c->views.data[i].values.count; n++)
            if (c->views.data[i].values.data[n].run && str_equal(c->views.data[i].values.data[n].run, run))
                return true;
    return false;
}

// Whether a view of chart `at` has runs that no earlier chart with shapes shows.
static bool has_new_runs(const struct charts *charts, size_t at, const struct chart_view *v)
{
    for (size_t n = 0; n < v->values.count; n++) {
        bool known = !v->values.data[n].run;
        for (size_t i = 0; i < at && !known; i++)
            known = charts->list.data[i].experiment->shapes &&
                    shows_run(&charts->list.data[i], v->values.data[n].run);
        if (!known) return true;
    }
    return false;
}

static void add_all_shapes(const struct charts *charts, struct strbuf *out)
{
    const char *title = "\n## Grids, waves and occupancy\n\nBlocks of a kernel's first grid; waves, blocks "
                        "over those that the chip "
                        "holds at once; and the occupancy of every bar, resident warps over the\nmost. A "
                        "figure whose runs an "
                        "earlier one shows is not repeated.\n";
    for (size_t i = 0; i < charts->list.count; i++) {
        const struct chart *c = &charts->list.data[i];
        for (size_t n = 0; c->experiment->shapes && n < c->views.count; n++) {
            if (!c->views.data[n].shapes.count || !has_new_runs(charts, i, &c->views.data[n])) continue;
            strbuf_puts(out, title);
            title = "";
            add_shapes(c, &c->views.data[n], out);
        }
    }
}

static void add_findings(const struct chart *c, struct strbuf *out)
{
    static const char *const words[] = {
        [CHART_HELD] = "held", [CHART_CONTRADICTED] = "contradicted", [CHART_OPEN] = "open"};
    for (size_t i = 0; i < c->views.count; i++) {
        const struct chart_view *v = &c->views.data[i];
        for (size_t n = 0; n < v->findings.count; n++)
            strbuf_printf(out, "| %s | %s, %s, %s | %s | %s |\n", c->name, v->gpu, v->profile, c->size,
                          words[v->findings.data[n].verdict], v->findings.data[n].text);
    }
}

void chart_papers(const struct charts *charts, struct strbuf *out)
{
    struct chart *list = charts->list.data;
    strbuf_puts(
        out,
        "# Measured beside the paper\n\nMade by `warpfold reproduce` (docs/howto/experiments.md); every "
        "value that "
        "the "
        "paper's text gives, and what the same experiment\nmeasures here. Deviations are explained where the "
        "mechanism is (docs/explanation/techniques/), those of energy in docs/explanation/energy.md.\n\n| "
        "where | what | kernel or "
        "row | "
        "GPU, profile, inputs | measured | paper |\n"
        "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < charts->list.count; i++) add_papers(&list[i], out);
    strbuf_puts(out,
                "\n## All means\n\nOver the kernels whose blocks have one dimension, over those whose "
                "blocks have two, "
                "and over all: geometric means of ratios;\nof shares as docs/howto/experiments.md says.\n\n"
                "| experiment | what | GPU, profile, inputs | bar | 1D | 2D | all |\n"
                "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < charts->list.count; i++)
        if (list[i].categories == CHART_KERNELS && list[i].experiment->kind == EXPERIMENT_RUNS)
            add_means(&list[i], out);
    add_all_classes(charts, out);
    strbuf_puts(out, "\n## What was expected\n\nWhat the experiments' files expect of their values, and what "
                     "became of it.\n\n"
                     "| experiment | GPU, profile, inputs | | what was measured |\n|---|---|---|---|\n");
    for (size_t i = 0; i < charts->list.count; i++) add_findings(&list[i], out);
    add_all_shapes(charts, out);
}

// Results of points (launches measured on real cards) as tables for a terminal and as CSV.
#include "base/csv.h"
#include "report/table.h"
#include "silicon/fidelity.h"

#include <math.h>

static const struct fidelity_group *whole_set(const struct fidelity *f, enum point_set set)
{
    for (size_t i = 0; i < f->groups.count; i++)
        if (f->groups.data[i].set == set && !f->groups.data[i].card) return &f->groups.data[i];
    return NULL;
}

static void add_sentence(const struct fidelity_group *g, struct strbuf *out)
{
    static const char *const names[POINT_SETS] = {
        [POINT_TUNING] = "The tuning set", [POINT_SECOND] = "The second set, on which nothing was tuned"};
    if (g->cycles.count)
        strbuf_printf(out,
                      "%s: cycles are off by %.1f %% in the mean (bias %+.1f %%) over %zu of %zu points.",
                      names[g->set], 100 * g->cycles.error, 100 * g->cycles.bias, g->cycles.count, g->points);
    else
        strbuf_printf(out, "%s: 0 of %zu points could be compared.", names[g->set], g->points);
}

void fidelity_headline(const struct fidelity *f, struct strbuf *out)
{
    static const enum point_set order[] = {POINT_SECOND, POINT_TUNING};
    const char *between = "";
    for (size_t i = 0; i < 2; i++) {
        const struct fidelity_group *g = whole_set(f, order[i]);
        if (!g) continue;
        strbuf_puts(out, between);
        add_sentence(g, out);
        between = " ";
    }
    if (*f->unlike) strbuf_printf(out, " Not as the list says: %s.", f->unlike);
}

// -- for a terminal -----------------------------------------------------------------------------------------

static void add_share(struct table *t, const char *format, double value)
{
    struct strbuf text = {0};
    if (isnan(value))
        strbuf_puts(&text, "-");
    else
        strbuf_printf(&text, format, value);
    table_add(t, "%s", text.text);
    strbuf_fini(&text);
}

static void add_whole(struct table *t, double value)
{
    if (isnan(value))
        table_add(t, "-");
    else
        table_add_u64(t, (uint64_t)llround(value));
}

static void add_points(const struct fidelity *f, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"point",
                                        "set",
                                        "class",
                                        "cycles",
                                        "card's",
                                        "error",
                                        "instructions / card's",
                                        "IPC",
                                        "card's",
                                        "DRAM read / card's",
                                        "written",
                                        "L2 read / card's",
                                        "written"};
    struct table t;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!point_stands_alone(r->point)) continue; // shown by elasticity_table or add_variants
        table_add(&t, "%s", r->point->name);
        table_add(&t, "%s", point_set_names[r->point->set]);
        table_add(&t, "%s", r->point->class);
        add_whole(&t, r->ours[QUANTITY_CYCLES]);
        add_whole(&t, r->point->measured[QUANTITY_CYCLES]);
        add_share(&t, "%+.1f%%", 100 * (fidelity_ratio(r, QUANTITY_CYCLES) - 1));
        add_share(&t, "%.2f", fidelity_ratio(r, QUANTITY_INSTRUCTIONS));
        add_share(&t, "%.2f", fidelity_ipc(r->ours));
        add_share(&t, "%.2f", fidelity_ipc(r->point->measured));
        add_share(&t, "%.2f", fidelity_ratio(r, QUANTITY_DRAM_READS));
        add_share(&t, "%.2f", fidelity_ratio(r, QUANTITY_DRAM_WRITES));
        add_share(&t, "%.2f", fidelity_ratio(r, QUANTITY_L2_READS));
        add_share(&t, "%.2f", fidelity_ratio(r, QUANTITY_L2_WRITES));
    }
    table_print(&t, colour, out);
    table_fini(&t);
}

static void add_accuracy(struct table *t, const struct accuracy *a)
{
    add_share(t, "%.1f%%", 100 * a->error);
    add_share(t, "%+.1f%%", 100 * a->bias);
    add_share(t, "%.3f", a->log_correlation);
    add_share(t, "%.3f", a->rank_correlation);
}

static void add_groups(const struct fidelity *f, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {
        "set",  "card", "class", "compared", "error", "bias", "log r", "rank r", "instructions / card's",
        "DRAM", "L2"};
    struct table t;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < f->groups.count; i++) {
        const struct fidelity_group *g = &f->groups.data[i];
        if (!g->card) table_rule(&t);
        table_add(&t, "%s", point_set_names[g->set]);
        table_add(&t, "%s", g->card ? g->card : "all");
        table_add(&t, "%s", g->class ? g->class : "all");
        table_add(&t, "%zu of %zu", g->cycles.count, g->points);
        add_accuracy(&t, &g->cycles);
        add_share(&t, "%.3f", g->instructions.ratio);
        add_share(&t, "%+.1f%%", 100 * g->dram);
        add_share(&t, "%+.1f%%", 100 * g->l2);
    }
    table_print(&t, colour, out);
    table_fini(&t);
}

static void add_rivals(const struct fidelity *f, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"set",   "card", "simulator", "points",
                                        "error", "bias", "log r",     "rank r"};
    struct table t;
    if (!f->rivals.count) return;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < f->rivals.count; i++)
        for (unsigned own = 0; own < 2; own++) {
            const struct fidelity_rival *v = &f->rivals.data[i];
            const struct accuracy *a = own ? &v->ours : &v->theirs;
            table_add(&t, "%s", point_set_names[v->set]);
            table_add(&t, "%s", v->card);
            table_add(&t, "%s", own ? "warpfold" : v->name);
            table_add(&t, "%zu", a->count);
            add_accuracy(&t, a);
        }
    strbuf_puts(out, "Other simulators on the same points, as published:\n");
    table_print(&t, colour, out);
    table_fini(&t);
}

static void add_variants(const struct fidelity *f, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"variant", "card", "cycles", "card's ms"};
    struct table t;
    if (!f->rankings.count) return;
    strbuf_puts(out, "How variants rank\n");
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (r->point->set != POINT_VARIANTS) continue;
        table_add(&t, "%s", r->point->name);
        table_add(&t, "%s", r->point->card);
        add_whole(&t, r->ours[QUANTITY_CYCLES]);
        add_share(&t, "%.3f", r->point->measured[QUANTITY_CYCLES]);
    }
    table_print(&t, colour, out);
    table_fini(&t);
    ranks_sentences(f, "", out);
}

// Adds a line for every point left out of the means, with the reason. Adds a line for every point with a
// ratio of instructions outside the accepted range.
static void add_remarks(const struct fidelity *f, struct strbuf *out)
{
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        double ratio = 100 * fidelity_ratio(r, QUANTITY_INSTRUCTIONS);
        if (r->trouble) strbuf_printf(out, "%s: %s\n", r->point->name, r->trouble);
        if (r->point->why && point_stands_alone(r->point))
            strbuf_printf(out, "%s: %s\n", r->point->name, r->point->why);
        if (ratio < FIDELITY_RATIO_LEAST || ratio > FIDELITY_RATIO_MOST)
            strbuf_printf(out, "%s (%s): %.2f times the card's instructions\n", r->point->name,
                          point_set_names[r->point->set], ratio / 100);
    }
}

static bool has_compared(const struct fidelity *f)
{
    for (size_t i = 0; i < f->rows.count; i++)
        if (point_stands_alone(f->rows.data[i].point)) return true;
    return false;
}

void fidelity_table(const struct fidelity *f, bool colour, struct strbuf *out)
{
    if (has_compared(f)) {
        strbuf_puts(out, "Launches measured on cards\n");
        add_points(f, colour, out);
        strbuf_puts(out, "\nDeviations from the cards\n");
        add_groups(f, colour, out);
        add_rivals(f, colour, out);
    }
    elasticity_table(f, colour, out);
    add_variants(f, colour, out);
    add_remarks(f, out);
    fidelity_streams_sentences(f, out);
    fidelity_headline(f, out);
    if (has_compared(f)) strbuf_putc(out, '\n');
}

// -- CSV ----------------------------------------------------------------------------------------------------

void fidelity_csv(const struct fidelity *f, struct strbuf *out)
{
    strbuf_puts(out, "point,set,card,class,gpu,settings,run,trouble,unmeasured,error");
    for (size_t q = 0; q < QUANTITIES; q++)
        strbuf_printf(out, ",%s,card_%s", quantity_info[q].column, quantity_info[q].column);
    strbuf_putc(out, '\n');
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        const char *const texts[] = {r->point->name, point_set_names[r->point->set],
                                     r->point->card, r->point->class,
                                     r->job->gpu,    r->job->settings,
                                     r->job->id,     r->trouble,
                                     r->point->why};
        for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++) csv_add_text(out, texts[n], ',');
        csv_add_number(out, fidelity_ratio(r, QUANTITY_CYCLES) - 1, ',');
        for (size_t q = 0; q < QUANTITIES; q++) {
            csv_add_number(out, r->ours[q], ',');
            csv_add_number(out, r->point->measured[q], q + 1 < QUANTITIES ? ',' : '\n');
        }
    }
}

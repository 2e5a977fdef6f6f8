#include "silicon/elasticity.h"
#include "report/table.h"
#include "silicon/fidelity.h"

#include <math.h>
#include <string.h>

// -- fits ---------------------------------------------------------------------------------------------------

static double mean_log(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += log(x[i]);
    return sum / (double)count;
}

// Covariance of log x and log y, times `count`: sum of products of the deviations from the means.
static double covary(const double *x, const double *y, size_t count)
{
    double mean_x = mean_log(x, count), mean_y = mean_log(y, count), sum = 0;
    for (size_t i = 0; i < count; i++) sum += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    return sum;
}

// Least squares of log time = a + c log core + m log memory; *of_core is c and *of_memory is m. Normal
// equations, with sums of products such as cm: cc c + cm m = ct and cm c + mm m = mt.
void elasticity_fit(const double *core, const double *memory, const double *time, size_t count,
                    double *of_core, double *of_memory)
{
    static const double LEAST = 1e-9; // a smaller variance is rounding noise
    double cc = covary(core, core, count), mm = covary(memory, memory, count),
           cm = covary(core, memory, count), ct = covary(core, time, count), mt = covary(memory, time, count);
    *of_core = *of_memory = NAN;
    if (count < 2) return;
    if (mm < LEAST) {
        if (cc >= LEAST) *of_core = ct / cc;
    } else if (cc < LEAST) {
        *of_memory = mt / mm;
    } else if (cc * mm - cm * cm >= LEAST * cc * mm) {
        *of_core = (ct * mm - mt * cm) / (cc * mm - cm * cm);
        *of_memory = (mt * cc - ct * cm) / (cc * mm - cm * cm);
    }
}

// -- of points ----------------------------------------------------------------------------------------------

struct times {
    VEC(double) core, memory, time;
};

static void add_time(struct times *t, double core_mhz, double dram_mhz, double cycles)
{
    vec_push(&t->core, core_mhz);
    vec_push(&t->memory, dram_mhz);
    vec_push(&t->time, cycles / core_mhz);
}

static bool is_of(const struct fidelity_row *r, const char *series)
{
    return r->point->series && str_equal(r->point->series, series) && r->ours[QUANTITY_CYCLES] > 0;
}

static bool is_measured(const struct fidelity_row *r) { return r->point->measured[QUANTITY_CYCLES] > 0; }

static void add_series(struct fidelity *f, const struct point *p)
{
    struct elasticity e = {.series = p->series, .card = p->card};
    struct times times[2] = {0}; // simulated, the card's
    size_t measured = 0;
    for (size_t i = 0; i < f->rows.count; i++)
        measured += is_of(&f->rows.data[i], p->series) && is_measured(&f->rows.data[i]);
    e.measured = measured >= 2;
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!is_of(r, p->series) || (e.measured && !is_measured(r))) continue;
        add_time(&times[0], r->core_mhz, r->dram_mhz, r->ours[QUANTITY_CYCLES]);
        if (e.measured)
            add_time(&times[1], r->point->core_mhz, r->point->dram_mhz, r->point->measured[QUANTITY_CYCLES]);
    }
    e.points = times[0].time.count;
    for (unsigned whose = 0; whose < 2; whose++) {
        struct times *t = &times[whose];
        elasticity_fit(t->core.data, t->memory.data, t->time.data, t->time.count, &e.core[whose],
                       &e.memory[whose]);
        vec_fini(&t->core);
        vec_fini(&t->memory);
        vec_fini(&t->time);
    }
    vec_push(&f->elasticities, e);
}

void elasticity_add(struct fidelity *f)
{
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct point *p = f->rows.data[i].point;
        bool known = !p->series;
        for (size_t k = 0; k < f->elasticities.count && !known; k++)
            known = str_equal(f->elasticities.data[k].series, p->series);
        if (!known) add_series(f, p);
    }
}

// -- as text ------------------------------------------------------------------------------------------------

struct difference { // sum of |simulated - measured elasticity| over `count` launches of a card
    size_t count;
    double sum;
};

static void add_difference(struct difference *d, const double pair[2])
{
    if (isnan(pair[0]) || isnan(pair[1])) return;
    d->count++;
    d->sum += fabs(pair[0] - pair[1]);
}

static bool is_first_of_card(const struct fidelity *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_equal(f->elasticities.data[k].card, f->elasticities.data[i].card)) return false;
    return true;
}

void elasticity_sentences(const struct fidelity *f, const char *before, struct strbuf *out)
{
    for (size_t i = 0; i < f->elasticities.count; i++) {
        const char *card = f->elasticities.data[i].card;
        struct difference core = {0}, memory = {0};
        if (!is_first_of_card(f, i)) continue;
        for (size_t k = 0; k < f->elasticities.count; k++) {
            const struct elasticity *e = &f->elasticities.data[k];
            if (!str_equal(e->card, card)) continue;
            add_difference(&core, e->core);
            add_difference(&memory, e->memory);
        }
        strbuf_printf(out, "%s%s: ", before, card);
        if (!core.count && !memory.count) strbuf_puts(out, "not measured");
        if (core.count)
            strbuf_printf(out,
                          "the core's clock counts %.2f too much or too little in the mean of %zu launches",
                          core.sum / (double)core.count, core.count);
        if (memory.count)
            strbuf_printf(out, "%sthe memory's %.2f (%zu)", core.count ? ", " : "",
                          memory.sum / (double)memory.count, memory.count);
        strbuf_puts(out, ".\n");
    }
}

static void add_cell(struct table *t, double value)
{
    if (isnan(value))
        table_add(t, "-");
    else
        table_add(t, "%+.2f", value);
}

void elasticity_table(const struct fidelity *f, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"launch", "card", "clocks", "core", "card's", "memory", "card's"};
    struct table t;
    if (!f->elasticities.count) return;
    strbuf_puts(out, "How time answers to clocks, d log t / d log f\n");
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < f->elasticities.count; i++) {
        const struct elasticity *e = &f->elasticities.data[i];
        table_add(&t, "%s", e->series);
        table_add(&t, "%s", e->card);
        table_add(&t, "%zu", e->points);
        for (unsigned whose = 0; whose < 2; whose++) add_cell(&t, e->core[whose]);
        for (unsigned whose = 0; whose < 2; whose++) add_cell(&t, e->memory[whose]);
    }
    table_print(&t, colour, out);
    table_fini(&t);
    elasticity_sentences(f, "", out);
}

static void add_number(struct strbuf *out, double value)
{
    if (isnan(value))
        strbuf_puts(out, " – |");
    else
        strbuf_printf(out, " %+.2f |", value);
}

void elasticity_markdown(const struct fidelity *f, struct strbuf *out)
{
    if (!f->elasticities.count) return;
    strbuf_puts(
        out,
        "\n## How time answers to clocks\n\nd log t / d log f, by least squares over the clocks at which a "
        "launch was measured: -1 where time goes with the clock, 0 where it does not.\nSizes are mostly "
        "smaller than those measured, so no times are compared. A dash: the clock was always the same, or "
        "nothing was measured.\n\n");
    elasticity_sentences(f, "- ", out);
    strbuf_puts(
        out,
        "\n| launch | card | clocks | core | card's | memory | card's |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->elasticities.count; i++) {
        const struct elasticity *e = &f->elasticities.data[i];
        strbuf_printf(out, "| %s | %s | %zu |", e->series, e->card, e->points);
        for (unsigned whose = 0; whose < 2; whose++) add_number(out, e->core[whose]);
        for (unsigned whose = 0; whose < 2; whose++) add_number(out, e->memory[whose]);
        strbuf_putc(out, '\n');
    }
}

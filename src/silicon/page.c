// The part of page report.html about points (launches measured on real cards): figures for tables and
// drawings.
#include "report/fields.h"
#include "silicon/silicon.h"

#include <math.h>

static void write_figures(struct json *j, const char *key, const double figures[QUANTITIES])
{
    json_key(j, key);
    json_open_object(j);
    for (size_t q = 0; q < QUANTITIES; q++) report_f64(j, quantity_info[q].column, figures[q]);
    report_f64(j, "ipc", fidelity_ipc(figures));
    json_close_object(j);
}

static void write_point(struct json *j, const struct fidelity_row *r)
{
    const struct point *p = r->point;
    json_open_object(j);
    report_text(j, "point", p->name);
    report_text(j, "set", point_set_names[p->set]);
    report_text(j, "card", p->card);
    report_text(j, "class", p->class);
    report_text(j, "application", p->application);
    report_text(j, "kernel", p->kernel);
    report_text(j, "grid", p->grid);
    report_text(j, "block", p->block);
    report_text(j, "source", p->source);
    report_text(j, "licence", p->licence);
    report_text(j, "note", p->note);
    report_text(j, "run", r->job->id);
    report_text(j, "trouble", r->trouble ? r->trouble : p->why);
    report_f64(j, "error", fidelity_ratio(r, QUANTITY_CYCLES) - 1);
    write_figures(j, "ours", r->ours);
    write_figures(j, "measured", p->measured);
    json_close_object(j);
}

static void write_accuracy(struct json *j, const struct accuracy *a)
{
    report_u64(j, "compared", a->count);
    report_f64(j, "error", a->error);
    report_f64(j, "bias", a->bias);
    report_f64(j, "log", a->log_correlation);
    report_f64(j, "rank", a->rank_correlation);
}

static void write_group(struct json *j, const struct fidelity_group *g)
{
    json_open_object(j);
    report_text(j, "set", point_set_names[g->set]);
    report_text(j, "card", g->card);
    report_text(j, "class", g->class);
    report_u64(j, "points", g->points);
    write_accuracy(j, &g->cycles);
    report_f64(j, "instructions", g->instructions.ratio);
    report_f64(j, "dram", g->dram);
    report_f64(j, "l2", g->l2);
    json_close_object(j);
}

static void write_rival(struct json *j, const struct fidelity_rival *v, const char *name,
                        const struct accuracy *a)
{
    json_open_object(j);
    report_text(j, "set", point_set_names[v->set]);
    report_text(j, "card", v->card);
    report_text(j, "simulator", name);
    write_accuracy(j, a);
    json_close_object(j);
}

// Writes the elasticity of time over one clock. pair: simulated, then measured on the card.
static void write_answer(struct json *j, const char *key, const double pair[2])
{
    json_key(j, key);
    json_open_object(j);
    report_f64(j, "ours", pair[0]);
    report_f64(j, "measured", pair[1]);
    json_close_object(j);
}

static void write_elasticities(struct json *j, const struct fidelity *f)
{
    struct strbuf told = {0};
    elasticity_sentences(f, "", &told);
    report_text(j, "answers", strbuf_text(&told));
    json_key(j, "elasticities");
    json_open_array(j);
    for (size_t i = 0; i < f->elasticities.count; i++) {
        const struct elasticity *e = &f->elasticities.data[i];
        json_open_object(j);
        report_text(j, "series", e->series);
        report_text(j, "card", e->card);
        report_u64(j, "clocks", e->points);
        write_answer(j, "core", e->core);
        write_answer(j, "memory", e->memory);
        json_close_object(j);
    }
    json_close_array(j);
    strbuf_fini(&told);
}

static void write_variants(struct json *j, const struct fidelity *f)
{
    struct strbuf told = {0};
    ranks_sentences(f, "", &told);
    report_text(j, "ranks", strbuf_text(&told));
    json_key(j, "variants");
    json_open_array(j);
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (r->point->set != POINT_VARIANTS) continue;
        json_open_object(j);
        report_text(j, "point", r->point->name);
        report_text(j, "card", r->point->card);
        report_f64(j, "cycles", r->ours[QUANTITY_CYCLES]);
        report_f64(j, "milliseconds", r->point->measured[QUANTITY_CYCLES]);
        report_text(j, "trouble", r->trouble ? r->trouble : r->point->why);
        json_close_object(j);
    }
    json_close_array(j);
    strbuf_fini(&told);
}

static void write(struct json *j, const void *context)
{
    const struct fidelity *f = context;
    struct strbuf headline = {0};
    if (!f->rows.count) return;
    fidelity_headline(f, &headline);
    json_key(j, "silicon");
    json_open_object(j);
    report_text(j, "headline", strbuf_text(&headline));
    json_key(j, "points");
    json_open_array(j);
    for (size_t i = 0; i < f->rows.count; i++)
        if (point_stands_alone(f->rows.data[i].point)) write_point(j, &f->rows.data[i]);
    json_close_array(j);
    json_key(j, "groups");
    json_open_array(j);
    for (size_t i = 0; i < f->groups.count; i++) write_group(j, &f->groups.data[i]);
    json_close_array(j);
    json_key(j, "rivals");
    json_open_array(j);
    for (size_t i = 0; i < f->rivals.count; i++) {
        write_rival(j, &f->rivals.data[i], f->rivals.data[i].name, &f->rivals.data[i].theirs);
        write_rival(j, &f->rivals.data[i], "warpfold", &f->rivals.data[i].ours);
    }
    json_close_array(j);
    write_elasticities(j, f);
    write_variants(j, f);
    json_close_object(j);
    strbuf_fini(&headline);
}

static const char *run_at(const void *context, size_t index)
{
    const struct fidelity *f = context;
    return index < f->rows.count ? f->rows.data[index].job->id : NULL;
}

struct page_part silicon_page_part(const struct silicon *s)
{
    return (struct page_part){&s->fidelity, write, run_at};
}

#include "silicon/ranks.h"
#include "silicon/fidelity.h"

#include <math.h>

static bool is_variant_of(const struct fidelity_row *r, const struct ranking *g)
{
    const struct point *p = r->point;
    return p->set == POINT_VARIANTS && str_equal(p->application, g->application) &&
           str_equal(p->card, g->card);
}

static bool has_both(const struct fidelity_row *r)
{
    return r->ours[QUANTITY_CYCLES] > 0 && r->point->measured[QUANTITY_CYCLES] > 0;
}

static void fill(const struct fidelity *f, struct ranking *g)
{
    VEC(double) ours = {0}, theirs = {0};
    double best_here = INFINITY, best_there = INFINITY;
    g->lost = NAN;
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!is_variant_of(r, g)) continue;
        g->points++;
        if (!has_both(r)) continue;
        double here = r->ours[QUANTITY_CYCLES], there = r->point->measured[QUANTITY_CYCLES];
        vec_push(&ours, here);
        vec_push(&theirs, there);
        best_there = fmin(best_there, there);
        if (here < best_here) g->lost = there;
        best_here = fmin(best_here, here);
    }
    g->lost = g->lost / best_there - 1;
    g->times = accuracy_of(ours.data, theirs.data, ours.count);
    vec_fini(&ours);
    vec_fini(&theirs);
}

void ranks_add(struct fidelity *f)
{
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct point *p = f->rows.data[i].point;
        bool known = p->set != POINT_VARIANTS;
        for (size_t k = 0; k < f->rankings.count && !known; k++)
            known = is_variant_of(&f->rows.data[i], &f->rankings.data[k]);
        if (known) continue;
        struct ranking g = {.application = p->application, .card = p->card};
        fill(f, &g);
        vec_push(&f->rankings, g);
    }
}

void ranks_sentences(const struct fidelity *f, const char *before, struct strbuf *out)
{
    for (size_t i = 0; i < f->rankings.count; i++) {
        const struct ranking *g = &f->rankings.data[i];
        strbuf_printf(out, "%s%s on %s: %zu of %zu variants compared", before, g->application, g->card,
                      g->times.count, g->points);
        if (!isnan(g->times.rank_correlation))
            strbuf_printf(out, ", correlation of ranks %.3f, of logarithms %.3f", g->times.rank_correlation,
                          g->times.log_correlation);
        if (!isnan(g->lost))
            strbuf_printf(out, "; warpfold's fastest takes %.0f %% longer than the card's fastest",
                          100 * g->lost);
        strbuf_puts(out, ".\n");
    }
}

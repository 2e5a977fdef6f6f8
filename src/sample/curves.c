#include "sample/curves.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Before any launch is timed, launches with equal counts are taken to differ by 1 %, and launches with unequal counts
// by PRIOR_VARIED, with the weight of so many observations.
enum { PRIOR_COUNT = 1, PRIOR_VARIED_COUNT = 4 };
#define PRIOR        RATIO_FLOOR
#define PRIOR_VARIED 0.03
#define FLOOR_VARIED 0.02 // least relative half-width

#define REACH_LEAST 0.05 // the reach of a new curve
#define REACH_MOST  0.50 // of all curves
#define BESIDE      0.03 // narrowest neighbourhood
#define FLAT        0.01 // spread of x below which figures are taken to grow with the work

void sample_curves_init(struct sample_curves *c, size_t figures)
{
    *c = (struct sample_curves){.figures = figures};
}

void sample_curves_fini(struct sample_curves *c)
{
    for (size_t i = 0; i < c->list.count; i++) {
        struct sample_curve *k = &c->list.data[i];
        for (size_t n = 0; n < k->nodes.count; n++) free(k->nodes.data[n].figures);
        vec_fini(&k->nodes);
    }
    vec_fini(&c->list);
}

static bool is_alike(const struct sample_signature *a, const struct sample_signature *b)
{
    if (a->key != b->key) return false;
    for (unsigned i = 0; i < SAMPLE_COUNTS; i++) {
        double x = a->instructions > 0 ? a->counts[i] / a->instructions : 0;
        double y = b->instructions > 0 ? b->counts[i] / b->instructions : 0;
        if (fabs(x - y) > SAMPLE_ALIKE * fmax(1, x)) return false;
    }
    return true;
}

size_t sample_curves_join(struct sample_curves *c, const struct sample_signature *s)
{
    size_t n = 0;
    while (n < c->list.count && !is_alike(&c->list.data[n].leader, s)) n++;
    if (n == c->list.count) vec_push(&c->list, (struct sample_curve){.leader = *s, .reach = REACH_LEAST});
    struct sample_curve *k = &c->list.data[n];
    k->members++;
    k->is_varied |= memcmp(k->leader.counts, s->counts, sizeof s->counts) != 0;
    return n;
}

// -- reading off the curve ----------------------------------------------------------------------------------

static double x_of(double instructions) { return log(fmax(1, instructions)); }

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Distances in x from the nodes, in rising order; heap.
static double *distances(const struct sample_curve *c, double x)
{
    double *d = heap_alloc(c->nodes.count * sizeof *d);
    for (size_t i = 0; i < c->nodes.count; i++) d[i] = fabs(c->nodes.data[i].x - x);
    qsort(d, c->nodes.count, sizeof *d, by_size);
    return d;
}

// Work of node i over the work of the fit's launch: the variable of the regression, because cycles of launches with
// much work are a constant and a part in proportion to the work.
static double work_of(const struct sample_curve *c, const struct sample_fit *f, size_t i)
{
    return exp(c->nodes.data[i].x - f->x);
}

// Fills a fit whose neighbourhood reaches to `width` from f->x. A slope that the nodes do not show is that of figures
// in proportion to the work.
static void fit_within(const struct sample_curve *c, double width, struct sample_fit *f)
{
    double sum = 0, squares = 0, mean = 0, sxx = 0;
    for (size_t i = 0; i < c->nodes.count; i++) {
        double d = (c->nodes.data[i].x - f->x) / width, k = 1 / ((1 + d * d) * (1 + d * d));
        f->near[i] = k;
        sum += k;
        squares += k * k;
        mean += k * work_of(c, f, i);
    }
    mean /= sum;
    for (size_t i = 0; i < c->nodes.count; i++) {
        double d = work_of(c, f, i) - mean;
        f->near[i] /= sum;
        sxx += f->near[i] * d * d;
    }
    double away = 1 - mean, ridge = FLAT * FLAT;
    double before = 0, after = 0;
    for (size_t i = 0; i < c->nodes.count; i++) {
        double d = work_of(c, f, i) - mean, used = c->nodes.data[i].used;
        f->weights[i] = f->near[i] * (1 + away * (d + ridge / mean) / (sxx + ridge));
        before += used * used;
        after += (used + f->weights[i]) * (used + f->weights[i]);
    }
    f->total = sqrt(after);
    f->leverage = fmax(0, f->total - sqrt(before));
    f->count = sum * sum / squares;
    f->slope_share = sxx / (sxx + ridge);
}

static double value_of(const struct sample_curve *c, const double *weights, size_t figure)
{
    double sum = 0;
    for (size_t i = 0; i < c->nodes.count; i++) sum += weights[i] * c->nodes.data[i].figures[figure];
    return sum;
}

// Half-width of a single launch about the curve, from the spread of near nodes about their line and the prior.
static double own_of(const struct sample_curve *c, const struct sample_fit *f, size_t figure, double value)
{
    double mean = value_of(c, f->near, figure), x = 0, sxx = 0, sxy = 0, rest = 0;
    for (size_t i = 0; i < c->nodes.count; i++) x += f->near[i] * work_of(c, f, i);
    for (size_t i = 0; i < c->nodes.count; i++) {
        double d = work_of(c, f, i) - x;
        sxx += f->near[i] * d * d;
        sxy += f->near[i] * d * (c->nodes.data[i].figures[figure] - mean);
    }
    double slope = (sxy + FLAT * FLAT * mean / x) / (sxx + FLAT * FLAT);
    for (size_t i = 0; i < c->nodes.count; i++) {
        double e = c->nodes.data[i].figures[figure] - mean - slope * (work_of(c, f, i) - x);
        rest += f->near[i] * e * e;
    }
    double count = c->is_varied ? PRIOR_VARIED_COUNT : PRIOR_COUNT;
    double expected = (c->is_varied ? PRIOR_VARIED : PRIOR) * value;
    double free = fmax(0, f->count - 1 - f->slope_share) + count, prior = count * expected * expected;
    return student_t95(free) * sqrt((rest * f->count + prior) / free);
}

struct sample_fit sample_fit_of(const struct sample_curve *c, double instructions)
{
    struct sample_fit f = {.x = x_of(instructions)};
    double *far = distances(c, f.x), best = INFINITY, width = BESIDE;
    f.weights = heap_alloc(c->nodes.count * sizeof *f.weights);
    f.near = heap_alloc(c->nodes.count * sizeof *f.near);
    for (size_t n = 4; c->nodes.count; n *= 2) {
        size_t last = n < c->nodes.count ? n : c->nodes.count;
        double here = fmax(BESIDE, far[last - 1]);
        fit_within(c, here, &f);
        double value = value_of(c, f.weights, 0), half = own_of(c, &f, 0, value) * f.total;
        if (value > 0 && half / value < best) {
            best = half / value;
            width = here;
        }
        if (n >= c->nodes.count) break;
    }
    if (c->nodes.count) fit_within(c, width, &f);
    free(far);
    return f;
}

void sample_fit_fini(struct sample_fit *f)
{
    free(f->weights);
    free(f->near);
}

struct ratio_estimate sample_fit_estimate(const struct sample_curve *c, const struct sample_fit *f,
                                          size_t figure)
{
    struct ratio_estimate e = {.value = fmax(0, value_of(c, f->weights, figure))};
    e.own = own_of(c, f, figure, e.value);
    e.shared = hypot(e.own * f->leverage, (c->is_varied ? FLOOR_VARIED : RATIO_FLOOR) * e.value);
    return e;
}

// -- which launches are timed -------------------------------------------------------------------------------

// Distance in x from the next node, halved between nodes.
static double away_of(const struct sample_curve *c, double x)
{
    double away = INFINITY, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->nodes.count; i++) {
        double at = c->nodes.data[i].x;
        away = fmin(away, fabs(at - x));
        least = fmin(least, at);
        most = fmax(most, at);
    }
    return x >= least && x <= most ? away / 2 : away;
}

enum sample_wants sample_curves_want(const struct sample_curves *c, size_t n, double instructions,
                                     unsigned ahead, double error)
{
    const struct sample_curve *k = &c->list.data[n];
    if (k->nodes.count < SAMPLE_LEAST) return SAMPLE_FEW;
    if (away_of(k, x_of(instructions)) > k->reach) return SAMPLE_FAR;
    struct sample_fit f = sample_fit_of(k, instructions);
    double value = value_of(k, f.weights, 0), own = own_of(k, &f, 0, value);
    double most = error * sqrt((k->cycles + value) * (c->cycles + value));
    sample_fit_fini(&f);
    if (value <= 0 || own * f.total > most) return SAMPLE_WIDE;
    return k->members + ahead > (k->is_varied ? SAMPLE_CHECK : SAMPLE_SELDOM) * k->checked ? SAMPLE_CHECKS
                                                                                           : SAMPLE_KNOWN;
}

// Compares the timed cycles with the curve's prediction, and adapts the reach.
static void learn_reach(struct sample_curve *c, double instructions, double cycles, double error)
{
    if (c->nodes.count < SAMPLE_LEAST) return;
    struct sample_fit f = sample_fit_of(c, instructions);
    struct ratio_estimate e = sample_fit_estimate(c, &f, 0);
    double away = away_of(c, f.x);
    if (fabs(e.value - cycles) > fmax(error * cycles, e.own))
        c->reach = fmax(c->reach / 2, REACH_LEAST);
    else
        c->reach = fmin(1.5 * fmax(c->reach, fmin(away, 2 * c->reach)), REACH_MOST);
    sample_fit_fini(&f);
}

void sample_curves_add(struct sample_curves *c, size_t n, double instructions, const double *figures,
                       double error)
{
    struct sample_curve *k = &c->list.data[n];
    struct sample_node node = {x_of(instructions), 0, heap_alloc(c->figures * sizeof *node.figures)};
    learn_reach(k, instructions, figures[0], error);
    for (size_t i = 0; i < c->figures; i++) node.figures[i] = figures[i];
    vec_push(&k->nodes, node);
    k->checked = k->members;
    k->cycles += figures[0];
    c->cycles += figures[0];
}

void sample_curves_note(struct sample_curves *c, size_t n, const struct sample_fit *f, double cycles)
{
    struct sample_curve *k = &c->list.data[n];
    for (size_t i = 0; i < k->nodes.count; i++) k->nodes.data[i].used += f->weights[i];
    k->cycles += cycles;
    c->cycles += cycles;
}

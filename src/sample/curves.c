#include "sample/groups.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

void sample_groups_init(struct sample_groups *g, size_t figures)
{
    *g = (struct sample_groups){.figures = figures};
}

void sample_groups_fini(struct sample_groups *g)
{
    for (size_t i = 0; i < g->list.count; i++) free(g->list.data[i].ratios);
    vec_fini(&g->list);
}

bool sample_groups_know(const struct sample_groups *g, uint64_t key)
{
    for (size_t i = 0; i < g->list.count; i++)
        if (g->list.data[i].leader.key == key) return true;
    return false;
}

static bool is_alike(const struct sample_signature *a, const struct sample_signature *b)
{
    if (a->key != b->key) return false;
    if (fabs(a->instructions - b->instructions) > SAMPLE_ALIKE * a->instructions) return false;
    for (unsigned i = 0; i < SAMPLE_COUNTS; i++) {
        double x = a->instructions > 0 ? a->counts[i] / a->instructions : 0;
        double y = b->instructions > 0 ? b->counts[i] / b->instructions : 0;
        if (fabs(x - y) > SAMPLE_ALIKE * fmax(1, x)) return false;
    }
    return true;
}

size_t sample_groups_join(struct sample_groups *g, const struct sample_signature *s)
{
    size_t n = 0;
    while (n < g->list.count && !is_alike(&g->list.data[n].leader, s)) n++;
    if (n == g->list.count) {
        struct sample_group fresh = {.leader = *s, .figures = g->figures};
        fresh.ratios = heap_alloc(g->figures * sizeof *fresh.ratios);
        vec_push(&g->list, fresh);
    }
    g->list.data[n].members++;
    return n;
}

bool sample_group_wants(const struct sample_group *g, double error)
{
    return g->ratios[0].count < SAMPLE_LEAST || ratio_spread(&g->ratios[0]) > error;
}

void sample_group_add(struct sample_group *g, double instructions, const double *figures)
{
    for (size_t i = 0; i < g->figures; i++) ratio_add(&g->ratios[i], instructions, figures[i]);
}

#include "report/errors.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

void report_errors_fini(struct report_errors *e)
{
    for (size_t i = 0; i < e->groups.count; i++) free(e->groups.data[i].shared);
    vec_fini(&e->groups);
    free(e->own);
}

static double *shared_of(struct report_errors *e, uint32_t group)
{
    for (size_t i = e->groups.count; i-- > 0;)
        if (e->groups.data[i].group == group) return e->groups.data[i].shared;
    vec_push(&e->groups, (struct report_group_errors){group, heap_alloc(e->figures * sizeof(double))});
    return vec_last(&e->groups).shared;
}

void report_errors_add(struct report_errors *e, size_t figures, uint32_t group, size_t figure,
                       struct wf_error error)
{
    if (error.shared <= 0 && error.own <= 0) return;
    e->figures = figures;
    if (!e->own) e->own = heap_alloc(figures * sizeof *e->own);
    shared_of(e, group)[figure] += error.shared;
    e->own[figure] += error.own * error.own;
}

double report_errors_half(const struct report_errors *e, size_t figure)
{
    double squares = e->own ? e->own[figure] : 0;
    for (size_t i = 0; i < e->groups.count; i++)
        squares += e->groups.data[i].shared[figure] * e->groups.data[i].shared[figure];
    return sqrt(squares);
}

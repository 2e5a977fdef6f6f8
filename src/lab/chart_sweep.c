// The lines of a sweep, over the steps of the first axis: one line for every series, combination of the other
// axes, and subject. With several subjects, lines of means over the subjects follow.
#include "lab/chart.h"
#include "lab/measures.h"

#include <math.h>
#include <string.h>

void chart_name_lines(struct chart *c, struct chart_view *v, const struct figure *f)
{
    const char *mean = f->experiment->by->aggregate == MEASURE_MEAN ? "MEAN" : "GMEAN",
               *part = figure_part_of(f->experiment, "all", f->size, f->subjects, &c->arena);
    for (size_t i = 0; i < f->lines.count; i++)
        vec_push(&v->series, (struct chart_series){.name = f->lines.data[i]});
    for (size_t i = 0; f->subjects > 1 && i < f->lines.count; i += f->subjects) {
        const char *line = f->lines.data[i], *subject = strrchr(line, ' ');
        vec_push(&v->series,
                 (struct chart_series){
                     .name = arena_printf(&c->arena, "%.*s %s%s", (int)(subject - line), line, mean, part)});
    }
}

// The mean over the subjects at one value of the sweep's first axis; NAN if any subject's value is NAN.
static double mean_at(const struct measure *m, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return NAN;
    return measure_mean(m, values, count);
}

void chart_mean_lines(struct chart_view *v, const struct figure *f)
{
    const struct measure *m = f->experiment->by;
    size_t lines = f->lines.count, steps = v->categories.count;
    if (f->subjects < 2) return;
    double *values = heap_alloc((lines * steps + 1) * sizeof *values); // by step: the values of all lines
    for (size_t i = 0; i < v->values.count; i++)
        values[v->values.data[i].category * lines + v->values.data[i].series] = v->values.data[i].value;
    for (size_t step = 0; step < steps; step++)
        for (size_t group = 0; group < lines / f->subjects; group++)
            vec_push(&v->values,
                     (struct chart_value){
                         .category = step,
                         .series = lines + group,
                         .value = mean_at(m, &values[step * lines + group * f->subjects], f->subjects),
                         .paper = NAN});
    free(values);
}

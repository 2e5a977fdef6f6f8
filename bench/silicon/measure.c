#include "bench/silicon/measure.h"
#include "base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

// Of a launch over all repetitions, repetition after repetition in `times`.
struct samples {
    VEC(struct device_time) times;
    size_t launches;
    unsigned repetitions;
    double *scratch;
};

enum what { CYCLES, MICROSECONDS, MHZ };

static double median_of(const struct samples *s, size_t launch, enum what what)
{
    for (unsigned r = 0; r < s->repetitions; r++) {
        const struct device_time *t = &s->times.data[r * s->launches + launch];
        s->scratch[r] = what == CYCLES         ? t->microseconds * t->mhz
                        : what == MICROSECONDS ? t->microseconds
                                               : t->mhz;
    }
    return median(s->scratch, s->repetitions);
}

static double counted(const struct samples *s, enum point_counted how, enum what what)
{
    double sum = 0;
    if (how == POINT_LAST) return median_of(s, s->launches - 1, what);
    for (size_t i = 0; i < s->launches; i++) sum += median_of(s, i, what);
    return how == POINT_MEAN || what == MHZ ? sum / (double)s->launches : sum;
}

bool measure_point(struct device *device, const struct point *p, unsigned repetitions, struct measured *m,
                   struct diag *d)
{
    struct samples s = {.repetitions = repetitions, .scratch = heap_alloc(repetitions * sizeof *s.scratch)};
    struct play_times times = {0};
    struct strbuf script = {0};
    strbuf_printf(&script, "%s/points/%s.wf", p->folder, p->script);
    bool good = play_script(device, script.text, &times, d); // warms up
    s.launches = times.list.count;
    if (good && !s.launches) good = diag_error(d, loc_none(), "%s launches nothing", script.text);
    for (unsigned r = 0; r < repetitions && good; r++) {
        good = play_script(device, script.text, &times, d);
        for (size_t i = 0; i < times.list.count && good; i++) vec_push(&s.times, times.list.data[i]);
    }
    if (good)
        *m = (struct measured){counted(&s, p->counted, CYCLES), counted(&s, p->counted, MICROSECONDS),
                               counted(&s, p->counted, MHZ), s.launches};
    strbuf_fini(&script);
    vec_fini(&times.list);
    vec_fini(&s.times);
    free(s.scratch);
    return good;
}

void measure_heads(struct strbuf *out)
{
    strbuf_puts(out, "point,card");
    for (size_t q = 0; q < QUANTITIES; q++) strbuf_printf(out, ",%s", quantity_info[q].column);
    strbuf_puts(out, ",microseconds,mhz,launches,source\n");
}

void measure_row(const struct point *p, const struct device *device, const struct measured *m,
                 unsigned repetitions, struct strbuf *out)
{
    struct strbuf source = {0};
    strbuf_printf(&source, "bench/silicon, median of %u", repetitions);
    csv_add_text(out, p->name, ',');
    csv_add_text(out, device->name, ',');
    for (unsigned q = 0; q < QUANTITIES; q++)
        csv_add_number(out, q == QUANTITY_CYCLES ? round(m->cycles) : NAN, ',');
    csv_add_number(out, m->microseconds, ',');
    csv_add_number(out, m->mhz, ',');
    csv_add_number(out, (double)m->launches, ',');
    csv_add_text(out, source.text, '\n');
    strbuf_fini(&source);
}

#include "sample/steady.h"

#include <math.h>

void steady_init(struct steady *s, uint64_t wave, uint64_t blocks, uint64_t capacity, double error)
{
    *s = (struct steady){.wave = wave, .blocks = blocks, .capacity = capacity, .error = error};
}

void steady_fini(struct steady *s) { vec_fini(&s->marks); }

static uint64_t step_of(const struct steady *s)
{
    uint64_t step = s->wave / STEADY_PER_WAVE;
    return step > STEADY_LEAST ? step : STEADY_LEAST;
}

uint64_t steady_due(const struct steady *s)
{
    return s->marks.count ? vec_last(&s->marks).ended + step_of(s) : s->wave;
}

size_t steady_first(const struct steady *s) { return s->marks.count - 1 - STEADY_WINDOWS; }

void steady_look(struct steady *s, const struct steady_sums *now)
{
    if (now->ended >= steady_due(s)) vec_push(&s->marks, *now);
}

bool steady_has_trend(const double *y, size_t count)
{
    double n = (double)count, mean = 0, xy = 0, xx = 0, rest = 0;
    if (count < 3) return false;
    for (size_t i = 0; i < count; i++) mean += y[i] / n;
    for (size_t i = 0; i < count; i++) {
        double x = (double)i - (n - 1) / 2;
        xy += x * (y[i] - mean);
        xx += x * x;
    }
    double slope = xy / xx;
    for (size_t i = 0; i < count; i++) {
        double e = y[i] - mean - slope * ((double)i - (n - 1) / 2);
        rest += e * e;
    }
    double error = sqrt(rest / (n - 2) / xx);
    return fabs(slope) > student_t95(n - 2) * error && fabs(slope) * n > 0.01 * fabs(mean);
}

// Values per instruction of the last STEADY_WINDOWS windows.
static bool some_trend(const struct steady *s)
{
    double cycles[STEADY_WINDOWS], read[STEADY_WINDOWS], written[STEADY_WINDOWS];
    const struct steady_sums *m = s->marks.data + s->marks.count - STEADY_WINDOWS;
    for (unsigned i = 0; i < STEADY_WINDOWS; i++, m++) {
        double work = (double)(m->instructions - m[-1].instructions);
        if (work <= 0) return true;
        cycles[i] = (double)(m->cycle - m[-1].cycle) / work;
        read[i] = (double)(m->read - m[-1].read) / work;
        written[i] = (double)(m->written - m[-1].written) / work;
    }
    return steady_has_trend(cycles, STEADY_WINDOWS) || steady_has_trend(read, STEADY_WINDOWS) ||
           steady_has_trend(written, STEADY_WINDOWS);
}

// Whether stores of the whole launch would fill the L2, and no line has been written back so far.
static bool waits_for_writes(const struct steady *s)
{
    const struct steady_sums *m = &vec_last(&s->marks);
    double all = (double)m->stored * (double)s->blocks / (double)m->ended;
    return all > (double)s->capacity && m->written * 4 < m->stored;
}

struct ratio steady_cycles(const struct steady *s)
{
    struct ratio r = {0};
    for (size_t i = s->marks.count - STEADY_WINDOWS; i < s->marks.count; i++) {
        const struct steady_sums *m = &s->marks.data[i];
        ratio_add(&r, (double)(m->instructions - m[-1].instructions), (double)(m->cycle - m[-1].cycle));
    }
    return r;
}

bool steady_is_settled(const struct steady *s)
{
    if (s->marks.count < STEADY_WINDOWS + 1 || waits_for_writes(s) || some_trend(s)) return false;
    struct ratio r = steady_cycles(s);
    return ratio_relative_error(&r) <= s->error;
}

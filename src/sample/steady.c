#include "sample/steady.h"

#include <math.h>

// Changes over all windows that count as a trend, and the share of DRAM's time below which write-backs to come
// cannot matter. Measured over bundled kernels (docs/explanation/sampling.md).
#define TREND       0.03
#define TREND_WRITE 0.10
#define IDLE        0.40

void steady_fini(struct steady *s) { vec_fini(&s->marks); }

uint64_t steady_due(const struct steady *s)
{
    uint64_t step = s->wave > STEADY_LEAST ? s->wave : STEADY_LEAST;
    return s->marks.count ? vec_last(&s->marks).ended + step : step;
}

void steady_look(struct steady *s, const struct steady_sums *now)
{
    if (now->ended >= steady_due(s)) vec_push(&s->marks, *now);
}

size_t steady_windows(const struct steady *s, size_t marks[STEADY_MOST + 1])
{
    size_t count = s->marks.count, dropped = count > STEADY_FEW ? count / 4 : 0, left = count - dropped;
    if (left < STEADY_WINDOWS + 1) return 0;
    size_t joined = (left - 2) / STEADY_MOST + 1, windows = (left - 1) / joined;
    for (size_t i = 0; i <= windows; i++) marks[i] = count - 1 - (windows - i) * joined;
    return windows;
}

bool steady_has_trend(const double *y, size_t count, double least)
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
    return fabs(slope) > student_t95(n - 2) * error && fabs(slope) * (n - 1) > least * fabs(mean);
}

// Differences over the windows. Returns their number.
static size_t differences(const struct steady *s, struct steady_sums out[STEADY_MOST])
{
    size_t marks[STEADY_MOST + 1], count = steady_windows(s, marks);
    for (size_t i = 0; i < count; i++) {
        const struct steady_sums *from = &s->marks.data[marks[i]], *to = &s->marks.data[marks[i + 1]];
        out[i] = (struct steady_sums){.cycle = to->cycle - from->cycle,
                                      .instructions = to->instructions - from->instructions,
                                      .read = to->read - from->read,
                                      .written = to->written - from->written,
                                      .stored = to->stored - from->stored,
                                      .ended = to->ended - from->ended};
    }
    return count;
}

static struct steady_sums sum_of(const struct steady_sums *w, size_t count)
{
    struct steady_sums s = {0};
    for (size_t i = 0; i < count; i++) {
        s.cycle += w[i].cycle;
        s.instructions += w[i].instructions;
        s.read += w[i].read;
        s.written += w[i].written;
        s.stored += w[i].stored;
        s.ended += w[i].ended;
    }
    return s;
}

// Whether DRAM is busy for a large part of the time, with a write for every store.
static bool is_busy(const struct steady *s, const struct steady_sums *sum)
{
    uint64_t writes = sum->written > sum->stored ? sum->written : sum->stored;
    return (double)(sum->read + writes) > IDLE * s->peak * (double)sum->cycle;
}

// Whether reads and stores of the whole launch would fill the L2, and write-backs have not yet begun over the windows.
static bool waits_for_writes(const struct steady *s, const struct steady_sums *sum)
{
    const struct steady_sums *m = &vec_last(&s->marks);
    double all = (double)(m->read + m->stored) * (double)s->blocks / (double)m->ended;
    bool matters = sum->stored > sum->read / 10; // write-backs of few stores change little
    return matters && all > (double)s->capacity && sum->written < sum->stored / 2;
}

static bool some_trend(const struct steady_sums *w, size_t count, bool is_dram_busy)
{
    double cycles[STEADY_MOST], read[STEADY_MOST], written[STEADY_MOST];
    for (size_t i = 0; i < count; i++) {
        double work = (double)w[i].instructions;
        if (work <= 0) return true;
        cycles[i] = (double)w[i].cycle / work;
        read[i] = (double)w[i].read / work;
        written[i] = (double)w[i].written / work;
    }
    return steady_has_trend(cycles, count, TREND) || steady_has_trend(read, count, TREND) ||
           (is_dram_busy && steady_has_trend(written, count, TREND_WRITE));
}

// Share of all cycles in `left` blocks like those of the windows.
static double share_left(const struct steady *s, const struct steady_sums *sum, uint64_t left)
{
    double cycles = (double)left * (double)sum->cycle / (double)sum->ended;
    return cycles / (cycles + (double)vec_last(&s->marks).cycle);
}

bool steady_is_settled(const struct steady *s, uint64_t left)
{
    struct steady_sums windows[STEADY_MOST];
    struct ratio cycles = {0};
    size_t count = differences(s, windows);
    if (!count) return false;
    const struct steady_sums sum = sum_of(windows, count);
    bool is_dram_busy = is_busy(s, &sum);
    if (some_trend(windows, count, is_dram_busy)) return false;
    if (is_dram_busy && waits_for_writes(s, &sum)) return false;
    for (size_t i = 0; i < count; i++)
        ratio_add(&cycles, (double)windows[i].instructions, (double)windows[i].cycle);
    return ratio_spread(&cycles) * share_left(s, &sum, left) <= s->error;
}

#include "sample/steady.h"

#include <math.h>

// Changes over all windows that count as a trend, and the share of DRAM's time below which write-backs to come
// cannot matter. Measured over bundled kernels (docs/explanation/sampling.md).
#define TREND       0.03
#define TREND_WRITE 0.10
#define LOST        0.05 // growth of reads by which a closed L2 has lost lines
#define IDLE        0.15 // write-backs are waited for, if the L2 can be closed
#define IDLE_OPEN   0.40 // else

void steady_fini(struct steady *s) { vec_fini(&s->marks); }

uint64_t steady_due(const struct steady *s)
{
    uint64_t step = s->wave / 2 > STEADY_LEAST ? s->wave / 2 : STEADY_LEAST;
    return s->marks.count ? vec_last(&s->marks).ended + step : s->wave + step;
}

void steady_look(struct steady *s, const struct steady_sums *now)
{
    if (now->ended >= steady_due(s)) vec_push(&s->marks, *now);
}

size_t steady_windows(const struct steady *s, size_t marks[STEADY_MOST + 1])
{
    if (s->marks.count <= s->from) return 0;
    size_t count = s->marks.count, here = count - s->from, dropped = here > STEADY_FEW ? here / 4 : 0;
    size_t left = here - dropped;
    if (left < STEADY_WINDOWS * STEADY_WAVE + 1) return 0;
    size_t waves = (left - 1) / STEADY_WAVE, joined = ((waves ? waves : 1) - 1) / STEADY_MOST + 1;
    joined *= STEADY_WAVE;
    size_t windows = (left - 1) / joined;
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
                                      .answered = to->answered - from->answered,
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
        s.answered += w[i].answered;
        s.ended += w[i].ended;
    }
    return s;
}

// Whether DRAM is busy for a large part of the time, with a write for every store.
static bool is_busy(const struct steady *s, const struct steady_sums *sum, double idle)
{
    uint64_t writes = sum->written > sum->stored ? sum->written : sum->stored;
    return (double)(sum->read + writes) > idle * s->peak * (double)sum->cycle;
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

// Half-width of the ratio by the spread of the windows and a prior: windows of a settled launch differ by PRIOR,
// with the weight of PRIOR_COUNT windows.
enum { PRIOR_COUNT = 2 };
#define PRIOR 0.02

static double spread_of(const struct ratio *r)
{
    double n = (double)r->count, q = r->figure / r->work, mean = r->figure / n;
    double squares = fmax(0, r->figure2 - 2 * q * r->cross + q * q * r->work2) / (mean * mean);
    double free = n - 1 + PRIOR_COUNT;
    return student_t95(free) * sqrt((squares + PRIOR_COUNT * PRIOR * PRIOR) / free / n);
}

// Whether requests without an answer have grown over the windows, by more than PILE of the answers.
#define PILE 0.03

static bool has_pile(const struct steady *s, const struct steady_sums *sum)
{
    size_t marks[STEADY_MOST + 1], count = steady_windows(s, marks);
    const struct steady_sums *from = &s->marks.data[marks[0]], *to = &s->marks.data[marks[count]];
    return (double)to->waiting > (double)from->waiting + PILE * (double)sum->answered;
}

// Share of all cycles in `left` blocks like those of the windows.
static double share_left(const struct steady *s, const struct steady_sums *sum, uint64_t left)
{
    double cycles = (double)left * (double)sum->cycle / (double)sum->ended;
    return cycles / (cycles + (double)vec_last(&s->marks).cycle);
}

double steady_early_share(const struct steady *s, uint64_t taken)
{
    if (!s->early_windows || !taken) return 0;
    uint64_t closed = s->marks.data[s->early[s->early_windows]].ended;
    uint64_t blocks = s->filled > closed ? s->filled - closed : 0;
    return blocks < taken ? (double)blocks / (double)taken : 1;
}

// Closes the L2 if enough blocks are left behind the block that would have filled it.
static enum steady_verdict close_phase(struct steady *s, bool may_wait)
{
    const struct steady_sums *m = &vec_last(&s->marks);
    double sectors = (double)(m->read + m->stored) / (double)m->ended;
    s->filled = sectors > 0 ? (uint64_t)((double)s->capacity / sectors) : UINT64_MAX;
    if (s->stays_open || s->filled > s->blocks / 4 * 3) return may_wait ? STEADY_GOES_ON : STEADY_SETTLED;
    s->early_windows = steady_windows(s, s->early);
    s->from = s->marks.count;
    return STEADY_CLOSES;
}

// Whether the closed L2 misses more than the open one did.
static bool has_lost_lines(const struct steady *s, const struct steady_sums *late)
{
    const struct steady_sums *from = &s->marks.data[s->early[0]],
                             *to = &s->marks.data[s->early[s->early_windows]];
    double early = (double)(to->read - from->read) / (double)(to->instructions - from->instructions);
    double now = (double)late->read / (double)late->instructions;
    return now > (1 + LOST) * early && late->read > late->stored / 10;
}

static enum steady_verdict open_phase(struct steady *s)
{
    s->stays_open = true;
    s->early_windows = 0;
    s->from = s->marks.count + 1;
    return STEADY_OPENS;
}

enum steady_verdict steady_judge(struct steady *s, uint64_t left)
{
    struct steady_sums windows[STEADY_MOST];
    struct ratio cycles = {0};
    size_t count = differences(s, windows);
    if (!count) return STEADY_GOES_ON;
    const struct steady_sums sum = sum_of(windows, count);
    bool is_dram_busy = is_busy(s, &sum, IDLE);
    if (s->early_windows && has_lost_lines(s, &sum)) return open_phase(s);
    if (sum.ended * STEADY_SHARE < s->blocks || has_pile(s, &sum)) return STEADY_GOES_ON;
    if (some_trend(windows, count, is_dram_busy)) return STEADY_GOES_ON;
    for (size_t i = 0; i < count; i++)
        ratio_add(&cycles, (double)windows[i].instructions, (double)windows[i].cycle);
    if (spread_of(&cycles) * share_left(s, &sum, left) > s->error) return STEADY_GOES_ON;
    if (is_dram_busy && waits_for_writes(s, &sum))
        return s->early_windows ? STEADY_GOES_ON : close_phase(s, is_busy(s, &sum, IDLE_OPEN));
    return STEADY_SETTLED;
}

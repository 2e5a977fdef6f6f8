#include "sample/ratio.h"

#include <math.h>

void ratio_add(struct ratio *r, double work, double figure)
{
    r->count++;
    r->work += work;
    r->figure += figure;
    r->work2 += work * work;
    r->cross += work * figure;
    r->figure2 += figure * figure;
}

// Standard deviation of the figure of a piece with the mean work of the observations, about the ratio.
static double deviation(const struct ratio *r)
{
    double q = r->figure / r->work;
    double squares = r->figure2 - 2 * q * r->cross + q * q * r->work2;
    return squares > 0 ? sqrt(squares / (double)(r->count - 1)) : 0;
}

struct ratio_estimate ratio_estimate(const struct ratio *r, double work)
{
    struct ratio_estimate e = {.shared = INFINITY, .own = INFINITY};
    if (!r->count || r->work <= 0) return e;
    e.value = r->figure / r->work * work;
    if (r->count < 2) return e;
    double n = (double)r->count;
    e.own = student_t95(n - 1) * deviation(r) * work / (r->work / n);
    e.shared = hypot(e.own / sqrt(n), RATIO_FLOOR * e.value);
    return e;
}

// Of a count of 0, the upper bound is about 3 events (95 %).
double ratio_rare(double figure, double observed, double work)
{
    double rate_half = figure > 0 ? 1.96 * sqrt(figure) + 1 : 3;
    return observed > 0 ? rate_half / observed * work : 0;
}

double ratio_spread(const struct ratio *r)
{
    if (r->count && r->figure == 0) return 0;
    struct ratio_estimate e = ratio_estimate(r, 1);
    return e.value > 0 ? e.own / sqrt((double)r->count) / e.value : INFINITY;
}

// Exact for 1 and 2 degrees of freedom, else a Cornish-Fisher expansion about the normal quantile (Abramowitz
// and Stegun, 26.7.5): error under 0.2 % from 3 degrees on.
double student_t95(double degrees)
{
    const double x = 1.959963984540054, x2 = x * x;
    if (degrees < 1.5) return 12.706204736432095;
    if (degrees < 2.5) return 4.302652729911275;
    double g1 = x * (x2 + 1) / 4, g2 = x * ((5 * x2 + 16) * x2 + 3) / 96;
    double g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;
    double g4 = x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees;
}

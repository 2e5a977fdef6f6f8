#include "sample/line.h"

#include <math.h>

void line_add(struct line *l, double x, double y)
{
    if (!l->count || x < l->least) l->least = x;
    if (!l->count || x > l->most) l->most = x;
    l->count++;
    l->x += x;
    l->y += y;
    l->xx += x * x;
    l->xy += x * y;
    l->yy += y * y;
}

bool line_reaches(const struct line *l, double x)
{
    return l->count >= LINE_LEAST && x >= l->least && x <= l->most;
}

struct ratio_estimate line_estimate(const struct line *l, double x)
{
    double n = (double)l->count, mean = l->x / n;
    double sxx = l->xx - n * mean * mean, sxy = l->xy - mean * l->y, syy = l->yy - l->y * l->y / n;
    // Equal work, apart from rounding: a line without slope.
    bool is_flat = sxx <= 1e-9 * l->xx;
    double slope = is_flat ? 0 : sxy / sxx, rest = syy - slope * (is_flat ? 0 : sxy);
    double value = l->y / n + slope * (x - mean);
    double own = student_t95(n - 2) * sqrt(rest > 0 ? rest / (n - 2) : 0);
    double away = is_flat ? 0 : (x - mean) * (x - mean) / sxx;
    if (value < 0) value = 0;
    return (struct ratio_estimate){
        .value = value, .shared = hypot(own * sqrt(1 / n + away), RATIO_FLOOR * value), .own = own};
}

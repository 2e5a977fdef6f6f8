#include "silicon/accuracy.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

static double mean(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i];
    return sum / (double)count;
}

static double correlation(const double *x, const double *y, size_t count)
{
    double mean_x = mean(x, count), mean_y = mean(y, count), xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return count < 3 || xx == 0 || yy == 0 ? NAN : xy / sqrt(xx * yy);
}

static void logarithms(const double *x, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = log(x[i]);
}

static void ranks(const double *x, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < count; k++) {
            below += x[k] < x[i];
            equal += x[k] == x[i];
        }
        out[i] = (double)below + ((double)equal + 1) / 2;
    }
}

struct accuracy accuracy_of(const double *ours, const double *theirs, size_t count)
{
    struct accuracy a = {.count = count};
    double *x = heap_alloc(count * sizeof *x), *y = heap_alloc(count * sizeof *y);
    for (size_t i = 0; i < count; i++) {
        a.error += fabs(ours[i] / theirs[i] - 1) / (double)count;
        a.bias += (ours[i] / theirs[i] - 1) / (double)count;
    }
    if (!count) a.error = a.bias = NAN;
    logarithms(ours, count, x);
    logarithms(theirs, count, y);
    a.log_correlation = correlation(x, y, count);
    a.ratio = exp(mean(x, count) - mean(y, count));
    ranks(ours, count, x);
    ranks(theirs, count, y);
    a.rank_correlation = correlation(x, y, count);
    free(x);
    free(y);
    return a;
}

#include "inject/tally.h"

#include <math.h>

void inject_interval(uint64_t hits, uint64_t all, double *low, double *high)
{
    const double z = 3.290526731491926; // two-sided quantile of the normal distribution: 0.05 % lie above
    double n = (double)all, share = (double)hits / n, z2 = z * z;
    double middle = share + z2 / (2 * n), scale = 1 + z2 / n;
    double half = z * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
    *low = hits ? (middle - half) / scale : 0;
    *high = hits < all ? (middle + half) / scale : 1;
}

bool inject_tally(const struct inject_space *space, const struct journal *j, uint32_t count,
                  enum upset_place place, struct inject_tally *t)
{
    *t = (struct inject_tally){0};
    for (uint32_t n = 0; n < count; n++) {
        if (!journal_has(j, n) || j->results.data[n].place != place) continue;
        t->injected++;
        t->ends[j->results.data[n].outcome]++;
    }
    if (!t->injected) return false;
    t->predicted = (double)space->covered[place] / (double)space->places[place];
    t->measured = (double)t->ends[INJECT_DETECTED] / (double)t->injected;
    inject_interval(t->ends[INJECT_DETECTED], t->injected, &t->low, &t->high);
    t->agrees = t->low <= t->predicted && t->predicted <= t->high;
    return true;
}

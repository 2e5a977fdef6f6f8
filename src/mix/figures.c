#include "mix/mix.h"

struct mix_shares mix_figures(const struct mix_part *parts, const double *progress, size_t count)
{
    struct mix_shares s = {0};
    double least = progress[0], greatest = progress[0];
    for (size_t k = 0; k < count; k++) {
        s.throughput += progress[k];
        s.turnaround += 1 / progress[k] / (double)count;
        s.energy_pj += parts[k].run.energy_pj;
        if (progress[k] < least) least = progress[k];
        if (progress[k] > greatest) greatest = progress[k];
    }
    s.weighted_speedup = s.throughput / (double)count;
    s.fairness = least / greatest;
    return s;
}

// Figures of a pass (all launches of a workload, once), and of workloads together in relation to every
// workload alone.
#include "mix/mix.h"

void mix_run_add(struct mix_run *run, const struct wf_stats *launch)
{
    run->launches++;
    run->cycles += launch->elapsed;
    run->warp_instructions += launch->warp_instructions;
    run->thread_instructions += launch->thread_instructions;
    for (size_t k = 0; k < launch->energy_count; k++)
        run->energy_pj += (double)launch->energy[k].count * launch->energy[k].pj_each;
}

double mix_ipc(const struct mix_run *run)
{
    return run->cycles ? (double)run->thread_instructions / (double)run->cycles : 0;
}

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

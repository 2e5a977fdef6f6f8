// Each sample holds counts since the launch's start, until series_finish turns the samples into differences.
#include "chip/series.h"

#include <string.h>

void gpu_counts_add(struct gpu_counts *to, const struct gpu_counts *from)
{
#define GPU_COUNTER(group, name, unit, meaning) to->group##_##name += from->group##_##name;
#define GPU_LANES(which, name, meaning)         to->lanes[LANES_##which] += from->lanes[LANES_##which];
#define GPU_SLOT(which, name, meaning)          to->slots[SLOT_##which] += from->slots[SLOT_##which];
#define GPU_LEVEL(which, name, meaning)         to->levels[LEVEL_##which] += from->levels[LEVEL_##which];
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
}

static void gpu_counts_subtract(struct gpu_counts *from, const struct gpu_counts *what)
{
#define GPU_COUNTER(group, name, unit, meaning) from->group##_##name -= what->group##_##name;
#define GPU_LANES(which, name, meaning)         from->lanes[LANES_##which] -= what->lanes[LANES_##which];
#define GPU_SLOT(which, name, meaning)          from->slots[SLOT_##which] -= what->slots[SLOT_##which];
#define GPU_LEVEL(which, name, meaning)         from->levels[LEVEL_##which] -= what->levels[LEVEL_##which];
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
}

void memory_counts_subtract(struct memory_counts *from, const struct memory_counts *what)
{
#define MEMORY_COUNTER(name, unit, meaning) from->name -= what->name;
#define DRAM_COUNTER(name, unit, meaning)   from->dram.name -= what->dram.name;
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
}

void series_fini(struct chip_series *s) { vec_fini(&s->samples); }

void series_begin(struct chip_series *s, uint64_t start)
{
    s->samples.count = s->taken = 0;
    s->start = start;
    s->next = start + s->interval;
}

void series_join(const struct chip_series *s, struct sm_grid *part) { sm_sample(part, s->next, s->interval); }

void series_keep(struct chip_series *s, const struct memory_system *m, unsigned grid,
                 const struct memory_counts *before, uint64_t now)
{
    for (; s->next <= now; s->next += s->interval) {
        struct chip_sample sample = {.to = s->next - s->start};
        memory_system_counts(m, grid, &sample.memory);
        memory_counts_subtract(&sample.memory, before);
        vec_push(&s->samples, sample);
    }
}

void series_take(struct chip_series *s, struct sm_grid *part)
{
    size_t more;
    const struct gpu_counts *counts = sm_samples(part, &more);
    for (size_t n = 0; n < more; n++) gpu_counts_add(&s->samples.data[s->taken + n].gpu, &counts[n]);
}

void series_taken(struct chip_series *s) { s->taken = s->samples.count; }

// The last sample also gets the memory's counts after the launch's last cycle, and all counts of a window cut
// short by a fault.
void series_finish(struct chip_series *s, uint64_t cycles, const struct gpu_counts *gpu,
                   const struct memory_counts *memory)
{
    s->samples.count = s->taken;
    while (s->samples.count && vec_last(&s->samples).to >= cycles) s->samples.count--;
    vec_push(&s->samples, (struct chip_sample){.to = cycles, .gpu = *gpu, .memory = *memory});
    for (size_t k = s->samples.count; k-- > 1;) {
        struct chip_sample *now = &s->samples.data[k];
        const struct chip_sample *before = &s->samples.data[k - 1];
        now->from = before->to;
        gpu_counts_subtract(&now->gpu, &before->gpu);
        memory_counts_subtract(&now->memory, &before->memory);
    }
}

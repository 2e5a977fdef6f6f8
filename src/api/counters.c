// The engine's counts as named counters.
#include "api/impl.h"

#include <string.h>

static const struct wf_counter rows[API_COUNTERS] = {
#define COUNTER(name_, unit_, meaning_) {.name = "exec." #name_, .unit = unit_, .meaning = meaning_},
#include "exec/counters.def"
#undef COUNTER
#define GPU_COUNTER(group, name_, unit_, meaning_)                                                           \
    {.name = "sm." #group "." #name_, .unit = unit_, .meaning = meaning_},
#define GPU_LANES(which, name_, meaning_)                                                                    \
    {.name = "sm.lanes." #name_, .unit = "thread instructions", .meaning = meaning_},
#define GPU_SLOT(which, name_, meaning_) {.name = "sm.slots." #name_, .unit = "slots", .meaning = meaning_},
#define GPU_LEVEL(which, name_, meaning_)                                                                    \
    {.name = "sm.memory_slots." #name_, .unit = "slots", .meaning = meaning_},
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
#define MEMORY_COUNTER(name_, unit_, meaning_) {.name = "memory." #name_, .unit = unit_, .meaning = meaning_},
#define DRAM_COUNTER(name_, unit_, meaning_)   {.name = "dram." #name_, .unit = unit_, .meaning = meaning_},
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
};

// Counter i of mechanism t, with value 0. The name, such as "darsie.skipped", lies in the arena.
static struct wf_counter row_of_tech(struct arena *a, const struct tech *t, size_t i)
{
    return (struct wf_counter){.name = arena_printf(a, "%s.%s", t->name, t->counters[i].name),
                               .unit = t->counters[i].unit,
                               .meaning = t->counters[i].meaning};
}

bool wf_counter_at(size_t index, struct wf_counter *counter)
{
    if (index >= API_COUNTERS) return false;
    *counter = rows[index];
    return true;
}

bool wf_tech_counter_at(struct wf_context *c, const char *tech, size_t index, struct wf_counter *counter)
{
    for (size_t k = 0; tech_at_index(k); k++) {
        const struct tech *t = tech_at_index(k);
        if (strcmp(t->name, tech) != 0 || index >= t->counter_count) continue;
        *counter = row_of_tech(&c->techs.arena, t, index);
        return true;
    }
    return false;
}

void api_counter_values(const struct exec_counts *exec, const struct gpu_counts *gpu,
                        const struct memory_counts *memory, uint64_t values[API_COUNTERS])
{
    const uint64_t all[API_COUNTERS] = {
#define COUNTER(name, unit, meaning) exec ? exec->name : WF_UNKNOWN,
#include "exec/counters.def"
#undef COUNTER
#define GPU_COUNTER(group, name, unit, meaning) gpu ? gpu->group##_##name : WF_UNKNOWN,
#define GPU_LANES(which, name, meaning)         gpu ? gpu->lanes[LANES_##which] : WF_UNKNOWN,
#define GPU_SLOT(which, name, meaning)          gpu ? gpu->slots[SLOT_##which] : WF_UNKNOWN,
#define GPU_LEVEL(which, name, meaning)         gpu ? gpu->levels[LEVEL_##which] : WF_UNKNOWN,
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
#define MEMORY_COUNTER(name, unit, meaning) memory ? memory->name : WF_UNKNOWN,
#define DRAM_COUNTER(name, unit, meaning)   memory ? memory->dram.name : WF_UNKNOWN,
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
    };
    memcpy(values, all, sizeof all);
}

// Fills `out` with a mechanism's counters; values NULL: WF_UNKNOWN. The names share one allocation owned by
// the launch.
static void fill_tech(struct wf_pending *l, const struct tech *t, const uint64_t *values,
                      struct wf_counter *out)
{
    size_t length = 0;
    for (size_t i = 0; i < t->counter_count; i++) length += strlen(t->name) + strlen(t->counters[i].name) + 2;
    char *name = api_piece(l, length);
    for (size_t i = 0; i < t->counter_count; i++) {
        out[i] = (struct wf_counter){.name = name,
                                     .unit = t->counters[i].unit,
                                     .meaning = t->counters[i].meaning,
                                     .value = values ? values[i] : WF_UNKNOWN};
        name = stpcpy(stpcpy(stpcpy(name, t->name), "."), t->counters[i].name) + 1;
    }
}

struct wf_counter *api_counters(struct wf_pending *l, const struct exec_counts *counts,
                                const struct chip_result *timed, size_t *count)
{
    const struct tech_choice *techs = &l->context->techs;
    size_t filled = API_COUNTERS, all = API_COUNTERS;
    for (unsigned k = 0; k < techs->count; k++) all += techs->uses[k].tech->counter_count;
    struct wf_counter *out = API_ARRAY(l, struct wf_counter, all);
    uint64_t values[API_COUNTERS];
    api_counter_values(counts, timed ? &timed->gpu : NULL, timed ? &timed->memory : NULL, values);
    for (size_t i = 0; i < API_COUNTERS; i++) {
        out[i] = rows[i];
        out[i].value = values[i];
    }
    for (unsigned k = 0; k < techs->count; k++) {
        fill_tech(l, techs->uses[k].tech, timed ? timed->techs[k] : NULL, out + filled);
        filled += techs->uses[k].tech->counter_count;
    }
    *count = all;
    return out;
}

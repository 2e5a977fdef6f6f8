// The engine's counts as named counters.
#include "api/impl.h"

static const struct wf_counter rows[API_COUNTERS] = {
#define COUNTER(name_, unit_, meaning_) {.name = "exec." #name_, .unit = unit_, .meaning = meaning_},
#include "exec/counters.def"
#undef COUNTER
};

bool wf_counter_at(size_t index, struct wf_counter *counter)
{
    if (index >= API_COUNTERS) return false;
    *counter = rows[index];
    return true;
}

void api_counters_fill(struct wf_context *c, const struct exec_counts *counts)
{
    const uint64_t values[API_COUNTERS] = {
#define COUNTER(name, unit, meaning) counts->name,
#include "exec/counters.def"
#undef COUNTER
    };
    for (size_t i = 0; i < API_COUNTERS; i++) {
        c->counters[i] = rows[i];
        c->counters[i].value = values[i];
    }
}

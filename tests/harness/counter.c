#include "harness/counter.h"
#include "base/str.h"
#include "tech/registry.h"

#include <string.h>

static const struct wf_counter *find(const struct wf_counter *list, size_t count, const char *name)
{
    for (size_t n = 0; n < count; n++)
        if (str_equal(list[n].name, name)) return &list[n];
    return NULL;
}

uint64_t counter_in(struct test *t, const struct wf_counter *list, size_t count, const char *name)
{
    const struct wf_counter *found = find(list, count, name);
    CHECK_MSG(t, found, "no counter %s", name);
    return found ? found->value : WF_UNKNOWN;
}

uint64_t counter(struct test *t, const struct wf_stats *s, const char *name)
{
    return counter_in(t, s->counters, s->counter_count, name);
}

uint64_t counter_in_if_used(struct test *t, const struct wf_counter *list, size_t count, const char *name)
{
    if (!find(list, count, name) && counter_is_of_tech(name)) return 0;
    return counter_in(t, list, count, name);
}

uint64_t counter_if_used(struct test *t, const struct wf_stats *s, const char *name)
{
    return counter_in_if_used(t, s->counters, s->counter_count, name);
}

size_t counter_index(struct test *t, const char *name)
{
    struct wf_counter c;
    for (size_t n = 0; wf_counter_at(n, &c); n++)
        if (str_equal(c.name, name)) return n;
    CHECK_MSG(t, false, "no counter %s", name);
    return 0;
}

bool counter_is_of_tech(const char *name)
{
    const char *dot = strchr(name, '.');
    for (size_t k = 0; dot && tech_at_index(k); k++) {
        const struct tech *tech = tech_at_index(k);
        if (strncmp(name, tech->name, strlen(tech->name)) != 0 || tech->name[dot - name]) continue;
        for (size_t n = 0; n < tech->counter_count; n++)
            if (str_equal(tech->counters[n].name, dot + 1)) return true;
    }
    return false;
}

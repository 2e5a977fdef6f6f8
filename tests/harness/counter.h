// Counters of a run by printed name: "sm.l1.misses", "uv.reused". A name without a counter fails the case
// and is named.
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

// Value of a counter of a launch; WF_UNKNOWN: not counted in this launch, or no such counter.
uint64_t counter(struct test *t, const struct wf_stats *s, const char *name);
// The same in a list of `count` counters.
uint64_t counter_in(struct test *t, const struct wf_counter *list, size_t count, const char *name);
// The same for a counter of a registered mechanism, with 0 where the mechanism is not in use.
uint64_t counter_if_used(struct test *t, const struct wf_stats *s, const char *name);
uint64_t counter_in_if_used(struct test *t, const struct wf_counter *list, size_t count, const char *name);
// Place of a counter in the counters of every run, samples included; 0 after a failure.
size_t counter_index(struct test *t, const char *name);
// Whether a registered mechanism has a counter of the name.
bool counter_is_of_tech(const char *name);

// The stepping page's data (report/steps.h), read back.
#pragma once
#include "base/json_read.h"
#include "harness/test.h"

#include <stdint.h>

struct steps_inst {
    uint64_t fetched, buffered, issued, collected, done, sent; // done, sent: 0: never
    uint32_t sm, slot, launch, flags, lines, passes;
    const char *pc, *text, *mask; // mask: NULL: dropped
};

// The data of the page; fails the case if absent. The page must outlive neither the value nor the arena.
const struct json_value *steps_data(struct test *t, const char *page, struct arena *a);
// The run of the name, or NULL.
const struct json_value *steps_run(const struct json_value *data, const char *name);
// Instructions of all SMs, by cycle of fetch, then SM: heap.
struct steps_inst *steps_insts(struct test *t, const struct json_value *run, size_t *count);
size_t steps_length(const struct json_value *list);
const struct json_value *steps_element(const struct json_value *list, size_t index);

// What the execution engine counts, a member per row of counters.def.
#pragma once
#include <stdint.h>

struct exec_counts {
#define COUNTER(name, unit, meaning) uint64_t name;
#include "exec/counters.def"
#undef COUNTER
};

// Execution units and classes of latency of instructions. units.def has a row per value.
#pragma once
// clang-format off

enum isa_unit {
#define UNIT(name, text) UNIT_##name,
#include "isa/units.def"
#undef UNIT
    UNIT_COUNT
};

enum isa_latency {
#define LATENCY(name, text) LATENCY_##name,
#include "isa/units.def"
#undef LATENCY
    LATENCY_COUNT
};

const char *isa_unit_name(enum isa_unit unit);
const char *isa_latency_name(enum isa_latency latency);

// Units slower than the execute stage: multiplier (and shifter), divider, floating point. A result waits in
// its unit until taken; a pipeline takes one result a cycle. A refused warp retries.
#pragma once
#include "simtight/config.h"

enum simtight_unit { SIMTIGHT_MUL, SIMTIGHT_DIV, SIMTIGHT_FPU, SIMTIGHT_UNITS };

enum { SIMTIGHT_RESULTS = 256 };

struct simtight_result {
    uint64_t at;
    uint32_t lanes;
    uint8_t warp, reg;
};

struct simtight_unit_state {
    struct simtight_result all[SIMTIGHT_RESULTS]; // in order of cycle
    uint32_t count, most;
};

struct simtight_units {
    struct simtight_unit_state of[SIMTIGHT_UNITS];
};

void simtight_units_init(struct simtight_units *u, const struct simtight_config *c);
bool simtight_unit_takes(const struct simtight_units *u, enum simtight_unit which);
void simtight_unit_begin(struct simtight_units *u, enum simtight_unit which, struct simtight_result r);
// Takes a result due by `now`; false: no result is due.
bool simtight_unit_take(struct simtight_units *u, enum simtight_unit which, uint64_t now,
                        struct simtight_result *r);
uint64_t simtight_units_next(const struct simtight_units *u); // UINT64_MAX: none

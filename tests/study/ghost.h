// Runs generated and bundled kernels under ghost identities (study/identity.h).
#pragma once
#include "api/impl.h"
#include "generator/generator.h"
#include "harness/test.h"
#include "study/identity.h"
#include "workload/workload.h"

struct ghost_settings {
    const char *settings[6]; // "key=value", ends with NULL
    uint32_t broken;         // rules left out, bits by enum mark_soundness
    bool paper;
    bool extensions; // all extensions of the marks
};

struct ghost_result {
    bool ran;        // no error, no fault
    bool deadlocked; // by the program's own barriers
    struct identity_counts counts;
    char hole[512], race[512], pattern[256], error[512];
};

void ghost_run_generated(const struct generated *g, const struct ghost_settings *s, struct ghost_result *r);
// Runs all launches of a bundled workload, with marks for each kernel.
void ghost_run_workload(const struct workload *w, enum workload_size size, enum workload_ptx ptx,
                        const struct ghost_settings *s, struct ghost_result *r);

// Running generated and bundled kernels under the eyes of ghost identities (study/identity.h).
#pragma once
#include "api/impl.h"
#include "generator/generator.h"
#include "harness/test.h"
#include "study/identity.h"
#include "workload/workload.h"

struct ghost_settings {
    const char *settings[6]; // "key=value", ends with NULL
    uint32_t broken;         // bits by enum mark_soundness
    bool paper;
    bool extensions; // of the marks, all of them
};

struct ghost_result {
    bool ran;        // no error, no fault
    bool deadlocked; // barriers of the program's own making
    struct identity_counts counts;
    char hole[512], race[512], pattern[256], error[512];
};

void ghost_run_generated(const struct generated *g, const struct ghost_settings *s, struct ghost_result *r);
// All launches of a bundled workload, each kernel with marks of its own.
void ghost_run_workload(const struct workload *w, enum workload_size size, enum workload_ptx ptx,
                        const struct ghost_settings *s, struct ghost_result *r);

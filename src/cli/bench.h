// Choosing bundled workloads, for every command that runs them.
#pragma once
#include "cli/options.h"
#include "workload/workload.h"

struct bench_selection { // --size, --ptx
    enum workload_size size;
    enum workload_ptx ptx;
};

enum wf_status bench_selection(const struct options *o, struct bench_selection *what, struct diag *d);
// By name, where it has the size; WF_BAD_INPUT and an error with the nearest name.
enum wf_status bench_find(const char *name, enum workload_size size, const struct workload **w,
                          struct diag *d);

// Choosing bundled workloads, for every command that runs them.
#pragma once
#include "base/vec.h"
#include "cli/options.h"
#include "workload/workload.h"

struct bench_selection { // --size, --ptx
    enum workload_size size;
    enum workload_ptx ptx;
};

// What is named, groups resolved.
struct bench_member {
    const struct workload *workload;
    unsigned registers; // as in struct workload_options: the group's
};
struct bench_list {
    VEC(struct bench_member) all;
};

enum wf_status bench_selection(const struct options *o, struct bench_selection *what, struct diag *d);
// A kernel by its name; NULL, and an error with the nearest name, where there is none or not of this size.
const struct workload *bench_find(const char *name, enum workload_size size, struct diag *d);
// The same, or those of a group that have the size; else WF_BAD_INPUT.
enum wf_status bench_add(struct bench_list *list, const char *name, enum workload_size size, struct diag *d);

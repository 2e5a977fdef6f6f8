// Selection of bundled workloads, shared by several commands.
#pragma once
#include "base/vec.h"
#include "cli/options.h"
#include "cli/own_workload.h"
#include "workload/workload.h"

// Values of --size and --ptx.
struct bench_selection {
    enum workload_size size;
    enum workload_ptx ptx;
};

// A selected workload, with groups resolved.
struct bench_member {
    const struct workload *workload;
    // Per thread, from the paper of the group that the workload was selected by; 0: no number, and the
    // default of workload_options.registers holds.
    unsigned registers;
};
struct bench_list {
    VEC(struct bench_member) all;
    VEC(struct own_workload *) own; // among `all`
};
void bench_list_fini(struct bench_list *list);

enum wf_status bench_selection(const struct options *o, struct bench_selection *what, struct diag *d);
// A bundled kernel by name. NULL and an error: the kernel is unknown (with the nearest name, if any), or has
// no input of the size or no PTX by the compiler.
const struct workload *bench_find(const char *name, const struct bench_selection *what, struct diag *d);
// Adds a kernel, a run of the user's own (own_workload.h), or all members of a group that have the size and the PTX. WF_BAD_INPUT and
// an error: neither a kernel nor a group has the name, or nothing named has both.
enum wf_status bench_add(struct bench_list *list, const char *name, const struct bench_selection *what,
                         struct diag *d);

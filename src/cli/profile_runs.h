// Launches of `warpfold profile`: of options, a script or a bundled kernel, in the base run and in what-if runs.
#pragma once
#include "cli/bench.h"
#include "cli/session.h"

struct profile_subject {
    const struct options *options;
    const struct workload *workload; // NULL: the launches of `run`
    struct bench_selection selection;
};

// Reads --bench, --size and --ptx, or checks the options of a launch or script.
enum wf_status profile_subject_init(struct profile_subject *p, const struct options *o, struct diag *d);
// Runs the launches in the session, with its change. Results of a bundled kernel are not compared.
enum wf_status profile_subject_run(const struct profile_subject *p, struct session *s);
// The same, and ends when all launches together are over `most` cycles: *is_over.
enum wf_status profile_subject_run_within(const struct profile_subject *p, struct session *s, double most,
                                          bool *is_over);

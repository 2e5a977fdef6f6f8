// Rules: costs of a run, ranked by the gain of what-if runs of the same launches with that one cost left out.
//
//     base run ─ facts ─▶ evidence of every rule ─▶ at most PROFILE_TRIALS what-if runs ─▶ gains ─▶ ranks
//
// A gain is an upper bound of a repair: 1 - cycles of the what-if run / cycles of the base run.
#pragma once
#include "profile/facts.h"

enum { PROFILE_TRIALS = 4 }; // with the base run five: a profile costs less than six runs, page included

enum rule_state {
    RULE_ABSENT,    // evidence below 3 % of the time
    RULE_MEASURED,  // by a what-if run
    RULE_BOUND,     // no what-if run exists; the evidence is the bound
    RULE_NOT_TRIED, // other rules had more evidence
    RULE_FAILED     // the what-if run failed or took too long
};

struct rule {
    const char *name, *meaning, *what_if, *settings, *covers, *advice; // static; settings NULL: no run
    double evidence;                                                   // share of the time, at most
    enum rule_state state;
    double gain;        // share of the time; 0 unless measured or a bound
    double rest;        // of the gain, the part not covered by other rules; the rank
    double cycles;      // of the what-if run, scaled to all blocks
    const char *line;   // source lines; NULL: none
    const char *kernel; // of the line
    char *skipped_line; // heap; NULL: none
};

struct trial {
    const char *settings; // as in rules.def
    double cycles;        // of all launches, scaled to all blocks; below 0: not measured
};

struct profile {
    struct facts facts;
    VEC(struct rule) rules; // in the order of rules.def; by rank after profile_rank
    struct trial trials[PROFILE_TRIALS];
    size_t trial_count;
    bool may_change;             // PTX and grids of what-if runs
    const struct beside *beside; // an earlier profile (beside.h), not owned; NULL: none
};

// Evidence of all rules for a base run on SMs, and the choice of trials. Run and context outlive the profile. may_change
// false: rules that change PTX or grids have no run.
void profile_init(struct profile *p, const struct report_run *base, struct wf_context *context,
                  bool may_change);
// Cycles of all launches after which a what-if run gains nothing and may end.
double profile_most_cycles(const struct profile *p);
void profile_fini(struct profile *p);
// The result of trial number i: the what-if run, or NULL after a failure. is_over: ended at profile_most_cycles. context: of the run; NULL: `run` has launches
// only, and an "@tech" rule keeps the line of the base run.
void profile_tried(struct profile *p, size_t i, const struct report_run *run, bool is_over,
                   struct wf_context *context);
// Gains and ranks, after the last trial.
void profile_rank(struct profile *p);
// The first place outside headers of a list of places with chains of inlining (struct wf_account), else the first place.
const char *profile_place(const char *lines, int *length);
// "kernel conflicts is limited by bank conflicts; without bank conflicts it takes at most 78.1 % less time; the line: a.cu:31"
void profile_sentence(const struct profile *p, struct strbuf *out);

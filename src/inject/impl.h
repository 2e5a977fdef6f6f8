// Private to inject/: a run of the workload in a separate context.
#pragma once
#include "inject/inject.h"

// An injection in full.
struct inject_injection {
    uint64_t seed;
    enum upset_place place;
    uint64_t nth; // index among the places of the kind
    uint64_t draw;
};
struct inject_injection inject_draw(const struct inject *c, const struct inject_space *space, uint64_t seed);

// Launches and cycles of a run so far, and the limits beyond which the run counts as a hang.
struct inject_watch {
    const struct inject *campaign;
    uint64_t launches, cycles;
    uint64_t most_launches, most_cycles; // 0: no limit
    bool is_over;                        // a limit was exceeded
    bool never_ends;                     // a launch was stopped as endless
    // Called after every launch; NULL: not called.
    void (*launched)(void *context, struct wf_kernel *k, const struct wf_stats *stats);
    void *context;
};

void inject_watch_limit(struct inject_watch *w, const struct inject_space *space);
// Runs the workload in a new context. `complains`: after a failure, the context's first error is added to the
// campaign's diag.
enum wf_status inject_execute(struct inject_watch *w, const struct upsets *upsets, bool complains,
                              struct workload_result *result);
// The outcome of a run with a flipped bit that no check has detected.
enum inject_outcome inject_judge(const struct inject_watch *w, const struct inject_space *space,
                                 enum wf_status status, const struct workload_result *result);
void inject_note(struct inject_result *r, const struct inject_watch *w, const struct upset_site *s,
                 const struct upset_flip *f);

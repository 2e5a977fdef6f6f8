// Inside inject/: a run of the workload in a context of its own.
#pragma once
#include "inject/inject.h"

struct inject_injection { // all of it
    uint64_t seed;
    enum upset_place place;
    uint64_t nth; // of the places of that kind
    uint64_t draw;
};
struct inject_injection inject_draw(const struct inject *c, const struct inject_space *space, uint64_t seed);

// Of a run: what it has come to, and when it is too late for it.
struct inject_watch {
    const struct inject *campaign;
    uint64_t launches, cycles;
    uint64_t most_launches, most_cycles; // 0: no limit
    bool is_over;                        // a limit was passed
    bool never_ends;                     // a launch did
    // After every launch; NULL: nobody asks.
    void (*launched)(void *context, struct wf_kernel *k, const struct wf_stats *stats);
    void *context;
};

void inject_watch_limit(struct inject_watch *w, const struct inject_space *space);
// `complains`: what goes wrong becomes an error of the campaign's diag.
enum wf_status inject_execute(struct inject_watch *w, const struct upsets *upsets, bool complains,
                              struct workload_result *result);
// Of a run in which a bit has turned and that no check has said anything of.
enum inject_outcome inject_judge(const struct inject_watch *w, const struct inject_space *space,
                                 enum wf_status status, const struct workload_result *result);
void inject_note(struct inject_result *r, const struct inject_watch *w, const struct upset_site *s,
                 const struct upset_flip *f);

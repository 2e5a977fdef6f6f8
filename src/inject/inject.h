// Fault injection: one bit turns in a running kernel, and what becomes of it is seen.
//
// The contract
//   Places. A bit may turn in: the result of a lane of an instruction that computes, each lane of each execution once; a vector
//     register, or one of the copies of its value, each cycle once in which it is going to be read; an entry of the reuse buffer, each
//     cycle once in which it is going to be found. They are counted in a run without a fault, and are the denominators of what
//     the mechanism predicts (tech/uv/coverage.c): nothing is drawn by another rule than it counts by.
//   Injections. A seed says all of one: which kind of place (each that has any is as likely), which of these, and the bit.
//     A campaign's n-th injection has a seed made of its own and n, so more injections leave the earlier ones as they are.
//   Runs. The bit turns for real, in the words that the timed run works with, and everything behind it runs on. Detected: a check of
//     the mechanism found what should be equal to differ, by comparing it. Masked: the output has the bytes of the run without
//     a fault (class D; of the others, is within the reference's tolerance). Silent: it has not. Crash: a launch failed.
//     Hang: it came to no end, or to none within LIMIT times the cycles of the run without a fault.
//   Speed. One run carries all injections: it forks where a bit is to turn, and the child turns it and goes on to the end, or until
//     a check speaks. inject_replay runs a whole one instead, and is what that is compared with.
//   Interruption. What has ended is a line of a journal (journal.h); the rest is done by the next call. The seeds and their ends are
//     the same however many processes work and whatever stopped them.
#pragma once
#include "base/diag.h"
#include "inject/journal.h"
#include "sm/mech/upset.h"
#include "workload/workload.h"

struct inject {
    const struct workload *workload;
    struct workload_options options;
    // Settings, GPU and mechanism of a context; false: it has errors.
    bool (*prepare)(void *context, struct wf_context *c);
    void *prepare_context;
    bool (*is_interrupted)(void *); // asked now and then, with NULL; NULL: never
    uint64_t seed;                  // of the campaign
    unsigned places;                // bits of enum upset_place; of these the ones that there are
    unsigned workers;               // processes at a time
    bool progress;
    struct diag *diag;
};

// A run without a fault.
struct inject_space {
    uint64_t places[UPSET_PLACES], covered[UPSET_PLACES]; // covered: predicted to be found
    uint64_t output_hash, cycles, launches;
};

struct inject_replayed { // an injection, and the instruction where the bit turned
    struct inject_result result;
    char kernel[128], instruction[128];
};

const char *inject_place_name(enum upset_place place); // "lanes"
uint64_t inject_seed(const struct inject *c, uint32_t number);

// WF_OK, or how a run failed, with errors in `diag`.
enum wf_status inject_measure(const struct inject *c, struct inject_space *space);
// Whatever of the first `count` the journal does not have. WF_INTERRUPTED: the next call goes on.
enum wf_status inject_run(const struct inject *c, const struct inject_space *space, uint32_t count,
                          struct journal *j);
enum wf_status inject_replay(const struct inject *c, const struct inject_space *space, uint64_t seed,
                             struct inject_replayed *r);

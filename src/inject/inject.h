// Fault injection: flips one bit in a running kernel and observes the outcome.
//
// The contract
//   Places. A bit may flip in one of three kinds of places:
//     - the result of a lane of a computing instruction, once per lane and execution;
//     - a vector register or a copy of its value, once per cycle with a read still to come;
//     - an entry of the reuse buffer, once per cycle with a hit still to come.
//   A fault-free run counts the places. The same counts are the denominators of the mechanism's prediction
//   (tech/uv/coverage.c), so sampling and prediction follow one rule.
//   Injections. A seed determines an injection: the kind of place (kinds with places are equally likely), the
//   place, and the bit. The seed of injection n is made of the campaign's seed and n, so further injections
//   leave earlier injections unchanged.
//   Runs. The bit flips in the words used by the timed run, and execution continues. Outcomes:
//     Detected: a check of the mechanism compared values that should be equal and found a difference.
//     Masked:   the output has the bytes of the fault-free run (class D; other classes: within tolerance).
//     Silent:   the output is wrong and no check found a difference.
//     Crash:    a launch failed.
//     Hang:     no end, or more than LIMIT times the cycles or launches of the fault-free run.
//   Speed. A single run carries all injections: it forks at the place of a flip. The child flips the bit and
//   runs to the end or to a detection. inject_replay makes a complete run for one injection, as a reference.
//   Interruption. A finished injection is a line of a journal (journal.h); the next call does the remaining
//   injections. Seeds and outcomes do not depend on the number of processes or on interruptions.
#pragma once
#include "base/diag.h"
#include "inject/journal.h"
#include "sm/mech/upset.h"
#include "workload/workload.h"

struct inject {
    const struct workload *workload;
    struct workload_options options;
    // Sets settings, GPU and mechanism of a context. False: an error, in the context or in `diag`.
    bool (*prepare)(void *context, struct wf_context *c);
    void *prepare_context;
    bool (*is_interrupted)(void *); // polled with NULL; NULL: no polling
    uint64_t seed;                  // of the campaign
    // kinds of places to flip bits in, bit 1 << enum upset_place; kinds without places in the run are skipped
    unsigned places;
    unsigned workers; // child processes at a time
    bool progress;
    struct diag *diag;
};

// Counts of a fault-free run.
struct inject_space {
    uint64_t places[UPSET_PLACES], covered[UPSET_PLACES]; // covered: predicted as detected
    uint64_t output_hash, cycles, launches;
};

// Result of a replayed injection, the kernel of the flip, and an instruction: the producer of the changed
// result, or the next reader of the register or entry.
struct inject_replayed {
    struct inject_result result;
    char kernel[128], instruction[128];
};

const char *inject_place_name(enum upset_place place); // "lanes"
uint64_t inject_seed(const struct inject *c, uint32_t number);

// Makes the fault-free run and counts its places. Not WF_OK: the run failed, a check fired, the output
// differs from the reference, or no place exists. Errors are in `diag`.
enum wf_status inject_measure(const struct inject *c, struct inject_space *space);
// Runs the injections among the first `count` that are not in the journal. WF_INTERRUPTED: the next call
// continues. WF_BAD_INPUT and an error, for instance: a child process or the journal failed.
enum wf_status inject_run(const struct inject *c, const struct inject_space *space, uint32_t count,
                          struct journal *j);
enum wf_status inject_replay(const struct inject *c, const struct inject_space *space, uint64_t seed,
                             struct inject_replayed *r);

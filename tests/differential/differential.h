// Runs one kernel in every way of compiling and executing, and compares with the oracle.
//
//     compare.c      one kernel: oracle, engine, the two compared
//     variant.c      the ways of compiling and executing, applied to every kernel
//     combination.c  random ways over all options; program.c their programs
//     hunt.c         many seeds in child processes: a crash or a hang is a finding like any other
//     shrink.c       a smaller kernel that still fails
#pragma once
#include "base/str.h"
#include "generator/generator.h"
#include "harness/test.h"

#include <stdbool.h>
#include <stdint.h>

// A way of compiling and executing: settings "key=value", NULL-terminated. Besides the keys of a context:
//
//     gpu=NAME  tech=NAME:KEY=V,…  study=NAME   hardware and mechanisms; tech= also verifies shared values
//     above=NAME  below=NAME                    behind tech=: a further mechanism (tech/extra.h), before or
//                                               after the rest
//     host.verify=0|1  host.threads=N           verification of shared values; threads of the host
//     host.cycles=N                             a launch still running after N cycles counts as a hang
//     host.watch=1                              record a timeline
//     host.again=KEY=VALUE                      of programs that run together: a second run with KEY=VALUE,
//                                               which must reproduce every figure
//     host.counts=1                             instructions issued and skipped with mechanisms equal those
//                                               issued without, unless the count depends on time
typedef const char *const *way;

struct variant {
    const char *name;
    const char *settings[10];
    bool any_warp_size; // warp.size is not 32: only kernels independent of the warp size
    unsigned every;     // run for every n-th seed; 0 = each
};

extern const struct variant variants[];
extern const unsigned variant_count;
bool variant_available(unsigned index); // the processor supports the variant

enum verdict {
    SAME,
    INVALID, // the kernel does not parse, or the oracle in strict mode finds undefined behaviour
    DIFFERS, // other memory than the oracle's, or shared values, or counts
    REFUSED, // the engine reports an error: compile error
    FAILED,  // the program faults or does not end
    CRASHED, // a signal
    TIMED_OUT
};
const char *verdict_name(enum verdict v);

// The oracle's result for a kernel, kept while variants are compared with it. A kernel with undefined
// memory is known only to end, from a run without timing.
struct expectation {
    struct generated launch;
    uint8_t *in, *out; // after the launch
    uint8_t acc[GENERATOR_ACC_BYTES];
    uint32_t out_bytes;
    uint64_t steps;
};

// False: INVALID, and why. max_steps 0: a generous limit.
bool expect(const char *text, uint64_t max_steps, struct expectation *e, struct strbuf *why);
void expectation_fini(struct expectation *e);
// Runs several kernels at once, a stream each, in the way of the first. Each kernel must leave the memory
// of a run alone. breaker: a further kernel that fails (entry k, a pointer as parameter); NULL: none.
enum verdict compare_together(const char *const *texts, const struct expectation *e, unsigned count,
                              const char *breaker, way settings, struct strbuf *why);
// SAME, DIFFERS, REFUSED or FAILED. `extra`: a further setting, or NULL.
enum verdict compare(const char *text, const struct expectation *e, way settings, const char *extra,
                     struct strbuf *why);
// Runs expect() and compare() in a child process with a time limit, so every verdict is possible.
enum verdict judge(const char *text, way settings, const char *extra, uint64_t max_steps, unsigned limit_s,
                   struct strbuf *why);

struct generator_options options_of(uint64_t seed);

struct finding {
    uint64_t seed;
    unsigned variant;
    enum verdict verdict;
    char why[400];
};

struct hunt {
    uint64_t first, count;
    enum verdict (*try)(uint64_t seed, struct strbuf *why); // NULL: the seed's kernel in the variants
    const char *extra;                                      // setting for every variant, or NULL
    int only_variant;                                       // -1: all
    unsigned stop_after;                                    // findings; 0: never
    bool verbose;
    uint64_t programs, comparisons; // out
    uint64_t seeds_done;            // out: seeds finished; the first finding ends the count
};
// Appends findings to `found` (room for `limit`), returns how many.
unsigned hunt(struct hunt *h, struct finding *found, unsigned limit);
// Hunts up to three findings (h->stop_after is set) and fails the case for every finding and for seeds not
// tried: "WHAT 7: differs: why", and the command AGAIN 7; NULL: no command.
void hunt_check(struct test *t, struct hunt *h, const char *what, const char *again);

// Makes `text` as small as possible while the verdict stays `wanted`.
void shrink(struct strbuf *text, way settings, const char *extra, enum verdict wanted, bool verbose);

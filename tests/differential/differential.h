// Running one kernel in every way there is, and comparing with the oracle.
//
//     compare.c      one kernel: oracle, engine, the two compared
//     variant.c      the ways of compiling and executing that every kernel meets
//     combination.c  random ones, of all options there are; program.c what runs in them
//     hunt.c         many seeds in child processes: a crash or a hang is one more failure
//     shrink.c       a smaller kernel that still fails
#pragma once
#include "base/str.h"
#include "generator/generator.h"

#include <stdbool.h>
#include <stdint.h>

// A way of compiling and executing: settings "key=value", NULL-terminated. Besides the keys there are
//
//     gpu=NAME  tech=NAME:KEY=V,…  study=NAME   what it runs on; tech= also has shared values verified
//     above=NAME  below=NAME                    behind tech=: one more mechanism (tech/extra.h), before the
//                                               others or after them
//     host.verify=0|1  host.threads=N           shared values are verified or not; threads of the host
//     host.cycles=N                             after so many a launch is taken for a hang
//     host.watch=1                              a timeline is taken
//     host.again=KEY=VALUE                      of programs that run together: once more with this besides, which must
//                                               leave every figure as it was
//     host.counts=1                             what mechanisms issue and skip is what issues without them,
//                                               where that does not depend on time
typedef const char *const *way;

struct variant {
    const char *name;
    const char *settings[10];
    bool any_warp_size; // warp.size is not 32: only kernels that do not depend on it
    unsigned every;     // run for every n-th seed; 0 = each
};

extern const struct variant variants[];
extern const unsigned variant_count;
bool variant_available(unsigned index); // the processor has what it asks for

enum verdict {
    SAME,
    INVALID, // the kernel does not parse, or the oracle in strict mode finds it ill-defined
    DIFFERS, // other memory than the oracle's, or shared values, or counts
    REFUSED, // the engine reports an error: compile error
    FAILED,  // the program faults or does not end
    CRASHED, // a signal
    TIMED_OUT
};
const char *verdict_name(enum verdict v);

// What the oracle says of a kernel; kept while variants are compared with it. Of a kernel whose memory is not
// defined it is only known that it ends, because it does when it runs without timing.
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
// Several kernels at once, each in a stream of its own, which must all leave what each leaves alone; in the way of the
// first. Beside them one may run that fails (entry k, with a pointer), NULL: none.
enum verdict compare_together(const char *const *texts, const struct expectation *e, unsigned count,
                              const char *breaker, way settings, struct strbuf *why);
// SAME, DIFFERS, REFUSED or FAILED. `extra` is one more setting, or NULL.
enum verdict compare(const char *text, const struct expectation *e, way settings, const char *extra,
                     struct strbuf *why);
// The same from the beginning in a child process with a time limit, so all verdicts are possible.
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
    uint64_t seeds_done;            // out: seeds finished before the first finding stopped it
};
// Appends findings to `found` (room for `limit`), returns how many.
unsigned hunt(struct hunt *h, struct finding *found, unsigned limit);

// Makes `text` as small as it gets while the verdict stays `wanted`.
void shrink(struct strbuf *text, way settings, const char *extra, enum verdict wanted, bool verbose);

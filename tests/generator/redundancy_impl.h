// What the two files of the generator for redundancy marks share.
//
//     redundancy.c  variables, branches, loops, barriers, the module around them
//     together.c    threads that meet by named barriers, bytes, atomics' results, spins
#pragma once
#include "base/hash.h"
#include "base/rng.h"
#include "generator/generator.h"
#include "generator/params.h"

enum { VARIABLES = 16, PREDICATES = 4, UNSURE = 4, DEPTH_MAX = 3 };

struct maker {
    struct rng rng;
    struct redundancy_options options;
    struct generated *g;
    struct strbuf body;
    unsigned label, depth, loops, left, threads, warp_size, warps, tables;
    unsigned
        counted; // threads, as barriers count them: in groups of 32, or whole warps where these are smaller
    uint32_t kinds, conditions; // bits: those this kernel has
    unsigned recent;            // a variable that one side of a branch or one loop wrote last
    bool exits;                 // some threads leave: counted barriers would wait for them
    bool quiet;                 // no barriers at all
    bool uneven;                // not all threads may be at the same barrier
    bool asks_all;              // the last condition has one answer in the whole grid
    bool parted;                // threads of the block may be elsewhere
    bool calls;
    struct param_list params;
};

static inline unsigned below(struct maker *m, unsigned n) { return rng_below(&m->rng, n); }
static inline bool chance(struct maker *m, unsigned percent) { return below(m, 100) < percent; }
static inline unsigned variable(struct maker *m) { return below(m, VARIABLES); }

#define LINE(...)                                                                                            \
    (strbuf_puts(&m->body, "    "), strbuf_printf(&m->body, __VA_ARGS__), strbuf_putc(&m->body, '\n'))
#define LABEL(number) strbuf_printf(&m->body, "L%u:\n", (number))

void redundancy_statements(struct maker *m, unsigned count);

// together.c
void together_declare(const struct maker *m, struct strbuf *out); // outside the kernel
void together_prologue(struct maker *m);
// A barrier for `count` threads; form: "sync", "arrive".
void together_counted(struct maker *m, const char *form, unsigned number, unsigned count);
void together_bytes(struct maker *m);
void together_cells(struct maker *m);
void together_own(struct maker *m);
void together_switch(struct maker *m);
void together_delay(struct maker *m);
void together_lanes(struct maker *m);
void together_halves(struct maker *m);
void together_groups(struct maker *m);
void together_order(struct maker *m); // with options.order
void together_last_block(struct maker *m);

// Types and functions shared by redundancy.c and together.c.
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
    unsigned counted; // threads as barriers count: in groups of 32, or in whole warps if the warp is smaller
    uint32_t kinds, conditions; // bits: kinds of statements and conditions enabled in this kernel
    unsigned recent;            // the variable written last by one side of a branch or by a loop
    bool exits;                 // some threads exit: counted barriers would never complete
    bool quiet;                 // no barriers at all
    bool uneven;                // threads of the block may wait at different barriers
    bool asks_all;              // the last condition is uniform in the whole grid
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

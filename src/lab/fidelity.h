// What points of silicon came to: ours beside the card's, how near they are in all, and that as tables, CSV, Markdown,
// and rows of table `silicon`.
#pragma once
#include "lab/accuracy.h"
#include "lab/pool.h"

struct fidelity_row {
    const struct point *point;
    const struct job *job;
    const char *trouble; // why there is nothing of ours; NULL: there is
    double ours[QUANTITIES];
};

// Points of a set, of a card or of all, of a class or of all.
struct fidelity_group {
    enum point_set set;
    const char *card, *class; // NULL: all
    size_t points;            // those that cannot be compared with them
    struct accuracy cycles, instructions;
    double dram,
        l2; // sectors read and written of all points together, ours / the card's - 1; NAN: not measured
};

// Another simulator's cycles on points of a set and a card, and ours on the same points.
struct fidelity_rival {
    enum point_set set;
    const char *card, *name;
    struct accuracy theirs, ours;
};

struct fidelity {
    const struct points *points;
    const char *unlike;            // what is not as the list says, in words; ""
    const char *changed;           // the settings of that; ""
    VEC(struct fidelity_row) rows; // as the list has them
    VEC(struct fidelity_group) groups;
    VEC(struct fidelity_rival) rivals;
    struct arena arena;
};

// `runs`: of each point its job. Valid as long as points, jobs and pool are.
bool fidelity_make(struct fidelity *f, const struct points *points, const size_t *runs,
                   const struct jobs *jobs, const struct pool *pool, struct database *db);
void fidelity_fini(struct fidelity *f);
bool fidelity_store(const struct fidelity *f, struct database *db);

bool fidelity_is_compared(const struct fidelity_row *r);              // both have cycles
double fidelity_ratio(const struct fidelity_row *r, enum quantity q); // ours / the card's; NAN: not both
double fidelity_ipc(const double figures[QUANTITIES]);                // NAN: unknown

enum {
    FIDELITY_RATIO_LEAST = 80,
    FIDELITY_RATIO_MOST = 125
}; // per cent of the card's instructions that ask for no reason

// fidelity_text.c
void fidelity_headline(const struct fidelity *f, struct strbuf *out); // a sentence a set, the second's first
void fidelity_table(const struct fidelity *f, bool colour, struct strbuf *out);
void fidelity_csv(const struct fidelity *f, struct strbuf *out);
void fidelity_markdown(const struct fidelity *f, struct strbuf *out); // fidelity_markdown.c

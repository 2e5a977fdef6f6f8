// What points of silicon came to: ours beside the card's, how near they are in all, and that as tables, CSV, Markdown,
// and rows of table `silicon`.
#pragma once
#include "lab/pool.h"
#include "silicon/accuracy.h"
#include "silicon/elasticity.h"
#include "silicon/point.h"
#include "silicon/ranks.h"

struct fidelity_row {
    const struct point *point;
    const struct job *job;
    const char *trouble; // why there is nothing of ours; NULL: there is
    double ours[QUANTITIES];
    double l2_sectors;         // of 32 bytes, that the L2 of its GPU holds; NAN: unknown
    double core_mhz, dram_mhz; // of its run; NAN: unknown
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

// DRAM transactions of a set's and a card's launches of class memory that move far more than the L2 holds.
struct fidelity_stream {
    enum point_set set;
    const char *card;
    size_t count, within; // within: FIDELITY_STREAM_PER_CENT of the card's
    double error, bias;   // mean of |ours / the card's - 1|, and of that without its sign
};

struct fidelity {
    const struct points *points;
    const char *unlike;            // what is not as the list says, in words; ""
    const char *changed;           // the settings of that; ""
    VEC(struct fidelity_row) rows; // as the list has them
    VEC(struct fidelity_group) groups;
    VEC(struct fidelity_rival) rivals;
    VEC(struct fidelity_stream) streams;
    VEC(struct elasticity) elasticities;
    VEC(struct ranking) rankings;
    struct arena arena;
};

// `runs`: of each point its job. Valid as long as points, jobs and pool are.
bool fidelity_make(struct fidelity *f, const struct points *points, const size_t *runs,
                   const struct jobs *jobs, const struct pool *pool, struct database *db);
void fidelity_fini(struct fidelity *f);
bool fidelity_store(const struct fidelity *f, struct database *db);

bool fidelity_is_compared(const struct fidelity_row *r); // both have cycles
// ours / the card's; NAN: not both, or of a set where sizes differ
double fidelity_ratio(const struct fidelity_row *r, enum quantity q);
double fidelity_ipc(const double figures[QUANTITIES]); // NAN: unknown

enum {
    FIDELITY_RATIO_LEAST = 80,
    FIDELITY_RATIO_MOST = 125
}; // per cent of the card's instructions that ask for no reason

// fidelity_streams.c
enum { FIDELITY_STREAM_L2S = 4, FIDELITY_STREAM_PER_CENT = 5 };
bool fidelity_read_l2(struct database *db, const char *run, double *sectors);
// A number among the settings of a run; NAN: there is none.
bool fidelity_read_setting(struct database *db, const char *run, const char *key, double *value);
double fidelity_l2s_moved(
    const struct fidelity_row *r); // sectors that the card read, or wrote if more, over the L2's
double fidelity_dram_ratio(const struct fidelity_row *r); // sectors read and written, ours / the card's
bool fidelity_is_stream(const struct fidelity_row *r);
void fidelity_add_streams(struct fidelity *f);
void fidelity_streams_sentences(const struct fidelity *f, struct strbuf *out);
void fidelity_streams_markdown(const struct fidelity *f, struct strbuf *out);

// fidelity_text.c
void fidelity_headline(const struct fidelity *f, struct strbuf *out); // a sentence a set, the second's first
void fidelity_table(const struct fidelity *f, bool colour, struct strbuf *out);
void fidelity_csv(const struct fidelity *f, struct strbuf *out);
void fidelity_markdown(const struct fidelity *f, struct strbuf *out); // fidelity_markdown.c

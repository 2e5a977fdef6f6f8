// Results of points (launches measured on real cards): simulated beside measured values and the overall
// accuracy; output as tables, CSV, Markdown, and rows of table `silicon`.
#pragma once
#include "lab/pool.h"
#include "silicon/accuracy.h"
#include "silicon/elasticity.h"
#include "silicon/point.h"
#include "silicon/ranks.h"

struct fidelity_row {
    const struct point *point;
    const struct job *job;
    const char *trouble; // why simulated values are missing; NULL: values exist
    double ours[QUANTITIES];
    const char *kind;          // what limits the launch in the simulation (report/measured.h); NULL: unknown
    double l2_sectors;         // capacity of the run's L2 in sectors of 32 bytes; NAN: unknown
    double core_mhz, dram_mhz; // of the run; NAN: unknown
};

// Accuracy on the points of a set, by card and class.
struct fidelity_group {
    enum point_set set;
    const char *card, *class; // NULL: all
    size_t points;            // points in the group, comparable or not
    struct accuracy cycles, instructions;
    // error of the DRAM and of the L2 sectors read and written, summed over the group's points: simulated /
    // measured - 1; NAN: not measured
    double dram, l2;
};

// Accuracy on a card's points of set `second`, by what limits the launch in the simulation (report/measured.h).
struct fidelity_kind {
    const char *card, *kind;
    size_t alike; // points whose class, by the card's counters, is the kind
    struct accuracy cycles;
};

// Accuracy of another simulator's cycles on a card's points of a set, and of warpfold's cycles on the same
// points.
struct fidelity_rival {
    enum point_set set;
    const char *card, *name;
    struct accuracy theirs, ours;
};

// DRAM transactions (sectors) by set and card: of launches of class memory whose DRAM reads alone, or writes
// alone, are on the card over FIDELITY_STREAM_L2S times what the L2 holds.
struct fidelity_stream {
    enum point_set set;
    const char *card;
    // number of launches; launches with simulated transactions within FIDELITY_STREAM_PER_CENT of the card's
    size_t count, within;
    double error, bias; // mean of |simulated / measured - 1|; mean of simulated / measured - 1
};

struct fidelity {
    const struct points *points;
    const char *unlike;            // deviations from the list, in words; ""
    const char *changed;           // the deviating settings; ""
    VEC(struct fidelity_row) rows; // in the order of the list
    VEC(struct fidelity_group) groups;
    VEC(struct fidelity_kind) kinds;
    VEC(struct fidelity_rival) rivals;
    VEC(struct fidelity_stream) streams;
    VEC(struct elasticity) elasticities;
    VEC(struct ranking) rankings;
    struct arena arena;
};

// Compares the points' runs with the measurements. runs[i]: index in `jobs` of the job of point i. *f is
// valid as long as points, jobs and pool. False: the database is not readable.
bool fidelity_make(struct fidelity *f, const struct points *points, const size_t *runs,
                   const struct jobs *jobs, const struct pool *pool, struct database *db);
void fidelity_fini(struct fidelity *f);
bool fidelity_store(const struct fidelity *f, struct database *db);

// Appends the rows of src/report/measured.def.
void fidelity_measured(const struct fidelity *f, struct strbuf *out);

bool fidelity_is_compared(const struct fidelity_row *r); // simulated and measured cycles exist
// The quantity's simulated value / its measured value. NAN: a value is missing, the measured value is not
// positive, or the point belongs to set `clocks` or `variants`.
double fidelity_ratio(const struct fidelity_row *r, enum quantity q);
double fidelity_ipc(const double figures[QUANTITIES]); // NAN: unknown

enum {
    FIDELITY_RATIO_LEAST = 80,
    FIDELITY_RATIO_MOST = 125
}; // bounds of simulated / measured instructions, in per cent, accepted without an explanation

// fidelity_streams.c
enum { FIDELITY_STREAM_L2S = 4, FIDELITY_STREAM_PER_CENT = 5 };
bool fidelity_read_l2(struct database *db, const char *run, double *sectors);
// A numeric setting of a run; *value NAN: no such setting. False: the database is not readable.
bool fidelity_read_setting(struct database *db, const char *run, const char *key, double *value);
// the larger of the card's DRAM sectors read and written, in multiples of the simulated L2's capacity
double fidelity_l2s_moved(const struct fidelity_row *r);
// DRAM sectors read and written: simulated / measured
double fidelity_dram_ratio(const struct fidelity_row *r);
bool fidelity_is_stream(const struct fidelity_row *r);
void fidelity_add_streams(struct fidelity *f);
void fidelity_streams_sentences(const struct fidelity *f, struct strbuf *out);
void fidelity_streams_markdown(const struct fidelity *f, struct strbuf *out);

// fidelity_text.c
// fidelity_headline: a sentence for set second, then for set tuning, then the run's deviations from the list
// of points, if any.
void fidelity_headline(const struct fidelity *f, struct strbuf *out);
void fidelity_table(const struct fidelity *f, bool colour, struct strbuf *out);
void fidelity_csv(const struct fidelity *f, struct strbuf *out);
// fidelity_markdown.c: docs/results/fidelity.md, in two pages of paper; all launches (fidelity_launches.c); the
// errors of the summary's launches as a scatter plot (fidelity_plot.c)
void fidelity_markdown(const struct fidelity *f, struct strbuf *out);
void fidelity_launches_markdown(const struct fidelity *f, struct strbuf *out);
void fidelity_plot(const struct fidelity *f, struct strbuf *out);
bool fidelity_has_points(const struct fidelity *f, enum point_set set);

// How many host threads take part in the rounds of workers (workers.h), by measured time.
//
// Two numbers of threads take short turns, so both see the same mix of rounds. The faster number stays for
// a while, longer after every confirmation. Rivals are half and twice the present number.
//
//     settled n ─▶ n, rival, n, rival, … ─▶ settled with the faster ─▶ …
//
// Short turns matter: rounds at the start and the end of a launch are shorter than rounds in the middle, and
// a process that wants a core comes and goes by milliseconds.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct pace {
    unsigned most;       // upper bound
    unsigned now, rival; // numbers of threads
    bool is_measuring;   // `now` and `rival` take turns
    bool is_rival;       // the rival's turn
    bool looks_up;       // direction of the last rival
    bool is_fresh;       // the next round is not counted: the first of a turn, or after a round left out
    unsigned turns;      // turns of the rival so far
    unsigned rounds;     // counted rounds of the turn
    uint64_t turn_ns;    // their time
    uint64_t left_ns;    // of the settled time
    uint64_t settled_ns; // next settled time
    uint64_t stamp;      // in a measurement, the begin of the round; else the end of the round before
    // By is_rival: mean times of a round in the turns of the measurement, added up. Turns count alike, so many
    // short rounds do not outweigh few long rounds.
    double round_ns[2];
};

// Begins a series of rounds at time `now_ns`, with at most `most` threads, at first no more than cores. Keeps
// measurements of an earlier series with the same bound.
void pace_begin(struct pace *p, unsigned most, unsigned cores, uint64_t now_ns);
// Number of threads for the next round.
static inline unsigned pace_threads(const struct pace *p) { return p->is_rival ? p->rival : p->now; }
// In a measurement, a round by that many threads begins at `now_ns`.
static inline void pace_round(struct pace *p, uint64_t now_ns) { p->stamp = now_ns; }
// The round ended.
void pace_count(struct pace *p, uint64_t now_ns);
// A round ended that says nothing about threads.
static inline void pace_leave_out(struct pace *p) { p->is_fresh = true; }

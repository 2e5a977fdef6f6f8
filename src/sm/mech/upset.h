// Bits that turn in a running kernel: the seam between a mechanism, which knows what there is to turn and finds what differs,
// and whoever wants a bit turned (inject/).
//
//     a mechanism:  "32 lane results, in cycle 90" ──▶ pass ──▶ no, or: the 7th ──▶ it turns a bit of that for real ──▶ turned
//                   "two lanes have other results"  ─▶ found
//
// A mechanism passes the same places in the same order in every run of the same launches on one thread of the host, and
// looks for errors without knowing of any.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum upset_place { UPSET_LANE, UPSET_REGISTER, UPSET_ENTRY, UPSET_PLACES };

// Some places in which a bit may turn now, one after the other.
struct upset_site {
    enum upset_place place;
    unsigned sm;
    uint64_t block; // the warp's, in the grid
    uint32_t warp;  // in its block
    uint32_t index; // of its instruction that has the results, or is about to read
    // LANE: in cycle `from` the results of so many lanes. REGISTER, ENTRY: one, in `count` cycles from there on, in which nothing
    // has read or written it.
    uint64_t from, count;
};

struct upset_hit {
    uint64_t nth;  // of the site's places
    uint64_t draw; // what turns there: its bit by upset_draw, and then the lane or copy of a register
};

// A number below the bound, taken from the draw: draws 0, 1, 2 … give all of them.
static inline uint32_t upset_draw(struct upset_hit *h, uint32_t bound)
{
    uint32_t n = bound ? (uint32_t)(h->draw % bound) : 0;
    if (bound) h->draw /= bound;
    return n;
}

struct upset_flip { // what has turned
    uint64_t cycle;
    const char *what; // "register", say; "nothing" of an instruction without a result
    uint32_t number, lane, bit;
};

struct upsets {
    bool (*pass)(void *context, const struct upset_site *s, struct upset_hit *hit); // true: turn a bit there
    void (*turned)(void *context, const struct upset_site *s, const struct upset_flip *f);
    void (*found)(void *context, uint64_t cycle); // a check has found what should be equal to differ
    void *context;
};

// Bit flips in a running kernel: the interface between mechanisms and the injector (inject/). A mechanism
// knows the places of bits and detects differences. The injector chooses the bit.
//
//     a mechanism:  "32 lane results, in cycle 90" ─▶ pass ─▶ no, or the 7th ─▶ flips a bit ─▶ turned
//                   "two lanes differ in results" ─▶ found
//
// A mechanism passes the same places in the same order in every run of the same launches on one host thread.
// The mechanism looks for errors without knowledge of injected errors.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum upset_place { UPSET_LANE, UPSET_REGISTER, UPSET_ENTRY, UPSET_PLACES };

// A sequence of places in which a bit may flip now.
struct upset_site {
    enum upset_place place;
    unsigned sm;
    uint64_t block; // number of the warp's block within the grid
    uint32_t warp;  // number of the warp within its block
    uint32_t index; // instruction that produces the results or is about to read
    // LANE: `count` lane results in cycle `from`. REGISTER, ENTRY: one register or entry, in `count` cycles
    // from cycle `from` on, without a read or write in these cycles.
    uint64_t from, count;
};

struct upset_hit {
    uint64_t nth; // number, from 0, among the site's places, of the place with the flip
    // Source of random choices (upset_draw): the bit first, then the lane or copy of a register.
    uint64_t draw;
};

// Takes a number below `bound` from the draw: draws 0, 1, 2 … yield every number. bound 0: 0, and the draw
// stays.
static inline uint32_t upset_draw(struct upset_hit *h, uint32_t bound)
{
    uint32_t n = bound ? (uint32_t)(h->draw % bound) : 0;
    if (bound) h->draw /= bound;
    return n;
}

struct upset_flip { // a flipped bit
    uint64_t cycle;
    const char *what; // where the bit was: "register", for example; "nothing": the instruction has no result
    uint32_t number, lane, bit;
};

struct upsets {
    // True: flip a bit in this site.
    bool (*pass)(void *context, const struct upset_site *s, struct upset_hit *hit);
    void (*turned)(void *context, const struct upset_site *s, const struct upset_flip *f);
    // A check has found a difference between values that should be equal.
    void (*found)(void *context, uint64_t cycle);
    void *context;
};

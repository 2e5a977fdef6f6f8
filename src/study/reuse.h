// How soon an address stream comes back to a neighbourhood: for each window w of 1, 2, 4 … the share of accesses that do
// within w, P(w, n) of Gupta, Xiang, Yang and Zhou's measure of locality. A neighbourhood is an aligned block of n bytes.
//
//     a b c a        the second a comes back within 3 accesses, and within 3 blocks: b, c and its own
//     ╰─────╯        (which an LRU cache of 3 blocks, fully associative, would have kept)
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { REUSE_WINDOWS = 17 }; // 1, 2 … 65,536
enum reuse_window { REUSE_ACCESSES, REUSE_BLOCKS };

struct reuse_counts {
    uint64_t accesses;
    uint64_t within[REUSE_WINDOWS]; // accesses that come back within 1 << k, and not within half of that
};

struct reuse;                            // what is kept of a stream
struct reuse *reuse_create(size_t most); // accesses of a stream
void reuse_destroy(struct reuse *r);
// A stream of its own, with blocks of 1 << shift bytes; adds to `to`.
void reuse_add(struct reuse *r, const uint64_t *addresses, size_t count, unsigned shift,
               enum reuse_window window, struct reuse_counts *to);
double reuse_probability(const struct reuse_counts *n, unsigned window); // within 1 << window; of nothing 0

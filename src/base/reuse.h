// Temporal reuse of an address stream: for each window w of 1, 2, 4 …, the share of accesses that return to a
// neighbourhood within w. P(w, n) of Gupta, Xiang, Yang and Zhou's measure of locality. A neighbourhood is an
// aligned block of n bytes.
//
//     a b c a        the second a returns within 3 accesses, and within 3 blocks: b, c and a
//     ╰─────╯        (a fully associative LRU cache of 3 blocks would hit)
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { REUSE_WINDOWS = 17 }; // 1, 2 … 65,536
enum reuse_window { REUSE_ACCESSES, REUSE_BLOCKS };

struct reuse_counts {
    uint64_t accesses;
    // Accesses returning to their block within 1 << k accesses (REUSE_BLOCKS: different blocks), but not
    // within half as many.
    uint64_t within[REUSE_WINDOWS];
};

struct reuse;                            // working state for one stream at a time
struct reuse *reuse_create(size_t most); // most: accesses of the longest stream
void reuse_destroy(struct reuse *r);
// Adds the counts of one stream, with blocks of 1 << shift bytes, to *to.
void reuse_add(struct reuse *r, const uint64_t *addresses, size_t count, unsigned shift,
               enum reuse_window window, struct reuse_counts *to);
// within 1 << window; 0 without accesses
double reuse_probability(const struct reuse_counts *n, unsigned window);

// Should a cache fetch lines singly, by twos or by fours? Judged by reuse in caches of equal capacity, with blocks
// of one, two and four lines.
enum reuse_verdict { REUSE_FINE, REUSE_COARSE2, REUSE_COARSE4 };
// Arguments: probabilities of reuse in caches of w lines. lines: within w blocks of one line; pairs: within
// w/2 blocks of two lines; fours: within w/4 blocks of four lines.
enum reuse_verdict reuse_verdict(double lines, double pairs, double fours);
extern const char *const reuse_verdict_names[];
// The verdict on one stream of accesses, for a cache of 1 << blocks lines of 1 << line bytes; windows count accesses.
// `most`: the widest fetch to consider.
enum reuse_verdict reuse_judge(const uint64_t *addresses, size_t count, unsigned line, unsigned blocks,
                               enum reuse_verdict most);

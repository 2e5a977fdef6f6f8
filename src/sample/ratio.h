// Ratios estimated from a few observations, with 95 % intervals of confidence.
//
// An observation is a pair: work (warp instructions) and a figure (cycles, a counter). The ratio figure/work
// of unobserved work is the sum of figures over the sum of work, the ratio estimator of survey sampling
// (Cochran, Sampling Techniques, 6.2). The spread of the observations about the ratio gives two errors:
//
//   shared   of the ratio itself: equal for every estimate from the same observations
//   own      of a single unobserved piece of work about the ratio, independent from piece to piece
//
// Both are half-widths of two-sided intervals by Student's t with count - 1 degrees of freedom.
#pragma once
#include <stddef.h>

// Least relative half-width of an estimate: launches that do the same differ by up to 1 %, by open rows of DRAM and
// phases of clocks, and a few observations may agree by chance.
#define RATIO_FLOOR 0.01

struct ratio {
    size_t count;
    double work, figure;          // sums
    double work2, cross, figure2; // sums of squares and products
};

struct ratio_estimate {
    double value, shared, own; // of a piece of work; errors are INFINITY with fewer than two observations
};

void ratio_add(struct ratio *r, double work, double figure);
struct ratio_estimate ratio_estimate(const struct ratio *r, double work);
// Half-width for rare events, as irregular as independent events (Poisson): of the count for `work`, from `figure`
// events in the observed work.
double ratio_rare(double figure, double observed, double work);
// Half-width of the ratio's interval by spread alone, without the floor, over the ratio. 0 for a figure that is 0 in
// every observation; INFINITY with fewer than two.
double ratio_spread(const struct ratio *r);

// The two-sided 95 % quantile of Student's t. degrees: at least 1.
double student_t95(double degrees);

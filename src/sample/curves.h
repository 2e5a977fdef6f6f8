// Figures of untimed launches from timed launches of the same kernel.
//
//   launch ──▶ functional run: counts ──▶ signature ──▶ curve ──▶ wants one more timed launch? ──▶ time it, add
//                                                         └──▶ no: figures read off the curve
//
// A curve has the timed launches (nodes) of one kernel, block and shared memory, whatever the grid, with shares of
// all counts in the instructions within SAMPLE_ALIKE. Figures are read off by local linear regression over
// the instructions, with weights that fall with the distance in x = ln(instructions) (Fan and Gijbels, Local Polynomial Modelling,
// 2.3). Equal x: the mean of all nodes. The width of the neighbourhood is the width with the narrowest interval.
//
// A launch is timed if
//
//   few    the curve has fewer than SAMPLE_LEAST nodes
//   far    the next node is out of reach. The reach grows by half with every right prediction, and halves
//          with every wrong one
//   wide   the half-width of the curve's sum, over the root of the curve's cycles times all cycles, is over the
//          target. Squares of half-widths of all curves then add up to the target for the whole run
//   check  SAMPLE_CHECK times as many launches as at the last timed one have gone by; SAMPLE_SELDOM times,
//          if all counts of all launches are equal
//
// The sum of a curve's estimates is a weighted sum of nodes, so its half-width is that of a launch times the root of
// the sum of squares of all weights given so far. A launch adds the difference.
#pragma once
#include "base/vec.h"
#include "sample/ratio.h"

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_COUNTS = 24, SAMPLE_LEAST = 2, SAMPLE_CHECK = 2, SAMPLE_SELDOM = 4 };
#define SAMPLE_ALIKE 0.10

struct sample_signature {
    uint64_t key;                 // hash of program, block, shared memory, cold or warm caches
    double instructions;          // warp instructions
    double counts[SAMPLE_COUNTS]; // instructions by class, thread instructions, divergent branches, sectors …
};

struct sample_node { // a timed launch
    double x;        // ln(instructions)
    double used;     // sum of the node's weights in the estimates of untimed launches
    double *figures; // heap; figures[0]: cycles
};

struct sample_curve {
    struct sample_signature leader; // of the first member
    VEC(struct sample_node) nodes;
    uint64_t members, checked; // launches, timed or not; number of the last timed one
    double reach;              // in x
    bool is_varied;            // counts differ from member to member
    double cycles;             // of all members, timed or not
};

struct sample_curves {
    VEC(struct sample_curve) list; // index: the curve's number
    size_t figures;
    double cycles; // of all launches
};

enum sample_wants { SAMPLE_KNOWN, SAMPLE_FEW, SAMPLE_FAR, SAMPLE_WIDE, SAMPLE_CHECKS };

// Weights of a curve's nodes for a launch: a figure's estimate is the sum of weights times figures.
struct sample_fit {
    double *weights, *near; // by node; heap. near: weight in the spread
    double slope_share;     // 0: all nodes have one x; 1: the slope is measured
    double leverage;        // growth of the root of the sum of squares of all weights given, by the launch
    double total;           // the root, with the launch
    double count;           // nodes in the neighbourhood
    double x;
};

void sample_curves_init(struct sample_curves *c, size_t figures);
void sample_curves_fini(struct sample_curves *c);
// Number of the launch's curve, created if no curve is alike. Counts the launch as a member.
size_t sample_curves_join(struct sample_curves *c, const struct sample_signature *s);
// Whether and why a launch of curve `n` is to be timed. error: target, relative half-width. ahead: 0, the launch has
// joined the curve; 1, not yet.
enum sample_wants sample_curves_want(const struct sample_curves *c, size_t n, double instructions,
                                     unsigned ahead, double error);
// Adds a timed launch. figures[]: as many as given to sample_curves_init.
void sample_curves_add(struct sample_curves *c, size_t n, double instructions, const double *figures,
                       double error);
// Notes an untimed launch with its fit and the estimated cycles.
void sample_curves_note(struct sample_curves *c, size_t n, const struct sample_fit *f, double cycles);

struct sample_fit sample_fit_of(const struct sample_curve *c, double instructions);
void sample_fit_fini(struct sample_fit *f);
struct ratio_estimate sample_fit_estimate(const struct sample_curve *c, const struct sample_fit *f,
                                          size_t figure);

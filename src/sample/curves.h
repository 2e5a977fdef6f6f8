// Launches grouped by what they do, and figures of untimed launches from timed launches of their group.
//
//   launch ──▶ functional run: counts ──▶ signature ──▶ group ──▶ wants one more timed launch? ──▶ time it, add
//                                                         └──▶ no: figures = the group's ratios x instructions
//
// Two launches belong to a group if program, shape and shared memory are equal (the key), and the shares of
// all counts in the instructions differ by at most SAMPLE_ALIKE, and the instructions by SAMPLE_ALIKE of
// themselves. The first launch of a kernel with caches that outlive a launch is no member of a group: the key
// tells it apart.
#pragma once
#include "base/vec.h"
#include "sample/ratio.h"

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_COUNTS = 24, SAMPLE_LEAST = 2 };
#define SAMPLE_ALIKE 0.02

struct sample_signature {
    uint64_t key;                 // hash of program, grid, block, shared memory, cold or warm caches
    double instructions;          // warp instructions
    double counts[SAMPLE_COUNTS]; // instructions by class, thread instructions, divergent branches, sectors …
};

struct sample_group {
    struct sample_signature leader; // of the first member
    size_t members;                 // timed or not
    size_t figures;
    struct ratio *ratios; // heap; ratios[0]: cycles
};

struct sample_groups {
    VEC(struct sample_group) list; // index: the group's number
    size_t figures;
};

void sample_groups_init(struct sample_groups *g, size_t figures);
void sample_groups_fini(struct sample_groups *g);
// Whether some launch with the key has been seen.
bool sample_groups_know(const struct sample_groups *g, uint64_t key);
// Number of the launch's group, created if no group is alike. Counts the launch as a member.
size_t sample_groups_join(struct sample_groups *g, const struct sample_signature *s);
// Whether the group needs a further timed launch: fewer than SAMPLE_LEAST so far, or the interval of the
// cycles is wider than `error` (relative half-width).
bool sample_group_wants(const struct sample_group *g, double error);
// Adds a timed launch. figures[]: as many as given to sample_groups_init.
void sample_group_add(struct sample_group *g, double instructions, const double *figures);

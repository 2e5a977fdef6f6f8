// Categories of an experiment's figure, as known before any run: kernels, programs, pairs and means.
#pragma once
#include "lab/experiment.h"

struct workload;

// categories_is_subject: the category is a kernel, program or pair of the experiment. categories_in_group: the
// subject also belongs to the group: "all" has every subject, other groups have bundled kernels, such as
// "darsie-1d".
bool categories_is_subject(const struct experiment *x, const char *category);
bool categories_in_group(const struct experiment *x, const char *group, const char *category);
// The experiment's bundled kernel with `category` as abbreviation or name; NULL: no such kernel.
const struct workload *categories_kernel(const struct experiment *x, const char *category);
// The i-th kernel meant by a name in an experiment: a member of a group of bundled kernels ("darsie-2d"), or
// the kernel with the name. NULL past the last.
const struct workload *categories_named_kernel(const char *name, size_t i, const char **abbreviation);

// Whether the experiment leaves the subject out of the means of the series. categories_without: " without RAY, DT",
// the subjects left out of the series' means; "": none.
bool categories_left_out(const struct experiment *x, const char *series, const char *category);
const char *categories_without(const struct experiment *x, const char *series, struct arena *arena);

// Groups of bundled kernels with a mean, and the suffix of the mean's name ("GMEAN-1D").
struct categories_group {
    const char *group, *suffix;
};
enum { CATEGORIES_GROUPS = 2 };
extern const struct categories_group categories_groups[CATEGORIES_GROUPS];
// The category with the highest value of every series; figures have MAX if the paper gives a value for MAX.
#define CATEGORIES_MOST "MAX"
bool categories_have_most(const struct experiment *x);

// Categories of all input sizes, without the selection by --only. subjects: kernels, programs, pairs.
struct categories {
    VEC(const char *) means; // MAX included
    VEC(const char *) subjects;
};
// Fills *c for a figure by subject: timed runs without a sweep, or a study with one row per kernel. Names
// live as long as the experiment and the arena; end with categories_fini. False, *c empty: any other figure.
bool categories_of(const struct experiment *x, struct arena *arena, struct categories *c);
void categories_fini(struct categories *c);

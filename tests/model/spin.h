// The models of docs/explanation/model under SPIN: exhaustive searches, and the steps of a trail or of a random run as
// text.
#pragma once
#include "harness/test.h"

struct spin_search {
    unsigned long long states, transitions;
    double megabytes;
    bool complete; // the whole state space was searched, or an error found
    bool has_error;
    char what[120]; // the error: "assertion violated …", "invalid end state"
    char folder[300];
};

// A rule of the protocol: with -DWITHOUT_NAME and the programs of `defines`, SPIN finds an error.
struct spin_rule {
    const char *name, *defines;
    const char *wrong; // part of spin_search.what
    // bit of `broken` that removes the rule from src/tech/darsie; the code then fails as the model does
    int broken;
    bool slow;
};
// KEPT: no bit removes the rule; MARKS: the rule is in the marks
enum { SPIN_KEPT = -1, SPIN_MARKS = -2 };
extern const struct spin_rule spin_rules[]; // ends with a row without a name

// Returns false, and skips the case (fails under CI=true), if SPIN is not installed.
bool spin_is_there(struct test *t);
// Compiles the model (docs/explanation/model/MODEL.pml) with the given -D… and searches, in folder `name` of the case's
// directory. is_big: optimised, with more time.
bool spin_check(struct test *t, const char *model, const char *name, const char *defines, bool is_big,
                struct spin_search *s);

// A model with every rule, for programs and sizes: SPIN must not find an error.
struct spin_configuration {
    const char *name, *defines;
    bool is_long; // in the long suite
};
void spin_check_configurations(struct test *t, const char *model, const struct spin_configuration *all,
                               size_t count);
// A model without a rule (-DWITHOUT_NAME), in which SPIN must find an error.
struct spin_broken {
    const char *name, *defines;
    const char *wrong; // beginning of spin_search.what; NULL: no error, since the rule only saves time
    bool is_long;
};
void spin_check_broken(struct test *t, const char *model, const struct spin_broken *all, size_t count);

// The output of DARSIE's model along the error's trail; heap, caller frees.
char *spin_trail(struct test *t, const char *defines, const struct spin_search *s);
char *spin_random(struct test *t, const char *defines, unsigned seed); // along a random run; heap

// The models of docs/model under SPIN: exhaustive searches, and the steps of a trail or of a random run as
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

// A rule of the protocol: with -DWITHOUT_NAME and these programs, SPIN finds something wrong.
struct spin_rule {
    const char *name, *defines;
    const char *wrong; // part of spin_search.what
    int broken;        // bit of `broken` that leaves it out of src/tech/darsie, and is then as wrong there
    bool slow;
};
enum { SPIN_KEPT = -1, SPIN_MARKS = -2 };   // no bit does; it is in the marks
extern const struct spin_rule spin_rules[]; // up to one without a name

// False and the case skipped (failed under CI=true) where there is no SPIN.
bool spin_is_there(struct test *t);
// Compiles the model (docs/model/MODEL.pml) with these -D… and searches, in a folder `name` of the case's. `is_big`:
// optimised, with more time.
bool spin_check(struct test *t, const char *model, const char *name, const char *defines, bool is_big,
                struct spin_search *s);

// A model with all rules, for programs and sizes: nothing is wrong.
struct spin_configuration {
    const char *name, *defines;
    bool is_long; // in the long suite
};
void spin_check_configurations(struct test *t, const char *model, const struct spin_configuration *all,
                               size_t count);
// Without a rule (-DWITHOUT_NAME) this is wrong.
struct spin_broken {
    const char *name, *defines;
    const char *wrong; // what spin_search.what begins with; NULL: nothing, what the rule gives is time
    bool is_long;
};
void spin_check_broken(struct test *t, const char *model, const struct spin_broken *all, size_t count);

// What DARSIE's model prints along the error's trail; heap.
char *spin_trail(struct test *t, const char *defines, const struct spin_search *s);
char *spin_random(struct test *t, const char *defines, unsigned seed); // along a random run; heap

// Common parts of reading an experiment's file (experiment.c) and checking it (experiment_check.c).
#pragma once
#include "lab/experiment.h"

struct wf_context;

struct parser {
    struct experiment *x;
    struct arena *arena;
    struct diag *diag;
    struct loc loc; // current line
};

// Cuts `text` at the first separator. Returns the trimmed text behind the separator; NULL: no separator.
char *experiment_cut(char *text, char separator);
// Reports the first line of the context's error messages as an error in the experiment's file. Returns false.
bool experiment_refuse(struct parser *p, struct wf_context *c);
// Checks the requirements of the experiment's kind and the named things except series' mechanisms, and fills
// in defaults. False and an error.
bool experiment_check(struct parser *p);

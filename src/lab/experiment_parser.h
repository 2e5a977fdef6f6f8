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
// Reports the library's last error about a setting, a GPU or a mechanism, in the experiment's name. Returns
// false.
bool experiment_refuse(struct parser *p, struct wf_context *c);
// Checks the requirements of the experiment's kind and fills in defaults. False and errors.
bool experiment_check(struct parser *p);

// What reading an experiment's file (experiment.c) and checking it (experiment_check.c) share.
#pragma once
#include "lab/experiment.h"

struct wf_context;

struct parser {
    struct experiment *x;
    struct arena *arena;
    struct diag *diag;
    struct loc loc; // of the line
};

// Cuts at the separator; what is behind it, or NULL.
char *experiment_cut(char *text, char separator);
// The error that the library has said last of a setting, a GPU or a mechanism, in the experiment's name. False.
bool experiment_refuse(struct parser *p, struct wf_context *c);
// What a kind of experiment needs to be one; fills in what the file leaves to it.
bool experiment_check(struct parser *p);

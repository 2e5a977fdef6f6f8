// Design spaces: an experiment's axes, `sweep = KEY : 1 2 4 8`, whose product is run for every kernel and series.
//
// The first axis is what a chart shows from left to right, so its values are numbers. The product is numbered with the first axis
// running fastest: point = step + steps * combination, where a combination is a choice of all other axes.
#pragma once
#include "lab/experiment_parser.h"

struct strbuf;

bool sweep_add(struct parser *p, char *value); // "KEY : VALUE …"
// Whether they can be run: keys and values that every view's GPU takes, of timed runs that no paper says anything of.
bool sweep_check(struct parser *p);

size_t sweep_steps(const struct experiment *x);                    // of the first axis; 0: nothing is swept
size_t sweep_points(const struct experiment *x);                   // of the product; 1: nothing is swept
const char *sweep_value(const struct experiment *x, size_t point); // of the first axis
// "KEY=VALUE …" of a point.
const char *sweep_settings(const struct experiment *x, size_t point, struct arena *arena);
// "LABEL, KEY=VALUE …, SUBJECT": a series at a point's combination, for one subject.
const char *sweep_line(const struct experiment *x, const char *label, size_t point, const char *subject,
                       struct arena *arena);

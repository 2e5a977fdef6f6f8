// Design spaces: the product of an experiment's axes, `sweep = KEY : 1 2 4 8`, is run for every kernel and
// series.
//
// The first axis runs from left to right in a chart, so its values are numbers. Points are numbered with the
// first axis fastest: point = step + steps * combination. A combination is a choice of all other axes.
#pragma once
#include "lab/experiment_parser.h"

struct strbuf;

bool sweep_add(struct parser *p, char *value); // "KEY : VALUE …"
// Checks a sweep: timed runs, keys and values accepted by every view's GPU, and ascending numbers on the
// first axis. The experiment must have no claims, paper's values or headline. False and an error.
bool sweep_check(struct parser *p);

size_t sweep_steps(const struct experiment *x);                    // of the first axis; 0: no sweep
size_t sweep_points(const struct experiment *x);                   // of the product; 1: no sweep
const char *sweep_value(const struct experiment *x, size_t point); // of the first axis
// "KEY=VALUE …" of a point, without options of mechanisms.
const char *sweep_settings(const struct experiment *x, size_t point, struct arena *arena);
// The mechanisms of a series, "darsie+warpman", with the point's options: an axis darsie.entries becomes
// "darsie:entries=8+warpman". Options that the series names stay.
const char *sweep_mechanisms(const struct experiment *x, const char *what, size_t point, struct arena *arena);
// "LABEL, KEY=VALUE …, SUBJECT": a series at a point's combination of the axes behind the first, for one
// subject.
const char *sweep_line(const struct experiment *x, const char *label, size_t point, const char *subject,
                       struct arena *arena);

// Checks of texts against the grammars read by viewers of timelines.
#pragma once
#include "harness/test.h"

#include <stdint.h>

bool grammar_json(const char *text); // a single JSON value (RFC 8259), nothing behind it

// True if the slices of every row of a trace-event file, an event a line, nest or
// follow each other. `slices`: number of slices.
bool grammar_rows(const char *json, uint64_t *slices);

struct grammar_konata {
    uint64_t started, retired, flushed;
    uint64_t first, last; // cycles
};
// Kanata format 0004: every instruction begins once, in order of id, before its stages, and ends once.
// Otherwise reports the line at fault.
bool grammar_konata(struct test *t, const char *text, struct grammar_konata *k);

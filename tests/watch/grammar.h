// Whether texts obey the grammars that viewers of timelines read.
#pragma once
#include "harness/test.h"

#include <stdint.h>

bool grammar_json(const char *text); // one JSON value (RFC 8259) and nothing behind it

// Whether the slices of every row of a trace-event file, an event a line, nest or follow each other.
bool grammar_rows(const char *json, uint64_t *slices);

struct grammar_konata {
    uint64_t started, retired, flushed;
    uint64_t first, last; // cycles
};
// Kanata format 0004: every instruction is begun once, in order of id, before its stages, and ended once.
// Otherwise says which line is wrong.
bool grammar_konata(struct test *t, const char *text, struct grammar_konata *k);

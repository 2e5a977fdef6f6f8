// Words of the hook `rows` (sm/mech/tech.h) shared by mechanisms.
#pragma once
#include "base/str.h"
#include "sm/mech/tech.h"

#include <stdint.h>

// Appends the numbers of the set bits below 64 * words, runs as ranges: "0 2-5"; with `prefix`: "R0 R2-R5".
void rows_print_set(struct strbuf *out, const char *prefix, const uint64_t *bits, unsigned words);
// Whether the place has a warp that has not ended.
bool rows_has_warp(const struct sm_grid *g, unsigned place);

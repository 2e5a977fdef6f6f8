// `warpfold help NAME` for names that are no commands.
#pragma once
#include "base/str.h"

#include <stdbool.h>

// Appends a line for every entry named by the word: keys and counters (of both, all below a prefix such as
// "l1", too), options, mechanisms with options and counters, script commands, instructions. False: no entry
// has the name.
bool lookup(const char *word, struct strbuf *out);
// Appends the nearest name of a command or of an entry of `lookup`. False: no name is near.
bool lookup_nearest(const char *word, struct strbuf *out);

// Ranked rules for a terminal.
#pragma once
#include "profile/rules.h"

// The sentence, then rules that cost at least 3 % or could, with evidence, gain and settings, then advice for the first
// rules with a gain.
void profile_text(const struct profile *p, bool colour, struct strbuf *out);

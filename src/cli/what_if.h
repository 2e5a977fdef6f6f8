// Settings of the what-if runs of `warpfold profile` (profile/rules.def), applied to a context or written as options.
#pragma once
#include "base/str.h"
#include "cli/session.h"
#include "profile/facts.h"

// Applies the settings to the context, and to the change of program and launches. False: refused.
bool what_if_apply(struct wf_context *c, const struct facts *f, struct session_change *change,
                   const char *settings);
// Appends the settings as options of `run`, a word a line, with values from the context of the base run. False: a setting
// changes PTX or grids, or has no value.
bool what_if_words(struct wf_context *c, const struct facts *f, const char *settings, struct strbuf *out);
// Cycles after which a launch of a what-if run is stopped.
uint64_t what_if_max_cycles(const struct report_run *base);

// A profile as JSON (docs/reference/profile.md) and as a page: one file with data, drawings and styles.
#pragma once
#include "base/str.h"
#include "profile/rules.h"
#include "profile/sources.h"

// Joins neighbouring samples of a launch until a launch has at most `most`. Sums stay; a maximum is the later value.
void profile_thin(struct report_run *r, size_t most);
// The member "run" is the JSON of `run`. `files`: for the text of source lines.
void profile_json(const struct profile *p, const struct source_files *files, struct strbuf *out);
// The page, with the same data in fewer bytes: the run without the account, its samples as `series`, and the rows of the
// account as `kernels`.
void profile_page(const struct profile *p, const struct source_files *files, struct strbuf *out);

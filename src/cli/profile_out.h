// What `warpfold profile` writes of a ranked profile: page, JSON and summary.
#pragma once
#include "base/diag.h"
#include "base/str.h"
#include "cli/options.h"
#include "profile/rules.h"
#include "profile/sources.h"

#define PROFILE_INTERVAL "256" // cycles between samples of the base run

struct profile_request {
    struct source_files files; // PTX files, or the program
    const char *beside;        // path of an earlier profile; NULL: none
    const char *page_path;     // named in the summary
    bool has_json;             // else `json` stays empty
    bool colour;               // of the summary
};

struct profile_out {
    struct strbuf json, page, text;
};

const char *profile_out_path(const struct options *o); // of the page
// False and an error: the file is no earlier profile.
bool profile_out_check_beside(const char *path, struct diag *d);
// Thins the report's samples, then fills `out`. The report is the base run's, with config_json. An earlier profile that
// cannot be read is an error in `d`, and left out.
void profile_out_make(struct profile_out *out, struct profile *p, struct report_run *report,
                      const struct profile_request *r, struct diag *d);
void profile_out_fini(struct profile_out *out);

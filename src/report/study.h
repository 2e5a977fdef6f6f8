// Results of a study, as JSON and tables for a terminal.
#pragma once
#include "api/warpfold.h"
#include "base/str.h"

struct report_study {
    const char *study;
    const struct wf_study_results *report;
    const char *config_json;    // not owned
    enum wf_status status;      // of the runs
    uint64_t warp_instructions; // of the launches
    double wall_seconds;        // of the host inside launches
    bool detail;                // show detailed tables on the terminal
};

void report_study_json(const struct report_study *s, struct strbuf *out);
void report_study_table(const struct report_study *s, bool colour, struct strbuf *out);

// Findings of `warpfold check`, as text and JSON.
#pragma once
#include "api/warpfold.h"
#include "base/str.h"

struct report_check {
    const struct wf_finding *findings;
    size_t count;
    uint64_t launches, warp_instructions;
    double wall_seconds; // of the host inside launches
    bool interrupted;
};

void report_check_text(const struct report_check *r, bool colour, struct strbuf *out);
void report_check_json(const struct report_check *r, struct strbuf *out);

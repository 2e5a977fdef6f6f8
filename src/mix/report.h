// What a mix measured, as a table for a terminal and as JSON (docs/json.md, schema warpfold.mix/1).
#pragma once
#include "base/str.h"
#include "mix/mix.h"

struct mix_result { // of a workload
    const char *name;
    struct mix_place place;
    struct mix_need need;
    const char *reference; // the GPU that it ran on alone; NULL: this one
    struct mix_run alone;  // on all SMs of that
    struct mix_run apart;  // on its own SMs of this one, with nobody on the others; no launches: it has all
    struct mix_part part;  // together
};

struct mix_report {
    const char *gpu, *tech, *placement; // tech NULL: base
    const char *size, *ptx;
    const char *config_json;
    const struct mix_result *results;
    size_t count;
    struct mix_shares shares;
    double wall_seconds;
};

double mix_progress(const struct mix_result *r); // its speed together as a share of its speed alone
void mix_report_table(const struct mix_report *m, bool colour, struct strbuf *out);
void mix_report_json(const struct mix_report *m, struct strbuf *out);

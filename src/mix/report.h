// Results of a mix, as JSON (docs/reference/json.md, schema warpfold.mix/1) and as a table.
#pragma once
#include "base/str.h"
#include "mix/mix.h"

// Of one workload.
struct mix_result {
    const char *name;
    struct mix_place place;
    struct mix_need need;
    const char *reference; // GPU of the part's run alone; NULL: the GPU of the mix
    struct mix_run alone;  // on all SMs of the reference
    // Run on the part's SMs of the mix's GPU with other SMs idle. No launches: not run, as the part has all
    // SMs.
    struct mix_run apart;
    struct mix_part part; // in the mix
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

double mix_progress(const struct mix_result *r); // speed together, relative to the speed alone
void mix_report_table(const struct mix_report *m, bool colour, struct strbuf *out);
void mix_report_json(const struct mix_report *m, struct strbuf *out);

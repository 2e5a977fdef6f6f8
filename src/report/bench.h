// Results of `warpfold bench`: a row per workload, and the geometric mean of the speeds.
#pragma once
#include "report/run.h"

struct report_bench_row {
    const char *name; // not owned
    char class_letter;
    double tolerance;
    enum wf_status status;
    bool verified; // against the CPU reference
    uint64_t compared, mismatches, output_hash;
    double max_error;
    struct report_run run; // the launches
};

struct report_bench {
    const char *size, *ptx; // as given by the options
    VEC(struct report_bench_row) rows;
    const char *config_json; // not owned
};

void report_bench_fini(struct report_bench *b);
// Simulated warp instructions per second: geometric mean over workloads with measurable time; 0: no such
// workload.
double report_bench_speed(const struct report_bench *b);
void report_bench_table(const struct report_bench *b, bool colour, struct strbuf *out);
// Prints the energy of all workloads together, a row per part; nothing without energy.
void report_bench_energy(const struct report_bench *b, bool colour, struct strbuf *out);
void report_bench_json(const struct report_bench *b, struct strbuf *out);

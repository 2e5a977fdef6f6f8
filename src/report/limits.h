// What limits a kernel on a GPU: rates beside peaks, occupancy beside the most that fits, and the limit in a few words.
#pragma once
#include "api/warpfold.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

struct report_run;

// The launches of a kernel, on SMs.
struct report_kernel {
    const char *name, *mangled; // owned by the context
    uint64_t *counters;         // sums, in the run's order; heap
    size_t launches;
    double cycles, warp_cycles; // sums; warp_cycles: cycles x resident warps, by occupancy
    double core_mhz;
    struct wf_peaks peaks;
    // Of the first launch; `occupancy_most` below 0: several classes of SMs.
    double occupancy_most;
    char *occupancy_limit; // heap; what keeps a further block off the SM: "registers", "grid"
};

// Shares of the peaks, of all cycles from the launch's start to its end. A rate that was not measured is 0.
struct report_limits {
    double occupancy, busy_sms;
    double issued, float_lanes, integer_lanes, special_lanes, double_lanes, shared, l2, dram;
    double conflicts;            // of the accesses' cycles of shared memory, those beyond the first
    double lines;                // lines requested by a global or local access
    double local;                // of these accesses, those of local memory
    double flops, doubles;       // operations a second; FMA: two of the former, one of the latter
    double l2_bytes, dram_bytes; // bytes a second
    const char *by;              // the limit in a few words
};

void report_limits_add(struct report_run *r, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                       const struct wf_stats *stats);
void report_limits_fini(struct report_run *r);
struct report_limits report_limits_of(const struct report_run *r, const struct report_kernel *k);
// A row per kernel. Nothing without launches on SMs.
void report_limits_table(const struct report_run *r, bool colour, struct strbuf *out);
void report_limits_json(const struct report_run *r,
                        struct json *j); // member "limits"; null without launches on SMs

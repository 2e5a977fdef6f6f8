// The figures of a run and their output: JSON (the fields of docs/reference/json.md) and a table for a terminal.
#pragma once
#include "api/warpfold.h"
#include "base/json.h"
#include "base/vec.h"
#include "report/energy.h"
#include "report/errors.h"
#include "report/limits.h"

struct table;

struct report_launch {
    char *kernel, *mangled; // heap
    uint32_t grid[3], block[3];
    uint32_t registers, instructions, shared_bytes; // shared: static and dynamic
    enum wf_status status;
    bool has_waited; // waited for another launch
    uint64_t warp_instructions, thread_instructions, races;
    // cycle of the launch's arrival at the chip; WF_UNKNOWN: functional
    uint64_t start;
    uint64_t cycles, elapsed, fetched, skipped, reused; // WF_UNKNOWN: functional
    double occupancy;                                   // below 0: functional
    double core_mhz;                                    // of the GPU; 0: functional
    double wall_seconds;                                // of the host
    struct wf_sampling sampling;
    uint64_t blocks; // of the grid
    uint64_t room;   // blocks that the chip holds at once, filled by `bench`; 0: unknown or functional
    // The members below are filled only with keeps_launches, and for a program with a host part.
    uint64_t *counters; // heap, in the run's order; NULL: no counters, or a run without a host part
    struct report_energy energy;
    char *fault_text; // heap; NULL: no fault
};

struct report_sm {
    uint64_t active_cycles, warp_instructions, *slots; // slots: heap
    char *sm_class;                                    // heap; NULL: the GPU has no classes
};

// A class of SMs.
struct report_class {
    char *name; // heap
    uint32_t first, count;
    uint64_t *counters; // heap, indexed as wf_counter_at
};

struct report_sample {
    size_t launch;
    uint64_t from, to, *counters; // counters: heap, indexed as report_run.counters
};

struct report_warning {
    char *name, *text; // heap; text: about the first case
    uint64_t count;    // over all launches
};

enum report_verified { REPORT_NOT_VERIFIED, REPORT_VERIFIED, REPORT_MISMATCH };

struct report_run {
    VEC(struct report_launch) launches;
    VEC(struct wf_kernel *) kernels;  // kernels with timed launches; owned by the context
    VEC(struct report_kernel) limits; // by kernel; none without launches on SMs
    struct report_sm *sms;            // sums over the launches, heap
    size_t sm_count;
    VEC(struct report_class) classes; // sums over the launches
    struct wf_counter *counters;      // sums over the launches, heap
    size_t counter_count;
    struct report_errors errors;       // of sampled figures, sums over the launches
    VEC(struct report_sample) samples; // with report.interval
    struct report_energy energy;
    VEC(struct wf_structure) storage; // of the mechanisms; names not owned, sm_class on the heap
    char *gpu;                        // heap; NULL: functional
    char *tech;                       // heap; NULL: base
    struct wf_slice slice;            // parts 0: the whole chip, or functional
    bool differs_from_card;           // a slice, or a setting of the GPU was set (report_run_compare)
    bool interrupted;
    bool keeps_launches; // the JSON has counters, energy and fault of every launch; set before the first
    bool has_host;       // a program with a host part; set before the first launch
    uint64_t host_instructions; // with host_seconds: over the whole run
    double host_seconds;
    struct strbuf console;        // end of the program's output
    char *fault_text, *race_text; // heap; NULL: no fault, no race
    VEC(struct report_warning) warnings;
    const char *config_json; // not owned
    enum report_verified verified;
    uint64_t verify_mismatches;
};

void report_run_fini(struct report_run *r);
// Adds a launch's figures to the run; copies all texts needed after the launch, except storage names.
void report_run_add(struct report_run *r, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                    const struct wf_stats *stats);
// Notes whether the GPU or the compiler was changed by hand (wf_gpu_differs).
void report_run_compare(struct report_run *r, struct wf_context *c);
// Sums over all launches, with the mean occupancy weighted by cycles. Fields of a single launch, such as
// kernel, are zero. WF_UNKNOWN: some launch has no such figure, or no launches.
struct report_launch report_run_sum(const struct report_run *r);
bool report_run_is_sampled(const struct report_run *r); // some launch has estimated figures
// Half-width of the 95 % interval of the cycles of all launches or, with `mangled`, of one kernel's; 0: exact.
double report_run_cycles_half(const struct report_run *r, const char *mangled);
// Adds the IPC's cell, with an interval for a half-width of the cycles above 0.
void report_add_ipc(struct table *t, const struct report_launch *l, double half);
// Writes member "sample": null without sampling; else launches and blocks timed, and half-widths.
void report_run_sample(const struct report_run *r, struct json *j);
double report_run_ipc(const struct report_launch *l); // warp instructions per cycle; NAN: functional
// Appends a warning's text. Behind it comes a line "and 41 more; …" for several cases; after a race, however
// many cases, a line of advice in place of this line.
void report_warning_print(const struct report_warning *w, struct strbuf *out);
void report_run_json(const struct report_run *r, struct strbuf *out);
// Writes member "slice": null for the whole chip.
void report_slice_json(const struct wf_slice *s, struct json *j);
// Prints a line on the slice of the chip; none for the whole chip.
void report_slice_print(const struct report_run *r, struct strbuf *out);
// The members of the open JSON object but the account, and with or without the samples.
void report_run_members(const struct report_run *r, bool samples, struct json *j);
// Each writes members of the open JSON object: storage_bits and storage; samples; counters.
void report_run_storage(const struct report_run *r, struct json *j);
void report_run_samples(const struct report_run *r, struct json *j);
void report_run_counters(const struct report_run *r, struct json *j);
// Prints a row per kernel, summed over the kernel's launches; for a timed run, also tables of issue slots and
// classes of SMs.
void report_run_table(const struct report_run *r, bool colour, struct strbuf *out);

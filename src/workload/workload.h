// The bundled workloads: a benchmark's kernels, its host program at its sizes, and the CPU's reference that
// its results are compared with. They use the public API only.
//
//     struct wf_context *c = wf_context_create();
//     const struct workload *w = workload_find("matrixMul", &nearest);
//     struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
//     struct workload_result result;
//     enum wf_status status = workload_run(w, c, &options, &result);
#pragma once
#include "api/warpfold.h"

enum workload_size { WORKLOAD_SMALL, WORKLOAD_MEDIUM, WORKLOAD_LARGE, WORKLOAD_PAPER };
enum workload_ptx { WORKLOAD_NVCC, WORKLOAD_CLANG };
enum { WORKLOAD_SIZES = 4, WORKLOAD_PTX_SOURCES = 2 };

// What a run's bytes depend on: D nothing but the input; O the order of atomics or clocks; R races.
enum workload_class { WORKLOAD_CLASS_D, WORKLOAD_CLASS_O, WORKLOAD_CLASS_R };

// Size `paper`, which not all have: the input that an application of a paper comes with (paper.def).
enum workload_paper_from { WORKLOAD_FROM_SUITE, WORKLOAD_FROM_SHAPE, WORKLOAD_FROM_WAVE };
struct workload_paper {
    const char *workload, *suite, *input;
    enum workload_paper_from from;
    unsigned grid[2];               // blocks of the first launch
    const char *kernel;             // and its kernel
    unsigned times, original_times; // that what is repeated is repeated, here and there
    const char *note;               // "": none
};

struct host; // a run in progress (host.h)

struct workload {
    const char *name;
    const char *file; // whose CUDA text it is: kernels/FILE.cu
    const char *title;
    unsigned block[3]; // threads of a block in x, y, z
    enum workload_class output_class;
    double tolerance;                          // as in workload.def; 0 = must be equal
    const char *const *kernels;                // entries, ends with NULL
    const char *ptx[WORKLOAD_PTX_SOURCES];     // text, part of the library
    const char *ptx_end[WORKLOAD_PTX_SOURCES]; // where the text ends; a NUL stands there
    const char *source;                        // the CUDA text of `file`
    void (*run)(struct host *);
};

struct tape; // tape.h

struct workload_options {
    enum workload_size size;
    enum workload_ptx ptx;
    unsigned
        registers; // a thread is given where launch.registers does not say, in place of the paper's; 0: no matter
    uint64_t seed; // of other inputs than the usual ones (0), of the same kind
    // Called after every launch, also one that failed; may be NULL.
    void (*launched)(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats);
    void *launched_context;
    struct wf_stream *stream; // of its launches; NULL: the default stream
    struct tape *tape;        // what the host does is recorded, and device memory stays. NULL: it is not
};

struct workload_result {
    bool verified;            // every launch ran and every compared value was within the tolerance
    uint64_t compared;        // values compared with the reference
    uint64_t mismatches;      // of them beyond the tolerance
    double max_error;         // largest error met, measured as the tolerance is; infinite for a NaN
    char first_mismatch[160]; // "" when there was none
    uint64_t output_hash;     // of all output bytes: equal hashes mean equal bytes
    uint64_t launches;
    uint64_t cycles; // sums over the launches; WF_UNKNOWN when a launch did not measure them
    uint64_t warp_instructions, thread_instructions;
    double simulation_seconds; // host time inside launches
    const char *fault_text;    // of the launch that failed, valid until the context's next launch; else NULL
};

// The i-th workload, NULL past the last.
const struct workload *workload_at(size_t i);
// By name; NULL when there is none, then *nearest is the name that may have been meant, or NULL.
const struct workload *workload_find(const char *name, const char **nearest);

// The i-th of a group, NULL past the last: "darsie-1d" and "darsie-2d" (DARSIE's Table 1, groups.def),
// "darsie" (both), "uv", "warpman", "locality", "ilp" (Tables 3 and 5 and chapters 5 and 4 of Xiang's thesis), "dac" (29 regular programs), "all". *abbreviation is the group's short name, of "all" that of the first group, else the workload's own;
// may be NULL.
const struct workload *workload_in_group(const char *group, size_t i, const char **abbreviation);
bool workload_is_group(const char *group);
// Registers that a thread has in another compiler's code (registers.def); 0: not known. By a group's paper, of a workload; or
// of a kernel in NVIDIA's code, with which as many blocks fit on an SM at size `paper` unless launch.registers is set.
#define WORKLOAD_NVIDIA "cuda"
unsigned workload_registers(const char *whose, const char *of);

const struct workload_paper *workload_paper(const struct workload *workload); // NULL: it has no such size
bool workload_has_size(const struct workload *workload, enum workload_size size);

const char *workload_size_name(enum workload_size size); // "small"
bool workload_size_find(const char *name, enum workload_size *size);
const char *workload_ptx_name(enum workload_ptx ptx); // "nvcc"
char workload_class_letter(enum workload_class output_class);

// Runs a workload, at a size that it has, in a context of the caller's and compares the results. WF_MISMATCH when they differ from
// the reference; the status of the call that failed when one did, then wf_errors() has the message. Device
// memory is given back; the module stays with the context.
enum wf_status workload_run(const struct workload *workload, struct wf_context *context,
                            const struct workload_options *options, struct workload_result *result);

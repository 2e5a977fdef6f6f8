// The bundled workloads: a benchmark's kernels, its host program at its sizes, and the CPU's reference for
// comparison of results. Workloads use the public API only.
//
//     struct wf_context *c = wf_context_create();
//     const struct workload *w = workload_find("matrixMul", &nearest);
//     struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
//     struct workload_result result;
//     enum wf_status status = workload_run(w, c, &options, &result);
#pragma once
#include "api/warpfold.h"

enum workload_size { WORKLOAD_SMALL, WORKLOAD_MEDIUM, WORKLOAD_LARGE, WORKLOAD_PAPER, WORKLOAD_SLICE };
enum workload_ptx { WORKLOAD_NVCC, WORKLOAD_CLANG };
enum { WORKLOAD_SIZES = 5, WORKLOAD_PTX_SOURCES = 2 };

// Dependence of a run's output bytes: D on the input only; O on the order of atomics or clocks; R on races.
enum workload_class { WORKLOAD_CLASS_D, WORKLOAD_CLASS_O, WORKLOAD_CLASS_R };

// Size `paper`, available for some workloads (paper.def). SUITE: the application's input in its suite or in
// the paper. SHAPE: close to that input. WAVE: warpfold's own, as many blocks as the GPU holds at once.
enum workload_paper_from { WORKLOAD_FROM_SUITE, WORKLOAD_FROM_SHAPE, WORKLOAD_FROM_WAVE };
struct workload_paper {
    const char *workload, *suite, *input;
    enum workload_paper_from from;
    unsigned grid[2];   // blocks of the first launch
    const char *kernel; // kernel of the first launch
    // repetitions of the application's repeated part: in this run, in the original
    unsigned times, original_times;
    const char *note; // "": no note
};

// Size `slice`, available for the kernels of DARSIE's Table 1 (slice.def): size `paper` for one SM in seven.
enum { WORKLOAD_SLICE_PARTS = 7 };
struct workload_slice {
    const char *workload, *input;
    unsigned grid[2]; // blocks of the first launch
};

struct host; // a run in progress (host.h)

struct workload {
    const char *name;
    const char *file; // the CUDA text is kernels/FILE.cu
    const char *title;
    unsigned block[3]; // threads of a block of the main kernels, in x, y, z
    enum workload_class output_class;
    double tolerance;                           // as in workload.def; 0 = must be equal
    const char *const *kernels;                 // entries, ends with NULL
    const char *ptx_file[WORKLOAD_PTX_SOURCES]; // path of the PTX in the tree; NULL: no PTX by this compiler
    const char *ptx[WORKLOAD_PTX_SOURCES];      // PTX text, embedded in the library
    const char *ptx_end[WORKLOAD_PTX_SOURCES];  // end of the text, holding a NUL
    const char *source;                         // the CUDA text of `file`
    void (*run)(struct host *);
};

struct tape; // tape.h

struct workload_options {
    enum workload_size size;
    enum workload_ptx ptx;
    // registers of a thread on an SM, if launch.registers is unset; 0: at sizes `paper` and `slice` the number in
    // registers.def; elsewhere, or without such a number, as many as the code uses
    unsigned registers;
    uint64_t seed; // seed of varied inputs of the same kind; 0: the usual inputs
    // Called before every launch, to change its shape; may be NULL.
    void (*launching)(void *context, struct wf_kernel *kernel, struct wf_launch_config *shape);
    void *launching_context;
    // Called after every launch, failed launches included; may be NULL.
    void (*launched)(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats);
    void *launched_context;
    struct wf_stream *stream; // for the launches; NULL: the default stream
    struct tape *tape; // records the host's operations and keeps device memory allocated. NULL: no recording
};

struct workload_result {
    bool verified;            // every launch ran, and every compared value is within the tolerance
    uint64_t compared;        // values compared with the reference
    uint64_t mismatches;      // compared values beyond the tolerance
    double max_error;         // largest error, in the measure of the tolerance; infinite for a NaN
    char first_mismatch[160]; // "" without mismatches
    uint64_t output_hash;     // of all output bytes; equal hashes: equal bytes, but for a rare collision
    uint64_t launches;
    uint64_t cycles; // sum over the launches; WF_UNKNOWN if a launch did not measure cycles
    uint64_t warp_instructions, thread_instructions;
    double simulation_seconds; // host time inside launches
    const char *fault_text;    // of a faulted launch, valid until the context's next launch; NULL: no fault
};

// The i-th workload that every GPU runs, NULL past the last.
const struct workload *workload_at(size_t i);
// By name. NULL: unknown name, and *nearest is a similar name or NULL.
const struct workload *workload_find(const char *name, const char **nearest);

// The i-th workload of a group, NULL past the last. Groups: "darsie-1d" and "darsie-2d" (DARSIE's Table 1,
// groups.def), "darsie" (both); "dac" (29 regular programs); "all"; of Xiang's thesis "uv" (Table 3),
// "warpman" (Table 5), "locality" (chapter 5) and "ilp" (chapter 4); "tensor" (kernels for GPUs with tensor cores, in no other group,
// "all" included). *abbreviation: the group's short name.
// For "all": the short name in the first group with the workload, or else the workload's name. `abbreviation`
// may be NULL.
const struct workload *workload_in_group(const char *group, size_t i, const char **abbreviation);
bool workload_is_group(const char *group);
// Registers of a thread in another compiler's code (registers.def); 0: unknown. `whose` is a group, for its
// paper's number of workload `of`, or WORKLOAD_NVIDIA, for NVIDIA's code of kernel `of`. The number limits
// resident blocks of an SM at size `paper`, unless launch.registers is set.
#define WORKLOAD_NVIDIA "cuda"
unsigned workload_registers(const char *whose, const char *of);

// NULL: size `paper` does not exist.
const struct workload_paper *workload_paper(const struct workload *workload);
const struct workload_slice *
workload_slice(const struct workload *workload); // NULL: size `slice` does not exist
bool workload_has_size(const struct workload *workload, enum workload_size size);

const char *workload_size_name(enum workload_size size); // "small"
bool workload_size_find(const char *name, enum workload_size *size);
const char *workload_ptx_name(enum workload_ptx ptx); // "nvcc"
char workload_class_letter(enum workload_class output_class);

// Runs a workload, at an available size, in the caller's context and compares the results. WF_MISMATCH:
// results differ from the reference. Other errors: status of the first failing call, with the message in
// wf_errors(). Device memory is freed, unless recorded on a tape; the module stays in the context.
enum wf_status workload_run(const struct workload *workload, struct wf_context *context,
                            const struct workload_options *options, struct workload_result *result);

// A device with named buffers, for `run` and scripts.
//
// A failing call reports an error; a status is WF_BAD_INPUT, or the status of the launch. Errors with a
// location in PTX stay in the context. All other errors are in the session's diag, at the script line.
#pragma once
#include "api/warpfold.h"
#include "base/diag.h"
#include "cli/change.h"
#include "cli/results.h"
#include "cli/sources.h"
#include "cli/spec.h"
#include "report/run.h"
#include "workload/tape.h"

struct session_buffer {
    char *name, *shown; // name in commands ("out", "2"); in messages ("argument 2")
    struct spec spec;   // BUFFER or TEXTURE; owned
    uint64_t address, size_bytes, texture;
    uint8_t *content; // heap; initial content; NULL: zeros, a file's, or too large to be kept
    bool freed;
    struct loc loc; // in the script
};

struct session_stream {
    char *name;
    struct wf_stream *stream;
};

// A launch with results not yet taken.
struct session_pending {
    struct wf_pending *launch;
    struct wf_kernel *kernel;
    struct wf_launch_config shape;
    struct loc loc;
};

struct session {
    struct diag *diag;
    struct wf_context *context;
    struct wf_module *module; // the latest loaded
    bool is_cuda;             // the module is of CUDA C
    VEC(struct session_buffer) buffers;
    uint64_t kept_bytes; // of initial contents
    VEC(struct session_stream) streams;
    VEC(struct session_pending) pending; // in order of the launches
    struct results *results;
    struct report_run report;
    const struct session_change *change; // not owned; NULL: none
    bool is_checked;                     // by `warpfold check`: zeros are written, a free may come twice
    struct sources *sources;             // of CUDA C, not owned; NULL: CUDA C is refused
    struct tape *tape;                   // records memory and launches, not owned; NULL: none
    void (*launched)(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats); // after every launch; NULL: no call
    void *launched_context;
    struct checkpoint *checkpoint; // not owned; NULL: no checkpoint, or a plain run for --verify
};

// A kernel argument, from a SPEC or a buffer.
struct session_argument {
    enum { ARGUMENT_SCALAR, ARGUMENT_BYTES, ARGUMENT_ADDRESS } kind;
    enum spec_type type; // type of the value of a SCALAR argument
    const void *bytes;   // valid as long as the argument's SPEC
    size_t size_bytes;
    uint64_t address; // ADDRESS: the argument's value, a device address or texture handle; `bytes` is unused
    const char *shown;
};

void session_init(struct session *s, struct wf_context *context, struct diag *d, struct results *r);
void session_fini(struct session *s); // frees neither the context nor the results

enum wf_status session_load(struct session *s, const char *path, struct loc loc);
// name NULL: the only kernel of the module.
struct wf_kernel *session_kernel(struct session *s, const char *name, struct loc loc);

// Sampling of a texture; tex= on the command line: point, clamp, no normalisation.
struct session_sampling {
    enum wf_filter filter;
    enum wf_address address;
    bool normalised_coordinates, normalised_read;
};
// Allocates a buffer with the content of a spec, and takes over the spec, also on failure. Returns the index
// in buffers, or SIZE_MAX and an error.
size_t session_buffer(struct session *s, const char *name, const char *shown, struct spec *spec,
                      const struct session_sampling *sampling, struct loc loc);
// The live buffer with the name, the latest if several; NULL if absent. Valid until the next session_buffer.
struct session_buffer *session_find(const struct session *s, const char *name);
struct session_buffer *session_find_freed(const struct session *s,
                                          const char *name); // as session_find, of freed ones
// After a script under check: tells the checker of buffers not freed, if their name went to a later buffer, or
// if the script frees any buffer.
void session_leaks(struct session *s);
// Finds "NAME" or "NAME+OFFSET": a live buffer, else a variable of the module. *size_bytes: from the address
// to the end.
enum wf_status session_place(struct session *s, const char *text, uint64_t *address, uint64_t *size_bytes,
                             struct loc loc);
// Sets a module variable from NAME=SPEC.
enum wf_status session_symbol(struct session *s, const char *name, struct spec *spec, struct loc loc);

void session_spec_argument(struct session_argument *a, const struct spec *spec, const char *shown);
void session_address_argument(struct session_argument *a, uint64_t address, const char *shown);
// The stream with the name; created if absent.
struct wf_stream *session_stream(struct session *s, const char *name);
// The stream with the name; NULL and an error if absent.
struct wf_stream *session_find_stream(struct session *s, const char *name, struct loc loc);
// Checks the arguments against the kernel's parameters and launches. The call does not wait for a launch in a
// stream. In the default stream, it waits for the launch and all earlier launches.
enum wf_status session_launch(struct session *s, struct wf_kernel *kernel,
                              const struct wf_launch_config *shape, const struct session_argument *args,
                              size_t count, struct loc loc);

// Records the present bytes of device memory on the tape, if any: after a write by the host.
enum wf_status session_record(struct session *s, uint64_t address, uint64_t size_bytes);
// Waits for all launches and records them, in order of the launches. Returns the status of the first failed
// launch; every failed launch reports an error at its line. Call before access to device memory.
enum wf_status session_wait(struct session *s);

// Claims the spec's file, if any, as read. False and an error if the run also writes the file.
bool session_reads(struct session *s, const struct spec *spec, struct loc loc);
// Waits for all launches, then reads device memory into the result of a claimed path.
enum wf_status session_dump(struct session *s, uint64_t address, uint64_t size_bytes, const char *path,
                            struct loc loc);
// Moves the library's messages to the session, at `loc`, if the first has no location; else only adds a note.
void session_take_errors(struct session *s, struct loc loc);

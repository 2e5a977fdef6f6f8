// A device with named buffers: what `run` and a script work on.
//
// Every call that can fail leaves an error and returns WF_BAD_INPUT (or the launch's status). Errors with a
// place in PTX stay with the context; all others are in the session's diag, at the script line that caused
// them.
#pragma once
#include "api/warpfold.h"
#include "base/diag.h"
#include "cli/results.h"
#include "cli/spec.h"
#include "report/run.h"

struct session_buffer {
    char *name, *shown; // how it is named in commands ("out", "2") and in messages ("argument 2")
    struct spec spec;   // BUFFER or TEXTURE; owned
    uint64_t address, size_bytes, texture;
    bool freed;
};

struct session_stream {
    char *name;
    struct wf_stream *stream;
};

// A launch whose results nobody has taken yet.
struct session_pending {
    struct wf_launch *launch;
    struct wf_kernel *kernel;
    struct wf_launch_config shape;
    struct loc loc;
};

struct session {
    struct diag *diag;
    struct wf_context *context;
    struct wf_module *module; // the last one loaded
    VEC(struct session_buffer) buffers;
    VEC(struct session_stream) streams;
    VEC(struct session_pending) pending; // in order of launching
    struct results *results;
    struct report_run report;
};

// A kernel argument, made from a SPEC or from a buffer.
struct session_argument {
    enum { ARGUMENT_SCALAR, ARGUMENT_BYTES, ARGUMENT_ADDRESS } kind;
    enum spec_type type; // SCALAR
    const void *bytes;   // valid as long as what it was made from
    size_t size_bytes;
    uint64_t address; // ADDRESS: what bytes points to when made by session_address_argument
    const char *shown;
};

void session_init(struct session *s, struct wf_context *context, struct diag *d, struct results *r);
void session_fini(struct session *s); // neither the context nor the results

enum wf_status session_load(struct session *s, const char *path, struct loc loc);
struct wf_kernel *session_kernel(struct session *s, const char *name, struct loc loc);

// A texture's reading; the command line's tex= is point, clamp, no normalisation.
struct session_sampling {
    enum wf_filter filter;
    enum wf_address address;
    bool normalised_coordinates, normalised_read;
};
// Device memory with the content the spec says, which the session takes over. Index into buffers, or
// SIZE_MAX.
size_t session_buffer(struct session *s, const char *name, const char *shown, struct spec *spec,
                      const struct session_sampling *sampling, struct loc loc);
// The live buffer of that name, the last one made, or NULL; valid until the next buffer is made.
struct session_buffer *session_find(const struct session *s, const char *name);
// "NAME", "NAME+OFFSET": a live buffer, else a variable of the module. Bytes: from there to its end.
enum wf_status session_place(struct session *s, const char *text, uint64_t *address, uint64_t *size_bytes,
                             struct loc loc);
// NAME=SPEC of a module variable.
enum wf_status session_symbol(struct session *s, const char *name, struct spec *spec, struct loc loc);

void session_spec_argument(struct session_argument *a, const struct spec *spec, const char *shown);
void session_address_argument(struct session_argument *a, uint64_t address, const char *shown);
// Makes the stream of that name, unless there is one.
struct wf_stream *session_stream(struct session *s, const char *name);
// NULL and an error: no stream has the name.
struct wf_stream *session_find_stream(struct session *s, const char *name, struct loc loc);
// Checks the arguments against the kernel's parameters and launches: in a stream of the shape's without waiting, in the
// default stream until this one and all before are over.
enum wf_status session_launch(struct session *s, struct wf_kernel *kernel,
                              const struct wf_launch_config *shape, const struct session_argument *args,
                              size_t count, struct loc loc);

// Until all launches are over, which are then recorded, in order of launching. The status of the first that failed;
// each that failed has left an error at its line. Whatever touches memory calls it first.
enum wf_status session_wait(struct session *s);

// The file that a spec was made from is one that the run reads. False and an error: it writes it, too.
bool session_reads(struct session *s, const struct spec *spec, struct loc loc);
// Bytes of memory for a path that was claimed.
enum wf_status session_dump(struct session *s, uint64_t address, uint64_t size_bytes, const char *path,
                            struct loc loc);
// Gives the library's messages the place `loc` where they have none of their own.
void session_take_errors(struct session *s, struct loc loc);

// The state of the CUDA runtime in a process: the context, the fat binaries, kernels and variables of the program,
// and every object handed out. One lock makes the runtime safe with host threads.
//
// A function of the interface is a line over a plain function of the room, which the lock protects:
//
//     CUDART_EXPORT enum cuda_error cudaFree(void *p) { CUDART_RUN(memory_free(r, p)); }
//
// The context is made by the first call that needs a device. A kernel fault makes every later call return the
// fault's error, as in CUDA (`lost`), until cudaDeviceReset.
#pragma once
#include "api/warpfold.h"
#include "base/hash.h"
#include "base/vec.h"
#include "cudart/types.h"

enum cudart_kind { // of an object behind a handle
    CUDART_DEAD,
    CUDART_STREAM,
    CUDART_EVENT,
    CUDART_ARRAY,
    CUDART_MIPMAP,
    CUDART_GRAPH,
    CUDART_GRAPH_EXEC,
    CUDART_GRAPH_NODE,
    CUDART_POOL,
    CUDART_CONTEXT,
    CUDART_MODULE,
    CUDART_LINKER
};

// What happened so far on the clocks of events (event.c).
struct cudart_clock {
    uint64_t launches; // launches called so far
    double copies_us;  // time of copies so far
};

struct cudart_kernel;
struct cudart_image;
struct cudart_variable;
struct device_facts;
struct cuda_pool;
struct cuda_context;

// A launch whose results are not yet taken.
struct cudart_pending {
    struct wf_pending *launch;
    struct cudart_kernel *kernel;
    struct wf_launch_config shape;
};

// Memory known to the runtime, by address.
enum cudart_memory { MEMORY_DEVICE, MEMORY_HOST, MEMORY_MANAGED, MEMORY_REGISTERED };
struct cudart_block {
    uint64_t address, bytes;
    enum cudart_memory kind;
    unsigned flags; // of cudaHostAlloc or cudaHostRegister
};

struct cudart_texture {
    uint64_t handle;
    struct cuda_resource resource;
    struct cuda_sampling sampling;
    bool is_surface;
};

// A texture or surface reference of CUDA 11.
struct cudart_reference {
    const void *host; // the program's variable
    struct cudart_image *image;
    char *name;                    // heap
    bool is_surface, reads_shares; // texels of integers become 0 to 1
    uint64_t handle;               // bound; 0: nothing
};

struct cudart {
    struct wf_context *context;        // NULL: no call has needed the device
    void *hooked;                      // state of cudart_hooks; NULL: not begun
    enum cuda_error lost;              // cudaSuccess: the device works
    enum cuda_error unusable;          // the device could not be set up; every call returns the error
    VEC(struct cudart_image *) images; // registered fat binaries
    VEC(struct cudart_kernel *) kernels;
    struct u64map functions; // host function or handle of a kernel → index in kernels
    VEC(struct cudart_variable *) variables;
    struct u64map shadows;           // host variable → index in variables
    struct u64map live;              // address of an object → enum cudart_kind
    VEC(struct cudart_block) blocks; // by address
    uint64_t heap_end;               // device memory has addresses from 4 GiB to here
    uint64_t memory_bytes;           // of the device
    struct device_facts *device;     // heap; NULL: not yet asked for
    unsigned flags;                  // of cudaSetDeviceFlags
    bool said_newer;
    struct cuda_pool *pool;              // the device's default pool; NULL: not yet asked for
    VEC(struct cudart_texture) textures; // live texture and surface objects
    VEC(struct cudart_reference) references;
    VEC(struct cudart_pending) pending; // in order of the calls; the first `settled` are done
    size_t settled;
    VEC(double) launch_end_us; // by launch: sum of the times of all launches up to this one
    struct cudart_clock clock;
    VEC(struct cuda_stream *) streams; // created, and the default streams of threads
    struct cuda_stream *legacy;        // the default stream of all threads; NULL: not yet used
    uint64_t streams_made;
    double core_mhz;     // of the latest timed launch; 0: none
    uint64_t limits[8];  // by enum cudaLimit; 0: default
    uint64_t workspaces; // device address of grid workspaces; 0: no cooperative launch so far
    uint64_t cooperative_launches;
    unsigned failed_launches;
    bool has_noticed;             // the program has asked for a fault's error
    struct cuda_context *primary; // of the driver API; NULL: not yet asked for
    unsigned primary_uses;        // retains without release
    uint64_t contexts_made;
    bool
        uses_runtime; // a function of the runtime's interface has been called: the primary context is current
    unsigned busy;    // above 0: a call of the library runs launches
};

// CUDA's major version of the library that the program was linked with, 11 or 13: a few functions have other arguments.
extern const int cudart_generation;

// Locks the runtime; makes the context at the first call. Never NULL.
struct cudart *cudart_enter(void);
struct cudart *cudart_enter_plain(void); // without a context, for registrations
// Unlocks; keeps an error for cudaGetLastError. Returns the error.
enum cuda_error cudart_leave(struct cudart *r, enum cuda_error error);
// The error that cudaGetLastError would give to the host thread, of its own calls alone.
enum cuda_error cudart_last_error(void);
void cudart_set_last_error(enum cuda_error error);
// A program that asks for a fault's name, text or number has noticed the fault.
void cudart_notice(enum cuda_error error);
// Unlocked while the program's own function runs (callbacks).
void cudart_pause(struct cudart *r);
void cudart_resume(struct cudart *r);
// Runs an expression over `r` under the lock, unless the device is lost.
#define CUDART_RUN(expression)                                                                               \
    struct cudart *r = cudart_enter();                                                                       \
    return cudart_leave(r, r->lost ? r->lost : (expression))

// Takes the results of launches that are over: clocks, the report, a fault. Returns `lost`.
enum cuda_error cudart_settle(struct cudart *r);
// Waits for all launches.
enum cuda_error cudart_wait(struct cudart *r);
// The message of the library for a failed call of its interface, given on stderr; returns `error`.
enum cuda_error cudart_told(struct cudart *r, enum cuda_error error);
// A line on stderr, "warpfold: …"; silent with quiet=1 (hooks.h).
void cudart_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A function that is not there was called: a line with its name, once, and cudaErrorNotSupported.
enum cuda_error cudart_absent(const char *name);

void cudart_add(struct cudart *r, const void *object, enum cudart_kind kind);
void cudart_remove(struct cudart *r, const void *object);
bool cudart_is(const struct cudart *r, const void *object, enum cudart_kind kind);

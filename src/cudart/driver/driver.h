// The CUDA driver API over the runtime's state: one device, one heap, the same streams, events and graphs for both, so
// a program may mix driver and runtime. CUresult has the runtime's numbers.
//
// driver.def has every function of libcuda.so.1. Most rows are a call of a function of the runtime or of this header.
// Contexts are handles without memory of their own: all share the device's heap.
#pragma once
#include "cudart/driver/functions.h"
#include "cudart/launch.h"

struct cuda_context {
    unsigned flags;
    uint64_t id;
};

// What a call needs before it may work.
enum driver_need {
    NOTHING,
    DEVICE,
    CONTEXT
}; // DEVICE: cuInit or a call of the runtime; CONTEXT: a current context, too

// A call in flight: what the call may not change for the runtime.
struct driver_call {
    enum cuda_error last_error, error;
    bool uses_runtime, is_per_thread;
};
// False: the call ends with c->error. is_per_thread: handle 0 means the host thread's own stream during the call.
bool driver_begin(struct driver_call *c, enum driver_need need, bool is_per_thread);
// Returns the driver's number of the runtime's error.
enum cuda_error driver_end(const struct driver_call *c, enum cuda_error error);

// Device address to pointer: equal for host and device.
static inline void *driver_at(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT: addresses of the interface are numbers
}

enum cuda_error driver_init(struct cudart *r, unsigned flags);
enum cuda_error driver_error_name(enum cuda_error error, const char **name);
enum cuda_error driver_error_text(enum cuda_error error, const char **text);
// A function by its name without _v2, as version `version` of CUDA (12010 for 12.1) has it. status: 0 found, 1 unknown,
// 2 newer than the version. NULL for a result that is not wanted.
enum { LOOKUP_PER_THREAD = 2 };
enum cuda_error driver_lookup(const char *name, void **function, int version, uint64_t flags, int *status);

enum cuda_error driver_number(int *out, int value);

// The functions in the order of driver.def, each followed by its twin: what libcuda.so.1 jumps to (libcuda.c).
typedef void driver_function(void);
struct driver_table {
    size_t count;
    driver_function *const *functions;
};
extern CUDART_EXPORT const struct driver_table warpfold_driver;

// -- device ---------------------------------------------------------------------------------------------------
enum cuda_error driver_device(int *device, int ordinal);
enum cuda_error driver_device_name(struct cudart *r, char *name, int length, int device);
enum cuda_error driver_device_memory(struct cudart *r, size_t *bytes, int device);
enum cuda_error driver_device_capability(struct cudart *r, int *major, int *minor, int device);
enum cuda_error driver_device_uuid(char *uuid, int device);

// -- contexts -------------------------------------------------------------------------------------------------
// The host thread's current context: the latest pushed or, in a program that uses the runtime, the primary context. NULL: none.
struct cuda_context *driver_current(struct cudart *r);
enum cuda_error driver_context_create(struct cudart *r, struct cuda_context **c, unsigned flags, int device);
enum cuda_error driver_context_destroy(struct cudart *r, struct cuda_context *c);
enum cuda_error driver_context_push(struct cudart *r, struct cuda_context *c);
enum cuda_error driver_context_pop(struct cudart *r, struct cuda_context **c);
enum cuda_error driver_context_set(struct cudart *r, struct cuda_context *c);
enum cuda_error driver_context_get(struct cudart *r, struct cuda_context **c);
enum cuda_error driver_context_facts(struct cudart *r, const struct cuda_context *c, unsigned *flags,
                                     unsigned *version, uint64_t *id);
enum cuda_error driver_primary_retain(struct cudart *r, struct cuda_context **c, int device);
enum cuda_error driver_primary_release(struct cudart *r, int device);
enum cuda_error driver_primary_reset(int device);
enum cuda_error driver_primary_flags(struct cudart *r, int device, unsigned flags);
enum cuda_error driver_primary_state(struct cudart *r, int device, unsigned *flags, int *active);

// -- modules and kernels ----------------------------------------------------------------------------------------
// PTX, or a fat binary with PTX. option_count, options, values: of cuModuleLoadDataEx; the logs of errors are filled.
enum cuda_error driver_module_load(struct cudart *r, void **module, const void *image, unsigned option_count,
                                   const int *options, void **values);
enum cuda_error driver_module_open(struct cudart *r, void **module, const char *path);
// A library of warpfold's own: `name` in messages, no note about the architecture.
enum cuda_error driver_module_own(struct cudart *r, void **module, const char *name, const char *ptx,
                                  size_t length);
enum cuda_error driver_module_unload(struct cudart *r, void *module);
enum cuda_error driver_module_kernel(struct cudart *r, void **kernel, void *module, const char *name);
enum cuda_error driver_module_variable(struct cudart *r, uint64_t *address, size_t *bytes, void *module,
                                       const char *name);
enum cuda_error driver_module_count(struct cudart *r, unsigned *count, void *module);
enum cuda_error driver_module_list(struct cudart *r, void **kernels, unsigned count, void *module);
enum cuda_error driver_kernel_module(struct cudart *r, void **module, const void *kernel);
enum cuda_error driver_kernel_attribute(int *out, int attribute, const void *kernel);
enum cuda_error driver_same(void **out,
                            void *in); // handles of kernels and functions, of libraries and modules are equal

enum cuda_error driver_link_create(struct cudart *r, void **linker);
enum cuda_error driver_link_add(struct cudart *r, void *linker, int kind, const void *data, size_t bytes);
enum cuda_error driver_link_file(struct cudart *r, void *linker, int kind, const char *path);
enum cuda_error driver_link_complete(struct cudart *r, void *linker, void **image, size_t *bytes);
enum cuda_error driver_link_destroy(struct cudart *r, void *linker);

// -- launches ---------------------------------------------------------------------------------------------------
// Arguments by pointers or, params NULL, in a buffer named by `extra`.
struct driver_tiled { // arguments of cuTensorMapEncodeTiled; strides from dimension 1 on
    int type;
    unsigned rank;
    uint64_t address;
    const uint64_t *sizes, *strides;
    const unsigned *box, *steps;
    int interleave, swizzle, promotion, fill;
};
enum cuda_error driver_encode_tiled(void *map, const struct driver_tiled *d); // (tensor_map.c)
enum cuda_error driver_replace_address(void *map, uint64_t address);

enum cuda_error driver_launch(struct cudart *r, const void *kernel, const struct launch_request *q,
                              void **params, void **extra);
enum cuda_error driver_launch_config(struct cudart *r, const struct driver_launch_config *c,
                                     const void *kernel, void **params, void **extra);
enum cuda_error driver_max_clusters(struct cudart *r, int *clusters, const void *kernel,
                                    const struct driver_launch_config *c);
// shared_of: dynamic shared memory by block size; NULL: shared_bytes.
enum cuda_error driver_best_block(int *grid, int *block, const void *kernel, size_t (*shared_of)(int threads),
                                  size_t shared_bytes, int limit);

// -- memory -----------------------------------------------------------------------------------------------------
enum cuda_error driver_range(struct cudart *r, uint64_t *start, size_t *bytes, uint64_t address);
enum cuda_error driver_pointer_attribute(struct cudart *r, void *out, int attribute, uint64_t address);
enum cuda_error driver_pointer_attributes(struct cudart *r, unsigned count, const int *attributes, void **out,
                                          uint64_t address);
// `width` values of value_bytes in each of `rows` rows.
enum cuda_error driver_fill(struct cudart *r, uint64_t to, size_t pitch, unsigned value, unsigned value_bytes,
                            size_t width, size_t rows, struct cuda_stream *s);
enum cuda_error driver_copy_2d(struct cudart *r, const struct driver_copy_2d *c, struct cuda_stream *s);
enum cuda_error driver_copy_3d(struct cudart *r, const struct driver_copy_3d *c, struct cuda_stream *s);

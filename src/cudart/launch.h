// Registered fat binaries, kernels and variables; launches.
#pragma once
#include "cudart/fatbin.h"
#include "cudart/state.h"

// A fat binary of the program: a module, loaded at the first use of a kernel or variable.
struct cudart_image {
    struct fatbin_parts parts; // first member: the handle of a registration is a pointer to it
    bool is_good;              // registered with a wrapper of a known kind
    struct wf_module *module;  // NULL: not loaded
    enum cuda_error error;     // of a load that failed; cudaSuccess: none
    unsigned architecture;     // of the PTX: 75 for sm_75
    const char *own;           // the PTX of a library of warpfold's; NULL: the program's
};

struct cudart_kernel {
    struct cudart_image *image;
    char *name;                    // mangled, heap
    struct wf_kernel *compiled;    // NULL: not yet
    enum cuda_error error;         // of a compilation that failed
    uint32_t dynamic_shared_limit; // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
    uint64_t launches;
};

struct cudart_variable {
    struct cudart_image *image;
    char *name; // heap
    uint64_t bytes;
    void **managed; // the program's pointer to a managed variable; NULL: no managed variable
};

// The module of an image; NULL and *error: no PTX for it, or the PTX is not accepted (messages have been given).
struct wf_module *image_module(struct cudart *r, struct cudart_image *image, enum cuda_error *error);
// A new kernel of the image by its mangled name; its handle is its address.
struct cudart_kernel *image_add_kernel(struct cudart *r, struct cudart_image *image, const char *name);
// The kernel behind a host function or a kernel's handle; NULL: neither.
struct cudart_kernel *image_kernel(struct cudart *r, const void *function);
// Compiles the kernel at the first call. NULL and *error on failure.
struct wf_kernel *image_compiled(struct cudart *r, struct cudart_kernel *k, enum cuda_error *error);
// The variable behind a host variable; NULL: not registered.
const struct cudart_variable *image_variable(struct cudart *r, const void *shadow);
// Device address of a variable.
enum cuda_error image_address(struct cudart *r, const struct cudart_variable *v, uint64_t *address);
// Sets the program's pointers to managed variables.
enum cuda_error image_place_managed(struct cudart *r, struct cudart_image *image);

// Forgets all loaded modules and compiled kernels: the next use loads anew.
void image_forget(struct cudart *r);

// A launch as the program asks for it.
struct launch_request {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    struct cuda_stream *stream; // the program's handle
    bool is_cooperative;
    struct cuda_dim3 cluster; // zero: as the kernel requires, or no clusters
};
enum cuda_error launch_kernel(struct cudart *r, const void *function, const struct launch_request *q,
                              void **args);
// Adds the attributes of a launch to the request.
enum cuda_error launch_attributes(struct launch_request *q, const struct cuda_launch_attribute *attributes,
                                  unsigned count);
// The same for a kernel known to be live, into a stream of the library's: graphs.
enum cuda_error launch_in(struct cudart *r, struct cudart_kernel *k, const struct launch_request *q,
                          struct wf_stream *stream, void **args);
// Clusters of the request's shape that the device holds at once. Without timing there are no GPCs: as many as its SMs have
// blocks for, one an SM.
enum cuda_error launch_clusters(struct cudart *r, int *clusters, const void *function,
                                const struct launch_request *q);
// Blocks of a shape that an SM of the device holds at once; 0: none fits.
uint32_t launch_resident(struct wf_kernel *k, const struct cuda_dim3 *block, size_t shared_bytes);

// Recorded device operations of a workload's host program, in order: writes of memory, launches, and outputs
// with their bytes. A replay needs no host program. Addresses, kernels and textures belong to the recorded
// run, and its memory stays allocated in the context. Decisions of the host from data read back stay as
// recorded.
#pragma once
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/vec.h"

enum tape_what { TAPE_WRITE, TAPE_LAUNCH, TAPE_OUTPUT };

struct tape_step {
    enum tape_what what;
    uint64_t address; // address written, or read as an output
    size_t size_bytes;
    const void *bytes; // bytes written, or read
    struct wf_kernel *kernel;
    struct wf_launch_config shape;
    void **args;
    size_t arg_count;
};

struct tape {
    VEC(struct tape_step) steps;
    struct arena arena;
};

void tape_init(struct tape *t);
void tape_fini(struct tape *t);
void tape_write(struct tape *t, uint64_t address, const void *bytes, size_t size_bytes); // bytes NULL: zeros
void tape_output(struct tape *t, uint64_t address, const void *bytes, size_t size_bytes);
void tape_launch(struct tape *t, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                 const void *const *args, size_t arg_count);

// What cuBLAS and cuRAND share: the device through the driver API, and kernels out of PTX of their own.
#pragma once
#include "cudart/driver/functions.h"

#include <stdlib.h>

struct device_kernels {
    const char *name; // in messages
    const char *ptx;  // NUL-terminated
};

// Makes a context current if none is: the primary one, as the libraries do. False: no device.
bool device_ready(void);
// Loads the kernels; the same module for the same text. NULL: not accepted, with messages.
void *device_load(const struct device_kernels *k);
struct device_shape {
    unsigned grid_x, grid_y, grid_z, threads;
};
// Launches a kernel of the module by name in a stream.
enum cuda_error device_launch(void *module, const char *kernel, const struct device_shape *shape,
                              struct cuda_stream *s, void **args);

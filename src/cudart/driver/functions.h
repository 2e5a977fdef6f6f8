// Prototypes of the driver API: every function of driver.def. CUresult is enum cuda_error, CUdeviceptr uint64_t.
#pragma once
#include "cudart/types.h"

struct cuda_context;
struct driver_launch_config { // CUlaunchConfig
    struct cuda_dim3 grid, block;
    unsigned shared_bytes;
    struct cuda_stream *stream;
    const struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
// CUDA_MEMCPY2D and CUDA_MEMCPY3D.
struct driver_side_2d {
    size_t x, y; // x: bytes
    int kind;    // 1 host, 2 device, 3 array, 4 either
    const void *host;
    uint64_t device;
    const struct cuda_array *array;
    size_t pitch;
};
struct driver_copy_2d {
    struct driver_side_2d from, to;
    size_t width, height;
};
struct driver_side_3d {
    size_t x, y, z, level;
    int kind; // 1 host, 2 device, 3 array, 4 either
    const void *host;
    uint64_t device;
    const struct cuda_array *array;
    void *reserved;
    size_t pitch, height;
};
struct driver_copy_3d {
    struct driver_side_3d from, to;
    size_t width, height, depth;
};
_Static_assert(sizeof(struct driver_copy_2d) == 128 && sizeof(struct driver_copy_3d) == 200,
               "layouts of CUDA's headers");

#define TWIN_NONE(name, parameters)
#define TWIN_PTSZ(name, parameters) enum cuda_error name##_ptsz parameters;
#define TWIN_PTDS(name, parameters) enum cuda_error name##_ptds parameters;
#define CALL(name, twin, since, need, parameters, call)                                                      \
    enum cuda_error name parameters;                                                                         \
    TWIN_##twin(name, parameters)
#define OWN(name, twin, since, need, parameters, call) CALL(name, twin, since, need, parameters, call)
#define ABSENT(name)                                   enum cuda_error name(void);
#include "cudart/driver/driver.def"
#undef TWIN_NONE
#undef TWIN_PTSZ
#undef TWIN_PTDS
#undef CALL
#undef OWN
#undef ABSENT

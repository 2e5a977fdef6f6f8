// Functions of the driver by name, for programs that use the runtime alone.
#include "cudart/driver/driver.h"
#include "cudart/stream.h"

// An unknown name is no error where the caller asks for the status, as CUDA 12 and later do.
static enum cuda_error look_up(const char *name, void **function, int version, uint64_t flags, int *status)
{
    if (stream_is_per_thread()) flags |= LOOKUP_PER_THREAD;
    return driver_lookup(name, function, version, flags, status);
}

// CUDA 11 has no status.
CUDART_EXPORT enum cuda_error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags,
                                                      int *status)
{
    bool is_new = cudart_generation >= 13;
    CUDART_RUN(look_up(name, function, is_new ? 13000 : 11080, flags, is_new ? status : NULL));
}

CUDART_EXPORT enum cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                               unsigned version, uint64_t flags, int *status)
{
    CUDART_RUN(look_up(name, function, (int)version, flags, status));
}

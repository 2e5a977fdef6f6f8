#include "cumath/device.h"

#include <string.h>

bool device_ready(void)
{
    struct cuda_context *c = NULL;
    if (cuInit(0) != cudaSuccess || cuCtxGetCurrent(&c) != cudaSuccess) return false;
    if (c) return true;
    return cuDevicePrimaryCtxRetain(&c, 0) == cudaSuccess && cuCtxSetCurrent(c) == cudaSuccess;
}

void *device_load(const struct device_kernels *k)
{
    void *module = NULL;
    return warpfold_load(&module, k->name, k->ptx, strlen(k->ptx)) == cudaSuccess ? module : NULL;
}

enum cuda_error device_launch(void *module, const char *kernel, const struct device_shape *shape,
                              struct cuda_stream *s, void **args)
{
    void *function = NULL;
    enum cuda_error error =
        device_ready() ? cuModuleGetFunction(&function, module, kernel) : cudaErrorNoDevice;
    if (error) return error;
    return cuLaunchKernel(function, shape->grid_x, shape->grid_y, shape->grid_z, shape->threads, 1, 1, 0, s,
                          args, NULL);
}

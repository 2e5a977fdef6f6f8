// A program of the CUDA driver API alone, over kernels.ptx: driver WORD...
//
//     count    counts with a kernel, and prints the count     fault    a kernel that stores to address 0, and its error
//     absent   calls a function that is not there
#include "cudart/driver/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *module;

static enum cuda_error launch(const char *name, void **params)
{
    void *f;
    enum cuda_error error = cuModuleGetFunction(&f, module, name);
    if (!error) error = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    return error ? error : cuCtxSynchronize();
}

static const char *name_of(enum cuda_error error)
{
    const char *name = "?";
    cuGetErrorName(error, &name);
    return name;
}

int main(int argc, char **argv)
{
    struct cuda_context *c;
    uint64_t counter = 0, null = 0;
    int step = 5, now = -1;
    if (cuInit(0) || cuCtxCreate_v2(&c, 0, 0) || cuModuleLoad(&module, "tests/cudart/kernels.ptx")) return 9;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "count")) {
            enum cuda_error error = launch("count", (void *[]){&step});
            cuModuleGetGlobal_v2(&counter, NULL, module, "counter");
            cuMemcpyDtoH_v2(&now, counter, sizeof now);
            printf("count %d, %s\n", now, name_of(error));
        }
        if (!strcmp(argv[i], "fault")) printf("%s\n", name_of(launch("store_at", (void *[]){&null})));
        if (!strcmp(argv[i], "absent")) printf("%s\n", name_of(cuTexRefCreate()));
    }
    return cuCtxDestroy_v2(c) ? 8 : 0;
}

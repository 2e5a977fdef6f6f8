// The host's side of the CUDA runtime, declared so that a whole .cu file, with its main, compiles for the
// device. Nothing here is ever called: warpfold runs kernels, and its scripts or its C interface do what the
// host would.
#pragma once
#include "device.h"

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorNotReady = 600,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, memPitch, sharedMemPerMultiprocessor;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor,
        multiProcessorCount, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum {
    cudaMemAttachGlobal = 1,
    cudaHostAllocDefault = 0,
    cudaHostAllocMapped = 2,
    cudaEventDisableTiming = 2,
    cudaStreamNonBlocking = 1
};

extern "C" {
cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaMallocHost(void **at, size_t bytes, unsigned flags = 0);
cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags);
cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
cudaError_t cudaFree(void *at);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *at, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int byte, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device, cudaStream_t stream = 0);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
// What <<<…>>> becomes.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
}
template <typename T> cudaError_t cudaMalloc(T **at, size_t bytes) { return cudaMalloc((void **)at, bytes); }
template <typename T> cudaError_t cudaMallocHost(T **at, size_t bytes, unsigned flags = 0)
{
    return cudaMallocHost((void **)at, bytes, flags);
}
template <typename T> cudaError_t cudaHostAlloc(T **at, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)at, bytes, flags);
}
template <typename T>
cudaError_t cudaMallocManaged(T **at, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)at, bytes, flags);
}
template <typename T> cudaError_t cudaMallocPitch(T **at, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)at, pitch, width, height);
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
template <typename T> cudaError_t cudaGetSymbolAddress(void **at, const T &symbol);
template <typename T> cudaError_t cudaFuncSetAttribute(T kernel, cudaFuncAttribute attribute, int value);
template <typename T> cudaError_t cudaFuncSetCacheConfig(T kernel, cudaFuncCache config);
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0,
                                               int limit = 0);
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block, size_t shared);

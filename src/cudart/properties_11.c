// cudaDeviceProp as CUDA 11 lays it out.
#include "cudart/properties.h"

#include <string.h>

struct properties_11 {
    char name[256];
    char uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
        maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
        concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
};

void properties_11(void *out, const struct cuda_properties *p, int core_khz, int memory_khz, int double_ratio)
{
    struct properties_11 *o = out;
    memset(o, 0, sizeof *o);
    memcpy(o->name, p->name, sizeof o->name);
#define SAME(member) memcpy(&o->member, &p->member, sizeof o->member)
    SAME(totalGlobalMem), SAME(sharedMemPerBlock), SAME(regsPerBlock), SAME(warpSize), SAME(memPitch);
    SAME(maxThreadsPerBlock), SAME(maxThreadsDim), SAME(maxGridSize), SAME(totalConstMem), SAME(major),
        SAME(minor);
    SAME(textureAlignment), SAME(texturePitchAlignment), SAME(multiProcessorCount), SAME(canMapHostMemory);
    SAME(maxTexture1D), SAME(maxTexture2D), SAME(maxTexture2DLinear), SAME(maxTexture3D),
        SAME(surfaceAlignment);
    SAME(concurrentKernels), SAME(pciBusID), SAME(asyncEngineCount), SAME(unifiedAddressing),
        SAME(memoryBusWidth);
    SAME(l2CacheSize), SAME(maxThreadsPerMultiProcessor), SAME(streamPrioritiesSupported);
    SAME(globalL1CacheSupported), SAME(localL1CacheSupported), SAME(sharedMemPerMultiprocessor);
    SAME(regsPerMultiprocessor), SAME(managedMemory), SAME(concurrentManagedAccess);
    SAME(canUseHostPointerForRegisteredMem), SAME(cooperativeLaunch), SAME(sharedMemPerBlockOptin);
    SAME(maxBlocksPerMultiProcessor);
#undef SAME
    o->clockRate = core_khz;
    o->memoryClockRate = memory_khz;
    o->deviceOverlap = 1;
    o->maxTexture1DLinear = 1 << 28;
    o->singleToDoublePrecisionPerfRatio = double_ratio;
}

// The CUDA runtime as programs see it: prototypes of functions of the interface that other rooms and tests call.
#pragma once
#include "cudart/types.h"

enum cuda_error cudaGetLastError(void);
enum cuda_error cudaPeekAtLastError(void);
const char *cudaGetErrorName(enum cuda_error error);
const char *cudaGetErrorString(enum cuda_error error);
enum cuda_error cudaMalloc(void **p, size_t bytes);
enum cuda_error cudaFree(void *p);
enum cuda_error cudaMallocHost(void **p, size_t bytes);
enum cuda_error cudaFreeHost(void *p);
enum cuda_error cudaMallocManaged(void **p, size_t bytes, unsigned flags);
enum cuda_error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
enum cuda_error cudaHostRegister(void *p, size_t bytes, unsigned flags);
enum cuda_error cudaHostUnregister(void *p);
enum cuda_error cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
enum cuda_error cudaPointerGetAttributes(struct cuda_pointer *a, const void *p);
enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *total);
enum cuda_error cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
enum cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct cuda_stream *s);
enum cuda_error cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind);
enum cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, int kind);
enum cuda_error cudaMemcpy3D(const struct cuda_copy_3d *c);
enum cuda_error cudaMemset(void *p, int value, size_t bytes);
enum cuda_error cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height);
enum cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                   int kind);
enum cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
enum cuda_error cudaGetSymbolAddress(void **p, const void *symbol);
enum cuda_error cudaGetSymbolSize(size_t *bytes, const void *symbol);
enum cuda_error cudaDeviceSynchronize(void);
enum cuda_error cudaDeviceReset(void);
enum cuda_error cudaDeviceGetAttribute(int *out, int number, int device);
enum cuda_error cudaSetDevice(int device);
enum cuda_error cudaStreamCreate(struct cuda_stream **s);
enum cuda_error cudaStreamDestroy(struct cuda_stream *s);
enum cuda_error cudaStreamSynchronize(struct cuda_stream *s);
enum cuda_error cudaStreamQuery(struct cuda_stream *s);
enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *e, unsigned flags);
enum cuda_error cudaStreamAddCallback(struct cuda_stream *s, stream_callback *f, void *data, unsigned flags);
enum cuda_error cudaStreamBeginCapture(struct cuda_stream *s, int mode);
enum cuda_error cudaStreamEndCapture(struct cuda_stream *s, struct cuda_graph **graph);
enum cuda_error cudaLaunchHostFunc(struct cuda_stream *s, host_function *f, void *data);
enum cuda_error cudaEventCreate(struct cuda_event **e);
enum cuda_error cudaEventDestroy(struct cuda_event *e);
enum cuda_error cudaEventRecord(struct cuda_event *e, struct cuda_stream *s);
enum cuda_error cudaEventSynchronize(struct cuda_event *e);
enum cuda_error cudaEventElapsedTime(float *ms, struct cuda_event *from, struct cuda_event *to);
enum cuda_error cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                                 void **args, size_t shared_bytes, struct cuda_stream *stream);
enum cuda_error cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid,
                                            struct cuda_dim3 block, void **args, size_t shared_bytes,
                                            struct cuda_stream *stream);
enum cuda_error cudaFuncGetAttributes(struct cuda_function *a, const void *function);
enum cuda_error cudaFuncSetAttribute(const void *function, int attribute, int value);
enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                              size_t shared_bytes);
enum cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                               const struct cuda_launch_config *config);
enum cuda_error cudaMallocArray(struct cuda_array **a, const struct cuda_channels *c, size_t width,
                                size_t height, unsigned flags);
enum cuda_error cudaFreeArray(struct cuda_array *a);
enum cuda_error cudaMemcpy2DToArray(struct cuda_array *to, size_t x, size_t y, const void *from, size_t pitch,
                                    size_t width, size_t height, int kind);
struct cuda_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
enum cuda_error cudaCreateTextureObject(uint64_t *texture, const struct cuda_resource *res,
                                        const struct cuda_sampling *s, const void *view);
enum cuda_error cudaDestroyTextureObject(uint64_t texture);
enum cuda_error cudaMalloc3DArray(struct cuda_array **a, const struct cuda_channels *c, struct cuda_extent e,
                                  unsigned flags);
enum cuda_error cudaArrayGetInfo(struct cuda_channels *c, struct cuda_extent *e, unsigned *flags,
                                 struct cuda_array *a);
enum cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch, const struct cuda_array *from, size_t x,
                                      size_t y, size_t width, size_t height, int kind);
enum cuda_error cudaMallocMipmappedArray(struct cuda_mipmap **m, const struct cuda_channels *c,
                                         struct cuda_extent e, unsigned levels, unsigned flags);
enum cuda_error cudaGetMipmappedArrayLevel(struct cuda_array **a, struct cuda_mipmap *m, unsigned level);
enum cuda_error cudaFreeMipmappedArray(struct cuda_mipmap *m);
enum cuda_error cudaCreateSurfaceObject(uint64_t *surface, const struct cuda_resource *res);
enum cuda_error cudaGetSurfaceObjectResourceDesc(struct cuda_resource *res, uint64_t surface);
enum cuda_error cudaDestroySurfaceObject(uint64_t surface);
void __cudaRegisterTexture(void **handle, const struct cuda_texture_reference *host, const void **device,
                           const char *name, int dimensions, int reads_shares, int is_extern);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int is_extern);
enum cuda_error cudaBindTexture(size_t *offset, const struct cuda_texture_reference *t, const void *data,
                                const struct cuda_channels *c, size_t bytes);
enum cuda_error cudaBindTextureToArray(const struct cuda_texture_reference *t, struct cuda_array *a,
                                       const struct cuda_channels *c);
enum cuda_error cudaUnbindTexture(const struct cuda_texture_reference *t);
enum cuda_error cudaGetTextureReference(const void **reference, const void *symbol);
enum cuda_error cudaBindSurfaceToArray(const void *s, struct cuda_array *a, const struct cuda_channels *c);
enum cuda_error cudaMallocAsync(void **p, size_t bytes, struct cuda_stream *s);
enum cuda_error cudaFreeAsync(void *p, struct cuda_stream *s);
enum cuda_error cudaGraphCreate(struct cuda_graph **g, unsigned flags);
enum cuda_error cudaGraphDestroy(struct cuda_graph *g);
enum cuda_error cudaGraphInstantiate(struct cuda_graph_exec **x, struct cuda_graph *g,
                                     unsigned long long flags);
enum cuda_error cudaGraphLaunch(struct cuda_graph_exec *x, struct cuda_stream *s);
enum cuda_error cudaGraphExecDestroy(struct cuda_graph_exec *x);
enum cuda_error cudaGraphAddHostNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                     struct cuda_graph_node *const *before, size_t count, const void *params);
enum cuda_error cudaGraphAddDependencies(struct cuda_graph *g, struct cuda_graph_node *const *from,
                                         struct cuda_graph_node *const *to, const void *edges, size_t count);
enum cuda_error cudaGraphGetNodes(struct cuda_graph *g, struct cuda_graph_node **nodes, size_t *count);
enum cuda_error cudaGraphicsMapResources(void);

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            void *thread, void *block_id, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern,
                              size_t bytes, int is_constant, int is_global);
enum cuda_error __cudaGetKernel(const void **kernel, const void *function);
enum cuda_error __cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block,
                                   void **args, size_t shared_bytes, struct cuda_stream *stream);
unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared_bytes,
                                     struct cuda_stream *stream);
enum cuda_error __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                                           size_t *shared_bytes, struct cuda_stream **stream);

enum cuda_error cudaHostAlloc(void **p, size_t bytes, unsigned flags);
enum cuda_error cudaHostGetFlags(unsigned *flags, void *host);
enum cuda_error cudaMemAdvise(const void *p, size_t bytes, int advice, struct cuda_location where);
enum cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, int kind, struct cuda_stream *s);
enum cuda_error cudaMemsetAsync(void *p, int value, size_t bytes, struct cuda_stream *s);
enum cuda_error cudaDeviceGetPCIBusId(char *text, int length, int device);
enum cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text);
enum cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer);
enum cuda_error cudaDeviceGetP2PAttribute(int *value, int attribute_number, int device, int peer);
enum cuda_error cudaDeviceGetLimit(size_t *value, int number);
enum cuda_error cudaDeviceSetLimit(int number, size_t value);
enum cuda_error cudaDeviceGetCacheConfig(int *config);
enum cuda_error cudaDeviceSetCacheConfig(int config);
enum cuda_error cudaDeviceGetSharedMemConfig(int *config);
enum cuda_error cudaDeviceSetSharedMemConfig(int config);
enum cuda_error cudaCtxResetPersistingL2Cache(void);
enum cuda_error cudaDeviceGetStreamPriorityRange(int *low, int *high);
enum cuda_error cudaDriverGetVersion(int *out);
enum cuda_error cudaProfilerStart(void);
enum cuda_error cudaProfilerStop(void);
enum cuda_error cudaDeviceGetDefaultMemPool(struct cuda_pool **pool, int device);
enum cuda_error cudaDeviceGetMemPool(struct cuda_pool **pool, int device);
enum cuda_error cudaDeviceSetMemPool(int device, struct cuda_pool *pool);
enum cuda_error cudaMallocFromPoolAsync(void **p, size_t bytes, struct cuda_pool *pool,
                                        struct cuda_stream *s);
enum cuda_error cudaMemPoolCreate(struct cuda_pool **pool, const void *properties);
enum cuda_error cudaMemPoolDestroy(struct cuda_pool *pool);
enum cuda_error cudaMemPoolTrimTo(struct cuda_pool *pool, size_t keep);
enum cuda_error cudaMemPoolSetAccess(struct cuda_pool *pool, const void *access, size_t count);
enum cuda_error cudaMemPoolSetAttribute(struct cuda_pool *pool, int number, void *value);
enum cuda_error cudaMemPoolGetAttribute(struct cuda_pool *pool, int number, void *value);
enum cuda_error cudaStreamCreateWithFlags(struct cuda_stream **s, unsigned flags);
enum cuda_error cudaStreamCreateWithPriority(struct cuda_stream **s, unsigned flags, int priority);
enum cuda_error cudaStreamGetFlags(struct cuda_stream *s, unsigned *flags);
enum cuda_error cudaStreamGetPriority(struct cuda_stream *s, int *priority);
enum cuda_error cudaStreamGetId(struct cuda_stream *s, uint64_t *id);
enum cuda_error cudaStreamGetDevice(struct cuda_stream *s, int *device);
enum cuda_error cudaStreamAttachMemAsync(struct cuda_stream *s, void *p, size_t bytes, unsigned flags);
enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s, int *status);
enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode);
enum cuda_error cudaEventCreateWithFlags(struct cuda_event **e, unsigned flags);
enum cuda_error cudaEventRecordWithFlags(struct cuda_event *e, struct cuda_stream *s, unsigned flags);
enum cuda_error cudaEventQuery(struct cuda_event *e);
enum cuda_error cudaFuncSetCacheConfig(const void *function, int config);
enum cuda_error cudaFuncSetSharedMemConfig(const void *function, int config);
enum cuda_error cudaFuncGetName(const char **name, const void *function);
enum cuda_error cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                          int threads);
enum cuda_error cudaGraphInstantiateWithFlags(struct cuda_graph_exec **x, struct cuda_graph *g,
                                              unsigned long long flags);
enum cuda_error cudaGraphUpload(struct cuda_graph_exec *x, struct cuda_stream *s);
enum cuda_error cudaGraphClone(struct cuda_graph **clone, struct cuda_graph *g);
enum cuda_error cudaGetDevice(int *device);
enum cuda_error cudaGetDeviceCount(int *count);
enum cuda_error cudaGetDeviceProperties(void *properties, int device);
enum cuda_error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status);
enum cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                 uint64_t flags, int *status);

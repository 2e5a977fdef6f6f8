// The CUDA runtime, called as nvcc's objects and programs call it, over a fat binary made by hand.
#include "base/file.h"
#include "cudart/cuda.h"
#include "harness/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Host functions and variables of the program: only the addresses count.
static char axpy, count, next_word, add_byte, store_at, stop, claim, say, follow, wait_for, fetch, wide, meet,
    unknown;
static char scale, counter;
static int *shared_word;

static const struct cuda_dim3 one = {1, 1, 1};

static void register_program(const char *ptx, size_t length)
{
    static const struct {
        char *host;
        const char *name;
    } kernels[] = {{&axpy, "axpy"},         {&count, "count"},       {&next_word, "next_word"},
                   {&add_byte, "add_byte"}, {&store_at, "store_at"}, {&stop, "stop"},
                   {&claim, "claim"},       {&say, "say"},           {&follow, "follow"},
                   {&wait_for, "wait_for"}, {&fetch, "fetch"},       {&wide, "wide"},
                   {&meet, "meet"}};
    void **handle = __cudaRegisterFatBinary(fat_make(ptx, length, FAT_LZ4));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        __cudaRegisterFunction(handle, kernels[i].host, NULL, kernels[i].name, -1, NULL, NULL, NULL, NULL,
                               NULL);
    __cudaRegisterVar(handle, &scale, &scale, "scale", 0, 4, 1, 0);
    __cudaRegisterVar(handle, &counter, &counter, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_word, NULL, "shared_word", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaInitModule(handle);
}

static enum cuda_error launch(char *kernel, unsigned blocks, unsigned threads, void **args)
{
    return cudaLaunchKernel(kernel, (struct cuda_dim3){blocks, 1, 1}, (struct cuda_dim3){threads, 1, 1}, args,
                            0, NULL);
}

static void *device_memory(size_t bytes)
{
    void *p = NULL;
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : NULL;
}

static void test_launch(struct test *t)
{
    enum { N = 1000 };
    float x[N], y[N], two = 2;
    int n = N;
    for (int i = 0; i < N; i++) x[i] = y[i] = (float)i;
    void *dx = device_memory(sizeof x), *dy = device_memory(sizeof y);
    CHECK_EQ(t, cudaMemcpy(dx, x, sizeof x, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy(dy, y, sizeof y, COPY_DEFAULT), cudaSuccess);
    CHECK_EQ(t, cudaMemcpyToSymbol(&scale, &two, 4, 0, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, launch(&axpy, 4, 256, (void *[]){&n, &dx, &dy}), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy(y, dy, sizeof y, COPY_FROM_DEVICE), cudaSuccess);
    for (int i = 0; i < N; i++) CHECK(t, y[i] == 3 * (float)i);
    CHECK_EQ(t, cudaFree(dx), cudaSuccess);
    CHECK_EQ(t, cudaFree(dy), cudaSuccess);
}

// <<<…>>> pushes the shape, and the kernel's host function pops it and launches by a handle.
static void test_host_function(struct test *t)
{
    struct cuda_dim3 grid, block;
    struct cuda_stream *s;
    size_t shared;
    const void *kernel;
    int step = 5, now = 0;
    CHECK_EQ(t, __cudaPushCallConfiguration((struct cuda_dim3){3, 1, 1}, one, 0, NULL), 0);
    CHECK_EQ(t, __cudaGetKernel(&kernel, &count), cudaSuccess);
    CHECK_EQ(t, __cudaPopCallConfiguration(&grid, &block, &shared, &s), cudaSuccess);
    CHECK_EQ(t, __cudaLaunchKernel(kernel, grid, block, (void *[]){&step}, shared, s), cudaSuccess);
    CHECK_EQ(t, cudaMemcpyFromSymbol(&now, &counter, 4, 0, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, now, 7 + 3 * 5);
    CHECK_EQ(t, __cudaPopCallConfiguration(&grid, &block, &shared, &s), cudaErrorMissingConfiguration);
    CHECK_EQ(t, launch(&unknown, 1, 1, NULL), cudaErrorInvalidDeviceFunction);
    CHECK_EQ(t, cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    CHECK_EQ(t, cudaGetLastError(), cudaSuccess);
}

static void test_symbols(struct test *t)
{
    size_t bytes = 0;
    void *p = NULL;
    float x;
    CHECK_EQ(t, cudaGetSymbolSize(&bytes, &counter), cudaSuccess);
    CHECK_EQ(t, bytes, 4);
    CHECK_EQ(t, cudaGetSymbolAddress(&p, &counter), cudaSuccess);
    CHECK(t, p != NULL);
    CHECK_EQ(t, cudaMemcpyToSymbol(&counter, &x, 4, 1, COPY_TO_DEVICE), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMemcpyToSymbol(&unknown, &x, 4, 0, COPY_TO_DEVICE), cudaErrorInvalidSymbol);
    CHECK_EQ(t, cudaMemcpyFromSymbol(&x, &counter, 4, 0, COPY_TO_DEVICE), cudaErrorInvalidMemcpyDirection);
}

// Managed, pinned and registered memory, and linked lists through them: one address for both sides.
static void test_one_address(struct test *t)
{
    int **head, *last, n = 2, **own = malloc(64);
    CHECK_EQ(t, *shared_word, 40);
    CHECK_EQ(t, launch(&next_word, 1, 1, NULL), cudaSuccess);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(t, *shared_word, 42);
    CHECK_EQ(t, cudaMallocManaged((void **)&head, 64, 1), cudaSuccess);
    CHECK_EQ(t, cudaMallocHost((void **)&last, 64), cudaSuccess);
    CHECK_EQ(t, cudaHostRegister(own, 64, 0), cudaSuccess);
    *head = (int *)own;
    *own = last;
    *last = 0;
    CHECK_EQ(t, launch(&follow, 1, 1, (void *[]){&head, &n}), cudaSuccess);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(t, *last, 99);
    struct cuda_pointer a;
    void *p;
    CHECK_EQ(t, cudaPointerGetAttributes(&a, own), cudaSuccess);
    CHECK_EQ(t, a.kind, 1);
    CHECK_EQ(t, cudaPointerGetAttributes(&a, head), cudaSuccess);
    CHECK_EQ(t, a.kind, 3);
    CHECK_EQ(t, cudaHostGetDevicePointer(&p, own, 0), cudaSuccess);
    CHECK(t, p == (void *)own);
    CHECK_EQ(t, cudaHostRegister(own, 64, 0), cudaErrorHostMemoryAlreadyRegistered);
    CHECK_EQ(t, cudaHostUnregister(own), cudaSuccess);
    CHECK_EQ(t, cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    CHECK_EQ(t, cudaPointerGetAttributes(&a, own), cudaSuccess);
    CHECK_EQ(t, a.kind, 0);
    CHECK_EQ(t, cudaFree(head), cudaSuccess);
    CHECK_EQ(t, cudaFreeHost(last), cudaSuccess);
    free(own);
}

// A launch runs when the program waits, so a kernel sees a flag that the host sets after the launch.
static void test_flag(struct test *t)
{
    int *words;
    CHECK_EQ(t, cudaMallocManaged((void **)&words, 8, 1), cudaSuccess);
    words[0] = words[1] = 0;
    int *seen = words + 1;
    CHECK_EQ(t, launch(&wait_for, 1, 1, (void *[]){&words, &seen}), cudaSuccess);
    words[0] = 5;
    CHECK_EQ(t, cudaStreamQuery(NULL), cudaSuccess);
    CHECK_EQ(t, words[1], 5);
    CHECK_EQ(t, cudaFree(words), cudaSuccess);
}

static void test_last_byte(struct test *t)
{
    int *to, by = 10;
    signed char last = -3;
    CHECK_EQ(t, cudaMallocManaged((void **)&to, 4, 1), cudaSuccess);
    *to = 1;
    CHECK_EQ(t, launch(&add_byte, 1, 1, (void *[]){&to, &by, &last}), cudaSuccess);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(t, *to, 8);
    CHECK_EQ(t, cudaFree(to), cudaSuccess);
}

static void test_wrong_pointers(struct test *t)
{
    char host[16];
    void *p = device_memory(16), *q = NULL;
    CHECK_EQ(t, cudaFree((char *)p + 4), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFree(host), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFreeHost(p), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMemcpy(p, host, 17, COPY_TO_DEVICE), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMemcpy(host, host, 16, COPY_TO_DEVICE), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMemcpy(p, host, 16, 9), cudaErrorInvalidMemcpyDirection);
    CHECK_EQ(t, cudaMemset(host, 0, 16), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFree(p), cudaSuccess);
    CHECK_EQ(t, cudaFree(p), cudaErrorInvalidValue); // double free
    CHECK_EQ(t, cudaFree(NULL), cudaSuccess);
    CHECK_EQ(t, cudaMalloc(&q, 1ull << 40), cudaErrorMemoryAllocation);
    CHECK_EQ(t, cudaStreamSynchronize((struct cuda_stream *)(void *)host), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cudaSetDevice(1), cudaErrorInvalidDevice);
    cudaGetLastError();
}

// The errors of a lost device stay until cudaDeviceReset.
static void check_fault(struct test *t, char *kernel, void **args, enum cuda_error want)
{
    CHECK_EQ(t, launch(kernel, 1, 1, args), cudaSuccess);
    CHECK_EQ(t, cudaDeviceSynchronize(), want);
    void *p;
    CHECK_EQ(t, cudaMalloc(&p, 4), want);
    CHECK_EQ(t, cudaGetLastError(), want);
    CHECK_EQ(t, cudaGetLastError(), want);
    CHECK_EQ(t, cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(t, cudaMalloc(&p, 4), cudaSuccess);
    CHECK_EQ(t, cudaFree(p), cudaSuccess);
    cudaGetLastError();
}

static void test_faults(struct test *t)
{
    int *null = NULL, two = 2;
    int *odd = (int *)(void *)((char *)device_memory(64) + 2);
    check_fault(t, &store_at, (void *[]){&null}, cudaErrorIllegalAddress);
    odd = (int *)(void *)((char *)device_memory(64) + 2);
    check_fault(t, &store_at, (void *[]){&odd}, cudaErrorMisalignedAddress);
    check_fault(t, &stop, NULL, cudaErrorLaunchFailure);
    check_fault(t, &claim, (void *[]){&two}, cudaErrorAssert);
    CHECK_STR(t, cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    CHECK_STR(t, cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

static void test_shapes(struct test *t)
{
    int step = 1, blocks = 0;
    struct cuda_function a;
    CHECK_EQ(t, launch(&count, 0, 1, (void *[]){&step}), cudaErrorInvalidConfiguration);
    CHECK_EQ(t, launch(&count, 1, 2048, (void *[]){&step}), cudaErrorInvalidConfiguration);
    CHECK_EQ(t, cudaLaunchKernel(&count, one, one, (void *[]){&step}, 64 << 10, NULL), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFuncSetAttribute(&count, 8, 64 << 10), cudaSuccess);
    CHECK_EQ(t, cudaLaunchKernel(&count, one, one, (void *[]){&step}, 64 << 10, NULL), cudaSuccess);
    CHECK_EQ(t, cudaFuncSetAttribute(&count, 8, 1 << 20), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFuncGetAttributes(&a, &wide), cudaSuccess);
    CHECK_EQ(t, a.ptx_version, 75);
    CHECK_EQ(t, a.max_threads, 1024);
    CHECK_EQ(t, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, 1024, 0), cudaSuccess);
    CHECK_EQ(t, blocks, 2); // 2,048 threads
    CHECK_EQ(t, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, 64, 32 << 10), cudaSuccess);
    CHECK_EQ(t, blocks, 3); // 96 KB of shared memory
    CHECK_EQ(t, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, 64, 200 << 10), cudaSuccess);
    CHECK_EQ(t, blocks, 1); // a functional device: every block that may be launched has room
    CHECK_EQ(t, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, 64, 256 << 10), cudaSuccess);
    CHECK_EQ(t, blocks, 0);
    struct cuda_launch_attribute pair = {.kind = ATTRIBUTE_CLUSTER, .cluster = {2, 1, 1}};
    const struct cuda_launch_config pairs = {one, one, 0, NULL, &pair, 1};
    int sms = 0, clusters = 0;
    CHECK_EQ(t, cudaDeviceGetAttribute(&sms, 16, 0), cudaSuccess);
    CHECK_EQ(t, cudaOccupancyMaxActiveClusters(&clusters, &wide, &pairs), cudaSuccess);
    CHECK_EQ(t, clusters, sms / 2); // a functional device: a block an SM
    CHECK_EQ(t, cudaOccupancyMaxActiveClusters(&clusters, &wide, NULL), cudaErrorInvalidValue);
    CHECK_EQ(t,
             cudaLaunchCooperativeKernel(&count, (struct cuda_dim3){100000, 1, 1}, one, (void *[]){&step}, 0,
                                         NULL),
             cudaErrorCooperativeLaunchTooLarge);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    cudaGetLastError();
}

static void test_cooperative(struct test *t)
{
    enum { BLOCKS = 16, THREADS_A_BLOCK = 64, ALL = BLOCKS * THREADS_A_BLOCK };
    int *words = device_memory(ALL * sizeof *words), *sum;
    CHECK_EQ(t, cudaMallocManaged((void **)&sum, sizeof *sum, 1), cudaSuccess);
    for (int k = 0; k < 3; k++) { // each launch has a workspace of its own
        *sum = 0;
        CHECK_EQ(t,
                 cudaLaunchCooperativeKernel(&meet, (struct cuda_dim3){BLOCKS, 1, 1},
                                             (struct cuda_dim3){THREADS_A_BLOCK, 1, 1},
                                             (void *[]){&words, &sum}, 0, NULL),
                 cudaSuccess);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        CHECK_EQ(t, *sum, ALL * (ALL - 1) / 2 + 1);
    }
    CHECK_EQ(t, cudaFree(words), cudaSuccess);
    CHECK_EQ(t, cudaFree(sum), cudaSuccess);
}

static void add_one(void *data) { ++*(int *)data; }
static void add_ten(struct cuda_stream *s, enum cuda_error status, void *data)
{
    *(int *)data += s && status == cudaSuccess ? 10 : 1000;
}

static void test_streams(struct test *t)
{
    struct cuda_stream *a, *b;
    struct cuda_event *from, *to;
    int step = 1, start = 0, now, called = 0;
    float ms = -1;
    CHECK_EQ(t, cudaMemcpyToSymbol(&counter, &start, 4, 0, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaStreamCreate(&a), cudaSuccess);
    CHECK_EQ(t, cudaStreamCreate(&b), cudaSuccess);
    CHECK_EQ(t, cudaEventCreate(&from), cudaSuccess);
    CHECK_EQ(t, cudaEventCreate(&to), cudaSuccess);
    CHECK_EQ(t, cudaEventRecord(from, a), cudaSuccess);
    CHECK_EQ(t, cudaLaunchKernel(&count, one, one, (void *[]){&step}, 0, a), cudaSuccess);
    CHECK_EQ(t, cudaEventRecord(to, a), cudaSuccess);
    CHECK_EQ(t, cudaStreamWaitEvent(b, to, 0), cudaSuccess);
    CHECK_EQ(t, cudaLaunchKernel(&count, one, one, (void *[]){&step}, 0, b), cudaSuccess);
    CHECK_EQ(t, cudaLaunchHostFunc(b, add_one, &called), cudaSuccess);
    CHECK_EQ(t, cudaStreamAddCallback(b, add_ten, &called, 0), cudaSuccess);
    CHECK_EQ(t, called, 11);
    CHECK_EQ(t, cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    CHECK(t, ms > 0.002F && ms < 0.01F); // 2 us and a nanosecond a warp instruction
    CHECK_EQ(t, cudaMemcpyFromSymbol(&now, &counter, 4, 0, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, now, 2);
    CHECK_EQ(t, cudaStreamDestroy(a), cudaSuccess);
    CHECK_EQ(t, cudaStreamDestroy(a), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cudaEventDestroy(from), cudaSuccess);
    CHECK_EQ(t, cudaEventDestroy(from), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cudaStreamDestroy(b), cudaSuccess);
    CHECK_EQ(t, cudaEventDestroy(to), cudaSuccess);
    cudaGetLastError();
}

static void test_rows(struct test *t)
{
    uint8_t in[6][10], out[6][10];
    void *p;
    size_t pitch;
    for (int i = 0; i < 60; i++) in[i / 10][i % 10] = (uint8_t)i;
    CHECK_EQ(t, cudaMallocPitch(&p, &pitch, 10, 6), cudaSuccess);
    CHECK_EQ(t, pitch, 512);
    CHECK_EQ(t, cudaMemset2D(p, pitch, 0xee, 10, 6), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2D(p, pitch, in, 10, 8, 6, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2D(out, 10, p, pitch, 10, 6, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, out[5][7], 57);
    CHECK_EQ(t, out[5][8], 0xee);
    CHECK_EQ(t, cudaMemcpy2D(p, pitch, in, 4, 8, 6, COPY_TO_DEVICE), cudaErrorInvalidPitchValue);
    // Two slices of two rows of three bytes.
    struct cuda_copy_3d c = {
        .from = {in, 10, 10, 3}, .to = {p, pitch, 10, 2}, .extent = {3, 2, 2}, .kind = COPY_TO_DEVICE};
    CHECK_EQ(t, cudaMemcpy3D(&c), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2D(out, 10, p, pitch, 10, 6, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, out[2][0], 30);
    CHECK_EQ(t, out[3][2], 42);
    CHECK_EQ(t, cudaFree(p), cudaSuccess);
    cudaGetLastError();
}

static void test_textures(struct test *t)
{
    enum { W = 8, H = 4 };
    float in[W * H], *out;
    int width = W;
    struct cuda_channels c = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
    struct cuda_resource res = {.kind = RESOURCE_ARRAY};
    struct cuda_sampling s = {.address = {1, 1, 1}};
    uint64_t texture = 0;
    for (int i = 0; i < W * H; i++) in[i] = (float)(i * 3);
    CHECK_EQ(t, cudaMallocArray(&res.array, &c, W, H, 0), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2DToArray(res.array, 0, 0, in, W * 4, W * 4, H, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaCreateTextureObject(&texture, &res, &s, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMallocManaged((void **)&out, sizeof in, 1), cudaSuccess);
    CHECK_EQ(t,
             cudaLaunchKernel(&fetch, one, (struct cuda_dim3){W, H, 1}, (void *[]){&texture, &out, &width}, 0,
                              NULL),
             cudaSuccess);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, memcmp(out, in, sizeof in) == 0);
    CHECK_EQ(t, cudaDestroyTextureObject(texture), cudaSuccess);
    CHECK_EQ(t, cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFreeArray(res.array), cudaSuccess);
    CHECK_EQ(t, cudaFree(out), cudaSuccess);
    cudaGetLastError();
}

static void test_capture(struct test *t)
{
    struct cuda_stream *s;
    struct cuda_graph *g;
    struct cuda_graph_exec *x;
    int step = 2, start = 0, now = -1, called = 0;
    size_t nodes = 0;
    CHECK_EQ(t, cudaStreamCreate(&s), cudaSuccess);
    CHECK_EQ(t, cudaMemcpyToSymbol(&counter, &start, 4, 0, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaStreamBeginCapture(s, 0), cudaSuccess);
    CHECK_EQ(t, cudaLaunchKernel(&count, one, one, (void *[]){&step}, 0, s), cudaSuccess);
    CHECK_EQ(t, cudaLaunchHostFunc(s, add_one, &called), cudaSuccess);
    step = 100; // the node has a copy of the arguments
    CHECK_EQ(t, cudaStreamEndCapture(s, &g), cudaSuccess);
    CHECK_EQ(t, called, 0);
    CHECK_EQ(t, cudaGraphGetNodes(g, NULL, &nodes), cudaSuccess);
    CHECK_EQ(t, nodes, 2);
    CHECK_EQ(t, cudaGraphInstantiate(&x, g, 0), cudaSuccess);
    CHECK_EQ(t, cudaGraphDestroy(g), cudaSuccess);
    for (int i = 0; i < 3; i++) CHECK_EQ(t, cudaGraphLaunch(x, s), cudaSuccess);
    CHECK_EQ(t, cudaStreamSynchronize(s), cudaSuccess);
    CHECK_EQ(t, cudaMemcpyFromSymbol(&now, &counter, 4, 0, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, now, 6);
    CHECK_EQ(t, called, 3);
    CHECK_EQ(t, cudaGraphExecDestroy(x), cudaSuccess);
    CHECK_EQ(t, cudaStreamBeginCapture(s, 0), cudaSuccess);
    CHECK_EQ(t, cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    CHECK_EQ(t, cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    CHECK_EQ(t, cudaStreamDestroy(s), cudaSuccess);
    cudaGetLastError();
}

static void times_three(void *data) { *(int *)data *= 3; }

// Edges, not the order of the calls, order the nodes; a circle of edges is refused.
static void test_graph(struct test *t)
{
    struct {
        host_function *function;
        void *data;
    } one_more, thrice;
    struct cuda_graph *g;
    struct cuda_graph_node *first, *second;
    struct cuda_graph_exec *x;
    int value = 1;
    one_more.function = add_one;
    thrice.function = times_three;
    one_more.data = thrice.data = &value;
    CHECK_EQ(t, cudaGraphCreate(&g, 0), cudaSuccess);
    CHECK_EQ(t, cudaGraphAddHostNode(&first, g, NULL, 0, &thrice), cudaSuccess);
    CHECK_EQ(t, cudaGraphAddHostNode(&second, g, NULL, 0, &one_more), cudaSuccess);
    CHECK_EQ(t, cudaGraphAddDependencies(g, &second, &first, NULL, 1), cudaSuccess);
    CHECK_EQ(t, cudaGraphInstantiate(&x, g, 0), cudaSuccess);
    CHECK_EQ(t, cudaGraphLaunch(x, NULL), cudaSuccess);
    CHECK_EQ(t, value, 6);
    CHECK_EQ(t, cudaGraphExecDestroy(x), cudaSuccess);
    CHECK_EQ(t, cudaGraphAddDependencies(g, &first, &second, NULL, 1), cudaSuccess);
    CHECK_EQ(t, cudaGraphInstantiate(&x, g, 0), cudaSuccess);
    CHECK_EQ(t, cudaGraphLaunch(x, NULL), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaGraphExecDestroy(x), cudaSuccess);
    CHECK_EQ(t, cudaGraphDestroy(g), cudaSuccess);
    cudaGetLastError();
}

static void test_pool(struct test *t)
{
    void *p = NULL;
    size_t before, after, total;
    CHECK_EQ(t, cudaMemGetInfo(&before, &total), cudaSuccess);
    CHECK_EQ(t, cudaMallocAsync(&p, 1 << 20, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMemGetInfo(&after, &total), cudaSuccess);
    CHECK_EQ(t, before - after, 1 << 20);
    CHECK_EQ(t, cudaFreeAsync(p, NULL), cudaSuccess);
}

static void test_absent(struct test *t)
{
    CHECK_EQ(t, cudaGraphicsMapResources(), cudaErrorNotSupported);
    CHECK_EQ(t, cudaGetLastError(), cudaErrorNotSupported);
}

enum { THREADS = 8, LAUNCHES = 50 };

static void *launch_often(void *wrong)
{
    struct cuda_stream *s;
    int step = 1;
    if (cudaStreamCreate(&s) != cudaSuccess) return wrong;
    for (int i = 0; i < LAUNCHES; i++)
        if (cudaLaunchKernel(&count, one, one, (void *[]){&step}, 0, s) != cudaSuccess) return wrong;
    if (cudaStreamSynchronize(s) != cudaSuccess || cudaGetLastError() != cudaSuccess) return wrong;
    return cudaStreamDestroy(s) == cudaSuccess ? NULL : wrong;
}

static void test_threads(struct test *t)
{
    pthread_t threads[THREADS];
    int start = 0, now;
    CHECK_EQ(t, cudaMemcpyToSymbol(&counter, &start, 4, 0, COPY_TO_DEVICE), cudaSuccess);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, launch_often, &start);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(t, !wrong);
    }
    CHECK_EQ(t, cudaMemcpyFromSymbol(&now, &counter, 4, 0, COPY_FROM_DEVICE), cudaSuccess);
    CHECK_EQ(t, now, THREADS * LAUNCHES);
}

static void test_no_memory(struct test *t)
{
    test_skip(t, "addresses from 4 GiB on are taken (a sanitizer)");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"launch", test_launch},
                                             {"host_function", test_host_function},
                                             {"symbols", test_symbols},
                                             {"one-address", test_one_address},
                                             {"flag", test_flag},
                                             {"last-byte", test_last_byte},
                                             {"wrong-pointers", test_wrong_pointers},
                                             {"shapes", test_shapes},
                                             {"cooperative", test_cooperative},
                                             {"streams", test_streams},
                                             {"rows", test_rows},
                                             {"textures", test_textures},
                                             {"capture", test_capture},
                                             {"graph", test_graph},
                                             {"pool", test_pool},
                                             {"absent", test_absent},
                                             {"threads", test_threads},
                                             {"faults", test_faults}};
    char *ptx;
    size_t length;
    const char *why;
    unsetenv("WARPFOLD_RUN");
    if (cudaDeviceSynchronize() == cudaErrorMemoryAllocation) {
        static const struct test_case nothing[] = {{"memory", test_no_memory}};
        return test_main(argc, argv, nothing, TEST_COUNT(nothing));
    }
    if (file_read("tests/cudart/kernels.ptx", &ptx, &length, &why)) register_program(ptx, length);
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

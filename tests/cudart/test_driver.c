// The CUDA driver API as programs call it, alone and beside the runtime.
#include "base/file.h"
#include "base/str.h"
#include "cudart/cuda.h"
#include "cudart/driver/functions.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *kernels; // text of kernels.ptx
static struct cuda_context *context;
static void *module;

static void *function(struct test *t, const char *name)
{
    void *f = NULL;
    CHECK_EQ(t, cuModuleGetFunction(&f, module, name), cudaSuccess);
    return f;
}

static int counter_now(struct test *t)
{
    uint64_t at = 0;
    size_t bytes = 0;
    int now = -1;
    CHECK_EQ(t, cuModuleGetGlobal_v2(&at, &bytes, module, "counter"), cudaSuccess);
    CHECK_EQ(t, bytes, 4);
    CHECK_EQ(t, cuMemcpyDtoH_v2(&now, at, 4), cudaSuccess);
    return now;
}

// Everything before cuInit, and before a context, is refused with CUDA's errors.
static void test_begin(struct test *t)
{
    int count = 0;
    void *p;
    struct cuda_context *c = NULL, *d = NULL;
    CHECK_EQ(t, cuDeviceGetCount(&count), cudaErrorInitializationError);
    CHECK_EQ(t, cuInit(1), cudaErrorInvalidValue);
    CHECK_EQ(t, cuInit(0), cudaSuccess);
    CHECK_EQ(t, cuDeviceGetCount(&count), cudaSuccess);
    CHECK_EQ(t, count, 1);
    CHECK_EQ(t, cuMemAlloc_v2(&p, 4), cudaErrorDeviceUninitialized);
    CHECK_EQ(t, cuCtxCreate_v2(&c, 0, 1), cudaErrorInvalidDevice);
    CHECK_EQ(t, cuCtxCreate_v2(&c, 8, 0), cudaSuccess);
    CHECK_EQ(t, cuCtxCreate_v4(&d, NULL, 0, 0), cudaSuccess);
    CHECK_EQ(t, cuCtxPopCurrent_v2(&context), cudaSuccess);
    CHECK(t, context == d);
    CHECK_EQ(t, cuCtxDestroy_v2(d), cudaSuccess);
    CHECK_EQ(t, cuCtxDestroy_v2(d), cudaErrorDeviceUninitialized);
    CHECK_EQ(t, cuCtxGetCurrent(&context), cudaSuccess);
    CHECK(t, context == c);
    unsigned flags = 0;
    CHECK_EQ(t, cuCtxGetFlags(&flags), cudaSuccess);
    CHECK_EQ(t, flags, 8);
    CHECK_EQ(t, cuMemAlloc_v2(&p, 0), cudaErrorInvalidValue);
    CHECK_EQ(t, cuModuleLoadData(&module, kernels), cudaSuccess);
}

static void test_device(struct test *t)
{
    char name[64], runtime_name[4096], uuid[16];
    int device = -1, major = 0, minor = 0, attribute = 0, sms = 0;
    size_t bytes = 0;
    CHECK_EQ(t, cuDeviceGet(&device, 0), cudaSuccess);
    CHECK_EQ(t, cuDeviceGet(&device, 1), cudaErrorInvalidDevice);
    CHECK_EQ(t, cuDeviceGetName(name, sizeof name, 0), cudaSuccess);
    CHECK_EQ(t, cudaGetDeviceProperties(runtime_name, 0), cudaSuccess);
    CHECK_STR(t, name, runtime_name);
    CHECK_EQ(t, cuDeviceComputeCapability(&major, &minor, 0), cudaSuccess);
    CHECK_EQ(t, cuDeviceGetAttribute(&attribute, 75, 0), cudaSuccess);
    CHECK_EQ(t, attribute, major);
    CHECK_EQ(t, cuDeviceGetAttribute(&sms, 16, 0), cudaSuccess);
    CHECK(t, sms > 0);
    CHECK_EQ(t, cuDeviceTotalMem_v2(&bytes, 0), cudaSuccess);
    CHECK(t, bytes >= 1u << 30);
    CHECK_EQ(t, cuDeviceGetUuid(uuid, 0), cudaSuccess);
}

static void test_errors(struct test *t)
{
    static const struct {
        int number;
        const char *name, *text;
    } rows[] = {{0, "CUDA_SUCCESS", "no error"},
                {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
                {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
                {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
                {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}};
    const char *text;
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        CHECK_EQ(t, cuGetErrorName((enum cuda_error)rows[i].number, &text), cudaSuccess);
        CHECK_STR(t, text, rows[i].name);
        CHECK_EQ(t, cuGetErrorString((enum cuda_error)rows[i].number, &text), cudaSuccess);
        CHECK_STR(t, text, rows[i].text);
    }
    CHECK_EQ(t, cuGetErrorName((enum cuda_error)12345, &text), cudaErrorInvalidValue);
    CHECK(t, !text);
    CHECK_EQ(t, cuGraphicsMapResources(), cudaErrorNotSupported);
    CHECK_EQ(t, cuGetExportTable(), cudaErrorNotSupported);
}

static void test_modules(struct test *t)
{
    void *m = NULL, *f = NULL;
    char log[200] = "x";
    unsigned count = 0;
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof log}; // NOLINT: numbers among the values, as CUDA has them
    CHECK_EQ(t, cuModuleLoad(&m, "tests/cudart/kernels.ptx"), cudaSuccess);
    CHECK_EQ(t, cuModuleGetFunctionCount(&count, m), cudaSuccess);
    CHECK_EQ(t, count, 13);
    CHECK_EQ(t, cuModuleLoad(&m, "nosuch.ptx"), cudaErrorFileNotFound);
    CHECK_EQ(t, cuModuleLoadData(&m, "\177ELF"), cudaErrorNoKernelImageForDevice);
    CHECK_EQ(
        t,
        cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_70\n.address_size 64\nrubbish", 2, options, values),
        cudaErrorInvalidPtx);
    CHECK_HAS(t, log, "rubbish");
    CHECK_EQ(t, (uintptr_t)values[1], strlen(log));
    CHECK_EQ(t, cuModuleLoadFatBinary(&m, fat_make(kernels, strlen(kernels), FAT_LZ4)), cudaSuccess);
    CHECK_EQ(t, cuModuleGetFunction(&f, m, "count"), cudaSuccess);
    CHECK_EQ(t, cuModuleGetFunction(&f, m, "coun"), cudaErrorSymbolNotFound);
    CHECK_EQ(t, cuModuleGetGlobal_v2(NULL, NULL, m, "nosuch"), cudaErrorSymbolNotFound);
    CHECK_EQ(t, cuModuleUnload(m), cudaSuccess);
    CHECK_EQ(t, cuModuleUnload(m), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cuModuleGetFunction(&f, m, "count"), cudaErrorInvalidResourceHandle);
}

static void test_launches(struct test *t)
{
    void *count = function(t, "count");
    int step = 5, threads = 0, before = counter_now(t);
    size_t bytes = sizeof step;
    void *params[] = {&step},
         *extra[] = {(void *)1, &step, (void *)2, &bytes, NULL}; // NOLINT: CU_LAUNCH_PARAM_...
    const struct driver_launch_config config = {.grid = {2, 1, 1}, .block = {1, 1, 1}};
    CHECK_EQ(t, cuLaunchKernel(count, 3, 1, 1, 1, 1, 1, 0, NULL, params, NULL), cudaSuccess);
    CHECK_EQ(t, cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), cudaSuccess);
    CHECK_EQ(t, cuLaunchKernelEx(&config, count, params, NULL), cudaSuccess);
    CHECK_EQ(t, cuLaunchKernel_ptsz(count, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), cudaSuccess);
    CHECK_EQ(t, cuCtxSynchronize(), cudaSuccess);
    CHECK_EQ(t, counter_now(t), before + 7 * step);
    CHECK_EQ(t, cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), cudaErrorInvalidValue);
    CHECK_EQ(t, cuLaunchKernel(count, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL), cudaErrorInvalidValue);
    CHECK_EQ(t, cuLaunchKernel(module, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
             cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cuFuncGetAttribute(&threads, 0, count), cudaSuccess);
    CHECK_EQ(t, threads, 1024);
    int grid = 0, block = 0, blocks = 0, sms = 0;
    CHECK_EQ(t, cuOccupancyMaxPotentialBlockSize(&grid, &block, count, NULL, 0, 0), cudaSuccess);
    CHECK_EQ(t, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, block, 0), cudaSuccess);
    CHECK_EQ(t, cuDeviceGetAttribute(&sms, 16, 0), cudaSuccess);
    CHECK_EQ(t, grid, blocks * sms);
    CHECK_EQ(t, block, 1024);
}

static void test_cooperative(struct test *t)
{
    enum { THREADS = 64, BLOCKS = 4 };
    void *words, *sum;
    int total = 0;
    CHECK_EQ(t, cuMemAlloc_v2(&words, 4 * THREADS * BLOCKS), cudaSuccess);
    CHECK_EQ(t, cuMemAlloc_v2(&sum, 4), cudaSuccess);
    CHECK_EQ(t, cuMemsetD32_v2((uintptr_t)sum, 0, 1), cudaSuccess);
    CHECK_EQ(t,
             cuLaunchCooperativeKernel(function(t, "meet"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL,
                                       (void *[]){&words, &sum}),
             cudaSuccess);
    CHECK_EQ(t, cuMemcpyDtoH_v2(&total, (uintptr_t)sum, 4), cudaSuccess);
    CHECK_EQ(t, total, THREADS * BLOCKS * (THREADS * BLOCKS - 1) / 2 + 1);
    CHECK_EQ(t, cuMemFree_v2((uintptr_t)words), cudaSuccess);
    CHECK_EQ(t, cuMemFree_v2((uintptr_t)sum), cudaSuccess);
}

// Memory, kernels and streams of either interface serve the other; errors of the driver are not the runtime's.
static void test_mixed(struct test *t)
{
    enum { N = 8 };
    float *x, *y, two = 2;
    void *host;
    int n = N;
    struct cuda_stream *s;
    struct cuda_event *from, *to;
    uint64_t scale;
    float ms = -1;
    CHECK_EQ(t, cudaMallocManaged((void **)&x, sizeof(float) * N, 1), cudaSuccess);
    CHECK_EQ(t, cuMemAllocManaged((void **)&y, sizeof(float) * N, 1), cudaSuccess);
    for (int i = 0; i < N; i++) x[i] = y[i] = (float)i;
    CHECK_EQ(t, cuModuleGetGlobal_v2(&scale, NULL, module, "scale"), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy((void *)scale, &two, 4, COPY_TO_DEVICE), cudaSuccess); // NOLINT: a device address
    CHECK_EQ(t, cudaStreamCreate(&s), cudaSuccess);
    CHECK_EQ(t, cuEventCreate(&from, 0), cudaSuccess);
    CHECK_EQ(t, cudaEventCreate(&to), cudaSuccess);
    CHECK_EQ(t, cuEventRecord(from, s), cudaSuccess);
    CHECK_EQ(t, cuLaunchKernel(function(t, "axpy"), 1, 1, 1, N, 1, 1, 0, s, (void *[]){&n, &x, &y}, NULL),
             cudaSuccess);
    CHECK_EQ(t,
             cudaLaunchKernel(function(t, "axpy"), (struct cuda_dim3){1, 1, 1}, (struct cuda_dim3){N, 1, 1},
                              (void *[]){&n, &x, &y}, 0, s),
             cudaSuccess);
    CHECK_EQ(t, cudaEventRecord(to, s), cudaSuccess);
    CHECK_EQ(t, cuStreamSynchronize(s), cudaSuccess);
    CHECK_EQ(t, cuEventElapsedTime_v2(&ms, from, to), cudaSuccess);
    CHECK(t, ms > 0);
    for (int i = 0; i < N; i++) CHECK(t, y[i] == 5 * (float)i);
    cudaGetLastError();
    CHECK_EQ(t, cuMemFree_v2(1), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaGetLastError(), cudaSuccess);
    struct cuda_context *c = NULL;
    CHECK_EQ(t, cuStreamGetCtx(s, &c), cudaSuccess);
    CHECK(t, c == context);
    CHECK_EQ(t, cuStreamDestroy_v2(s), cudaSuccess);
    CHECK_EQ(t, cuStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cuMemAllocHost_v2(&host, 8), cudaSuccess);
    CHECK_EQ(t, cudaFreeHost(host), cudaSuccess);
    CHECK_EQ(t, cuMemFree_v2((uintptr_t)x), cudaSuccess);
    CHECK_EQ(t, cudaFree(y), cudaSuccess);
}

static void test_memory(struct test *t)
{
    enum { PITCH = 32, ROWS = 3 };
    uint16_t words[PITCH / 2 * ROWS] = {0};
    void *p;
    size_t bytes = 0;
    uint64_t start = 0;
    int type = 0;
    CHECK_EQ(t, cuMemAlloc_v2(&p, sizeof words), cudaSuccess);
    uint64_t at = (uintptr_t)p;
    CHECK_EQ(t, cuMemsetD8_v2(at, 0, sizeof words), cudaSuccess);
    CHECK_EQ(t, cuMemsetD2D16_v2(at + 2, PITCH, 0x1234, 3, ROWS), cudaSuccess);
    CHECK_EQ(t, cuMemcpyDtoH_v2(words, at, sizeof words), cudaSuccess);
    for (int i = 0; i < PITCH / 2 * ROWS; i++)
        CHECK_EQ(t, words[i], i % (PITCH / 2) >= 1 && i % (PITCH / 2) <= 3 ? 0x1234 : 0);
    const struct driver_copy_2d q = {.from = {.kind = 2, .device = at, .pitch = PITCH, .x = 2, .y = 1},
                                     .to = {.kind = 1, .host = words, .pitch = 8, .x = 2},
                                     .width = 6,
                                     .height = 2};
    memset(words, 0, sizeof words);
    CHECK_EQ(t, cuMemcpy2D_v2(&q), cudaSuccess);
    for (int i = 0; i < 8; i++) CHECK_EQ(t, words[i], i % 4 ? 0x1234 : 0);
    CHECK_EQ(t, cuMemsetD32_v2(at + 1, 0, 1), cudaErrorInvalidValue);
    CHECK_EQ(t, cuMemGetAddressRange_v2(&start, &bytes, at + 5), cudaSuccess);
    CHECK(t, start == at && bytes == sizeof words);
    CHECK_EQ(t, cuPointerGetAttribute(&type, 2, at), cudaSuccess);
    CHECK_EQ(t, type, 2);
    CHECK_EQ(t, cuPointerGetAttribute(&type, 2, (uintptr_t)words), cudaErrorInvalidValue);
    CHECK_EQ(t, cuMemFree_v2(at), cudaSuccess);
    CHECK_EQ(t, cuMemFree_v2(at), cudaErrorInvalidValue);
}

// Two texts, of which one calls a function of the other.
static void test_link(struct test *t)
{
    static char lib[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 a)\n"
        "{ .reg .b32 %r<2>; ld.param.b32 %r1, [a]; add.s32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n";
    static char main_text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 a);\n"
        ".visible .entry put(.param .u64 p)\n{ .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; "
        "mov.b32 %r1, 21;\n"
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), twice, (a); ld.param.b32 %r1, "
        "[r]; }\n"
        "st.global.b32 [%d1], %r1; ret; }\n";
    void *linker, *image, *m, *put, *p;
    size_t bytes = 0;
    int value = 0;
    CHECK_EQ(t, cuLinkCreate_v2(0, NULL, NULL, &linker), cudaSuccess);
    CHECK_EQ(t, cuLinkAddData_v2(linker, 1, lib, sizeof lib, "lib", 0, NULL, NULL), cudaSuccess);
    CHECK_EQ(t, cuLinkAddData_v2(linker, 1, main_text, sizeof main_text, "main", 0, NULL, NULL), cudaSuccess);
    CHECK_EQ(t, cuLinkAddData_v2(linker, 3, lib, sizeof lib, "object", 0, NULL, NULL),
             cudaErrorNoKernelImageForDevice);
    CHECK_EQ(t, cuLinkComplete(linker, &image, &bytes), cudaSuccess);
    CHECK_EQ(t, cuModuleLoadData(&m, image), cudaSuccess);
    CHECK_EQ(t, cuLinkDestroy(linker), cudaSuccess);
    CHECK_EQ(t, cuLinkDestroy(linker), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cuModuleGetFunction(&put, m, "put"), cudaSuccess);
    CHECK_EQ(t, cuMemAlloc_v2(&p, 4), cudaSuccess);
    CHECK_EQ(t, cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL), cudaSuccess);
    CHECK_EQ(t, cuMemcpyDtoH_v2(&value, (uintptr_t)p, 4), cudaSuccess);
    CHECK_EQ(t, value, 42);
}

static void test_lookup(struct test *t)
{
    void *f = NULL, *g = NULL;
    int status = -1;
    void (*alloc)(void) = (void (*)(void))cuMemAlloc_v2,
         (*launch)(void) = (void (*)(void))cuLaunchKernel_ptsz;
    CHECK_EQ(t, cuGetProcAddress_v2("cuMemAlloc", &f, 12000, 0, &status), cudaSuccess);
    CHECK(t, status == 0 && memcmp(&f, &alloc, sizeof f) == 0);
    CHECK_EQ(t, cuGetProcAddress_v2("cuMemAlloc", &g, 2000, 0, &status), cudaSuccess);
    CHECK(t, g && g != f);
    CHECK_EQ(t, cuGetProcAddress("cuLaunchKernel", &f, 12000, 2), cudaSuccess);
    CHECK(t, memcmp(&f, &launch, sizeof f) == 0);
    CHECK_EQ(t, cuGetProcAddress_v2("cuCtxGetId", &f, 11000, 0, &status), cudaSuccess);
    CHECK(t, !f && status == 2);
    CHECK_EQ(t, cuGetProcAddress("cuNoSuch", &f, 12000, 0), cudaErrorSymbolNotFound);
    CHECK_EQ(t, cudaGetDriverEntryPoint("cuMemAlloc", &g, 0, &status), cudaSuccess);
    CHECK(t, status == 0 && memcmp(&g, &alloc, sizeof g) == 0);
}

// A fault is every later call's error until the device is reset.
static void test_faults(struct test *t)
{
    uint64_t null = 0;
    CHECK_EQ(t, cuLaunchKernel(function(t, "store_at"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&null}, NULL),
             cudaSuccess);
    CHECK_EQ(t, cuCtxSynchronize(), cudaErrorIllegalAddress);
    CHECK_EQ(t, cuMemFree_v2(0), cudaErrorIllegalAddress);
    CHECK_EQ(t, cuDevicePrimaryCtxReset_v2(0), cudaSuccess);
    CHECK_EQ(t, cuCtxSynchronize(), cudaSuccess);
    void *f;
    CHECK_EQ(t, cuModuleGetFunction(&f, module, "count"), cudaErrorInvalidKernelImage);
}

static void test_no_memory(struct test *t)
{
    test_skip(t, "addresses from 4 GiB on are taken (a sanitizer)");
}

// Asked in a child process: the cases begin before cuInit.
static bool has_device(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) _exit(cuInit(0) != cudaSuccess);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// The words of a map as driver 580 makes them for these arguments; refused arguments leave the map alone.
static void test_tensor_map(struct test *t)
{
    _Alignas(64) uint32_t map[32], before[32];
    const uint64_t sizes[] = {16, 16}, strides[] = {32}, odd[] = {40};
    const unsigned box[] = {16, 8}, steps[] = {1, 1}, long_box[] = {64, 8};
    const uint64_t at = 0x7f4012345600;
    static const struct {
        unsigned word;
        uint32_t value;
    } words[] = {{0, 0x12345600}, {1, 0x7f40}, {2, 0x310},       {3, 2},  {4, 0},      {8, 15},
                 {9, 15},         {10, 0},     {13, 0x0f000000}, {14, 7}, {16, 0x100}, {18, 0x10}};
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 6, 2, at, sizes, strides, box, steps, 0, 0, 0, 0), cudaSuccess);
    for (size_t k = 0; k < TEST_COUNT(words); k++) CHECK_EQ(t, map[words[k].word], words[k].value);
    CHECK_EQ(t, cuTensorMapReplaceAddress(map, at + 4096), cudaSuccess);
    CHECK_EQ(t, map[0], 0x12346600);
    memcpy(before, map, sizeof map);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 6, 2, at + 8, sizes, strides, box, steps, 0, 0, 0, 0),
             cudaErrorInvalidValue);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 6, 2, at, sizes, odd, box, steps, 0, 0, 0, 0),
             cudaErrorInvalidValue);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 6, 6, at, sizes, strides, box, steps, 0, 0, 0, 0),
             cudaErrorInvalidValue);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 2, 2, at, sizes, strides, long_box, steps, 0, 3, 0, 0),
             cudaErrorInvalidValue);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 2, 2, at, sizes, strides, box, steps, 0, 0, 0, 1),
             cudaErrorInvalidValue);
    CHECK_EQ(t, cuTensorMapEncodeTiled(map, 6, 2, at, sizes, strides, box, steps, 1, 0, 0, 0),
             cudaErrorNotSupported);
    CHECK_EQ(t, memcmp(before, map, sizeof map), 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"begin", test_begin},     {"device", test_device},     {"errors", test_errors},
        {"modules", test_modules}, {"launches", test_launches}, {"cooperative", test_cooperative},
        {"mixed", test_mixed},     {"memory", test_memory},     {"link", test_link},
        {"lookup", test_lookup},   {"faults", test_faults},     {"tensor_map", test_tensor_map}};
    static const struct test_case nothing[] = {{"memory", test_no_memory}};
    char *text;
    size_t length;
    const char *why;
    unsetenv("WARPFOLD_RUN");
    if (!has_device()) return test_main(argc, argv, nothing, TEST_COUNT(nothing));
    if (file_read("tests/cudart/kernels.ptx", &text, &length, &why)) kernels = text;
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

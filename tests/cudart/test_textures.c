// Arrays with layers, faces and levels, surface objects, and the texture and surface references of CUDA 11, called as
// programs call them. What the fetches give is tests/conformance/test_layers.c.
#include "base/file.h"
#include "cudart/cuda.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

static char layers, faces, levels, twice, by_line, by_shares,
    by_screen; // host functions: only the addresses count
static struct cuda_texture_reference line = {.address = {1, 1, 1}}, shares = {.address = {1, 1, 1}};
static char screen;

static void register_program(const char *ptx, size_t length)
{
    static const struct {
        char *host;
        const char *name;
    } kernels[] = {{&layers, "layers"},      {&faces, "faces"},     {&levels, "levels"},
                   {&twice, "twice"},        {&by_line, "by_line"}, {&by_shares, "by_shares"},
                   {&by_screen, "by_screen"}};
    void **handle = __cudaRegisterFatBinary(fat_make(ptx, length, FAT_PLAIN));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        __cudaRegisterFunction(handle, kernels[i].host, NULL, kernels[i].name, -1, NULL, NULL, NULL, NULL,
                               NULL);
    __cudaRegisterTexture(handle, &line, NULL, "::line", 1, 0, 0);
    __cudaRegisterTexture(handle, &shares, NULL, "::light::shares", 2, 1, 0);
    __cudaRegisterSurface(handle, &screen, NULL, "screen", 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static enum cuda_error launch(char *kernel, unsigned blocks, unsigned width, unsigned height, void **args)
{
    enum cuda_error error = cudaLaunchKernel(kernel, (struct cuda_dim3){blocks, 1, 1},
                                             (struct cuda_dim3){width, height, 1}, args, 0, NULL);
    return error ? error : cudaDeviceSynchronize();
}

static const struct cuda_sampling plain = {.address = {1, 1, 1}};

static void test_layers(struct test *t)
{
    enum { W = 8, H = 4, L = 3 };
    float in[L * H * W], *out;
    struct cuda_channels c = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
    struct cuda_resource res = {.kind = RESOURCE_ARRAY};
    uint64_t texture = 0;
    unsigned flags = 0;
    struct cuda_extent extent = {W, H, L}, told;
    for (int i = 0; i < L * H * W; i++) in[i] = (float)i;
    CHECK_EQ(t, cudaMalloc3DArray(&res.array, &c, (struct cuda_extent){W, H, 0}, 1), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMalloc3DArray(&res.array, &c, extent, 1), cudaSuccess);
    CHECK_EQ(t, cudaArrayGetInfo(NULL, &told, &flags, res.array), cudaSuccess);
    CHECK(t, told.depth == L && flags == 1);
    struct cuda_copy_3d copy = {.from = {in, sizeof(float) * W, W, H},
                                .to_array = res.array,
                                .extent = extent,
                                .kind = COPY_TO_DEVICE};
    CHECK_EQ(t, cudaMemcpy3D(&copy), cudaSuccess);
    CHECK_EQ(t, cudaCreateTextureObject(&texture, &res, &plain, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMallocManaged((void **)&out, sizeof in, 1), cudaSuccess);
    CHECK_EQ(t, launch(&layers, L, W, H, (void *[]){&out, &texture}), cudaSuccess);
    CHECK(t, memcmp(out, in, sizeof in) == 0);
    CHECK_EQ(t, cudaDestroyTextureObject(texture), cudaSuccess);
    CHECK_EQ(t, cudaFreeArray(res.array), cudaSuccess);
    CHECK_EQ(t, cudaFree(out), cudaSuccess);
}

static void test_faces(struct test *t)
{
    enum { N = 3 };
    float in[6 * N * N], *out;
    struct cuda_channels c = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
    struct cuda_resource res = {.kind = RESOURCE_ARRAY};
    uint64_t texture = 0;
    for (int i = 0; i < 6 * N * N; i++) in[i] = (float)i;
    CHECK_EQ(t, cudaMalloc3DArray(&res.array, &c, (struct cuda_extent){N, N, 5}, 4), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaMalloc3DArray(&res.array, &c, (struct cuda_extent){N, N, 6}, 4), cudaSuccess);
    struct cuda_copy_3d copy = {.from = {in, sizeof(float) * N, N, N},
                                .to_array = res.array,
                                .extent = {N, N, 6},
                                .kind = COPY_TO_DEVICE};
    CHECK_EQ(t, cudaMemcpy3D(&copy), cudaSuccess);
    CHECK_EQ(t, cudaCreateTextureObject(&texture, &res, &plain, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMallocManaged((void **)&out, 6 * sizeof *out, 1), cudaSuccess);
    CHECK_EQ(t, launch(&faces, 1, 6, 1, (void *[]){&out, &texture}), cudaSuccess);
    for (int f = 0; f < 6; f++) CHECK_EQ(t, (int)out[f], f * N * N + N * N / 2);
    CHECK_EQ(t, cudaDestroyTextureObject(texture), cudaSuccess);
    CHECK_EQ(t, cudaFreeArray(res.array), cudaSuccess);
    CHECK_EQ(t, cudaFree(out), cudaSuccess);
}

static void test_levels(struct test *t)
{
    enum { N = 8, LEVELS = 4 };
    float in[N * N], *out;
    struct cuda_channels c = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
    struct cuda_resource res = {.kind = RESOURCE_MIPMAPPED};
    struct cuda_sampling s = {
        .address = {1, 1, 1}, .normalised_coordinates = 1, .mipmap_filter = 1, .mipmap_max = 9};
    struct cuda_array *level;
    uint64_t texture = 0;
    CHECK_EQ(t, cudaMallocMipmappedArray(&res.mipmap, &c, (struct cuda_extent){N, N, 0}, 99, 0), cudaSuccess);
    CHECK_EQ(t, cudaGetMipmappedArrayLevel(&level, res.mipmap, LEVELS), cudaErrorInvalidValue);
    for (unsigned k = 0; k < LEVELS; k++) {
        struct cuda_extent extent;
        for (int i = 0; i < N * N; i++) in[i] = (float)(100 * k + 1);
        CHECK_EQ(t, cudaGetMipmappedArrayLevel(&level, res.mipmap, k), cudaSuccess);
        CHECK_EQ(t, cudaArrayGetInfo(NULL, &extent, NULL, level), cudaSuccess);
        CHECK(t, extent.width == (size_t)N >> k && extent.height == (size_t)N >> k && extent.depth == 0);
        CHECK_EQ(t,
                 cudaMemcpy2DToArray(level, 0, 0, in, 4 * extent.width, 4 * extent.width, extent.height,
                                     COPY_TO_DEVICE),
                 cudaSuccess);
        CHECK_EQ(t, cudaFreeArray(level), cudaErrorInvalidResourceHandle);
    }
    CHECK_EQ(t, cudaCreateTextureObject(&texture, &res, &s, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMallocManaged((void **)&out, 8 * sizeof *out, 1), cudaSuccess);
    CHECK_EQ(t, launch(&levels, 1, 6, 1, (void *[]){&out, &texture}), cudaSuccess);
    for (int k = 0; k < 6; k++) CHECK_EQ(t, (int)out[k], 100 * (k < LEVELS ? k : LEVELS - 1) + 1);
    CHECK_EQ(t, cudaDestroyTextureObject(texture), cudaSuccess);
    CHECK_EQ(t, cudaFreeMipmappedArray(res.mipmap), cudaSuccess);
    CHECK_EQ(t, cudaFreeMipmappedArray(res.mipmap), cudaErrorInvalidResourceHandle);
    CHECK_EQ(t, cudaFree(out), cudaSuccess);
    cudaGetLastError();
}

static struct cuda_array *words_array(struct test *t, int width, int height, const int *words)
{
    struct cuda_channels c = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_SIGNED);
    struct cuda_array *a = NULL;
    CHECK_EQ(t, cudaMallocArray(&a, &c, (size_t)width, (size_t)height, 2), cudaSuccess);
    CHECK_EQ(t,
             cudaMemcpy2DToArray(a, 0, 0, words, 4 * (size_t)width, 4 * (size_t)width,
                                 height ? (size_t)height : 1, COPY_TO_DEVICE),
             cudaSuccess);
    return a;
}

static void test_surfaces(struct test *t)
{
    enum { W = 32, H = 4 };
    int in[W * H], out[W * H];
    uint64_t surface = 0;
    for (int i = 0; i < W * H; i++) in[i] = i;
    struct cuda_resource res = {.kind = RESOURCE_ARRAY, .array = words_array(t, W, H, in)}, told;
    CHECK_EQ(t, cudaCreateSurfaceObject(&surface, &res), cudaSuccess);
    CHECK_EQ(t, cudaGetSurfaceObjectResourceDesc(&told, surface), cudaSuccess);
    CHECK(t, told.array == res.array);
    CHECK_EQ(t, launch(&twice, H, W, 1, (void *[]){&surface}), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2DFromArray(out, W * 4, res.array, 0, 0, W * 4, H, COPY_FROM_DEVICE), cudaSuccess);
    for (int i = 0; i < W * H; i++) CHECK_EQ(t, out[i], 2 * i + i % W);
    CHECK_EQ(t, cudaDestroyTextureObject(surface), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaDestroySurfaceObject(surface), cudaSuccess);
    CHECK_EQ(t, cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
    CHECK_EQ(t, cudaFreeArray(res.array), cudaSuccess);
    cudaGetLastError();
}

static void test_references(struct test *t)
{
    enum { N = 32 };
    float in[N], *out, *data;
    uint8_t bytes[N];
    int words[N];
    const void *found;
    size_t offset = 1;
    struct cuda_channels floats = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT),
                         byte = cudaCreateChannelDesc(8, 0, 0, 0, CHANNEL_UNSIGNED);
    for (int i = 0; i < N; i++) {
        in[i] = (float)i / 2;
        bytes[i] = (uint8_t)(8 * i);
        words[i] = i;
    }
    CHECK_EQ(t, cudaMallocManaged((void **)&out, sizeof in, 1), cudaSuccess);
    CHECK_EQ(t, cudaMalloc((void **)&data, sizeof in), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy(data, in, sizeof in, COPY_TO_DEVICE), cudaSuccess);
    CHECK(t, launch(&by_line, 1, N, 1, (void *[]){&out}) != cudaSuccess); // nothing is bound
    cudaGetLastError();
    CHECK_EQ(t, cudaBindTexture(&offset, &line, data, &floats, SIZE_MAX), cudaSuccess);
    CHECK_EQ(t, offset, 0);
    CHECK_EQ(t, launch(&by_line, 1, N, 1, (void *[]){&out}), cudaSuccess);
    CHECK(t, memcmp(out, in, sizeof in) == 0);
    CHECK_EQ(t, cudaUnbindTexture(&line), cudaSuccess);
    CHECK_EQ(t, cudaGetTextureReference(&found, &line), cudaSuccess);
    CHECK(t, found == &line);
    CHECK_EQ(t, cudaGetTextureReference(&found, &screen), cudaErrorInvalidTexture);

    struct cuda_array *a = NULL;
    CHECK_EQ(t, cudaMallocArray(&a, &byte, N, 1, 0), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2DToArray(a, 0, 0, bytes, N, N, 1, COPY_TO_DEVICE), cudaSuccess);
    CHECK_EQ(t, cudaBindTextureToArray(&shares, a, &byte), cudaSuccess);
    CHECK_EQ(t, launch(&by_shares, 1, N, 1, (void *[]){&out}), cudaSuccess);
    for (int i = 0; i < N; i++) CHECK(t, out[i] == (float)(bytes[i] / 255.0));

    struct cuda_array *w = words_array(t, N, 0, words);
    CHECK_EQ(t, cudaBindSurfaceToArray(&screen, w, NULL), cudaSuccess);
    CHECK_EQ(t, launch(&by_screen, 1, N, 1, NULL), cudaSuccess);
    CHECK_EQ(t, cudaMemcpy2DFromArray(words, N * 4, w, 0, 0, N * 4, 1, COPY_FROM_DEVICE), cudaSuccess);
    for (int i = 0; i < N; i++) CHECK_EQ(t, words[i], i + 1);
    CHECK_EQ(t, cudaFreeArray(a), cudaSuccess);
    CHECK_EQ(t, cudaFreeArray(w), cudaSuccess);
    CHECK_EQ(t, cudaFree(data), cudaSuccess);
    CHECK_EQ(t, cudaFree(out), cudaSuccess);
}

// Beyond the surface: the error of an illegal address, and a line that says so.
static void test_outside(struct test *t)
{
    int in[8] = {0};
    uint64_t surface = 0;
    struct cuda_resource res = {.kind = RESOURCE_ARRAY, .array = words_array(t, 4, 2, in)};
    CHECK_EQ(t, cudaCreateSurfaceObject(&surface, &res), cudaSuccess);
    CHECK_EQ(t, launch(&twice, 2, 5, 1, (void *[]){&surface}), cudaErrorIllegalAddress);
    CHECK_EQ(t, cudaDeviceReset(), cudaSuccess);
}

static void test_no_memory(struct test *t)
{
    test_skip(t, "a sanitizer leaves no room for the device's memory below 2^42");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"layers", test_layers},         {"faces", test_faces},
                                             {"levels", test_levels},         {"surfaces", test_surfaces},
                                             {"references", test_references}, {"outside", test_outside}};
    char *ptx;
    size_t length;
    const char *why;
    unsetenv("WARPFOLD_RUN");
    if (cudaDeviceSynchronize() == cudaErrorMemoryAllocation) {
        static const struct test_case nothing[] = {{"memory", test_no_memory}};
        return test_main(argc, argv, nothing, TEST_COUNT(nothing));
    }
    if (file_read("tests/cudart/textures.ptx", &ptx, &length, &why)) register_program(ptx, length);
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}

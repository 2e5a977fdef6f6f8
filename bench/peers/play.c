// A launch for a simulator that stands in for the CUDA runtime's library, without nvcc: bench/peer links the
// program with that library.
//
//     play KERNEL GRID BLOCK ARG…      play _Z6vecaddPKfS0_Pfi 1024 256 buf=f32:262144:rand:1 s32=262144
//
// GRID and BLOCK are X[,Y[,Z]]. ARG is an argument of `warpfold run`: a buffer (zero, iota, rand:SEED, with the
// same elements) or an s32. Prints a hash of the buffers after the launch.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

// The part of the CUDA runtime's interface that nvcc's code calls.
void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name, int threads,
                            void *thread, void *block, void *block_shape, void *grid_shape);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, void *stream);
int cudaMalloc(void **address, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const char *host, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);

enum { TO_DEVICE = 1, TO_HOST = 2, ARGUMENTS = 16 };

struct argument {
    uint32_t *host; // NULL: a number
    size_t count;
    void *device;
    int32_t number;
};

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "play: %s: %s\n", what, which);
    exit(1);
}

// Output i of splitmix64.
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t element(const char *fill, bool is_float, uint64_t i)
{
    if (!strcmp(fill, "zero")) return 0;
    uint64_t seed, bits = i;
    bool is_random = sscanf(fill, "rand:%lu", &seed) == 1;
    if (!is_random && strcmp(fill, "iota")) fail("not a way to fill a buffer", fill);
    if (is_random) bits = random_at(seed, i);
    if (!is_float) return (uint32_t)bits;
    float value = is_random ? (float)(bits >> 40) * 0x1p-24f : (float)i;
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static struct argument argument_of(const char *text)
{
    struct argument a = {0};
    char type[4], fill[32];
    if (sscanf(text, "s32=%d", &a.number) == 1) return a;
    if (sscanf(text, "buf=%3[fs32]:%zu:%31s", type, &a.count, fill) != 3) fail("not an argument", text);
    a.host = malloc(a.count * sizeof *a.host);
    for (size_t i = 0; i < a.count; i++) a.host[i] = element(fill, *type == 'f', i);
    if (cudaMalloc(&a.device, a.count * sizeof *a.host) ||
        cudaMemcpy(a.device, a.host, a.count * sizeof *a.host, TO_DEVICE))
        fail("no memory for", text);
    return a;
}

static struct dim3 shape(const char *text)
{
    struct dim3 d = {1, 1, 1};
    if (sscanf(text, "%u,%u,%u", &d.x, &d.y, &d.z) < 1) fail("not a shape", text);
    return d;
}

static uint64_t hash(uint64_t h, const struct argument *a)
{
    cudaMemcpy(a->host, a->device, a->count * sizeof *a->host, TO_HOST);
    for (size_t i = 0; i < a->count; i++) h = (h ^ a->host[i]) * 0x100000001b3u;
    return h;
}

int main(int argc, char **argv)
{
    static char kernel_on_host; // its address stands for the kernel
    struct argument arguments[ARGUMENTS];
    void *values[ARGUMENTS];
    int count = argc - 4;
    if (count < 1 || count > ARGUMENTS) fail("use", "play KERNEL GRID BLOCK ARG...");
    void **module = __cudaRegisterFatBinary(NULL);
    __cudaRegisterFunction(module, &kernel_on_host, argv[1], argv[1], -1, NULL, NULL, NULL, NULL);
    for (int k = 0; k < count; k++) {
        arguments[k] = argument_of(argv[4 + k]);
        values[k] = arguments[k].host ? (void *)&arguments[k].device : (void *)&arguments[k].number;
    }
    struct dim3 grid = shape(argv[2]), block = shape(argv[3]);
    __cudaPushCallConfiguration(grid, block, 0, NULL);
    if (cudaLaunchKernel(&kernel_on_host, grid, block, values, 0, NULL) || cudaDeviceSynchronize())
        fail("no launch of", argv[1]);
    uint64_t sum = 0xcbf29ce484222325u;
    for (int k = 0; k < count; k++)
        if (arguments[k].host) sum = hash(sum, &arguments[k]);
    printf("play: buffers %016lx\n", sum);
    return 0;
}

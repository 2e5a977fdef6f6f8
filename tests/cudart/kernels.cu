// Kernels of the tests of the CUDA runtime. kernels.ptx: nvcc -ptx -arch=sm_75 kernels.cu.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>

extern "C" {
__constant__ float scale = 1;
__device__ int counter = 7;
__managed__ int shared_word = 40;

__global__ void axpy(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += scale * x[i];
}

__global__ void count(int step) { atomicAdd(&counter, step); }
__global__ void next_word(void) { shared_word = shared_word + 2; }
__global__ void add_byte(int *to, int by, signed char last) { *to += by + last; }

__global__ void store_at(int *p) { *p = 1; }
__global__ void stop(void) { asm("trap;"); }
__global__ void claim(int x) { assert(x == 1); }
__global__ void say(int x) { printf("kernel says %d\n", x); }

__global__ void follow(int **links, int n)
{
    for (int i = 0; i < n; i++) links = (int **)*links;
    *(int *)links = 99;
}

__global__ void wait_for(volatile int *flag, int *seen)
{
    while (!*flag) {
    }
    *seen = *flag;
}

__global__ void fetch(cudaTextureObject_t t, float *out, int width)
{
    out[threadIdx.y * width + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

// Every thread reads a word that a thread of another block wrote before the barrier of the grid.
__global__ void meet(int *words, int *sum)
{
    int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = i;
    cooperative_groups::this_grid().sync();
    atomicAdd(sum, words[(i + blockDim.x) % threads]);
    cooperative_groups::this_grid().sync();
    if (i == 0) *sum += 1;
}

__global__ void wide(const double *in, double *out)
{
    extern __shared__ double tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
}

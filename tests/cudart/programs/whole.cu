// A program of two files: templates, constants, managed variables, streams, events, dynamic shared memory, printf of the host.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int weights[4];
__managed__ int total;

template <typename T, int N> __global__ void scale(T *p)
{
    extern __shared__ char raw[];
    T *tile = reinterpret_cast<T *>(raw);
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] * N + weights[threadIdx.x % 4];
    atomicAdd(&total, 1);
}

void launch_other(int *p);

int main()
{
    int host[32], want[4] = {1, 2, 3, 4}, wrong = 0, *p;
    float ms;
    cudaStream_t s;
    cudaEvent_t from, to;
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaMalloc(&p, sizeof host);
    cudaStreamCreate(&s);
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaMemcpyToSymbol(weights, want, sizeof want);
    cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, s);
    cudaEventRecord(from, s);
    scale<int, 10><<<1, 32, sizeof host, s>>>(p);
    cudaEventRecord(to, s);
    cudaStreamSynchronize(s);
    launch_other(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) wrong += host[i] != (31 - i) * 10 + i % 4 + 1 + 3;
    wrong += total != 32;
    wrong += cudaEventElapsedTime(&ms, from, to) != cudaSuccess || !(ms > 0);
    wrong += cudaGetLastError() != cudaSuccess;
    printf("whole: %d wrong\n", wrong);
    return wrong;
}

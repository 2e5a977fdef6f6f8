__global__ void histogram(const unsigned char *in, unsigned int *bins, size_t n)
{
    extern __shared__ unsigned int local[];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
__global__ void largest(const float *in, int *out) { atomicMax(out, __float_as_int(in[threadIdx.x])); }

__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}
__global__ void reduce(const int *__restrict__ in, int *out, int n)
{
    static __shared__ int shared[32];
    int sum = 0, lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = warpReduceSum(sum);
    if (lane == 0) shared[wid] = sum;
    __syncthreads();
    sum = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
    if (wid == 0) sum = warpReduceSum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// The second file of the program in whole.cu.
__device__ int offset = 3;
__global__ void add_offset(int *p) { p[threadIdx.x] += offset; }
void launch_other(int *p) { add_offset<<<1, 32>>>(p); }

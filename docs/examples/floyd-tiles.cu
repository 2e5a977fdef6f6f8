// Shortest paths by tiles of 16 x 16 nodes, as the suite of DARSIE's FWS has it: nodes of a tile are admitted
// together, from shared memory. The kernels do all tiles outside the admitted row and column. `rest` keeps the tile's
// distances in shared memory, too; `rest_in_register` keeps each in its thread's register.
#define SIDE 16

static __device__ void load(int left[SIDE][SIDE], int above[SIDE][SIDE], const int *distance, int n, int tile)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = distance[y * n + tile * SIDE + threadIdx.x];
    above[threadIdx.y][threadIdx.x] = distance[(tile * SIDE + threadIdx.y) * n + x];
}

extern "C" __global__ void rest(int *distance, int n, int tile)
{
    __shared__ int left[SIDE][SIDE], above[SIDE][SIDE], own[SIDE][SIDE];
    int at = (blockIdx.y * SIDE + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x;
    if (blockIdx.x == tile || blockIdx.y == tile) return;
    load(left, above, distance, n, tile);
    own[threadIdx.y][threadIdx.x] = distance[at];
    __syncthreads();
    for (int k = 0; k < SIDE; k++) {
        int detour = left[threadIdx.y][k] + above[k][threadIdx.x];
        if (detour < own[threadIdx.y][threadIdx.x]) own[threadIdx.y][threadIdx.x] = detour;
        __syncthreads();
    }
    distance[at] = own[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void rest_in_register(int *distance, int n, int tile)
{
    __shared__ int left[SIDE][SIDE], above[SIDE][SIDE];
    int at = (blockIdx.y * SIDE + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x;
    if (blockIdx.x == tile || blockIdx.y == tile) return;
    load(left, above, distance, n, tile);
    int best = distance[at];
    __syncthreads();
    for (int k = 0; k < SIDE; k++) {
        int detour = left[threadIdx.y][k] + above[k][threadIdx.x];
        if (detour < best) best = detour;
    }
    distance[at] = best;
}

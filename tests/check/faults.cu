// Kernels with one planted fault each, and a repaired twin NAME_repaired, for test_faults.c. The line of a fault ends in
// the comment "// NAME", the second line of a race in "// NAME 2". faults.ptx is made from this file by
// cd tests/check && nvcc -arch=compute_75 -ptx -O3 -lineinfo -o faults.ptx faults.cu &&
// sed -i -E 's|^(\t\.file.*")/[^"]*(/include/[^"]*")|\1cuda\2|; s|^(\t\.file.*")/[^"]*/([^/"]*\.cu")|\1\2|' faults.ptx
#define PAIR(name, parameters, arguments)                                                                     \
    extern "C" __global__ void name parameters { name##_body<false> arguments; }                              \
    extern "C" __global__ void name##_repaired parameters { name##_body<true> arguments; }
#define BODY template <bool GOOD> static __device__ __forceinline__ void

// -- out of bounds ----------------------------------------------------------------------------------------------
BODY read_past_body(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GOOD ? i < n : i <= n)
        out[i] = in[i]; // read_past
}
PAIR(read_past, (const float *in, float *out, int n), (in, out, n))

BODY write_past_body(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!GOOD || i < n)
        out[i] = 1; // write_past
}
PAIR(write_past, (float *out, int n), (out, n))

BODY negative_body(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    if (GOOD && i == 0) return;
    float left = in[i - 1]; // negative
    if (i < n) out[i] = left;
}
PAIR(negative, (const float *in, float *out, int n), (in, out, n))

BODY wrong_pitch_body(float *out, int width, int height)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        out[y * (GOOD ? width : blockDim.x + 1) + x] = 1; // wrong_pitch
}
PAIR(wrong_pitch, (float *out, int width, int height), (out, width, height))

BODY null_pointer_body(float *out, float *maybe)
{
    if (GOOD && !maybe) return;
    out[threadIdx.x] = maybe[threadIdx.x]; // null_pointer
}
PAIR(null_pointer, (float *out, float *maybe), (out, maybe))

BODY atomic_past_body(const unsigned *keys, unsigned *bins, int count)
{
    unsigned key = keys[threadIdx.x];
    if (!GOOD || key < count)
        atomicAdd(&bins[key], 1u); // atomic_past
}
PAIR(atomic_past, (const unsigned *keys, unsigned *bins, int count), (keys, bins, count))

BODY vector_past_body(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    if (GOOD ? 4 * i + 3 < n : 4 * i < n) {
        float4 four = ((const float4 *)in)[i]; // vector_past
        out[i] = four.x + four.y + four.z + four.w;
    }
}
PAIR(vector_past, (const float *in, float *out, int n), (in, out, n))

static __device__ __noinline__ float at(const float *row, int i)
{
    return row[i]; // in_function
}
BODY in_function_body(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    out[i] = at(in, GOOD ? i % n : i + 1);
}
PAIR(in_function, (const float *in, float *out, int n), (in, out, n))

BODY shared_past_body(float *out)
{
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    out[i] = tile[GOOD ? 63 - i : 64 - i]; // shared_past
}
PAIR(shared_past, (float *out), (out))

extern __shared__ float dynamic[];
BODY dynamic_past_body(float *out)
{
    int i = threadIdx.x;
    if (!GOOD || i < 32)
        dynamic[i] = i; // dynamic_past
    __syncthreads();
    if (i < 32) out[i] = dynamic[31 - i];
}
PAIR(dynamic_past, (float *out), (out))

BODY shared_negative_body(float *out)
{
    __shared__ float row[64];
    int i = threadIdx.x;
    if (!GOOD || i)
        row[i - 1] = i; // shared_negative
    __syncthreads();
    if (i < 63) out[i] = row[i];
}
PAIR(shared_negative, (float *out), (out))

BODY local_past_body(const int *where, int *out)
{
    int own[8];
    for (int k = 0; k < 8; k++) own[k] = k * where[1];
    int i = where[0] + (GOOD ? 7 : 8);
    out[threadIdx.x] = own[i]; // local_past
}
PAIR(local_past, (const int *where, int *out), (where, out))

__constant__ int table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
BODY constant_past_body(int *out)
{
    int i = threadIdx.x;
    out[i] = table[GOOD ? i % 16 : i + 1]; // constant_past
}
PAIR(constant_past, (int *out), (out))

// -- misaligned -------------------------------------------------------------------------------------------------
BODY odd_vector_body(const float *in, float *out)
{
    int i = threadIdx.x;
    float2 two = *(const float2 *)(in + 2 * i + (GOOD ? 0 : 1)); // odd_vector
    out[i] = two.x + two.y;
}
PAIR(odd_vector, (const float *in, float *out), (in, out))

BODY odd_store_body(unsigned char *packet)
{
    *(int *)(packet + 8 * threadIdx.x + (GOOD ? 4 : 1)) = 7; // odd_store
}
PAIR(odd_store, (unsigned char *packet), (packet))

BODY odd_shared_body(double *out)
{
    __shared__ double room[34];
    int i = threadIdx.x;
    double *mine = (double *)((char *)room + (GOOD ? 8 : 4)) + i;
    *mine = i; // odd_shared
    __syncthreads();
    out[i] = *mine;
}
PAIR(odd_shared, (double *out), (out))

// -- reads of memory never written ------------------------------------------------------------------------------
BODY unwritten_body(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    if (!GOOD || i < n)
        out[i] = in[i]; // unwritten
}
PAIR(unwritten, (const float *in, float *out, int n), (in, out, n))

BODY unwritten_shared_body(float *out)
{
    __shared__ float sums[64];
    int i = threadIdx.x;
    if (GOOD || i < 63) sums[i] = i;
    __syncthreads();
    out[i] = sums[63 - i]; // unwritten_shared
}
PAIR(unwritten_shared, (float *out), (out))

BODY unwritten_local_body(const int *where, int *out)
{
    int own[8];
    for (int k = 0; k < (GOOD ? 8 : 7); k++) own[k] = k * where[1];
    out[threadIdx.x] = own[where[0] + 7]; // unwritten_local
}
PAIR(unwritten_local, (const int *where, int *out), (where, out))

BODY unwritten_counter_body(unsigned *counter, unsigned *out)
{
    if (GOOD && threadIdx.x == 0) *counter = 0;
    __syncthreads();
    out[threadIdx.x] = atomicAdd(counter, 1u); // unwritten_counter
}
PAIR(unwritten_counter, (unsigned *counter, unsigned *out), (counter, out))

struct mixed {
    char tag;
    int value;
};
BODY unwritten_field_body(mixed *all, int *out)
{
    int i = threadIdx.x;
    all[i].tag = 1;
    if (GOOD) all[i].value = i;
    __syncthreads();
    out[i] = all[i].value; // unwritten_field
}
PAIR(unwritten_field, (mixed *all, int *out), (all, out))

BODY unwritten_exchange_body(float *half, float *out, int n)
{
    int i = threadIdx.x;
    if (i < (GOOD ? n : n / 2)) half[i] = 1;
    __syncthreads();
    out[i] = half[n - 1 - i]; // unwritten_exchange
}
PAIR(unwritten_exchange, (float *half, float *out, int n), (half, out, n))

// -- races ------------------------------------------------------------------------------------------------------
BODY no_barrier_body(const float *in, float *out)
{
    __shared__ float row[64];
    int i = threadIdx.x;
    row[i] = in[i]; // no_barrier
    if (GOOD) __syncthreads();
    out[i] = row[63 - i]; // no_barrier 2
}
PAIR(no_barrier, (const float *in, float *out), (in, out))

BODY no_second_body(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int i = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int t = 0; t < n; t += 64) {
        tile[i] = in[t + i]; // no_second 2
        __syncthreads();
        sum += tile[63 - i]; // no_second
        if (GOOD) __syncthreads();
    }
    out[i] = sum;
}
PAIR(no_second, (const float *in, float *out, int n), (in, out, n))

BODY two_writers_body(int *out)
{
    int i = threadIdx.x;
    out[GOOD ? i : i / 2] = i; // two_writers
}
PAIR(two_writers, (int *out), (out))

BODY plain_counter_body(int *count)
{
    if (threadIdx.x) return;
    if (GOOD)
        atomicAdd(count, 1);
    else
        *count = *count + 1; // plain_counter
}
PAIR(plain_counter, (int *count), (count))

BODY no_syncwarp_body(const int *in, int *out)
{
    __shared__ volatile int sums[32];
    int i = threadIdx.x;
    sums[i] = in[i];
    __syncwarp();
    int other = i < 16 ? sums[i + 16] : 0; // no_syncwarp
    if (GOOD) __syncwarp();
    *(int *)&sums[31 - i] = other; // no_syncwarp 2
    __syncwarp();
    out[i] = sums[i];
}
PAIR(no_syncwarp, (const int *in, int *out), (in, out))

BODY no_fence_body(int *data, int *flag, int *out)
{
    volatile int *raised = flag;
    if (blockIdx.x == 0) {
        data[0] = 42; // no_fence
        if (GOOD) __threadfence();
        *raised = 1;
    } else {
        while (!*raised) {
        }
        if (GOOD) __threadfence();
        out[0] = data[0]; // no_fence 2
    }
}
PAIR(no_fence, (int *data, int *flag, int *out), (data, flag, out))

BODY lock_reset_body(int *lock, int *out)
{
    if (blockIdx.x == 0) {
        __threadfence();
        atomicAdd(lock, 1); // lock_reset
    } else {
        while (GOOD && !*(volatile int *)lock) {
        }
        lock[0] = 0; // lock_reset 2
        out[0] = 1;
    }
}
PAIR(lock_reset, (int *lock, int *out), (lock, out))

BODY byte_race_body(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char row[64];
    int i = threadIdx.x;
    row[i] = in[i]; // byte_race
    if (GOOD) __syncthreads();
    out[i] = row[(i + 1) % 64]; // byte_race 2
}
PAIR(byte_race, (const unsigned char *in, unsigned char *out), (in, out))

BODY neighbour_blocks_body(float *line, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = GOOD ? 0 : line[(i + 1) % n]; // neighbour_blocks
    line[i] = right + 1; // neighbour_blocks 2
}
PAIR(neighbour_blocks, (float *line, int n), (line, n))

BODY mixed_atomic_body(int *sum, int *out)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, 1); // mixed_atomic
    if (GOOD) __syncthreads();
    if (threadIdx.x == 0) out[0] = total; // mixed_atomic 2
}
PAIR(mixed_atomic, (int *sum, int *out), (sum, out))

BODY streams_body(float *out)
{
    out[threadIdx.x] = blockDim.x; // streams
}
PAIR(streams, (float *out), (out))

// -- barriers ---------------------------------------------------------------------------------------------------
BODY uneven_loop_body(const int *in, int *out, int n)
{
    __shared__ int sums[64];
    int i = threadIdx.x;
    sums[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (int at = i; GOOD ? at - i < n : at < n; at += 64) {
        if (at < n) sums[i] += in[at];
        __syncthreads(); // uneven_loop
    }
    if (i == 0) out[0] = sums[0];
}
PAIR(uneven_loop, (const int *in, int *out, int n), (in, out, n))

BODY two_barriers_body(int *out)
{
    __shared__ int row[64];
    int i = threadIdx.x;
    if (!GOOD && i % 2) {
        row[i] = 1;
        __syncthreads(); // two_barriers 2
    } else {
        row[i] = 2;
        if (!GOOD) asm volatile("// kept apart");
        __syncthreads(); // two_barriers
    }
    out[i] = row[63 - i];
}
PAIR(two_barriers, (int *out), (out))

BODY half_block_body(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
    if (GOOD || i < 32)
        __syncthreads(); // half_block
    if (i < 32) out[64 + i] = out[GOOD ? 63 - i : i];
}
PAIR(half_block, (int *out), (out))

BODY part_of_warp_body(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
    if (GOOD || i < 40)
        __syncthreads(); // part_of_warp
}
PAIR(part_of_warp, (int *out), (out))

BODY wrong_count_body(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
    if (GOOD)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 1, 96;"); // wrong_count
}
PAIR(wrong_count, (int *out), (out))

BODY own_mask_body(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
    __syncwarp(GOOD ? 0xffffffffu : 0x0000ffffu); // own_mask
}
PAIR(own_mask, (int *out), (out))

BODY shuffle_mask_body(int *out)
{
    int i = threadIdx.x;
    out[i] = __shfl_sync(GOOD ? 0xffffffffu : 0x7fffffffu, i, 0); // shuffle_mask
}
PAIR(shuffle_mask, (int *out), (out))

// -- the rest ---------------------------------------------------------------------------------------------------
BODY trapped_body(const int *in, int *out)
{
    int x = in[threadIdx.x];
    if (!GOOD && x > 5)
        __trap(); // trapped
    out[threadIdx.x] = x;
}
PAIR(trapped, (const int *in, int *out), (in, out))

static __device__ __noinline__ int deep(int n, volatile int *out)
{
    int here = out[n & 1]; // recursion
    return n ? here + deep(n - 1, out) : here;
}
BODY recursion_body(int *out)
{
    out[2] = deep(GOOD ? 3 : 100000, out);
}
PAIR(recursion, (int *out), (out))

BODY no_end_body(int *flag)
{
    volatile int *raised = flag;
    if (GOOD) *raised = 1;
    while (!*raised) { // no_end
    }
}
PAIR(no_end, (int *flag), (flag))

// For scripts: adds to memory whose address is in memory.
extern "C" __global__ void indirect(float *const *where)
{
    where[0][threadIdx.x] += 1;
}

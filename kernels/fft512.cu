// Fourier transforms of 512 complex numbers, a transform a block, without a conditional branch. 64 threads have eight numbers
// each in registers and go through three passes of radix 8, between which they exchange them through shared memory so that the
// result is in order (Cooley and Tukey 1965, in Stockham's order). Thread t reads numbers t + 64 r, r from 0 to 7:
//
//      pass    turned by             put at                       e^±: forward -, back +
//      1       1                     8 t + r
//      2       e^±2πi r (t % 8)/64   64 (t / 8) + t % 8 + 8 r
//      3       e^±2πi r t/512        t + 64 r
#include "device.h"

#define POINTS  512
#define THREADS 64
#define RADIX   8
#define PADDED  (POINTS + POINTS / 8) // index i lies at i + i / 8, off the banks of its neighbours 8 further

struct points {
    float2 at[RADIX];
};

struct exchange {
    float x[PADDED], y[PADDED];
};

__device__ __forceinline__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 times_i(float2 a, float sign) { return make_float2(-sign * a.y, sign * a.x); }

// Transform of four, to a, a + 2, a + 4 and a + 6.
__device__ __forceinline__ void transform4(float2 *a, float2 v0, float2 v1, float2 v2, float2 v3, float sign)
{
    float2 even = plus(v0, v2), odd = minus(v0, v2), sum = plus(v1, v3);
    float2 difference = times_i(minus(v1, v3), sign);
    a[0] = plus(even, sum);
    a[2] = plus(odd, difference);
    a[4] = minus(even, sum);
    a[6] = minus(odd, difference);
}

// Transform of a thread's eight.
__device__ __forceinline__ void transform8(points *p, float sign)
{
    const float half = 0.707106781f;
    float2 *v = p->at, d0 = minus(v[0], v[4]), d1 = minus(v[1], v[5]), d2 = minus(v[2], v[6]), d3 = minus(v[3], v[7]);
    float2 s0 = plus(v[0], v[4]), s1 = plus(v[1], v[5]), s2 = plus(v[2], v[6]), s3 = plus(v[3], v[7]);
    d1 = times(d1, make_float2(half, sign * half));
    d2 = times_i(d2, sign);
    d3 = times(d3, make_float2(-half, sign * half));
    transform4(v, s0, s1, s2, s3, sign);
    transform4(v + 1, d0, d1, d2, d3, sign);
}

// Number r is turned by r times the angle.
__device__ __forceinline__ void turn(points *p, float angle)
{
    float2 w = make_float2(__cosf(angle), __sinf(angle)), turned = w;
#pragma unroll
    for (int r = 1; r < RADIX; r++) {
        p->at[r] = times(p->at[r], turned);
        turned = times(turned, w);
    }
}

// Number r goes to index `first + r · step` of the padded array; a thread then reads those that it is to have.
__device__ __forceinline__ void exchange_points(points *p, exchange *shared, int first, int step)
{
    const int t = threadIdx.x, own = t + t / 8;
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        shared->x[first + r * step] = p->at[r].x;
        shared->y[first + r * step] = p->at[r].y;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++) p->at[r] = make_float2(shared->x[own + 72 * r], shared->y[own + 72 * r]);
    __syncthreads();
}

__device__ __forceinline__ void transform(float2 *out, const float2 *in, float sign, float scale)
{
    __shared__ exchange shared;
    const int t = threadIdx.x, first = blockIdx.x * POINTS + t;
    const float circle = 6.28318531f * sign;
    points p;

#pragma unroll
    for (int r = 0; r < RADIX; r++) p.at[r] = in[first + THREADS * r];
    transform8(&p, sign);
    exchange_points(&p, &shared, 9 * t, 1);
    turn(&p, circle / 64 * (t % 8));
    transform8(&p, sign);
    exchange_points(&p, &shared, 72 * (t / 8) + t % 8, 9);
    turn(&p, circle / 512 * t);
    transform8(&p, sign);
#pragma unroll
    for (int r = 0; r < RADIX; r++)
        out[first + THREADS * r] = make_float2(scale * p.at[r].x, scale * p.at[r].y);
}

KERNEL void fft512_forward(float2 *out, const float2 *in) { transform(out, in, -1.0f, 1.0f); }
KERNEL void fft512_back(float2 *out, const float2 *in) { transform(out, in, 1.0f, 1.0f / POINTS); }

// Transforms of 512 complex values by three passes of butterflies of eight, a block of 64 threads a transform, a
// thread eight values. Between the passes values change threads through shared memory, real parts first, padded so
// that banks do not collide (Volkov and Kazian 2008). Thread t has t + 64 i before, and after. The rotations'
// angles are made in double precision, their sines and cosines by the special function units.
#include "device.h"

#define THREADS 64
#define POINTS 8 // of a thread

template <typename T> struct alignas(2 * sizeof(T)) complex {
    T re, im;
};

template <typename T> __device__ __forceinline__ complex<T> operator+(complex<T> a, complex<T> b)
{
    return {a.re + b.re, a.im + b.im};
}

template <typename T> __device__ __forceinline__ complex<T> operator-(complex<T> a, complex<T> b)
{
    return {a.re - b.re, a.im - b.im};
}

template <typename T> __device__ __forceinline__ complex<T> operator*(complex<T> a, complex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// SIGN is -1 forward, 1 backward: e to the power of SIGN i pi / 2, and / 4.
template <int SIGN, typename T> __device__ __forceinline__ complex<T> quarter_turn(complex<T> a)
{
    return {-SIGN * a.im, SIGN * a.re};
}

template <int SIGN, typename T> __device__ __forceinline__ complex<T> eighth_turn(complex<T> a)
{
    const T ROOT = (T)0.70710678118654752440;
    return {ROOT * (a.re - SIGN * a.im), ROOT * (a.im + SIGN * a.re)};
}

template <int SIGN, typename T>
__device__ __forceinline__ void butterfly4(complex<T> &a, complex<T> &b, complex<T> &c, complex<T> &d)
{
    complex<T> ac = a + c, a_c = a - c, bd = b + d, b_d = quarter_turn<SIGN>(b - d);
    a = ac + bd;
    b = a_c + b_d;
    c = ac - bd;
    d = a_c - b_d;
}

// v[k] becomes the sum of v[n] e^(SIGN 2 pi i n k / 8).
template <int SIGN, typename T> __device__ __forceinline__ void butterfly8(complex<T> v[POINTS])
{
    complex<T> even[4], odd[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        even[i] = v[i] + v[i + 4];
        odd[i] = v[i] - v[i + 4];
    }
    odd[1] = eighth_turn<SIGN>(odd[1]);
    odd[2] = quarter_turn<SIGN>(odd[2]);
    odd[3] = quarter_turn<SIGN>(eighth_turn<SIGN>(odd[3]));
    butterfly4<SIGN>(even[0], even[1], even[2], even[3]);
    butterfly4<SIGN>(odd[0], odd[1], odd[2], odd[3]);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[2 * i] = even[i];
        v[2 * i + 1] = odd[i];
    }
}

// v[k] times e^(SIGN 2 pi i k n / size).
template <int SIGN, typename T> __device__ __forceinline__ void rotate(complex<T> v[POINTS], int n, int size)
{
#pragma unroll
    for (int k = 1; k < POINTS; k++) {
        float angle = (float)(SIGN * 2 * 3.14159265358979323846 * k / size * n);
        v[k] = v[k] * complex<T>{(T)__cosf(angle), (T)__sinf(angle)};
    }
}

// v[i] goes to place to + to_step i, and comes from place from + from_step i.
template <typename T>
__device__ __forceinline__ void redistribute(complex<T> v[POINTS], T *shared, int to, int to_step, int from,
                                             int from_step)
{
#pragma unroll
    for (int i = 0; i < POINTS; i++) shared[to + i * to_step] = v[i].re;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < POINTS; i++) v[i].re = shared[from + i * from_step];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < POINTS; i++) shared[to + i * to_step] = v[i].im;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < POINTS; i++) v[i].im = shared[from + i * from_step];
    __syncthreads();
}

template <int SIGN, typename T> __device__ __forceinline__ void transform512(complex<T> *data)
{
    __shared__ T shared[8 * 8 * 9];
    int thread = threadIdx.x, high = thread >> 3, low = thread & 7;
    complex<T> v[POINTS];

    data += blockIdx.x * 512 + thread;
#pragma unroll
    for (int i = 0; i < POINTS; i++) v[i] = data[i * THREADS];
    butterfly8<SIGN>(v);
    rotate<SIGN>(v, thread, 512);
    redistribute(v, shared, high * 8 + low, 66, low * 66 + high, 8);
    butterfly8<SIGN>(v);
    rotate<SIGN>(v, high, 64);
    redistribute(v, shared, high * 8 + low, 72, high * 72 + low, 8);
    butterfly8<SIGN>(v);
#pragma unroll
    for (int i = 0; i < POINTS; i++) {
        if (SIGN > 0) v[i] = {v[i].re / 512, v[i].im / 512};
        data[i * THREADS] = v[i];
    }
}

KERNEL void fft512_f32(float2 *data) { transform512<-1>((complex<float> *)data); }
KERNEL void fft512_f64(double2 *data) { transform512<-1>((complex<double> *)data); }
KERNEL void inverse_fft512_f64(double2 *data) { transform512<1>((complex<double> *)data); }

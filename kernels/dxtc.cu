// DXT1 compression of an image (S3 Texture Compression; cluster fit after Brown 2006): a square of 4x4 pixels, a block's work, becomes two colours of
// 16 bits and for each pixel one of four points between the two. Pixels are ordered along the principal axis of their colours;
// every way to cut this order into four runs is tried, with the pair of colours that fits it best by least squares:
//
//      order       p0 p1 p2 | p3 p4 ... | ... | ... p15
//      weight of   3  3  3    2  2        1     0           thirds of the first colour; the second has the rest
//
// Weights, colours and their sums are integers, and what is not is rounded once an operation: the CPU's result is the same.
#include "device.h"

#define THREADS 64
#define PIXELS  16

struct colour {
    int red, green, blue;
};

struct fit {
    int error; // nine times the sum of squares, but for a constant
    unsigned weights, first, second;
};

__device__ __forceinline__ colour unpacked(unsigned rgba)
{
    return {(int)(rgba & 255), (int)(rgba >> 8 & 255), (int)(rgba >> 16 & 255)};
}

// One step of the power method for a symmetric matrix, to a largest component of 1; no component where all are zero.
__device__ __forceinline__ float3 step(const float *m, float3 v)
{
    float x = fmaf(m[0], v.x, fmaf(m[1], v.y, m[2] * v.z));
    float y = fmaf(m[1], v.x, fmaf(m[3], v.y, m[4] * v.z));
    float z = fmaf(m[2], v.x, fmaf(m[4], v.y, m[5] * v.z));
    float largest = fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z));
    float scale = largest > 0.0f ? 1.0f / largest : 0.0f;
    return make_float3(x * scale, y * scale, z * scale);
}

__device__ __forceinline__ float3 principal_axis(const unsigned *pixels)
{
    int red = 0, green = 0, blue = 0, m[6] = {0};
    float3 axis = make_float3(1.0f, 1.0f, 1.0f);
    float covariance[6];
    for (int i = 0; i < PIXELS; i++) {
        colour c = unpacked(pixels[i]);
        red += c.red;
        green += c.green;
        blue += c.blue;
    }
    for (int i = 0; i < PIXELS; i++) { // 16 times what is left when the mean is taken away
        colour c = unpacked(pixels[i]);
        int r = PIXELS * c.red - red, g = PIXELS * c.green - green, b = PIXELS * c.blue - blue;
        m[0] += r * r;
        m[1] += r * g;
        m[2] += r * b;
        m[3] += g * g;
        m[4] += g * b;
        m[5] += b * b;
    }
#pragma unroll
    for (int i = 0; i < 6; i++) covariance[i] = (float)m[i];
    for (int i = 0; i < 8; i++) axis = step(covariance, axis);
    return axis;
}

// The quotient in 0 to 255, in `levels` steps.
__device__ __forceinline__ int level(int numerator, int denominator, int levels)
{
    float value = (float)numerator / (float)denominator;
    return (int)fmaf(fminf(fmaxf(value, 0.0f), 255.0f), (float)levels / 255.0f, 0.5f);
}

// A channel of the pair that fits best, from the sums of squared weights (aa, bb, ab) and of weighted values: its error, and
// the two levels, moved to `shift`.
__device__ __forceinline__ void fit_channel(fit *f, int aa, int bb, int ab, int ax, int bx, int bits, int shift)
{
    int determinant = aa * bb - ab * ab, levels = (1 << bits) - 1;
    int first = level(3 * (ax * bb - bx * ab), determinant, levels);
    int second = level(3 * (bx * aa - ax * ab), determinant, levels);
    f->first |= first << shift;
    f->second |= second << shift;
    int a = first << (8 - bits) | first >> (2 * bits - 8), b = second << (8 - bits) | second >> (2 * bits - 8);
    f->error += aa * a * a + bb * b * b + 2 * ab * a * b - 6 * (a * ax + b * bx);
}

__device__ __forceinline__ fit fit_of(const unsigned *ordered, unsigned weights)
{
    fit f = {0, weights, 0, 0};
    int aa = 0, bb = 0, ab = 0;
    colour all = {0, 0, 0}, weighed = {0, 0, 0};
    for (int i = 0; i < PIXELS; i++) {
        colour c = unpacked(ordered[i]);
        int w = weights >> 2 * i & 3, rest = 3 - w;
        aa += w * w;
        bb += rest * rest;
        ab += w * rest;
        weighed.red += w * c.red;
        weighed.green += w * c.green;
        weighed.blue += w * c.blue;
        all.red += 3 * c.red;
        all.green += 3 * c.green;
        all.blue += 3 * c.blue;
    }
    fit_channel(&f, aa, bb, ab, weighed.red, all.red - weighed.red, 5, 11);
    fit_channel(&f, aa, bb, ab, weighed.green, all.green - weighed.green, 6, 5);
    fit_channel(&f, aa, bb, ab, weighed.blue, all.blue - weighed.blue, 5, 0);
    return f;
}

// out: two words a block, colours and then indices; cuts: weights of the order's pixels, two bits each, of every way to cut it.
KERNEL void dxt_compress(uint2 *out, const unsigned *image, const unsigned *cuts, int cut_count, int width)
{
    __shared__ unsigned pixels[PIXELS], ordered[PIXELS];
    __shared__ float places[PIXELS];
    __shared__ int ranks[PIXELS];
    __shared__ fit fits[THREADS];
    const int tid = threadIdx.x, squares = width / 4;
    const int x = blockIdx.x % squares * 4, y = blockIdx.x / squares * 4;

    if (tid < PIXELS) pixels[tid] = image[(y + tid / 4) * width + x + tid % 4];
    __syncthreads();
    float3 axis = principal_axis(pixels);
    if (tid < PIXELS) {
        colour c = unpacked(pixels[tid]);
        places[tid] = fmaf((float)c.red, axis.x, fmaf((float)c.green, axis.y, (float)c.blue * axis.z));
    }
    __syncthreads();
    if (tid < PIXELS) { // equal ones as they come
        int rank = 0;
        for (int i = 0; i < PIXELS; i++)
            rank += places[i] < places[tid] || (places[i] == places[tid] && i < tid) ? 1 : 0;
        ranks[tid] = rank;
        ordered[rank] = pixels[tid];
    }
    __syncthreads();

    fit best = fit_of(ordered, cuts[tid]);
    for (int i = tid + THREADS; i < cut_count; i += THREADS) {
        fit f = fit_of(ordered, cuts[i]);
        if (f.error < best.error || (f.error == best.error && f.weights < best.weights)) best = f;
    }
    fits[tid] = best;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        fit other = fits[tid + half], own = fits[tid];
        if (other.error < own.error || (other.error == own.error && other.weights < own.weights)) fits[tid] = other;
    }
    if (tid > 0) return;

    best = fits[0];
    bool swapped = best.first < best.second; // the larger comes first, or a decoder takes it for another format
    unsigned indices = 0;
    for (int i = 0; i < PIXELS; i++) { // of weights 0, 1, 2 and 3: 1, 3, 2 and 0
        unsigned index = 0x2du >> 2 * (best.weights >> 2 * ranks[i] & 3) & 3;
        if (best.first != best.second) indices |= (index ^ (swapped ? 1 : 0)) << 2 * i;
    }
    out[blockIdx.x].x = swapped ? best.second | best.first << 16 : best.first | best.second << 16;
    out[blockIdx.x].y = indices;
}

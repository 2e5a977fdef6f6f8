// All zeros of a function in an interval, to certainty: Newton's method with intervals (Hansen 1978), which rounds
// outwards. Thread t has (x - 1)^2 - a x with a = (t + 1) / threads, whose zeros are on both sides of 1. Intervals that
// wait are on a stack in local memory.
#include "device.h"

#define DEPTH 64  // of the stack
#define NARROW 1e-6 // times the middle's distance from zero: good enough

struct interval {
    double low, high;
};

__device__ __forceinline__ interval operator+(interval x, interval y)
{
    return {__dadd_rd(x.low, y.low), __dadd_ru(x.high, y.high)};
}

__device__ __forceinline__ interval operator-(interval x, interval y)
{
    return {__dadd_rd(x.low, -y.high), __dadd_ru(x.high, -y.low)};
}

__device__ __forceinline__ interval operator*(interval x, interval y)
{
    double low = fmin(fmin(__dmul_rd(x.low, y.low), __dmul_rd(x.low, y.high)),
                      fmin(__dmul_rd(x.high, y.low), __dmul_rd(x.high, y.high)));
    double high = fmax(fmax(__dmul_ru(x.low, y.low), __dmul_ru(x.low, y.high)),
                       fmax(__dmul_ru(x.high, y.low), __dmul_ru(x.high, y.high)));
    return {low, high};
}

__device__ __forceinline__ interval square(interval x)
{
    double least = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0, most = fmax(-x.low, x.high);
    return {__dmul_rd(least, least), __dmul_ru(most, most)};
}

// y is positive, or negative.
__device__ __forceinline__ interval operator/(interval x, interval y)
{
    if (y.high < 0) {
        x = {-x.high, -x.low};
        y = {-y.high, -y.low};
    }
    return {__ddiv_rd(x.low, x.low < 0 ? y.low : y.high), __ddiv_ru(x.high, x.high < 0 ? y.high : y.low)};
}

__device__ __forceinline__ interval both(interval x, interval y) { return {fmax(x.low, y.low), fmin(x.high, y.high)}; }
__device__ __forceinline__ bool is_empty(interval x) { return !(x.low <= x.high); }
__device__ __forceinline__ bool has_zero(interval x) { return x.low <= 0 && x.high >= 0; }
__device__ __forceinline__ double width(interval x) { return __dadd_ru(x.high, -x.low); }
__device__ __forceinline__ double middle(interval x) { return (x.low + x.high) * 0.5; }

__device__ __forceinline__ interval function(interval x, interval a)
{
    return square(x - interval{1, 1}) - a * x;
}

__device__ __forceinline__ interval derivative(interval x, interval a)
{
    return interval{2, 2} * x - (interval{2, 2} + a);
}

__device__ __forceinline__ bool is_narrow(interval x, interval a)
{
    return width(x) <= NARROW * fabs(middle(x)) || width(function(x, a)) <= NARROW;
}

// Zeros of x are in x - f(m) / f'(x) for any m of x. Where f' has a zero the quotient is two half lines.
KERNEL void newton(interval *zeros, int *counts, double low, double high)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    double share = (thread + 1.0) / threads;
    interval a = {share, share}, stack[DEPTH];
    int depth = 0, found = 0;

    stack[depth++] = {low, high};
    while (depth) {
        interval x = stack[--depth];
        double m = middle(x);
        interval value = function({m, m}, a), slope = derivative(x, a);

        if (is_narrow(x, a)) {
            zeros[found++ * threads + thread] = x;
            continue;
        }
        if (!has_zero(slope)) {
            interval next = both(x, interval{m, m} - value / slope);
            if (is_empty(next)) continue;
            if (width(next) <= 0.5 * width(x)) {
                stack[depth++] = next;
                continue;
            }
            x = next;
            m = middle(x);
        } else if (!has_zero(value)) {
            // |f(m)| at least; the half lines begin at its quotients with the slope's ends.
            double least = value.low > 0 ? value.low : -value.high;
            double end = slope.low < 0 ? __ddiv_rd(least, value.low > 0 ? -slope.low : slope.high) : INFINITY;
            double other = slope.high > 0 ? __ddiv_rd(least, value.low > 0 ? slope.high : -slope.low) : INFINITY;
            interval right = {__dadd_rd(m, end), x.high}, left = {x.low, __dadd_ru(m, -other)};
            if (!is_empty(right)) stack[depth++] = right;
            if (!is_empty(left)) stack[depth++] = left;
            continue;
        }
        stack[depth++] = {m, x.high};
        stack[depth++] = {x.low, m};
    }
    counts[thread] = found;
}

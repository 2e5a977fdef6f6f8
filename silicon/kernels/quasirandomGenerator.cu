// Quasi-random numbers of a digital (t, s)-sequence in base 2 (Niederreiter 1988) and their transformation to normal
// variates (Moro 1995).
#include "device.h"

#define DIMENSIONS 3
#define BITS 31

// directions[d][b]: what bit b of the index adds to coordinate d; the first three coordinates of Sobol's sequence, which
// is one of this family.
__constant__ unsigned directions[DIMENSIONS][BITS] = {
    {0x40000000, 0x20000000, 0x10000000, 0x08000000, 0x04000000, 0x02000000, 0x01000000, 0x00800000, 0x00400000,
     0x00200000, 0x00100000, 0x00080000, 0x00040000, 0x00020000, 0x00010000, 0x00008000, 0x00004000, 0x00002000,
     0x00001000, 0x00000800, 0x00000400, 0x00000200, 0x00000100, 0x00000080, 0x00000040, 0x00000020, 0x00000010,
     0x00000008, 0x00000004, 0x00000002, 0x00000001},
    {0x40000000, 0x60000000, 0x50000000, 0x78000000, 0x44000000, 0x66000000, 0x55000000, 0x7f800000, 0x40400000,
     0x60600000, 0x50500000, 0x78780000, 0x44440000, 0x66660000, 0x55550000, 0x7fff8000, 0x40004000, 0x60006000,
     0x50005000, 0x78007800, 0x44004400, 0x66006600, 0x55005500, 0x7f807f80, 0x40404040, 0x60606060, 0x50505050,
     0x78787878, 0x44444444, 0x66666666, 0x55555555},
    {0x40000000, 0x60000000, 0x30000000, 0x48000000, 0x74000000, 0x2e000000, 0x47000000, 0x62800000, 0x34400000,
     0x4e600000, 0x77300000, 0x2ac80000, 0x40340000, 0x604e0000, 0x30770000, 0x482a8000, 0x74404000, 0x2e606000,
     0x47303000, 0x62c84800, 0x34347400, 0x4e4e2e00, 0x77774700, 0x2aaae280, 0x40007440, 0x60002e60, 0x30004730,
     0x480062c8, 0x74003434, 0x2e004e4e, 0x47007777}};

// threadIdx.y is the dimension; a thread makes every 16,384th number of it, its directions in registers.
KERNEL void niederreiter(float *out, unsigned seed, unsigned count)
{
    unsigned direction[BITS];
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) direction[bit] = directions[threadIdx.y][bit];

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        unsigned value = 0, index = seed + i;
#pragma unroll
        for (int bit = 0; bit < BITS; bit++, index >>= 1)
            if (index & 1) value ^= direction[bit];
        out[threadIdx.y * count + i] = (value + 1) * (1.0f / 0x80000000U);
    }
}

// Inverse of the normal distribution at (x + 1/2) / 2^32: a quotient of polynomials in the middle, a polynomial of the
// logarithm of a logarithm in the tails. Above one half by symmetry.
__device__ __forceinline__ float inverse_normal(unsigned x)
{
    const float A1 = 2.50662823884f, A2 = -18.61500062529f, A3 = 41.39119773534f, A4 = -25.44106049637f;
    const float B1 = -8.4735109309f, B2 = 23.08336743743f, B3 = -21.06224101826f, B4 = 3.13082909833f;
    const float C1 = 0.337475482272615f, C2 = 0.976169019091719f, C3 = 0.160797971491821f, C4 = 2.76438810333863e-2f,
                C5 = 3.8405729373609e-3f, C6 = 3.951896511919e-4f, C7 = 3.21767881768e-5f, C8 = 2.888167364e-7f,
                C9 = 3.960315187e-7f;
    bool upper = x >= 0x80000000U;
    float p = ((upper ? 0xffffffffU - x : x) + 0.5f) * 0x1p-32f;
    float y = 0.5f - p, z;

    if (y < 0.42f) {
        z = y * y;
        z = y * (((A4 * z + A3) * z + A2) * z + A1) / ((((B4 * z + B3) * z + B2) * z + B1) * z + 1.0f);
    } else {
        z = __logf(-__logf(p));
        z = C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * (C6 + z * (C7 + z * (C8 + z * C9)))))));
    }
    return upper ? z : -z;
}

// Of the numbers in `in`, or, without, of equidistant ones.
KERNEL void inverse_normals(float *out, const unsigned *in, unsigned count)
{
    unsigned distance = 0xffffffffU / (count + 1);
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;

    if (in) {
        for (unsigned i = first; i < count; i += step) out[i] = inverse_normal(in[i]);
    } else {
        for (unsigned i = first; i < count; i += step) out[i] = inverse_normal((i + 1) * distance);
    }
}

// Speckle-reducing anisotropic diffusion of an ultrasound image (Yu and Acton): where the image varies as
// much as speckle does it is smoothed, edges are kept. Pixels are numbered down the columns and a thread has
// one of them; the numbers of its four neighbours' rows and columns come from small arrays. An iteration is
//
//      prepare ─▶ reduce … ─▶ (host: variance over mean²) ─▶ srad ─▶ srad2
//
// Double constants are as in the published code: they pull part of each expression into double precision.
#include "device.h"

#define THREADS 512

KERNEL void srad_extract(float *image, int pixels)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) image[i] = expf(image[i] / 255.0f);
}

KERNEL void srad_prepare(const float *image, float *sums, float *sums2, int pixels)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        sums[i] = image[i];
        sums2[i] = image[i] * image[i];
    }
}

// Adds up `count` values that stand `spacing` apart, 512 a block; a block leaves its sum in the place of its
// first value, so the next pass has 512 · spacing. A last block that is not full adds up a power of two of
// its values by the tree and the others one by one.
KERNEL void srad_reduce(float *sums, float *sums2, int count, int spacing)
{
    __shared__ float part[THREADS], part2[THREADS];
    int tx = threadIdx.x;
    int i = blockIdx.x * THREADS + tx;
    int full = count - blockIdx.x * THREADS; // values in this block
    if (i < count) {
        part[tx] = sums[i * spacing];
        part2[tx] = sums2[i * spacing];
    }
    __syncthreads();

    int first = blockIdx.x * THREADS * spacing;
    if (full >= THREADS) {
        for (int width = 2; width <= THREADS; width *= 2) {
            if ((tx + 1) % width == 0) {
                part[tx] += part[tx - width / 2];
                part2[tx] += part2[tx - width / 2];
            }
            __syncthreads();
        }
        if (tx == THREADS - 1) {
            sums[first] = part[tx];
            sums2[first] = part2[tx];
        }
    } else {
        int tree = 1; // the largest power of two not above full
        for (int width = 2; width <= THREADS; width *= 2)
            if (full >= width) tree = width;
        for (int width = 2; width <= tree; width *= 2) {
            if ((tx + 1) % width == 0 && tx < tree) {
                part[tx] += part[tx - width / 2];
                part2[tx] += part2[tx - width / 2];
            }
            __syncthreads();
        }
        if (tx == tree - 1) {
            for (int rest = tree; rest < full; rest++) {
                part[tx] += part[rest];
                part2[tx] += part2[rest];
            }
            sums[first] = part[tx];
            sums2[first] = part2[tx];
        }
    }
}

// Differences to the four neighbours, and the diffusion coefficient.
KERNEL void srad(float *south_diff, float *north_diff, float *east_diff, float *west_diff, float *coefficient,
                 const float *image, const int *north, const int *south, const int *west, const int *east,
                 float q0sqr, int rows, int pixels)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        int row = i % rows, col = i / rows;
        float here = image[i];
        float dn = image[north[row] + rows * col] - here;
        float ds = image[south[row] + rows * col] - here;
        float dw = image[row + rows * west[col]] - here;
        float de = image[row + rows * east[col]] - here;

        float gradient2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
        float laplacian = (dn + ds + dw + de) / here;
        float numerator = (0.5 * gradient2) - ((1.0 / 16.0) * (laplacian * laplacian));
        float denominator = 1 + (0.25 * laplacian);
        float qsqr = numerator / (denominator * denominator);
        denominator = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
        float c = 1.0 / (1.0 + denominator);
        if (c < 0)
            c = 0;
        else if (c > 1)
            c = 1;

        north_diff[i] = dn;
        south_diff[i] = ds;
        west_diff[i] = dw;
        east_diff[i] = de;
        coefficient[i] = c;
    }
}

// The divergence of the coefficient times the gradient, added to the image.
KERNEL void srad2(float lambda, int rows, int pixels, const int *south, const int *east,
                  const float *south_diff, const float *north_diff, const float *east_diff,
                  const float *west_diff, const float *coefficient, float *image)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        int row = i % rows, col = i / rows;
        float cn = coefficient[i];
        float cs = coefficient[south[row] + rows * col];
        float cw = cn;
        float ce = coefficient[row + rows * east[col]];
        float divergence = cn * north_diff[i] + cs * south_diff[i] + cw * west_diff[i] + ce * east_diff[i];
        image[i] = image[i] + 0.25 * lambda * divergence;
    }
}

KERNEL void srad_compress(float *image, int pixels)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) image[i] = logf(image[i]) * 255.0f;
}

// Host side of kernels/DCT8x8.cu. Every stage is compared with the reference applied to the device's previous
// stage. Otherwise, rounding to a multiple of the quantum would amplify the last bit of a coefficient.
#include "base/clones.h"
#include "workload/host.h"

#include <math.h>

enum { N = 8 };

// JPEG's quantisation table for luminance.
static const float QUANTUM[N * N] = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                                     14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                                     18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                                     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

// out = M · in · Mᵀ on one 8x8 block, M or its transpose given by its steps.
CLONES static void product(const float *restrict in, double *restrict out, int pitch,
                           const double *restrict m, int row_step, int column_step)
{
    double half[N][N] = {{0}}, across[N][N], whole[N][N] = {{0}}; // across: Mᵀ
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++) across[k][j] = m[j * row_step + k * column_step];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int x = 0; x < N; x++) half[i][x] += across[k][i] * (double)in[k * pitch + x];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) whole[i][j] += half[i][k] * across[k][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[i * pitch + j] = whole[i][j];
}

static void transform(const float *in, double *out, int width, int height, const double *m, bool inverse)
{
    for (int y = 0; y < height; y += N)
        for (int x = 0; x < width; x += N)
            product(&in[y * width + x], &out[y * width + x], width, m, inverse ? 1 : N, inverse ? N : 1);
}

void workload_run_DCT8x8(struct host *h)
{
    static const struct {
        int width, height; // multiples of 8
    } sizes[] = {{40, 24}, {512, 512}, {1632, 1600}, {512, 512}, {512, 72}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const size_t count = (size_t)(width * height), bytes = count * sizeof(float);
    const struct host_dim grid = DIM((unsigned)width / N, (unsigned)height / N), block = DIM(N, N);

    double cosines[N * N];
    float device_cosines[N * N];
    for (int k = 0; k < N; k++)
        for (int x = 0; x < N; x++) {
            cosines[k * N + x] = (k ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * k * 3.14159265358979323846 / 16);
            device_cosines[k * N + x] = (float)cosines[k * N + x];
        }
    // A smooth picture with some noise, centred on zero as in JPEG.
    float *image = host_random_f32(h, count, -20, 20);
    float *across = HOST_ARRAY(h, float, width);
    for (int x = 0; x < width; x++) across[x] = 60 * sinf((float)x * 0.05f);
    for (int y = 0; y < height; y++) {
        float down = 40 * cosf((float)y * 0.07f);
        for (int x = 0; x < width; x++) image[y * width + x] += across[x] + down;
    }

    host_set_symbol(h, "cosines", device_cosines, sizeof device_cosines);
    host_set_symbol(h, "quantum", QUANTUM, sizeof QUANTUM);
    uint64_t texture = host_texture_f32(h, host_upload(h, image, bytes), (unsigned)width, (unsigned)height);
    uint64_t coefficients = host_alloc(h, bytes), restored = host_alloc(h, bytes);
    host_launch(h, "dct_forward", grid, block, 0, ARG(coefficients), ARG(texture), ARG(width));
    const float *forward = host_output(h, coefficients, bytes);
    host_launch(h, "dct_quantise", grid, block, 0, ARG(coefficients), ARG(width));
    const float *quantised = host_output(h, coefficients, bytes);
    host_launch(h, "dct_inverse", grid, block, 0, ARG(restored), ARG(coefficients), ARG(width));
    const float *inverse = host_output(h, restored, bytes);

    double *want = HOST_ARRAY(h, double, count);
    transform(image, want, width, height, cosines, false);
    host_compare_f32(h, "coefficient", forward, want, count, 100);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float q = QUANTUM[y % N * N + x % N];
            want[y * width + x] = (double)(rintf(forward[y * width + x] / q) * q);
        }
    host_compare_f32(h, "quantised coefficient", quantised, want, count, 100);
    transform(quantised, want, width, height, cosines, true);
    host_compare_f32(h, "restored pixel", inverse, want, count, 100);
}

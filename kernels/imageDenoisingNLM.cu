// Image denoising by non-local means (Buades, Coll and Morel): a pixel becomes the mean of the pixels in a
// 7x7 window, each weighted by how much the 7x7 block around it looks like the block around the pixel itself.
// Flat regions, where many blocks look alike, are smoothed more than texture. The image is a texture of four
// 8-bit channels read as 0 to 1; loop counters are floats because they are texture coordinates.
#include "device.h"

#define WINDOW_RADIUS    3 // where similar blocks are looked for
#define BLOCK_RADIUS     3 // what is compared
#define WINDOW_AREA      ((2 * WINDOW_RADIUS + 1) * (2 * WINDOW_RADIUS + 1))
#define INV_WINDOW_AREA  (1.0f / (float)WINDOW_AREA)
#define WEIGHT_THRESHOLD 0.10f // a block with more than this weight counts as similar
#define LERP_THRESHOLD   0.10f // share of similar blocks over which the region counts as flat

__device__ __forceinline__ float distance2(float4 a, float4 b)
{
    return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
}

__device__ __forceinline__ float mix(float a, float b, float share) { return a + (b - a) * share; }

__device__ __forceinline__ unsigned pack_color(float r, float g, float b)
{
    return (unsigned)(int)(__saturatef(b) * 255.0f) << 16 | (unsigned)(int)(__saturatef(g) * 255.0f) << 8 |
           (unsigned)(int)(__saturatef(r) * 255.0f);
}

// noise: one over the square of the filter's strength; lerp: how much of the original stays in flat regions.
KERNEL void denoise_nlm(unsigned *out, cudaTextureObject_t image, int width, int height, float noise,
                        float lerp)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    if (ix >= width || iy >= height) return;

    float similar = 0.0f, weights = 0.0f, r = 0.0f, g = 0.0f, b = 0.0f;

    for (float i = -WINDOW_RADIUS; i <= WINDOW_RADIUS; i++)
        for (float j = -WINDOW_RADIUS; j <= WINDOW_RADIUS; j++) {
            float weight = 0.0f;
            for (float n = -BLOCK_RADIUS; n <= BLOCK_RADIUS; n++)
                for (float m = -BLOCK_RADIUS; m <= BLOCK_RADIUS; m++)
                    weight += distance2(texture_rgba(image, x + j + m, y + i + n),
                                        texture_rgba(image, x + m, y + n));
            weight = __expf(-(weight * noise + (i * i + j * j) * INV_WINDOW_AREA));

            float4 there = texture_rgba(image, x + j, y + i);
            r += there.x * weight;
            g += there.y * weight;
            b += there.z * weight;
            weights += weight;
            similar += (weight > WEIGHT_THRESHOLD) ? INV_WINDOW_AREA : 0.0f;
        }

    weights = 1.0f / weights;
    float share = (similar > LERP_THRESHOLD) ? lerp : 1.0f - lerp;
    float4 here = texture_rgba(image, x, y);
    out[width * iy + ix] = pack_color(mix(r * weights, here.x, share), mix(g * weights, here.y, share),
                                      mix(b * weights, here.z, share));
}

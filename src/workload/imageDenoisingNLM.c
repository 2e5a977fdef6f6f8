// Host side of kernels/imageDenoisingNLM.cu: a noisy picture of a disc on a slope of colours.
#include "workload/host.h"

#include <math.h>

enum { RADIUS = 3 }; // of the window and of the blocks

struct picture {
    int width, height;
    uint8_t *texels; // red, green, blue, alpha
};

static const uint8_t *texel(const struct picture *p, int x, int y) // clamped at the border
{
    x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
    y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
    return &p->texels[4 * (y * p->width + x)];
}

static double block_distance(const struct picture *p, int x, int y, int dx, int dy)
{
    double sum = 0;
    for (int n = -RADIUS; n <= RADIUS; n++)
        for (int m = -RADIUS; m <= RADIUS; m++) {
            const uint8_t *a = texel(p, x + dx + m, y + dy + n), *b = texel(p, x + m, y + n);
            for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) / 255.0 * ((a[c] - b[c]) / 255.0);
        }
    return sum;
}

static void denoise(const struct picture *p, int x, int y, double noise, double lerp, double colour[3])
{
    const double area = (2 * RADIUS + 1) * (2 * RADIUS + 1);
    double weights = 0, similar = 0, sum[3] = {0};
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            double weight = exp(-(block_distance(p, x, y, dx, dy) * noise + (dx * dx + dy * dy) / area));
            for (int c = 0; c < 3; c++) sum[c] += texel(p, x + dx, y + dy)[c] / 255.0 * weight;
            weights += weight;
            similar += weight > 0.1 ? 1 / area : 0;
        }
    double share = similar > 0.1 ? lerp : 1 - lerp;
    for (int c = 0; c < 3; c++) {
        double mean = sum[c] / weights;
        colour[c] = mean + (texel(p, x, y)[c] / 255.0 - mean) * share;
    }
}

void workload_run_imageDenoisingNLM(struct host *h)
{
    static const struct {
        int width, height;
    } sizes[] = {{20, 3}, {48, 48}, {160, 144}, {320, 408}, {128, 64}};
    const int width = sizes[h->size].width, height = sizes[h->size].height, pixels = width * height;
    const float noise = 1.0f / (1.45f * 1.45f), lerp = 0.2f;

    struct picture p = {width, height, HOST_ARRAY(h, uint8_t, 4 * pixels)};
    for (int i = 0; i < pixels; i++) {
        float x = (float)(i % width) / (float)width, y = (float)(i / width) / (float)height;
        bool disc = (x - 0.5f) * (x - 0.5f) + (y - 0.4f) * (y - 0.4f) < 0.06f;
        float clean[3] = {disc ? 0.8f : 0.2f + 0.4f * x, disc ? 0.3f : 0.3f + 0.3f * y,
                          disc ? 0.2f : 0.6f - 0.3f * x};
        for (int c = 0; c < 3; c++) {
            float speckle = (rng_f32(rng_next(&h->rng)) - 0.5f) * 0.3f;
            p.texels[4 * i + c] = (uint8_t)(255.0f * fminf(fmaxf(clean[c] + speckle, 0), 1));
        }
        p.texels[4 * i + 3] = 255;
    }

    uint64_t texels = host_upload(h, p.texels, 4 * (size_t)pixels);
    uint64_t texture = host_texture_rgba8(h, texels, (unsigned)width, (unsigned)height);
    uint64_t out = host_alloc(h, (size_t)pixels * sizeof(uint32_t));
    host_launch(h, "denoise_nlm", DIM(host_blocks((size_t)width, 16), host_blocks((size_t)height, 16)),
                DIM(16, 16), 0, ARG(out), ARG(texture), ARG(width), ARG(height), ARG(noise), ARG(lerp));
    const uint32_t *packed = host_output(h, out, (size_t)pixels * sizeof(uint32_t));
    if (h->failed) return;

    // A channel arrives as floor(255 * value). Compared at the middle of the step, a tolerance of 0.56/255
    // leaves a sixteenth of a step for the arithmetic.
    double *want = HOST_ARRAY(h, double, 3 * pixels);
    float *got = HOST_ARRAY(h, float, 3 * pixels);
    for (int i = 0; i < pixels; i++) {
        denoise(&p, i % width, i / width, (double)noise, (double)lerp, &want[3 * i]);
        for (int c = 0; c < 3; c++) got[3 * i + c] = ((float)(packed[i] >> 8 * c & 255) + 0.5f) / 255.0f;
    }
    host_compare_f32(h, "channel", got, want, 3 * (size_t)pixels, 1);
}

// Host side of kernels/dxtc.cu. The reference makes the same choices from independent sums. Non-integers are
// rounded as in the kernel, so the words must be equal.
#include "workload/host.h"

#include <math.h>
#include <stdlib.h>

enum { PIXELS = 16, THREADS = 64, MOST_CUTS = 1000 };

struct pixel {
    int channel[3];
    float place; // along the principal axis
    int number;
};

// Lists all cuts of the pixels, ordered along the principal axis, into four runs, some possibly empty. Cuts
// into a single run are left out: a cut must determine a pair of colours.
static int make_cuts(uint32_t *cuts)
{
    int count = 0;
    for (int first = 0; first <= PIXELS; first++)
        for (int second = first; second <= PIXELS; second++)
            for (int third = second; third <= PIXELS; third++) {
                uint32_t weights = 0;
                for (int i = 0; i < PIXELS; i++)
                    weights |= (uint32_t)((i < first) + (i < second) + (i < third)) << 2 * i;
                if (weights != (weights & 3) * 0x55555555u) cuts[count++] = weights;
            }
    return count;
}

static void find_places(struct pixel *pixels)
{
    int sum[3] = {0}, covariance[3][3] = {{0}};
    float axis[3] = {1, 1, 1};
    for (int i = 0; i < PIXELS; i++)
        for (int c = 0; c < 3; c++) sum[c] += pixels[i].channel[c];
    for (int i = 0; i < PIXELS; i++)
        for (int c = 0; c < 9; c++)
            covariance[c / 3][c % 3] += (PIXELS * pixels[i].channel[c / 3] - sum[c / 3]) *
                                        (PIXELS * pixels[i].channel[c % 3] - sum[c % 3]);
    for (int step = 0; step < 8; step++) {
        float next[3], largest = 0;
        for (int c = 0; c < 3; c++) {
            const int *row = covariance[c];
            next[c] = (float)row[2] * axis[2];
            next[c] = fmaf((float)row[0], axis[0], fmaf((float)row[1], axis[1], next[c]));
            largest = fmaxf(largest, fabsf(next[c]));
        }
        for (int c = 0; c < 3; c++) axis[c] = largest > 0 ? next[c] * (1 / largest) : 0;
    }
    for (int i = 0; i < PIXELS; i++) {
        const int *channel = pixels[i].channel;
        float last = (float)channel[2] * axis[2];
        pixels[i].place = fmaf((float)channel[0], axis[0], fmaf((float)channel[1], axis[1], last));
    }
}

static int by_place(const void *left, const void *right)
{
    const struct pixel *a = left, *b = right;
    return a->place != b->place ? (a->place < b->place ? -1 : 1) : a->number - b->number;
}

// Colour value 0 to 255 decoded from a level, a number of `bits` bits.
static int value_of(int level, int bits) { return level << (8 - bits) | level >> (2 * bits - 8); }

static int level_of(int numerator, int denominator, int bits)
{
    float value = fminf(fmaxf((float)numerator / (float)denominator, 0), 255);
    return (int)fmaf(value, (float)((1 << bits) - 1) / 255.0f, 0.5f);
}

// Finds the best pair of colours for the cut; returns nine times the sum of squared errors.
static int fit(const struct pixel *ordered, uint32_t weights, uint32_t colour[2])
{
    static const int bits[] = {5, 6, 5}, shift[] = {11, 5, 0};
    int error = 0;
    colour[0] = colour[1] = 0;
    for (int c = 0; c < 3; c++) {
        int squares[2] = {0}, both = 0, sum[2] = {0}, level[2], value[2];
        for (int i = 0; i < PIXELS; i++) {
            int w[2] = {(int)(weights >> 2 * i & 3), 3 - (int)(weights >> 2 * i & 3)};
            both += w[0] * w[1];
            for (int k = 0; k < 2; k++) {
                squares[k] += w[k] * w[k];
                sum[k] += w[k] * ordered[i].channel[c];
            }
        }
        for (int k = 0; k < 2; k++) {
            level[k] = level_of(3 * (sum[k] * squares[!k] - sum[!k] * both),
                                squares[0] * squares[1] - both * both, bits[c]);
            value[k] = value_of(level[k], bits[c]);
            colour[k] |= (uint32_t)level[k] << shift[c];
        }
        for (int i = 0; i < PIXELS; i++) {
            int w = (int)(weights >> 2 * i & 3);
            int difference = w * value[0] + (3 - w) * value[1] - 3 * ordered[i].channel[c];
            error += difference * difference;
        }
    }
    return error;
}

static void compress(struct pixel *pixels, const uint32_t *cuts, int cut_count, uint32_t out[2])
{
    static const uint32_t index_of[] = {1, 3, 2, 0}; // by weight
    uint32_t colour[2], best[2] = {0}, weights = 0;
    int least = -1;
    find_places(pixels);
    qsort(pixels, PIXELS, sizeof *pixels, by_place);
    for (int i = 0; i < cut_count; i++) {
        int error = fit(pixels, cuts[i], colour);
        if (least >= 0 && (error > least || (error == least && cuts[i] > weights))) continue;
        least = error;
        weights = cuts[i];
        best[0] = colour[0];
        best[1] = colour[1];
    }
    uint32_t swap = best[0] < best[1];
    out[0] = best[swap] | best[!swap] << 16;
    out[1] = 0;
    for (int i = 0; i < PIXELS && best[0] != best[1]; i++)
        out[1] |= (index_of[weights >> 2 * i & 3] ^ swap) << 2 * pixels[i].number;
}

// Makes an image of colour slopes with noise; the first square has a single colour.
static uint32_t *make_image(struct host *h, int width, int height)
{
    uint32_t *image = host_random_u32(h, (size_t)(width * height), 0);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t noise = x < 4 && y < 4 ? 0 : image[y * width + x] & 0x1f3f1f;
            uint32_t slope = (uint32_t)(x / 4 * 7 + y * 3) % 160;
            image[y * width + x] = noise + (slope | (200 - slope) << 8 | (slope / 2 + 50) << 16);
            if (x < 4 && y < 4) image[y * width + x] = 0x204060;
        }
    return image;
}

void workload_run_dxtc(struct host *h)
{
    static const int sides[] = {8, 48, 192, 128};
    int side = sides[h->size], squares = side / 4 * (side / 4);
    const size_t count = (size_t)squares * 2;
    uint32_t *cuts = HOST_ARRAY(h, uint32_t, MOST_CUTS), *want = HOST_ARRAY(h, uint32_t, count);
    int cut_count = make_cuts(cuts);
    const uint32_t *image = make_image(h, side, side);

    uint64_t out = host_alloc(h, count * sizeof(uint32_t));
    uint64_t device_image = host_upload(h, image, (size_t)(side * side) * sizeof(uint32_t));
    uint64_t device_cuts = host_upload(h, cuts, (size_t)cut_count * sizeof(uint32_t));
    host_launch(h, "dxt_compress", DIM((unsigned)squares), DIM(THREADS), 0, ARG(out), ARG(device_image),
                ARG(device_cuts), ARG(cut_count), ARG(side));
    const uint32_t *got = host_output(h, out, count * sizeof(uint32_t));
    if (h->failed) return;

    for (int square = 0; square < squares; square++) {
        struct pixel pixels[PIXELS];
        int corner = square / (side / 4) * 4 * side + square % (side / 4) * 4;
        for (int i = 0; i < PIXELS; i++) {
            uint32_t rgba = image[corner + i / 4 * side + i % 4];
            pixels[i] = (struct pixel){{rgba & 255, rgba >> 8 & 255, rgba >> 16 & 255}, 0, i};
        }
        compress(pixels, cuts, cut_count, want + (size_t)square * 2);
    }
    host_compare_u32(h, "word of a square", got, want, count);
}

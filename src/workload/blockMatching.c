// Host side of kernels/blockMatching.cu. The image is the previous image, moved by a few pixels and halved in
// brightness, with noise.
#include "workload/host.h"

#include <stdlib.h>

enum { SQUARE = 16, REACH = 16, PLACES = REACH * REACH, NOTHING = 0xffff };

struct image {
    const uint8_t *pixels;
    int width, height;
};

static int pixel(const struct image *i, int x, int y)
{
    return x >= 0 && x < i->width && y >= 0 && y < i->height ? i->pixels[y * i->width + x] : NOTHING;
}

// The displacement of the square with the smallest sum of differences, packed as in the kernel: the number of
// the displacement (`place`) in the 8 bits below the sum.
static uint32_t search(const struct image *now, const struct image *before, int left, int top)
{
    uint32_t best = UINT32_MAX;
    for (int place = 0; place < PLACES; place++) {
        int dx = place % REACH - REACH / 2, dy = place / REACH - REACH / 2, sum = 0;
        for (int y = 0; y < SQUARE; y++)
            for (int x = 0; x < SQUARE; x++)
                sum += abs(pixel(now, left + x, top + y) - pixel(before, left + x + dx, top + y + dy));
        uint32_t grade = (uint32_t)sum << 8 | (uint32_t)place;
        if (grade < best) best = grade;
    }
    return best;
}

static uint8_t *make_before(struct host *h, size_t count)
{
    const uint32_t *random = host_random_u32(h, count, 256);
    uint8_t *pixels = HOST_ARRAY(h, uint8_t, count);
    for (size_t i = 0; i < count; i++) pixels[i] = (uint8_t)random[i];
    return pixels;
}

static uint8_t *make_now(struct host *h, const struct image *before)
{
    const size_t count = (size_t)before->width * (size_t)before->height;
    const uint32_t *noise = host_random_u32(h, count, 8);
    uint8_t *pixels = HOST_ARRAY(h, uint8_t, count);
    for (int y = 0; y < before->height; y++)
        for (int x = 0; x < before->width; x++) {
            int from = pixel(before, x + 3, y - 2), at = y * before->width + x;
            pixels[at] = (uint8_t)((from == NOTHING ? 0 : from / 2) + (int)noise[at]);
        }
    return pixels;
}

void workload_run_blockMatching(struct host *h)
{
    static const struct {
        int columns, rows; // squares
    } sizes[] = {{3, 2}, {20, 15}, {80, 45}};
    const int columns = sizes[h->size].columns, rows = sizes[h->size].rows, width = columns * SQUARE,
              height = rows * SQUARE;
    const size_t count = (size_t)width * (size_t)height, squares = (size_t)columns * (size_t)rows,
                 bytes = squares * sizeof(uint32_t);
    const struct image before = {make_before(h, count), width, height};
    const struct image now = {make_now(h, &before), width, height};

    uint64_t device_now = host_upload(h, now.pixels, count),
             device_before = host_upload(h, before.pixels, count), best = host_alloc(h, bytes);
    host_launch(h, "block_matching", DIM((unsigned)columns, (unsigned)rows), DIM(SQUARE, SQUARE), 0,
                ARG(device_now), ARG(device_before), ARG(best), ARG(width), ARG(height));
    const uint32_t *got = host_output(h, best, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, squares);
    for (size_t i = 0; i < squares; i++)
        want[i] =
            search(&now, &before, (int)(i % (size_t)columns) * SQUARE, (int)(i / (size_t)columns) * SQUARE);
    host_compare_u32(h, "square", got, want, squares);
}

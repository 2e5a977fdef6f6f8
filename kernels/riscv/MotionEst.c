// Motion estimation by full search: for each square of an image and each place within a radius in the image before, the
// sum of absolute differences. Both images are in the scratchpad, the image before with zeros around it. The threads take
// pairs of a square and a place in turn.
#include "simt.h"

enum { LOG_SQUARE = 2, SQUARE = 1 << LOG_SQUARE, RADIUS = 4, REACH = 2 * RADIUS + 1, PLACES = REACH * REACH };

// A picture, and the part of it that is searched.
struct picture {
    int width, height;
    int left, top, log_width, log_height;
};

KERNEL_INLINED(motionest, struct picture picture; const unsigned *now, *before; unsigned *differences;)
{
    const int width = 1 << arg.picture.log_width, height = 1 << arg.picture.log_height;
    // A border of a warp's width on the left and right keeps rows aligned.
    const int pitch = width + 2 * SIMT_LANES;
    unsigned *const now = SHARED(unsigned, height * width);
    unsigned *const before = SHARED(unsigned, (height + 2 * RADIUS) * pitch);
    for (int y = 0; y < height; y++) {
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            now[y * width + x] = arg.now[(arg.picture.top + y) * arg.picture.width + arg.picture.left + x];
        simt_meet();
    }
    __syncthreads();
    for (int y = 0; y < height + 2 * RADIUS; y++) {
        for (int x = threadIdx.x; x < pitch; x += blockDim.x) {
            const int from_x = arg.picture.left + x - SIMT_LANES, from_y = arg.picture.top + y - RADIUS;
            const int is_outside =
                (from_x < 0) | (from_x >= arg.picture.width) | (from_y < 0) | (from_y >= arg.picture.height);
            CONVERGE(if (is_outside) before[y * pitch + x] = 0; else before[y * pitch + x] =
                         arg.before[from_y * arg.picture.width + from_x];);
        }
        simt_meet();
    }
    __syncthreads();
    const int squares_x = width >> LOG_SQUARE, squares = squares_x * (height >> LOG_SQUARE);
    for (int i = threadIdx.x; i < squares * PLACES; i += blockDim.x) {
        const int square = i / PLACES, place = i % PLACES;
        const int left = (square & (squares_x - 1)) << LOG_SQUARE;
        const int top = square >> (arg.picture.log_width - LOG_SQUARE) << LOG_SQUARE;
        const int from_y = place / REACH, from_x = left - RADIUS + SIMT_LANES + (place - from_y * REACH);
        unsigned sum = 0;
        for (int y = 0; y < SQUARE; y++)
            for (int x = 0; x < SQUARE; x++) {
                const unsigned *const row = now + (top + y) * width, *const from_row = before + (top + from_y + y) * pitch;
                int d = (int)(row[left + x] - from_row[from_x + x]);
                CONVERGE(if (d < 0) d = -d;);
                sum += (unsigned)d;
            }
        arg.differences[i] = sum;
    }
}

static unsigned pixel(const unsigned *image, int width, int height, int x, int y)
{
    return x < 0 || y < 0 || x >= width || y >= height ? 0 : image[y * width + x];
}

static unsigned difference(const unsigned *now, const unsigned *before, int width, int height, int square, int place)
{
    const int left = square % (width / SQUARE) * SQUARE, top = square / (width / SQUARE) * SQUARE;
    const int dx = place % REACH - RADIUS, dy = place / REACH - RADIUS;
    unsigned sum = 0;
    for (int y = top; y < top + SQUARE; y++)
        for (int x = left; x < left + SQUARE; x++) {
            unsigned a = now[y * width + x], b = pixel(before, width, height, x + dx, y + dy);
            sum += a < b ? b - a : a - b;
        }
    return sum;
}

int main(void)
{
    const int log_width = host_is_small() ? 3 : 6, width = 1 << log_width, height = width;
    const int count = width * height / (SQUARE * SQUARE) * PLACES;
    const size_t bytes = (size_t)(width * height) * sizeof(int);
    unsigned *now = host_alloc(bytes), *before = host_alloc(bytes);
    unsigned *differences = host_alloc((unsigned)count * sizeof(unsigned));
    struct random r = {1};
    for (int i = 0; i < width * height; i++) {
        now[i] = random_next(&r) & 255;
        before[i] = random_next(&r) & 255;
    }
    LAUNCH(motionest, dim(1, 1), dim(host_threads(), 1), .picture = {width, height, 0, 0, log_width, log_width},
           .now = now, .before = before, .differences = differences);
    for (int i = 0; i < count; i++) {
        unsigned want = difference(now, before, width, height, i / PLACES, i % PLACES);
        if (differences[i] != want) return host_report_wrong("MotionEst", (unsigned)i, differences[i], want);
    }
    return host_report_passed("MotionEst", (unsigned)width);
}

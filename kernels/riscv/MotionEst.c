// Motion estimation: for each square of an image the place within a radius in the image before that differs least (sum of
// absolute differences), by full search. Both images are in the scratchpad, the one before with a border that nothing is
// like; a thread has a square and some of its places.
#include "simt.h"

enum { SQUARE = 4, RADIUS = 4, REACH = 2 * RADIUS + 1, PLACES = REACH * REACH, NOTHING = 1 << 16 };

INLINE unsigned difference(const int *now, unsigned width, const int *before, unsigned before_width)
{
    unsigned sum = 0;
    for (unsigned y = 0; y < SQUARE; y++)
        for (unsigned x = 0; x < SQUARE; x++) {
            int d = now[y * width + x] - before[y * before_width + x];
            sum += (unsigned)(d < 0 ? -d : d);
        }
    return sum;
}

KERNEL(motionest, unsigned width, height; const int *now, *before; unsigned *place;)
{
    const unsigned pixels = arg.width * arg.height, squares = pixels / (SQUARE * SQUARE), groups = blockDim.x / squares;
    const unsigned before_width = arg.width + 2 * RADIUS, before_pixels = before_width * (arg.height + 2 * RADIUS);
    int *now = shared, *before = now + pixels;
    unsigned *grades = (unsigned *)(before + before_pixels); // of each thread's best
    for (unsigned i = threadIdx.x; i < pixels; i += blockDim.x) now[i] = arg.now[i];
    for (unsigned i = threadIdx.x; i < before_pixels; i += blockDim.x) {
        unsigned x = i % before_width - RADIUS, y = i / before_width - RADIUS;
        before[i] = x < arg.width && y < arg.height ? arg.before[y * arg.width + x] : NOTHING;
    }
    __syncthreads();
    // The difference and, below, the number of the place: the smaller the better.
    unsigned square = threadIdx.x % squares, best = ~0u;
    unsigned left = square % (arg.width / SQUARE) * SQUARE, top = square / (arg.width / SQUARE) * SQUARE;
    for (unsigned place = threadIdx.x / squares; place < PLACES; place += groups) {
        unsigned x = left + place % REACH, y = top + place / REACH;
        unsigned d = difference(now + top * arg.width + left, arg.width, before + y * before_width + x, before_width);
        best = (d << 8 | place) < best ? d << 8 | place : best;
    }
    grades[threadIdx.x] = best;
    __syncthreads();
    CONVERGE(if (threadIdx.x < squares) {
        for (unsigned k = 1; k < groups; k++) {
            unsigned g = grades[k * squares + threadIdx.x];
            best = g < best ? g : best;
        }
        arg.place[threadIdx.x] = best & 255;
    });
}

static unsigned search(const int *now, const int *before, unsigned width, unsigned height, unsigned square)
{
    const int left = (int)(square % (width / SQUARE)) * SQUARE, top = (int)(square / (width / SQUARE)) * SQUARE;
    unsigned best = ~0u;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int x = left + dx, y = top + dy, sum = 0;
            if (x < 0 || y < 0 || x + SQUARE > (int)width || y + SQUARE > (int)height) continue;
            for (int k = 0; k < SQUARE * SQUARE; k++) {
                int a = now[(top + k / SQUARE) * (int)width + left + k % SQUARE];
                int b = before[(y + k / SQUARE) * (int)width + x + k % SQUARE];
                sum += a < b ? b - a : a - b;
            }
            unsigned g = (unsigned)sum << 8 | (unsigned)((dy + RADIUS) * REACH + dx + RADIUS);
            if (g < best) best = g;
        }
    return best & 255;
}

int main(void)
{
    const unsigned width = host_is_small() ? 8 : 64, height = width, squares = width * height / (SQUARE * SQUARE);
    int *now = host_alloc(width * height * sizeof(int)), *before = host_alloc(width * height * sizeof(int));
    unsigned *place = host_alloc(squares * sizeof(unsigned));
    struct random r = {1};
    for (unsigned i = 0; i < width * height; i++) {
        now[i] = (int)(random_next(&r) & 255);
        before[i] = (int)(random_next(&r) & 255);
    }
    LAUNCH(motionest, dim(1, 1), dim(SIMT_THREADS, 1), .width = width, .height = height, .now = now, .before = before,
           .place = place);
    for (unsigned i = 0; i < squares; i++) {
        unsigned want = search(now, before, width, height, i);
        if (place[i] != want) return host_report_wrong("MotionEst", i, place[i], want);
    }
    return host_report_passed("MotionEst", width);
}

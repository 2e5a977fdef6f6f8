// Tracks points on the wall of a heart from frame to frame of an ultrasound film by template matching (after Szafaryn et al. 2009,
// much reduced): a block a point, 512 threads, looks at the window around the point's last place for where the point's
// template fits best by normalised correlation. All numbers before the correlation itself are integers.
//
//      window    41x41 pixels around the last place
//      template  17x17 pixels, at 25x25 places in the window
#include "device.h"

#define THREADS 512
#define SIDE    17
#define PLACES  25 // in a row of places; odd
#define WINDOW  (SIDE + PLACES - 1)
#define TEXELS  (SIDE * SIDE)

struct point {
    int x, y; // of the template's upper left corner
};

// Sums over a column of SIDE pixels that starts at each of the PLACES rows, of values and of squares.
struct columns {
    int values[PLACES][WINDOW], squares[PLACES][WINDOW];
};

__device__ __forceinline__ void sum_columns(columns *sums, const unsigned char *window, int x)
{
    int values = 0, squares = 0;
    for (int y = 0; y < WINDOW; y++) {
        int pixel = window[y * WINDOW + x];
        values += pixel;
        squares += pixel * pixel;
        if (y >= SIDE - 1) {
            int first = window[(y - SIDE + 1) * WINDOW + x];
            sums->values[y - SIDE + 1][x] = values;
            sums->squares[y - SIDE + 1][x] = squares;
            values -= first;
            squares -= first * first;
        }
    }
}

// TEXELS² times a covariance or a variance, exactly, and then rounded.
__device__ __forceinline__ float moment(int products, int a, int b)
{
    return (float)((long long)TEXELS * products - (long long)a * b);
}

__device__ __forceinline__ float correlation(const columns *sums, const unsigned char *window,
                                             const unsigned char *texels, int place, int sum, float variance)
{
    int x = place % PLACES, y = place / PLACES, values = 0, squares = 0, products = 0;
    for (int i = 0; i < SIDE; i++) {
        values += sums->values[y][x + i];
        squares += sums->squares[y][x + i];
    }
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) products += texels[i * SIDE + k] * window[(y + i) * WINDOW + x + k];
    float spread = variance * moment(squares, values, values);
    return spread > 0.0f ? moment(products, values, sum) / sqrtf(spread) : 0.0f;
}

// templates: TEXELS bytes a point; correlations: PLACES² a point; the points move.
KERNEL void heartwall_track(point *points, float *correlations, const unsigned char *frame,
                            const unsigned char *templates, int width, int height)
{
    __shared__ unsigned char window[WINDOW * WINDOW], texels[TEXELS];
    __shared__ columns sums;
    __shared__ union { // first of the template, then of the best place
        struct {
            int values[THREADS], squares[THREADS];
        } sum;
        struct {
            float scores[THREADS];
            int places[THREADS];
        } best;
    } tree;
    int *const values = tree.sum.values, *const squares = tree.sum.squares, *const places = tree.best.places;
    float *const scores = tree.best.scores;
    const int tid = threadIdx.x;
    const point last = points[blockIdx.x];

    for (int i = tid; i < WINDOW * WINDOW; i += THREADS) { // beyond the frame's edge: as at the edge
        int x = last.x - PLACES / 2 + i % WINDOW, y = last.y - PLACES / 2 + i / WINDOW;
        window[i] = frame[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
    }
    int texel = tid < TEXELS ? templates[blockIdx.x * TEXELS + tid] : 0;
    if (tid < TEXELS) texels[tid] = (unsigned char)texel;
    values[tid] = texel;
    squares[tid] = texel * texel;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) {
            values[tid] += values[tid + half];
            squares[tid] += squares[tid + half];
        }
    }
    __syncthreads();
    if (tid < WINDOW) sum_columns(&sums, window, tid);
    __syncthreads();

    const int sum = values[0];
    const float variance = moment(squares[0], sum, sum);
    __syncthreads();
    scores[tid] = -2.0f;
    for (int place = tid; place < PLACES * PLACES; place += THREADS) {
        float score = correlation(&sums, window, texels, place, sum, variance);
        correlations[blockIdx.x * PLACES * PLACES + place] = score;
        if (score <= scores[tid]) continue;
        scores[tid] = score;
        places[tid] = place;
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        float score = scores[tid + half];
        int place = places[tid + half];
        if (score < scores[tid] || (score == scores[tid] && place > places[tid])) continue;
        scores[tid] = score;
        places[tid] = place;
    }
    if (tid > 0) return;
    points[blockIdx.x].x = last.x - PLACES / 2 + places[0] % PLACES;
    points[blockIdx.x].y = last.y - PLACES / 2 + places[0] / PLACES;
}

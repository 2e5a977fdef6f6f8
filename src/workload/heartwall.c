// Host side of kernels/heartwall.cu: a film of noisy textures of 17x17 pixels wandering over a background.
#include "workload/host.h"

#include <math.h>
#include <string.h>

enum {
    SIDE = 17,
    PLACES = 25,
    REACH = PLACES / 2,
    TEXELS = SIDE * SIDE,
    MAP = PLACES * PLACES,
    PITCH = 48, // side of a point's square in the frame: room for its template and REACH pixels around
    IN_ROW = 8,
    THREADS = 512
};

struct point { // as in the kernel's source
    int x, y;
};

struct film {
    int points, width, height;
    struct point *places; // of the templates in the frame
    uint8_t *background, *templates, *frame;
};

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

static uint8_t *random_bytes(struct host *h, size_t count)
{
    uint8_t *bytes = HOST_ARRAY(h, uint8_t, count);
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)rng_below(&h->rng, 256);
    return bytes;
}

static struct film make_film(struct host *h, int points)
{
    struct film f = {.points = points,
                     .width = (points < IN_ROW ? points : IN_ROW) * PITCH,
                     .height = (points + IN_ROW - 1) / IN_ROW * PITCH};
    const size_t pixels = (size_t)(f.width * f.height);
    f.background = random_bytes(h, pixels);
    f.templates = random_bytes(h, (size_t)(points * TEXELS));
    f.frame = HOST_ARRAY(h, uint8_t, pixels);
    f.places = HOST_ARRAY(h, struct point, points);
    for (int i = 0; i < points; i++)
        f.places[i] = (struct point){i % IN_ROW * PITCH + REACH, i / IN_ROW * PITCH + REACH};
    return f;
}

// Makes the next frame: each template moves by up to four pixels in x and in y, inside its square. Every
// pixel gets noise.
static void next_frame(struct host *h, struct film *f)
{
    const size_t pixels = (size_t)(f->width * f->height);
    memcpy(f->frame, f->background, pixels);
    for (int i = 0; i < f->points; i++) {
        struct point *p = &f->places[i];
        int left = i % IN_ROW * PITCH, top = i / IN_ROW * PITCH;
        p->x = clamp(p->x + (int)rng_below(&h->rng, 9) - 4, left, left + PITCH - SIDE);
        p->y = clamp(p->y + (int)rng_below(&h->rng, 9) - 4, top, top + PITCH - SIDE);
        for (int y = 0; y < SIDE; y++)
            memcpy(f->frame + (p->y + y) * f->width + p->x, f->templates + i * TEXELS + y * SIDE, SIDE);
    }
    for (size_t i = 0; i < pixels; i++)
        f->frame[i] = (uint8_t)clamp(f->frame[i] + (int)rng_below(&h->rng, 33) - 16, 0, 255);
}

// Correlation of the template with the pixels at upper left corner (left, top).
static double correlation(const struct film *f, const uint8_t *texels, int left, int top)
{
    double pixels[TEXELS], means[2] = {0}, products = 0, squares[2] = {0};
    for (int i = 0; i < TEXELS; i++) {
        int x = clamp(left + i % SIDE, 0, f->width - 1), y = clamp(top + i / SIDE, 0, f->height - 1);
        pixels[i] = f->frame[y * f->width + x];
        means[0] += texels[i] / (double)TEXELS;
        means[1] += pixels[i] / TEXELS;
    }
    for (int i = 0; i < TEXELS; i++) {
        double a = texels[i] - means[0], b = pixels[i] - means[1];
        products += a * b;
        squares[0] += a * a;
        squares[1] += b * b;
    }
    return products / sqrt(squares[0] * squares[1]);
}

// Moves the point to the best fit of its template within REACH; fills *map with the correlation at every
// place.
static void track(const struct film *f, int number, struct point *point, double *map)
{
    const struct point corner = {point->x - REACH, point->y - REACH};
    int best = 0;
    for (int i = 0; i < MAP; i++) {
        map[i] = correlation(f, f->templates + number * TEXELS, corner.x + i % PLACES, corner.y + i / PLACES);
        if (map[i] > map[best]) best = i;
    }
    *point = (struct point){corner.x + best % PLACES, corner.y + best / PLACES};
}

void workload_run_heartwall(struct host *h)
{
    static const struct {
        int points, frames;
    } sizes[] = {{2, 2}, {20, 4}, {51, 20}, {51, 1}};
    const int points = sizes[h->size].points;
    struct film film = make_film(h, points);
    const size_t pixels = (size_t)(film.width * film.height), count = (size_t)points * MAP;
    const size_t bytes = (size_t)points * sizeof(struct point);
    struct point *want = HOST_ARRAY(h, struct point, points);
    double *want_map = HOST_ARRAY(h, double, count);
    memcpy(want, film.places, bytes);

    uint64_t device_points = host_upload(h, want, bytes), map = host_alloc(h, count * sizeof(float));
    uint64_t frame = host_alloc(h, pixels),
             templates = host_upload(h, film.templates, (size_t)points * TEXELS);
    for (int i = 0; i < sizes[h->size].frames && !h->failed; i++) {
        next_frame(h, &film);
        host_write(h, frame, film.frame, pixels);
        host_launch(h, "heartwall_track", DIM((unsigned)points), DIM(THREADS), 0, ARG(device_points),
                    ARG(map), ARG(frame), ARG(templates), ARG(film.width), ARG(film.height));
        const float *got_map = host_output(h, map, count * sizeof(float));
        const uint32_t *got = host_output(h, device_points, bytes);
        for (int p = 0; p < points; p++) track(&film, p, &want[p], want_map + (size_t)p * MAP);
        host_compare_f32(h, "correlation", got_map, want_map, count, 1);
        host_compare_u32(h, "coordinate of a point", got, (const uint32_t *)want, 2 * (size_t)points);
        host_compare_u32(h, "coordinate in the film", got, (const uint32_t *)film.places, 2 * (size_t)points);
    }
}

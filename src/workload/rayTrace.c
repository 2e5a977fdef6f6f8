// Host side of kernels/rayTrace.cu. The reference recurses for a mirrored ray. Floats are rounded as in the
// kernel, so pixels must be equal.
#include "workload/host.h"

#include <math.h>

enum { SPHERES = 8, BOUNCES = 5, BLOCK_X = 16, BLOCK_Y = 12 };

struct sphere { // as in the kernel's source
    float centre[3], radius, colour[3], mirror;
};

struct scene {
    struct sphere spheres[SPHERES];
    float light[3];
};

static float product(const float *a, const float *b)
{
    float last = a[2] * b[2];
    return fmaf(a[0], b[0], fmaf(a[1], b[1], last));
}

static void go(float *out, const float *from, float distance, const float *to)
{
    for (int i = 0; i < 3; i++) out[i] = fmaf(distance, to[i], from[i]);
}

// Distance along the ray (origin `from`, direction `to`) to the sphere; 0: the ray misses, or begins inside
// or past the sphere.
static float reach(const struct sphere *s, const float *from, const float *to)
{
    float way[3];
    for (int i = 0; i < 3; i++) way[i] = s->centre[i] - from[i];
    float middle = product(way, to), rest = fmaf(s->radius, s->radius, -product(way, way));
    float square = fmaf(middle, middle, rest);
    return square < 0 ? 0 : fmaxf(middle - sqrtf(square), 0);
}

static bool lit(const struct scene *scene, const float *at)
{
    for (int i = 0; i < SPHERES; i++)
        if (reach(&scene->spheres[i], at, scene->light) > 0) return false;
    return true;
}

static void trace(const struct scene *scene, const float *from, const float *to, float weight, int bounce,
                  float *sum)
{
    static const float bright_field[] = {0.9f, 0.9f, 0.8f}, dark_field[] = {0.1f, 0.1f, 0.2f};
    static const float up[] = {0, 1, 0};
    const struct sphere *met = NULL;
    float nearest = to[1] < 0 ? from[1] / -to[1] : 1e9f;
    if (bounce > BOUNCES || weight <= 1 / 32.0f) return;
    for (int i = 0; i < SPHERES; i++) {
        float distance = reach(&scene->spheres[i], from, to);
        if (distance == 0 || distance >= nearest) continue;
        nearest = distance;
        met = &scene->spheres[i];
    }
    if (nearest >= 1000) {
        go(sum, sum, weight, (const float[]){0.4f, 0.6f, fmaf(0.25f, fabsf(to[1]), 0.7f)});
        return;
    }

    float at[3], normal[3], start[3], mirrored[3], shine = 0, bright = 0.2f;
    go(at, from, nearest, to);
    for (int i = 0; i < 3; i++) normal[i] = met ? (at[i] - met->centre[i]) / met->radius : up[i];
    bool dark = ((int)floorf(at[0]) + (int)floorf(at[2])) % 2 != 0;
    go(start, at, 0.001f, normal);
    go(mirrored, to, -2 * product(to, normal), normal);
    if (lit(scene, start)) {
        shine = fmaxf(product(mirrored, scene->light), 0);
        for (int i = 0; i < 4; i++) shine *= shine;
        bright = fmaf(0.8f, fmaxf(product(normal, scene->light), 0), bright);
    }
    float mirror = met ? met->mirror : 0.25f, own = weight * (1 - mirror);
    go(sum, sum, own * bright, met ? met->colour : dark ? dark_field : bright_field);
    go(sum, sum, weight, (const float[]){shine, shine, shine});
    trace(scene, start, mirrored, weight * mirror, bounce + 1, sum);
}

static uint32_t pixel(const struct scene *scene, int x, int y, int width, int height)
{
    const float eye[] = {0, 3, -9};
    float to[] = {(float)(2 * x + 1 - width) / (float)width,
                  (float)(height - 1 - 2 * y) / (float)width - 0.125f, 1.5f};
    float size = sqrtf(product(to, to)), sum[3] = {0};
    uint32_t colour = 0;
    for (int i = 0; i < 3; i++) to[i] /= size;
    trace(scene, eye, to, 1, 0, sum);
    for (int i = 0; i < 3; i++) colour |= (uint32_t)fmaf(fminf(sum[i], 1), 255, 0.5f) << 8 * i;
    return colour;
}

void workload_run_rayTrace(struct host *h)
{
    static const struct {
        int width, height;
    } sizes[] = {{50, 40}, {256, 192}, {1000, 800}, {256, 384}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const size_t count = (size_t)(width * height);

    struct scene scene = {.light = {-0.48f, 0.64f, -0.6f}};
    for (int i = 0; i < SPHERES; i++) { // two rows of four spheres, each sphere in its own square
        const float *r = host_random_f32(h, 7, 0, 1);
        float radius = 0.5f + 0.7f * r[0];
        scene.spheres[i] = (struct sphere){
            {(float)(i % 4 * 3) - 4.8f + 0.6f * r[1], radius + r[2], (float)(i / 4 * 4) - 2 + r[3]},
            radius,
            {r[4], r[5], r[6]},
            0.2f + 0.08f * (float)i};
    }
    host_set_symbol(h, "spheres", scene.spheres, sizeof scene.spheres);
    host_set_symbol(h, "light", scene.light, sizeof scene.light);
    uint64_t out = host_alloc(h, count * sizeof(uint32_t));
    host_launch(h, "ray_trace",
                DIM(host_blocks((size_t)width, BLOCK_X), host_blocks((size_t)height, BLOCK_Y)),
                DIM(BLOCK_X, BLOCK_Y), 0, ARG(out), ARG(width), ARG(height));
    const uint32_t *got = host_output(h, out, count * sizeof(uint32_t));

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) want[y * width + x] = pixel(&scene, x, y, width, height);
    host_compare_u32(h, "pixel", got, want, count);
}

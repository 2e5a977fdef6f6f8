// A scene of mirroring spheres over a plane, a ray a thread from the eye through a pixel (Whitted 1980). A ray goes on from where
// it is mirrored, up to five times: recursion by depth made a loop, which a thread leaves when its ray leaves the scene or has
// too little weight left.
//
// Sums of products are written with fmaf, and nothing else can be contracted: the reference on the CPU rounds as this does, and
// the pixels have to be equal.
#include "device.h"

#define SPHERES 8
#define BOUNCES 5

struct sphere {
    float x, y, z, radius;
    float red, green, blue, mirror; // mirror: the part of a ray's weight that goes on
};

struct light { // where it comes from, a unit vector
    float x, y, z;
};

__constant__ struct sphere spheres[SPHERES];
__constant__ struct light light;

struct ray {
    float3 from, to; // to: a unit vector
};

struct surface {
    float3 colour, at, normal;
    float mirror;
};

__device__ __forceinline__ float dot(float3 a, float3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

__device__ __forceinline__ float3 along(float3 from, float distance, float3 to)
{
    return make_float3(fmaf(distance, to.x, from.x), fmaf(distance, to.y, from.y), fmaf(distance, to.z, from.z));
}

// Where the ray meets the sphere's outside; negative where it does not.
__device__ __forceinline__ float distance_to(const struct ray *ray, const struct sphere *s)
{
    float3 way = make_float3(s->x - ray->from.x, s->y - ray->from.y, s->z - ray->from.z);
    float middle = dot(way, ray->to);
    float square = fmaf(middle, middle, fmaf(s->radius, s->radius, -dot(way, way)));
    return square < 0.0f ? -1.0f : middle - sqrtf(square);
}

// What the ray meets first; false: the sky.
__device__ __forceinline__ bool meets(const struct ray *ray, struct surface *found)
{
    float nearest = ray->to.y < 0.0f ? ray->from.y / -ray->to.y : 1e9f; // the plane y = 0
    int sphere = -1;
    for (int i = 0; i < SPHERES; i++) {
        float distance = distance_to(ray, &spheres[i]);
        if (distance <= 0.0f || distance >= nearest) continue;
        nearest = distance;
        sphere = i;
    }
    if (nearest >= 1000.0f) return false;
    found->at = along(ray->from, nearest, ray->to);
    if (sphere < 0) {
        bool dark = ((int)floorf(found->at.x) + (int)floorf(found->at.z)) & 1;
        found->colour = dark ? make_float3(0.1f, 0.1f, 0.2f) : make_float3(0.9f, 0.9f, 0.8f);
        found->normal = make_float3(0.0f, 1.0f, 0.0f);
        found->mirror = 0.25f;
        return true;
    }
    const struct sphere *s = &spheres[sphere];
    found->colour = make_float3(s->red, s->green, s->blue);
    found->normal = make_float3((found->at.x - s->x) / s->radius, (found->at.y - s->y) / s->radius,
                                (found->at.z - s->z) / s->radius);
    found->mirror = s->mirror;
    return true;
}

__device__ __forceinline__ bool in_shadow(float3 at)
{
    struct ray ray = {at, make_float3(light.x, light.y, light.z)};
    for (int i = 0; i < SPHERES; i++)
        if (distance_to(&ray, &spheres[i]) > 0.0f) return true;
    return false;
}

__device__ __forceinline__ unsigned byte_of(float part) { return (unsigned)fmaf(fminf(part, 1.0f), 255.0f, 0.5f); }

// The eye is at (0, 3, -9) and looks along z at a screen of width 2; out: a word a pixel, red lowest.
KERNEL void ray_trace(unsigned *out, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float3 screen = make_float3((float)(2 * column + 1 - width) / (float)width,
                                (float)(height - 1 - 2 * row) / (float)width - 0.125f, 1.5f);
    float size = sqrtf(dot(screen, screen)), weight = 1.0f;
    struct ray ray = {make_float3(0.0f, 3.0f, -9.0f), make_float3(screen.x / size, screen.y / size, screen.z / size)};
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);

    for (int bounce = 0; bounce <= BOUNCES && weight > 0.03125f; bounce++) {
        struct surface met;
        if (!meets(&ray, &met)) {
            sum = along(sum, weight, make_float3(0.4f, 0.6f, fmaf(0.25f, fabsf(ray.to.y), 0.7f)));
            break;
        }
        float3 start = along(met.at, 0.001f, met.normal); // off the surface
        float3 mirrored = along(ray.to, -2.0f * dot(ray.to, met.normal), met.normal);
        float bright = 0.2f, shine = 0.0f;
        if (!in_shadow(start)) {
            float3 to_light = make_float3(light.x, light.y, light.z);
            shine = fmaxf(dot(mirrored, to_light), 0.0f);
            for (int i = 0; i < 4; i++) shine *= shine;
            bright = fmaf(0.8f, fmaxf(dot(met.normal, to_light), 0.0f), bright);
        }
        sum = along(sum, weight * (1.0f - met.mirror) * bright, met.colour);
        sum = along(sum, weight, make_float3(shine, shine, shine));
        weight *= met.mirror;
        ray.from = start;
        ray.to = mirrored;
    }
    out[row * width + column] = byte_of(sum.x) | byte_of(sum.y) << 8 | byte_of(sum.z) << 16;
}

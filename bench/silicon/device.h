// What a script is played on: a CUDA device (cuda.c), or a stand-in for tests. Functions return false and leave why.
#pragma once
#include "cli/spec.h"

struct device_texture {
    const struct spec *spec; // type, extents
    const void *texels;
    bool linear, normalised, unit; // filter; coordinates; integers read as 0 to 1
    enum { DEVICE_CLAMP, DEVICE_WRAP, DEVICE_MIRROR, DEVICE_BORDER } address;
};

struct device_launch {
    const char *kernel; // of the module loaded last
    uint32_t grid[3], block[3], shared_bytes;
    void *arguments[72]; // values, by the kernel's own types
    unsigned count;
};

struct device_time {
    double microseconds, mhz; // of the launch; of the SMs about it
};

struct device {
    bool (*load)(struct device *d, const char *name); // a file of silicon/kernels, without its ending
    bool (*allocate)(struct device *d, uint64_t bytes, uint64_t *address);
    bool (*write)(struct device *d, uint64_t address, const void *from, uint64_t bytes);
    bool (*copy)(struct device *d, uint64_t to, uint64_t from, uint64_t bytes);
    bool (*texture)(struct device *d, const struct device_texture *t, uint64_t *handle);
    bool (*variable)(struct device *d, const char *name, uint64_t *address, uint64_t *bytes);
    bool (*launch)(struct device *d, const struct device_launch *l, struct device_time *time);
    void (*clear)(struct device *d);            // gives back modules, memory and textures
    void (*profile)(struct device *d, bool on); // a profiler's range begins or ends
    char name[256], why[256];
};

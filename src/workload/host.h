// Toolkit for the host side of a bundled workload, private to workload/: inputs, device memory, launches and
// comparison with the CPU's reference, over the public API.
//
// A `struct host` is one run. The first failing call marks the run as failed, with the message in the
// context. Every later call on the device does nothing, and fetched memory is zero. A workload therefore
// reads straight down without error checks; before a reference of several seconds it tests `failed`. Memory
// handed out lives until the end of the run. Device addresses and texture handles are plain 64-bit numbers.
#pragma once
#include "base/arena.h"
#include "base/rng.h"
#include "base/vec.h"
#include "workload/workload.h"

struct host {
    const struct workload *workload;
    const struct workload_options *options;
    enum workload_size size; // = options->size
    struct wf_context *context;
    struct wf_module *module;
    struct workload_result *result;
    enum wf_status status; // of the first failing call
    bool failed;
    struct arena arena;
    struct rng rng;            // source of all inputs, in order of creation
    VEC(uint64_t) allocations; // on the device
};

struct host_dim {
    unsigned extent[3]; // x, y, z; 0 stands for 1
};

// A kernel argument and its size.
struct host_arg {
    union {
        int32_t s32;
        uint32_t u32;
        uint64_t u64;
        float f32;
    } value;
    size_t size_bytes;
};

static inline struct host_arg host_arg_s32(int32_t v) { return (struct host_arg){{.s32 = v}, 4}; }
static inline struct host_arg host_arg_u32(uint32_t v) { return (struct host_arg){{.u32 = v}, 4}; }
static inline struct host_arg host_arg_u64(uint64_t v) { return (struct host_arg){{.u64 = v}, 8}; }
static inline struct host_arg host_arg_f32(float v) { return (struct host_arg){{.f32 = v}, 4}; }

#define DIM(...) ((struct host_dim){{__VA_ARGS__}})
// clang-format off
#define ARG(v) \
    _Generic((v), int32_t: host_arg_s32, uint32_t: host_arg_u32, uint64_t: host_arg_u64, float: host_arg_f32)(v)
// clang-format on

// Host memory, zeroed.
#define HOST_ARRAY(h, type, count) ARENA_ARRAY(&(h)->arena, type, count)

// Inputs: uniform in [low, high), and integers below bound.
float *host_random_f32(struct host *h, size_t count, float low, float high);
uint32_t *host_random_u32(struct host *h, size_t count, uint32_t bound); // bound 0: all 32 bits

// Device memory: zeroed, or a copy. host_alloc: for a kernel's output, never written for the checker; host_zero: the zeros
// are written.
uint64_t host_alloc(struct host *h, size_t size_bytes);
uint64_t host_zero(struct host *h, size_t size_bytes);
uint64_t host_upload(struct host *h, const void *bytes, size_t size_bytes);
void host_write(struct host *h, uint64_t address, const void *bytes, size_t size_bytes);
// Writes the beginning of a module variable.
void host_set_symbol(struct host *h, const char *name, const void *bytes, size_t size_bytes);
// A texture over device memory: point sampling, texel coordinates, clamped at the border.
uint64_t host_texture_f32(struct host *h, uint64_t texels, unsigned width, unsigned height);
uint64_t host_texture_rgba8(struct host *h, uint64_t texels, unsigned width, unsigned height); // reads 0 to 1

// host_launch(h, "vecadd", DIM(blocks), DIM(256), dynamic shared bytes, ARG(a), ARG(b), …)
#define host_launch(h, kernel, grid, block, shared_bytes, ...)                                               \
    host_launch_args(h, kernel, grid, block, shared_bytes, (const struct host_arg[]){__VA_ARGS__},           \
                     sizeof((const struct host_arg[]){__VA_ARGS__}) / sizeof(struct host_arg))
void host_launch_args(struct host *h, const char *kernel, struct host_dim grid, struct host_dim block,
                      size_t shared_bytes, const struct host_arg *args, size_t count);

// Fetches device memory. The bytes of host_output also enter the output hash, for the comparison of runs.
void *host_fetch(struct host *h, uint64_t address, size_t size_bytes);
void *host_output(struct host *h, uint64_t address, size_t size_bytes);

// Compare with the reference within the workload's tolerance; `scale` as in workload.def. Integers must be
// equal.
void host_compare_f32(struct host *h, const char *what, const float *got, const double *want, size_t count,
                      double scale);
void host_compare_u32(struct host *h, const char *what, const uint32_t *got, const uint32_t *want,
                      size_t count);

static inline unsigned host_blocks(size_t items, unsigned per_block) // rounded up
{
    return (unsigned)((items + per_block - 1) / per_block);
}

// Launches of generated kernels by the library's public face.
#pragma once
#include "api/warpfold.h"
#include "generator/generator.h"

// Device addresses of the kernel's buffers.
struct generated_memory {
    uint64_t in, out, acc;
    size_t out_bytes;
};

// Allocates and fills the kernel's buffers, and launches the kernel; `memory` may be NULL.
enum wf_status generated_launch(struct wf_context *c, struct wf_kernel *k, const struct generated *g,
                                struct generated_memory *memory, struct wf_stats *stats);

// Launches of generated kernels by the library's public face.
#pragma once
#include "api/warpfold.h"
#include "generator/generator.h"

// Where its parameters point.
struct generated_memory {
    uint64_t in, out, acc;
    size_t out_bytes;
};

// Allocates and fills what the kernel works on, and launches it; `memory` may be NULL.
enum wf_status generated_launch(struct wf_context *c, struct wf_kernel *k, const struct generated *g,
                                struct generated_memory *memory, struct wf_stats *stats);

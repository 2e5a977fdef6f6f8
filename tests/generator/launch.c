#include "generator/launch.h"

#include <string.h>

enum wf_status generated_launch(struct wf_context *c, struct wf_kernel *k, const struct generated *g,
                                struct generated_memory *memory, struct wf_stats *stats)
{
    enum { OUT_BYTES = 1 << 20 };
    uint8_t in[GENERATOR_IN_BYTES], params[GENERATOR_PARAMS_MAX];
    struct generated_memory at = {wf_alloc(c, sizeof in), 0, wf_alloc(c, GENERATOR_ACC_BYTES), OUT_BYTES};
    at.out = wf_alloc(c, OUT_BYTES);
    generator_input(g->seed, in);
    wf_write(c, at.in, in, sizeof in);
    wf_fill(c, at.acc, 0, 4, GENERATOR_ACC_BYTES / 4);
    generator_params(g, at.in, at.out, at.acc, params);
    struct wf_launch_config shape = {0};
    memcpy(shape.grid, g->grid, sizeof shape.grid);
    memcpy(shape.block, g->block, sizeof shape.block);
    if (memory) *memory = at;
    return wf_launch_packed(k, &shape, params, generator_param_bytes(g), stats);
}

// What a what-if run changes in the program or its launches.
#pragma once
#include "api/warpfold.h"
#include "base/str.h"

struct session_change {
    const char *const (*rewrites)[2]; // texts of PTX and their replacements; static
    size_t rewrite_count;
    uint32_t whole_waves; // SMs: grids lose the blocks of a last wave that is not full; 0: grids stay
    uint32_t
        whole_warps; // lanes: blocks of one dimension lose the threads of a last warp that is not full; 0: blocks stay
};

// Appends the text with every replacement of the change.
void change_text(const struct session_change *c, const char *text, struct strbuf *out);
// Removes threads of a partial warp from the block, and the blocks of a partial wave from the grid: of a grid with less
// than a wave, of blocks beyond a multiple of the SMs. Blocks go from the last dimension with more than one. c NULL: no change.
void change_shape(const struct session_change *c, struct wf_kernel *kernel, struct wf_launch_config *shape);

#include "cli/change.h"

#include <string.h>

void change_text(const struct session_change *c, const char *text, struct strbuf *out)
{
    while (*text) {
        size_t taken = 0;
        for (size_t i = 0; i < c->rewrite_count && !taken; i++) {
            if (!str_starts_with(text, c->rewrites[i][0])) continue;
            strbuf_puts(out, c->rewrites[i][1]);
            taken = strlen(c->rewrites[i][0]);
        }
        if (!taken) strbuf_putc(out, *text);
        text += taken ? taken : 1;
    }
}

void change_shape(const struct session_change *c, struct wf_kernel *kernel, struct wf_launch_config *shape)
{
    struct wf_occupancy o;
    uint64_t sms = c ? c->whole_waves : 0,
             blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    uint32_t lanes = c ? c->whole_warps : 0;
    if (lanes && shape->block[0] > lanes && shape->block[1] * shape->block[2] == 1)
        shape->block[0] -= shape->block[0] % lanes;
    if (!sms || !wf_occupancy_at(kernel, shape, 0, &o) || !o.blocks || blocks < sms) return;
    uint64_t wave = blocks < sms * o.blocks ? sms : sms * o.blocks, kept = blocks / wave * wave;
    unsigned axis = shape->grid[2] > 1 ? 2 : shape->grid[1] > 1 ? 1 : 0;
    uint64_t layer = blocks / shape->grid[axis], layers = (kept + layer / 2) / layer;
    shape->grid[axis] = (uint32_t)(layers ? layers : 1);
}

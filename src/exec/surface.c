// Addresses of surface accesses (PTX ISA 9.7.11): rows of texels, x in bytes. The access itself is a load, store or
// reduction of global memory.
#include "exec/texture.h"
#include "isa/bank.h"

// The nearest place inside at which `bytes` end within the extent; *inside becomes false if that is another.
static uint64_t nearest(int32_t at, uint64_t extent, uint64_t bytes, bool *inside)
{
    int64_t last = (int64_t)(extent < bytes ? 0 : extent - bytes);
    if (at >= 0 && at <= last) return (uint64_t)at;
    *inside = false;
    return at < 0 ? 0 : (uint64_t)last;
}

static uint64_t address_of(const struct texture *s, const struct inst *i, const uint32_t x[3], bool *inside)
{
    uint64_t extents[3] = {(uint64_t)s->width * s->channels * isa_type_bytes(s->type),
                           s->height ? s->height : 1, s->depth ? s->depth : 1};
    uint64_t at[3] = {0};
    unsigned count = texture_dimensions(i);
    *inside = true;
    for (unsigned k = 0; k < count; k++) {
        // the layer of an array of rows stands behind x
        unsigned axis = k == 1 && s->layered && !s->height ? 2 : k;
        at[axis] = nearest((int32_t)x[k], extents[axis], k ? 1 : i->shift, inside);
    }
    return s->data + (at[2] * extents[1] + at[1]) * s->pitch_bytes + at[0];
}

const struct bound *exec_surface(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    uint32_t low[LANES_MAX], high[LANES_MAX];
    uint64_t within = 0;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t handle = texture_handle(d, w, regs, l);
        const struct texture *s = exec_texture_of(w, handle);
        if (!s) return exec_bad_texture(w, d, l, handle);
        uint32_t x[3] = {0};
        for (unsigned k = 0; k < texture_dimensions(i); k++) x[k] = exec_lane_word(d, w, regs, 1, k, l);
        bool inside;
        uint64_t address = address_of(s, i, x, &inside);
        if (i->op == OP_SUEAUC) inside = true;
        if (!inside) address = ISA_OUTSIDE_SURFACE;
        if (inside) within |= 1ull << l;
        low[l] = (uint32_t)address;
        high[l] = (uint32_t)(address >> 32);
    }
    exec_write(reg_lanes(regs, d->dst), low, active, w);
    exec_write(reg_lanes(regs, d->dst + (i->dst[0].reg == REG_ZERO ? 0 : 1) * w->exec->vector_bytes), high,
               active, w);
    w->pred[d->q] = (w->pred[d->q] & ~active) | within;
    return d + 1;
}

// The table of textures and surfaces, shared by fetches (texture.c) and surface addresses (surface.c).
#pragma once
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "isa/fields.h"
#include "isa/modes.h"

// The texture or surface of a handle; NULL: none has the handle.
const struct texture *exec_texture_of(const struct warp *w, uint64_t handle);
const struct bound *exec_bad_texture(struct warp *w, const struct bound *d, unsigned lane,
                                     uint64_t handle); // a fault

// The handle in source 0.
static inline uint64_t texture_handle(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                      unsigned lane)
{
    return (uint64_t)exec_lane_word(d, w, regs, 0, 1, lane) << 32 | exec_lane_word(d, w, regs, 0, 0, lane);
}

static inline unsigned texture_dimensions(const struct inst *i)
{
    return (unsigned)(i->mode - MODE_TEX_1D) + 1;
}

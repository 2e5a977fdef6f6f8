// Where the value of a uniform register is: in all of its lanes (store=lanes), in lane N alone (token), or in a register of the scalar
// register file (srf). In the latter two the other lanes really lose what they had: whoever reads them gets it from there.
//
//     token   R7 │ . . . . . v . .      N = lanes of a warp - lanes executed at once: the last group reads it before it is written
//     srf     R7 │ . . . . . . . .      map[R7] ─▶ S4 = v     free: S0 S1 S9 …
//
// With protect=on a second copy is kept, in the lane behind N or, of a scalar register, in the first lane; they are compared whenever
// the value is read.
#include "tech/uv/uv.h"

#include <stdlib.h>
#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "lanes are filled by wmemset");

enum { UNLIMITED = UV_WARPS * UV_REGISTERS };
#define LOST 0x5ca1ab1eu // what a lane has that has lost its value

uint64_t uv_live(const struct warp *w) { return w->present & ~w->exited; }

uint64_t uv_written(const struct warp *w, const struct op *o)
{
    uint64_t guard = w->pred[o->guard];
    return o->is_guarded ? w->active & (o->guard_not ? ~guard : guard) : w->active;
}

bool uv_lanes_equal(struct uv *v, unsigned slot, unsigned r)
{
    const uint32_t *lanes = tech_lanes(v->sm, slot, r);
    uint64_t left = uv_live(tech_warp(v->sm, slot));
    uint32_t first = left ? lanes[bit_lowest(left)] : 0;
    while (left && lanes[bit_lowest(left)] == first) left &= left - 1;
    return !left;
}

uint32_t uv_value(struct uv *v, unsigned slot, unsigned r)
{
    uint64_t live = uv_live(tech_warp(v->sm, slot));
    return tech_lanes(v->sm, slot, r)[live ? bit_lowest(live) : 0];
}

// Lane N, or where no thread was ever behind it the first that has one: what other lanes hold is nobody's.
unsigned uv_store_lane(const struct uv *v, unsigned slot)
{
    uint64_t present = tech_warp(v->sm, slot)->present;
    return present >> v->lane & 1 || !present ? v->lane : bit_lowest(present);
}

void uv_store_begin(struct uv *v)
{
    struct scalars *x = &v->scalars;
    const struct sm_launch *l = tech_launch(v->sm);
    unsigned lanes = l->launch->warp_size, groups = l->kind->config.issue_interval;
    v->lane = lanes - lanes / (groups < lanes ? groups : lanes);
    uint32_t registers = v->launch->options.registers;
    if (v->launch->options.store != UV_STORE_SRF) return;
    x->count = x->free_count = registers ? registers : UNLIMITED;
    x->words = heap_alloc((x->count + 1) * sizeof *x->words);
    x->map = heap_alloc(UV_WARPS * sizeof *x->map);
    x->free = heap_alloc(x->count * sizeof *x->free);
    for (uint32_t k = 0; k < x->count; k++) x->free[k] = (uint16_t)(x->count - k);
}

void uv_store_end(struct uv *v)
{
    free(v->scalars.words);
    free(v->scalars.map);
    free(v->scalars.free);
}

// A register that is written again gives its scalar back in the same cycle: readers before it have read, in the cycle behind their
// own, when the new value is there.
bool uv_store_has_room(const struct uv *v, unsigned slot, unsigned r, unsigned words)
{
    unsigned back = 0;
    if (v->launch->options.store == UV_STORE_TOKEN)
        return uv_live(tech_warp(v->sm, slot)) >> uv_store_lane(v, slot) & 1;
    if (v->launch->options.store == UV_STORE_LANES) return true;
    for (unsigned n = 0; n < words; n++) back += v->scalars.map[slot][r + n] != UV_NO_SCALAR;
    return v->scalars.free_count + back >= words;
}

// Into all live lanes; nearly always these are all there are.
void uv_store_fill(struct uv *v, unsigned slot, unsigned r, uint32_t word)
{
    const struct warp *w = tech_warp(v->sm, slot);
    uint32_t *lanes = tech_lanes(v->sm, slot, r);
    if (uv_live(w) == w->full)
        wmemset((wchar_t *)lanes, (wchar_t)word, w->exec->lanes); // 32 bits each
    else
        for (uint64_t left = uv_live(w); left; left &= left - 1) lanes[bit_lowest(left)] = word;
}

uint32_t *uv_store_copy(struct uv *v, unsigned slot, unsigned r, unsigned copy)
{
    uint32_t *lanes = tech_lanes(v->sm, slot, r);
    unsigned all = tech_launch(v->sm)->launch->warp_size;
    if (v->launch->options.store == UV_STORE_TOKEN) return &lanes[(uv_store_lane(v, slot) + copy) % all];
    return copy ? &lanes[0] : &v->scalars.words[v->scalars.map[slot][r]];
}

void uv_store_take_back(struct uv *v, unsigned slot, unsigned r)
{
    uint32_t word = *uv_store_copy(v, slot, r, 0);
    uv_store_fill(v, slot, r, LOST);
    *uv_store_copy(v, slot, r, 0) = word;
    if (v->launch->options.protect) *uv_store_copy(v, slot, r, 1) = word;
}

void uv_store_keep(struct uv *v, unsigned slot, unsigned r)
{
    struct scalars *x = &v->scalars;
    if (v->launch->options.store == UV_STORE_SRF) {
        if (x->map[slot][r] == UV_NO_SCALAR) x->map[slot][r] = x->free[--x->free_count];
        x->words[x->map[slot][r]] = uv_value(v, slot, r);
        uint64_t used = x->count - x->free_count;
        if (used > v->counters[COUNT_registers]) v->counters[COUNT_registers] = used;
    }
    uv_store_take_back(v, slot, r);
}

void uv_store_forget(struct uv *v, unsigned slot, unsigned r)
{
    struct scalars *x = &v->scalars;
    if (v->launch->options.store != UV_STORE_SRF || x->map[slot][r] == UV_NO_SCALAR) return;
    x->free[x->free_count++] = x->map[slot][r];
    x->map[slot][r] = UV_NO_SCALAR;
}

void uv_store_tell(const struct uv *v, unsigned slot, struct tech_kept words[TECH_REGISTERS])
{
    const struct scalars *x = &v->scalars;
    for (unsigned r = 0; x->map && r < UV_REGISTERS; r++)
        if (x->map[slot][r] != UV_NO_SCALAR) words[r].words[0] = x->words[x->map[slot][r]];
}

void uv_store_spread(struct uv *v, unsigned slot, unsigned r)
{
    uint32_t word = *uv_store_copy(v, slot, r, 0);
    if (v->launch->options.protect && word != *uv_store_copy(v, slot, r, 1)) uv_found(v);
    uv_store_fill(v, slot, r, word);
}

const char *uv_store_check(const struct uv *v)
{
    const struct scalars *x = &v->scalars;
    return x->free_count == x->count ? NULL : "scalar registers are kept for warps that have ended";
}

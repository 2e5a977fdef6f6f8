// Storage of a uniform register's value: all lanes (store=lanes), lane N alone (token), or a register of the
// scalar register file (srf). With token and srf the other lanes really lose their values: instructions read
// the stored value.
//
//     token   R7 │ . . . . . v . .      N = lanes of a warp - lanes executed at once: the last group reads
//                                       the value before the value is written
//     srf     R7 │ . . . . . . . .      map[R7] ─▶ S4 = v     free: S0 S1 S9 …
//
// With protect=on a second copy is kept: in the lane after N, or, for a scalar register, in lane 0. The
// copies are compared at every read of the value.
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "tech/uv/uv.h"

#include <stdlib.h>
#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "lanes are filled by wmemset");

enum { UNLIMITED = UV_WARPS * UV_REGISTERS };
#define LOST 0x5ca1ab1eu // value of an invalidated lane

bool uv_lanes_equal(const struct uv *v, unsigned place, unsigned r)
{
    const uint32_t *lanes = uv_lanes(v, place, r);
    uint64_t left = uv_live(v->warps[place].warp);
    uint32_t first = left ? lanes[bit_lowest(left)] : 0;
    while (left && lanes[bit_lowest(left)] == first) left &= left - 1;
    return !left;
}

// Lane N, for uniform values of the warp: the first lane of the last group executed. If lane N had no thread
// at the start: the first lane with a thread.
unsigned uv_store_lane(const struct uv *v, const struct warp *w)
{
    const struct sm_launch *l = tech_launch(v->grid);
    unsigned lanes = l->launch->warp_size, groups = l->kind->config.issue_interval;
    unsigned lane = lanes - lanes / (groups < lanes ? groups : lanes);
    return w->present >> lane & 1 || !w->present ? lane : bit_lowest(w->present);
}

void uv_store_begin(struct uv *v)
{
    struct scalars *x = &v->scalars;
    uint32_t registers = v->launch->options.registers;
    if (v->launch->options.store != UV_STORE_SRF) return;
    x->are_audited = tech_launch(v->grid)->kind->config.check;
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

// Whether uniform results fit. store=lanes: always; token: if lane N is live; srf: if enough scalar registers
// are free. A rewritten register gives its scalar register back in the same cycle. Earlier readers have read
// by then: reads happen in the cycle after issue, before the new value arrives.
bool uv_store_has_room(const struct uv *v, unsigned place, unsigned r, unsigned words)
{
    unsigned back = 0;
    if (v->launch->options.store == UV_STORE_TOKEN)
        return uv_live(v->warps[place].warp) >> v->warps[place].lane & 1;
    if (v->launch->options.store == UV_STORE_LANES) return true;
    for (unsigned n = 0; n < words; n++) back += v->scalars.map[place][r + n] != UV_NO_SCALAR;
    return v->scalars.free_count + back >= words;
}

// Writes every live lane; nearly always the whole warp is live.
void uv_store_fill(struct uv *v, unsigned place, unsigned r, uint32_t word)
{
    const struct warp *w = v->warps[place].warp;
    uint32_t *lanes = uv_lanes(v, place, r);
    if (uv_live(w) == w->full)
        wmemset((wchar_t *)lanes, (wchar_t)word, w->exec->lanes); // 32 bits each
    else
        for (uint64_t left = uv_live(w); left; left &= left - 1) lanes[bit_lowest(left)] = word;
}

// Place of the kept value.
static uint32_t *word_of(const struct uv *v, unsigned place, unsigned r)
{
    if (v->launch->options.store == UV_STORE_TOKEN) return &uv_lanes(v, place, r)[v->warps[place].lane];
    return &v->scalars.words[v->scalars.map[place][r]];
}

static uint32_t *second_word_of(const struct uv *v, unsigned place, unsigned r)
{
    unsigned all = tech_launch(v->grid)->launch->warp_size, behind = (v->warps[place].lane + 1) % all;
    return &uv_lanes(v, place, r)[v->launch->options.store == UV_STORE_TOKEN ? behind : 0];
}

uint32_t *uv_store_copy(struct uv *v, unsigned place, unsigned r, unsigned copy)
{
    return copy ? second_word_of(v, place, r) : word_of(v, place, r);
}

void uv_store_take_back(struct uv *v, unsigned place, unsigned r)
{
    uint32_t *kept = word_of(v, place, r), word = *kept;
    uv_store_fill(v, place, r, LOST);
    *kept = word;
    if (v->launch->options.protect) *second_word_of(v, place, r) = word;
}

void uv_store_keep(struct uv *v, unsigned place, unsigned r)
{
    struct scalars *x = &v->scalars;
    if (v->launch->options.store == UV_STORE_SRF) {
        if (x->map[place][r] == UV_NO_SCALAR) x->map[place][r] = x->free[--x->free_count];
        x->words[x->map[place][r]] = uv_value(v, place, r);
        uint64_t used = x->count - x->free_count;
        if (used > v->counters[COUNT_registers]) v->counters[COUNT_registers] = used;
    }
    if (v->launch->options.value_parity) {
        uint64_t *parities = &v->warps[place].parities[r / 64];
        *parities = (*parities & ~(1ull << r % 64)) | (uint64_t)(bit_count(uv_value(v, place, r)) & 1)
                                                          << r % 64;
    }
    uv_store_take_back(v, place, r);
}

void uv_store_forget(struct uv *v, unsigned place, unsigned r)
{
    struct scalars *x = &v->scalars;
    if (v->launch->options.store != UV_STORE_SRF || x->map[place][r] == UV_NO_SCALAR) return;
    x->free[x->free_count++] = x->map[place][r];
    x->map[place][r] = UV_NO_SCALAR;
}

void uv_store_tell(const struct uv *v, unsigned place, struct tech_kept words[TECH_REGISTERS])
{
    const struct scalars *x = &v->scalars;
    for (unsigned r = 0; x->map && r < UV_REGISTERS; r++)
        if (x->map[place][r] != UV_NO_SCALAR) words[r].words[0] = x->words[x->map[place][r]];
}

void uv_store_spread(struct uv *v, unsigned place, unsigned r)
{
    uv_store_fill(v, place, r, uv_checked_value(v, place, r));
}

void uv_store_warp_end(struct uv *v, unsigned place)
{
    const struct tokens *t = &v->warps[place].tokens;
    for (unsigned k = 0; k < 4; k++)
        for (uint64_t left = t->registers[k]; left; left &= left - 1)
            uv_store_forget(v, place, 64 * k + bit_lowest(left));
}

// Checks, by counting alone, that as many scalar registers are in use as registers have a token. If not, sets
// scalars.broken.
void uv_store_audit(struct uv *v)
{
    struct scalars *x = &v->scalars;
    uint32_t used = 0;
    for (const struct uv_warp *w = v->warps; w < v->warps + UV_WARPS; w++)
        for (unsigned k = 0; w->warp && k < 4; k++) used += bit_count(w->tokens.registers[k]);
    if (used + x->free_count != x->count)
        x->broken = "used and free scalar registers do not add up to the total";
}

const char *uv_store_check(const struct uv *v)
{
    const struct scalars *x = &v->scalars;
    if (x->broken) return x->broken;
    return x->free_count == x->count ? NULL : "scalar registers are kept for ended warps";
}

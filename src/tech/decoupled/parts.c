// Blocks that share a step. A tuple over blockIdx is a base and an offset for each direction of the grid (DAC 4.2: "base
// + block offset x block index"). Values of blocks that are no such tuple take an issue of the step, and an entry of
// the queue, for every part of the blocks that is one.
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "tech/decoupled/decoupled.h"

struct sample { // of a block: the value of its first warp's first lane, and the difference to the last lane's
    uint64_t place_bits, value, spread;
    uint32_t at[3];
    unsigned warp;
    uint64_t active;
};

static uint64_t register_value(const struct decoupled *d, unsigned place, const struct operand *o,
                               unsigned lane)
{
    struct warp *w = d->followers[place].shadow;
    uint64_t value = tech_lanes_of(w, o->reg)[lane];
    if (operand_words(o) == 2) value |= (uint64_t)tech_lanes_of(w, o->reg + 1u)[lane] << 32;
    return value;
}

static struct sample sample_of(const struct decoupled *d, uint32_t inst, unsigned place,
                               const struct entry *e)
{
    const struct warp *w = d->followers[place].shadow;
    const struct operand *o = &d->launch->insts[inst].dst[0];
    const uint32_t *grid = d->launch->launch->grid;
    uint64_t lanes = e ? e->part[place]->lanes : w->active;
    if (!lanes) lanes = 1;
    unsigned first = bit_lowest(lanes), last = bit_highest(lanes);
    uint64_t low = e ? part_value(e->part[place], first) : register_value(d, place, o, first);
    uint64_t high = e ? part_value(e->part[place], last) : register_value(d, place, o, last);
    uint64_t n = w->cta->linear;
    return (struct sample){
        .value = low,
        .spread = high - low,
        .at = {(uint32_t)(n % grid[0]), (uint32_t)(n / grid[0] % grid[1]), (uint32_t)(n / grid[0] / grid[1])},
        .warp = w->index,
        .active = lanes};
}

struct fit { // a tuple over blockIdx through the first block's value
    const struct sample *from;
    bool has[3];
    int64_t offset[3];
    bool is_wide;
};

static int64_t narrow(const struct fit *f, uint64_t value)
{
    return f->is_wide ? (int64_t)value : (int64_t)(int32_t)(uint32_t)value;
}

// Whether the tuple holds the block's value; may settle an unknown offset. With several unknown offsets any value fits.
// A block with another warp or other lanes at the step is not compared.
static bool holds(struct fit *f, const struct sample *x)
{
    unsigned unknown = 3, count = 0;
    int64_t difference = narrow(f, x->value - f->from->value);
    if (x->warp != f->from->warp || x->active != f->from->active) return true;
    if (narrow(f, x->spread - f->from->spread)) return false;
    for (unsigned k = 0; k < 3; k++) {
        int64_t distance = (int64_t)x->at[k] - (int64_t)f->from->at[k];
        if (!distance) continue;
        if (f->has[k])
            difference = narrow(f, (uint64_t)difference - (uint64_t)(f->offset[k] * distance));
        else
            unknown = k, count++;
    }
    if (count != 1) return count || !difference;
    int64_t distance = (int64_t)x->at[unknown] - (int64_t)f->from->at[unknown];
    if (difference % distance) return false;
    f->has[unknown] = true;
    f->offset[unknown] = difference / distance;
    return true;
}

static unsigned sample_blocks(const struct decoupled *d, uint32_t inst, uint64_t places,
                              const struct entry *e, struct sample out[64])
{
    unsigned count = 0;
    while (places) {
        unsigned place = bit_lowest(places);
        uint64_t mine = places & tech_places(d->grid, d->followers[place].block);
        out[count] = sample_of(d, inst, place, e);
        out[count++].place_bits = mine;
        places &= ~mine;
    }
    return count;
}

unsigned decoupled_divide(struct decoupled *d, uint32_t inst, uint64_t places, const struct entry *e)
{
    const struct operand *o = e ? d->launch->addresses[inst] : &d->launch->insts[inst].dst[0];
    struct sample blocks[64];
    unsigned parts = 0, left = 0;
    d->parts[0] = places;
    if (!(places & ~tech_places(d->grid, d->followers[bit_lowest(places)].block))) return 1; // one block
    if (!o || o->reg == REG_ZERO || (!e && o->kind != OPERAND_REG)) return 1;
    left = sample_blocks(d, inst, places, e, blocks);
    while (left) {
        struct sample first = blocks[0];
        struct fit f = {.from = &first, .is_wide = e ? o->width == 2 : operand_words(o) == 2};
        unsigned kept = 0;
        d->parts[parts] = first.place_bits;
        for (unsigned k = 1; k < left; k++) {
            if (holds(&f, &blocks[k]))
                d->parts[parts] |= blocks[k].place_bits;
            else
                blocks[kept++] = blocks[k];
        }
        left = kept;
        parts++;
    }
    return parts;
}

// spoil=1, for tests: registers of the warps lose what the hardware would not have. Results of removed instructions,
// and addresses and guards taken from a queue, are inverted once the mechanism is done with the values. A program
// with a right result has read none of the values. A warp without its stream needs the values and goes wrong.
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

static void invert(struct decoupled *d, unsigned place, unsigned r, uint64_t lanes)
{
    uint32_t *words = r == REG_ZERO ? NULL : tech_lanes(d->grid, place, r);
    for (uint64_t left = words ? lanes : 0; left; left &= left - 1)
        words[bit_lowest(left)] = ~words[bit_lowest(left)];
}

void decoupled_spoil_result(struct decoupled *d, unsigned place, uint32_t inst)
{
    const struct inst *i = &d->launch->insts[inst];
    struct warp *w = tech_warp(d->grid, place);
    if (!d->launch->options->spoil || !w || split_of(d, inst)->slot) return;
    uint64_t lanes = w->active & decoupled_guarded(w, i);
    for (unsigned k = 0; k < 2; k++) {
        if (i->dst[k].kind == OPERAND_REG)
            for (unsigned n = 0; n < operand_words(&i->dst[k]); n++)
                invert(d, place, i->dst[k].reg + n, lanes);
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE) w->pred[i->dst[k].reg] ^= lanes;
    }
}

void decoupled_keep(struct decoupled *d, unsigned place, uint32_t inst)
{
    const struct inst *i = &d->launch->insts[inst];
    const struct operand *o = decouple_address(i);
    struct kept *x = &d->kept[place];
    if (!d->launch->options->spoil) return;
    x->words = !o || o->reg == REG_ZERO ? 0 : operand_words(o);
    for (unsigned k = 0; k < x->words; k++)
        memcpy(x->address[k], tech_lanes(d->grid, place, o->reg + k), d->launch->launch->warp_size * 4);
    memcpy(x->pred, tech_warp(d->grid, place)->pred, sizeof x->pred);
}

static bool writes(const struct inst *i, unsigned r)
{
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_REG && r >= i->dst[k].reg &&
            r < i->dst[k].reg + operand_words(&i->dst[k]))
            return true;
    return false;
}

void decoupled_put_back(struct decoupled *d, unsigned place, uint32_t inst)
{
    const struct inst *i = &d->launch->insts[inst];
    const struct operand *o = decouple_address(i);
    const struct kept *x = &d->kept[place];
    struct warp *w = tech_warp(d->grid, place);
    if (!d->launch->options->spoil || split_of(d, inst)->compares) return;
    for (unsigned k = 0; k < x->words; k++)
        if (!writes(i, o->reg + k))
            memcpy(tech_lanes(d->grid, place, o->reg + k), x->address[k], d->launch->launch->warp_size * 4);
    bool writes_guard = false;
    for (unsigned k = 0; k < 2; k++)
        writes_guard |= i->dst[k].kind == OPERAND_PRED && i->dst[k].reg == i->guard;
    if (i->guard != PRED_TRUE && !writes_guard) w->pred[i->guard] = x->pred[i->guard];
}

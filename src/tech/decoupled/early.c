// loads=early: a load returns the memory contents at the arrival of its last line, not at issue. Stores since
// then, by the warp, by the block or by other SMs, are missed. The paper taken literally;
// tests/tech/test_decoupled.c and test_litmus.c catch the error.
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "isa/inst.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

struct borrowed { // state of the shadow, saved while the shadow executes the load
    uint64_t pred[PRED_SLOTS], active;
    uint32_t pc, address[2][LANES], result[LOAD_WORDS][LANES];
};

static uint32_t *lanes_of(const struct warp *w, unsigned r) { return tech_lanes_of((struct warp *)w, r); }

static unsigned words_of(const struct inst *i) { return operand_words(&i->dst[0]); }

static void swap_registers(struct warp *w, const struct inst *i, const struct operand *a, struct borrowed *b,
                           bool back)
{
    size_t bytes = w->exec->vector_bytes;
    for (unsigned n = 0; n < words_of(i) + 2; n++) {
        bool is_address = n >= words_of(i);
        unsigned k = is_address ? n - words_of(i) : n;
        if (is_address && (a->reg == REG_ZERO || k >= operand_words(a))) continue;
        uint32_t *held = is_address ? b->address[k] : b->result[k];
        uint32_t *lanes = lanes_of(w, (is_address ? a->reg : i->dst[0].reg) + k);
        memcpy(back ? lanes : held, back ? held : lanes, bytes);
    }
}

void decoupled_capture(struct decoupled *d, unsigned place, struct part *p)
{
    const struct inst *i = &d->launch->insts[p->inst];
    const struct operand *a = decouple_address(i);
    struct warp *w = d->followers[place].shadow;
    struct borrowed b = {.active = w->active, .pc = w->pc};
    if (i->dst[0].reg == REG_ZERO || a->reg == REG_ZERO) return;
    if (!p->data) p->data = heap_alloc(LOAD_WORDS * sizeof *p->data);
    memcpy(b.pred, w->pred, sizeof b.pred);
    swap_registers(w, i, a, &b, false);
    for (unsigned k = 0; k < operand_words(a); k++)
        for (unsigned lane = 0; lane < w->exec->lanes; lane++)
            lanes_of(w, a->reg + k)[lane] = (k ? p->high : p->low)[lane];
    w->active = p->lanes;
    if (i->guard != PRED_TRUE) w->pred[i->guard] = i->guard_not ? 0 : UINT64_MAX;
    tech_shadow_compute(d->grid, w, p->inst);
    for (unsigned k = 0; k < words_of(i); k++)
        memcpy(p->data[k], lanes_of(w, i->dst[0].reg + k), w->exec->vector_bytes);
    p->has_data = true;
    swap_registers(w, i, a, &b, true);
    memcpy(w->pred, b.pred, sizeof b.pred);
    w->active = b.active;
    w->pc = b.pc;
}

void decoupled_replace(struct decoupled *d, unsigned place, const struct part *p)
{
    const struct inst *i = &d->launch->insts[p->inst];
    for (unsigned k = 0; k < words_of(i); k++)
        for (uint64_t left = p->lanes; left; left &= left - 1)
            tech_lanes(d->grid, place, i->dst[0].reg + k)[bit_lowest(left)] = p->data[k][bit_lowest(left)];
}

// Fast forms: atomics on 32-bit integers in shared or global memory. Places are found as vectors; lanes execute in
// ascending order. Accesses that may fault, and generic addresses in shared memory, go to the general handler.
#include "exec/fast/memory.h"
#include "isa/fields.h"
#include "isa/modes.h"

// Applies EXPRESSION of x (old value), b and c to the location of every active lane, in ascending order.
#define EACH_LANE(EXPRESSION)                                                                                \
    for (uint64_t left = active; left; left &= left - 1) {                                                   \
        const unsigned l = bit_lowest(left);                                                                 \
        uint32_t x, y, b = lane_word(pb, l);                                                                 \
        memcpy(&x, base + offset[l], 4);                                                                     \
        y = (EXPRESSION);                                                                                    \
        memcpy(base + offset[l], &y, 4);                                                                     \
        old[l] = x;                                                                                          \
    }                                                                                                        \
    break

static __attribute__((noinline)) void apply(const struct bound *d, const struct inst *i, uint8_t *base,
                                            const struct offsets *o, uint8_t *regs, uint64_t active)
{
    const bool is_signed = i->type == TYPE_S32;
    const uint8_t *pb = regs + d->src[1], *pc = regs + d->src[2];
    uint32_t offset[FAST_LANES];
    _Alignas(64) uint32_t old[FAST_LANES];
    memcpy(offset, o, sizeof offset);
    switch ((int)i->mode) {
    case MODE_ATOM_ADD: EACH_LANE(x + b);
    case MODE_ATOM_MIN: EACH_LANE((is_signed ? (int32_t)b < (int32_t)x : b < x) ? b : x);
    case MODE_ATOM_MAX: EACH_LANE((is_signed ? (int32_t)x < (int32_t)b : x < b) ? b : x);
    case MODE_ATOM_AND: EACH_LANE(x & b);
    case MODE_ATOM_OR: EACH_LANE(x | b);
    case MODE_ATOM_XOR: EACH_LANE(x ^ b);
    case MODE_ATOM_INC: EACH_LANE(x >= b ? 0 : x + 1);
    case MODE_ATOM_DEC: EACH_LANE(x == 0 || x > b ? b : x - 1);
    case MODE_ATOM_CAS: EACH_LANE(x == b ? lane_word(pc, l) : x);
    case MODE_ATOM_EXCH: EACH_LANE(b);
    }
    if (!isa_has(i, ISA_LOAD)) return; // RED has no result
    EACH_VECTOR(k)
    simd_store_masked(regs + d->dst, k, mask_part(active, k), simd_load((const uint8_t *)old, k));
}

static __attribute__((noinline)) bool shared_atomic(const struct bound *d, struct warp *w, uint8_t *regs,
                                                    uint64_t active)
{
    struct offsets o;
    if (!shared_offsets(d, w, regs, false, active, 4, &o)) return false;
    apply(d, bound_inst(d, w), w->shared, &o, regs, active);
    return true;
}

static __attribute__((noinline)) bool global_atomic(const struct bound *d, struct warp *w, uint8_t *regs,
                                                    uint64_t active)
{
    struct offsets o;
    bool wide = bound_inst(d, w)->src[0].width == 2;
    if (!(wide ? global_offsets(d, w, regs, false, active, true, 4, &o)
               : global_offsets(d, w, regs, false, active, false, 4, &o)))
        return false;
    apply(d, bound_inst(d, w), slot_of(d, w)->host, &o, regs, active);
    return true;
}

HANDLER_OUTLINED(global_missed)
{
    if (remember_allocation(d, w, regs, active)) return d;
    return exec_atomic(d, w, regs, active);
}

HANDLER(atoms_masked)
{
    if (!shared_atomic(d, w, regs, active)) TAIL(exec_atomic(d, w, regs, active));
    w->counts.atomics++;
    NEXT(d + 1, w->active);
}

HANDLER(atomg_masked)
{
    if (!global_atomic(d, w, regs, active)) TAIL(global_missed(d, w, regs, active));
    w->counts.atomics++;
    NEXT(d + 1, w->active);
}

static const struct handlers atoms = {atoms_masked, atoms_masked}, atomg = {atomg_masked, atomg_masked};

extern fast_family FAST(fast_atomic);
const struct handlers *FAST(fast_atomic)(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool is_word = i->type == TYPE_U32 || i->type == TYPE_S32 || i->type == TYPE_B32;
    if (e->launch->flat || !isa_has(i, ISA_ATOMIC) || !is_word) return NULL;
    if (i->mode < MODE_ATOM_ADD || i->mode > MODE_ATOM_CAS) return NULL;
    if (!is_register(&i->src[1]) || (i->mode == MODE_ATOM_CAS && !is_register(&i->src[2]))) return NULL;
    switch ((int)i->op) {
    case OP_ATOMS: return &atoms;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_RED: return &atomg;
    }
    return NULL;
}

// Fast forms: branches. A BRA that diverges goes to exec_bra.
#include "exec/fast.h"
#include "isa/fields.h"

static inline lanes_t branch_lanes(const struct bound *d, const struct warp *w)
{
    return (lanes_t)w->pred[d->guard] ^ (lanes_t)d->guard_not;
}

HANDLER(bra_full)
{
    lanes_t taken = branch_lanes(d, w);
    if (taken == 0) {
        w->counts.branches++;
        NEXT(d + 1, active);
    }
    if (taken != ALL_LANES) TAIL(exec_bra(d, w, regs, active));
    count_run(w, d, FAST_LANES);
    w->counts.branches++;
    const struct bound *to = d->target;
    if (w->issued >= w->slice_end) return warp_stop(w, to->index);
    w->run_start = to;
    NEXT(to, active);
}

HANDLER(bra_masked)
{
    lanes_t taken = branch_lanes(d, w) & (lanes_t)active;
    if (taken == 0) {
        w->counts.branches++;
        NEXT(d + 1, active);
    }
    if (taken != active) TAIL(exec_bra(d, w, regs, active));
    count_run(w, d, bit_count(active));
    w->counts.branches++;
    const struct bound *to = d->target;
    if (w->issued >= w->slice_end) return warp_stop(w, to->index);
    w->run_start = to;
    NEXT(to, active);
}

// simt=splits, some lanes running: branches of a warp with several splits go to exec_bra, where splits take
// turns at backward branches.
HANDLER(bra_one_split)
{
    if (w->splits.count > 1) TAIL(exec_bra(d, w, regs, active));
    TAIL(bra_masked(d, w, regs, active));
}

// bra_stack serves simt=stack and simt=nest; in the latter, split.c checks for reconvergence before every
// instruction.
static const struct handlers bra_stack = {bra_full, bra_masked}, bra_splits = {bra_full, bra_one_split};

// -- branches of RISC-V, which compare operands
// The end of a branch's handler. taken: lanes that branch; all: running lanes, `count` in number.
#define TAKE(taken, all, count)                                                                              \
    if ((taken) == 0) {                                                                                      \
        w->counts.branches++;                                                                                \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    if ((taken) != (all)) return exec_branch(d, w, (taken), active);                                         \
    count_run(w, d, (count));                                                                                \
    w->counts.branches++;                                                                                    \
    const struct bound *to = d->target;                                                                      \
    if (w->issued >= w->slice_end) return warp_stop(w, to->index);                                           \
    w->run_start = to;                                                                                       \
    NEXT(to, active)

#define FORM_BRANCH(name, COMPARISON)                                                                        \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        REG_A;                                                                                               \
        REG_B;                                                                                               \
        lanes_t taken = 0;                                                                                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            vu a = simd_load(pa, k), b = simd_load(pb, k);                                                   \
            taken |= mask_place((COMPARISON), k);                                                            \
        }                                                                                                    \
        TAKE(taken, ALL_LANES, FAST_LANES);                                                                  \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        REG_A;                                                                                               \
        REG_B;                                                                                               \
        lanes_t taken = 0;                                                                                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            vu a = simd_load(pa, k), b = simd_load(pb, k);                                                   \
            taken |= mask_place((COMPARISON), k);                                                            \
        }                                                                                                    \
        taken &= (lanes_t)active;                                                                            \
        TAKE(taken, (lanes_t)active, bit_count(active));                                                     \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

FORM_BRANCH(rbr_eq, equal(a, b))
FORM_BRANCH(rbr_ne, mask_not(equal(a, b)))
FORM_BRANCH(rbr_lt_s, less_s(a, b))
FORM_BRANCH(rbr_ge_s, mask_not(less_s(a, b)))
FORM_BRANCH(rbr_lt_u, less_u(a, b))
FORM_BRANCH(rbr_ge_u, mask_not(less_u(a, b)))

static const struct handlers *bind_rbr(const struct exec *e, const struct inst *i)
{
    bool is_signed = i->type == TYPE_S32;
    if (e->launch->simt != SIMT_NEST) return NULL;
    switch ((int)i->cmp) {
    case CMP_EQ: return &rbr_eq;
    case CMP_NE: return &rbr_ne;
    case CMP_LT: return is_signed ? &rbr_lt_s : &rbr_lt_u;
    case CMP_GE: return is_signed ? &rbr_ge_s : &rbr_ge_u;
    }
    return NULL;
}

extern fast_family FAST(fast_control);
const struct handlers *FAST(fast_control)(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)d;
    if (i->op == OP_RBR) return bind_rbr(e, i);
    if (i->op == OP_BRA) return e->launch->simt == SIMT_SPLITS ? &bra_splits : &bra_stack;
    return NULL;
}

// Fast forms: BRA, for branches that do not diverge. Divergent branches go to exec_bra.
#include "exec/fast.h"

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

extern fast_family FAST(fast_control);
const struct handlers *FAST(fast_control)(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)d;
    if (i->op == OP_BRA) return e->launch->simt == SIMT_SPLITS ? &bra_splits : &bra_stack;
    return NULL;
}

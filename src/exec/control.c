// Control transfers, guards, and the handlers for the end of a program and for bad constants. The choice of
// lanes to run after divergence is in split.c.
#include "exec/async.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/race.h"
#include "exec/tail.h"
#include "isa/modes.h"
#include "isa/program.h"

static inline uint64_t guarded(const struct bound *d, const struct warp *w, uint64_t active)
{
    return (w->pred[d->guard] ^ (uint64_t)(int64_t)d->guard_not) & active;
}

const struct bound *exec_guard_full(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    uint64_t lanes = guarded(d, w, active);
    if (lanes == active) TAIL(d->handlers->full(d, w, regs, lanes));
    TAIL(exec_guard_masked(d, w, regs, active));
}

// A straight run is counted for all running lanes; lanes with a false guard are subtracted from the count
// here.
const struct bound *exec_guard_masked(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    uint64_t lanes = guarded(d, w, active);
    w->counts.thread_instructions -= bit_count(active & ~lanes);
    if (lanes) TAIL(d->handlers->masked(d, w, regs, lanes));
    w->counts.guarded_off++;
    NEXT(d + 1, active);
}

const struct bound *exec_join(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next = split_join(w, d);
    if (next != d) return next;
    active = w->active; // may include lanes that waited at the join
    if (d->guarded) TAIL(exec_guard_masked(d, w, regs, active));
    TAIL(d->handlers->masked(d, w, regs, active));
}

// simt=nest: runs before every instruction while some lanes of the warp do not run. The rare case, a split
// that may wait at the instruction, is out of line.
const struct bound *exec_join_nest(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    if (w->waiting_places >> d->index % 64 & 1) TAIL(exec_join(d, w, regs, active));
    if (d->guarded) TAIL(exec_guard_masked(d, w, regs, active));
    TAIL(d->handlers->masked(d, w, regs, active));
}

const struct bound *exec_hand_back(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)w, (void)regs, (void)active;
    return d;
}

const struct bound *exec_end_of_program(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    return exec_fault(w, d - 1, FAULT_BRANCH, bit_lowest(active),
                      "execution ran past the program's last instruction");
}

const struct bound *exec_bad_constant(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    const struct inst *i = bound_inst(d, w);
    unsigned k = 0;
    while (i->src[k].kind != OPERAND_CONST) k++;
    return exec_fault(w, d, FAULT_CONSTANT, bit_lowest(active),
                      "c[%u][0x%x] is past the end of the bank (%u bytes)", i->src[k].bank, i->src[k].value,
                      w->exec->launch->bank_bytes[i->src[k].bank]);
}

const struct bound *exec_bra(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    return exec_branch(d, w, guarded(d, w, active), active);
}

const struct bound *exec_branch(const struct bound *d, struct warp *w, uint64_t taken, uint64_t active)
{
    w->counts.branches++;
    if (!taken) return d + 1;
    warp_count_run(w, d);
    const struct inst *i = bound_inst(d, w);
    struct lane_group groups[2] = {{taken, i->target, w->depth}, {active & ~taken, d->index + 1, w->depth}};
    if (taken != active) w->counts.divergent_branches++;
    return split_transfer(w, groups, taken == active ? 1 : 2, i->reconverge, w->depth);
}

// Transfers each lane of `lanes` to its entry of targets[]. The other running lanes, excluded by the guard,
// continue at the next instruction. Returns the code to run next; NULL: the warp has stopped.
const struct bound *exec_transfer(struct warp *w, const struct bound *d, uint64_t lanes,
                                  const uint32_t *targets, int depth_change, uint32_t rejoin,
                                  uint32_t rejoin_depth)
{
    struct lane_group groups[LANES_MAX];
    unsigned count = 0;
    uint64_t rest = w->active & ~lanes;
    if (rest) groups[count++] = (struct lane_group){rest, d->index + 1, w->depth};
    while (lanes) {
        uint32_t pc = targets[bit_lowest(lanes)];
        uint64_t same = 0;
        for (uint64_t left = lanes; left; left &= left - 1)
            if (targets[bit_lowest(left)] == pc) same |= left & -left;
        groups[count++] = (struct lane_group){same, pc, w->depth + (uint32_t)depth_change};
        lanes &= ~same;
    }
    w->counts.branches++;
    if (count > 1) w->counts.divergent_branches++;
    warp_count_run(w, d);
    return split_transfer(w, groups, count, rejoin, rejoin_depth);
}

const struct bound *exec_brx(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    const struct program_table *table = &w->exec->program->tables[i->table];
    uint32_t targets[LANES_MAX];
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint32_t index = reg_lanes(regs, d->src[0])[l];
        if (index >= table->count)
            return exec_fault(w, d, FAULT_BRANCH, l, "index %u is past the end of a jump table of %u entries",
                              index, table->count);
        targets[l] = table->targets[index];
    }
    return exec_transfer(w, d, active, targets, 0, i->reconverge, w->depth);
}

// A call's lanes reconverge at the return site, whatever their paths inside.
static const struct bound *call(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active,
                                const uint32_t *targets)
{
    if (w->depth >= w->exec->depth_limit)
        return exec_fault(w, d, FAULT_STACK, bit_lowest(active),
                          "calls are nested %u deep: more than a stack of %u bytes can hold", w->depth + 1,
                          w->exec->program->stack_bytes);
    for (uint64_t left = active; left; left &= left - 1)
        reg_lanes(regs, d->dst)[bit_lowest(left)] = d->index + 1;
    return exec_transfer(w, d, active, targets, 1, d->index + 1, w->depth);
}

const struct bound *exec_call(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    uint32_t targets[LANES_MAX];
    for (unsigned l = 0; l < LANES_MAX; l++) targets[l] = bound_inst(d, w)->target;
    return call(d, w, regs, active, targets);
}

const struct bound *exec_callr(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct exec *e = w->exec;
    uint32_t targets[LANES_MAX];
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t address = (uint64_t)reg_lanes(regs, d->src[0] + e->vector_bytes)[l] << 32;
        address |= reg_lanes(regs, d->src[0])[l];
        const uint64_t named = address;
        if (e->launch->functions)
            address = address < e->launch->function_count ? e->launch->functions[address] : UINT32_MAX;
        if (address >= e->program->inst_count || !(e->entry_flags[address] & EXEC_FUNCTION))
            return exec_fault(w, d, FAULT_BRANCH, l, "0x%llx is not the address of a function",
                              (unsigned long long)named);
        targets[l] = (uint32_t)address;
    }
    return call(d, w, regs, active, targets);
}

const struct bound *exec_ret(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct exec *e = w->exec;
    uint32_t targets[LANES_MAX];
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint32_t pc = targets[l] = reg_lanes(regs, d->src[0])[l];
        if (pc >= e->program->inst_count || !(e->entry_flags[pc] & EXEC_RETURN_SITE) || w->depth == 0)
            return exec_fault(w, d, FAULT_BRANCH, l, "return to instruction %u, not behind a call", pc);
    }
    return exec_transfer(w, d, active, targets, -1, NO_TARGET, 0);
}

const struct bound *exec_exit(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    warp_count_run(w, d);
    if (w->async) async_exit(w, active);
    if (w->exec->races) race_copy_exit(w, active);
    return split_exit(w, active, d->index + 1);
}

// NANOSLEEP. No time passes in a functional run: the warp stops, and other warps have their turn.
const struct bound *exec_nanosleep(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs, (void)active;
    warp_count_run(w, d);
    return warp_stop(w, d->index + 1);
}

const struct bound *exec_trap(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    bool is_break = bound_inst(d, w)->mode == MODE_TRAP_BREAK;
    return exec_fault(w, d, FAULT_TRAP, bit_lowest(active),
                      is_break ? "the program hit a breakpoint (brkpt)"
                               : "the program stopped itself (trap)");
}

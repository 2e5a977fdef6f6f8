// RISC-V's control: branches by comparison, jumps by address, control registers; SIMTight's nest levels
// (push, pop) and warp commands (end of the warp, barrier of the warp's group).
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/tail.h"
#include "isa/fields.h"
#include "isa/program.h"

static bool compare(const struct inst *i, uint32_t a, uint32_t b)
{
    bool less = i->type == TYPE_S32 ? (int32_t)a < (int32_t)b : a < b;
    switch ((int)i->cmp) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: return less;
    case CMP_GE: return !less;
    case CMP_LE: return less || a == b;
    case CMP_GT: return !less && a != b;
    }
    return i->cmp == CMP_T;
}

const struct bound *exec_rbr(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    uint64_t taken = 0;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        taken |= (uint64_t)compare(i, reg_lanes(regs, d->src[0])[l], reg_lanes(regs, d->src[1])[l]) << l;
    }
    return exec_branch(d, w, taken, active);
}

// RJR has no link register.
static void link(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    if (bound_inst(d, w)->dst[0].kind == OPERAND_NONE) return;
    uint32_t pc = program_pc(w->exec->program, d->index + 1);
    for (; active; active &= active - 1) reg_lanes(regs, d->dst)[bit_lowest(active)] = pc;
}

const struct bound *exec_rjal(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    link(d, w, regs, active);
    return exec_branch(d, w, active, active);
}

// The lowest bit of a target is ignored (RISC-V ISA 2.5).
const struct bound *exec_rjalr(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct program *p = w->exec->program;
    uint32_t targets[LANES_MAX];
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint32_t pc = (reg_lanes(regs, d->src[0])[l] + exec_lane_word(d, w, regs, 1, 0, l)) & ~1u;
        targets[l] = program_index(p, pc);
        if (targets[l] == NO_TARGET)
            return exec_fault(w, d, FAULT_BRANCH, l,
                              "a jump to 0x%08x, where no instruction is: code is 0x%08x to 0x%08x", pc,
                              p->code_base, program_pc(p, p->inst_count) - 1);
    }
    link(d, w, regs, active); // after the targets are read: the source may be the link register
    return exec_transfer(w, d, active, targets, 0, NO_TARGET, 0);
}

static const struct bound *nest(const struct bound *d, struct warp *w, uint64_t active, uint32_t level)
{
    struct lane_group all = {active, d->index + 1, level};
    warp_count_run(w, d);
    return split_transfer(w, &all, 1, NO_TARGET, 0);
}

const struct bound *exec_push(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    uint32_t levels = w->exec->launch->flat ? w->exec->launch->flat->nest_levels : UINT32_MAX;
    if (w->depth + 1 >= levels)
        return exec_fault(w, d, FAULT_STACK, bit_lowest(active),
                          "a push at nest level %u, the last of %u levels", w->depth, levels);
    return nest(d, w, active, w->depth + 1);
}

const struct bound *exec_pop(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    if (!w->depth)
        return exec_fault(w, d, FAULT_STACK, bit_lowest(active), "a pop at nest level 0: nothing was pushed");
    return nest(d, w, active, w->depth - 1);
}

enum { COMMAND_ENDS = 1, COMMAND_SUCCEEDS = 2 };

const struct bound *exec_warpcmd(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct launch_flat *flat = w->exec->launch->flat;
    if (active != w->present)
        return exec_fault(w, d, FAULT_MEMBERS, bit_lowest(active),
                          "a warp command by %u of the warp's %u lanes: all lanes must be together",
                          bit_count(active), bit_count(w->present));
    if (!flat) return exec_fault(w, d, FAULT_TRAP, 0, "a warp command on a machine without warp commands");
    uint32_t command = exec_lane_word(d, w, regs, 0, 0, 0);
    warp_count_run(w, d);
    if (command & COMMAND_ENDS) {
        if (!(command & COMMAND_SUCCEEDS)) *flat->has_failed = true;
        return split_exit(w, active, d->index + 1);
    }
    w->counts.barriers++;
    return barrier_group(w, d->index + 1);
}

enum { CSR_EMIT = 0x800 };

const struct bound *exec_rcsr(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct launch *l = w->exec->launch;
    if (bound_inst(d, w)->src[1].value != CSR_EMIT)
        return exec_fault(w, d, FAULT_TRAP, bit_lowest(active), "the kernel ended the simulation");
    for (; active && l->print; active &= active - 1) {
        struct strbuf text = {0};
        strbuf_printf(&text, "0x%08x\n", exec_lane_word(d, w, regs, 0, 0, bit_lowest(active)));
        l->print(l->print_context, strbuf_text(&text), text.length);
        strbuf_fini(&text);
    }
    return d + 1;
}

const struct bound *exec_undef(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    return exec_fault(w, d, FAULT_TRAP, bit_lowest(active), "0x%08x is not an instruction of this machine",
                      bound_inst(d, w)->src[0].value);
}

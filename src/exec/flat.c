// Bounds of a warp in the memory of launch_flat: main memory, the group's part of the scratchpad, and the
// threads' own stacks. With launch_flat.has_parts the parts of the groups are equal and in group order, as
// public programs and kernels/riscv divide the scratchpad. Between the scratchpad and the window, in which a
// thread sees its own stack alone, lie the stacks of all threads.
// The machine allows every thread to access the stacks and the scratchpad of other threads. A stack overflow
// or an overrun of the scratchpad therefore changes other threads' data. check.bounds: stop, warn or ignore
// on such an access.
//
//     scratch                 scratch_end = stacks                       stack_window     window_end
//     │ group 0 │ group 1 │ … │ stacks of all threads, word by word …    │ the thread's own │
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "exec/general.h"

void flat_set_bounds(struct warp *w)
{
    const struct launch *l = w->exec->launch;
    uint32_t warps = w->exec->warps_per_block,
             group = l->flat && l->flat->has_parts ? l->flat->barrier_warps : 0;
    bool is_divided = group < warps && is_power_of_two(group);
    uint32_t part = is_divided ? l->shared_total / warps * group : l->shared_total;
    w->shared_from = (l->flat ? l->flat->scratch : 0) + (is_divided ? w->index / group * part : 0);
    w->shared_end = w->shared_from + part;
}

// True for an address in the stacks of all threads, between the scratchpad's end and the window of a thread's
// own stack.
static bool is_others_stack(const struct launch_flat *f, uint64_t address)
{
    return address >= f->scratch_end && address < f->stack_window;
}

uint8_t *flat_outside(const struct warp *w, const struct lane_access *a, unsigned bytes)
{
    const struct launch *l = w->exec->launch;
    bool is_scratch = a->space == SPACE_SHARED && a->address + bytes <= l->shared_total;
    if (is_scratch) return w->shared + a->address;
    bool is_stack = a->space == SPACE_GLOBAL && is_others_stack(l->flat, a->address);
    return is_stack ? w->exec->flat + a->address : NULL;
}

void flat_name_fault(const struct launch *l, struct launch_fault *f)
{
    const struct launch_flat *flat = l->flat;
    if (f->space == SPACE_SHARED) f->address += flat->scratch;
    if (f->space == SPACE_LOCAL) f->address += flat->stack_window;
    if (f->kind != FAULT_BOUNDS || !is_others_stack(flat, f->address)) return;
    bool is_nearer_stack = flat->stack_window - f->address <= f->address - flat->scratch_end;
    f->kind = is_nearer_stack ? FAULT_STACK : FAULT_SHARED;
    f->space = is_nearer_stack ? SPACE_LOCAL : SPACE_SHARED;
}

static void describe_distance(uint64_t bytes, const char *where, struct strbuf *out)
{
    if (bytes)
        strbuf_printf(out, "%llu byte%s %s ", (unsigned long long)bytes, bytes == 1 ? "" : "s", where);
    else
        strbuf_printf(out, "just %s ", where);
}

static void describe_range(const char *what, uint64_t from, uint64_t end, struct strbuf *out)
{
    strbuf_printf(out, "%s (0x%08llx to 0x%08llx)", what, (unsigned long long)from,
                  (unsigned long long)end - 1);
}

void flat_explain_fault(const struct warp *w, const struct launch_fault *f, struct strbuf *out)
{
    const struct launch *l = w->exec->launch;
    const struct launch_flat *flat = l->flat;
    strbuf_printf(out, "0x%08llx is ", (unsigned long long)f->address);
    if (f->space == SPACE_LOCAL) {
        describe_distance(flat->stack_window - f->address, "below", out);
        describe_range("the thread's stack", flat->stack_window, flat->window_end, out);
        return;
    }
    if (f->address < w->shared_from)
        describe_distance(w->shared_from - f->address, "before", out);
    else
        describe_distance(f->address - w->shared_end, "past the end of", out);
    bool is_part = w->shared_end - w->shared_from < l->shared_total;
    describe_range(is_part ? "the scratchpad of the warp's group" : "the scratchpad", w->shared_from,
                   w->shared_end, out);
}

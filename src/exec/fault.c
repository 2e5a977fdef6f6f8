// Reports of faults: kind, place in code and source, thread, address.
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/mbarrier.h"
#include "exec/memory.h"
#include "exec/phase.h"
#include "exec/race_book.h"
#include "isa/program.h"
#include "isa/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void launch_fault_fini(struct launch_fault *f)
{
    free(f->text);
    f->text = NULL;
}

void launch_spare_races_free(struct race_book *spare) { race_book_destroy(spare); }

void launch_race_forget(struct launch_race *r)
{
    race_book_destroy(r->book);
    r->book = NULL;
}

void launch_race_fini(struct launch_race *r)
{
    launch_race_forget(r);
    free(r->text);
    r->text = NULL;
}

void exec_thread_of(const struct warp *w, unsigned lane, uint32_t thread[3])
{
    const uint32_t *block = w->exec->launch->block;
    uint32_t linear = w->index * w->exec->warp_size + lane;
    thread[0] = linear % block[0];
    thread[1] = linear / block[0] % block[1];
    thread[2] = linear / block[0] / block[1];
}

void exec_describe_inst(const struct exec *e, uint32_t index, struct strbuf *out)
{
    strbuf_printf(out, "pc 0x%04x", program_pc(e->program, index));
    if (index >= e->program->inst_count) return;
    strbuf_puts(out, " (");
    program_print_inst(e->program, index, out);
    strbuf_puts(out, ")");
    struct strbuf lines = {0};
    program_print_lines(e->program, index, &lines);
    if (lines.length) strbuf_printf(out, ", %s", strbuf_text(&lines));
    strbuf_fini(&lines);
}

static void describe_thread(const struct warp *w, unsigned lane, struct strbuf *out)
{
    uint32_t t[3];
    exec_thread_of(w, lane, t);
    strbuf_printf(out, "thread (%u,%u,%u) of block (%u,%u,%u), warp %u, lane %u", t[0], t[1], t[2],
                  w->cta->id[0], w->cta->id[1], w->cta->id[2], w->index, lane);
}

static const char *space_name(enum isa_space space)
{
    switch (space) {
    case SPACE_GENERIC: return "generic";
    case SPACE_GLOBAL: return "global";
    case SPACE_SHARED: return "shared";
    case SPACE_LOCAL: return "local";
    case SPACE_CONST: return "constant";
    }
    return "";
}

void launch_notes_add(struct launch_notes *to, struct launch_notes *from)
{
    for (unsigned k = 0; k < NOTE_COUNT; k++) {
        struct launch_note *a = &to->of[k], *b = &from->of[k];
        a->count += b->count;
        if (b->text && (!a->text || b->when < a->when)) {
            char *later = a->text;
            a->text = b->text;
            a->when = b->when;
            b->text = later;
        }
    }
    launch_notes_fini(from);
}

void launch_notes_fini(struct launch_notes *n)
{
    for (unsigned k = 0; k < NOTE_COUNT; k++) free(n->of[k].text);
    *n = (struct launch_notes){0};
}

// Counts a note of the launch. True for the first note of a kind: the caller then adds a text.
static bool fault_note(struct warp *w, enum launch_note_kind kind)
{
    struct launch_note *n = &w->exec->notes.of[kind];
    if (n->count++) return false;
    n->when = w->exec->clock_base + w->issued;
    return true;
}

// Fills the fault's kind, instruction, block and thread; all else is the caller's to set. False: a fault is
// already recorded.
static bool fault_begin(struct warp *w, uint32_t index, enum launch_fault_kind kind, unsigned lane)
{
    struct launch_fault *f = w->exec->fault;
    if (f->kind != FAULT_NONE) return false;
    f->kind = kind;
    f->inst = index;
    for (unsigned n = 0; n < 3; n++) f->block[n] = w->cta->id[n];
    exec_thread_of(w, lane, f->thread);
    return true;
}

static void fault_where(const struct warp *w, uint32_t index, unsigned lane, struct strbuf *out)
{
    strbuf_puts(out, "\n    at ");
    exec_describe_inst(w->exec, index, out);
    strbuf_puts(out, "\n    by ");
    describe_thread(w, lane, out);
}

static const struct bound *fault_finish(struct warp *w, const struct bound *d, struct strbuf *text)
{
    w->exec->fault->text = text->text;
    warp_count_run(w, d);
    return warp_stop(w, d->index);
}

const struct bound *exec_fault(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                               unsigned lane, const char *format, ...)
{
    if (!fault_begin(w, d->index, kind, lane)) return NULL;
    struct strbuf text = {0};
    va_list arguments;
    strbuf_printf(&text, "kernel %s: ", w->exec->program->name);
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    fault_where(w, d->index, lane, &text);
    return fault_finish(w, d, &text);
}

// An address of shared memory of a cluster (isa/bank.h).
static void explain_rank(const struct warp *w, uint64_t address, struct strbuf *out)
{
    unsigned rank = (unsigned)(address >> ISA_RANK_SHIFT) - 1, size = w->cta->cluster->size;
    strbuf_printf(out, "0x%llx is of the block of rank %u, ", (unsigned long long)address, rank);
    if (rank >= size)
        strbuf_printf(out, "and the cluster has %u block%s", size, size == 1 ? "" : "s");
    else if (!cluster_has(w->cta->cluster, rank))
        strbuf_puts(out,
                    "which has ended: the cluster's barrier keeps blocks alive until others have read them");
    else
        strbuf_printf(out, "outside its shared memory of %u bytes", w->exec->launch->shared_total);
}

static void explain_address(const struct warp *w, const struct launch_fault *f, struct strbuf *out)
{
    const struct launch *l = w->exec->launch;
    unsigned long long address = f->address;
    strbuf_puts(out, "\n    ");
    if (f->kind == FAULT_ALIGNMENT) {
        strbuf_printf(out, "0x%llx is not a multiple of %u", address, f->access_bytes);
        return;
    }
    switch (f->space) {
    case SPACE_GENERIC:
    case SPACE_GLOBAL: memory_describe(l->memory, f->address, out); return;
    case SPACE_SHARED:
        if (l->flat)
            flat_explain_fault(w, f, out);
        else if (address >> ISA_RANK_SHIFT)
            explain_rank(w, address, out);
        else
            strbuf_printf(out, "0x%llx is outside the block's shared memory (%u bytes, including %u dynamic)",
                          address, l->shared_total, l->dynamic_shared);
        return;
    case SPACE_LOCAL:
        if (l->flat)
            flat_explain_fault(w, f, out);
        else
            strbuf_printf(out,
                          "0x%llx is outside the thread's local memory (%u bytes, including %u of stack)",
                          address, l->local_total, l->local_total - l->program->local_bytes);
        return;
    case SPACE_CONST: strbuf_printf(out, "0x%llx is past the end of the constant bank", address); return;
    }
}

// Appends what happened: "out-of-bounds global read of 4 bytes", "stack overflow: local write of 1 byte" …
static void describe_what(const struct warp *w, const struct launch_fault *f, struct strbuf *out)
{
    bool is_flat = w->exec->launch->flat, is_stack = f->kind == FAULT_STACK;
    const char *space = space_name(f->space);
    if (is_flat && f->space == SPACE_SHARED) space = "scratchpad";
    if (is_flat && f->space == SPACE_LOCAL) space = "stack";
    strbuf_puts(out, f->kind == FAULT_ALIGNMENT ? "misaligned "
                     : is_stack                 ? "stack overflow: "
                                                : "out-of-bounds ");
    if (!is_flat || !is_stack) strbuf_printf(out, "%s ", space);
    strbuf_printf(out, "%s of %u byte%s", f->is_write ? "write" : "read", f->access_bytes,
                  f->access_bytes == 1 ? "" : "s");
}

static void describe_access(const struct warp *w, const struct bound *d, unsigned lane,
                            const struct launch_fault *f, struct strbuf *out)
{
    strbuf_printf(out, "kernel %s: ", w->exec->program->name);
    describe_what(w, f, out);
    fault_where(w, d->index, lane, out);
    explain_address(w, f, out);
}

// Fault of an access, with kind, address, space, bytes and direction only.
static struct launch_fault access_fault(const struct warp *w, enum launch_fault_kind kind,
                                        enum isa_space space, uint64_t address, unsigned bytes, bool is_write)
{
    struct launch_fault f = {.kind = kind,
                             .space = (uint8_t)space,
                             .address = address,
                             .access_bytes = bytes,
                             .is_write = is_write};
    if (w->exec->launch->flat) flat_name_fault(w->exec->launch, &f);
    return f;
}

// A local address below 0 (wrapped around): the stack has outgrown its space.
static bool is_stack_overflow(const struct warp *w, enum launch_fault_kind kind, uint64_t address)
{
    return kind == FAULT_LOCAL && (int32_t)(uint32_t)address < 0 && w->exec->program->stack_bytes;
}

const struct bound *exec_fault_address(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                                       unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                                       bool is_write)
{
    if (is_stack_overflow(w, kind, address)) kind = FAULT_STACK;
    const struct launch_fault what = access_fault(w, kind, space, address, bytes, is_write);
    if (!fault_begin(w, d->index, what.kind, lane)) return NULL;
    struct launch_fault *f = w->exec->fault;
    f->address = what.address;
    f->space = what.space;
    f->access_bytes = bytes;
    f->is_write = is_write;
    struct strbuf text = {0};
    describe_access(w, d, lane, f, &text);
    return fault_finish(w, d, &text);
}

bool exec_tolerates(struct warp *w, const struct bound *d, enum launch_fault_kind kind, unsigned lane,
                    struct lane_access *a, unsigned bytes, bool is_write)
{
    const struct launch *l = w->exec->launch;
    if (w->exec->checker) {
        if (is_stack_overflow(w, kind, a->address)) return false; // without return addresses nothing goes on
        checker_excuse(w, d, kind, lane, a, bytes, is_write);
        return true;
    }
    if (kind == FAULT_ALIGNMENT || l->check_bounds == CHECK_STOP) return false;
    if (l->flat)
        a->host = flat_outside(w, a, bytes);
    else if (kind == FAULT_BOUNDS)
        a->host = memory_mapped(l->memory, a->address, bytes);
    if (!a->host) return false;
    if (l->check_bounds == CHECK_IGNORE || !fault_note(w, NOTE_BOUNDS)) return true;
    const struct launch_fault f = access_fault(w, kind, a->space, a->address, bytes, is_write);
    struct strbuf text = {0};
    describe_access(w, d, lane, &f, &text);
    w->exec->notes.of[NOTE_BOUNDS].text = text.text;
    return true;
}

bool exec_may_be_outside(struct warp *w, const struct bound *d, unsigned lane, uint64_t members)
{
    const struct launch *l = w->exec->launch;
    unsigned group = lane / GROUP_LANES * GROUP_LANES;
    if (w->exec->checker) {
        checker_members(w, d, lane, members);
        return true;
    }
    if (l->check_members == CHECK_IGNORE) return true;
    bool stops = l->check_members == CHECK_STOP;
    if (stops ? !fault_begin(w, d->index, FAULT_MEMBERS, lane) : !fault_note(w, NOTE_MEMBERS)) return !stops;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s: lane %u is missing in its own member mask 0x%08x; the result is undefined",
                  w->exec->program->name, lane - group, (unsigned)(members >> group));
    fault_where(w, d->index, lane, &text);
    if (stops)
        fault_finish(w, d, &text);
    else
        w->exec->notes.of[NOTE_MEMBERS].text = text.text;
    return !stops;
}

char *exec_describe_hint(const struct warp *w, const struct bound *d, unsigned lane, uint64_t address,
                         bool is_write, unsigned other)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "kernel %s: %s shared address 0x%llx, also used by ", w->exec->program->name,
                  is_write ? "writes" : "reads", (unsigned long long)address);
    if (other <= w->cta->warp_count)
        strbuf_printf(&text, "warp %u of the block without a barrier between", other - 1);
    else
        strbuf_puts(&text, "other warps of the block without a barrier between");
    fault_where(w, d->index, lane, &text);
    return text.text;
}

static void describe_lanes(uint64_t lanes, struct strbuf *out)
{
    for (const char *separator = ""; lanes; separator = ",") {
        unsigned first = bit_lowest(lanes), last = first;
        while (last < 63 && lanes >> (last + 1) & 1) last++;
        if (first == last)
            strbuf_printf(out, "%s%u", separator, first);
        else
            strbuf_printf(out, "%s%u-%u", separator, first, last);
        lanes = last == 63 ? 0 : lanes >> (last + 1) << (last + 1);
    }
}

// Next instruction of a split of a stopped warp.
static uint32_t pc_of(const struct warp *w, const struct split *s)
{
    bool is_running = s == &w->splits.data[w->current] && s->state == SPLIT_READY;
    return is_running ? w->pc : s->pc;
}

// phase: parity << 63 | address of the mbarrier.
static void describe_phase(const struct warp *w, uint64_t phase, struct strbuf *out)
{
    uint64_t state, address = phase << 1 >> 1, mask = (1ull << MBARRIER_COUNT_BITS) - 1;
    memcpy(&state, w->shared + address, sizeof state);
    int64_t bytes = (int64_t)(state << 1) >> (MBARRIER_BYTES_BIT + 1);
    strbuf_printf(out,
                  " waits for the end of phase %u of the mbarrier at shared 0x%llx, where %llu of %llu "
                  "arrivals and %lld bytes are missing",
                  (unsigned)(phase >> 63), (unsigned long long)address, (unsigned long long)(state & mask),
                  (unsigned long long)(state >> MBARRIER_COUNT_BITS & mask), (long long)bytes);
}

static void describe_split(const struct warp *w, const struct split *s, struct strbuf *out)
{
    strbuf_puts(out, "\n    warp ");
    strbuf_printf(out, "%u, lanes ", w->index);
    describe_lanes(s->mask, out);
    strbuf_puts(out, ": ");
    bool past = s->state != SPLIT_READY && s->state != SPLIT_SYNC;
    exec_describe_inst(w->exec, past && s->pc ? s->pc - 1 : pc_of(w, s), out);
    const struct barrier *b = &w->cta->barriers[s->barrier % BARRIERS];
    switch ((enum split_state)s->state) {
    case SPLIT_READY: strbuf_puts(out, " can run"); break;
    case SPLIT_SYNC:
    case SPLIT_WARPSYNC:
        strbuf_puts(out, " waits for lanes ");
        describe_lanes(s->waits_for & w->present & ~w->exited & ~s->mask, out);
        break;
    case SPLIT_BARRIER:
    case SPLIT_ARRIVE:
        if (w->exec->launch->flat) {
            strbuf_printf(out, " waits for the other warps of group %u", s->barrier);
            break;
        }
        strbuf_printf(out, " waits at barrier %u", s->barrier);
        if (w->waits_at != s->barrier)
            strbuf_puts(out, " for the other lanes of its warp");
        else if (b->expected)
            strbuf_printf(out, ", where %u of %u threads have arrived", b->arrived, b->expected);
        else
            strbuf_printf(out, " for the whole block; %u of %u threads have arrived", b->arrived,
                          w->exec->threads_per_block);
        break;
    case SPLIT_PHASE: describe_phase(w, s->waits_for, out); break;
    case SPLIT_CLUSTER: strbuf_puts(out, " waits for the other threads of the cluster"); break;
    }
}

void exec_describe_warp(const struct warp *w, struct strbuf *out)
{
    for (size_t s = w->splits.count; s-- > 0;) describe_split(w, &w->splits.data[s], out);
}

// Begins the fault of a block with its first live warp as representative. False: no live warp, or already a
// fault.
static bool block_fault_begin(struct cta *c, enum launch_fault_kind kind)
{
    struct warp *first = NULL;
    for (uint32_t i = c->warp_count; i-- > 0;)
        if (c->warps[i].state != WARP_DONE) first = &c->warps[i];
    return first &&
           fault_begin(first, pc_of(first, first->splits.data), kind, bit_lowest(first->splits.data[0].mask));
}

void exec_fault_stall(struct cta *first, struct strbuf *text)
{
    if (block_fault_begin(first, FAULT_STALL))
        first->exec->fault->text = text->text;
    else
        strbuf_fini(text);
}

void exec_fault_deadlock(struct cta *c)
{
    if (!block_fault_begin(c, FAULT_DEADLOCK)) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "kernel %s: deadlock in block (%u,%u,%u): no warp can go on", c->exec->program->name,
                  c->id[0], c->id[1], c->id[2]);
    uint32_t ended = 0;
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *w = &c->warps[i];
        if (w->state == WARP_DONE)
            ended++;
        else
            exec_describe_warp(w, &text);
    }
    if (ended)
        strbuf_printf(&text, "\n    %u warp%s of the block ended", ended, ended == 1 ? " has" : "s have");
    c->exec->fault->text = text.text;
}

void exec_fault_interrupted(struct warp *w)
{
    uint64_t lanes = w->state == WARP_DONE ? w->present : w->active;
    if (!fault_begin(w, w->pc, FAULT_INTERRUPTED, bit_lowest(lanes))) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "kernel %s: interrupted after %llu warp instructions", w->exec->program->name,
                  (unsigned long long)w->exec->instructions_done);
    fault_where(w, w->pc, bit_lowest(lanes), &text);
    w->exec->fault->text = text.text;
}

void exec_fault_limit(struct warp *w)
{
    uint64_t lanes = w->state == WARP_DONE ? w->present : w->active;
    if (!fault_begin(w, w->pc, FAULT_LIMIT, bit_lowest(lanes))) return;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s stopped: the limit of %llu warp instructions (exec.max_warp_instructions) is "
                  "reached, %llu "
                  "of %llu blocks have ended",
                  w->exec->program->name, (unsigned long long)w->exec->instruction_limit,
                  (unsigned long long)w->exec->counts->blocks,
                  (unsigned long long)launch_blocks(w->exec->launch));
    fault_where(w, w->pc, bit_lowest(lanes), &text);
    w->exec->fault->text = text.text;
}

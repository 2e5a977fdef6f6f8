// Findings of a launch under check.
//
//   global memory   bits of the context (check/written.h): the host's writes, and stores of all launches
//   shared memory   a bit per byte, cleared at the start of a block
//   local memory    a bit per byte and lane, likewise
//   barriers        lanes that have stored or arrived at a barrier: an end afterwards skips later barriers
#include "exec/checker.h"
#include "check/check.h"
#include "exec/general.h"
#include "exec/mbarrier.h"
#include "exec/race_book.h"
#include "isa/fields.h"
#include "isa/modes.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

struct checker {
    struct check *check;
    uint64_t local_bytes; // of a lane, a multiple of 64
    // Local addresses of spilled registers, in the kernel's frame: the compiler stores before it loads.
    uint64_t spills, spills_end;
    uint8_t nothing[16]; // bytes of excused accesses
};

struct arrival { // the last at an mbarrier
    uint32_t barrier;
    uint64_t state; // behind the last change
    struct check_event at;
};

struct checker_block {
    VEC(struct arrival) arrivals; // one an mbarrier
    uint64_t *shared;             // bits
    uint64_t *local;              // bits, [warp][lane][byte]
    uint64_t *acted;              // by warp: lanes that have stored, or arrived at a barrier
};

void checker_create(struct exec *e)
{
    const struct launch *l = e->launch;
    if (!l->check) return;
    struct checker *k = e->checker = heap_alloc(sizeof *k);
    k->check = l->check;
    k->local_bytes = align_up(l->local_total, 64);
    k->spills_end = l->program->local_bytes;
    k->spills = k->spills_end - l->program->spill_bytes;
}

void checker_destroy(struct exec *e)
{
    free(e->checker);
    e->checker = NULL;
}

// Bytes that an mbarrier expects and that are not complete; below zero: complete and not expected.
static int32_t bytes_of(uint64_t state)
{
    const int32_t modulus = 1 << MBARRIER_BYTES_BITS;
    int32_t bytes = (int32_t)(state >> MBARRIER_BYTES_BIT) & (modulus - 1);
    return bytes >= modulus / 2 ? bytes - modulus : bytes;
}

// An mbarrier whose memory has been used otherwise since is not looked at.
static void check_arrivals(const struct cta *c)
{
    struct check *to = c->exec->checker->check;
    for (size_t k = 0; k < c->checked->arrivals.count; k++) {
        const struct arrival *a = &c->checked->arrivals.data[k];
        int32_t bytes = bytes_of(a->state);
        if (memcmp(c->shared + a->barrier, &a->state, sizeof a->state) != 0 || !bytes) continue;
        if (check_found(to, CHECK_TRANSACTIONS, &a->at, NULL, 0))
            check_say(to, "the block ends with %d bytes at the mbarrier %s", bytes < 0 ? -bytes : bytes,
                      bytes < 0 ? "complete and never expected" : "expected and not complete");
    }
}

void checker_changed(const struct cta *c, uint32_t barrier)
{
    for (size_t k = 0; k < c->checked->arrivals.count; k++) {
        struct arrival *a = &c->checked->arrivals.data[k];
        if (a->barrier == barrier) memcpy(&a->state, c->shared + barrier, sizeof a->state);
    }
}

void checker_block_end(struct cta *c)
{
    if (!c->checked) return;
    if (!c->warps_left) check_arrivals(c);
    vec_fini(&c->checked->arrivals);
    free(c->checked->shared);
    free(c->checked->local);
    free(c->checked->acted);
    free(c->checked);
    c->checked = NULL;
}

void checker_block_start(struct cta *c)
{
    const struct checker *k = c->exec->checker;
    if (!k) return;
    checker_block_end(c);
    struct checker_block *b = c->checked = heap_alloc(sizeof *b);
    b->shared = heap_alloc(align_up(c->exec->launch->shared_total, 64) / 8 + 8);
    b->local = heap_alloc(c->warp_count * LANES_MAX * k->local_bytes / 8 + 8);
    b->acted = heap_alloc(c->warp_count * sizeof *b->acted);
}

// -- reporting ----------------------------------------------------------------------------------------------

static struct check_event event_of(const struct warp *w, uint32_t inst, unsigned lane, const char *act)
{
    const struct launch *l = w->exec->launch;
    struct check_event e = {
        .program = l->program, .inst = inst, .kernel = l->kernel_name, .ptx_file = l->ptx_file, .act = act};
    memcpy(e.block, w->cta->id, sizeof e.block);
    exec_thread_of(w, lane, e.thread);
    return e;
}

static const char *space_name(enum isa_space space)
{
    switch (space) {
    case SPACE_GENERIC:
    case SPACE_GLOBAL: return "global memory";
    case SPACE_SHARED: return "shared memory";
    case SPACE_LOCAL: return "local memory";
    case SPACE_CONST: return "constants";
    }
    return "memory";
}

static enum check_kind kind_of(const struct warp *w, enum launch_fault_kind kind, uint64_t address)
{
    if (kind == FAULT_ALIGNMENT) return CHECK_ALIGNMENT;
    if (kind == FAULT_BOUNDS && memory_was_freed(w->exec->launch->memory, address)) return CHECK_FREED;
    return kind == FAULT_STACK ? CHECK_STACK : CHECK_BOUNDS;
}

static void describe_place(const struct launch *l, enum launch_fault_kind kind, const struct lane_access *a,
                           unsigned bytes, struct strbuf *out)
{
    unsigned long long address = a->address;
    if (kind == FAULT_ALIGNMENT)
        strbuf_printf(out, "0x%llx is not a multiple of %u", address, bytes);
    else if (a->space == SPACE_SHARED)
        strbuf_printf(out, "offset %llu; the block has %u bytes", address, l->shared_total);
    else if (a->space == SPACE_LOCAL)
        strbuf_printf(out, "offset %llu; the thread has %u bytes", address, l->local_total);
    else if (a->space == SPACE_CONST)
        strbuf_printf(out, "offset %llu is past the end of the constant bank", address);
    else
        memory_describe(l->memory, a->address, out);
}

void checker_excuse(struct warp *w, const struct bound *d, enum launch_fault_kind kind, unsigned lane,
                    struct lane_access *a, unsigned bytes, bool is_write)
{
    struct checker *k = w->exec->checker;
    struct check_event at = event_of(w, d->index, lane, is_write ? "write" : "read");
    bool is_fragment = bound_inst(d, w)->op == OP_LDSM;
    enum check_kind what = is_fragment ? CHECK_FRAGMENT : kind_of(w, kind, a->address);
    if (check_found(k->check, what, &at, NULL, a->space)) {
        struct strbuf place = {0};
        describe_place(w->exec->launch, kind, a, bytes, &place);
        check_say(k->check, "%s of %u byte%s of %s: %s", is_write ? "write" : "read", bytes,
                  bytes == 1 ? "" : "s", space_name(a->space), strbuf_text(&place));
        strbuf_fini(&place);
    }
    memset(k->nothing, 0, sizeof k->nothing);
    *a = (struct lane_access){.space = SPACE_CONST, .host = k->nothing};
}

void checker_members(struct warp *w, const struct bound *d, unsigned lane, uint64_t members)
{
    struct check *c = w->exec->checker->check;
    unsigned group = lane / GROUP_LANES * GROUP_LANES;
    struct check_event at = event_of(w, d->index, lane, NULL);
    if (check_found(c, CHECK_MEMBERS, &at, NULL, 0))
        check_say(c, "lane %u executes the instruction and is missing in the member mask 0x%08x",
                  lane - group, (unsigned)(members >> group));
}

// -- memory never written -----------------------------------------------------------------------------------

uint64_t *checker_word(struct warp *w, enum isa_space space, uint64_t address, bool is_write)
{
    if (space == SPACE_SHARED) return &w->cta->checked->shared[address / 64];
    return written_word(&w->exec->checker->check->global, address, is_write);
}

static uint64_t *local_word(struct warp *w, unsigned lane, uint64_t address)
{
    uint64_t lanes = (uint64_t)w->index * LANES_MAX + lane;
    return &w->cta->checked->local[(lanes * w->exec->checker->local_bytes + address) / 64];
}

bool checker_reads(const struct warp *w, enum isa_space space)
{
    return space == SPACE_GLOBAL || w->exec->launch->check_unwritten != UNWRITTEN_GLOBAL;
}

void checker_acted(struct warp *w, uint64_t lanes) { w->cta->checked->acted[w->index] |= lanes; }

static void tell_unwritten(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
                           unsigned bytes)
{
    const struct launch *l = w->exec->launch;
    struct check *c = w->exec->checker->check;
    struct check_event at = event_of(w, d->index, lane, "read");
    if (!check_found(c, CHECK_UNWRITTEN, &at, NULL, a->space)) return;
    struct strbuf place = {0};
    if (a->space == SPACE_GLOBAL)
        memory_describe(l->memory, a->address, &place);
    else
        strbuf_printf(&place, "offset %llu", (unsigned long long)a->address);
    check_say(c, "read of %u byte%s of %s never written: %s", bytes, bytes == 1 ? "" : "s",
              space_name(a->space), strbuf_text(&place));
    strbuf_fini(&place);
}

// An exchange overwrites its place; other atomics read the place.
static bool reads_place(const struct inst *i, enum race_access access)
{
    if (access == RACE_WRITE) return false;
    return access == RACE_READ || i->mode != MODE_ATOM_EXCH;
}

void checker_access(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
                    unsigned bytes, enum race_access access)
{
    const struct checker *k = w->exec->checker;
    if (a->space == SPACE_CONST) return; // excused
    uint64_t *word = a->space == SPACE_LOCAL ? local_word(w, lane, a->address)
                                             : checker_word(w, a->space, a->address, access != RACE_READ),
             bits = written_bits(a->address, bytes);
    bool is_clean = (word && (*word & bits) == bits) || !checker_reads(w, a->space) ||
                    !reads_place(bound_inst(d, w), access) ||
                    (a->space == SPACE_LOCAL && a->address >= k->spills && a->address < k->spills_end);
    if (!is_clean) tell_unwritten(w, d, lane, a, bytes);
    if (access == RACE_READ) return;
    *word |= bits;
    if (a->space != SPACE_LOCAL) checker_acted(w, 1ull << lane);
}

// -- barriers -----------------------------------------------------------------------------------------------

static bool waits_at(const struct split *s, unsigned number)
{
    return s->state == SPLIT_BARRIER && s->barrier == number;
}

// The first split that waits at the barrier, and its warp; NULL: none.
static const struct split *first_at(const struct cta *c, unsigned number, const struct warp **warp)
{
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *w = *warp = &c->warps[i];
        for (uint32_t k = 0; w->waits_at == number && k < w->splits.count; k++)
            if (waits_at(&w->splits.data[k], number)) return &w->splits.data[k];
    }
    return NULL;
}

static void tell_skipped(const struct warp *w, const struct split *s, const struct warp *gone, uint64_t lanes,
                         unsigned count)
{
    const struct exec *e = w->exec;
    struct check_event at = event_of(w, s->pc - 1, bit_lowest(s->mask), "waits");
    if (!check_found(e->checker->check, CHECK_BARRIER, &at, NULL, 1)) return;
    uint32_t t[3];
    exec_thread_of(gone, bit_lowest(lanes), t);
    check_say(
        e->checker->check,
        "%u of the block's %u threads end without the barrier, after a store or an earlier barrier; the "
        "first is thread (%u,%u,%u)",
        count, e->threads_per_block, t[0], t[1], t[2]);
}

static void tell_apart(const struct warp *w, const struct split *s, const struct warp *v,
                       const struct split *r)
{
    struct check *c = w->exec->checker->check;
    struct check_event at = event_of(w, s->pc - 1, bit_lowest(s->mask), "waits"),
                       other = event_of(v, r->pc - 1, bit_lowest(r->mask), "waits");
    if (check_found(c, CHECK_BARRIER, &at, &other, 2))
        check_say(c, "threads of one %s wait at different barrier instructions", w == v ? "warp" : "block");
}

// The number of lanes ended after a store or a barrier. *first, *lanes: the first warp with such lanes.
static unsigned count_gone(const struct cta *c, const struct warp **first, uint64_t *lanes)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *w = &c->warps[i];
        uint64_t gone = w->exited & c->checked->acted[i];
        if (gone && !count) *first = w, *lanes = gone;
        count += bit_count(gone);
    }
    return count;
}

void checker_barrier(struct cta *c, unsigned number)
{
    const struct warp *w, *gone = NULL;
    uint64_t lanes = 0;
    const struct split *s = first_at(c, number, &w);
    if (!s || c->exec->launch->flat) return;
    bool is_whole = c->barriers[number].expected == 0;
    unsigned count = is_whole ? count_gone(c, &gone, &lanes) : 0;
    if (count) tell_skipped(w, s, gone, lanes, count);
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *v = &c->warps[i];
        if (v->waits_at != number || v->state == WARP_DONE) continue;
        for (uint32_t k = 0; k < v->splits.count; k++) {
            const struct split *r = &v->splits.data[k];
            if (!waits_at(r, number)) continue;
            if (r->pc != s->pc && (is_whole || v == w)) tell_apart(w, s, v, r);
            c->checked->acted[i] |= r->mask;
        }
    }
}

// -- races and faults ---------------------------------------------------------------------------------------

static struct check_event event_of_record(const struct launch *l, const struct race_record *r, bool is_write)
{
    const uint32_t *n = l->block, *grid = l->grid;
    return (struct check_event){
        .program = l->program,
        .inst = r->inst,
        .kernel = l->kernel_name,
        .ptx_file = l->ptx_file,
        .act = r->is_copy  ? (is_write ? "write by a copy" : "read by a copy")
               : r->strong ? "atomic"
               : is_write  ? "write"
                           : "read",
        .thread = {r->thread % n[0], r->thread / n[0] % n[1], r->thread / n[0] / n[1]},
        .block = {r->block % grid[0], r->block / grid[0] % grid[1], r->block / grid[0] / grid[1]}};
}

void checker_open_copy(struct warp *w, uint32_t inst, unsigned lane)
{
    struct check *c = w->exec->checker->check;
    struct check_event at = event_of(w, inst, lane, "copy");
    if (check_found(c, CHECK_GROUP, &at, NULL, 0))
        check_say(c, "the thread ends without a wait for the group of its asynchronous copy");
}

void checker_open_product(struct warp *w, uint32_t inst)
{
    struct check *c = w->exec->checker->check;
    struct check_event at = event_of(w, inst, 0, "wgmma");
    if (check_found(c, CHECK_PRODUCT, &at, NULL, 0))
        check_say(c, "the warp ends without a wait for the group of its product");
}

void checker_changed_factor(struct warp *w, uint32_t inst)
{
    struct check *c = w->exec->checker->check;
    struct check_event at = event_of(w, inst, 0, "wgmma");
    if (check_found(c, CHECK_FACTOR, &at, NULL, 0))
        check_say(c, "shared memory with a factor of the product is written before the wait for its group");
}

void checker_arrived(struct warp *w, const struct bound *d, unsigned lane, struct cta *at, uint32_t barrier)
{
    struct arrival *a = NULL;
    for (size_t k = 0; k < at->checked->arrivals.count && !a; k++)
        if (at->checked->arrivals.data[k].barrier == barrier) a = &at->checked->arrivals.data[k];
    if (!a) {
        vec_push(&at->checked->arrivals, ((struct arrival){.barrier = barrier}));
        a = &vec_last(&at->checked->arrivals);
    }
    a->at = event_of(w, d->index, lane, "arrive");
    checker_changed(at, barrier);
}

void checker_unordered_product(struct warp *w, const struct bound *d)
{
    struct check *c = w->exec->checker->check;
    unsigned flags = bound_inst(d, w)->flags;
    struct check_event at = event_of(w, d->index, 0, "wgmma");
    if (flags & INST_UNFENCED && check_found(c, CHECK_UNFENCED, &at, NULL, 0))
        check_say(
            c, "registers of the product are accessed by other instructions, without a wgmma.fence behind");
    if (flags & INST_EXPOSED && check_found(c, CHECK_EXPOSED, &at, NULL, 0))
        check_say(c, "other instructions access the sums of the product before the wait for its group");
}

// Kind of an unordered pair: by the copy, if one of the accesses is a copy's. Which access comes first in a functional run
// says nothing.
static enum check_kind kind_of_pair(bool is_shared, const struct race_record *before, bool before_writes,
                                    const struct race_record *now, bool now_writes)
{
    if (!before->is_copy && !now->is_copy) return CHECK_RACE;
    if (!is_shared) return CHECK_SOURCE;
    return before_writes && now_writes ? CHECK_UNDER_WAY : CHECK_LANDING;
}

void checker_race(const struct launch *l, bool is_shared, uint64_t address, const struct race_record *before,
                  bool before_writes, const struct launch *other, const struct race_record *now,
                  bool now_writes)
{
    struct check_event first = event_of_record(l, before, before_writes),
                       second = event_of_record(other, now, now_writes);
    enum check_kind kind = kind_of_pair(is_shared, before, before_writes, now, now_writes);
    if (!check_found(other->check, kind, &first, &second, 0)) return;
    const char *among = l != other                    ? "launches without an order"
                        : before->block != now->block ? "blocks"
                                                      : "threads of a block";
    struct strbuf place = {0};
    if (is_shared)
        strbuf_printf(&place, "offset %llu", (unsigned long long)address);
    else
        memory_describe(l->memory, address, &place);
    check_say(other->check, "%s and %s of %s without an order, by %s: %s", first.act, second.act,
              space_name(is_shared ? SPACE_SHARED : SPACE_GLOBAL), among, strbuf_text(&place));
    strbuf_fini(&place);
}

void checker_unseen(struct warp *w, const struct bound *d, unsigned lane, const struct race_record *write)
{
    struct check *c = w->exec->checker->check;
    struct check_event first = event_of_record(w->exec->launch, write, true),
                       second = event_of(w, d->index, lane, "read");
    if (check_found(c, CHECK_PROXY, &first, &second, 0))
        check_say(c, "shared memory written by an instruction is read by the async proxy without a "
                     "fence.proxy.async between");
}

static enum check_kind kind_of_fault(const struct warp *w, const struct launch_fault *f)
{
    switch (f->kind) {
    case FAULT_BOUNDS:
    case FAULT_SHARED:
    case FAULT_LOCAL:
    case FAULT_CONSTANT:
    case FAULT_ALIGNMENT: return kind_of(w, f->kind, f->address);
    case FAULT_STACK: return CHECK_STACK;
    case FAULT_TRAP:
    case FAULT_ASSERT: return CHECK_TRAP;
    case FAULT_MEMBERS: return CHECK_MEMBERS;
    case FAULT_DEADLOCK: return CHECK_BARRIER;
    case FAULT_STALL:
    case FAULT_LIMIT: return CHECK_HANG;
    case FAULT_BRANCH:
    case FAULT_TEXTURE:
    case FAULT_INTERNAL:
    case FAULT_NONE:
    case FAULT_INTERRUPTED: break;
    }
    return CHECK_OTHER;
}

// Instruction of a fault; of a warp that waits at a barrier the barrier, one before the warp's next instruction.
static uint32_t place_of_fault(const struct exec *e)
{
    const struct launch_fault *f = e->fault;
    bool waits = f->kind == FAULT_DEADLOCK && f->inst && isa_has(&e->insts[f->inst - 1], ISA_BARRIER);
    return waits ? f->inst - 1 : f->inst;
}

// Appends a fault's text on one line, without the lines on its place.
static void flatten(const char *text, struct strbuf *out)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        while (length && *text == ' ') text++, length--;
        if (str_starts_with(text, "at pc ") || str_starts_with(text, "by thread ")) continue;
        if (out->length) strbuf_puts(out, "; ");
        strbuf_write(out, text, length);
    }
}

void checker_fault(struct exec *e)
{
    const struct launch_fault *f = e->fault;
    const struct launch *l = e->launch;
    if (!e->checker || f->kind == FAULT_NONE || f->kind == FAULT_INTERRUPTED) return;
    const struct warp w = {.exec = e};
    struct check_event at = {
        .program = l->program, .inst = place_of_fault(e), .kernel = l->kernel_name, .ptx_file = l->ptx_file};
    memcpy(at.block, f->block, sizeof at.block);
    memcpy(at.thread, f->thread, sizeof at.thread);
    if (!check_found(e->checker->check, kind_of_fault(&w, f), &at, NULL, 3)) return;
    struct strbuf text = {0};
    flatten(f->text ? f->text : "the launch stopped", &text);
    check_say(e->checker->check, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

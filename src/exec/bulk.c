// Bulk copies: see bulk.h.
#include "exec/bulk.h"
#include "exec/async.h"
#include "exec/checker.h"
#include "exec/general.h"
#include "exec/mbarrier.h"
#include "exec/phase.h"
#include "exec/race.h"
#include "isa/fields.h"
#include "isa/modes.h"

#include <stdlib.h>
#include <string.h>

enum { CELL = 16, ROW_SHIFT = 7, OFFSET_MASK = (1 << ISA_RANK_SHIFT) - 1, MULTICAST = 1 << 16 };

// -- copies -------------------------------------------------------------------------------------------------

static struct bulk_warp *bulk_of(struct warp *w)
{
    struct async_warp *a = async_of(w);
    if (!a->bulk) a->bulk = heap_alloc(sizeof *a->bulk);
    return a->bulk;
}

void bulk_free(struct bulk_copy *c)
{
    vec_fini(&c->pieces);
    free(c->image);
    free(c->reduction);
    free(c);
}

struct bulk_copy *bulk_clone(const struct bulk_copy *c)
{
    struct bulk_copy *to = heap_alloc(sizeof *to);
    *to = *c;
    memset(&to->pieces, 0, sizeof to->pieces);
    to->reduction = NULL;
    to->image = heap_alloc(c->bytes + 1);
    memcpy(to->image, c->image, c->bytes);
    return to;
}

void bulk_start(struct warp *w)
{
    struct bulk_warp *b = w->async->bulk;
    if (!b) return;
    for (size_t k = 0; k < b->queue.count; k++) bulk_free(b->queue.data[k]);
    b->queue.count = 0;
    memset(b->commits, 0, sizeof b->commits);
}

void bulk_fini(struct warp *w)
{
    struct bulk_warp *b = w->async->bulk;
    if (!b) return;
    bulk_start(w);
    vec_fini(&b->queue);
    free(b);
}

static void leave_queue(struct bulk_copy *c)
{
    struct bulk_warp *b = c->warp->async->bulk;
    size_t kept = 0;
    for (size_t k = 0; k < b->queue.count; k++)
        if (b->queue.data[k] != c) b->queue.data[kept++] = b->queue.data[k];
    b->queue.count = kept;
}

// The place in shared memory of a cell of the image.
static uint32_t swizzled(const struct bulk_copy *c, uint32_t address)
{
    return address ^ (address >> ROW_SHIFT & c->swizzle) * CELL;
}

static void copy_shared(const struct bulk_copy *c, uint8_t *shared, bool is_read)
{
    for (uint32_t at = 0; at < c->bytes; at += CELL) {
        uint8_t *place = shared + swizzled(c, c->shared + at);
        if (is_read)
            memcpy(c->image + at, place, CELL);
        else
            memcpy(place, c->image + at, CELL);
    }
}

void bulk_depart(struct bulk_copy *c)
{
    c->has_departed = true;
    if (c->kind == BULK_STORE) {
        copy_shared(c, c->warp->shared, true);
        return;
    }
    for (size_t k = 0; k < c->pieces.count; k++) {
        const struct bulk_piece *p = &c->pieces.data[k];
        memcpy(c->image + p->offset, p->host, p->bytes);
    }
}

// -- reductions ---------------------------------------------------------------------------------------------

static void reduce_run(const struct bulk_copy *c, enum isa_space where, uint8_t *to, const uint8_t *from,
                       uint32_t bytes)
{
    unsigned size = isa_type_bytes((enum isa_type)c->by->type);
    for (uint32_t at = 0; at + size <= bytes; at += size) {
        uint32_t before[4] = {0}, b[4] = {0}, after[4] = {0};
        memcpy(before, to + at, size);
        memcpy(b, from + at, size);
        exec_atomic_apply(c->by, where, size, before, b, b, after);
        memcpy(to + at, after, size);
    }
}

// -- landing ------------------------------------------------------------------------------------------------

static void complete(struct cta *to, uint32_t barrier, uint32_t bytes)
{
    const uint64_t mask = (1ull << MBARRIER_BYTES_BITS) - 1;
    uint64_t state;
    memcpy(&state, to->shared + barrier, sizeof state);
    state = mbarrier_arrive(state, ((0 - (uint64_t)bytes) & mask) << MBARRIER_BYTES_BIT);
    memcpy(to->shared + barrier, &state, sizeof state);
    if (to->checked) checker_changed(to, barrier);
    phase_changed(to, barrier);
}

void bulk_land_in(const struct bulk_copy *c, struct cta *to)
{
    if (c->reduces)
        reduce_run(c, SPACE_SHARED, to->shared + c->shared, c->image, c->bytes);
    else
        copy_shared(c, to->shared, false);
    complete(to, c->barrier, c->bytes);
}

static void land_in_shared(const struct bulk_copy *c)
{
    for (uint32_t left = c->blocks; left; left &= left - 1) {
        struct cta *to = c->warp->cta->cluster->cta[bit_lowest(left)];
        if (to) bulk_land_in(c, to);
    }
}

void bulk_land_own(struct bulk_copy *c)
{
    if (!c->has_landed) land_in_shared(c);
    c->has_landed = true;
}

static void land_in_global(const struct bulk_copy *c)
{
    for (size_t k = 0; k < c->pieces.count; k++) {
        const struct bulk_piece *p = &c->pieces.data[k];
        if (c->reduces)
            reduce_run(c, SPACE_GLOBAL, p->host, c->image + p->offset, p->bytes);
        else
            memcpy(p->host, c->image + p->offset, p->bytes);
    }
}

void bulk_leave(struct bulk_copy *c)
{
    c->warp->exec->landings++;
    leave_queue(c);
    bulk_free(c);
}

void bulk_land(struct bulk_copy *c)
{
    if (c->kind == BULK_LOAD || c->kind == BULK_SEND)
        bulk_land_own(c);
    else if (c->kind == BULK_STORE)
        land_in_global(c);
    bulk_leave(c);
}

static void finish(struct bulk_copy *c)
{
    if (!c->has_departed) bulk_depart(c);
    bulk_land(c);
}

// -- issue --------------------------------------------------------------------------------------------------

uint32_t bulk_word(const struct bulk_issue *x, unsigned operand, unsigned word)
{
    return exec_lane_word(x->d, x->w, x->regs, operand, word, x->lane);
}

uint64_t bulk_wide(const struct bulk_issue *x, unsigned operand)
{
    return (uint64_t)bulk_word(x, operand, 1) << 32 | bulk_word(x, operand, 0);
}

static bool fails(const struct bulk_issue *x, enum launch_fault_kind kind, enum isa_space space,
                  uint64_t address, uint32_t bytes, bool is_write)
{
    exec_fault_address(x->w, x->d, kind, x->lane, space, address, bytes, is_write);
    return false;
}

// Rank of the block of an address of shared memory of the cluster; -1 after a fault.
static int find_shared(const struct bulk_issue *x, uint32_t address, uint32_t bytes, unsigned alignment,
                       bool is_write)
{
    const struct cta *c = x->w->cta;
    uint32_t offset = address & OFFSET_MASK, field = address >> ISA_RANK_SHIFT;
    uint32_t rank = field ? field - 1 : c->rank;
    enum launch_fault_kind kind = address % alignment ? FAULT_ALIGNMENT : FAULT_SHARED;
    if (cluster_has(c->cluster, rank) && offset % alignment == 0 && exec_shared_holds(x->w, offset, bytes))
        return (int)rank;
    fails(x, kind, SPACE_SHARED, address, bytes, is_write);
    return -1;
}

static bool find_global(const struct bulk_issue *x, uint64_t address, uint32_t bytes, bool is_write)
{
    struct lane_access a;
    enum launch_fault_kind kind = FAULT_BOUNDS;
    if (address % CELL) return fails(x, FAULT_ALIGNMENT, SPACE_GLOBAL, address, bytes, is_write);
    uint8_t *host = exec_global_near(x->w->exec, address, bytes);
    for (uint32_t at = 0; !host && at < bytes; at += CELL) // the first cell outside names the fault
        if (!exec_resolve(x->w, x->lane, SPACE_GLOBAL, address + at, CELL, &a, &kind))
            return fails(x, kind, SPACE_GLOBAL, address + at, CELL, is_write);
    if (!host) return fails(x, kind, SPACE_GLOBAL, address, bytes, is_write);
    vec_push(&x->c->pieces, ((struct bulk_piece){host, address, 0, bytes}));
    return true;
}

// Destinations of a load or send, and the mbarrier.
static bool find_blocks(const struct bulk_issue *x, uint32_t blocks, unsigned alignment)
{
    struct bulk_copy *c = x->c;
    uint32_t address = bulk_word(x, 0, 0), barrier = bulk_word(x, 0, 1);
    int to = find_shared(x, address, c->bytes, alignment, true);
    int at = to >= 0 ? find_shared(x, barrier, 8, 8, true) : -1;
    if (at < 0) return false;
    c->shared = address & OFFSET_MASK;
    c->barrier = barrier & OFFSET_MASK;
    if (!(blocks & MULTICAST)) {
        c->blocks = (uint16_t)(1u << to);
        if (to == at) return true;
        exec_fault(
            x->w, x->d, FAULT_SHARED, x->lane,
            "a bulk copy to block %d of the cluster with an mbarrier in block %d: they must be in one block",
            to, at);
        return false;
    }
    c->blocks = (uint16_t)blocks;
    const struct cluster *all = x->w->cta->cluster;
    for (uint32_t left = c->blocks; left; left &= left - 1)
        if (!cluster_has(all, bit_lowest(left))) {
            exec_fault(x->w, x->d, FAULT_SHARED, x->lane,
                       "a bulk copy to rank %u of a cluster of %u blocks, which does not exist or has ended",
                       bit_lowest(left), all->size);
            return false;
        }
    return true;
}

static bool find_source(const struct bulk_issue *x, uint32_t address, unsigned alignment)
{
    if (find_shared(x, address, x->c->bytes, alignment, false) < 0) return false;
    if (address <= OFFSET_MASK) return true;
    exec_fault(x->w, x->d, FAULT_SHARED, x->lane,
               "the source of a bulk copy is shared memory of another block");
    return false;
}

bool bulk_find_shared(const struct bulk_issue *x, uint32_t blocks, unsigned alignment)
{
    struct bulk_copy *c = x->c;
    if (c->kind == BULK_PREFETCH) return true;
    if (c->kind != BULK_STORE) return find_blocks(x, blocks, alignment);
    c->shared = bulk_word(x, 0, 0);
    return find_source(x, c->shared, alignment);
}

static bool find_plain(const struct bulk_issue *x)
{
    struct bulk_copy *c = x->c;
    uint64_t other = bulk_wide(x, 1);
    c->bytes = bulk_word(x, 2, 0);
    if (c->bytes % CELL) {
        exec_fault(x->w, x->d, FAULT_ALIGNMENT, x->lane, "a bulk copy of %u bytes: not a multiple of 16",
                   c->bytes);
        return false;
    }
    if (!bulk_find_shared(x, bulk_word(x, 2, 1), CELL)) return false;
    if (!c->bytes) return true;
    if (c->kind != BULK_SEND) return find_global(x, other, c->bytes, c->kind == BULK_STORE);
    if (!find_source(x, (uint32_t)other, CELL)) return false;
    vec_push(&c->pieces, ((struct bulk_piece){x->w->shared + other, other, 0, c->bytes}));
    return true;
}

static void describe(struct bulk_copy *c, const struct inst *i)
{
    switch ((int)i->op) {
    case OP_UTMALDG:
    case OP_UBLKLD: c->kind = BULK_LOAD; break;
    case OP_UBLKREDS: c->reduces = true; // fall through
    case OP_UBLKSEND: c->kind = BULK_SEND; break;
    case OP_UTMAREDG:
    case OP_UBLKRED: c->reduces = true; // fall through
    case OP_UTMASTG:
    case OP_UBLKST: c->kind = BULK_STORE; break;
    default: c->kind = BULK_PREFETCH; break;
    }
}

static void count(struct warp *w, const struct bulk_copy *c)
{
    if (c->reduces) w->counts.atomics++;
    if (c->kind == BULK_LOAD) w->counts.global_loads++;
    if (c->kind == BULK_LOAD || c->kind == BULK_SEND) w->counts.shared_stores++;
    if (c->kind == BULK_STORE || c->kind == BULK_SEND) w->counts.shared_loads++;
    if (c->kind == BULK_STORE) w->counts.global_stores++;
}

// -- race detector ------------------------------------------------------------------------------------------

static void race_shared(const struct bulk_issue *x, enum race_access access, enum race_track track)
{
    const struct bulk_copy *c = x->c;
    race_bulk(x->w, x->d, x->lane, track, access == RACE_ATOMIC);
    for (uint32_t at = 0; at < c->bytes; at += CELL) {
        const struct lane_access a = {.space = SPACE_SHARED, .address = swizzled(c, c->shared + at)};
        if (access == RACE_READ) race_proxy_read(x->w, x->d, x->lane, a.address, CELL);
        race_lane(x->w, x->d, x->lane, &a, CELL, access, access == RACE_READ ? NULL : c->image + at);
    }
}

static void race_pieces(const struct bulk_issue *x, enum race_access access, enum race_track track)
{
    const struct bulk_copy *c = x->c;
    race_bulk(x->w, x->d, x->lane, track, access == RACE_ATOMIC);
    for (size_t k = 0; k < c->pieces.count; k++) {
        const struct bulk_piece *p = &c->pieces.data[k];
        const struct lane_access a = {.space = c->kind == BULK_SEND ? SPACE_SHARED : SPACE_GLOBAL,
                                      .address = p->address};
        if (c->kind == BULK_SEND && access == RACE_READ)
            race_proxy_read(x->w, x->d, x->lane, p->address, p->bytes);
        race_lane(x->w, x->d, x->lane, &a, p->bytes, access,
                  access == RACE_READ ? NULL : c->image + p->offset);
    }
}

// A copy is a thread of its own (race_copy.h), to the detector with the values at the issue.
static void look_for_races(const struct bulk_issue *x)
{
    struct bulk_copy *c = x->c;
    if (!x->w->exec->races) return;
    bulk_depart(c);
    if (c->kind == BULK_STORE) {
        race_shared(x, RACE_READ, RACE_BULK_SOURCE);
        race_pieces(x, c->reduces ? RACE_ATOMIC : RACE_WRITE, RACE_BULK_TARGET);
    } else if (c->kind != BULK_PREFETCH) {
        race_pieces(x, RACE_READ, RACE_BULK_BARRIER);
        if (c->blocks >> x->w->cta->rank & 1)
            race_shared(x, c->reduces ? RACE_ATOMIC : RACE_WRITE, RACE_BULK_BARRIER);
        for (uint32_t left = c->blocks; left; left &= left - 1)
            race_bulk_complete(x->w, x->lane, x->w->cta->cluster->cta[bit_lowest(left)], c->barrier);
    }
    c->has_departed = false;
}

// -- instructions -------------------------------------------------------------------------------------------

static bool is_tensor(const struct inst *i) { return i->src[3].kind != OPERAND_NONE; }

static bool issue_lane(const struct bulk_issue *x)
{
    struct bulk_copy *c = x->c;
    struct bulk_warp *b = bulk_of(x->w);
    struct exec *e = x->w->exec;
    *c = (struct bulk_copy){.warp = x->w, .inst = bound_inst(x->d, x->w), .lane = (uint8_t)x->lane};
    c->group = b->commits[x->lane];
    describe(c, c->inst);
    c->by = c->inst;
    vec_push(&b->queue, c);
    if (!(is_tensor(c->inst) ? bulk_find_tensor(x) : find_plain(x))) {
        bulk_leave(c);
        return false;
    }
    if (!c->image) c->image = heap_alloc(c->bytes + 1);
    count(x->w, c);
    look_for_races(x);
    e->landings++;
    if (e->is_timed)
        e->copies(e->woken_context, x->w, c);
    else if (!e->defers_copies)
        finish(c);
    return true;
}

const struct bound *exec_bulk(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    race_instruction(w, d);
    for (; active; active &= active - 1) {
        struct bulk_copy *c = heap_alloc(sizeof *c);
        const struct bulk_issue x = {w, d, regs, bit_lowest(active), c};
        if (!issue_lane(&x)) return NULL;
    }
    return d + 1;
}

const struct bound *exec_bulk_commit(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    race_bulk_commit(w, active);
    struct bulk_warp *b = bulk_of(w);
    for (; active; active &= active - 1) b->commits[bit_lowest(active)]++;
    return d + 1;
}

// Whether a wait for all but the newest `groups` groups of the thread covers the copy.
static bool is_covered(const struct bulk_warp *b, const struct bulk_copy *c, uint64_t lanes, unsigned groups)
{
    return c->kind == BULK_STORE && lanes >> c->lane & 1 && (uint64_t)c->group + groups < b->commits[c->lane];
}

bool bulk_covers(const struct warp *w, uint64_t lanes, unsigned pending)
{
    const struct bulk_warp *b = w->async ? w->async->bulk : NULL;
    for (size_t k = 0; b && k < b->queue.count; k++) {
        const struct bulk_copy *c = b->queue.data[k];
        if (!(pending & 1 && c->has_departed) && is_covered(b, c, lanes, pending / 2)) return true;
    }
    return false;
}

// In timed runs the wait issues after the landings.
const struct bound *exec_bulk_wait(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    unsigned pending = (unsigned)w->exec->general[d->index].value[0];
    struct bulk_warp *b = w->async ? w->async->bulk : NULL;
    race_bulk_wait(w, active, pending / 2, pending & 1);
    for (size_t k = 0; b && !w->exec->is_timed && k < b->queue.count;) {
        struct bulk_copy *c = b->queue.data[k];
        bool covers = is_covered(b, c, active, pending / 2);
        if (covers && !(pending & 1))
            finish(c); // the next copy takes its place
        else if (covers && !c->has_departed)
            bulk_depart(c);
        else
            k++;
    }
    return d + 1;
}

// -- late runs ----------------------------------------------------------------------------------------------

// Whether to land a copy of a late run: of `lanes`, to block `to` (NULL: any), to the mbarrier at `barrier` (any: NO_LIMIT).
static void land_some(struct warp *w, uint64_t lanes, const struct cta *to, uint64_t barrier)
{
    struct bulk_warp *b = w->async ? w->async->bulk : NULL;
    for (size_t k = 0; b && k < b->queue.count;) {
        struct bulk_copy *c = b->queue.data[k];
        bool is_for = !to || c->blocks >> to->rank & 1;
        if (lanes >> c->lane & 1 && is_for && (barrier == NO_LIMIT || (to && c->barrier == barrier)))
            finish(c);
        else
            k++;
    }
}

void bulk_exit(struct warp *w, uint64_t lanes) { land_some(w, lanes, NULL, NO_LIMIT); }

static void land_into(const struct cta *to, uint64_t barrier)
{
    for (uint32_t rank = 0; rank < to->cluster->size; rank++) {
        struct cta *from = to->cluster->cta[rank];
        for (uint32_t k = 0; from && k < from->warp_count; k++)
            land_some(&from->warps[k], UINT64_MAX, to, barrier);
    }
}

void bulk_land_for(struct cta *c, uint64_t address) { land_into(c, address); }
void bulk_block_ends(const struct cta *c) { land_into(c, NO_LIMIT); }

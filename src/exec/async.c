// Copies of a warp: see async.h.
#include "exec/async.h"
#include "exec/bulk.h"
#include "exec/general.h"
#include "exec/mbarrier.h"
#include "exec/phase.h"
#include "exec/race.h"
#include "exec/warpgroup.h"
#include "isa/fields.h"

#include <stdlib.h>
#include <string.h>

// -- the queue ----------------------------------------------------------------------------------------------

struct async_warp *async_of(struct warp *w)
{
    if (!w->async) w->async = heap_alloc(sizeof *w->async);
    return w->async;
}

static struct async_entry *new_entry(struct warp *w, uint64_t lanes)
{
    struct async_warp *a = async_of(w);
    struct async_entry *c = a->spare;
    if (c)
        a->spare = c->next_spare;
    else
        c = heap_alloc(sizeof *c);
    c->lanes = lanes;
    c->unread = 0;
    c->number = a->entries++;
    memcpy(c->group, a->commits, sizeof c->group);
    vec_push(&a->queue, c);
    return c;
}

static void drop(struct async_warp *a, struct async_entry *c)
{
    c->next_spare = a->spare;
    a->spare = c;
}

void async_start(struct warp *w)
{
    struct async_warp *a = w->async;
    if (!a) return;
    for (size_t k = 0; k < a->queue.count; k++) drop(a, a->queue.data[k]);
    bulk_start(w);
    warpgroup_start(w);
    a->queue.count = 0;
    a->entries = 0;
    memset(a->commits, 0, sizeof a->commits);
}

void async_fini(struct warp *w)
{
    if (!w->async) return;
    async_start(w);
    for (struct async_entry *c = w->async->spare, *next; c; c = next) {
        next = c->next_spare;
        free(c);
    }
    bulk_fini(w);
    warpgroup_fini(w);
    vec_fini(&w->async->queue);
    free(w->async);
    w->async = NULL;
}

struct async_entry *async_entry_of(const struct warp *w, uint64_t number)
{
    for (size_t k = 0; w->async && k < w->async->queue.count; k++)
        if (w->async->queue.data[k]->number == number) return w->async->queue.data[k];
    return NULL;
}

// -- departure and landing ----------------------------------------------------------------------------------

static void read_source(struct async_entry *c, uint64_t lanes)
{
    lanes &= c->unread;
    c->unread &= ~lanes;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        memcpy(c->data[l], c->from[l], c->real[l]);
    }
}

static void write_destination(struct async_entry *c, uint64_t lanes)
{
    lanes &= c->lanes;
    c->lanes &= ~lanes;
    for (; lanes; lanes &= lanes - 1) memcpy(c->to[bit_lowest(lanes)], c->data[bit_lowest(lanes)], c->bytes);
}

static void arrive(struct warp *w, struct async_entry *c, uint64_t lanes)
{
    c->lanes &= ~lanes;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t state;
        memcpy(&state, c->to[bit_lowest(lanes)], 8);
        state = mbarrier_arrive(state, 1);
        memcpy(c->to[bit_lowest(lanes)], &state, 8);
        phase_changed(w->cta, (uint64_t)(c->to[bit_lowest(lanes)] - w->shared));
    }
}

// Makes the arrivals whose lanes have no earlier copy under way, and removes finished entries.
static void settle(struct warp *w)
{
    struct async_warp *a = w->async;
    uint64_t flying = 0;
    size_t kept = 0;
    for (size_t k = 0; k < a->queue.count; k++) {
        struct async_entry *c = a->queue.data[k];
        if (c->bytes)
            flying |= c->lanes;
        else
            arrive(w, c, c->lanes & ~flying);
        if (c->lanes)
            a->queue.data[kept++] = c;
        else
            drop(a, c);
    }
    a->queue.count = kept;
    w->exec->landings++;
}

void async_depart(struct async_entry *c, uint64_t lanes) { read_source(c, lanes); }

void async_land(struct warp *w, struct async_entry *c, uint64_t lanes)
{
    write_destination(c, lanes);
    settle(w);
}

// Lanes of the copy covered by a wait of `lanes` for all but the newest `pending` groups.
static uint64_t covered(const struct async_warp *a, const struct async_entry *c, uint64_t lanes,
                        unsigned pending)
{
    uint64_t found = 0;
    for (lanes &= c->bytes ? c->lanes : 0; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        if ((uint64_t)c->group[l] + pending < a->commits[l]) found |= 1ull << l;
    }
    return found;
}

bool async_covers(const struct warp *w, uint64_t lanes, unsigned pending)
{
    const struct async_warp *a = w->async;
    for (size_t k = 0; a && k < a->queue.count; k++)
        if (covered(a, a->queue.data[k], lanes, pending)) return true;
    return false;
}

static void finish(struct async_entry *c, uint64_t lanes)
{
    read_source(c, lanes);
    write_destination(c, lanes);
}

static bool is_late(const struct exec *e) { return e->defers_copies && !e->is_timed; }

void async_exit(struct warp *w, uint64_t lanes)
{
    struct async_warp *a = w->async;
    warpgroup_exit(w);
    if (!is_late(w->exec)) return;
    if (a->bulk) bulk_exit(w, lanes);
    if (!a->queue.count) return;
    for (size_t k = 0; k < a->queue.count; k++)
        if (a->queue.data[k]->bytes) finish(a->queue.data[k], lanes);
    settle(w);
}

// -- instructions -------------------------------------------------------------------------------------------

// Reads a source outside every allocation byte by byte, if such an access is tolerated. False after a fault.
static bool read_outside(struct warp *w, const struct bound *d, unsigned lane, uint64_t address,
                         struct async_entry *c)
{
    struct lane_access from = {.space = SPACE_GLOBAL, .address = address};
    enum launch_fault_kind kind;
    bool is_aligned = !(address & (c->bytes - 1u));
    if (!is_aligned && !exec_tolerates(w, d, FAULT_ALIGNMENT, lane, &from, c->bytes, false)) {
        exec_fault_address(w, d, FAULT_ALIGNMENT, lane, SPACE_GLOBAL, address, c->bytes, false);
        return false;
    }
    for (uint32_t n = 0; is_aligned && n < c->real[lane]; n++) {
        bool is_whole = w->exec->checker != NULL; // a finding names the copy, not its byte
        bool good = exec_resolve(w, lane, SPACE_GLOBAL, address + n, 1, &from, &kind);
        if (!good && is_whole) from.address = address;
        if (!good && !exec_tolerates(w, d, kind, lane, &from, is_whole ? c->real[lane] : 1, false)) {
            exec_fault_address(w, d, kind, lane, SPACE_GLOBAL, address, c->real[lane], false);
            return false;
        }
        if (from.space != SPACE_GLOBAL) break; // excused (checker.h)
        race_lane(w, d, lane, &from, 1, RACE_READ, NULL);
        exec_read(w, &from, 1, c->data[lane] + n);
    }
    return true;
}

static bool find_source(struct warp *w, const struct bound *d, const uint8_t *regs, unsigned lane,
                        struct async_entry *c)
{
    const struct inst *i = bound_inst(d, w);
    uint32_t wanted = i->src[2].kind == OPERAND_NONE ? c->bytes : exec_lane_word(d, w, regs, 2, 0, lane);
    uint64_t address = exec_lane_address(d, w, regs, 1, lane);
    memset(c->data[lane], 0, sizeof c->data[lane]);
    c->real[lane] = (uint8_t)(wanted > c->bytes ? c->bytes : wanted);
    if (!wanted) return true;
    c->from[lane] = address & (c->bytes - 1u) ? NULL : exec_global_near(w->exec, address, c->real[lane]);
    if (!c->from[lane]) return read_outside(w, d, lane, address, c);
    c->unread |= 1ull << lane;
    const struct lane_access from = {.space = SPACE_GLOBAL, .address = address};
    race_lane(w, d, lane, &from, c->real[lane], RACE_READ, NULL);
    return true;
}

static bool find_destination(struct warp *w, const struct bound *d, const uint8_t *regs, unsigned lane,
                             struct async_entry *c)
{
    struct lane_access to;
    enum launch_fault_kind kind;
    uint64_t address = exec_lane_address(d, w, regs, 0, lane);
    if (!exec_resolve(w, lane, SPACE_SHARED, address, c->bytes, &to, &kind) &&
        !(w->exec->checker && exec_tolerates(w, d, kind, lane, &to, c->bytes, true))) {
        exec_fault_address(w, d, kind, lane, SPACE_SHARED, address, c->bytes, true);
        return false;
    }
    c->to[lane] = to.host;
    const uint8_t *value = c->unread >> lane & 1 ? c->from[lane] : c->data[lane];
    uint8_t copied[16] = {0};
    memcpy(copied, value, c->real[lane]);
    race_lane(w, d, lane, &to, c->bytes, RACE_WRITE, copied);
    return true;
}

static bool find_places(struct warp *w, const struct bound *d, const uint8_t *regs, uint64_t lanes,
                        struct async_entry *c)
{
    c->bytes = (uint8_t)isa_type_bytes((enum isa_type)bound_inst(d, w)->type);
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        race_copy(w, d, l);
        if (!find_source(w, d, regs, l, c) || !find_destination(w, d, regs, l, c)) return false;
    }
    return true;
}

const struct bound *exec_ldgsts(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    w->counts.global_loads++;
    w->counts.shared_stores++;
    race_instruction(w, d);
    if (w->exec->defers_copies) {
        struct async_entry *c = new_entry(w, active);
        return find_places(w, d, regs, active, c) ? d + 1 : NULL;
    }
    struct async_entry now;
    now.lanes = active;
    now.unread = 0;
    if (!find_places(w, d, regs, active, &now)) return NULL;
    finish(&now, active);
    return d + 1;
}

// The copy of a lane decides about its arrival; without a copy under way the lane arrives at once.
const struct bound *exec_arrives(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    struct async_entry *c = new_entry(w, active);
    c->bytes = 0;
    w->counts.atomics++;
    race_instruction(w, d);
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        struct lane_access a;
        enum launch_fault_kind kind;
        uint64_t address = exec_lane_address(d, w, regs, 0, l);
        if (!exec_resolve(w, l, SPACE_SHARED, address, 8, &a, &kind) &&
            !(w->exec->checker && exec_tolerates(w, d, kind, l, &a, 8, true)))
            return exec_fault_address(w, d, kind, l, SPACE_SHARED, address, 8, true);
        c->to[l] = a.host;
        race_lane(w, d, l, &a, 8, RACE_ATOMIC, c->to[l]);
    }
    race_copy_arrive(w, active);
    settle(w);
    return d + 1;
}

const struct bound *exec_ldgdepbar(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    if (w->exec->races) race_copy_commit(w, active);
    if (!w->async) return d + 1;
    for (; active; active &= active - 1) w->async->commits[bit_lowest(active)]++;
    return d + 1;
}

// In timed runs the wait issues after the landings.
const struct bound *exec_depbar(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    struct async_warp *a = w->async;
    unsigned pending = (unsigned)w->exec->general[d->index].value[0];
    if (w->exec->races) race_copy_wait(w, active, pending);
    if (!a || !is_late(w->exec) || !a->queue.count) return d + 1;
    for (size_t k = 0; k < a->queue.count; k++)
        finish(a->queue.data[k], covered(a, a->queue.data[k], active, pending));
    settle(w);
    return d + 1;
}

// -- strong loads in late runs ------------------------------------------------------------------------------

// Copies of the warp land if an arrival at host bytes `at` waits behind them.
static void land_for(struct warp *w, const uint8_t *at)
{
    struct async_warp *a = w->async;
    uint64_t waiting = 0;
    for (size_t k = a ? a->queue.count : 0; k--;) {
        struct async_entry *c = a->queue.data[k];
        for (uint64_t left = c->bytes ? 0 : c->lanes; left; left &= left - 1)
            if (c->to[bit_lowest(left)] == at) waiting |= left & -left;
        if (c->bytes) finish(c, waiting);
    }
    if (waiting) settle(w);
}

void async_land_for(struct cta *c, const uint8_t *at)
{
    if (!is_late(c->exec)) return;
    for (uint32_t k = 0; k < c->warp_count; k++) land_for(&c->warps[k], at);
    bulk_land_for(c, (uint64_t)(at - c->shared));
}

static const struct bound *load_strong(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    for (uint64_t left = active; left; left &= left - 1) {
        uint64_t address = exec_lane_address(d, w, regs, 0, bit_lowest(left));
        if (address % 8 == 0 && exec_shared_holds(w, address, 8)) async_land_for(w->cta, w->shared + address);
    }
    return exec_load(d, w, regs, active);
}

const struct handlers async_load_handlers = {load_strong, load_strong};

// The expansion units between the streams: tuples of the ATQ become records in the warps' queues, and
// requests to L1.
//
// A unit takes the oldest entry of its kind with a record for a warp with room in its queue. Records of a
// warp stay in order. Addresses take a cycle a record. Predicates take the cycles of their comparisons: one
// for a block with one value; two for a warp with one value; otherwise one, plus a register copy's ports and
// pipeline for a comparison lane by lane.
#include "base/bits.h"
#include "decouple/tuple.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "isa/inst.h"
#include "memory/cache.h"
#include "sm/places.h"
#include "tech/decoupled/decoupled.h"

// -- parts --------------------------------------------------------------------------------------------------

static __attribute__((noinline)) void add_parts(struct decoupled *d)
{
    struct part *parts = heap_resize(NULL, PARTS * sizeof *parts);
    vec_push(&d->all_parts, parts);
    for (unsigned k = 0; k < PARTS; k++) {
        parts[k].data = NULL;
        parts[k].next = d->free_parts;
        d->free_parts = &parts[k];
    }
}

struct part *decoupled_part(struct decoupled *d)
{
    if (!d->free_parts) add_parts(d);
    struct part *p = d->free_parts; // remaining members: set by the caller
    d->free_parts = p->next;
    p->line_count = p->asked = 0;
    p->there = p->locked = 0;
    p->pieces = 0;
    p->has_data = false;
    return p;
}

void decoupled_unlock(struct decoupled *d, uint64_t line)
{
    tech_unlock_line(d->grid, &tech_decoupled, line);
    d->counters[COUNT_unlocked]++;
    if (d->asking) decoupled_wake_at(d, tech_now(d->grid) + 1);
}

void decoupled_unlock_lines(struct decoupled *d, const struct part *p)
{
    for (unsigned n = 0; n < p->line_count; n++)
        if (p->locked >> n & 1) decoupled_unlock(d, p->line[n]);
}

// -- queues of warps ----------------------------------------------------------------------------------------

void decoupled_push(struct decoupled *d, struct follower *f, struct part *p)
{
    struct queue *q = queue_of(f, p->is_address);
    p->next = NULL;
    if (q->last)
        q->last->next = p;
    else
        q->first = p;
    q->last = p;
    q->count++;
    q->records += p->records;
    d->counters[COUNT_pushed]++;
    if (p->is_address) d->counters[COUNT_records] += p->records;
}

// Whether the record fits into the warp's queue. An access with more cache-line records than a queue holds
// needs an empty queue.
static bool has_room(const struct decoupled *d, struct follower *f, const struct part *p)
{
    const struct decoupled_options *o = d->launch->options;
    const struct queue *q = queue_of(f, p->is_address);
    if (!p->is_address) return q->count < o->pwpq;
    return !q->count || q->records + p->records <= o->pwaq;
}

static void drop_queue(struct decoupled *d, struct queue *q)
{
    while (q->first) {
        struct part *p = q->first;
        q->first = p->next;
        decoupled_part_free(d, p);
        d->counters[COUNT_dropped]++;
    }
    *q = (struct queue){0};
}

static void drop_front(struct decoupled *d)
{
    while (d->count && !entry_at(d, 0)->left) {
        d->first = d->first + 1 < d->launch->options->atq ? d->first + 1 : 0;
        d->count--;
    }
}

void decoupled_forget(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    for (unsigned n = 0; n < d->count; n++) {
        struct entry *e = entry_at(d, n);
        if (!(e->left >> place & 1)) continue;
        e->left &= ~(1ull << place);
        decoupled_part_free(d, e->part[place]);
    }
    if (d->later.left >> place & 1) {
        d->later.left &= ~(1ull << place);
        decoupled_part_free(d, d->later.part[place]);
    }
    f->expanding = 0;
    unblock(d, place, false);
    unblock(d, place, true);
    if (d->asking_slot == place) d->asking = NULL;
    drop_queue(d, &f->addresses);
    drop_queue(d, &f->predicates);
    drop_front(d);
    decoupled_stir(d, false);
    decoupled_stir(d, true);
}

// -- lines --------------------------------------------------------------------------------------------------

static bool is_in_memory(const struct decoupled *d, uint64_t line)
{
    return memory_find(tech_launch(d->grid)->launch->memory, line);
}

// Whether the unit waits until another line of the set is unlocked. Nothing waits for a lock of the access itself. A
// locked line's warp comes for the line: its stream has passed no point where warps wait for one another. Without a
// locked line (memory.perfect locks none) the wait would have no end. Beside a
// mechanism with waits of its own, a line that cannot be locked is not requested.
static bool waits_for_lock(const struct decoupled *d, const struct part *p)
{
    bool some_are_locked = d->counters[COUNT_locked] != d->counters[COUNT_unlocked];
    return !d->launch->plan->yields && some_are_locked && p->locked == 0 && p->asked == bit_count(p->there);
}

// Requests the lines of an access. True: all requests are made. False: L1 has refused a request, or the line's set
// has too many locked lines. Lines outside memory, and lines that L1 cannot lock beside the access's own, are not
// requested and count as arrived.
static bool ask_for_lines(struct decoupled *d, unsigned place, struct part *p)
{
    for (; p->asked < p->line_count; p->asked++) {
        uint64_t line = p->line[p->asked];
        uint32_t token = place | (p->sequence & 0xffff) << 6 | p->asked << 22;
        bool is_there = is_in_memory(d, line), may_lock = tech_may_lock_line(d->grid, &tech_decoupled, line);
        if (is_there && !may_lock && waits_for_lock(d, p)) return false;
        if (!is_there || !may_lock) {
            p->there |= 1ull << p->asked;
            d->counters[COUNT_unlockable]++;
        } else if (tech_request(d->grid, &tech_decoupled, line, p->sectors[p->asked], token)) {
            d->counters[COUNT_asked]++;
        } else {
            return false;
        }
    }
    return true;
}

// The record in a queue with the requested line, named by the request's token; NULL: the record is gone.
static struct part *who_asked(struct decoupled *d, uint64_t line, uint32_t token)
{
    struct follower *f = &d->followers[token & 63];
    uint32_t sequence = token >> 6 & 0xffff, n = token >> 22;
    struct part *p = f->addresses.first;
    while (p && (p->sequence & 0xffff) != sequence) p = p->next;
    return !f->is_there || !p || n >= p->line_count || p->line[n] != line || p->there >> n & 1 ? NULL : p;
}

static void lock(struct decoupled *d, struct part *p, uint32_t n)
{
    if (!tech_lock_line(d->grid, &tech_decoupled, p->line[n])) return;
    p->locked |= 1ull << n;
    d->counters[COUNT_locked]++;
}

void decoupled_asked(void *state, uint64_t line, uint32_t token)
{
    struct part *p = who_asked(state, line, token);
    if (p) lock(state, p, token >> 22);
}

void decoupled_line(void *state, uint64_t line, uint32_t token)
{
    struct decoupled *d = state;
    struct part *p = who_asked(d, line, token);
    uint32_t n = token >> 22;
    d->counters[COUNT_came]++;
    if (d->asking) decoupled_wake_at(d, tech_now(d->grid) + 1); // room for another request
    if (!p) return;
    p->there |= 1ull << n;
    if (!(p->locked >> n & 1)) lock(d, p, n);
    d->counters[COUNT_unlockable] += !(p->locked >> n & 1);
    bool all_are_kept = p->asked == p->line_count && p->locked == bit_mask(p->line_count);
    if (d->launch->options->loads == LOADS_EARLY && all_are_kept) decoupled_capture(d, token & 63, p);
    decoupled_look(d, token & 63);
}

// -- the units ----------------------------------------------------------------------------------------------

struct turn { // a unit's next work
    struct entry *entry;
    unsigned place;
};

// Finds the unit's oldest entry with a record for a warp with room. Addresses with lines to request also wait
// for the warp to pass memory-ordering instructions. Among several such warps the lowest place goes first:
// block after block. False: no such record.
static bool find_turn(struct decoupled *d, bool is_address, struct turn *t)
{
    // Bits by place: warps with a record in an older entry of the unit; these warps' later records wait.
    uint64_t behind = 0, *blocked = &unit_of(d, is_address)->blocked;
    const unsigned size = d->launch->options->atq;
    struct entry *e = &d->atq[d->first], *end = &d->atq[size];
    for (unsigned n = d->count; n && d->there & ~behind & ~*blocked; n--, e = e + 1 < end ? e + 1 : d->atq) {
        if (e->is_address != is_address) continue;
        for (uint64_t left = e->left & ~behind & ~*blocked; left; left &= left - 1) {
            unsigned place = bit_lowest(left);
            const struct part *p = e->part[place];
            bool waits = p->line_count && p->order > d->followers[place].orders_passed;
            if (waits || !has_room(d, &d->followers[place], p)) {
                *blocked |= 1ull << place;
                continue;
            }
            *t = (struct turn){e, place};
            return true;
        }
        behind |= e->left;
    }
    return false;
}

// Busy cycles of the predicate unit. A comparison lane by lane takes 1 cycle and also charges the ports and
// the pipeline of a register copy.
static uint64_t compare(struct decoupled *d, const struct part *p, bool is_first)
{
    uint16_t *guests = tech_guest_map(d->grid);
    switch ((enum decouple_effort)p->effort) {
    case EFFORT_BLOCK: return is_first ? 1 : 0;
    case EFFORT_ENDS: return 2;
    case EFFORT_LANES: tech_copy(d->grid, guests[REG_ZERO], guests[REG_ZERO]); return 1;
    }
    return 1;
}

// Cycles of the unit's adder beside a cycle a record: the start of a block, base + block offset x block index, and, once
// for the tuple, the adjustment added where a row of threads begins.
static uint64_t additions(const struct decoupled *d, struct entry *e, const struct part *p, bool starts)
{
    const uint32_t *block = d->launch->launch->block;
    if (!p->pieces) return 0;
    bool adjusts = block[1] * block[2] > 1 && !e->is_adjusted;
    e->is_adjusted = true;
    return (uint64_t)starts + adjusts;
}

// Hands the record to the warp's queue; returns the unit's busy cycles.
static uint64_t deliver(struct decoupled *d, const struct turn *t)
{
    struct follower *f = &d->followers[t->place];
    struct part *p = t->entry->part[t->place];
    bool begins = !(t->entry->begun >> f->block & 1); // the block's first record of the tuple
    t->entry->begun |= 1ull << f->block;
    uint64_t cycles = p->is_address ? p->records + additions(d, t->entry, p, begins) : compare(d, p, begins);
    // no tuple: the lanes' words cost as much as a register copy
    if (p->is_address && !p->pieces && p->lanes) {
        uint16_t *guests = tech_guest_map(d->grid);
        tech_copy(d->grid, guests[REG_ZERO], guests[REG_ZERO]);
    }
    t->entry->left &= ~(1ull << t->place);
    f->expanding--;
    p->asked_at = tech_now(d->grid);
    p->ready_at = p->asked_at + cycles;
    decoupled_push(d, f, p);
    if (p->line_count && !ask_for_lines(d, t->place, p)) {
        d->asking = p;
        d->asking_slot = t->place;
    }
    return cycles;
}

// Whether a warp may have waited for its new record. A warp that is not held has been looked at before its next
// instruction.
static bool may_wait(const struct decoupled *d, unsigned place)
{
    return d->followers[place].hold || d->launch->plan->yields || d->launch->options->ideal;
}

// Whether the warp, held, waits for the cycle of its new record alone: noted as a look would.
static bool waits_for_cycle(struct decoupled *d, unsigned place, const struct part *p)
{
    const struct decoupled_launch *l = d->launch;
    struct follower *f = &d->followers[place];
    const struct warp *w = tech_warp(d->grid, place);
    bool is_first = queue_of(f, p->is_address)->first == p && p->sequence == f->dequeued;
    if (f->hold != HOLD_ISSUE || f->astray || f->moved || f->taken || !is_first || p->line_count)
        return false;
    if (l->plan->yields || l->options->ideal || p->ready_at <= tech_now(d->grid)) return false;
    if (!w || w->state != WARP_READY || w->pc != p->inst || w->active != p->active) return false;
    d->waits_for_cycle |= 1ull << place;
    f->waits_until = p->ready_at;
    decoupled_wake_at(d, p->ready_at);
    return true;
}

// Does the unit's next work if the unit is free. False: no work until stirred.
static bool work(struct decoupled *d, bool is_address)
{
    struct turn t;
    struct unit *u = unit_of(d, is_address);
    if (u->free_at > tech_now(d->grid)) return true;
    u->stirred = find_turn(d, is_address, &t);
    if (!u->stirred) return false;
    const struct part *p = t.entry->part[t.place];
    u->free_at = tech_now(d->grid) + deliver(d, &t);
    drop_front(d);
    if (may_wait(d, t.place) && !waits_for_cycle(d, t.place, p)) decoupled_look(d, t.place);
    return true;
}

void decoupled_schedule(struct decoupled *d, uint64_t cycle)
{
    d->scheduled_at = cycle;
    tech_at(d->grid, 0, cycle);
}

// Looks at a warp that waits for a record's cycle, once the cycle has come.
static void look_when_due(struct decoupled *d, unsigned place)
{
    uint64_t until = d->followers[place].waits_until;
    if (until > tech_now(d->grid))
        decoupled_wake_at(d, until);
    else
        decoupled_look(d, place);
}

// Lets both units work, and looks at warps waiting for this cycle. The address unit goes on after L1 has
// taken all requests; a refused request is repeated every AGAIN cycles.
void decoupled_event(void *state, unsigned block)
{
    enum { AGAIN = 4 }; // cycles
    struct decoupled *d = state;
    uint64_t now = tech_now(d->grid), next = CYCLE_NEVER;
    (void)block;
    if (d->scheduled_at > now) return; // woken for another mechanism
    d->scheduled_at = 0;
    bool predicates = d->predicate_unit.stirred && work(d, false);
    bool waits = d->asking && !ask_for_lines(d, d->asking_slot, d->asking);
    if (!waits && d->asking) {
        d->asking = NULL;
        decoupled_look(d, d->asking_slot); // unlockable lines cause no arrival: look now
    }
    bool addresses = !waits && d->address_unit.stirred && work(d, true);
    for (uint64_t left = d->waits_for_cycle; left; left &= left - 1) look_when_due(d, bit_lowest(left));
    if (d->starving) decoupled_relieve(d);
    if (d->gathers_until && d->gathers_until <= now) {
        decoupled_gather(d);
        decoupled_start(d);
    }
    if (d->gathers_until && d->gathers_until < next) next = d->gathers_until;
    if (waits) next = now + AGAIN;
    if (predicates) next = later(now + 1, d->predicate_unit.free_at);
    if (addresses && later(now + 1, d->address_unit.free_at) < next)
        next = later(now + 1, d->address_unit.free_at);
    if (d->settles && d->settled_at > now && d->settled_at < next) next = d->settled_at;
    if (next != CYCLE_NEVER) decoupled_wake_at(d, next);
}

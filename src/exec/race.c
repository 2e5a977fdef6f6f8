// Happens-before over memory, in the manner of FastTrack (Flanagan and Freund 2009). The last write and the
// last two reads of a place are kept as (time, thread, stamp), compared with the accessing thread's knowledge
// of the earlier thread. A place is a word. A sub-word access divides its page into bytes, each with records
// of its own:
//
//     words   [ t0 t0 t0 t0 | t1 t1 t1 t1 | …          st.u8 by threads 4, 5, 6, 7
//     bytes   [ t0 t0 t0 t0 | t4 t5 t6 t7 | …          every byte has its own writer
#include "exec/race.h"
#include "base/bits.h"
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/phase.h"
#include "exec/race_book.h"
#include "exec/race_copy.h"
#include "isa/fields.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

struct race_block {
    uint32_t warps;
    uint32_t *clock; // [v * warps + u]: last stamp of warp u that happens before the present of warp v
    uint32_t *now;   // stamp of each warp
    // [barrier * warps + u]: maximum of clock[v * warps + u] over arrived warps v, and stamp of u if arrived.
    uint32_t *gathered;
    uint32_t *sync;             // number of the last warp-wide sync of each warp
    uint32_t *all_sync;         // of each warp: number of the last warp-wide sync of all live lanes
    uint32_t *lane_sync;        // [warp * LANES_MAX + lane]: number of the lane's last warp-wide sync
    uint32_t *acquired;         // by warp: latest publication time acquired
    uint32_t fenced;            // time of the block's last fence
    struct race_copies *copies; // NULL: no copy yet
    struct race_page shared;
};

struct race_detector {
    struct race_book *book;
    uint32_t time;
    uint32_t since;         // of the page found last
    VEC(uint32_t) fenced;   // by block: time of the last fence
    VEC(uint32_t) acquired; // by block: latest publication time acquired
    uint64_t count;
    char *text;
    unsigned warp_shift;    // log2 of the warp size
    struct race_record now; // of the present instruction; thread: of the present lane
    // Cells of the present instruction's last read, if no lane of the warp can race there: no write, or a write
    // by another warp that happens before. NULL: none.
    struct race_cell *clear;
    unsigned clear_count;
    uint64_t page_number; // of `page`, the page of global memory found last; NULL: none
    struct race_page *page;
};

void race_create(struct exec *e)
{
    struct race_detector *r = e->races = heap_alloc(sizeof *e->races);
    r->warp_shift = bit_lowest(e->launch->warp_size);
    r->book = race_book_take(e->launch->spare_races);
    r->since = r->book->start;
    r->time = r->since + 1; // of fences before the first access
}

void race_destroy(struct exec *e, struct launch_race *out)
{
    struct race_detector *r = e->races;
    if (!r) return;
    bool keeps = out && e->launch->is_rival;
    r->book->time = r->time;
    if (out) {
        *out = (struct launch_race){.count = r->count, .text = r->text, .book = keeps ? r->book : NULL};
        race_between(e->launch, r->book, out);
        out->found = out->count != 0;
    } else {
        free(r->text);
    }
    if (!keeps) race_book_leave(r->book, e->launch->spare_races);
    vec_fini(&r->fenced);
    vec_fini(&r->acquired);
    free(r);
    e->races = NULL;
}

static uint32_t *by_block(struct race_detector *r, bool acquired, uint64_t block)
{
    if (acquired) {
        while (r->acquired.count <= block) vec_push(&r->acquired, 0);
        return &r->acquired.data[block];
    }
    while (r->fenced.count <= block) vec_push(&r->fenced, 0);
    return &r->fenced.data[block];
}

void race_block_start(struct cta *c)
{
    if (!c->exec->races) return;
    size_t n = c->warp_count, words = (c->exec->launch->shared_total + 3) / 4;
    // Flat machine: a barrier per group of warps, at most as many as the block's n warps.
    size_t barriers = c->exec->launch->flat ? n : BARRIERS;
    struct race_block *b = c->race = heap_alloc(sizeof *b);
    b->warps = (uint32_t)n;
    b->clock = heap_alloc(n * n * sizeof *b->clock);
    b->now = heap_alloc(n * sizeof *b->now);
    b->gathered = heap_alloc(barriers * n * sizeof *b->gathered);
    b->sync = heap_alloc(n * sizeof *b->sync);
    b->all_sync = heap_alloc(n * sizeof *b->all_sync);
    b->lane_sync = heap_alloc(n * LANES_MAX * sizeof *b->lane_sync);
    b->acquired = heap_alloc(n * sizeof *b->acquired);
    b->shared = race_book_shared(c->exec->races->book, words, c->exec->races->time++);
    for (size_t k = 0; k < n; k++) b->now[k] = b->sync[k] = 1;
}

void race_block_end(struct cta *c)
{
    struct race_block *b = c->race;
    if (!b) return;
    free(b->clock);
    free(b->now);
    free(b->gathered);
    free(b->sync);
    free(b->all_sync);
    free(b->lane_sync);
    free(b->acquired);
    race_copies_destroy(b->copies);
    race_book_give_back(c->exec->races->book, b->shared);
    free(b);
    c->race = NULL;
}

// -- sources of order ---------------------------------------------------------------------------------------

void race_fence(struct warp *w)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    w->cta->race->fenced = r->time;
    *by_block(r, false, w->cta->linear) = r->time;
}

uint32_t race_release(struct warp *w, uint32_t before)
{
    if (!w->exec->races) return before;
    race_fence(w);
    return u32_max(before, w->exec->races->time);
}

void race_acquire(struct warp *w, uint32_t time)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    uint32_t *of_block = by_block(r, true, w->cta->linear), *of_warp = &w->cta->race->acquired[w->index];
    *of_block = u32_max(*of_block, time);
    *of_warp = u32_max(*of_warp, time);
}

void race_warp_sync(struct warp *w, uint64_t lanes)
{
    if (!w->exec->races) return;
    struct race_block *b = w->cta->race;
    uint32_t number = ++b->sync[w->index];
    if (!(w->present & ~w->exited & ~lanes)) b->all_sync[w->index] = number;
    for (; lanes; lanes &= lanes - 1) b->lane_sync[w->index * LANES_MAX + bit_lowest(lanes)] = number;
}

void race_barrier_arrive(struct warp *w, unsigned number)
{
    struct race_block *b = w->cta->race;
    if (!w->exec->races) return;
    uint32_t *gathered = &b->gathered[number * b->warps], *own = &b->clock[w->index * b->warps];
    for (uint32_t u = 0; u < b->warps; u++) gathered[u] = u32_max(gathered[u], own[u]);
    gathered[w->index] = u32_max(gathered[w->index], b->now[w->index]);
    b->now[w->index]++;
    race_warp_sync(w, w->present & ~w->exited);
}

void race_barrier_leave(struct warp *w, unsigned number)
{
    struct race_block *b = w->cta->race;
    if (!w->exec->races) return;
    const uint32_t *gathered = &b->gathered[number * b->warps];
    uint32_t *own = &b->clock[w->index * b->warps];
    for (uint32_t u = 0; u < b->warps; u++) own[u] = u32_max(own[u], gathered[u]);
    race_warp_sync(w, w->present & ~w->exited);
}

void race_barrier_complete(struct cta *c, unsigned number)
{
    if (!c->exec->races) return;
    memset(&c->race->gathered[number * c->race->warps], 0, c->race->warps * sizeof(uint32_t));
}

// -- copies -------------------------------------------------------------------------------------------------

static uint32_t thread_of(const struct warp *w, unsigned lane)
{
    return (w->index << w->exec->races->warp_shift) + lane;
}

// A thread's copies of one track, among the block's.
static uint32_t track_of(const struct warp *w, uint32_t thread, unsigned track)
{
    return track * (w->cta->race->warps << w->exec->races->warp_shift) + thread;
}

static void copy_begins(struct warp *w, const struct bound *d, unsigned lane, unsigned track)
{
    struct race_detector *r = w->exec->races;
    struct race_block *b = w->cta->race;
    if (!b->copies) b->copies = race_copies_create(RACE_TRACKS * (b->warps << r->warp_shift));
    r->now.is_copy = (uint8_t)(1 + track);
    r->now.stamp = race_copies_issue(b->copies, track_of(w, thread_of(w, lane), track), d->index);
}

void race_copy(struct warp *w, const struct bound *d, unsigned lane)
{
    if (w->exec->races) copy_begins(w, d, lane, RACE_CP_ASYNC);
}

void race_copy_commit(struct warp *w, uint64_t lanes)
{
    struct race_copies *c = w->exec->races ? w->cta->race->copies : NULL;
    for (; c && lanes; lanes &= lanes - 1) race_copies_commit(c, thread_of(w, bit_lowest(lanes)));
}

void race_copy_wait(struct warp *w, uint64_t lanes, unsigned pending)
{
    struct race_detector *r = w->exec->races;
    if (!r || !w->cta->race->copies) return;
    const struct race_block *b = w->cta->race;
    const struct race_copy_end end = {
        .time = ++r->time, .stamp = b->now[w->index], .sync = b->sync[w->index]};
    for (; lanes; lanes &= lanes - 1)
        race_copies_wait(b->copies, thread_of(w, bit_lowest(lanes)), pending, end);
}

// After the accesses of the arrival, an atomic that releases.
void race_copy_arrive(struct warp *w, uint64_t lanes)
{
    struct race_detector *r = w->exec->races;
    for (; r && w->cta->race->copies && lanes; lanes &= lanes - 1)
        race_copies_arrive(w->cta->race->copies, thread_of(w, bit_lowest(lanes)), r->now.time);
}

static void look_for_open(struct warp *w, unsigned lane, enum race_track track)
{
    uint32_t inst;
    while (race_copies_take_open(w->cta->race->copies, track_of(w, thread_of(w, lane), track), &inst))
        if (w->exec->checker) checker_open_copy(w, inst, lane);
}

void race_copy_exit(struct warp *w, uint64_t lanes)
{
    for (; w->exec->races && w->cta->race->copies && lanes; lanes &= lanes - 1) {
        look_for_open(w, bit_lowest(lanes), RACE_CP_ASYNC);
        look_for_open(w, bit_lowest(lanes), RACE_BULK_SOURCE);
    }
}

// -- bulk copies --------------------------------------------------------------------------------------------

void race_bulk(struct warp *w, const struct bound *d, unsigned lane, enum race_track track, bool is_strong)
{
    if (!w->exec->races) return;
    copy_begins(w, d, lane, track);
    w->exec->races->now.strong = is_strong;
}

// The completion releases, as an atomic of the copy does.
void race_bulk_complete(struct warp *w, unsigned lane, const struct cta *to, uint32_t barrier)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    struct race_page *p = &to->race->shared;
    struct race_cell *cell = &p->cells[p->by_byte ? barrier : barrier / 4];
    r->now.time = ++r->time;
    race_copies_arrive(w->cta->race->copies, track_of(w, thread_of(w, lane), RACE_BULK_BARRIER), r->now.time);
    race_fence(w);
    cell->published = u32_max(cell->published, r->time);
}

void race_bulk_commit(struct warp *w, uint64_t lanes)
{
    struct race_copies *c = w->exec->races ? w->cta->race->copies : NULL;
    for (; c && lanes; lanes &= lanes - 1) {
        uint32_t thread = thread_of(w, bit_lowest(lanes));
        race_copies_commit(c, track_of(w, thread, RACE_BULK_SOURCE));
        race_copies_commit(c, track_of(w, thread, RACE_BULK_TARGET));
    }
}

void race_bulk_wait(struct warp *w, uint64_t lanes, unsigned pending, bool sources)
{
    struct race_detector *r = w->exec->races;
    if (!r || !w->cta->race->copies) return;
    const struct race_block *b = w->cta->race;
    const struct race_copy_end end = {
        .time = ++r->time, .stamp = b->now[w->index], .sync = b->sync[w->index]};
    for (; lanes; lanes &= lanes - 1) {
        uint32_t thread = thread_of(w, bit_lowest(lanes));
        race_copies_wait(b->copies, track_of(w, thread, RACE_BULK_SOURCE), pending, end);
        if (!sources) race_copies_wait(b->copies, track_of(w, thread, RACE_BULK_TARGET), pending, end);
    }
}

// Whether a copy of the block is over before the present access of the lane.
static bool copy_is_ordered(const struct warp *w, unsigned lane, const struct race_record *before)
{
    const struct race_block *b = w->cta->race;
    uint32_t warp = (uint32_t)before->thread >> w->exec->races->warp_shift,
             track = track_of(w, before->thread, before->is_copy - 1u);
    uint32_t arrival = race_copies_arrival(b->copies, track, before->time);
    if (arrival && arrival <= b->fenced && arrival <= b->acquired[w->index]) return true;
    const struct race_copy_end *end = race_copies_end(b->copies, track, before->stamp);
    if (!end) return false;
    if (before->thread == thread_of(w, lane)) return true;
    if (warp == w->index && b->lane_sync[w->index * LANES_MAX + lane] > end->sync) return true;
    if (warp != w->index && b->clock[w->index * b->warps + warp] >= end->stamp) return true;
    return end->time <= b->fenced && end->time <= b->acquired[w->index];
}

static bool is_ordered(const struct warp *w, unsigned lane, const struct race_record *before)
{
    const struct exec *e = w->exec;
    const struct race_block *b = w->cta->race;
    uint32_t thread = (w->index << e->races->warp_shift) + lane;
    if (before->block != (uint32_t)w->cta->linear) { // other block: ordered by publication alone
        struct race_detector *r = e->races;
        return before->time <= *by_block(r, false, before->block) &&
               before->time <= *by_block(r, true, w->cta->linear);
    }
    if (before->is_copy) return copy_is_ordered(w, lane, before);
    if (before->thread == thread) return true;
    uint32_t warp = (uint32_t)before->thread >> e->races->warp_shift;
    if (warp == w->index && b->lane_sync[w->index * LANES_MAX + lane] > before->sync) return true;
    if (warp != w->index && b->clock[w->index * b->warps + warp] >= before->stamp) return true;
    return before->time <= b->fenced && before->time <= b->acquired[w->index];
}

// -- reporting ----------------------------------------------------------------------------------------------

static void tell_checker(const struct warp *w, const struct lane_access *a, const struct race_record *before,
                         bool before_writes, const struct race_record *now, bool now_writes)
{
    const struct launch *l = w->exec->launch;
    checker_race(l, a->space == SPACE_SHARED, a->address, before, before_writes, l, now, now_writes);
}

static void report(struct warp *w, const struct lane_access *a, const struct race_record *before,
                   bool before_writes, const struct race_record *now, bool now_writes)
{
    struct race_detector *r = w->exec->races;
    if (r->count < RACES_COUNTED_MAX) r->count++;
    if (w->exec->checker) tell_checker(w, a, before, before_writes, now, now_writes);
    if (r->text) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "race in kernel %s on %s address 0x%llx", w->exec->program->name,
                  a->space == SPACE_SHARED ? "shared" : "global", (unsigned long long)a->address);
    if (a->space != SPACE_SHARED) {
        strbuf_puts(&text, ": ");
        memory_describe(w->exec->launch->memory, a->address, &text);
    }
    strbuf_putc(&text, '\n');
    race_describe(w->exec->launch, before, before_writes, &text);
    strbuf_putc(&text, '\n');
    race_describe(w->exec->launch, now, now_writes, &text);
    if (r->book->overflowed)
        strbuf_puts(&text, "\n    (memory touched later than the detector can hold is not watched)");
    char *kept = heap_alloc(text.length + 1);
    memcpy(kept, strbuf_text(&text), text.length);
    r->text = kept;
    strbuf_fini(&text);
}

// -- accesses -----------------------------------------------------------------------------------------------

static struct race_page *page_of(struct warp *w, enum isa_space space, uint64_t address)
{
    struct race_detector *r = w->exec->races;
    struct race_page *p = &w->cta->race->shared;
    if (space != SPACE_SHARED) {
        uint64_t number = address / 4 / RACE_PAGE_WORDS;
        if (!r->page || r->page_number != number) r->page = race_book_page(r->book, number);
        r->page_number = number;
        p = r->page;
    }
    if (p) r->since = p->since;
    return p;
}

static bool is_strong(const struct inst *i) { return i->sem != SEM_WEAK || isa_has(i, ISA_ATOMIC); }

void race_instruction(struct warp *w, const struct bound *d)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    const struct race_block *b = w->cta->race;
    r->clear = NULL;
    r->now = (struct race_record){.time = ++r->time,
                                  .block = (uint32_t)w->cta->linear,
                                  .inst = d->index,
                                  .stamp = b->now[w->index],
                                  .sync = b->sync[w->index],
                                  .strong = is_strong(bound_inst(d, w))};
}

static bool conflicts(const struct race_detector *r, const struct race_record *before)
{
    return before->time > r->since && !(before->strong && r->now.strong);
}

// Orders made by a strong access: a write publishes what the writer's fences cover, a read acquires what is
// published.
static void follow_flag(struct warp *w, const struct inst *i, struct race_cell *c, enum race_access access)
{
    const struct race_detector *r = w->exec->races;
    const struct race_block *b = w->cta->race;
    bool releases = i->op == OP_ARRIVES || i->sem == SEM_RELEASE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC;
    if (access != RACE_WRITE && c->published > r->since) race_acquire(w, c->published);
    if (access == RACE_READ) return;
    if (releases) race_fence(w);
    c->published = u32_max(c->published, b->fenced);
}

static void record_read(const struct warp *w, struct race_cell *c, const struct race_record *now)
{
    unsigned shift = w->exec->races->warp_shift;
    bool same = c->read[0].block == now->block && (uint32_t)c->read[0].thread >> shift == w->index &&
                c->read[0].is_copy == now->is_copy;
    if (!same) c->read[1] = c->read[0];
    c->read[0] = *now;
}

// The cells of `bytes` bytes at a place, if of one page with a cell per word (bytes 1: per byte); NULL: otherwise.
static struct race_cell *cells_of(struct warp *w, const struct lane_access *a, unsigned bytes, bool by_byte)
{
    if (!by_byte && (a->address % 4 || bytes % 4)) return NULL;
    struct race_page *p = page_of(w, a->space, a->address);
    if (!p || p->by_byte != by_byte) return NULL;
    uint64_t place = a->space == SPACE_SHARED ? a->address : a->address % (4 * RACE_PAGE_WORDS);
    uint64_t first = by_byte ? place : place / 4, count = by_byte ? bytes : bytes / 4;
    return first + count <= (by_byte ? 4 : 1) * p->words ? &p->cells[first] : NULL;
}

// Whether no lane of the warp races with the cell's last write.
static bool is_clear_of(const struct warp *w, const struct race_cell *c)
{
    const struct race_detector *r = w->exec->races;
    if (c->write.time <= r->since) return true;
    if (c->write.is_copy || r->now.is_copy) return false;
    bool is_own = c->write.block == r->now.block && (uint32_t)c->write.thread >> r->warp_shift == w->index;
    return is_own ? w->cta->race->all_sync[w->index] > c->write.sync : is_ordered(w, 0, &c->write);
}

// Whether the cell's last write was observed by a strong read that happens before the lane's present access.
static bool is_observed(const struct warp *w, unsigned lane, const struct race_cell *c)
{
    for (unsigned k = 0; c->write.strong && k < 2; k++)
        if (c->read[k].strong && c->read[k].time > c->write.time && is_ordered(w, lane, &c->read[k]))
            return true;
    return false;
}

static bool races_with_write(const struct warp *w, unsigned lane, const struct race_cell *c)
{
    return conflicts(w->exec->races, &c->write) && !is_ordered(w, lane, &c->write) &&
           !is_observed(w, lane, c);
}

static void cell_read(struct warp *w, unsigned lane, const struct lane_access *a, struct race_cell *c)
{
    struct race_detector *r = w->exec->races;
    const struct race_record *now = &r->now;
    if (is_clear_of(w, c))
        r->clear = c;
    else if (races_with_write(w, lane, c))
        report(w, a, &c->write, true, now, false);
    record_read(w, c, now);
}

static void cell_write(struct warp *w, unsigned lane, const struct lane_access *a, struct race_cell *c,
                       uint32_t value)
{
    const struct race_detector *r = w->exec->races;
    const struct race_record *now = &r->now;
    bool together = c->write.time == now->time && c->write.block == now->block && c->write.inst == now->inst;
    if (!(together && c->value == value) && races_with_write(w, lane, c))
        report(w, a, &c->write, true, now, true);
    for (unsigned k = 0; k < 2; k++)
        if (conflicts(r, &c->read[k]) && !is_ordered(w, lane, &c->read[k]))
            report(w, a, &c->read[k], false, now, true);
    c->write = *now;
    c->value = value;
}

static inline void cell_access(struct warp *w, const struct bound *d, unsigned lane,
                               const struct lane_access *a, struct race_cell *c, enum race_access access,
                               uint32_t value)
{
    struct race_detector *r = w->exec->races;
    r->clear = NULL;
    if (r->now.strong) follow_flag(w, bound_inst(d, w), c, access);
    if (access == RACE_READ)
        cell_read(w, lane, a, c);
    else
        cell_write(w, lane, a, c, value);
}

bool race_again(struct warp *w, unsigned lane)
{
    struct race_detector *r = w->exec->races;
    if (!r || !r->clear || r->now.strong) return false;
    for (unsigned n = 0; n < r->clear_count; n++)
        r->clear[n].read[0].thread = (uint16_t)((w->index << r->warp_shift) + lane);
    return true;
}

// An access to shared memory of another block of the cluster orders like any flag, and is not compared with others.
static void access_remote(struct warp *w, const struct bound *d, const struct lane_access *a,
                          enum race_access access)
{
    const struct cta *owner = cluster_block(w->cta, a->address);
    struct race_page *p = owner ? &owner->race->shared : NULL;
    uint64_t offset = a->address & ((1u << ISA_RANK_SHIFT) - 1);
    if (!p || !w->exec->races->now.strong) return;
    w->exec->races->since = p->since;
    follow_flag(w, bound_inst(d, w), &p->cells[p->by_byte ? offset : offset / 4], access);
}

void race_lane(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
               unsigned bytes, enum race_access access, const void *value)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    if (a->space == SPACE_SHARED && !w->exec->launch->flat && a->address >> ISA_RANK_SHIFT) {
        access_remote(w, d, a, access);
        return;
    }
    bool is_clean = !w->exec->checker || checker_access(w, d, lane, a, bytes, access);
    r->clear = NULL;
    if (a->space == SPACE_LOCAL || a->space == SPACE_CONST) return;
    struct lane_access at = *a;
    r->now.thread = (uint16_t)((w->index << r->warp_shift) + lane);
    struct race_cell *cells = bytes >= 4 ? cells_of(w, a, bytes, false) : NULL;
    if (cells) { // frequent
        bool is_clear = is_clean && access == RACE_READ;
        for (unsigned n = 0; n < bytes / 4; n++, at.address += 4) {
            uint32_t word = 0;
            if (value) memcpy(&word, (const uint8_t *)value + 4 * n, 4);
            cell_access(w, d, lane, &at, &cells[n], access, word);
            is_clear &= r->clear != NULL;
        }
        r->clear = is_clear ? cells : NULL;
        r->clear_count = bytes / 4;
        return;
    }
    for (unsigned n = 0, step; n < bytes; n += step, at.address += step) {
        struct race_page *p = page_of(w, a->space, at.address);
        bool whole = at.address % 4 == 0 && bytes - n >= 4;
        if (p && !p->by_byte && !whole) {
            race_page_divide(r->book, p, a->space != SPACE_SHARED);
        }
        step = whole && !(p && p->by_byte) ? 4 : 1;
        uint32_t left = 0;
        if (value) memcpy(&left, (const uint8_t *)value + n, step);
        uint64_t place = a->space == SPACE_SHARED ? at.address : at.address % (4 * RACE_PAGE_WORDS);
        if (p) cell_access(w, d, lane, &at, &p->cells[p->by_byte ? place : place / 4], access, left);
    }
    if (bytes > 1 || !is_clean) r->clear = NULL; // several cells, or a finding to be counted by lane
    r->clear_count = 1;
}

// -- runs of lanes ------------------------------------------------------------------------------------------

struct seen { // a record compared last, and the result
    uint32_t time, block, warp;
    bool is_ordered;
};

// is_ordered for a lane of a run: neighbouring places often have records of one instruction.
static inline bool is_ordered_alike(const struct warp *w, unsigned lane, const struct race_record *before,
                                    struct seen *seen)
{
    const struct race_detector *r = w->exec->races;
    uint32_t warp = (uint32_t)before->thread >> r->warp_shift;
    if (before->time <= r->since) return true;
    if (before->is_copy) return is_ordered(w, lane, before);
    if (before->block == r->now.block && warp == w->index)
        return w->cta->race->all_sync[warp] > before->sync || is_ordered(w, lane, before);
    if (before->time != seen->time || before->block != seen->block || warp != seen->warp)
        *seen = (struct seen){before->time, before->block, warp, is_ordered(w, lane, before)};
    return seen->is_ordered;
}

// cells: of a lane.
static bool run_is_ordered(const struct warp *w, unsigned lane, unsigned count, unsigned cells,
                           const struct race_cell *c, bool is_write)
{
    struct seen seen[3] = {{0}};
    for (unsigned n = 0; n < count * cells; n++) {
        unsigned l = lane + n / cells;
        if (!is_ordered_alike(w, l, &c[n].write, &seen[0])) return false;
        if (is_write && (!is_ordered_alike(w, l, &c[n].read[0], &seen[1]) ||
                         !is_ordered_alike(w, l, &c[n].read[1], &seen[2])))
            return false;
    }
    return true;
}

static void record_run(const struct warp *w, unsigned lane, unsigned count, unsigned cells,
                       struct race_cell *c, const uint32_t *values)
{
    struct race_record now = w->exec->races->now;
    now.thread = (uint16_t)((w->index << w->exec->races->warp_shift) + lane);
    for (unsigned n = 0; n < count; n++, now.thread++)
        for (unsigned k = 0; k < cells; k++, c++) {
            if (!values) {
                record_read(w, c, &now);
                continue;
            }
            c->write = now;
            c->value = values[n * cells + k];
        }
}

bool race_run(struct warp *w, unsigned lane, unsigned count, const struct lane_access *a, unsigned bytes,
              const uint32_t *values)
{
    struct race_detector *r = w->exec->races;
    unsigned cells = bytes < 4 ? 1 : bytes / 4;
    if (r->now.strong || a->space == SPACE_LOCAL) return false;
    struct race_cell *c = cells_of(w, a, count * bytes, bytes == 1);
    if (!c || !run_is_ordered(w, lane, count, cells, c, values != NULL)) return false;
    if (w->exec->checker && !checker_run(w, lane, count, a, bytes, values != NULL)) return false;
    record_run(w, lane, count, cells, c, values);
    r->clear = NULL;
    return true;
}

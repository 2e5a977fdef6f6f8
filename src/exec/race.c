// Happens-before over memory, in the manner of FastTrack (Flanagan and Freund 2009): sources of order. The last write and
// the last two reads of a place are kept (race_book.h), and compared with the accessing thread's knowledge of the earlier
// thread (race_access.c).
#include "base/bits.h"
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/race_copy.h"
#include "exec/race_impl.h"

#include <stdlib.h>
#include <string.h>

void race_create(struct exec *e)
{
    struct race_detector *r = e->races = heap_alloc(sizeof *e->races);
    r->warp_shift = bit_lowest(e->launch->warp_size);
    r->book = race_book_take(e->launch->spare_races);
    r->time = 1; // of fences before the first access
}

void race_destroy(struct exec *e, struct launch_race *out)
{
    struct race_detector *r = e->races;
    if (!r) return;
    bool keeps = out && e->launch->is_rival;
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
    b->gathered_acquired = heap_alloc(barriers * sizeof *b->gathered_acquired);
    b->sync = heap_alloc(n * sizeof *b->sync);
    b->all_sync = heap_alloc(n * sizeof *b->all_sync);
    b->lane_sync = heap_alloc(n * LANES_MAX * sizeof *b->lane_sync);
    b->acquired = heap_alloc(n * sizeof *b->acquired);
    b->shared = race_book_shared(c->exec->races->book, words);
    for (size_t k = 0; k < n; k++) b->now[k] = b->sync[k] = 1;
    race_proxy_start(c);
}

void race_block_end(struct cta *c)
{
    struct race_block *b = c->race;
    if (!b) return;
    free(b->clock);
    free(b->now);
    free(b->gathered);
    free(b->gathered_acquired);
    free(b->proxy_fences);
    free(b->proxy_clock);
    free(b->proxy_acquired);
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
    if (!(w->present & ~w->exited & ~lanes)) {
        b->all_sync[w->index] = number;
        return;
    }
    for (; lanes; lanes &= lanes - 1) b->lane_sync[w->index * LANES_MAX + bit_lowest(lanes)] = number;
}

void race_barrier_arrive(struct warp *w, unsigned number)
{
    struct race_block *b = w->cta->race;
    if (!w->exec->races) return;
    uint32_t *gathered = &b->gathered[number * b->warps], *own = &b->clock[w->index * b->warps];
    for (uint32_t u = 0; u < b->warps; u++) gathered[u] = u32_max(gathered[u], own[u]);
    gathered[w->index] = u32_max(gathered[w->index], b->now[w->index]);
    b->gathered_acquired[number] = u32_max(b->gathered_acquired[number], b->acquired[w->index]);
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
    b->acquired[w->index] = u32_max(b->acquired[w->index], b->gathered_acquired[number]);
    race_warp_sync(w, w->present & ~w->exited);
}

void race_barrier_complete(struct cta *c, unsigned number, bool is_of_all)
{
    struct race_block *b = c->race;
    if (!c->exec->races) return;
    memset(&b->gathered[number * b->warps], 0, b->warps * sizeof(uint32_t));
    b->gathered_acquired[number] = 0;
    // A copy may be under way; a write may want a fence.
    if (is_of_all && !b->copies && !b->proxy_fences) race_book_settle(c->exec->races->book, b->shared);
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
    uint32_t group = race_copies_issue(b->copies, track_of(w, thread_of(w, lane), track), d->index);
    if (r->now.is_copy != 1 + track || r->now.stamp != group)
        r->now_access = 0; // else the last lane's record
    r->now.is_copy = (uint8_t)(1 + track);
    r->now.stamp = group;
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
    struct race_detector *r = w->exec->races;
    if (r->now.strong != is_strong) r->now_access = 0;
    r->now.strong = is_strong;
}

// The completion releases, as an atomic of the copy does.
void race_bulk_complete(struct warp *w, unsigned lane, const struct cta *to, uint32_t barrier)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    struct race_page *p = to->race->shared;
    r->now_access = 0;
    r->now.time = ++r->time;
    race_copies_arrive(w->cta->race->copies, track_of(w, thread_of(w, lane), RACE_BULK_BARRIER), r->now.time);
    race_fence(w);
    race_page_publish(p, race_page_index(p, barrier), r->time);
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

// -- order ----------------------------------------------------------------------------------------------------

// Number of the lane's last warp-wide sync.
static uint32_t lane_sync(const struct warp *w, unsigned lane)
{
    const struct race_block *b = w->cta->race;
    return u32_max(b->all_sync[w->index], b->lane_sync[w->index * LANES_MAX + lane]);
}

// Whether a copy of the block by `thread` is over before the present access of the lane.
static bool copy_is_ordered(const struct warp *w, unsigned lane, const struct race_record *before,
                            uint32_t thread)
{
    const struct race_block *b = w->cta->race;
    uint32_t warp = thread >> w->exec->races->warp_shift, track = track_of(w, thread, before->is_copy - 1u);
    uint32_t arrival = race_copies_arrival(b->copies, track, before->time);
    if (arrival && arrival <= b->fenced && arrival <= b->acquired[w->index]) return true;
    const struct race_copy_end *end = race_copies_end(b->copies, track, before->stamp);
    if (!end) return false;
    if (thread == thread_of(w, lane)) return true;
    if (warp == w->index && lane_sync(w, lane) > end->sync) return true;
    if (warp != w->index && b->clock[w->index * b->warps + warp] >= end->stamp) return true;
    return end->time <= b->fenced && end->time <= b->acquired[w->index];
}

bool race_is_ordered(const struct warp *w, unsigned lane, const struct race_record *before, unsigned by)
{
    struct race_detector *r = w->exec->races;
    const struct race_block *b = w->cta->race;
    uint32_t thread = before->thread + by, warp = thread >> r->warp_shift;
    if (before->block != (uint32_t)w->cta->linear) // other block: ordered by publication alone
        return before->time <= *by_block(r, false, before->block) &&
               before->time <= *by_block(r, true, w->cta->linear);
    if (before->is_copy) return copy_is_ordered(w, lane, before, thread);
    if (thread == thread_of(w, lane)) return true;
    if (warp == w->index && lane_sync(w, lane) > before->sync) return true;
    if (warp != w->index && b->clock[w->index * b->warps + warp] >= before->stamp) return true;
    return before->time <= b->fenced && before->time <= b->acquired[w->index];
}

// Reports of a watched SM to its watch: after a cycle, changes of a warp's I-buffer, state and residence
// since the cycle last looked at.
#include "sm/sm_impl.h"
#include "watch/watch_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)WATCH_WARPS == (int)SM_WARPS && (int)WATCH_BLOCKS == (int)SM_BLOCKS, "the SM's places");
_Static_assert((int)WATCH_GRIDS == (int)MEMORY_GRIDS, "numbers of grids");

// -- warps --------------------------------------------------------------------------------------------------

// Instructions newly in flight were fetched in this cycle. Instructions neither buffered nor in flight any
// more, and not issued, were dropped.
static void look_at_buffer(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    const struct sm_warp *now = &s->warps[slot];
    struct watch_warp *x = &w->warps[slot];
    bool fetched = now->front.fetching && now->front.fill_at != x->fill_at;
    unsigned there = now->front.count + (fetched ? 0u : now->front.fetching);
    watch_drop(w, slot, there, watch_time_of(w, s->now));
    x->fill_at = now->front.fill_at;
    for (unsigned k = 0; fetched && k < now->front.fetching && x->count < WATCH_IBUFFER; k++)
        x->buffer[x->count++] = (struct watch_fetched){.fetched = watch_time_of(w, s->now),
                                                       .buffered = watch_time_of(w, now->front.fill_at),
                                                       .inst = now->front.pc - now->front.fetching + k};
}

static enum watch_state state_of_slot(uint8_t slot)
{
    switch ((enum gpu_slot)slot) {
    case SLOT_ALU: return WATCH_ALU;
    case SLOT_MEMORY: return WATCH_MEMORY;
    case SLOT_BARRIER: return WATCH_BARRIER;
    case SLOT_UNIT: return WATCH_UNIT;
    case SLOT_OPERAND: return WATCH_OPERAND;
    case SLOT_SYNC: return WATCH_SYNC;
    case SLOT_COPY: return WATCH_COPY;
    case SLOT_ISSUED:
    case SLOT_NO_WARP:
    case SLOT_FETCH:
    case SLOT_CODE:
    case SLOT_COUNT: break;
    }
    return WATCH_FETCH;
}

static enum watch_state why_waiting(const struct sm_warp *w)
{
    enum watch_state state = state_of_slot(w->ready.why);
    if (state == WATCH_FETCH && w->front.waits_for_line) return WATCH_CODE;
    return state == WATCH_MEMORY && w->tags.waits_for_constant ? WATCH_CONSTANT : state;
}

// State of a ready warp that did not issue: refused for a busy resource, or passed over by the scheduler.
static enum watch_state why_ready(const struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    if (s->issue.refused[scheduler] && s->issue.refused_inst[scheduler] == s->warps[slot].front.head)
        return state_of_slot(s->issue.refused[scheduler]);
    return WATCH_READY;
}

static void look_at_state(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    const struct sm_warp *now = &s->warps[slot];
    struct watch_warp *x = &w->warps[slot];
    bool ready = s->ready.now >> slot & 1;
    uint64_t time = watch_time_of(w, s->now);
    enum watch_state after = ready ? WATCH_READY : why_waiting(now);
    if (time > w->last + 1 && x->started <= w->last)
        watch_set_state(w, slot, w->last + 1, x->after, x->after_inst);
    if (x->issued_at == time)
        watch_set_state(w, slot, time, WATCH_BUSY, 0);
    else
        watch_set_state(w, slot, time, (uint8_t)(ready ? why_ready(s, slot) : after),
                        ready ? now->front.head : waits_with(now));
    x->after = (uint8_t)after;
    x->after_inst = ready ? now->front.head : waits_with(now);
}

// Number of the grid's launch in the watch; WATCH_NONE: the launch is over, though replies may still arrive.
static uint32_t launch_of(const struct watch_sm *w, const struct sm_grid *g)
{
    return w->watcher->by_number[g->launch->number];
}

static void warp_starts(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    const struct warp *warp = s->warps[slot].warp;
    struct watch_warp *x = &w->warps[slot];
    *x = (struct watch_warp){.resident = true,
                             .started = watch_time_of(w, s->now),
                             .launch = launch_of(w, s->warps[slot].grid),
                             .index = warp->index};
    memcpy(x->block, warp->cta->id, sizeof x->block);
}

static void look_at_warp(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    struct watch_warp *x = &w->warps[slot];
    bool resident = s->room.resident >> slot & 1;
    if (x->resident && !resident) watch_warp_ends(w, slot, watch_time_of(w, s->now));
    if (!resident) return;
    if (!x->resident) warp_starts(s, w, slot);
    look_at_buffer(s, w, slot);
    look_at_state(s, w, slot);
}

// -- blocks -------------------------------------------------------------------------------------------------

static bool is_watched(const struct watch_sm *w, const struct sm_block *b)
{
    return b->slots & w->watcher->config.warps;
}

static void block_starts(struct watch_blocks *x, unsigned k, const struct sm_block *b, uint32_t launch,
                         uint64_t time)
{
    struct watch_span *span = &x->running[k];
    *span = (struct watch_span){.kind = WATCH_BLOCK, .from = time, .launch = launch, .slot = (uint8_t)k};
    memcpy(span->block, b->cta->id, sizeof span->block);
    if (!b->to_come) return;
    x->partial |= 1ull << k;
    x->late[k] = *span;
    x->late[k].kind = WATCH_LATE;
    x->late[k].index = b->cta->warp_count - b->to_come;
}

static void look_at_blocks(const struct sm_grid *g, struct watch_sm *w)
{
    uint64_t time = watch_time_of(w, g->sm->now);
    uint32_t launch = launch_of(w, g);
    struct watch_blocks **at = &w->blocks[g->launch->number];
    if (launch == WATCH_NONE) return;
    if (!*at) *at = heap_alloc(sizeof **at);
    struct watch_blocks *x = *at;
    for (unsigned k = 0; k < g->launch->blocks_per_sm; k++) {
        const struct sm_block *b = &g->room.blocks[k];
        bool ran = x->run >> k & 1, runs = b->running && (ran || is_watched(w, b));
        if (ran && !runs) watch_block_ends(w, x, k, time + 1);
        if (!ran && runs) block_starts(x, k, b, launch, time);
        if (runs && !b->to_come) watch_late_ends(w, x, k, time);
        x->run = (x->run & ~(1ull << k)) | (uint64_t)runs << k;
    }
}

// -- the load/store unit's queue ----------------------------------------------------------------------------

// At most one instruction leaves the queue in a cycle, and every cycle with a step of the queue is inspected.
static void look_at_queue(const struct sm *s, struct watch_sm *w)
{
    while (w->queue_first != s->lsu.first) {
        uint32_t place = w->queue_first;
        if (place < w->sending.count && w->sending.data[place] != WATCH_NONE)
            w->insts.data[w->sending.data[place]].sent = watch_time_of(w, s->now) + 1;
        if (place < w->sending.count) w->sending.data[place] = WATCH_NONE;
        w->queue_first = place + 1 == s->config->lsu_queue ? 0 : place + 1;
    }
}

// -- mechanisms ---------------------------------------------------------------------------------------------

struct tech_rows { // a round of telling
    struct watch_sm *watch;
    const struct sm_grid *grid;
    const struct tech *tech;
    uint32_t launch;
};

void tech_row(struct tech_rows *to, const char *table, enum tech_owner owner, unsigned index, unsigned number,
              const char *format, ...)
{
    static const enum watch_owner owners[] = {
        [TECH_OF_SM] = WATCH_OF_SM, [TECH_OF_BLOCK] = WATCH_OF_BLOCK, [TECH_OF_WARP] = WATCH_OF_WARP};
    struct watch_rows *rows = &to->watch->rows;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (owner == TECH_OF_WARP) index = to->grid->room.slots[index];
    struct watch_row is = {.launch = to->launch,
                           .number = number,
                           .table = watch_rows_table(rows, to->tech->name, table),
                           .owner = (uint8_t)owners[owner],
                           .index = (uint8_t)index};
    watch_rows_tell(rows, is, watch_time_of(to->watch, to->grid->sm->now), text);
}

static void look_at_techs(const struct sm_grid *g, struct watch_sm *w)
{
    struct tech_rows to = {.watch = w, .grid = g, .launch = launch_of(w, g)};
    if (to.launch == WATCH_NONE || watch_time_of(w, g->sm->now) < w->watcher->config.from) return;
    watch_rows_begin(&w->rows);
    for (const struct sm_tech *k = g->techs; k < g->techs + g->tech_count; k++) {
        to.tech = k->tech;
        if (k->tech->rows) k->tech->rows(k->state, &to);
    }
    watch_rows_end(&w->rows, to.launch, watch_time_of(w, g->sm->now));
}

void watch_skipped(struct sm *s, unsigned slot, uint32_t index)
{
    struct watch_sm *w = s->watch;
    struct watch_skip skip = {.time = watch_time_of(w, s->now),
                              .inst = index,
                              .launch = launch_of(w, s->warps[slot].grid),
                              .slot = (uint8_t)slot};
    bool is_kept = w->watcher->config.warps >> slot & 1 && !w->closed && skip.launch != WATCH_NONE;
    if (is_kept) watch_add_skip(w, skip);
}

void watch_dropped(struct sm *s, unsigned slot, uint32_t index)
{
    struct watch_sm *w = s->watch;
    if (w->warps[slot].resident && !w->closed) watch_drop_inst(w, slot, index, watch_time_of(w, s->now));
}

// -- a cycle ------------------------------------------------------------------------------------------------

void watch_cycle(struct sm *s)
{
    struct watch_sm *w = s->watch;
    look_at_queue(s, w);
    if (w->closed) return;
    if (watch_time_of(w, s->now) >= w->watcher->config.to) {
        watch_close(w, w->watcher->config.to);
        return;
    }
    uint64_t look = w->watcher->config.warps & (s->room.resident | w->seen);
    for (uint64_t left = look; left; left &= left - 1) look_at_warp(s, w, bit_lowest(left));
    w->seen = s->room.resident;
    EACH_GRID(s, g) look_at_blocks(g, w);
    if (w->watcher->config.steps && has_techs(s)) EACH_GRID(s, g) look_at_techs(g, w);
    w->last = watch_time_of(w, s->now);
}

// -- instructions -------------------------------------------------------------------------------------------

// Cycle at which the result of the instruction just dispatched is ready. For a memory instruction without an
// accessing lane (active, guard true), registers keep their ready cycles.
static uint64_t result_of(const struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected)
{
    if (o->dst_words) return later(collected, s->operands.ready[w->operands.registers + o->dst]);
    if (o->pred_writes) return later(collected, w->operands.pred_ready[bit_lowest(o->pred_writes)]);
    return o->path == PATH_MEMORY ? collected : collected + o->latency;
}

static void link_to(struct watch_sm *w, const struct sm *s, uint32_t inst)
{
    uint32_t place = (s->lsu.first + s->lsu.count - 1) % s->config->lsu_queue;
    const struct lsu_entry *e = &s->lsu.queue[place];
    uint32_t record = e->record;
    look_at_queue(s, w); // before the place, free since this cycle, gets the new instruction
    while (w->sending.count < s->config->lsu_queue) vec_push(&w->sending, WATCH_NONE);
    w->sending.data[place] = inst;
    if (inst != WATCH_NONE) {
        w->insts.data[inst].lines = e->count;
        w->insts.data[inst].passes = e->cycles;
    }
    while (w->queued.count < s->config->lsu_queue) vec_push(&w->queued, WATCH_NONE);
    w->queued.data[place] = record == NONE32 ? inst : WATCH_NONE;
    if (record == NONE32) return;
    while (w->recorded.count <= record) vec_push(&w->recorded, WATCH_NONE);
    w->recorded.data[record] = inst;
}

void watch_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, bool queued)
{
    struct watch_sm *w = s->watch;
    const struct sm_warp *now = &s->warps[slot];
    struct watch_warp *x = &w->warps[slot];
    uint32_t inst = WATCH_NONE;
    if (w->watcher->config.warps >> slot & 1 && !w->closed) {
        uint64_t time = watch_time_of(w, s->now);
        uint64_t done = queued ? 0 : result_of(s, now, o, collected); // 0 until the reply
        inst = watch_add_inst(w, (struct watch_inst){.fetched = x->buffer[0].fetched,
                                                     .buffered = x->buffer[0].buffered,
                                                     .issued = time,
                                                     .collected = watch_time_of(w, collected),
                                                     .done = done ? watch_time_of(w, done) : 0,
                                                     .mask = s->issue.lanes,
                                                     .inst = (uint32_t)(o - now->grid->ops),
                                                     .slot = (uint8_t)slot,
                                                     .memory = o->path == PATH_MEMORY,
                                                     .second = x->issued_at == time});
        x->issued_at = time;
        x->count--;
        memmove(x->buffer, x->buffer + 1, x->count * sizeof *x->buffer);
    }
    if (queued) link_to(w, s, inst);
}

void watch_reused(struct sm *s, unsigned slot, const struct op *o)
{
    size_t before = s->watch->insts.count;
    watch_issued(s, slot, o, s->now + 1, false);
    if (s->watch->insts.count > before) vec_last(&s->watch->insts).reused = true;
}

static void done_at(struct watch_sm *w, uint32_t inst, uint64_t cycle)
{
    if (inst != WATCH_NONE) w->insts.data[inst].done = watch_time_of(w, cycle);
}

void watch_left_queue(struct sm *s, uint32_t place)
{
    done_at(s->watch, s->watch->queued.data[place], s->now + 1);
    s->watch->queued.data[place] = WATCH_NONE;
}

void watch_completed(struct sm *s, uint32_t record, uint64_t cycle)
{
    done_at(s->watch, s->watch->recorded.data[record], later(cycle, s->now));
    s->watch->recorded.data[record] = WATCH_NONE;
}

void sm_watch(struct sm *s, struct watch_sm *w)
{
    s->watch = w;
    if (w) {
        w->schedulers = s->config->schedulers;
        w->queue_first = s->lsu.first;
    }
    sm_note_onlookers(s);
}

// Notes of watched SMs: a warp's I-buffer, state and life are compared with what they were after the cycle
// looked at before.
#include "gpu/sm_impl.h"
#include "gpu/watch_impl.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)WATCH_WARPS == (int)SM_WARPS && (int)WATCH_BLOCKS == (int)SM_BLOCKS, "the SM's places");
_Static_assert((int)WATCH_GRIDS == (int)MEMORY_GRIDS, "numbers of grids");

// -- what is kept -------------------------------------------------------------------------------------------

uint64_t watch_time_of(const struct watch_sm *w, uint64_t cycle) { return cycle + w->watcher->offset; }

static bool in_window(const struct watch_sm *w, uint64_t time)
{
    return time >= w->watcher->config.from && time < w->watcher->config.to;
}

uint32_t watch_add_inst(struct watch_sm *w, struct watch_inst i)
{
    if (!in_window(w, i.issued)) return NONE32;
    i.launch = w->warps[i.slot].launch;
    vec_push(&w->insts, i);
    return (uint32_t)w->insts.count - 1;
}

void watch_add_span(struct watch_sm *w, struct watch_span span)
{
    if (span.from < w->watcher->config.from) span.from = w->watcher->config.from;
    if (span.to > w->watcher->config.to) span.to = w->watcher->config.to;
    if (span.from >= span.to) return;
    vec_push(&w->spans, span);
}

// -- warps --------------------------------------------------------------------------------------------------

void watch_set_state(struct watch_sm *w, unsigned slot, uint64_t time, uint8_t state, uint32_t inst)
{
    struct watch_warp *x = &w->warps[slot];
    if (state == x->state && (inst == x->state_inst || state == WATCH_BUSY)) return;
    if (x->state != WATCH_BUSY)
        watch_add_span(w, (struct watch_span){.kind = WATCH_WAIT,
                                              .from = x->since,
                                              .to = time,
                                              .inst = x->state_inst,
                                              .launch = x->launch,
                                              .slot = (uint8_t)slot,
                                              .state = x->state});
    x->state = state;
    x->state_inst = inst;
    x->since = time;
}

static void drop(struct watch_sm *w, unsigned slot, unsigned keep, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    for (unsigned k = keep; k < x->count; k++)
        watch_add_inst(w, (struct watch_inst){.fetched = x->buffer[k].fetched,
                                              .buffered = x->buffer[k].buffered,
                                              .issued = time,
                                              .inst = x->buffer[k].inst,
                                              .slot = (uint8_t)slot,
                                              .flushed = true});
    if (keep < x->count) x->count = keep;
}

// What is on its way to the I-buffer now and was not before has been fetched in this cycle; what is neither
// there nor on its way any more, and was not issued, has been dropped.
static void look_at_buffer(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    const struct sm_warp *now = &s->warps[slot];
    struct watch_warp *x = &w->warps[slot];
    bool fetched = now->front.fetching && now->front.fill_at != x->fill_at;
    unsigned there = now->front.count + (fetched ? 0u : now->front.fetching);
    drop(w, slot, there, watch_time_of(w, s->now));
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

// A warp that could have issued and did not: it met something busy, or another went first.
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

// NONE32: it is over, though replies to what it had under way may still come.
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

void watch_warp_ends(struct watch_sm *w, unsigned slot, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    if (time > w->last + 1) watch_set_state(w, slot, w->last + 1, x->after, x->after_inst);
    uint64_t end = x->issued_at == time ? time + 1 : time;
    watch_set_state(w, slot, x->issued_at == time ? time : end, WATCH_BUSY, 0);
    drop(w, slot, 0, time);
    struct watch_span life = {.kind = WATCH_WARP, .from = x->started, .to = end};
    life.slot = (uint8_t)slot;
    life.launch = x->launch;
    life.index = x->index;
    memcpy(life.block, x->block, sizeof life.block);
    watch_add_span(w, life);
    x->resident = false;
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

static void end_late(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time)
{
    if (x->partial >> k & 1) {
        x->late[k].to = time;
        watch_add_span(w, x->late[k]);
    }
    x->partial &= ~(1ull << k);
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

static void block_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time)
{
    end_late(w, x, k, time);
    x->running[k].to = time;
    watch_add_span(w, x->running[k]);
}

static void look_at_blocks(const struct sm_grid *g, struct watch_sm *w)
{
    uint64_t time = watch_time_of(w, g->sm->now);
    uint32_t launch = launch_of(w, g);
    struct watch_blocks **at = &w->blocks[g->launch->number];
    if (launch == NONE32) return;
    if (!*at) *at = heap_alloc(sizeof **at);
    struct watch_blocks *x = *at;
    for (unsigned k = 0; k < g->launch->blocks_per_sm; k++) {
        const struct sm_block *b = &g->room.blocks[k];
        bool ran = x->run >> k & 1, runs = b->running && (ran || is_watched(w, b));
        if (ran && !runs) block_ends(w, x, k, time + 1);
        if (!ran && runs) block_starts(x, k, b, launch, time);
        if (runs && !b->to_come) end_late(w, x, k, time);
        x->run = (x->run & ~(1ull << k)) | (uint64_t)runs << k;
    }
}

// What the launch of that number has under way ends.
static void close_launch(struct watch_sm *w, unsigned number, uint64_t time)
{
    struct watch_blocks *x = w->blocks[number];
    for (uint64_t left = w->seen & w->watcher->config.warps; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (w->warps[slot].launch != w->watcher->by_number[number]) continue;
        watch_warp_ends(w, slot, time);
        w->seen &= ~(1ull << slot);
    }
    for (uint64_t left = x ? x->run : 0; left; left &= left - 1) block_ends(w, x, bit_lowest(left), time);
    if (x) x->run = 0;
}

static void close_all(struct watch_sm *w, uint64_t time)
{
    for (unsigned number = 0; number < WATCH_GRIDS; number++)
        if (w->watcher->by_number[number] != NONE32) close_launch(w, number, time);
    w->closed = true;
}

void watch_cycle(struct sm *s)
{
    struct watch_sm *w = s->watch;
    if (w->closed) return;
    if (watch_time_of(w, s->now) >= w->watcher->config.to) {
        close_all(w, w->watcher->config.to);
        return;
    }
    uint64_t look = w->watcher->config.warps & (s->room.resident | w->seen);
    for (uint64_t left = look; left; left &= left - 1) look_at_warp(s, w, bit_lowest(left));
    w->seen = s->room.resident;
    EACH_GRID(s, g) look_at_blocks(g, w);
    w->last = watch_time_of(w, s->now);
}

// -- instructions -------------------------------------------------------------------------------------------

// When the result of what was just dispatched is there. What a memory instruction of no lane leaves alone is.
static uint64_t result_of(const struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected)
{
    if (o->dst_words) return later(collected, s->operands.ready[w->operands.registers + o->dst]);
    if (o->pred_writes) return later(collected, w->operands.pred_ready[bit_lowest(o->pred_writes)]);
    return o->path == PATH_MEMORY ? collected : collected + o->latency;
}

static void link_to(struct watch_sm *w, const struct sm *s, uint32_t inst)
{
    uint32_t place = (s->lsu.first + s->lsu.count - 1) % s->config->lsu_queue;
    uint32_t record = s->lsu.queue[place].record;
    while (w->queued.count < s->config->lsu_queue) vec_push(&w->queued, NONE32);
    w->queued.data[place] = record == NONE32 ? inst : NONE32;
    if (record == NONE32) return;
    while (w->recorded.count <= record) vec_push(&w->recorded, NONE32);
    w->recorded.data[record] = inst;
}

void watch_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t collected, bool queued)
{
    struct watch_sm *w = s->watch;
    const struct sm_warp *now = &s->warps[slot];
    struct watch_warp *x = &w->warps[slot];
    uint32_t inst = NONE32;
    if (w->watcher->config.warps >> slot & 1 && !w->closed) {
        uint64_t time = watch_time_of(w, s->now);
        uint64_t done = queued ? 0 : result_of(s, now, o, collected); // 0: a reply will say
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

static void done_at(struct watch_sm *w, uint32_t inst, uint64_t cycle)
{
    if (inst != NONE32) w->insts.data[inst].done = watch_time_of(w, cycle);
}

void watch_left_queue(struct sm *s, uint32_t place)
{
    done_at(s->watch, s->watch->queued.data[place], s->now + 1);
    s->watch->queued.data[place] = NONE32;
}

void watch_completed(struct sm *s, uint32_t record, uint64_t cycle)
{
    done_at(s->watch, s->watch->recorded.data[record], later(cycle, s->now));
    s->watch->recorded.data[record] = NONE32;
}

void sm_watch(struct sm *s, struct watch_sm *w)
{
    s->watch = w;
    sm_note_onlookers(s);
}

// -- the chip -----------------------------------------------------------------------------------------------

void watcher_init(struct watcher *w, const struct watch_config *c)
{
    *w = (struct watcher){.config = *c, .now = 1};
}

void watcher_fini(struct watcher *w)
{
    for (unsigned k = 0; k < WATCH_SMS; k++) {
        if (!w->sms[k]) continue;
        vec_fini(&w->sms[k]->insts);
        vec_fini(&w->sms[k]->spans);
        vec_fini(&w->sms[k]->queued);
        vec_fini(&w->sms[k]->recorded);
        for (unsigned n = 0; n < WATCH_GRIDS; n++) free(w->sms[k]->blocks[n]);
        free(w->sms[k]);
    }
    for (size_t k = 0; k < w->launches.count; k++) free((char *)w->launches.data[k].stream.name);
    vec_fini(&w->launches);
}

// Nothing is on the chip.
static void begin_all(struct watcher *w, uint64_t start, unsigned sms)
{
    w->offset = w->now - start;
    memset(w->by_number, 0xff, sizeof w->by_number);
    for (unsigned k = 0; k < sms && k < WATCH_SMS; k++) {
        if (!(w->config.sms[k / 64] >> k % 64 & 1)) continue;
        if (!w->sms[k]) w->sms[k] = heap_alloc(sizeof *w->sms[k]);
        struct watch_sm *one = w->sms[k];
        one->watcher = w;
        one->last = w->now;
        one->seen = 0;
        one->closed = false;
        memset(one->warps, 0, sizeof one->warps);
        one->queued.count = one->recorded.count = 0;
    }
}

void watcher_begin(struct watcher *w, const struct launch *l, struct watch_stream stream, unsigned number,
                   uint64_t start, unsigned sms)
{
    if (!w->living++) begin_all(w, start, sms);
    uint64_t from = start + w->offset;
    struct watch_launch launch = {.program = l->program, .stream = stream, .from = from, .to = from};
    if (stream.name) launch.stream.name = heap_strdup(stream.name);
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    w->by_number[number] = (uint32_t)w->launches.count;
    vec_push(&w->launches, launch);
}

void watcher_window(struct watcher *w, uint64_t now)
{
    uint64_t kept = 0;
    if (w->truncated) return;
    for (unsigned k = 0; k < WATCH_SMS; k++)
        if (w->sms[k]) kept += w->sms[k]->insts.count + w->sms[k]->spans.count;
    if (kept < w->config.limit || now + w->offset >= w->config.to) return;
    w->config.to = now + w->offset;
    w->truncated = true;
}

// Replies that come when it is over concern nobody any more.
static void forget_insts(struct watch_sm *w, uint32_t *insts, size_t count, uint32_t launch)
{
    for (size_t k = 0; k < count; k++)
        if (insts[k] != NONE32 && w->insts.data[insts[k]].launch == launch) insts[k] = NONE32;
}

void watcher_end(struct watcher *w, unsigned number, uint64_t now)
{
    uint64_t time = now + w->offset;
    uint32_t launch = w->by_number[number];
    for (unsigned k = 0; k < WATCH_SMS; k++) {
        struct watch_sm *one = w->sms[k];
        if (!one) continue;
        close_launch(one, number, time);
        forget_insts(one, one->queued.data, one->queued.count, launch);
        forget_insts(one, one->recorded.data, one->recorded.count, launch);
    }
    w->by_number[number] = NONE32;
    w->launches.data[launch].to = time;
    if (time > w->now) w->now = time;
    w->living--;
}

// Notes of watched SMs: a warp's I-buffer, state and life are compared with what they were after the cycle
// looked at before.
#include "gpu/watch.h"
#include "gpu/sm_impl.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)WATCH_WARPS == (int)SM_WARPS && (int)WATCH_BLOCKS == (int)SM_BLOCKS, "the SM's places");

// -- what is kept -------------------------------------------------------------------------------------------

static uint64_t time_of(const struct watch_sm *w, uint64_t cycle) { return cycle + w->offset; }

static bool in_window(const struct watch_sm *w, uint64_t time)
{
    return time >= w->config->from && time < w->config->to;
}

static uint32_t add_inst(struct watch_sm *w, struct watch_inst i)
{
    if (!in_window(w, i.issued)) return NONE32;
    i.launch = w->launch;
    vec_push(&w->insts, i);
    return (uint32_t)w->insts.count - 1;
}

static void add_span(struct watch_sm *w, struct watch_span span)
{
    if (span.from < w->config->from) span.from = w->config->from;
    if (span.to > w->config->to) span.to = w->config->to;
    if (span.from >= span.to) return;
    span.launch = w->launch;
    vec_push(&w->spans, span);
}

// -- warps --------------------------------------------------------------------------------------------------

static void set_state(struct watch_sm *w, unsigned slot, uint64_t time, uint8_t state, uint32_t inst)
{
    struct watch_warp *x = &w->warps[slot];
    if (state == x->state && (inst == x->state_inst || state == WATCH_BUSY)) return;
    if (x->state != WATCH_BUSY)
        add_span(w, (struct watch_span){.kind = WATCH_WAIT,
                                        .from = x->since,
                                        .to = time,
                                        .inst = x->state_inst,
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
        add_inst(w, (struct watch_inst){.fetched = x->buffer[k].fetched,
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
    drop(w, slot, there, time_of(w, s->now));
    x->fill_at = now->front.fill_at;
    for (unsigned k = 0; fetched && k < now->front.fetching && x->count < WATCH_IBUFFER; k++)
        x->buffer[x->count++] = (struct watch_fetched){.fetched = time_of(w, s->now),
                                                       .buffered = time_of(w, now->front.fill_at),
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
    uint64_t time = time_of(w, s->now);
    enum watch_state after = ready ? WATCH_READY : why_waiting(now);
    if (time > w->last + 1 && x->started <= w->last) set_state(w, slot, w->last + 1, x->after, x->after_inst);
    if (x->issued_at == time)
        set_state(w, slot, time, WATCH_BUSY, 0);
    else
        set_state(w, slot, time, (uint8_t)(ready ? why_ready(s, slot) : after),
                  ready ? now->front.head : waits_with(now));
    x->after = (uint8_t)after;
    x->after_inst = ready ? now->front.head : waits_with(now);
}

static void warp_starts(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    const struct warp *warp = s->warps[slot].warp;
    struct watch_warp *x = &w->warps[slot];
    *x = (struct watch_warp){.resident = true, .started = time_of(w, s->now), .index = warp->index};
    memcpy(x->block, warp->cta->id, sizeof x->block);
}

static void warp_ends(struct watch_sm *w, unsigned slot, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    if (time > w->last + 1) set_state(w, slot, w->last + 1, x->after, x->after_inst);
    uint64_t end = x->issued_at == time ? time + 1 : time;
    set_state(w, slot, x->issued_at == time ? time : end, WATCH_BUSY, 0);
    drop(w, slot, 0, time);
    struct watch_span life = {.kind = WATCH_WARP, .from = x->started, .to = end, .index = x->index};
    life.slot = (uint8_t)slot;
    memcpy(life.block, x->block, sizeof life.block);
    add_span(w, life);
    x->resident = false;
}

static void look_at_warp(const struct sm *s, struct watch_sm *w, unsigned slot)
{
    struct watch_warp *x = &w->warps[slot];
    bool resident = s->room.resident >> slot & 1;
    if (x->resident && !resident) warp_ends(w, slot, time_of(w, s->now));
    if (!resident) return;
    if (!x->resident) warp_starts(s, w, slot);
    look_at_buffer(s, w, slot);
    look_at_state(s, w, slot);
}

// -- blocks -------------------------------------------------------------------------------------------------

static bool is_watched(const struct watch_sm *w, const struct sm_block *b)
{
    return b->slots & w->config->warps;
}

static void end_late(struct watch_sm *w, unsigned k, uint64_t time)
{
    if (w->partial >> k & 1) {
        w->late[k].to = time;
        add_span(w, w->late[k]);
    }
    w->partial &= ~(1ull << k);
}

static void block_starts(struct watch_sm *w, unsigned k, const struct sm_block *b, uint64_t time)
{
    struct watch_span *span = &w->blocks[k];
    *span = (struct watch_span){.kind = WATCH_BLOCK, .from = time, .slot = (uint8_t)k};
    memcpy(span->block, b->cta->id, sizeof span->block);
    if (!b->to_come) return;
    w->partial |= 1ull << k;
    w->late[k] = *span;
    w->late[k].kind = WATCH_LATE;
    w->late[k].index = b->cta->warp_count - b->to_come;
}

static void block_ends(struct watch_sm *w, unsigned k, uint64_t time)
{
    end_late(w, k, time);
    w->blocks[k].to = time;
    add_span(w, w->blocks[k]);
}

static void look_at_blocks(const struct sm *s, struct watch_sm *w)
{
    const struct sm_grid *g = s->room.grids[0]; // a watched chip has one at a time
    uint64_t time = time_of(w, s->now);
    for (unsigned k = 0; k < g->launch->blocks_per_sm; k++) {
        const struct sm_block *b = &g->room.blocks[k];
        bool ran = w->running >> k & 1, runs = b->running && (ran || is_watched(w, b));
        if (ran && !runs) block_ends(w, k, time + 1);
        if (!ran && runs) block_starts(w, k, b, time);
        if (runs && !b->to_come) end_late(w, k, time);
        w->running = (w->running & ~(1ull << k)) | (uint64_t)runs << k;
    }
}

// What is under way ends.
static void close_all(struct watch_sm *w, uint64_t time)
{
    for (uint64_t left = w->seen & w->config->warps; left; left &= left - 1)
        warp_ends(w, bit_lowest(left), time);
    for (uint64_t left = w->running; left; left &= left - 1) block_ends(w, bit_lowest(left), time);
    w->seen = w->running = 0;
    w->closed = true;
}

void watch_cycle(struct sm *s)
{
    struct watch_sm *w = s->watch;
    if (w->closed) return;
    if (time_of(w, s->now) >= w->config->to) {
        close_all(w, w->config->to);
        return;
    }
    uint64_t look = w->config->warps & (s->room.resident | w->seen);
    for (uint64_t left = look; left; left &= left - 1) look_at_warp(s, w, bit_lowest(left));
    w->seen = s->room.resident;
    look_at_blocks(s, w);
    w->last = time_of(w, s->now);
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
    if (w->config->warps >> slot & 1 && !w->closed) {
        uint64_t time = time_of(w, s->now);
        uint64_t done = queued ? 0 : result_of(s, now, o, collected); // 0: a reply will say
        inst = add_inst(w, (struct watch_inst){.fetched = x->buffer[0].fetched,
                                               .buffered = x->buffer[0].buffered,
                                               .issued = time,
                                               .collected = time_of(w, collected),
                                               .done = done ? time_of(w, done) : 0,
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
    if (inst != NONE32) w->insts.data[inst].done = time_of(w, cycle);
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
        free(w->sms[k]);
    }
    vec_fini(&w->launches);
}

void watcher_begin(struct watcher *w, const struct launch *l, uint64_t start, unsigned sms)
{
    struct watch_launch launch = {.program = l->program, .from = w->now, .to = w->now};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    vec_push(&w->launches, launch);
    w->offset = w->now - start;
    for (unsigned k = 0; k < sms && k < WATCH_SMS; k++) {
        if (!(w->config.sms[k / 64] >> k % 64 & 1)) continue;
        if (!w->sms[k]) w->sms[k] = heap_alloc(sizeof *w->sms[k]);
        struct watch_sm *one = w->sms[k];
        one->config = &w->config;
        one->offset = w->offset;
        one->launch = (uint32_t)w->launches.count - 1;
        one->last = w->now;
        one->running = one->partial = one->seen = 0;
        one->closed = false;
        memset(one->warps, 0, sizeof one->warps);
        one->queued.count = one->recorded.count = 0;
    }
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

void watcher_end(struct watcher *w, uint64_t now)
{
    uint64_t time = now + w->offset;
    for (unsigned k = 0; k < WATCH_SMS; k++)
        if (w->sms[k] && !w->sms[k]->closed) close_all(w->sms[k], time);
    vec_last(&w->launches).to = time;
    w->now = time;
}

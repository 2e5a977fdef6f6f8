// Records of watched SMs; beginning and end of launches.
#include "base/bits.h"
#include "exec/launch.h"
#include "watch/watch_impl.h"

#include <stdlib.h>
#include <string.h>

// -- records ------------------------------------------------------------------------------------------------

uint64_t watch_time_of(const struct watch_sm *w, uint64_t cycle) { return cycle + w->watcher->offset; }

static bool in_window(const struct watch_sm *w, uint64_t time)
{
    return time >= w->watcher->config.from && time < w->watcher->config.to;
}

uint32_t watch_add_inst(struct watch_sm *w, struct watch_inst i)
{
    if (!in_window(w, i.issued)) return WATCH_NONE;
    i.launch = w->warps[i.slot].launch;
    vec_push(&w->insts, i);
    return (uint32_t)w->insts.count - 1;
}

void watch_add_skip(struct watch_sm *w, struct watch_skip skip)
{
    if (w->watcher->config.steps && in_window(w, skip.time)) vec_push(&w->skips, skip);
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

static void add_dropped(struct watch_sm *w, unsigned slot, unsigned k, uint64_t time)
{
    const struct watch_fetched *f = &w->warps[slot].buffer[k];
    watch_add_inst(w, (struct watch_inst){.fetched = f->fetched,
                                          .buffered = f->buffered,
                                          .issued = time,
                                          .inst = f->inst,
                                          .slot = (uint8_t)slot,
                                          .flushed = true});
}

void watch_drop_inst(struct watch_sm *w, unsigned slot, uint32_t inst, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    unsigned k = 0;
    while (k < x->count && x->buffer[k].inst != inst) k++;
    if (k == x->count) return;
    add_dropped(w, slot, k, time);
    memmove(x->buffer + k, x->buffer + k + 1, (--x->count - k) * sizeof *x->buffer);
}

void watch_drop(struct watch_sm *w, unsigned slot, unsigned keep, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    for (unsigned k = keep; k < x->count; k++) add_dropped(w, slot, k, time);
    if (keep < x->count) x->count = keep;
}

void watch_warp_ends(struct watch_sm *w, unsigned slot, uint64_t time)
{
    struct watch_warp *x = &w->warps[slot];
    if (time > w->last + 1) watch_set_state(w, slot, w->last + 1, x->after, x->after_inst);
    uint64_t end = x->issued_at == time ? time + 1 : time;
    watch_set_state(w, slot, x->issued_at == time ? time : end, WATCH_BUSY, 0);
    watch_drop(w, slot, 0, time);
    struct watch_span life = {.kind = WATCH_WARP, .from = x->started, .to = end};
    life.slot = (uint8_t)slot;
    life.launch = x->launch;
    life.index = x->index;
    memcpy(life.block, x->block, sizeof life.block);
    watch_add_span(w, life);
    x->resident = false;
}

// -- blocks -------------------------------------------------------------------------------------------------

void watch_late_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time)
{
    if (x->partial >> k & 1) {
        x->late[k].to = time;
        watch_add_span(w, x->late[k]);
    }
    x->partial &= ~(1ull << k);
}

void watch_block_ends(struct watch_sm *w, struct watch_blocks *x, unsigned k, uint64_t time)
{
    watch_late_ends(w, x, k, time);
    x->running[k].to = time;
    watch_add_span(w, x->running[k]);
}

// Ends, on one SM at `time`, the spans of warps and blocks of the launch with grid number `number`.
static void close_launch(struct watch_sm *w, unsigned number, uint64_t time)
{
    struct watch_blocks *x = w->blocks[number];
    for (uint64_t left = w->seen & w->watcher->config.warps; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (w->warps[slot].launch != w->watcher->by_number[number]) continue;
        watch_warp_ends(w, slot, time);
        w->seen &= ~(1ull << slot);
    }
    for (uint64_t left = x ? x->run : 0; left; left &= left - 1)
        watch_block_ends(w, x, bit_lowest(left), time);
    if (x) x->run = 0;
    watch_rows_begin(&w->rows);
    watch_rows_end(&w->rows, w->watcher->by_number[number], time);
}

void watch_close(struct watch_sm *w, uint64_t time)
{
    for (unsigned number = 0; number < WATCH_GRIDS; number++)
        if (w->watcher->by_number[number] != WATCH_NONE) close_launch(w, number, time);
    w->closed = true;
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
        vec_fini(&w->sms[k]->skips);
        watch_rows_fini(&w->sms[k]->rows);
        vec_fini(&w->sms[k]->sending);
        vec_fini(&w->sms[k]->queued);
        vec_fini(&w->sms[k]->recorded);
        for (unsigned n = 0; n < WATCH_GRIDS; n++) free(w->sms[k]->blocks[n]);
        free(w->sms[k]);
    }
    for (size_t k = 0; k < w->launches.count; k++) free((char *)w->launches.data[k].stream.name);
    vec_fini(&w->launches);
}

// Before the first launch on an empty chip: the timeline goes on at the end of the last launch, and the watched
// SMs forget their last inspection. Records stay.
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
        one->queued.count = one->recorded.count = one->sending.count = 0;
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
        if (w->sms[k])
            kept += w->sms[k]->insts.count + w->sms[k]->spans.count + w->sms[k]->skips.count +
                    w->sms[k]->rows.changes.count;
    if (kept < w->config.limit || now + w->offset >= w->config.to) return;
    w->config.to = now + w->offset;
    w->truncated = true;
}

// After the end of a launch, later replies to its instructions are ignored.
static void forget_insts(struct watch_sm *w, uint32_t *insts, size_t count, uint32_t launch)
{
    for (size_t k = 0; k < count; k++)
        if (insts[k] != WATCH_NONE && w->insts.data[insts[k]].launch == launch) insts[k] = WATCH_NONE;
}

void watcher_end(struct watcher *w, unsigned number, uint64_t now)
{
    uint64_t time = now + w->offset;
    uint32_t launch = w->by_number[number];
    for (unsigned k = 0; k < WATCH_SMS; k++) {
        struct watch_sm *one = w->sms[k];
        if (!one) continue;
        close_launch(one, number, time);
        forget_insts(one, one->sending.data, one->sending.count, launch);
        forget_insts(one, one->queued.data, one->queued.count, launch);
        forget_insts(one, one->recorded.data, one->recorded.count, launch);
    }
    w->by_number[number] = WATCH_NONE;
    w->launches.data[launch].to = time;
    if (time > w->now) w->now = time;
    w->living--;
}

// Translates events of the core into events of an SM's watch.
#include "simtight/watched.h"
#include "isa/program.h"
#include "watch/watch_impl.h"

static enum watch_state state_of(enum simtight_state s)
{
    switch (s) {
    case SIMTIGHT_READY: return WATCH_READY;
    case SIMTIGHT_RESULT: return WATCH_ALU;
    case SIMTIGHT_MEMORY: return WATCH_MEMORY;
    case SIMTIGHT_BARRIER: return WATCH_BARRIER;
    case SIMTIGHT_REFUSED: return WATCH_UNIT;
    case SIMTIGHT_ENDED: break;
    }
    return WATCH_BUSY;
}

static bool is_watched(const struct watch_core *c, unsigned warp)
{
    return c->sm && c->watcher->config.warps >> warp & 1;
}

static void end_warp(struct watch_core *c, unsigned warp, uint64_t time)
{
    watch_warp_ends(c->sm, warp, time);
    c->sm->seen &= ~(1ull << warp);
}

static void executed(void *context, const struct simtight_executed *e)
{
    struct watch_core *c = context;
    if (!is_watched(c, e->warp)) return;
    if (c->sm->insts.count + c->sm->spans.count >= c->watcher->config.limit)
        watcher_window(c->watcher, e->cycle); // limit reached: end the timeline
    uint64_t time = watch_time_of(c->sm, e->cycle), chosen = watch_time_of(c->sm, e->chosen);
    watch_set_state(c->sm, e->warp, chosen, WATCH_BUSY, 0); // in the pipeline
    c->sm->warps[e->warp].issued_at = time;
    c->next[e->warp] = e->inst;
    c->under_way[e->warp] = watch_add_inst(c->sm, (struct watch_inst){.fetched = chosen,
                                                                      .buffered = time,
                                                                      .issued = time,
                                                                      .collected = time,
                                                                      .mask = e->lanes,
                                                                      .inst = e->inst,
                                                                      .slot = (uint8_t)e->warp,
                                                                      .memory = e->accesses_memory,
                                                                      .second = e->is_scalar});
}

static void finish_inst(struct watch_core *c, unsigned warp, uint64_t time)
{
    uint32_t inst = c->under_way[warp];
    if (inst != WATCH_NONE) c->sm->insts.data[inst].done = time;
    c->under_way[warp] = WATCH_NONE;
}

static void state(void *context, unsigned warp, enum simtight_state state, uint64_t from)
{
    struct watch_core *c = context;
    if (!is_watched(c, warp)) return;
    uint64_t time = watch_time_of(c->sm, from);
    bool is_over = state == SIMTIGHT_READY || state == SIMTIGHT_BARRIER || state == SIMTIGHT_ENDED;
    if (is_over) finish_inst(c, warp, time);
    if (state == SIMTIGHT_ENDED)
        end_warp(c, warp, time);
    else
        watch_set_state(c->sm, warp, time, (uint8_t)state_of(state), c->next[warp]);
}

void watch_core_begin(struct watch_core *c, struct watcher *w, const struct launch *l,
                      struct watch_stream stream, struct simtight_listener *listener)
{
    watcher_begin(w, l, stream, 0, 0, 1);
    *c = (struct watch_core){.watcher = w, .sm = w->sms[0]};
    listener->context = c;
    listener->executed = executed;
    listener->state = state;
    if (!c->sm) return;
    const unsigned warps = l->block[0] / l->warp_size;
    for (unsigned warp = 0; warp < warps; warp++) {
        struct watch_warp *x = &c->sm->warps[warp];
        *x = (struct watch_warp){
            .resident = true, .started = w->now, .index = warp, .launch = w->by_number[0]};
        c->under_way[warp] = WATCH_NONE;
        c->next[warp] = l->program->entry;
        watch_set_state(c->sm, warp, w->now, WATCH_READY, l->program->entry);
    }
    c->sm->seen = bit_mask(warps);
}

void watch_core_end(struct watch_core *c, uint64_t now)
{
    if (c->sm) {
        struct watch_span block = {.kind = WATCH_BLOCK, .to = watch_time_of(c->sm, now)};
        block.from = watch_time_of(c->sm, 0);
        block.launch = c->watcher->by_number[0];
        watch_add_span(c->sm, block);
    }
    watcher_end(c->watcher, 0, now);
}

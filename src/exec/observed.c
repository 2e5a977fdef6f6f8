// Engine side of an observed run (observe.h): every instruction is stepped, and the observer's events are
// assembled around the step.
#include "exec/exec_impl.h"
#include "exec/general.h"

#include "exec/observe.h"
#include "isa/program.h"
#include <stddef.h>

struct observation {
    const struct observer *observer;
    struct observed event; // of the running warp
    struct exec_access access;
    // Noted while the current instruction executes, for the events reported after the instruction.
    bool deferred, exited;
    unsigned barrier_count;
    struct observed_barrier barriers[BARRIERS];
};

void observed_create(struct exec *e, const struct launch *l)
{
    struct observation *o = e->observed = heap_alloc(sizeof *o);
    o->observer = l->observer;
    e->is_stepped = true;
    if (o->observer->wants_access) e->texels = o->access.address;
    if (o->observer->launch_begin) o->observer->launch_begin(o->observer->context, l);
}

void observed_destroy(struct exec *e)
{
    const struct observer *x = e->observed->observer;
    if (x->launch_end) x->launch_end(x->context);
    free(e->observed);
}

void observed_block_begin(struct cta *c)
{
    const struct observer *x = c->exec->observed->observer;
    c->observed = (struct observed_block){.linear = c->linear,
                                          .id = {c->id[0], c->id[1], c->id[2]},
                                          .warps = c->warp_count,
                                          .warp_size = c->exec->warp_size};
    if (x->block_begin) x->block_begin(x->context, &c->observed);
}

void observed_block_end(struct cta *c)
{
    const struct observer *x = c->exec->observed->observer;
    c->observed.cut = c->warps_left != 0;
    if (x->block_end) x->block_end(x->context, &c->observed);
}

const uint32_t *observed_block_register(const struct observed_block *b, uint32_t warp, unsigned r)
{
    const struct cta *c =
        (const struct cta *)(const void *)((const char *)b - offsetof(struct cta, observed));
    return (const uint32_t *)(const void *)(c->warps[warp].regs + r * c->exec->vector_bytes);
}

const uint64_t *observed_block_predicates(const struct observed_block *b, uint32_t warp)
{
    const struct cta *c =
        (const struct cta *)(const void *)((const char *)b - offsetof(struct cta, observed));
    return c->warps[warp].pred;
}

void observed_warp_exit(struct warp *w) { w->exec->observed->exited = true; }

void observed_deferred(struct warp *w) { w->exec->observed->deferred = true; }

// Records the release of all warps waiting at the barrier. whole: no live warp is missing, none has only
// arrived, and the barrier has no thread count operand.
void observed_barrier(struct cta *c, unsigned number)
{
    struct observation *o = c->exec->observed;
    struct observed_barrier b = {number, NO_TARGET, true, true};
    if (!c->exec->launch->flat) b.whole = c->barriers[number].expected == 0;
    bool first = true;
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *w = &c->warps[i];
        if (w->state == WARP_DONE) continue;
        if (w->waits_at != number) {
            b.whole = false;
            continue;
        }
        const struct split *s = &vec_last(&w->splits);
        uint32_t index = s->pc - 1;
        if (w->splits.count > 1) b.whole_warps = false;
        if (first) b.index = index;
        if (index != b.index) b.index = NO_TARGET;
        first = false;
    }
    o->barriers[o->barrier_count++] = b;
}

static inline __attribute__((always_inline)) void describe(struct observation *o, const struct warp *w,
                                                           const struct bound *d)
{
    o->event.inst = bound_inst(d, w);
    o->event.index = d->index;
    o->event.depth = w->depth;
    o->event.live = w->present & ~w->exited;
    o->event.path = w->active;
    o->event.lanes = exec_guarded(w, d);
    o->event.access = NULL;
    if (!o->observer->wants_access || !w->exec->address_operand[d->index]) return;
    exec_find_access(w, d, &o->access);
    o->event.access = &o->access;
}

static inline __attribute__((always_inline)) const struct bound *step(struct observation *o, struct warp *w,
                                                                      const struct bound *d)
{
    const struct observer *x = o->observer;
    if (d->index == w->exec->program->inst_count) return exec_step(w, d); // a fault
    describe(o, w, d);
    o->deferred = o->exited = false;
    o->barrier_count = 0;
    if (x->before) x->before(x->context, &o->event);
    const struct bound *next = exec_step(w, d);
    if (x->after && !o->deferred && w->exec->fault->kind == FAULT_NONE) x->after(x->context, &o->event);
    if (o->exited && x->warp_exit) x->warp_exit(x->context, o->event.block, w->index);
    for (unsigned n = 0; n < o->barrier_count && x->barrier; n++)
        x->barrier(x->context, o->event.block, &o->barriers[n]);
    return next;
}

const struct bound *observed_step(struct warp *w, const struct bound *d)
{
    return step(w->exec->observed, w, d);
}

void observed_enter(struct warp *w)
{
    const struct exec *e = w->exec;
    e->observed->event = (struct observed){.block = &w->cta->observed,
                                           .warp = w->index,
                                           .lane_count = e->lanes,
                                           .full = bit_mask(e->warp_size),
                                           .present = w->present,
                                           .regs = w->regs,
                                           .pred = w->pred,
                                           .threads = (const uint32_t *)(const void *)w->threads};
}

void observed_execute(struct warp *w, const struct bound *d)
{
    struct observation *o = w->exec->observed;
    observed_enter(w);
    while (d) {
        const struct bound *met = exec_meet(w, d);
        d = met == d ? step(o, w, d) : met;
    }
}

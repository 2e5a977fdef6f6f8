// The network between SMs: see net.h.
#include "sm/net.h"
#include "exec/timed.h"
#include "isa/fields.h"
#include "sm/sm_impl.h"

#include <stdlib.h>

enum { PARTS = 256 }; // of a cycle

static struct net *net_of(struct sm *s)
{
    if (!s->net) {
        s->net = heap_alloc(sizeof *s->net);
        s->net->step = CYCLE_NEVER;
    }
    return s->net;
}

void net_fini(struct sm *s)
{
    struct net *n = s->net;
    if (!n) return;
    for (size_t k = 0; k < n->out.count; k++) remote_free(n->out.data[k]);
    for (size_t k = 0; k < n->in.count; k++) remote_free(n->in.data[k]);
    vec_fini(&n->out);
    vec_fini(&n->in);
    free(n);
    s->net = NULL;
}

static struct sm_warp *find_warp(struct sm *s, const struct warp *w)
{
    unsigned slot = 0;
    while (s->warps[slot].warp != w) slot++;
    return &s->warps[slot];
}

// -- leaving ------------------------------------------------------------------------------------------------

// Values come back from loads and, whether wanted or not, from atomics. Measured on an H100: at the port of the SM
// that executes it, a reduction takes as long as a load.
static bool returns_values(const struct remote *m)
{
    return m->kind == REMOTE_LOAD || m->kind == REMOTE_ATOMIC;
}

static uint64_t through_port(struct sm *s, uint32_t bytes)
{
    struct net *n = s->net;
    uint64_t begin = later(n->free, s->now * PARTS);
    n->free = begin + (uint64_t)bytes * PARTS / s->config->dsmem_bytes;
    return (n->free + PARTS - 1) / PARTS + s->config->dsmem_latency;
}

static uint64_t arrival_of(struct sm *s, const struct sm_grid *g, const struct remote *m)
{
    uint32_t request = m->payload / REMOTE_SECTOR * s->config->dsmem_request;
    switch ((enum remote_kind)m->kind) {
    case REMOTE_LOAD: return through_port(s, request);
    case REMOTE_ATOMIC: return through_port(s, request + m->payload);
    case REMOTE_STORE: return through_port(s, m->payload);
    case REMOTE_COPY:
        // A multicast brings the bytes from the L2 to every SM at once; a window is the soonest here.
        return m->is_multicast ? s->now + g->launch->window : through_port(s, m->payload);
    case REMOTE_ARRIVED:
        return later(m->is_release ? s->net->released : s->now, s->now) + s->config->cluster_barrier;
    case REMOTE_ENDED: break;
    }
    return s->now + s->config->dsmem_latency;
}

static void leave(struct sm *s, struct remote *m, uint64_t cycle)
{
    struct net *n = s->net;
    m->cycle = cycle;
    m->from = (uint8_t)s->index;
    m->sequence = n->sequence++;
    n->last = later(n->last, cycle);
    vec_push(&n->out, m);
}

static bool acquires(const struct remote *m, const struct inst *i)
{
    return returns_values(m) && (i->sem == SEM_ACQUIRE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC);
}

void net_send(void *sm_grid, struct remote *m)
{
    struct sm_grid *g = sm_grid;
    struct sm *s = g->sm;
    net_of(s);
    m->grid = g->launch->number;
    g->counts.dsmem_entries++;
    g->counts.dsmem_bytes += m->payload;
    if (m->kind != REMOTE_LOAD) stall_speaks_against(s);
    uint64_t cycle = arrival_of(s, g, m);
    // Barriers and ends keep their place among the entries of the SM.
    if (m->kind == REMOTE_ARRIVED || m->kind == REMOTE_ENDED) cycle = later(cycle, s->net->last);
    leave(s, m, cycle);
    if (m->kind == REMOTE_ARRIVED || m->kind == REMOTE_ENDED) {
        s->net->fresh = s->net->out.count;
    } else if (m->bound && acquires(m, &g->engine->exec.insts[m->bound->index])) {
        m->is_acquire = true; // the warp goes on once the value is there
        ready_pause(&find_warp(s, m->warp)->ready, CYCLE_NEVER, SLOT_MEMORY);
    }
}

void net_order(void *sm_grid, struct warp *w, bool arrives)
{
    struct sm_grid *g = sm_grid;
    struct sm *s = g->sm;
    struct net *n = net_of(s);
    struct sm_warp *x = find_warp(s, w);
    uint64_t until = n->last;
    if (arrives) {
        uint64_t *end = &n->releases[slot_of(s, x) % s->config->schedulers];
        *end = later(s->now + s->config->cluster_release, *end + s->config->cluster_release_interval);
        n->released = later(n->released, *end);
        until = *end;
    }
    if (until > s->now) ready_pause(&x->ready, until, arrives ? SLOT_BARRIER : SLOT_MEMORY);
}

uint32_t net_bind(struct sm *s, unsigned slot, uint32_t record)
{
    struct net *n = s->net;
    uint32_t count = (uint32_t)(n->out.count - n->fresh);
    for (; n->fresh < n->out.count; n->fresh++) {
        n->out.data[n->fresh]->slot = slot;
        n->out.data[n->fresh]->record = record;
    }
    return count;
}

// -- arriving: a binary heap --------------------------------------------------------------------------------

static bool is_before(const struct remote *x, const struct remote *y)
{
    if (x->cycle != y->cycle) return x->cycle < y->cycle;
    return x->from != y->from ? x->from < y->from : x->sequence < y->sequence;
}

static void arrives(struct net *n, struct remote *m)
{
    vec_push(&n->in, m);
    struct remote **in = n->in.data;
    size_t k = n->in.count - 1;
    for (size_t up; k && is_before(m, in[up = (k - 1) / 2]); k = up) in[k] = in[up];
    in[k] = m;
}

static struct remote *take_first(struct net *n)
{
    struct remote *first = n->in.data[0], *m = vec_pop(&n->in), **in = n->in.data;
    size_t k = 0, count = n->in.count;
    for (size_t down; (down = 2 * k + 1) < count; k = down) {
        if (down + 1 < count && is_before(in[down + 1], in[down])) down++;
        if (is_before(m, in[down])) break;
        in[k] = in[down];
    }
    if (count) in[k] = m;
    return first;
}

static void ask_for_step(struct sm *s)
{
    struct net *n = s->net;
    if (!n->in.count || n->step <= n->in.data[0]->cycle) return;
    n->step = n->in.data[0]->cycle;
    lsu_land_at(s, n->step, LSU_NET);
}

void net_forget(struct sm_grid *g)
{
    struct net *n = g->sm->net;
    size_t count = n ? n->in.count : 0;
    if (n) n->in.count = 0;
    for (size_t k = 0; k < count; k++) { // a heap of k entries at most grows in place
        struct remote *m = n->in.data[k];
        if (m->grid == g->launch->number)
            remote_free(m);
        else
            arrives(n, m);
    }
}

static struct cta *find_block(const struct sm_grid *g, uint64_t block)
{
    for (unsigned k = 0; k < g->launch->blocks_per_sm; k++)
        if (g->room.blocks[k].running && g->room.blocks[k].cta->linear == block) return g->room.blocks[k].cta;
    return NULL;
}

static bool is_to_start(const struct sm_grid *g, uint64_t block)
{
    const struct room *r = &g->sm->room;
    for (size_t k = 0; k < r->placed.count; k++)
        if (r->placed.data[k].grid == g && r->placed.data[k].block == block) return true;
    return false;
}

static void answer(struct sm *s, struct remote *m)
{
    if (m->kind == REMOTE_ARRIVED || m->kind == REMOTE_ENDED) {
        remote_free(m);
        return;
    }
    m->is_reply = true;
    m->to = m->from;
    leave(s, m, through_port(s, returns_values(m) ? m->payload : 0));
    s->net->fresh = s->net->out.count;
}

// The reply of an entry has come.
static void answered(struct sm *s, struct sm_grid *g, struct remote *m)
{
    if (!remote_reply(m)) {
        g->engine->fault_cycle = s->now;
        s->faulted = true;
    }
    if (m->is_acquire) ready_pause(&s->warps[m->slot].ready, s->now, SLOT_MEMORY);
    lsu_record_part(s, m->record, LEVEL_SHARED);
    remote_free(m);
}

void net_step(struct sm *s)
{
    struct net *n = s->net;
    n->step = CYCLE_NEVER;
    while (n->in.count && n->in.data[0]->cycle <= s->now) {
        struct remote *m = take_first(n);
        struct sm_grid *g = sm_grid_of(s, m->grid);
        if (m->is_reply) {
            answered(s, g, m);
            continue;
        }
        struct cta *c = find_block(g, m->block);
        if (!c && is_to_start(g, m->block)) { // waits for the block
            m->cycle = s->now + 1;
            arrives(n, m);
            continue;
        }
        m->is_lost = !c;
        if (m->kind != REMOTE_LOAD) stall_speaks_against(s);
        if (c) remote_apply(c, m);
        answer(s, m);
    }
    ask_for_step(s);
}

// -- between windows ----------------------------------------------------------------------------------------

void sm_exchange(struct sm *const *sms, struct sm *const *busy, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct net *n = busy[k]->net;
        for (size_t i = 0; n && i < n->out.count; i++)
            arrives(net_of(sms[n->out.data[i]->to]), n->out.data[i]);
        if (n) n->out.count = n->fresh = 0;
    }
    for (size_t k = 0; k < count; k++)
        if (busy[k]->net) ask_for_step(busy[k]);
}

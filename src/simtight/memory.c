#include "simtight/memory.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

void simtight_memory_init(struct simtight_memory *m, const struct simtight_config *c,
                          struct simtight_window scratchpad, uint32_t stacks)
{
    uint32_t requests = c->request_queue + SIMTIGHT_COALESCER_STAGES;
    *m = (struct simtight_memory){.config = c, .stacks = stacks, .has_stack_cache = c->stack_cache != 0};
    m->coalescer.scratchpad = scratchpad;
    m->coalescer.lanes = c->lanes;
    m->pool = heap_alloc(requests * sizeof *m->pool);
    m->free_requests = heap_alloc(requests * sizeof *m->free_requests);
    m->queue = heap_alloc(c->request_queue * sizeof *m->queue);
    while (m->free_count < requests) {
        m->free_requests[m->free_count] = (uint16_t)m->free_count;
        m->free_count++;
    }
    if (m->has_stack_cache) stackcache_init(&m->stack_cache, c->stack_cache);
}

void simtight_memory_restart(struct simtight_memory *m)
{
    m->send_at = m->replied_at = m->scratch_free_at = m->dram.free_at = 0;
}

void simtight_memory_fini(struct simtight_memory *m)
{
    free(m->pool);
    free(m->free_requests);
    free(m->queue);
    if (m->has_stack_cache) stackcache_fini(&m->stack_cache);
}

struct simtight_request *simtight_memory_ask(struct simtight_memory *m)
{
    uint32_t most = m->config->request_queue;
    if (m->queue_count == most) return NULL;
    uint16_t number = m->free_requests[--m->free_count];
    m->queue[(m->queue_first + m->queue_count++) % most] = number;
    return &m->pool[number];
}

// -- replies ------------------------------------------------------------------------------------------------
static struct simtight_reply *oldest(struct simtight_replies *q)
{
    return q->count ? &q->all[q->first] : NULL;
}

static void put(struct simtight_replies *q, struct simtight_reply r)
{
    assert(q->count < SIMTIGHT_REPLIES);
    q->all[(q->first + q->count++) % SIMTIGHT_REPLIES] = r;
}

static struct simtight_reply take(struct simtight_replies *q)
{
    struct simtight_reply r = q->all[q->first];
    q->first = (q->first + 1) % SIMTIGHT_REPLIES;
    q->count--;
    return r;
}

// Passes a reply on to the core. The coalescer passes one reply on after another, in cycles set by the number
// of beats.
static void pass_on(struct simtight_memory *m, struct simtight_reply r)
{
    uint64_t from = m->replied_at > r.at ? m->replied_at : r.at;
    r.at = m->replied_at = from + (r.beats == 2 ? m->config->reply_two : m->config->reply_one);
    put(&m->replies, r);
}

bool simtight_memory_take(struct simtight_memory *m, uint64_t now, struct simtight_reply *r)
{
    struct simtight_reply *a = oldest(&m->replies), *b = oldest(&m->scratch_replies);
    bool is_dram = a && (!b || a->at <= b->at);
    if (!is_dram && !b) return false;
    if ((is_dram ? a : b)->at > now) return false;
    *r = take(is_dram ? &m->replies : &m->scratch_replies);
    return true;
}

// -- DRAM ---------------------------------------------------------------------------------------------------
// Whether DRAM accepts beats now, `answered` of them with a reply. The coalescer tracks at most
// dram_inflight groups.
static bool dram_takes(const struct simtight_memory *m, uint64_t now, unsigned answered)
{
    uint32_t most = m->config->dram_inflight;
    return m->dram.free_at < (now + 1) * m->config->dram_rate && m->dram.inflight + answered <= most &&
           m->under_way.count < most;
}

// Sends `beats` DRAM beats. Returns the cycle in which the last beat is requested.
static uint64_t dram_send(struct simtight_memory *m, uint64_t now, unsigned beats)
{
    enum { BEAT = 100 };
    uint64_t rate = m->config->dram_rate, from = now * rate;
    if (m->dram.free_at > from) from = m->dram.free_at;
    m->dram.free_at = from + (uint64_t)BEAT * beats;
    return (m->dram.free_at - BEAT) / rate;
}

// Replies keep the order of groups: a stack cache hit waits for DRAM replies to earlier groups.
static void arrive(struct simtight_memory *m, uint64_t now)
{
    struct simtight_reply *r = oldest(&m->under_way);
    if (!r || r->at > now || m->replied_at > now) return;
    m->dram.inflight -= r->beats;
    pass_on(m, take(&m->under_way));
}

// -- sending groups -----------------------------------------------------------------------------------------
unsigned simtight_scratch_cycles(const struct simtight_request *r, uint32_t lanes, unsigned banks)
{
    uint32_t first = r->address[bit_lowest(lanes)], same = 0;
    for (unsigned l = 0; l < SIMTIGHT_LANES_MAX; l++) same |= (uint32_t)(r->address[l] == first) << l;
    if (r->is_broadcast && !(lanes & ~same)) return 1;
    unsigned cycles = 0;
    uint32_t of_port = 0; // lanes mapped to port 0
    for (unsigned l = 0; l < SIMTIGHT_LANES_MAX; l += banks) of_port |= 1u << l;
    for (; lanes; cycles++) {
        uint32_t busy = 0;
        for (unsigned port = 0; port < banks; port++) {
            uint32_t here = lanes & of_port << port;
            if (!here) continue;
            unsigned lane = bit_lowest(here), bank = r->address[lane] / 4 % banks;
            if (busy >> bank & 1) continue;
            busy |= 1u << bank;
            lanes &= ~(1u << lane);
        }
    }
    return cycles;
}

static struct simtight_reply reply_of(const struct simtight_request *r, const struct simtight_group *g)
{
    return (struct simtight_reply){
        .lanes = g->lanes, .warp = r->warp, .reg = r->reg, .beats = g->beats, .is_unspill = r->is_unspill};
}

static bool send_scratch(struct simtight_memory *m, const struct simtight_request *r,
                         const struct simtight_group *g, uint64_t now)
{
    if (m->scratch_free_at > now) return false;
    unsigned cycles = simtight_scratch_cycles(r, g->lanes, m->config->scratch_banks);
    m->scratch_free_at = now + cycles;
    m->send_at = now + 1;
    m->traffic.scratch_groups++;
    m->traffic.scratch_cycles += cycles;
    if (r->is_store) return true;
    struct simtight_reply reply = reply_of(r, g);
    reply.at = now + cycles - 1 + m->config->scratch_latency;
    put(&m->scratch_replies, reply);
    return true;
}

static struct stackcache_outcome look_up(struct simtight_memory *m, const struct simtight_request *r,
                                         const struct simtight_group *g)
{
    bool is_stack = g->address >= m->stacks;
    if (!m->has_stack_cache || r->is_fence) return (struct stackcache_outcome){0};
    if (!r->is_store) return stackcache_load(&m->stack_cache, g->address, is_stack);
    bool is_kept = is_stack && r->is_scalar && r->bytes == 4 && g->mode == SIMTIGHT_WORD &&
                   g->lanes == bit_mask(m->config->lanes);
    return stackcache_store(&m->stack_cache, g->address, is_kept ? &r->form : NULL);
}

static unsigned store_cycles(const struct simtight_memory *m, unsigned beats)
{
    return beats == 2 ? m->config->store_interval : m->config->load_interval;
}

// A line written back by the stack cache goes ahead of the store. A store absorbed by the stack cache without
// a write-back takes one cycle.
static void send_store(struct simtight_memory *m, const struct simtight_group *g, struct stackcache_outcome o,
                       uint64_t now)
{
    const unsigned line_beats = simtight_word_beats(m->config->lanes);
    unsigned first = o.written_back ? line_beats : 0, second = o.is_here ? 0 : g->beats, cycles = 0;
    if (first) cycles += store_cycles(m, first);
    if (second) cycles += store_cycles(m, second);
    if (first + second) dram_send(m, now, first + second);
    m->traffic.store_beats += first + second;
    m->send_at = now + (cycles ? cycles : 1);
}

static bool send_dram(struct simtight_memory *m, const struct simtight_request *r,
                      const struct simtight_group *g, uint64_t now)
{
    if (!dram_takes(m, now, r->is_store ? 0 : g->beats)) return false;
    struct stackcache_outcome o = look_up(m, r, g);
    if (r->is_store) {
        send_store(m, g, o, now);
        return true;
    }
    m->send_at = now + m->config->load_interval;
    struct simtight_reply reply = reply_of(r, g);
    reply.at = now;
    reply.beats = o.is_here ? 0 : g->beats;
    if (reply.beats) reply.at = dram_send(m, now, reply.beats) + m->config->dram_latency;
    m->dram.inflight += reply.beats;
    m->traffic.load_beats += reply.beats;
    put(&m->under_way, reply);
    return true;
}

void simtight_memory_tick(struct simtight_memory *m, uint64_t now)
{
    arrive(m, now);
    const struct simtight_group *g = simtight_coalescer_group(&m->coalescer);
    if (g) {
        const struct simtight_request *r = simtight_coalescer_request(&m->coalescer);
        if (now < m->send_at) return;
        if (!(g->mode == SIMTIGHT_SCRATCHPAD ? send_scratch(m, r, g, now) : send_dram(m, r, g, now))) return;
        m->traffic.groups++;
    } else if (!m->queue_count && simtight_coalescer_is_empty(&m->coalescer)) {
        return;
    }
    const struct simtight_request *done, *next = m->queue_count ? &m->pool[m->queue[m->queue_first]] : NULL;
    if (simtight_coalescer_move(&m->coalescer, next, &done)) {
        m->queue_first = (m->queue_first + 1) % m->config->request_queue;
        m->queue_count--;
    }
    if (done) m->free_requests[m->free_count++] = (uint16_t)(done - m->pool);
}

bool simtight_memory_is_idle(const struct simtight_memory *m)
{
    return !m->queue_count && !m->under_way.count && !m->replies.count && !m->scratch_replies.count &&
           simtight_coalescer_is_empty(&m->coalescer);
}

static void earlier(uint64_t *next, const struct simtight_replies *q, uint64_t now)
{
    if (!q->count) return;
    uint64_t at = q->all[q->first].at > now ? q->all[q->first].at : now;
    if (at < *next) *next = at;
}

uint64_t simtight_memory_next(const struct simtight_memory *m, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (m->queue_count || !simtight_coalescer_is_empty(&m->coalescer)) return now;
    earlier(&next, &m->under_way, m->replied_at > now ? m->replied_at : now);
    earlier(&next, &m->replies, now);
    earlier(&next, &m->scratch_replies, now);
    return next;
}

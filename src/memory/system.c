// The machine behind the SMs. Every transaction is a record from a pool; events carry its number. Ports and
// slices are reservations: each knows when it is free next, and events are handled in order of time, so
// whoever comes first goes first; ties go by SM, rotated by the cycle so that no SM is always last.
#include "memory/system.h"
#include "base/arena.h"
#include "base/hash.h"
#include "memory/address.h"
#include "memory/calendar.h"
#include "memory/clock.h"

#include <stdlib.h>
#include <string.h>

enum { NO_RECORD = UINT32_MAX, MSHR_BUCKETS = 64 };

enum event_kind {
    EVENT_SEND,   // a request leaves its SM: what = record
    EVENT_ARRIVE, // it is in its slice's queue
    EVENT_SLICE,  // a slice looks at its queue: what = slice
    EVENT_REPLY,  // a reply leaves its slice: what = record
    EVENT_DRAM,   // a channel's scheduler has something to decide: what = channel
    EVENT_FILL,   // data from DRAM is at the slice: what = dram record
    EVENT_TO_DRAM // a miss or a write-back reaches its channel: what = dram record
};

struct record {
    struct memory_request r;
    uint32_t slice;
    uint32_t next; // in a slice's queue, or among an mshr's waiters
};

struct mshr {
    uint64_t line;
    uint8_t sectors;             // on their way
    uint32_t first, last, count; // waiting records
    uint32_t slice;
    uint32_t chain; // of its bucket, or of the free ones
};

struct slice {
    struct cache *cache;
    uint32_t first, last;             // queue of records
    uint64_t free_at;                 // core cycle at which the tags are free
    uint64_t input_free, output_free; // of its crossbar ports, interconnect cycles
    uint32_t mshrs_used;
    uint32_t buckets[MSHR_BUCKETS]; // by line, chains of mshrs
    bool looking;                   // an EVENT_SLICE is under way
    bool blocked;                   // waits for a fill
};

struct dram_record { // in flight between an L2 slice and its channel
    struct dram_request r;
    uint32_t channel;
    uint32_t mshr;   // NO_RECORD: a write
    uint8_t sectors; // bits
};

struct reply_queue {
    VEC(struct memory_reply) replies; // by cycle
    size_t taken;
};

struct memory_system {
    struct memory_config c;
    struct clock_ratio icnt, l2, dram;
    unsigned sm_count, slice_count;
    struct slice *slices;
    struct dram **channels;
    uint64_t *channel_event;                  // core cycle of the EVENT_DRAM under way, UINT64_MAX
    uint64_t *channel_next;                   // own cycle of that decision
    uint64_t *channel_past;                   // own cycles before this are over
    uint64_t *sm_output_free, *sm_input_free; // crossbar ports of the SMs, interconnect cycles
    VEC(struct record) records;
    VEC(struct dram_record) dram_records;
    VEC(struct mshr) mshrs;
    uint32_t free_record, free_dram, free_mshr;
    struct calendar events;
    struct reply_queue *replies;
    uint64_t pushed, answered;
    struct memory_counts counts;
};

// -- making
// ------------------------------------------------------------------------------------------------------

struct memory_system *memory_system_create(const struct memory_config *c, unsigned sm_count)
{
    struct memory_system *m = heap_alloc(sizeof *m);
    m->c = *c;
    m->icnt = (struct clock_ratio){c->core_mhz, c->icnt_mhz};
    m->l2 = (struct clock_ratio){c->core_mhz, c->l2_mhz};
    m->dram = (struct clock_ratio){c->core_mhz, c->dram_mhz};
    m->sm_count = sm_count;
    m->slice_count = c->partitions * c->slices;
    m->slices = heap_alloc(m->slice_count * sizeof *m->slices);
    for (unsigned k = 0; k < m->slice_count; k++) {
        struct cache_config tags = {c->l2_sets, c->l2_ways, c->line_bytes,
                                    (enum cache_replacement)c->l2_replacement};
        m->slices[k] = (struct slice){.cache = cache_create(&tags), .first = NO_RECORD, .last = NO_RECORD};
        memset(m->slices[k].buckets, 0xff, sizeof m->slices[k].buckets);
    }
    m->channels = heap_alloc(c->partitions * sizeof *m->channels);
    m->channel_event = heap_alloc(c->partitions * sizeof *m->channel_event);
    m->channel_next = heap_alloc(c->partitions * sizeof *m->channel_next);
    m->channel_past = heap_alloc(c->partitions * sizeof *m->channel_past);
    for (unsigned k = 0; k < c->partitions; k++) {
        m->channels[k] = dram_create(&m->c);
        m->channel_event[k] = UINT64_MAX;
    }
    m->sm_output_free = heap_alloc(sm_count * sizeof *m->sm_output_free);
    m->sm_input_free = heap_alloc(sm_count * sizeof *m->sm_input_free);
    m->replies = heap_alloc(sm_count * sizeof *m->replies);
    m->free_record = m->free_dram = m->free_mshr = NO_RECORD;
    calendar_init(&m->events, memory_system_window(c));
    return m;
}

void memory_system_destroy(struct memory_system *m)
{
    if (!m) return;
    for (unsigned k = 0; k < m->slice_count; k++) cache_destroy(m->slices[k].cache);
    for (unsigned k = 0; k < m->c.partitions; k++) dram_destroy(m->channels[k]);
    for (unsigned k = 0; k < m->sm_count; k++) vec_fini(&m->replies[k].replies);
    free(m->slices);
    free(m->channels);
    free(m->channel_event);
    free(m->channel_next);
    free(m->channel_past);
    free(m->sm_output_free);
    free(m->sm_input_free);
    free(m->replies);
    vec_fini(&m->records);
    vec_fini(&m->dram_records);
    vec_fini(&m->mshrs);
    calendar_fini(&m->events);
    free(m);
}

uint64_t memory_system_window(const struct memory_config *c)
{
    struct clock_ratio icnt = {c->core_mhz, c->icnt_mhz};
    uint64_t way = clock_to_core(icnt, c->icnt_latency);
    if (way > CALENDAR_CYCLES / 2) way = CALENDAR_CYCLES / 2;
    return way ? way : 1;
}

static uint32_t take_record(struct memory_system *m)
{
    if (m->free_record == NO_RECORD) {
        vec_push(&m->records, (struct record){.next = NO_RECORD});
        return (uint32_t)m->records.count - 1;
    }
    uint32_t r = m->free_record;
    m->free_record = m->records.data[r].next;
    return r;
}

static void give_record(struct memory_system *m, uint32_t r)
{
    m->records.data[r].next = m->free_record;
    m->free_record = r;
}

static void at(struct memory_system *m, uint64_t cycle, enum event_kind kind, uint32_t what)
{
    calendar_push(&m->events, cycle, kind, what, CALENDAR_NO_TURN);
}

// -- crossbar
// ----------------------------------------------------------------------------------------------------

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint32_t flits_of(const struct memory_system *m, uint32_t data_bytes)
{
    uint32_t bytes = m->c.icnt_header_bytes + data_bytes;
    uint32_t flits = (bytes + m->c.icnt_flit_bytes - 1) / m->c.icnt_flit_bytes;
    return flits ? flits : 1;
}

// A packet that wants to go at core cycle `now` through two ports; the core cycle at which its last flit
// arrives.
static uint64_t send(struct memory_system *m, uint64_t now, uint64_t *from_free, uint64_t *to_free,
                     uint32_t flits)
{
    uint64_t start = later(clock_from_core(m->icnt, now), *from_free);
    *from_free = start + flits;
    // The far port is reserved from when the first flit gets there; the wait in between is the crossbar's
    // queue.
    uint64_t arrives = later(start + m->c.icnt_latency, *to_free);
    *to_free = arrives + flits;
    return clock_to_core(m->icnt, arrives + flits - 1);
}

void memory_system_push(struct memory_system *m, const struct memory_request *r)
{
    uint32_t n = take_record(m);
    m->records.data[n] = (struct record){.r = *r, .next = NO_RECORD};
    m->records.data[n].slice = memory_place_of(&m->c, r->line).slice;
    m->pushed++;
    // Requests of one cycle go by SM, starting with another one each cycle.
    uint64_t turn = (r->sm + m->sm_count - r->cycle % m->sm_count) % m->sm_count;
    calendar_push(&m->events, r->cycle, EVENT_SEND, n, (uint32_t)turn);
}

static void handle_send(struct memory_system *m, uint64_t now, uint32_t n)
{
    struct record *r = &m->records.data[n];
    uint32_t flits = flits_of(m, r->r.data_bytes);
    m->counts.requests++;
    m->counts.request_flits += flits;
    uint64_t arrival = send(m, now, &m->sm_output_free[r->r.sm], &m->slices[r->slice].input_free, flits);
    at(m, arrival, EVENT_ARRIVE, n);
}

// -- L2
// ----------------------------------------------------------------------------------------------------------

static void look(struct memory_system *m, uint64_t now, uint32_t slice)
{
    struct slice *s = &m->slices[slice];
    if (s->looking || s->blocked || s->first == NO_RECORD) return;
    s->looking = true;
    at(m, later(now, s->free_at), EVENT_SLICE, slice);
}

static void handle_arrive(struct memory_system *m, uint64_t now, uint32_t n)
{
    struct slice *s = &m->slices[m->records.data[n].slice];
    m->records.data[n].next = NO_RECORD;
    if (s->last == NO_RECORD)
        s->first = n;
    else
        m->records.data[s->last].next = n;
    s->last = n;
    look(m, now, m->records.data[n].slice);
}

static void to_dram(struct memory_system *m, uint64_t cycle, uint64_t line, uint8_t sectors, uint32_t mshr)
{
    struct memory_place place = memory_place_of(&m->c, line);
    uint32_t n = m->free_dram;
    if (n == NO_RECORD) {
        n = (uint32_t)m->dram_records.count;
        vec_push(&m->dram_records, (struct dram_record){.mshr = NO_RECORD});
    } else {
        m->free_dram = m->dram_records.data[n].r.token;
    }
    struct dram_request r = {.bank = place.bank, .row = place.row, .token = n, .is_write = mshr == NO_RECORD};
    r.sectors = (uint8_t)__builtin_popcount(sectors);
    m->dram_records.data[n] = (struct dram_record){r, place.channel, mshr, sectors};
    at(m, cycle, EVENT_TO_DRAM, n);
}

static void write_back(struct memory_system *m, uint64_t now, const struct cache_victim *v)
{
    if (!v->valid || !v->dirty) return;
    m->counts.l2_writebacks += (uint64_t)__builtin_popcount(v->dirty);
    to_dram(m, now + m->c.dram_latency / 2, v->line, v->dirty, NO_RECORD);
}

static uint32_t *bucket_of(struct memory_system *m, uint32_t slice, uint64_t line)
{
    return &m->slices[slice].buckets[hash_u64(line) % MSHR_BUCKETS];
}

static uint32_t find_mshr(struct memory_system *m, uint32_t slice, uint64_t line)
{
    uint32_t k = *bucket_of(m, slice, line);
    while (k != NO_RECORD && m->mshrs.data[k].line != line) k = m->mshrs.data[k].chain;
    return k;
}

static uint32_t new_mshr(struct memory_system *m, uint32_t slice, uint64_t line)
{
    uint32_t k = m->free_mshr, *bucket = bucket_of(m, slice, line);
    if (k == NO_RECORD) {
        k = (uint32_t)m->mshrs.count;
        vec_push(&m->mshrs, (struct mshr){0});
    } else {
        m->free_mshr = m->mshrs.data[k].chain;
    }
    m->mshrs.data[k] = (struct mshr){line, 0, NO_RECORD, NO_RECORD, 0, slice, *bucket};
    *bucket = k;
    m->slices[slice].mshrs_used++;
    return k;
}

static void free_mshr(struct memory_system *m, uint32_t k)
{
    struct mshr *h = &m->mshrs.data[k];
    uint32_t *link = bucket_of(m, h->slice, h->line);
    while (*link != k) link = &m->mshrs.data[*link].chain;
    *link = h->chain;
    m->slices[h->slice].mshrs_used--;
    h->chain = m->free_mshr;
    m->free_mshr = k;
}

static void wait_for(struct memory_system *m, uint32_t k, uint32_t n)
{
    struct mshr *h = &m->mshrs.data[k];
    m->records.data[n].next = NO_RECORD;
    if (h->last == NO_RECORD)
        h->first = n;
    else
        m->records.data[h->last].next = n;
    h->last = n;
    h->count++;
}

// The first request of a queue meets the tags. False when it has to wait for a fill.
static bool access_tags(struct memory_system *m, uint64_t now, uint32_t slice, uint32_t n)
{
    struct slice *s = &m->slices[slice];
    struct record *r = &m->records.data[n];
    struct cache_victim victim;
    uint64_t done = now + clock_to_core(m->l2, m->c.l2_latency);
    if (r->r.kind == MEMORY_STORE) {
        bool back = m->c.l2_write == CACHE_WRITE_BACK;
        if (cache_store(s->cache, r->r.line, r->r.sectors, back, back, &victim) == CACHE_FULL) return false;
        write_back(m, done, &victim);
        if (!back) {
            m->counts.l2_writebacks += (uint64_t)__builtin_popcount(r->r.sectors);
            to_dram(m, done + m->c.dram_latency / 2, r->r.line, r->r.sectors, NO_RECORD);
        }
        m->counts.l2_stores++;
        at(m, done, EVENT_REPLY, n);
        return true;
    }
    // Loads and atomics need the data. Without an mshr to spare, only what is there or coming can be served.
    uint32_t k = find_mshr(m, slice, r->r.line);
    bool there = cache_contains(s->cache, r->r.line, r->r.sectors);
    if (!there && k == NO_RECORD && s->mshrs_used >= m->c.l2_mshrs) return false;
    if (!there && k != NO_RECORD && m->mshrs.data[k].count >= m->c.l2_merges) return false;
    uint8_t missing;
    enum cache_result result = cache_load(s->cache, r->r.line, r->r.sectors, &missing, &victim);
    if (result == CACHE_FULL) return false;
    write_back(m, done, &victim);
    bool atomic = r->r.kind != MEMORY_LOAD;
    if (atomic) {
        m->counts.l2_atomics++;
        cache_store(s->cache, r->r.line, r->r.sectors, false, m->c.l2_write == CACHE_WRITE_BACK, &victim);
    }
    if (result == CACHE_HIT) {
        m->counts.l2_hits += !atomic;
        at(m, done, EVENT_REPLY, n);
        return true;
    }
    if (result == CACHE_PENDING)
        m->counts.l2_pending_hits += !atomic;
    else
        m->counts.l2_misses += !atomic;
    if (k == NO_RECORD) k = new_mshr(m, slice, r->r.line);
    wait_for(m, k, n);
    if (missing) {
        m->mshrs.data[k].sectors |= missing;
        to_dram(m, done + m->c.dram_latency / 2, r->r.line, missing, k);
    }
    return true;
}

static void handle_slice(struct memory_system *m, uint64_t now, uint32_t slice)
{
    struct slice *s = &m->slices[slice];
    uint32_t n = s->first;
    s->looking = false;
    if (n == NO_RECORD) return;
    const struct memory_request r = m->records.data[n].r;
    uint32_t following = m->records.data[n].next;
    if (!access_tags(m, now, slice, n)) {
        m->counts.l2_stalls++;
        s->blocked = true; // until a fill
        return;
    }
    s->first = following;
    if (following == NO_RECORD) s->last = NO_RECORD;
    uint32_t interval = m->c.l2_interval;
    if (r.kind == MEMORY_ATOMIC || r.kind == MEMORY_REDUCE)
        interval =
            later(interval, m->c.atomic_interval * (uint32_t)__builtin_popcount(r.sectors)) & UINT32_MAX;
    s->free_at = clock_to_core(m->l2, clock_from_core(m->l2, now) + interval);
    look(m, s->free_at, slice);
}

static void handle_reply(struct memory_system *m, uint64_t now, uint32_t n)
{
    struct record *r = &m->records.data[n];
    struct slice *s = &m->slices[r->slice];
    uint32_t data = r->r.kind == MEMORY_LOAD || r->r.kind == MEMORY_ATOMIC
                        ? (uint32_t)__builtin_popcount(r->r.sectors) * SECTOR_BYTES
                        : 0;
    uint32_t flits = flits_of(m, data);
    m->counts.reply_flits += flits;
    m->counts.replies++;
    uint64_t arrival = send(m, now, &s->output_free, &m->sm_input_free[r->r.sm], flits);
    struct reply_queue *q = &m->replies[r->r.sm];
    if (q->taken && q->taken == q->replies.count) q->taken = q->replies.count = 0;
    // The SM's input port gives replies their order, so the queue stays sorted.
    vec_push(&q->replies, (struct memory_reply){arrival, r->r.token, r->r.sm, r->r.sectors});
    m->answered++;
    give_record(m, n);
}

// -- DRAM
// --------------------------------------------------------------------------------------------------------

static void wake_channel(struct memory_system *m, uint32_t channel, uint64_t own_cycle)
{
    if (own_cycle == DRAM_NEVER) return;
    own_cycle = later(own_cycle, m->channel_past[channel]);
    bool is_first = m->channel_event[channel] == UINT64_MAX;
    if (!is_first && m->channel_next[channel] <= own_cycle) return;
    m->channel_next[channel] = own_cycle;
    uint64_t cycle = clock_to_core(m->dram, own_cycle);
    if (!is_first && m->channel_event[channel] <= cycle) return;
    m->channel_event[channel] = cycle;
    at(m, cycle, EVENT_DRAM, channel);
}

static void handle_to_dram(struct memory_system *m, uint64_t now, uint32_t n)
{
    struct dram_record *d = &m->dram_records.data[n];
    d->r.arrival = clock_from_core(m->dram, now);
    dram_push(m->channels[d->channel], &d->r);
    wake_channel(m, d->channel, d->r.arrival);
}

static void complete(struct memory_system *m, const struct dram_done *done)
{
    struct dram_record *d = &m->dram_records.data[done->token];
    uint64_t cycle = clock_to_core(m->dram, done->cycle) + m->c.dram_latency - m->c.dram_latency / 2;
    if (d->mshr != NO_RECORD) at(m, cycle, EVENT_FILL, done->token);
    if (d->mshr == NO_RECORD) {
        d->r.token = m->free_dram;
        m->free_dram = done->token;
    }
}

static void handle_dram(struct memory_system *m, uint64_t now, uint32_t channel)
{
    if (m->channel_event[channel] != now) return; // an earlier call has taken its place
    m->channel_event[channel] = UINT64_MAX;
    // All commands up to the end of the core cycle that begins now: the DRAM's clock may be the faster one.
    uint64_t next = m->channel_next[channel], end = later(clock_from_core(m->dram, now + 1), next + 1);
    while (next < end) {
        struct dram_done done;
        m->channel_past[channel] = next + 1;
        if (dram_step(m->channels[channel], next, &done, &next)) complete(m, &done);
    }
    wake_channel(m, channel, next);
}

// Sectors arrive: whoever waits for nothing else is answered, the others go on waiting.
static void handle_fill(struct memory_system *m, uint64_t now, uint32_t n)
{
    struct dram_record *d = &m->dram_records.data[n];
    struct mshr *h = &m->mshrs.data[d->mshr];
    struct slice *s = &m->slices[h->slice];
    cache_fill(s->cache, h->line, d->sectors);
    h->sectors &= (uint8_t)~d->sectors;
    uint32_t waiting = h->first;
    h->first = h->last = NO_RECORD;
    h->count = 0;
    for (uint32_t r = waiting, next; r != NO_RECORD; r = next) {
        next = m->records.data[r].next;
        if (m->records.data[r].r.sectors & h->sectors)
            wait_for(m, d->mshr, r);
        else
            at(m, now, EVENT_REPLY, r);
    }
    uint32_t slice = h->slice;
    if (!h->sectors) free_mshr(m, d->mshr);
    d->r.token = m->free_dram;
    m->free_dram = n;
    s->blocked = false;
    look(m, now, slice);
}

// -- running
// -----------------------------------------------------------------------------------------------------

void memory_system_run(struct memory_system *m, uint64_t until)
{
    struct calendar_event e;
    while (calendar_pop(&m->events, until, &e)) {
        switch ((enum event_kind)e.kind) {
        case EVENT_SEND: handle_send(m, e.cycle, e.what); break;
        case EVENT_ARRIVE: handle_arrive(m, e.cycle, e.what); break;
        case EVENT_SLICE: handle_slice(m, e.cycle, e.what); break;
        case EVENT_REPLY: handle_reply(m, e.cycle, e.what); break;
        case EVENT_TO_DRAM: handle_to_dram(m, e.cycle, e.what); break;
        case EVENT_DRAM: handle_dram(m, e.cycle, e.what); break;
        case EVENT_FILL: handle_fill(m, e.cycle, e.what); break;
        }
    }
}

uint64_t memory_system_next(const struct memory_system *m) { return calendar_next(&m->events); }

bool memory_system_take(struct memory_system *m, unsigned sm, uint64_t until, struct memory_reply *r)
{
    struct reply_queue *q = &m->replies[sm];
    if (q->taken == q->replies.count || q->replies.data[q->taken].cycle >= until) return false;
    *r = q->replies.data[q->taken++];
    return true;
}

bool memory_system_is_idle(const struct memory_system *m)
{
    if (m->events.count || m->pushed != m->answered) return false;
    for (unsigned k = 0; k < m->c.partitions; k++)
        if (dram_waiting(m->channels[k])) return false;
    for (unsigned k = 0; k < m->sm_count; k++)
        if (m->replies[k].taken != m->replies[k].replies.count) return false;
    return true;
}

void memory_system_clear_caches(struct memory_system *m)
{
    for (unsigned k = 0; k < m->slice_count; k++) cache_clear(m->slices[k].cache);
}

void memory_system_counts(const struct memory_system *m, struct memory_counts *out)
{
    *out = m->counts;
    for (unsigned k = 0; k < m->c.partitions; k++) {
        const struct dram_counts *d = dram_counts(m->channels[k]);
        out->dram.reads += d->reads;
        out->dram.writes += d->writes;
        out->dram.row_hits += d->row_hits;
        out->dram.row_misses += d->row_misses;
        out->dram.activations += d->activations;
        out->dram.precharges += d->precharges;
        out->dram.busy_cycles += d->busy_cycles;
        out->dram.queue_cycles += d->queue_cycles;
    }
}

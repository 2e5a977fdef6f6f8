// The load/store unit: a queue of memory instructions, served in order.
//
//     issue ─▶ operands collected ─▶ queue ─▶ head: passes over shared memory's banks, then a line a cycle
//                                              ├─ shared            ready after the last pass + latency
//                                              ├─ L1, texture,      hit: latency; miss: an MSHR and a request
//                                              │  constant
//                                              └─ global            a request a line, unless cached in L1
//     mechanisms ──────────────────▶ early ──▶ L1, or a buffer beside L1, in cycles in which the head sends no line
//
// The lanes' addresses become lines and sectors at issue (coalesce.h). A head without a free MSHR or way
// blocks the queue until a reply frees something. A warp that finds the queue full waits in line (lsu_place.c).
#include "exec/async.h"
#include "exec/memory.h"
#include "exec/timed.h"
#include "sm/bulk.h"
#include "sm/coalesce.h"
#include "sm/net.h"
#include "sm/operand_take.h"

#include <stdlib.h>
#include <string.h>

enum { AGE_MASK = TOKEN_MASK / SM_WARPS }; // mask for the part of a warp's age kept in a store's token

void lsu_request(struct sm_grid *g, uint64_t line, uint8_t sectors, unsigned bytes, enum memory_kind kind,
                 uint32_t token)
{
    struct sm *s = g->sm;
    g->lsu.requested++;
    struct memory_request r = {.cycle = s->now,
                               .line = line,
                               .token = token,
                               .sm = (uint16_t)s->index,
                               .grid = g->launch->number,
                               .sectors = sectors,
                               .data_bytes = (uint8_t)bytes,
                               .kind = (uint8_t)kind,
                               .rides = s->lsu.rides};
    memory_system_push(s->lsu.memory, &r);
}

// -- records ------------------------------------------------------------------------------------------------

// The place that decides on an instruction's level whatever its lines do; LEVEL_L1: lines decide.
static enum gpu_level level_of_kind(enum lsu_kind kind)
{
    switch (kind) {
    case LSU_SHARED:
    case LSU_REMOTE: return LEVEL_SHARED;
    case LSU_LOCAL_LOAD:
    case LSU_LOCAL_STORE: return LEVEL_LOCAL;
    case LSU_ATOMIC:
    case LSU_REDUCE: return LEVEL_ATOMICS;
    case LSU_CONSTANT: return LEVEL_CONSTANT;
    case LSU_LOAD:
    case LSU_LOAD_PAST_L1:
    case LSU_STORE:
    case LSU_TEXTURE: break;
    }
    return LEVEL_L1;
}

uint32_t lsu_new_record(struct sm *s, unsigned slot, const struct op *o, enum lsu_kind kind)
{
    uint32_t k = s->lsu.free_record;
    if (k == NONE32) {
        k = (uint32_t)s->lsu.records.count;
        vec_push(&s->lsu.records, (struct load_record){0});
    } else {
        s->lsu.free_record = s->lsu.records.data[k].next_free;
    }
    s->lsu.records.data[k] = (struct load_record){.warp = (uint16_t)slot,
                                                  .op = o,
                                                  .serial = s->check.serial + 1,
                                                  .entry = BOARD_NONE,
                                                  .level = (uint8_t)level_of_kind(kind)};
    memcpy(s->lsu.records.data[k].registers, s->warps[slot].operands.map + o->dst,
           sizeof s->lsu.records.data[k].registers);
    return k;
}

static uint32_t new_load(struct sm *s, unsigned slot, const struct op *o, enum lsu_kind kind)
{
    s->lsu.records_used++;
    s->warps[slot].lsu.loads++;
    uint32_t record = lsu_new_record(s, slot, o, kind);
    if (kind == LSU_REMOTE) s->lsu.records.data[record].remaining = net_bind(s, slot, record);
    return record;
}

void lsu_free_record(struct sm *s, uint32_t record)
{
    s->lsu.records.data[record].next_free = s->lsu.free_record;
    s->lsu.free_record = record;
}

// -- asynchronous copies ------------------------------------------------------------------------------------
//
//     queue ─▶ head: a place among lsu.copies ─▶ lines sent: departure ─▶ replies ─▶ landing: shared memory is written
//
// A copy has a record for its replies, and no register. The warp may end before its copies land; its slot and the
// block's shared memory stay until then.

// The copy executed last by the warp.
static uint32_t new_copy(struct sm *s, unsigned slot, const struct op *o)
{
    uint32_t record = lsu_new_record(s, slot, o, LSU_LOAD);
    const struct async_warp *a = s->warps[slot].warp->async;
    s->lsu.records.data[record].copy = (uint16_t)(1 + vec_last(&a->queue)->number % COPY_NUMBERS);
    s->lsu.copies_of[slot]++;
    return record;
}

// Lanes that read no byte request no line.
static void leave_out_empty(struct sm_grid *g, const struct sm_warp *w)
{
    uint64_t reading = vec_last(&w->warp->async->queue)->unread;
    g->engine->is_row &= g->engine->access.mask == reading;
    g->engine->access.mask = reading;
}

static struct async_entry *copy_of(const struct sm *s, const struct load_record *r)
{
    const struct async_warp *a = s->warps[r->warp].warp->async;
    for (size_t k = 0; k < a->queue.count; k++)
        if (a->queue.data[k]->bytes && a->queue.data[k]->number % COPY_NUMBERS + 1 == r->copy)
            return a->queue.data[k];
    return NULL;
}

static void land(struct sm *s, uint32_t record)
{
    if (record == LSU_STEP) {
        bulk_step(s);
        return;
    }
    if (record == LSU_NET) {
        net_step(s);
        return;
    }
    struct load_record *r = &s->lsu.records.data[record];
    struct sm_warp *w = &s->warps[r->warp];
    struct async_entry *c = copy_of(s, r);
    unsigned slot = r->warp, passes = coalesce_passes_of_copy(s, w, c);
    w->grid->counts.lsu_copies++;
    w->grid->counts.shared_accesses++;
    w->grid->counts.shared_conflict_cycles += passes - 1;
    async_land(w->warp, c, c->lanes);
    stall_speaks_against(s);
    if (s->watch) watch_completed(s, record, s->now);
    lsu_free_record(s, record);
    s->lsu.copies_of[slot]--;
    s->lsu.copies--;
    lsu_look_again(s);
    if (w->warp->state == WARP_DONE)
        room_warp_ended(s, slot);
    else
        ready_evaluate(s, slot);
}

static void note_next(struct lsu *l)
{
    uint64_t landing = l->landings.count ? vec_last(&l->landings).cycle : CYCLE_NEVER;
    l->next_reply = landing < l->reply_at ? landing : l->reply_at;
}

void lsu_land_at(struct sm *s, uint64_t cycle, uint32_t record)
{
    struct lsu *l = &s->lsu;
    struct lsu_landing x = {cycle, record};
    vec_push(&l->landings, x);
    size_t k = l->landings.count - 1;
    for (; k && l->landings.data[k - 1].cycle <= x.cycle; k--) l->landings.data[k] = l->landings.data[k - 1];
    l->landings.data[k] = x;
    note_next(l);
}

// All data of a copy are on the SM from cycle `ready` on; the passes over shared memory's banks follow.
static void copy_complete(struct sm *s, uint32_t record)
{
    const struct load_record *r = &s->lsu.records.data[record];
    if (r->copy == COPY_BULK)
        bulk_complete(s, record);
    else
        lsu_land_at(s,
                    later(r->ready, s->now) + coalesce_passes_of_copy(s, &s->warps[r->warp], copy_of(s, r)),
                    record);
}

// Whether the copy at the queue's head gets a place; without a place the queue waits for a landing.
static bool copy_begins(struct sm *s, struct lsu_entry *e)
{
    if (e->begun) return true;
    if (s->lsu.copies == s->config->lsu_copies) return false;
    s->lsu.copies++;
    return e->begun = true;
}

// The reply of a record, with onlookers or dependences other than the scoreboard's and encoded waits.
static __attribute__((noinline)) void reply_observed(struct sm *s, uint32_t record)
{
    struct load_record *r = &s->lsu.records.data[record];
    struct sm_warp *w = &s->warps[r->warp];
    const struct op *o = r->op;
    r->ready = operand_write(s, w, r->registers, o, r->ready);
    if (s->watch) watch_completed(s, record, r->ready);
    if (s->config->check) check_reply(&s->check, r->warp, r->registers, o, r->serial, r->ready);
    uint8_t current = 0xff;
    if (s->config->dependences == DEPENDENCES_SINGLE) operand_stall_for_memory(&w->operands, r->ready);
    if (s->config->dependences == DEPENDENCES_BOARD) current = board_replied(s, r->warp, r->entry, r->ready);
    operand_reply(&s->operands, &w->operands, o, r->registers, r->ready, current,
                  (uint8_t)(SOURCE_LEVEL + r->level));
    if (has_techs(s)) mech_replied(w, (uint32_t)(o - w->grid->ops), r->registers, r->ready);
}

// The same for the usual case.
static inline void reply_plain(struct sm *s, struct sm_warp *w, struct load_record *r)
{
    const struct op *o = r->op;
    if (o->dst_words) r->ready = operand_take_write_port(s, w->grid, r->registers, o->dst_words, r->ready);
    operand_reply(&s->operands, &w->operands, o, r->registers, r->ready, 0xff,
                  (uint8_t)(SOURCE_LEVEL + r->level));
}

// Whether the warp's next instruction waits for the record.
static bool was_awaited(const struct sm *s, const struct load_record *r)
{
    const struct sm_warp *w = &s->warps[r->warp];
    if (w->ready.why != SLOT_MEMORY || w->ready.source != SOURCE_AWAITED) return false;
    if (s->config->dependences != DEPENDENCES_SCOREBOARD) return true;
    return r->op->results & w->grid->ops[w->front.head].needs;
}

static void complete(struct sm *s, uint32_t record)
{
    struct load_record *r = &s->lsu.records.data[record];
    struct sm_warp *w = &s->warps[r->warp];
    if (r->copy) {
        copy_complete(s, record);
        return;
    }
    if (was_awaited(s, r)) account_came(s, r->warp, (enum gpu_level)r->level);
    if (has_onlookers(s) || s->config->dependences >= DEPENDENCES_SINGLE)
        reply_observed(s, record);
    else
        reply_plain(s, w, r);
    w->lsu.loads--;
    unsigned slot = r->warp;
    uint64_t ready = r->ready;
    lsu_free_record(s, record);
    s->lsu.records_used--;
    if (s->lsu.shut) lsu_place_free(s);
    if (w->warp && w->warp->state == WARP_DONE)
        room_warp_ended(s, slot);
    else if (ready > s->now)
        ready_wake_at(s, slot, ready);
    else
        ready_evaluate(s, slot);
}

void lsu_record_part(struct sm *s, uint32_t record, enum gpu_level level)
{
    struct load_record *r = &s->lsu.records.data[record];
    if (level > r->level) r->level = (uint8_t)level;
    r->ready = later(r->ready, s->now);
    r->remaining--;
    if (r->issued && !r->remaining) complete(s, record);
}

// -- the queue ----------------------------------------------------------------------------------------------

static uint32_t store_token(const struct sm *s, unsigned slot)
{
    return (uint32_t)TOKEN_STORE << TOKEN_SHIFT | (s->warps[slot].age & AGE_MASK) * SM_WARPS | slot;
}

static void note_warp(struct lsu_entry *e, const struct sm_warp *w)
{
    e->place = w->place;
    e->index = w->warp->index;
    e->block = w->warp->cta->linear;
}

static unsigned sectors_of(const struct transaction *t) // number; a line mostly has four
{
    const uint64_t of_four_bits = 0x4332322132212110;
    return t->sectors < 16 ? of_four_bits >> t->sectors * 4 & 15 : bit_count8(t->sectors);
}

void lsu_push(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, uint64_t arrive)
{
    struct sm_grid *g = s->warps[slot].grid;
    struct exec_access *a = &g->engine->access;
    struct gpu_counts *n = &g->counts;
    uint32_t place = s->lsu.first + s->lsu.count++, places = s->config->lsu_queue;
    struct lsu_entry *e = &s->lsu.queue[place < places ? place : place - places];
    e->arrive = arrive;
    e->op = o;
    e->warp = slot;
    e->grid = g;
    e->record = NONE32;
    e->next = 0;
    e->begun = i->op != OP_LDGSTS;
    if (!e->begun) leave_out_empty(g, &s->warps[slot]);
    coalesce(s, e, a, i);
    n->lsu_accesses++;
    if (a->shared) {
        n->shared_accesses++;
        n->shared_conflict_cycles += e->cycles - 1u;
    }
    n->lsu_transactions += e->count;
    for (unsigned k = 0; k < e->count; k++) n->lsu_sectors += sectors_of(&e->lines[k]);
    bool is_store = e->kind == LSU_STORE || e->kind == LSU_LOCAL_STORE || e->kind == LSU_REDUCE;
    if (is_store) s->warps[slot].lsu.stores += e->count;
    if (i->op == OP_LDGSTS) {
        e->record = new_copy(s, slot, o);
        e->token = store_token(s, slot);
        s->warps[slot].lsu.queued++;
    } else if (!is_store && (o->dst_words || o->pred_writes || e->kind != LSU_SHARED)) {
        e->record = new_load(s, slot, o, (enum lsu_kind)e->kind);
        operand_result(s, &s->warps[slot], o, CYCLE_NEVER, true);
    } else {
        // By the time a line of a store is sent, the warp may have ended and its slot may hold another warp. The
        // token therefore contains the low bits of the warp's age.
        e->token = store_token(s, slot);
        s->warps[slot].lsu.queued++;
    }
    if (has_techs(s)) note_warp(e, &s->warps[slot]);
    lsu_place_taken(s, slot);
    if (s->lsu.count == 1) s->lsu.next = later(s->lsu.next, later(arrive, s->now + 1));
}

void lsu_enter_board(struct sm *s, uint8_t entry)
{
    const struct lsu_entry *last = &s->lsu.queue[(s->lsu.first + s->lsu.count - 1) % s->config->lsu_queue];
    if (last->record != NONE32) s->lsu.records.data[last->record].entry = entry;
}

// Looks up a load in L1 and, with a mechanism's buffer beside L1, in the buffer.
static __attribute__((noinline)) enum tag_outcome look_up(const struct lsu_entry *e, struct tag_store *t,
                                                          enum token_kind kind, struct mshr_waiter who,
                                                          bool *started)
{
    uint64_t line = e->lines[e->next].line;
    enum tag_outcome o;
    *started = false;
    if (e->grid->line_buffer && line_buffer_load(e->grid, line, who, &o)) return o;
    return tags_load(e->grid, t, kind, line, who, started);
}

static enum line_outcome load_through(struct sm *s, struct tag_store *t, enum token_kind kind,
                                      struct lsu_entry *e, uint32_t latency, uint64_t *hits, uint64_t *misses,
                                      uint64_t *pending)
{
    const struct transaction *x = &e->lines[e->next];
    struct load_record *r = &s->lsu.records.data[e->record];
    bool started;
    bool is_observed = e->kind == LSU_LOAD && has_techs(s);
    bool is_foreseen = is_observed && mech_foreseen(e);
    struct mshr_waiter who = {
        .token = e->record, .sectors = x->sectors, .kind = is_foreseen ? WAITER_NOBODY : WAITER_RECORD};
    enum tag_outcome o = is_observed ? look_up(e, t, kind, who, &started)
                                     : tags_load(e->grid, t, kind, x->line, who, &started);
    if (o == TAG_WAITS && is_foreseen) o = TAG_HIT;
    switch (o) {
    case TAG_HIT:
        ++*hits;
        r->ready = later(r->ready, s->now + latency);
        return LINE_HIT;
    case TAG_WAITS:
        ++*(started ? misses : pending);
        r->remaining++;
        return started ? LINE_MISS : LINE_JOINED;
    case TAG_STALLED: break;
    }
    return LINE_STALLED;
}

// The warp whose store has the token; NULL: the warp has ended.
static struct sm_warp *who_stored(struct sm *s, uint32_t token)
{
    struct sm_warp *w = &s->warps[token % SM_WARPS];
    return (w->age & AGE_MASK) != token / SM_WARPS || !w->warp ? NULL : w;
}

// A line of a store is written; a fence of the warp may be waiting for the warp's last such line.
static void store_done(struct sm *s, uint32_t token)
{
    struct sm_warp *w = who_stored(s, token);
    if (w && --w->lsu.stores == 0 && w->warp->state != WARP_DONE) ready_evaluate(s, slot_of(s, w));
}

// An instruction without a load_record, such as a store, has left the load/store queue. Wakes the warp where
// issue.dependences=single or board waits for the departure.
static void store_left(struct sm *s, uint32_t token)
{
    struct sm_warp *w = who_stored(s, token);
    bool waits = s->config->dependences == DEPENDENCES_SINGLE || s->config->dependences == DEPENDENCES_BOARD;
    if (w && --w->lsu.queued == 0 && w->warp->state != WARP_DONE && waits)
        ready_wake_at(s, slot_of(s, w), s->now + 1);
}

static enum line_outcome store_through(struct sm *s, const struct lsu_entry *e, const struct transaction *x)
{
    // l1.write=through-allocate: a store to local memory, or with l1.global any store, takes a line in L1 if
    // a way is free. In any case the store goes through to the L2.
    if (s->config->l1_write == L1_WRITE_ALLOCATE && (s->config->l1_global || e->kind == LSU_LOCAL_STORE))
        tags_store(e->grid, &s->tags.l1, x->line, x->sectors, false);
    else
        tags_store_through(e->grid, x->line, x->sectors);
    lsu_request(e->grid, x->line, x->sectors, x->bytes, MEMORY_STORE, e->token);
    return LINE_PASSED;
}

// Whether a load of global memory bypasses L1; never with perfect memory. With l1.global off, plain loads
// still look up lines locked by mechanisms.
static bool goes_past_l1(const struct sm *s, const struct lsu_entry *e)
{
    if (s->config->memory_perfect) return false;
    if (e->kind == LSU_LOAD_PAST_L1) return true;
    return !s->config->l1_global && !tags_has_locked(e->grid, e->lines[e->next].line);
}

// Sends the next line of the instruction at the queue's head. LINE_STALLED: nothing has changed; retry after
// a reply.
static enum line_outcome send_line(struct sm *s, struct lsu_entry *e)
{
    const struct transaction *x = &e->lines[e->next];
    struct gpu_counts *n = &e->grid->counts;
    switch ((enum lsu_kind)e->kind) {
    case LSU_CONSTANT:
        return load_through(s, &s->tags.constant, TOKEN_CONSTANT, e, s->config->constant_latency,
                            &n->constant_hits, &n->constant_misses, &n->constant_hits);
    case LSU_TEXTURE:
        return load_through(s, &s->tags.texture, TOKEN_TEXTURE, e, s->config->texture_latency,
                            &n->texture_hits, &n->texture_misses, &n->texture_hits);
    case LSU_LOAD:
    case LSU_LOAD_PAST_L1:
        if (goes_past_l1(s, e)) break;
        // fall through
    case LSU_LOCAL_LOAD:
        return load_through(s, &s->tags.l1, TOKEN_L1, e, s->config->l1_latency, &n->l1_hits, &n->l1_misses,
                            &n->l1_pending_hits);
    case LSU_LOCAL_STORE:
        if (s->config->l1_write != L1_WRITE_LOCAL_BACK) return store_through(s, e, x);
        if (!tags_store(e->grid, &s->tags.l1, x->line, x->sectors, true)) return LINE_STALLED;
        n->l1_stores++;
        store_done(s, e->token & TOKEN_MASK);
        return LINE_KEPT;
    case LSU_STORE: return store_through(s, e, x);
    case LSU_REDUCE:
        tags_drop(e->grid, x->line);
        lsu_request(e->grid, x->line, x->sectors, x->bytes, MEMORY_REDUCE, e->token);
        return LINE_PASSED;
    case LSU_ATOMIC: tags_drop(e->grid, x->line); break;
    case LSU_SHARED:
    case LSU_REMOTE: return LINE_PASSED; // no lines
    }
    enum memory_kind kind = e->kind == LSU_ATOMIC ? MEMORY_ATOMIC : MEMORY_LOAD;
    struct load_record *r = &s->lsu.records.data[e->record];
    r->remaining++;
    if (s->config->memory_perfect) r->ready = later(r->ready, s->now + s->config->l1_latency);
    lsu_request(e->grid, x->line, x->sectors, kind == MEMORY_ATOMIC ? x->bytes : 0, kind,
                (uint32_t)TOKEN_RECORD << TOKEN_SHIFT | e->record);
    return LINE_PASSED;
}

// -- lines requested by mechanisms --------------------------------------------------------------------------

bool lsu_ask_early(struct sm_grid *g, unsigned tech, uint64_t line, uint8_t sectors, uint32_t token)
{
    struct lsu *l = &g->sm->lsu;
    if (l->early_count == LSU_EARLY) return false;
    l->early[(l->first_early + l->early_count++) % LSU_EARLY] =
        (struct lsu_early){g, line, token, sectors, (uint8_t)tech};
    g->lsu.early++;
    return true;
}

void lsu_early_came(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token)
{
    g->lsu.early--;
    mech_line(g, tech, line, token);
}

// Looks up in `t` a line requested by a mechanism. *started: a memory request was sent.
static enum tag_outcome look_up_early(struct tag_store *t, enum token_kind kind, const struct lsu_early *e,
                                      bool *started)
{
    struct mshr_waiter who = {.token = e->token,
                              .owner = e->tech,
                              .sectors = e->sectors,
                              .kind = WAITER_EARLY,
                              .grid = e->grid->launch->number};
    enum tag_outcome o = tags_load(e->grid, t, kind, e->line, who, started);
    if (o == TAG_STALLED) return o;
    e->grid->counts.l1_early_requests++;
    e->grid->counts.l1_early_misses += *started;
    return o;
}

// Looks up in L1 a neighbour line requested by a mechanism; without a free MSHR or way the request is
// dropped.
static enum line_outcome bring(struct sm *s, const struct lsu_early *x)
{
    struct sm_grid *g = x->grid;
    bool started;
    g->lsu.early++;
    switch (look_up_early(&s->tags.l1, TOKEN_L1, x, &started)) {
    case TAG_HIT: lsu_early_came(g, x->tech, x->line, x->token); return LINE_HIT;
    case TAG_WAITS: return started ? LINE_MISS : LINE_JOINED;
    case TAG_STALLED: break;
    }
    g->lsu.early--;
    g->counts.l1_early_dropped++;
    return LINE_STALLED;
}

// Marks neighbour lines present in L1 as just used, and tells the mechanism.
static void touch_neighbours(struct sm_grid *g, unsigned tech, const struct tech_neighbours *n, uint8_t all)
{
    for (unsigned k = 0; k < n->count; k++) {
        if (!tags_touch(g, n->lines[k], all)) continue;
        g->counts.l1_early_requests++;
        mech_neighbour(g, tech, n->lines[k], LINE_HIT);
    }
}

// Looks up the neighbours, named by a mechanism, of the line just sent. With only_touch, only marks
// neighbours present in L1 as used.
static void bring_neighbours(struct sm *s, const struct lsu_entry *e, enum line_outcome outcome,
                             unsigned tech, const struct tech_neighbours *n)
{
    struct sm_grid *g = e->grid;
    uint8_t all = (uint8_t)bit_mask(s->line_bytes / SECTOR_BYTES);
    if (n->only_touch) {
        touch_neighbours(g, tech, n, all);
        return;
    }
    s->lsu.rides = outcome == LINE_MISS;
    for (unsigned k = 0; k < n->count; k++) {
        const struct lsu_early x = {g, n->lines[k], TECH_NEIGHBOUR, all, (uint8_t)tech};
        // allocations begin at a line boundary: testing a line's first byte suffices
        if (!memory_find(g->launch->launch->memory, x.line)) continue;
        enum line_outcome o = bring(s, &x);
        s->lsu.rides |= o == LINE_MISS;
        bool waits = n->waits && outcome == LINE_HIT && (o == LINE_MISS || o == LINE_JOINED);
        if (waits)
            s->lsu.records.data[e->record].remaining += tags_wait(g, &s->tags.l1, x.line, e->record, all);
        mech_neighbour(g, tech, x.line, o);
    }
    s->lsu.rides = false;
}

void lsu_look_again(struct sm *s) { s->lsu.blocked = s->lsu.early_blocked = false; }

// Whether the queue's head tries to send a line in this cycle.
static bool is_taken(const struct sm *s)
{
    const struct lsu *l = &s->lsu;
    const struct lsu_entry *e = &l->queue[l->first];
    if (!l->count || l->blocked || s->now < l->next) return false;
    return e->arrive <= s->now && !e->cycles && e->next < e->count;
}

void lsu_cycle_early(struct sm *s)
{
    struct lsu *l = &s->lsu;
    if (is_taken(s)) return;
    const struct lsu_early e = l->early[l->first_early];
    enum token_kind kind = TOKEN_L1;
    struct tag_store *t = e.grid->line_buffer ? line_buffer_store(e.grid, e.line, &kind) : &s->tags.l1;
    bool started;
    enum tag_outcome o = look_up_early(t, kind, &e, &started);
    l->early_blocked = o == TAG_STALLED;
    if (l->early_blocked) return;
    l->first_early = (l->first_early + 1) % LSU_EARLY;
    l->early_count--;
    if (o == TAG_HIT)
        lsu_early_came(e.grid, e.tech, e.line, e.token);
    else
        mech_asked(e.grid, e.tech, e.line, e.token);
}

// -- the queue's head ---------------------------------------------------------------------------------------

static void finish(struct sm *s, struct lsu_entry *e)
{
    uint32_t place = s->lsu.first;
    s->lsu.first = place + 1 == s->config->lsu_queue ? 0 : place + 1;
    s->lsu.count--;
    if (s->lsu.shut) lsu_place_free(s);
    if (e->record == NONE32) {
        store_left(s, e->token & TOKEN_MASK);
        if (s->watch) watch_left_queue(s, place);
        return;
    }
    struct load_record *r = &s->lsu.records.data[e->record];
    r->issued = true;
    r->ready = later(r->ready, s->now + 1);
    if (r->copy) {
        timed_depart(e->grid->engine, copy_of(s, r));
        store_left(s, e->token & TOKEN_MASK);
    }
    if (!r->remaining) complete(s, e->record);
}

static __attribute__((noinline)) void tell_of_line(struct sm *s, const struct lsu_entry *e,
                                                   enum line_outcome outcome)
{
    bool in_l1 = e->kind == LSU_LOAD && s->config->l1_global;
    bool writes = e->kind == LSU_STORE || e->kind == LSU_REDUCE || e->kind == LSU_ATOMIC;
    struct tech_neighbours n;
    if (writes && e->grid->line_buffer) line_buffer_written(e->grid, e->lines[e->next].line);
    unsigned tech = mech_access(e, outcome, in_l1 ? &n : NULL);
    if (in_l1 && n.count) bring_neighbours(s, e, outcome, tech, &n);
}

void lsu_cycle(struct sm *s)
{
    struct lsu_entry *e = &s->lsu.queue[s->lsu.first];
    if (e->arrive > s->now) {
        s->lsu.next = e->arrive;
        return;
    }
    s->lsu.next = s->now + 1;
    if (!copy_begins(s, e)) {
        s->lsu.blocked = true;
        return;
    }
    if (e->cycles) {
        s->lsu.next = s->now + e->cycles;
        if (e->record != NONE32 && e->kind != LSU_TEXTURE && e->kind != LSU_CONSTANT)
            s->lsu.records.data[e->record].ready = s->now + e->cycles - 1u + s->config->shared_latency;
        e->cycles = 0;
    } else if (e->next < e->count) {
        enum line_outcome outcome = send_line(s, e);
        if (outcome == LINE_STALLED) {
            s->lsu.blocked = true;
            return;
        }
        if (has_techs(s)) tell_of_line(s, e, outcome);
        e->next++;
    }
    if (e->next == e->count) finish(s, e);
}

static void take_reply(struct sm *s, const struct memory_reply *r)
{
    uint32_t what = r->token & TOKEN_MASK;
    struct sm_grid *g = sm_grid_of(s, r->grid);
    enum gpu_level level = r->from_dram ? LEVEL_DRAM : LEVEL_L2;
    g->lsu.replied++;
    g->lsu.last_reply = r->cycle;
    lsu_look_again(s);
    switch ((enum token_kind)(r->token >> TOKEN_SHIFT)) {
    case TOKEN_RECORD: lsu_record_part(s, what, level); break;
    case TOKEN_STORE: store_done(s, what); break;
    case TOKEN_L1: tags_reply(g, &s->tags.l1, what, r->sectors, level); break;
    case TOKEN_CONSTANT: tags_reply(g, &s->tags.constant, what, r->sectors, level); break;
    case TOKEN_TEXTURE: tags_reply(g, &s->tags.texture, what, r->sectors, level); break;
    case TOKEN_CODE: tags_reply(g, &s->tags.code, what, r->sectors, level); break;
    case TOKEN_BUFFER: line_buffer_reply(g, what, r->sectors, level); break;
    case TOKEN_WRITEBACK: break;
    }
}

void lsu_take_replies(struct sm *s)
{
    struct lsu *l = &s->lsu;
    while (l->reply_at <= s->now) {
        take_reply(s, &l->waiting);
        bool more = memory_system_take(l->memory, s->index, s->window_end, &l->waiting);
        l->reply_at = more ? l->waiting.cycle : CYCLE_NEVER;
    }
    while (l->landings.count && vec_last(&l->landings).cycle <= s->now) land(s, vec_pop(&l->landings).record);
    note_next(l);
}

void lsu_open(struct sm *s, struct memory_system *m)
{
    struct lsu *l = &s->lsu;
    l->memory = m;
    memory_system_open(m, s->index);
    bool any = memory_system_take(m, s->index, s->window_end, &l->waiting);
    l->reply_at = any ? l->waiting.cycle : CYCLE_NEVER;
    note_next(l);
}

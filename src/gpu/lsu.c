// The load/store unit: a queue of memory instructions, served in order.
//
//     issue ─▶ operands collected ─▶ queue ─▶ head: passes over shared memory's banks, then a line a cycle
//                                              ├─ shared            ready after the last pass + latency
//                                              ├─ L1, texture,      hit: latency; miss: an MSHR and a request
//                                              │  constant
//                                              └─ global            a request a line, unless L1 caches them
//
// The lanes' addresses become lines and sectors when the instruction is issued (coalescing). A head that
// finds no MSHR or way holds the queue until a reply frees something. Who finds the queue full stands in line
// for a place: were places to go to whoever the schedulers come to first, warps that spin on a word could
// keep out for ever the one that they wait for.
#include "gpu/sm_impl.h"

#include <string.h>

enum { TOKEN_MASK = (1 << TOKEN_SHIFT) - 1, GENERATION_MASK = TOKEN_MASK / SM_WARPS };

void lsu_request(struct sm *s, uint64_t line, uint8_t sectors, unsigned bytes, enum memory_kind kind,
                 uint32_t token)
{
    s->requested++;
    struct memory_request r = {.cycle = s->now,
                               .line = line,
                               .token = token,
                               .sm = (uint16_t)s->index,
                               .sectors = sectors,
                               .data_bytes = (uint8_t)bytes,
                               .kind = (uint8_t)kind};
    memory_system_push(s->memory, &r);
}

// -- coalescing ---------------------------------------------------------------------------------------------

// For `lanes` lanes, each all of these bytes.
static void add_line(struct lsu_entry *e, uint64_t address, unsigned bytes, unsigned lanes,
                     uint32_t line_bytes)
{
    uint64_t line = address & ~(uint64_t)(line_bytes - 1);
    unsigned first = (unsigned)(address - line) / SECTOR_BYTES,
             last = (unsigned)(address + bytes - 1 - line) / SECTOR_BYTES;
    uint8_t sectors = (uint8_t)(bit_mask(last + 1) & ~bit_mask(first));
    struct transaction *t = e->lines + e->count;
    while (t > e->lines && t[-1].line != line) t--; // most often the last one
    if (t == e->lines) {
        t = &e->lines[e->count++];
        *t = (struct transaction){.line = line};
    } else {
        t--;
    }
    t->sectors |= sectors;
    bytes = t->bytes + bytes * lanes;
    t->bytes = (uint8_t)(bytes > line_bytes ? line_bytes : bytes);
}

// Lanes whose data lie one behind the other: line by line instead of lane by lane.
static void coalesce_row(struct lsu_entry *e, const struct exec_access *a, unsigned lanes,
                         uint32_t line_bytes)
{
    uint64_t first = a->address[0], end = first + (uint64_t)lanes * a->bytes;
    for (uint64_t line = first & ~(uint64_t)(line_bytes - 1); line < end; line += line_bytes) {
        uint64_t from = later(first, line), to = end < line + line_bytes ? end : line + line_bytes;
        uint64_t sectors = bit_mask((unsigned)(to - 1 - line) / SECTOR_BYTES + 1) &
                           ~bit_mask((unsigned)(from - line) / SECTOR_BYTES);
        e->lines[e->count++] = (struct transaction){line, (uint8_t)sectors, (uint8_t)(to - from)};
    }
}

static void coalesce(struct sm *s, struct lsu_entry *e, const struct exec_access *a, uint64_t lanes)
{
    uint32_t line_bytes = s->launch->config->memory.line_bytes;
    unsigned all = s->engine->exec.lanes;
    if (s->engine->is_row || (a->kind == ACCESS_TEXTURE && a->address[0] && exec_access_is_row(a, all))) {
        coalesce_row(e, a, all, line_bytes);
        return;
    }
    while (lanes) { // lanes side by side go together, and so do lanes at one place
        uint64_t start = a->address[bit_lowest(lanes)], end = start;
        unsigned same = 1;
        for (; lanes && a->address[bit_lowest(lanes)] == end; lanes &= lanes - 1) end += a->bytes;
        if (end - start == a->bytes)
            for (; lanes && a->address[bit_lowest(lanes)] == start; lanes &= lanes - 1) same++;
        for (uint64_t at = start, next; start && at < end; at = next) {
            next = (at | (line_bytes - 1)) + 1;
            if (next > end) next = end;
            add_line(e, at, (unsigned)(next - at), same, line_bytes);
        }
    }
}

// Local memory of a warp is laid out word by word, lanes side by side, so that equal addresses coalesce.
static void coalesce_local(struct sm *s, struct lsu_entry *e, struct exec_access *a)
{
    const struct launch *l = s->launch->launch;
    uint64_t words = (l->local_total + 3) / 4, lanes = s->engine->exec.lanes;
    uint64_t base = GPU_LOCAL_ADDRESS + ((uint64_t)s->index * SM_WARPS + e->warp) * words * lanes * 4;
    for (uint64_t left = a->local; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        for (unsigned n = 0; n < a->bytes; n += 4) {
            uint64_t address = base + ((a->address[lane] + n) / 4 * lanes + lane) * 4;
            add_line(e, address, a->bytes < 4 ? a->bytes : 4, 1, s->launch->config->memory.line_bytes);
        }
    }
}

// 32 lanes, a word each: whether no bank is asked for two. Each lane writes its word where its bank is; if
// all find their own there afterwards, nobody met anybody.
static bool all_find_their_own(const struct exec_access *a)
{
    uint32_t word_of[32], differ = 0;
    for (unsigned l = 0; l < 32; l++) word_of[a->address[l] / 4 % 32] = (uint32_t)a->address[l];
    for (unsigned l = 0; l < 32; l++) differ |= word_of[a->address[l] / 4 % 32] ^ (uint32_t)a->address[l];
    return !differ;
}

// The same in most cases with less: lanes side by side mostly ask for one word or for words side by side. Such
// runs do not meet if their banks are others, or their words among those of another run.
static bool is_conflict_free(const struct exec_access *a)
{
    struct {
        uint32_t first, last;
    } run[4];
    uint32_t taken = 0;
    for (unsigned n = 0, l = 0; l < 32; n++) {
        if (n == sizeof run / sizeof *run) return all_find_their_own(a);
        uint64_t before = a->address[l], next;
        run[n].first = (uint32_t)(before / 4);
        while (++l < 32 && !(((next = a->address[l]) - before) & ~4ull)) before = next;
        run[n].last = (uint32_t)(before / 4);
        uint64_t wrapped = bit_mask(run[n].last - run[n].first + 1) << run[n].first % 32;
        uint32_t banks = (uint32_t)(wrapped | wrapped >> 32);
        unsigned among = taken & banks ? 0 : n;
        while (among < n && (run[n].first < run[among].first || run[n].last > run[among].last)) among++;
        if (taken & banks && among == n) return all_find_their_own(a);
        taken |= banks;
    }
    return true;
}

// How often banks must be asked until every lane has had its turn: lanes with one key are served together. In
// each round they all write their keys where their banks are, and whoever finds its own there is served.
static unsigned bank_turns(uint32_t *key, uint8_t *bank, unsigned count)
{
    uint32_t owner[64];
    unsigned turns = 0;
    for (unsigned left; count; count = left, turns++) {
        for (unsigned k = 0; k < count; k++) owner[bank[k]] = key[k];
        left = 0;
        for (unsigned k = 0; k < count; k++) {
            bool waits = owner[bank[k]] != key[k];
            key[left] = key[k];
            bank[left] = bank[k];
            left += waits;
        }
    }
    return turns;
}

// The same where no two lanes are served together.
static unsigned longest_queue(const uint8_t *bank, unsigned count)
{
    uint8_t waiting[64] = {0};
    unsigned turns = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned n = ++waiting[bank[k]];
        turns = n > turns ? n : turns;
    }
    return turns;
}

// Passes over the banks: lanes that want different words of a bank take turns; one word is read for all.
// Wider accesses go in halves or quarters of the warp. Atomics on one word take turns too.
static unsigned shared_passes(const struct sm *s, const struct exec_access *a, bool is_atomic)
{
    unsigned words = a->bytes > 4 ? a->bytes / 4 : 1, banks = s->config->shared_banks / words;
    unsigned repeat = banks ? 1 : words / s->config->shared_banks, shift = (unsigned)__builtin_ctz(words) + 2;
    unsigned lanes = s->engine->exec.lanes, group = lanes / words < 32 ? lanes / words : 32, passes = 0;
    if (a->bytes == 4 && !is_atomic && lanes == 32 && banks == 32 && a->shared == bit_mask(32) &&
        (s->engine->is_row || is_conflict_free(a)))
        return 1;
    if (!banks) banks = 1;
    // Accesses are aligned, so a lane's words are in as many banks side by side: one bank of wider words.
    for (unsigned start = 0; start < lanes; start += group) {
        uint32_t key[32];
        uint8_t bank[32];
        unsigned count = 0;
        for (uint64_t left = a->shared >> start & bit_mask(group); left; left &= left - 1, count++) {
            uint32_t word = (uint32_t)(a->address[start + bit_lowest(left)] >> shift);
            key[count] = word;
            bank[count] = (uint8_t)(is_power_of_two(banks) ? word & (banks - 1) : word % banks);
        }
        passes += (is_atomic ? longest_queue(bank, count) : bank_turns(key, bank, count)) * repeat;
    }
    return passes ? passes : 1;
}

static enum lsu_kind kind_of(const struct exec_access *a, const struct inst *i)
{
    if (i->op == OP_LDC) return LSU_CONSTANT;
    uint64_t global = a->mask & ~(a->shared | a->local);
    switch ((enum access_kind)a->kind) {
    case ACCESS_TEXTURE: return LSU_TEXTURE;
    case ACCESS_LOAD: return global ? LSU_LOAD : a->local ? LSU_LOCAL_LOAD : LSU_SHARED;
    case ACCESS_STORE: return global ? LSU_STORE : a->local ? LSU_LOCAL_STORE : LSU_SHARED;
    case ACCESS_ATOMIC: return global ? LSU_ATOMIC : LSU_SHARED;
    case ACCESS_REDUCE: return global ? LSU_REDUCE : LSU_SHARED;
    case ACCESS_NONE: break;
    }
    return LSU_SHARED;
}

// -- the line before the queue ------------------------------------------------------------------------------

// That nobody has, and that are kept for nobody.
static uint32_t free_places(const struct sm *s)
{
    uint32_t queue = s->config->lsu_queue - s->queue_count;
    uint32_t records = s->config->lsu_pending - s->records_used;
    return (queue < records ? queue : records) - s->lsu_kept;
}

static uint8_t *in_line(struct sm *s, uint32_t k) { return &s->lsu_line[(s->lsu_line_first + k) % SM_WARPS]; }

// Free places go to those in line, in order.
static void deal(struct sm *s, uint32_t free)
{
    for (uint32_t k = 0; free && s->lsu_parked; k++) {
        uint64_t bit = s->lsu_parked & 1ull << *in_line(s, k);
        if (!bit) continue;
        s->lsu_parked &= ~bit;
        s->lsu_turn |= bit;
        s->lsu_kept++;
        s->ready |= bit;
        free--;
    }
    s->lsu_shut = s->lsu_line_count || !free;
}

static void place_is_free(struct sm *s)
{
    if (s->lsu_shut) deal(s, free_places(s));
}

bool lsu_has_place(struct sm *s, unsigned slot)
{
    uint64_t bit = 1ull << slot;
    if (s->lsu_turn & bit) return true;
    if (!(s->lsu_asked & bit)) *in_line(s, s->lsu_line_count++) = (uint8_t)slot;
    s->lsu_asked |= bit;
    s->lsu_parked |= bit;
    uint32_t free = free_places(s);
    if (free) deal(s, free);
    return s->lsu_turn & bit;
}

void lsu_unable(struct sm *s, unsigned slot)
{
    uint64_t bit = 1ull << slot;
    s->lsu_parked &= ~bit;
    s->lsu_kept -= s->lsu_turn >> slot & 1;
    s->lsu_turn &= ~bit;
    deal(s, free_places(s));
}

static void step_out(struct sm *s, unsigned slot)
{
    uint32_t k = 0;
    while (*in_line(s, k) != slot) k++;
    for (; k; k--) *in_line(s, k) = *in_line(s, k - 1); // most often it is the first
    s->lsu_line_first++;
    s->lsu_line_count--;
    s->lsu_asked &= ~(1ull << slot);
}

void lsu_leave_line(struct sm *s, unsigned slot)
{
    step_out(s, slot);
    lsu_unable(s, slot);
}

// A warp has taken a place. With the last one gone, others that were about to enter stand in line.
static void place_is_taken(struct sm *s, unsigned slot)
{
    if (s->lsu_turn >> slot & 1) {
        step_out(s, slot);
        s->lsu_kept--;
        s->lsu_turn &= ~(1ull << slot);
        if (s->lsu_line_count) return; // no place less is free than before
    }
    s->lsu_shut = !free_places(s);
    if (!s->lsu_shut) return;
    for (uint64_t left = s->ready & s->wants_lsu & ~(1ull << slot); left; left &= left - 1)
        sm_evaluate(s, bit_lowest(left));
}

// -- records ------------------------------------------------------------------------------------------------

static uint32_t new_record(struct sm *s, unsigned slot, const struct op *o)
{
    uint32_t k = s->free_record;
    if (k == NONE32) {
        k = (uint32_t)s->records.count;
        vec_push(&s->records, (struct load_record){0});
    } else {
        s->free_record = s->records.data[k].next_free;
    }
    s->records.data[k] = (struct load_record){.warp = slot, .op = o, .serial = s->check.serial + 1};
    memcpy(s->records.data[k].registers, s->warps[slot].map + o->dst, sizeof s->records.data[k].registers);
    s->records_used++;
    s->warps[slot].loads++;
    return k;
}

static void complete(struct sm *s, uint32_t record)
{
    struct load_record *r = &s->records.data[record];
    struct sm_warp *w = &s->warps[r->warp];
    const struct op *o = r->op;
    r->ready = operand_write(s, r->registers, o, r->ready);
    if (s->watch) watch_completed(s, record, r->ready);
    if (s->config->check) check_reply(&s->check, r->warp, r->registers, o, r->serial, r->ready);
    for (unsigned n = 0; n < o->dst_words; n++) s->reg_ready[r->registers[n]] = r->ready;
    for (unsigned left = o->pred_writes; left; left &= left - 1) w->pred_ready[bit_lowest(left)] = r->ready;
    if (has_techs(s)) tech_replied(s, r->warp, (uint32_t)(o - s->ops), r->registers, r->ready);
    w->loads--;
    if (o->barrier) {
        w->barrier_pending[o->barrier - 1]--;
        w->barrier_ready[o->barrier - 1] = later(w->barrier_ready[o->barrier - 1], r->ready);
    }
    unsigned slot = r->warp;
    uint64_t ready = r->ready;
    r->next_free = s->free_record;
    s->free_record = record;
    s->records_used--;
    place_is_free(s);
    w->busy_until = later(w->busy_until, ready);
    if (w->warp && w->warp->state == WARP_DONE)
        sm_warp_ended(s, slot);
    else if (ready > s->now)
        sm_wake(s, slot, ready);
    else
        sm_evaluate(s, slot);
}

void record_part_done(struct sm *s, uint32_t record, uint64_t cycle)
{
    struct load_record *r = &s->records.data[record];
    r->ready = later(r->ready, cycle);
    r->remaining--;
    if (r->issued && !r->remaining) complete(s, record);
}

// -- the queue ----------------------------------------------------------------------------------------------

static uint32_t store_token(const struct sm *s, unsigned slot)
{
    return (uint32_t)TOKEN_STORE << TOKEN_SHIFT | (s->warps[slot].generation & GENERATION_MASK) * SM_WARPS |
           slot;
}

void lsu_push(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, uint64_t arrive)
{
    struct exec_access *a = &s->engine->access;
    struct lsu_entry *e = &s->queue[(s->queue_first + s->queue_count++) % s->config->lsu_queue];
    e->arrive = arrive;
    e->op = o;
    e->warp = slot;
    e->record = NONE32;
    e->kind = (uint8_t)kind_of(a, i);
    e->cycles = e->count = e->next = 0;
    uint64_t global = a->mask & ~(a->shared | a->local);
    s->counts.lsu_accesses++;
    if (a->shared) {
        e->cycles = (uint16_t)shared_passes(s, a, isa_has(i, ISA_ATOMIC));
        s->counts.shared_accesses++;
        s->counts.shared_conflict_cycles += e->cycles - 1u;
    }
    if (e->kind == LSU_CONSTANT) {
        for (uint64_t left = a->mask; left; left &= left - 1)
            a->address[bit_lowest(left)] += GPU_CONSTANT_ADDRESS + ((uint64_t)i->bank << 32);
    }
    if (global) coalesce(s, e, a, global);
    if (a->local) coalesce_local(s, e, a);
    s->counts.lsu_transactions += e->count;
    for (unsigned k = 0; k < e->count; k++) s->counts.lsu_sectors += bit_count8(e->lines[k].sectors);
    bool is_store = e->kind == LSU_STORE || e->kind == LSU_LOCAL_STORE || e->kind == LSU_REDUCE;
    if (is_store) s->warps[slot].stores += e->count;
    e->token =
        store_token(s, slot); // the warp may have ended, and its slot have another, when the line is sent
    if (!is_store && (o->dst_words || o->pred_writes || e->kind != LSU_SHARED)) {
        e->record = new_record(s, slot, o);
        operand_result(s, &s->warps[slot], o, CYCLE_NEVER, true);
    }
    place_is_taken(s, slot);
    if (s->queue_count == 1) s->lsu_next = later(s->lsu_next, later(arrive, s->now + 1));
}

static bool load_through(struct sm *s, struct tags *t, enum token_kind kind, struct lsu_entry *e,
                         uint32_t latency, uint64_t *hits, uint64_t *misses, uint64_t *pending)
{
    const struct transaction *x = &e->lines[e->next];
    struct load_record *r = &s->records.data[e->record];
    bool started;
    switch (tags_load(s, t, kind, x->line, x->sectors, e->record, e->warp, &started)) {
    case TAG_HIT:
        ++*hits;
        r->ready = later(r->ready, s->now + latency);
        return true;
    case TAG_WAITS:
        ++*(started ? misses : pending);
        r->remaining++;
        return true;
    case TAG_STALLED: break;
    }
    return false;
}

// A store's line is written; its warp's fence may be waiting for that.
static void store_done(struct sm *s, uint32_t token)
{
    unsigned slot = token % SM_WARPS;
    struct sm_warp *w = &s->warps[slot];
    if ((w->generation & GENERATION_MASK) != token / SM_WARPS || !w->warp) return;
    if (--w->stores == 0 && w->warp->state != WARP_DONE) sm_evaluate(s, slot);
}

static bool store_through(struct sm *s, const struct lsu_entry *e, const struct transaction *x)
{
    struct cache_victim victim;
    if (s->config->l1_write == L1_WRITE_ALLOCATE && (s->config->l1_global || e->kind == LSU_LOCAL_STORE))
        tags_store(s, &s->l1, x->line, x->sectors, false); // without a free way it just goes through
    else
        cache_store(s->l1.cache, x->line, x->sectors, false, false, &victim);
    lsu_request(s, x->line, x->sectors, x->bytes, MEMORY_STORE, e->token);
    return true;
}

// The next line of the head. False when it has to wait for a reply.
static bool send_line(struct sm *s, struct lsu_entry *e)
{
    const struct transaction *x = &e->lines[e->next];
    struct gpu_counts *n = &s->counts;
    switch ((enum lsu_kind)e->kind) {
    case LSU_CONSTANT:
        return load_through(s, &s->constant, TOKEN_CONSTANT, e, s->config->constant_latency,
                            &n->constant_hits, &n->constant_misses, &n->constant_hits);
    case LSU_TEXTURE:
        return load_through(s, &s->texture, TOKEN_TEXTURE, e, s->config->texture_latency, &n->texture_hits,
                            &n->texture_misses, &n->texture_hits);
    case LSU_LOAD:
        if (!s->config->l1_global) break;
        // fall through
    case LSU_LOCAL_LOAD:
        return load_through(s, &s->l1, TOKEN_L1, e, s->config->l1_latency, &n->l1_hits, &n->l1_misses,
                            &n->l1_pending_hits);
    case LSU_LOCAL_STORE:
        if (s->config->l1_write != L1_WRITE_LOCAL_BACK) return store_through(s, e, x);
        if (!tags_store(s, &s->l1, x->line, x->sectors, true)) return false;
        n->l1_stores++;
        store_done(s, e->token & TOKEN_MASK);
        return true;
    case LSU_STORE: return store_through(s, e, x);
    case LSU_REDUCE:
        cache_invalidate(s->l1.cache, x->line);
        lsu_request(s, x->line, x->sectors, x->bytes, MEMORY_REDUCE, e->token);
        return true;
    case LSU_ATOMIC: cache_invalidate(s->l1.cache, x->line); break;
    case LSU_SHARED: return true;
    }
    enum memory_kind kind = e->kind == LSU_ATOMIC ? MEMORY_ATOMIC : MEMORY_LOAD;
    s->records.data[e->record].remaining++;
    lsu_request(s, x->line, x->sectors, kind == MEMORY_ATOMIC ? x->bytes : 0, kind,
                (uint32_t)TOKEN_RECORD << TOKEN_SHIFT | e->record);
    return true;
}

static void finish(struct sm *s, struct lsu_entry *e)
{
    uint32_t place = s->queue_first;
    s->queue_first = (s->queue_first + 1) % s->config->lsu_queue;
    s->queue_count--;
    place_is_free(s);
    if (e->record == NONE32) {
        if (s->watch) watch_left_queue(s, place);
        return;
    }
    struct load_record *r = &s->records.data[e->record];
    r->issued = true;
    r->ready = later(r->ready, s->now + 1);
    if (!r->remaining) complete(s, e->record);
}

void lsu_cycle(struct sm *s)
{
    if (!s->queue_count || s->now < s->lsu_next || s->lsu_blocked) return;
    struct lsu_entry *e = &s->queue[s->queue_first];
    if (e->arrive > s->now) {
        s->lsu_next = e->arrive;
        return;
    }
    s->lsu_next = s->now + 1;
    if (e->cycles) {
        s->lsu_next = s->now + e->cycles;
        if (e->record != NONE32)
            s->records.data[e->record].ready = s->now + e->cycles - 1u + s->config->shared_latency;
        e->cycles = 0;
    } else if (e->next < e->count) {
        if (!send_line(s, e)) {
            s->lsu_blocked = true;
            return;
        }
        e->next++;
    }
    if (e->next == e->count) finish(s, e);
}

void lsu_reply(struct sm *s, const struct memory_reply *r)
{
    uint32_t what = r->token & TOKEN_MASK;
    s->replied++;
    s->lsu_blocked = false;
    switch ((enum token_kind)(r->token >> TOKEN_SHIFT)) {
    case TOKEN_RECORD: record_part_done(s, what, s->now); break;
    case TOKEN_STORE: store_done(s, what); break;
    case TOKEN_L1: tags_reply(s, &s->l1, what, r->sectors); break;
    case TOKEN_CONSTANT: tags_reply(s, &s->constant, what, r->sectors); break;
    case TOKEN_TEXTURE: tags_reply(s, &s->texture, what, r->sectors); break;
    case TOKEN_CODE: tags_reply(s, &s->code, what, r->sectors); break;
    case TOKEN_WRITEBACK: break;
    }
}

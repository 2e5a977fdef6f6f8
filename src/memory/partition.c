// The next event is the earliest queue head: fills, the way to DRAM, tags and port of each slice, in this
// order within a cycle. DRAM runs on its own clock: commands before a core cycle are issued ahead of all
// events of the cycle.
#include "memory/partition.h"
#include "base/bits.h"
#include "memory/address.h"
#include "memory/fifo.h"
#include "memory/mshr.h"

#define NEVER UINT64_MAX

struct query { // in a slice's queue
    uint64_t arrive;
    uint64_t line;
    struct mshr_waiter who;
    bool is_partial, is_followed; // is_followed: the next query in the queue is looked up in the same cycle
};

struct answer { // ready to leave a slice
    uint64_t ready;
    struct mshr_waiter who;
};

// The coalescer before the L2 (l2.coalesce): a load of a line that a near SM has loaded, and whose reply has not left, shares
// the lookup and the port. It has its own latency. Lines on their way from DRAM are known by the MSHRs, others by this table.
struct passing { // a hit whose reply may not have left
    uint64_t line;
    uint32_t number; // of the slice's hits
    uint8_t group, sectors;
};

enum { PASSING = 64 }; // entries of a slice, direct-mapped

struct slice {
    struct cache *cache;
    struct passing *passing; // NULL: no hit yet, or no coalescer
    uint32_t hits_left;      // hits whose replies have left
    struct mshrs mshrs;
    FIFO(struct query) queue;
    FIFO(struct answer) hits, fills;
    uint64_t free_at;     // the tags, core cycle
    uint64_t tags_free;   // the tags after the last lookup, L2 cycle
    uint64_t tags_after;  // tags_free as a core cycle
    uint64_t input_free;  // crossbar ports, interconnect cycles
    uint64_t output_free; // interconnect cycle
    uint64_t output_at;   // output_free as a core cycle
    uint32_t index;       // slice number of the chip
    // core cycles of the next events: the queue's head at the tags, an answer at the port; NEVER: none
    uint64_t tags_at, port_at;
    // The queue's head waits for a fill or for room in the DRAM queue.
    bool blocked;
};

struct transfer { // between a slice and the DRAM
    uint64_t cycle;
    uint64_t line;
    uint32_t slice, mshr; // MSHR_NONE: a write
    uint8_t sectors;      // bits
    uint8_t grid;         // grid charged for the transfer
};

struct books { // for the check of an idle partition: pairs of equal counts, in requests or sectors
    uint64_t accepted, answered;
    uint64_t asked, given;
    uint64_t fetched, filled;
};

struct partition {
    const struct memory_config *c;
    struct memory_map map;
    struct clock_ratio icnt, l2, dram_clock;
    unsigned sm_count, slice_total;
    unsigned l2_lines, l2_sectors; // L2 lines in a line of the requests; sectors of an L2 line
    uint32_t port_cycles;          // interconnect cycles of a flit at a slice's port
    struct arrivals arrivals;
    struct slice *slices;
    FIFO(struct transfer) to_dram, fills;
    struct dram *dram;
    uint64_t dram_next; // DRAM command cycle of the next decision
    uint64_t dram_at;   // core cycle during which dram_next begins
    // core cycles of the heads of `fills` and `to_dram`; NEVER: empty
    uint64_t fill_at, enter_at;
    // core cycle of the next event other than DRAM commands, as of the last partition_run; 0: unknown
    uint64_t due;
    VEC(struct transfer) transfers; // in the DRAM, by token
    VEC(uint32_t) free_transfers;
    struct memory_counts counts[MEMORY_GRIDS];
    struct books books;
};

// -- making -------------------------------------------------------------------------------------------------

struct partition *partition_create(const struct memory_config *c, unsigned index, unsigned sm_count)
{
    struct partition *p = heap_alloc(sizeof *p);
    p->c = c;
    memory_map_init(&p->map, c);
    p->icnt = (struct clock_ratio){c->core_mhz, c->icnt_mhz};
    p->l2 = (struct clock_ratio){c->core_mhz, c->l2_mhz};
    p->dram_clock = (struct clock_ratio){c->core_mhz, c->dram_mhz};
    p->sm_count = sm_count;
    p->port_cycles = c->port_cycles ? c->port_cycles : 1;
    p->slice_total = c->partitions * c->slices;
    uint32_t l2_line_bytes = memory_l2_line_bytes(c);
    p->l2_lines = c->line_bytes / l2_line_bytes;
    p->l2_sectors = l2_line_bytes / SECTOR_BYTES;
    p->slices = heap_alloc(c->slices * sizeof *p->slices);
    for (uint32_t k = 0; k < c->slices; k++) {
        struct cache_config tags = {.sets = c->l2_sets,
                                    .ways = c->l2_ways,
                                    .line_bytes = l2_line_bytes,
                                    .replacement = (enum cache_replacement)c->l2_replacement,
                                    .dirty_ways = c->l2_dirty_ways,
                                    .index = (enum cache_index)c->l2_index,
                                    .turn_bytes = (uint64_t)c->interleave_bytes * p->slice_total,
                                    .piece_bytes = c->interleave_bytes};
        p->slices[k].cache = cache_create(&tags);
        p->slices[k].index = index * c->slices + k;
        p->slices[k].tags_at = p->slices[k].port_at = NEVER;
        mshrs_init(&p->slices[k].mshrs, c->l2_mshrs, c->l2_merges);
    }
    p->dram = dram_create(c);
    p->dram_next = DRAM_NEVER;
    p->dram_at = p->due = p->fill_at = p->enter_at = NEVER;
    return p;
}

void partition_destroy(struct partition *p)
{
    if (!p) return;
    for (uint32_t k = 0; k < p->c->slices; k++) {
        struct slice *s = &p->slices[k];
        cache_destroy(s->cache);
        mshrs_fini(&s->mshrs);
        free(s->passing);
        fifo_fini(&s->queue);
        fifo_fini(&s->hits);
        fifo_fini(&s->fills);
    }
    free(p->slices);
    dram_destroy(p->dram);
    vec_fini(&p->arrivals.packets);
    fifo_fini(&p->to_dram);
    fifo_fini(&p->fills);
    vec_fini(&p->transfers);
    vec_fini(&p->free_transfers);
    free(p);
}

// -- next events --------------------------------------------------------------------------------------------

// To be called after a change of the queue, of `blocked` or of `free_at`.
static inline void note_tags(struct slice *s)
{
    bool waits = s->queue.count && !s->blocked;
    s->tags_at = waits ? u64_max(fifo_head(&s->queue).arrive, s->free_at) : NEVER;
}

// To be called after a change of `hits`, `fills` or `output_at`.
static inline void note_port(struct slice *s)
{
    uint64_t ready = s->hits.count ? fifo_head(&s->hits).ready : NEVER;
    if (s->fills.count && fifo_head(&s->fills).ready < ready) ready = fifo_head(&s->fills).ready;
    s->port_at = u64_max(ready, s->output_at);
}

// -- from the crossbar --------------------------------------------------------------------------------------

struct arrivals *partition_arrivals(struct partition *p) { return &p->arrivals; }

static void accept(struct partition *p, const struct packet *k)
{
    struct slice *s = &p->slices[k->slice % p->c->slices];
    uint64_t arrive =
        clock_to_core(p->icnt, crossbar_arrive(p->c, &s->input_free, k, k->flits * p->port_cycles));
    if (!k->flits) { // a rider: the packet just queued carries it
        fifo_last(&s->queue).is_followed = true;
        p->counts[k->grid].rides++;
    }
    fifo_push(
        &s->queue,
        (struct query){
            arrive, k->line, {k->token, k->sm, k->sectors, k->kind, k->grid, false}, k->is_partial, false});
    note_tags(s);
    p->counts[k->grid].requests++;
    p->counts[k->grid].request_flits += k->flits;
    p->books.accepted++;
    if (memory_has_data(k->kind)) p->books.asked += bit_count8(k->sectors);
    p->due = 0;
}

void partition_accept(struct partition *p, uint64_t complete)
{
    struct arrivals *a = &p->arrivals;
    if (!a->packets.count) return;
    arrivals_sort(a);
    size_t n = 0;
    for (; n < a->packets.count && a->packets.data[n].start < complete; n++) accept(p, &a->packets.data[n]);
    a->packets.count -= n;
    memmove(a->packets.data, a->packets.data + n, a->packets.count * sizeof *a->packets.data);
}

// -- L2 lines of a request ----------------------------------------------------------------------------------

// An L2 line may be shorter than a line of the requests (l2.line_bytes). The MSHRs hold lines of the requests.
struct l2_line {
    uint64_t address;
    uint8_t sectors; // of the L2 line; 0: the request wants none
};

static inline struct l2_line l2_line_of(const struct partition *p, uint64_t line, uint8_t sectors, unsigned n)
{
    unsigned first = n * p->l2_sectors;
    return (struct l2_line){line + (uint64_t)first * SECTOR_BYTES,
                            (uint8_t)(sectors >> first & bit_mask(p->l2_sectors))};
}

static bool contains(const struct partition *p, const struct slice *s, uint64_t line, uint8_t sectors)
{
    for (unsigned n = 0; n < p->l2_lines; n++) {
        struct l2_line l = l2_line_of(p, line, sectors, n);
        if (l.sectors && !cache_contains(s->cache, l.address, l.sectors)) return false;
    }
    return true;
}

// -- to and from DRAM ---------------------------------------------------------------------------------------

static void ask_dram(struct partition *p, uint64_t cycle, uint32_t slice, uint64_t line, uint8_t sectors,
                     uint32_t mshr, uint8_t grid)
{
    if (mshr != MSHR_NONE)
        p->books.fetched += bit_count8(sectors);
    else
        p->counts[grid].l2_writebacks += bit_count8(sectors);
    fifo_push(&p->to_dram,
              (struct transfer){cycle + p->c->dram_latency / 2, line, slice, mshr, sectors, grid});
    p->enter_at = fifo_head(&p->to_dram).cycle;
}

// Writes the dirty sectors of an evicted line, and the sectors of a cleaned line, to DRAM. `grid`: the grid
// charged, whose access evicts the line.
static void write_back(struct partition *p, uint64_t cycle, uint32_t slice, const struct cache_victim *v,
                       uint8_t grid)
{
    if (v->valid && v->dirty) ask_dram(p, cycle, slice, v->line, v->dirty, MSHR_NONE, grid);
    if (v->cleaned_sectors) ask_dram(p, cycle, slice, v->cleaned, v->cleaned_sectors, MSHR_NONE, grid);
}

static void enter_dram(struct partition *p)
{
    struct transfer x = fifo_head(&p->to_dram);
    fifo_pop(&p->to_dram);
    p->enter_at = p->to_dram.count ? fifo_head(&p->to_dram).cycle : NEVER;
    struct memory_place place = memory_place_at(&p->map, x.line);
    uint32_t token;
    if (p->free_transfers.count) {
        token = vec_pop(&p->free_transfers);
    } else {
        token = (uint32_t)p->transfers.count;
        vec_push(&p->transfers, (struct transfer){0});
    }
    p->transfers.data[token] = x;
    struct dram_request r = {.arrival = clock_from_core(p->dram_clock, x.cycle),
                             .bank = place.bank,
                             .row = place.row,
                             .sectors = x.sectors,
                             .is_write = x.mshr == MSHR_NONE,
                             .grid = x.grid,
                             .token = token};
    dram_push(p->dram, &r);
    if (r.arrival >= p->dram_next) return;
    p->dram_next = r.arrival;
    p->dram_at = clock_in_core(p->dram_clock, p->dram_next);
}

// The queue to DRAM has room: unblocks all waiting slices, at `cycle` at the earliest. Returns whether a
// slice was blocked.
static bool wake_slices(struct partition *p, uint64_t cycle)
{
    bool any = false;
    for (uint32_t k = 0; k < p->c->slices; k++) {
        struct slice *s = &p->slices[k];
        if (!s->blocked) continue;
        s->blocked = false;
        s->free_at = u64_max(s->free_at, cycle);
        note_tags(s);
        any = true;
    }
    return any;
}

// A request is complete in DRAM. True: may precede other events.
static bool leave_dram(struct partition *p, const struct dram_done *done)
{
    struct transfer x = p->transfers.data[done->token];
    uint64_t cycle = clock_to_core(p->dram_clock, done->cycle);
    vec_push(&p->free_transfers, done->token);
    bool wakes = p->c->dram_backlog && wake_slices(p, cycle);
    if (x.mshr == MSHR_NONE) return wakes;
    x.cycle = cycle + p->c->dram_latency - p->c->dram_latency / 2;
    fifo_push(&p->fills, x);
    p->fill_at = fifo_head(&p->fills).cycle;
    return true;
}

// Issues DRAM commands before core cycle `until`. True: stopped after a command whose effect may precede
// other events.
static __attribute__((noinline)) bool step_dram(struct partition *p, uint64_t until)
{
    uint64_t end = clock_from_core(p->dram_clock, until);
    struct dram_done done;
    bool stops = false;
    while (!stops && dram_run(p->dram, &p->dram_next, end, &done)) stops = leave_dram(p, &done);
    p->dram_at = p->dram_next == DRAM_NEVER ? NEVER : clock_in_core(p->dram_clock, p->dram_next);
    return stops;
}

// Sectors arrive from DRAM: answers the waiters with no sector left under way.
static void fill(struct partition *p)
{
    struct transfer x = fifo_head(&p->fills);
    fifo_pop(&p->fills);
    p->fill_at = p->fills.count ? fifo_head(&p->fills).cycle : NEVER;
    struct slice *s = &p->slices[x.slice];
    struct mshr *h = &s->mshrs.all.data[x.mshr];
    struct mshr_waiter w;
    struct cache_victim victim; // stays empty: the miss allocated the way
    for (unsigned n = 0; n < p->l2_lines; n++) {
        struct l2_line l = l2_line_of(p, x.line, x.sectors, n);
        if (l.sectors) cache_fill(s->cache, l.address, l.sectors, &victim);
    }
    p->books.filled += bit_count8(x.sectors);
    h->sectors &= (uint8_t)~x.sectors;
    while (mshrs_next_served(&s->mshrs, x.mshr, &w)) fifo_push(&s->fills, (struct answer){x.cycle, w});
    if (!h->sectors) mshrs_release(&s->mshrs, x.mshr);
    s->blocked = false;
    s->free_at = u64_max(s->free_at, x.cycle);
    note_tags(s);
    note_port(s);
}

// -- the tags -----------------------------------------------------------------------------------------------

// Writes the query's sectors in the tags. False: an L2 line has no way; the query comes again, and stores what it has
// stored once more.
static bool store(struct partition *p, uint64_t done, uint32_t slice, const struct query *q, bool allocate)
{
    bool back = p->c->l2_write == CACHE_WRITE_BACK;
    for (unsigned n = 0; n < p->l2_lines; n++) {
        struct cache_victim victim;
        struct l2_line l = l2_line_of(p, q->line, q->who.sectors, n);
        if (!l.sectors) continue;
        if (cache_store(p->slices[slice].cache, l.address, l.sectors, allocate && back, back, &victim) ==
            CACHE_FULL)
            return false;
        write_back(p, done, slice, &victim, q->who.grid);
    }
    return true;
}

static bool serve_store(struct partition *p, uint64_t done, uint32_t slice, const struct query *q)
{
    struct slice *s = &p->slices[slice];
    bool back = p->c->l2_write == CACHE_WRITE_BACK;
    if (!store(p, done, slice, q, true)) return false;
    if (!back) ask_dram(p, done, slice, q->line, q->who.sectors, MSHR_NONE, q->who.grid);
    p->counts[q->who.grid].l2_stores++;
    p->counts[q->who.grid].l2_write_sectors += bit_count8(q->who.sectors);
    fifo_push(&s->hits, (struct answer){done, q->who});
    return true;
}

static unsigned group_of(const struct partition *p, const struct query *q)
{
    return q->who.owner / p->c->l2_coalesce % 64;
}

static struct passing *passing_of(const struct slice *s, uint64_t line, unsigned group)
{
    return &s->passing[(line / SECTOR_BYTES ^ line >> 13 ^ group * 37) % PASSING];
}

// Whether the load may share the lookup of a near SM's load whose reply has not left.
static bool is_coalesced(const struct partition *p, const struct slice *s, const struct query *q,
                         uint32_t mshr)
{
    if (!p->c->l2_coalesce || q->who.kind != MEMORY_LOAD) return false;
    unsigned group = group_of(p, q);
    if (mshr != MSHR_NONE) return s->mshrs.all.data[mshr].groups >> group & 1;
    if (!s->passing) return false;
    const struct passing *h = passing_of(s, q->line, group);
    return h->line == q->line && h->group == group && !(q->who.sectors & ~h->sectors) &&
           h->number - s->hits_left < s->hits.count;
}

// The load's reply is the last of the slice's hits.
static void note_passing(const struct partition *p, struct slice *s, const struct query *q)
{
    if (!p->c->l2_coalesce || q->who.kind != MEMORY_LOAD || q->who.is_coalesced) return;
    if (!s->passing) s->passing = heap_alloc(PASSING * sizeof *s->passing);
    unsigned group = group_of(p, q);
    *passing_of(s, q->line, group) =
        (struct passing){q->line, s->hits_left + (uint32_t)s->hits.count - 1, (uint8_t)group, q->who.sectors};
}

static void count_load(struct memory_counts *n, enum cache_result result, uint8_t sectors)
{
    n->l2_read_sectors += bit_count8(sectors);
    if (result == CACHE_HIT)
        n->l2_hits++;
    else if (result == CACHE_PENDING)
        n->l2_pending_hits++;
    else
        n->l2_misses++;
}

// Looks up the query's L2 lines. Returns the worst result. *missing: sectors to request from DRAM, also after CACHE_FULL:
// then the query comes again, and finds the lines before the full set pending or valid.
static enum cache_result load(struct partition *p, uint64_t done, uint32_t slice, const struct query *q,
                              uint8_t *missing)
{
    enum cache_result worst = CACHE_HIT;
    *missing = 0;
    for (unsigned n = 0; n < p->l2_lines; n++) {
        struct cache_victim victim;
        uint8_t absent;
        struct l2_line l = l2_line_of(p, q->line, q->who.sectors, n);
        if (!l.sectors) continue;
        enum cache_result result = cache_load(p->slices[slice].cache, l.address, l.sectors, &absent, &victim);
        if (result == CACHE_FULL) return CACHE_FULL;
        write_back(p, done, slice, &victim, q->who.grid);
        *missing |= (uint8_t)(absent << n * p->l2_sectors);
        if (result > worst) worst = result;
    }
    return worst;
}

// Loads and atomics need data. Without room in the MSHRs (a free entry, or a free merge on a pending line),
// only a request with every sector valid is served. False: the request must wait.
static bool serve_load(struct partition *p, uint64_t done, uint32_t slice, struct query *q)
{
    struct slice *s = &p->slices[slice];
    uint8_t missing;
    uint32_t k = mshrs_find(&s->mshrs, q->line);
    bool joins = is_coalesced(p, s, q, k);
    if (!joins && !mshrs_have_room(&s->mshrs, k) && !contains(p, s, q->line, q->who.sectors)) return false;
    enum cache_result result = load(p, done, slice, q, &missing);
    bool is_full = result == CACHE_FULL;
    if (is_full && !missing) return false;
    q->who.is_coalesced = joins && !is_full && !missing;
    if (q->who.is_coalesced) {
        p->counts[q->who.grid].l2_coalesced++;
    } else if (!is_full && q->who.kind == MEMORY_LOAD) {
        count_load(&p->counts[q->who.grid], result, q->who.sectors);
    } else if (!is_full) {
        p->counts[q->who.grid].l2_atomics++;
        store(p, done, slice, q, false);
        if (p->c->l2_write != CACHE_WRITE_BACK)
            ask_dram(p, done, slice, q->line, q->who.sectors, MSHR_NONE, q->who.grid);
    }
    if (result == CACHE_HIT) {
        fifo_push(&s->hits, (struct answer){done, q->who});
        note_passing(p, s, q);
        return true;
    }
    if (k == MSHR_NONE) k = mshrs_take(&s->mshrs, q->line);
    if (!is_full) mshrs_wait(&s->mshrs, k, q->who);
    if (p->c->l2_coalesce && !is_full) s->mshrs.all.data[k].groups |= 1ull << group_of(p, q);
    if (missing) {
        s->mshrs.all.data[k].sectors |= missing;
        ask_dram(p, done, slice, q->line, missing, k, q->who.grid);
    }
    return !is_full;
}

// Whether the DRAM backlog limit lets the query proceed; a hit in a write-back L2 always may.
static bool has_way(const struct partition *p, const struct slice *s, const struct query *q)
{
    uint32_t most = p->c->dram_backlog;
    if (!most || p->to_dram.count + dram_waiting(p->dram) < p->c->dram_queue + most) return true;
    return p->c->l2_write == CACHE_WRITE_BACK && contains(p, s, q->line, q->who.sectors);
}

// Cycle of a component's clock at core cycle `now`, not before the component's cycle `free`, which is core cycle `free_at`. A
// component that goes on without a pause keeps its own cycle: rounded twice, every step would lose up to a cycle. A component
// faster than the core takes one step a core cycle.
static inline uint64_t own_cycle(struct clock_ratio c, uint64_t now, uint64_t free, uint64_t free_at)
{
    return now > free_at || c.own_mhz > c.core_mhz ? clock_from_core(c, now) : free;
}

// Cycles of the slice's clock between the lookup of a query and the next.
static uint64_t interval_of(const struct memory_config *c, const struct query *q)
{
    uint64_t interval = c->l2_interval;
    if (q->who.kind == MEMORY_ATOMIC || q->who.kind == MEMORY_REDUCE)
        interval = u64_max(interval, (uint64_t)c->atomic_interval * bit_count8(q->who.sectors));
    if (q->is_partial)
        interval = u64_max(interval, (uint64_t)c->partial_interval * bit_count8(q->who.sectors));
    return interval;
}

// Looks up the head of a slice's queue; on a stall, the slice blocks.
static void look_up(struct partition *p, uint64_t now, uint32_t slice)
{
    struct slice *s = &p->slices[slice];
    struct query q = fifo_head(&s->queue);
    uint64_t done = now + clock_to_core(p->l2, p->c->l2_latency);
    if (!has_way(p, s, &q) ||
        !(q.who.kind == MEMORY_STORE ? serve_store(p, done, slice, &q) : serve_load(p, done, slice, &q))) {
        p->counts[q.who.grid].l2_stalls++;
        s->blocked = true;
        s->tags_at = NEVER;
        return;
    }
    fifo_pop(&s->queue);
    if (!q.is_followed && !q.who.is_coalesced) {
        s->tags_free = own_cycle(p->l2, now, s->tags_free, s->tags_after) + interval_of(p->c, &q);
        s->free_at = s->tags_after = clock_to_core(p->l2, s->tags_free);
    }
    note_tags(s);
    note_port(s);
}

// -- to the crossbar ----------------------------------------------------------------------------------------

static void leave(struct partition *p, uint64_t now, uint32_t slice, struct bag *replies)
{
    struct slice *s = &p->slices[slice];
    bool hit = s->hits.count && (!s->fills.count || fifo_head(&s->hits).ready <= fifo_head(&s->fills).ready);
    struct mshr_waiter w = hit ? fifo_head(&s->hits).who : fifo_head(&s->fills).who;
    if (hit) {
        fifo_pop(&s->hits);
        s->hits_left++;
    } else {
        fifo_pop(&s->fills);
    }
    uint32_t sectors = memory_has_data(w.kind) ? bit_count8(w.sectors) : 0;
    struct packet k = {.start = own_cycle(p->icnt, now, s->output_free, s->output_at),
                       .token = w.token,
                       .slice = s->index,
                       .sm = w.owner,
                       .flits = (uint16_t)crossbar_flits(p->c, sectors * SECTOR_BYTES),
                       .sectors = w.sectors,
                       .kind = w.kind,
                       .grid = w.grid,
                       .from_dram = !hit};
    k.turn = crossbar_turn(k.start, k.slice, p->slice_total);
    if (!w.is_coalesced) s->output_free = k.start + k.flits * p->port_cycles;
    s->output_at = clock_to_core(p->icnt, s->output_free);
    note_port(s);
    bag_add(replies, k.sm, &k);
    p->counts[k.grid].replies++;
    p->counts[k.grid].reply_flits += k.flits;
    p->books.answered++;
    p->books.given += sectors;
}

// -- running ------------------------------------------------------------------------------------------------

enum part { PART_FILL, PART_ENTER, PART_TAGS, PART_PORT };

struct due {
    uint64_t cycle;
    enum part part;
    uint32_t slice;
};

// Earliest event other than DRAM commands.
static inline struct due next_due(const struct partition *p)
{
    struct due d = {p->fill_at, PART_FILL, 0};
    if (p->enter_at < d.cycle) d = (struct due){p->enter_at, PART_ENTER, 0};
    for (uint32_t k = 0; k < p->c->slices; k++) {
        const struct slice *s = &p->slices[k];
        if (s->tags_at < d.cycle) d = (struct due){s->tags_at, PART_TAGS, k};
        if (s->port_at < d.cycle) d = (struct due){s->port_at, PART_PORT, k};
    }
    return d;
}

void partition_run(struct partition *p, uint64_t until, struct bag *replies)
{
    if (p->due >= until && p->dram_at >= until) return; // the usual case
    for (;;) {
        struct due d = next_due(p);
        uint64_t to = d.cycle < until ? d.cycle : until;
        if (p->dram_at < to && step_dram(p, to)) continue; // a fill may be the earliest event now
        p->due = d.cycle;
        if (d.cycle >= until) return;
        switch (d.part) {
        case PART_FILL: fill(p); break;
        case PART_ENTER: enter_dram(p); break;
        case PART_TAGS: look_up(p, d.cycle, d.slice); break;
        case PART_PORT: leave(p, d.cycle, d.slice, replies); break;
        }
    }
}

uint64_t partition_next(const struct partition *p)
{
    uint64_t next = p->due;
    if (p->arrivals.packets.count) {
        uint64_t cycle = clock_to_core(p->icnt, p->arrivals.packets.data[0].start);
        if (cycle < next) next = cycle;
    }
    return p->dram_at < next ? p->dram_at : next;
}

void partition_clear_caches(struct partition *p, uint64_t from, uint64_t to)
{
    for (uint32_t k = 0; k < p->c->slices; k++) cache_clear_range(p->slices[k].cache, from, to);
}

void partition_close(struct partition *p, bool is_closed)
{
    for (uint32_t k = 0; k < p->c->slices; k++) cache_close(p->slices[k].cache, is_closed);
}

void partition_fill(struct partition *p, uint32_t slice, uint64_t line, uint8_t sector)
{
    for (unsigned n = 0; n < p->l2_lines; n++) {
        struct cache_victim victim;
        struct l2_line l = l2_line_of(p, line, sector, n);
        if (l.sectors) cache_store(p->slices[slice].cache, l.address, l.sectors, true, false, &victim);
    }
}

void partition_counts(const struct partition *p, unsigned grid, struct memory_counts *add_to)
{
#define MEMORY_COUNTER(name, unit, meaning) add_to->name += p->counts[grid].name;
#define DRAM_COUNTER(name, unit, meaning)   add_to->dram.name += dram_counts(p->dram, grid)->name;
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
}

const char *partition_check(const struct partition *p)
{
    const struct books *b = &p->books;
    uint64_t read = 0, written = 0, given_up = 0;
    for (unsigned grid = 0; grid < MEMORY_GRIDS; grid++) {
        read += dram_counts(p->dram, grid)->reads;
        written += dram_counts(p->dram, grid)->writes;
        given_up += p->counts[grid].l2_writebacks;
    }
    if (partition_next(p) != NEVER || dram_waiting(p->dram))
        return "something is under way behind the crossbar";
    for (uint32_t k = 0; k < p->c->slices; k++) {
        const struct slice *s = &p->slices[k];
        if (s->queue.count || s->mshrs.used || s->mshrs.waiting || cache_pending_lines(s->cache))
            return "an L2 slice waits for something that does not come";
    }
    if (b->accepted != b->answered) return "a request that reached the L2 has no reply";
    if (b->asked != b->given) return "the L2 gave other sectors than it was asked for";
    if (b->fetched != b->filled || b->fetched != read) return "sectors read from DRAM are not those filled";
    if (given_up != written) return "sectors written to DRAM are not those written back";
    return NULL;
}

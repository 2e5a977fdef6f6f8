// Each step looks at the oldest useful request of every bank: a column command for a request to the open
// row, else the precharge or activate the bank's oldest request needs. Among legal commands, column
// commands go first, then the oldest. Column commands move one burst, so requests to different bank groups
// interleave on the bus.
//
// Banks with a request for the open row are listed by the age of the request: the first legal command is the
// choice. A bit set holds the banks with requests for other rows only. List and set have a cycle before which no
// command of theirs is legal, so most steps look at one or none.
//
// A 64-byte burst moves two sectors side by side, even when only one is wanted.
//
// Refresh (tREFI) closes all rows at once, as early as precharge is legal. Left out: power-down, per-bank
// refresh.
#include "memory/dram.h"
#include "base/arena.h"
#include "base/bits.h"

#include <stdlib.h>

enum { NONE = -1, NO_ROW = -1, BANKS = 256, BANK_WORDS = BANKS / 64, FAW = 4 };

struct entry {
    struct dram_request r;
    uint64_t order; // arrival number
    uint8_t left;   // bits: sectors still to be moved
    bool touched;   // first column command issued
    int next;       // next in the bank's list, oldest first, in the overflow list, or in the free list
};

enum bank_state { BANK_IDLE, BANK_OPEN, BANK_CLOSED }; // OPEN: has a hit; CLOSED: has requests, but no hit

struct bank {
    int first, last; // entries
    int hit;         // oldest request to the open row, NONE
    uint8_t group, state;
    bool hit_is_write;
    uint64_t hit_order, hit_ready; // of `hit`: arrival number; cycle from which the bank allows the command
    int64_t row;                   // open row, NO_ROW
    uint64_t activate_ready, column_ready, precharge_ready;
};

_Static_assert(sizeof(struct bank) == 64, "a bank is found by a shift, on a hot path");

struct bank_list { // banks in state OPEN, the bank with the oldest hit first
    uint8_t banks[BANKS];
    uint32_t count;
    uint64_t ready; // cycle before which no command for a bank of the list is legal
};

struct bank_set { // banks in state CLOSED
    uint64_t bits[BANK_WORDS];
    uint32_t count;
    uint64_t ready; // cycle before which no command for a bank of the set is legal
};

struct dram {
    const struct memory_config *c;
    struct bank_list open;
    struct bank_set closed;
    struct bank *banks;
    struct entry *entries;
    size_t capacity;
    // first free entry; list of requests beyond the scheduler's queue, in order of arrival
    int free, waiting_first, waiting_last;
    uint32_t queued, waiting;
    uint64_t order;
    uint64_t column_ready, activate_ready, read_ready; // of the channel
    // first cycle in which the channel allows a column command: a read, a write
    uint64_t kind_ready[2];
    uint64_t *group_ready; // column commands of each bank group
    // first cycle with a free data bus; earliest write command after a read
    uint64_t bus_ready, write_ready;
    uint64_t refresh_at; // the next refresh
    // tFAW ring: cycle + 1 of the last four activates, the oldest at index faw; 0: empty.
    uint64_t activated[FAW];
    unsigned faw;
    uint32_t burst_cycles;
    uint8_t burst_sectors; // sectors moved side by side by one burst
    struct dram_counts counts[MEMORY_GRIDS];
};

struct dram *dram_create(const struct memory_config *c)
{
    struct dram *d = heap_alloc(sizeof *d);
    d->c = c;
    d->banks = heap_alloc(c->dram_banks * sizeof *d->banks);
    for (uint32_t k = 0; k < c->dram_banks; k++)
        d->banks[k] = (struct bank){.first = NONE,
                                    .last = NONE,
                                    .hit = NONE,
                                    .row = NO_ROW,
                                    .group = (uint8_t)(k / (c->dram_banks / c->dram_groups))};
    d->group_ready = heap_alloc(c->dram_groups * sizeof *d->group_ready);
    d->free = d->waiting_first = d->waiting_last = NONE;
    // A sector takes as many bursts as needed; a wider burst is not split.
    uint32_t burst_bytes = c->dram_bus_bytes * c->dram_burst;
    uint32_t bursts = (SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    uint32_t cycles = bursts * c->dram_burst / c->dram_rate;
    d->burst_cycles = cycles ? cycles : 1;
    d->burst_sectors = (uint8_t)(burst_bytes > SECTOR_BYTES ? burst_bytes / SECTOR_BYTES : 1);
    if (d->burst_sectors > 8) d->burst_sectors = 8;
    d->refresh_at = c->t_refi ? c->t_refi : DRAM_NEVER;
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d) return;
    free(d->banks);
    free(d->entries);
    free(d->group_ready);
    free(d);
}

static int take_entry(struct dram *d)
{
    if (d->free == NONE) {
        size_t grown = d->capacity ? d->capacity * 2 : 64;
        d->entries = heap_resize(d->entries, grown * sizeof *d->entries);
        for (size_t k = grown; k-- > d->capacity;) {
            d->entries[k].next = d->free;
            d->free = (int)k;
        }
        d->capacity = grown;
    }
    int e = d->free;
    d->free = d->entries[e].next;
    return e;
}

static void list_bank(struct dram *d, uint32_t bank)
{
    struct bank_list *l = &d->open;
    uint32_t k = l->count++;
    for (; k && d->banks[l->banks[k - 1]].hit_order > d->banks[bank].hit_order; k--)
        l->banks[k] = l->banks[k - 1];
    l->banks[k] = (uint8_t)bank;
}

static void unlist_bank(struct dram *d, uint32_t bank)
{
    struct bank_list *l = &d->open;
    uint32_t k = 0;
    while (l->banks[k] != bank) k++;
    for (l->count--; k < l->count; k++) l->banks[k] = l->banks[k + 1];
}

static void set_change(struct bank_set *s, uint32_t bank, bool in)
{
    s->bits[bank / 64] ^= 1ull << bank % 64;
    s->count += in ? 1 : UINT32_MAX;
}

// Updates a bank's place in list or set after a change of its requests or open row.
static inline void sort_bank(struct dram *d, uint32_t bank)
{
    struct bank *b = &d->banks[bank];
    uint8_t before = b->state;
    b->state = b->hit != NONE ? BANK_OPEN : b->first != NONE ? BANK_CLOSED : BANK_IDLE;
    if (b->state == before) return;
    if (before == BANK_CLOSED) set_change(&d->closed, bank, false);
    if (b->state == BANK_CLOSED) {
        set_change(&d->closed, bank, true);
        d->closed.ready = 0;
    }
    if (b->state == BANK_OPEN) d->open.ready = 0;
}

// The bank's hit is younger than before: moves the bank back.
static void relist_bank(struct dram *d, uint32_t bank)
{
    struct bank_list *l = &d->open;
    const uint64_t order = d->banks[bank].hit_order;
    uint32_t k = 0;
    while (l->banks[k] != bank) k++;
    for (; k + 1 < l->count && d->banks[l->banks[k + 1]].hit_order < order; k++)
        l->banks[k] = l->banks[k + 1];
    l->banks[k] = (uint8_t)bank;
}

// Makes entry e the bank's oldest request to the open row; NONE: the bank has none. A new hit is younger than the
// bank's last one.
static void set_hit(struct dram *d, struct bank *b, int e)
{
    uint32_t bank = (uint32_t)(b - d->banks);
    bool was_listed = b->hit != NONE;
    b->hit = e;
    if (e == NONE) {
        if (was_listed) unlist_bank(d, bank);
        return;
    }
    const struct entry *hit = &d->entries[e];
    b->hit_order = hit->order;
    b->hit_ready = u64_max(hit->r.arrival, b->column_ready);
    b->hit_is_write = hit->r.is_write;
    if (was_listed)
        relist_bank(d, bank);
    else
        list_bank(d, bank);
}

static void enter_bank(struct dram *d, int e)
{
    uint32_t bank = d->entries[e].r.bank;
    struct bank *b = &d->banks[bank];
    d->entries[e].next = NONE;
    if (b->last == NONE)
        b->first = e;
    else
        d->entries[b->last].next = e;
    b->last = e;
    if (b->hit == NONE && (int64_t)d->entries[e].r.row == b->row) set_hit(d, b, e);
    d->queued++;
    sort_bank(d, bank);
}

static void find_hit(struct dram *d, struct bank *b)
{
    int e = b->first;
    while (e != NONE && (int64_t)d->entries[e].r.row != b->row) e = d->entries[e].next;
    set_hit(d, b, e);
}

void dram_push(struct dram *d, const struct dram_request *r)
{
    int e = take_entry(d);
    d->entries[e] = (struct entry){.r = *r, .order = d->order++, .left = r->sectors, .next = NONE};
    if (d->queued < d->c->dram_queue && d->waiting_first == NONE) {
        enter_bank(d, e);
        return;
    }
    if (d->waiting_last == NONE)
        d->waiting_first = e;
    else
        d->entries[d->waiting_last].next = e;
    d->waiting_last = e;
    d->waiting++;
}

static void leave(struct dram *d, struct bank *b, int e)
{
    int *link = &b->first, previous = NONE;
    while (*link != e) {
        previous = *link;
        link = &d->entries[*link].next;
    }
    *link = d->entries[e].next;
    if (b->last == e) b->last = previous;
    if (b->hit == e) find_hit(d, b);
    sort_bank(d, d->entries[e].r.bank);
    d->entries[e].next = d->free;
    d->free = e;
    d->queued--;
    while (d->waiting_first != NONE && d->queued < d->c->dram_queue) {
        int w = d->waiting_first;
        d->waiting_first = d->entries[w].next;
        if (d->waiting_first == NONE) d->waiting_last = NONE;
        d->waiting--;
        enter_bank(d, w);
    }
}

struct choice {
    uint32_t bank;
    int entry;      // NONE: no legal command
    uint64_t order; // of the entry
};

static const struct choice no_choice = {.entry = NONE, .order = UINT64_MAX};

// Oldest request to an open row with a legal column command. When no command is legal, d->open.ready becomes
// the first legal cycle.
static inline struct choice choose_column(struct dram *d, uint64_t now)
{
    struct bank_list *l = &d->open;
    if (!l->count || l->ready > now) return no_choice;
    uint64_t next = DRAM_NEVER;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct bank *b = &d->banks[l->banks[k]];
        uint64_t ready =
            u64_max(u64_max(d->kind_ready[b->hit_is_write], d->group_ready[b->group]), b->hit_ready);
        if (ready <= now) return (struct choice){l->banks[k], b->hit, b->hit_order};
        if (ready < next) next = ready;
    }
    l->ready = next;
    return no_choice;
}

// Oldest request among the banks of set `closed` (no request for the open row) with a legal precharge or
// activate. When no command is legal, s->ready becomes the first legal cycle.
static struct choice choose_row(struct dram *d, uint64_t now)
{
    struct choice best = no_choice;
    struct bank_set *s = &d->closed;
    if (!s->count || s->ready > now) return best;
    uint64_t next = DRAM_NEVER;
    for (unsigned k = 0; k * 64 < d->c->dram_banks; k++)
        for (uint64_t left = s->bits[k]; left; left &= left - 1) {
            uint32_t bank = k * 64 + bit_lowest(left);
            const struct bank *b = &d->banks[bank];
            const struct entry *e = &d->entries[b->first];
            if (e->order > best.order) continue;
            uint64_t ready =
                b->row != NO_ROW ? b->precharge_ready : u64_max(b->activate_ready, d->activate_ready);
            ready = u64_max(ready, e->r.arrival);
            if (ready <= now)
                best = (struct choice){bank, b->first, e->order};
            else if (ready < next)
                next = ready;
        }
    if (best.entry == NONE) s->ready = next;
    return best;
}

// The sectors, out of the bits `left`, moved by the next burst.
static uint8_t next_sectors(const struct dram *d, uint8_t left)
{
    unsigned first = bit_lowest(left) / d->burst_sectors * d->burst_sectors;
    return left & (uint8_t)(bit_mask(d->burst_sectors) << first);
}

// A command may precede a free bus by the read or write latency: data follows later.
static inline void note_kinds(struct dram *d)
{
    const uint32_t t_cl = d->c->t_cl, t_wl = d->c->t_wl;
    const uint64_t read_bus = d->bus_ready > t_cl ? d->bus_ready - t_cl : 0,
                   write_bus = d->bus_ready > t_wl ? d->bus_ready - t_wl : 0;
    d->kind_ready[false] = u64_max(d->column_ready, u64_max(read_bus, d->read_ready));
    d->kind_ready[true] = u64_max(d->column_ready, u64_max(write_bus, d->write_ready));
}

// Issues a column command, which moves a burst; true when the burst was the last of the request.
static inline bool issue_column(struct dram *d, const struct choice *ch, uint64_t now, struct dram_done *done)
{
    const struct memory_config *c = d->c;
    struct bank *b = &d->banks[ch->bank];
    struct entry *e = &d->entries[ch->entry];
    struct dram_counts *counts = &d->counts[e->r.grid];
    uint64_t data_end = now + (e->r.is_write ? c->t_wl : c->t_cl) + d->burst_cycles;
    if (!e->touched) counts->row_hits++;
    e->touched = true;
    d->column_ready = now + c->t_ccd;
    d->group_ready[b->group] = now + u64_max(c->t_ccdl, c->t_ccd);
    d->bus_ready = data_end;
    counts->busy_cycles += d->burst_cycles;
    uint8_t moved = next_sectors(d, e->left);
    if (e->r.is_write) {
        d->read_ready = data_end + c->t_cdlr;
        b->precharge_ready = u64_max(b->precharge_ready, data_end + c->t_wr);
        counts->writes += bit_count8(moved);
    } else {
        d->write_ready = data_end + c->t_rtw > c->t_wl ? data_end + c->t_rtw - c->t_wl : 0;
        b->precharge_ready = u64_max(b->precharge_ready, now + c->t_rtpl);
        counts->reads += bit_count8(moved);
    }
    note_kinds(d);
    e->left &= (uint8_t)~moved;
    if (e->left) return false;
    counts->queue_cycles += now - e->r.arrival;
    *done = (struct dram_done){e->r.token, e->r.is_write, data_end};
    leave(d, b, ch->entry);
    return true;
}

static void issue_row(struct dram *d, const struct choice *ch, uint64_t now)
{
    const struct memory_config *c = d->c;
    struct bank *b = &d->banks[ch->bank];
    struct entry *e = &d->entries[ch->entry];
    struct dram_counts *counts = &d->counts[e->r.grid];
    d->closed.ready = 0;
    if (b->row != NO_ROW) {
        b->row = NO_ROW;
        b->activate_ready = u64_max(b->activate_ready, now + c->t_rp);
        counts->precharges++;
        return;
    }
    b->row = e->r.row;
    b->column_ready = now + c->t_rcd;
    find_hit(d, b);
    sort_bank(d, ch->bank);
    b->precharge_ready = u64_max(b->precharge_ready, now + c->t_ras);
    b->activate_ready = now + c->t_rc;
    d->activate_ready = now + c->t_rrd;
    if (c->t_faw) { // tFAW: the fourth activate after the present activate waits for t_faw to pass
        d->activated[d->faw] = now + 1;
        d->faw = (d->faw + 1) % FAW;
        if (d->activated[d->faw])
            d->activate_ready = u64_max(d->activate_ready, d->activated[d->faw] - 1 + c->t_faw);
    }
    counts->activations++;
    if (!e->touched) {
        counts->row_misses++;
        e->touched = true;
    }
}

// Closes all banks and blocks activates for tRFC. Refreshes that fell due while the channel was idle count
// as done.
static void refresh(struct dram *d, uint64_t now)
{
    const struct memory_config *c = d->c;
    uint64_t closed = d->refresh_at;
    if (now - d->refresh_at >= c->t_refi) closed = now - (now - d->refresh_at) % c->t_refi;
    d->refresh_at = closed + c->t_refi;
    for (uint32_t k = 0; k < c->dram_banks; k++) {
        const struct bank *b = &d->banks[k];
        if (b->row != NO_ROW) closed = u64_max(closed, b->precharge_ready + c->t_rp);
    }
    for (uint32_t k = 0; k < c->dram_banks; k++) {
        struct bank *b = &d->banks[k];
        b->row = NO_ROW;
        set_hit(d, b, NONE);
        b->activate_ready = u64_max(b->activate_ready, closed + c->t_rfc);
        sort_bank(d, k);
    }
}

static inline __attribute__((always_inline)) bool step(struct dram *d, uint64_t now, struct dram_done *done,
                                                       uint64_t *next)
{
    bool completed = false;
    if (now >= d->refresh_at) refresh(d, now);
    struct choice column = choose_column(d, now);
    if (column.entry != NONE) {
        completed = issue_column(d, &column, now, done);
        d->open.ready = u64_max(d->open.ready, d->column_ready);
    } else {
        struct choice row = choose_row(d, now);
        if (row.entry != NONE) issue_row(d, &row, now);
    }
    // One command per cycle.
    *next = DRAM_NEVER;
    if (d->open.count) *next = u64_max(d->open.ready, now + 1);
    if (d->closed.count && d->closed.ready < *next) *next = u64_max(d->closed.ready, now + 1);
    return completed;
}

bool dram_run(struct dram *d, uint64_t *next, uint64_t end, struct dram_done *done)
{
    uint64_t now = *next;
    bool completed = false;
    while (now < end && !completed) completed = step(d, now, done, &now);
    *next = now;
    return completed;
}

bool dram_step(struct dram *d, uint64_t now, struct dram_done *done, uint64_t *next)
{
    *next = now;
    return dram_run(d, next, now + 1, done);
}

const struct dram_counts *dram_counts(const struct dram *d, unsigned grid) { return &d->counts[grid]; }
size_t dram_waiting(const struct dram *d) { return (size_t)d->queued + d->waiting; }

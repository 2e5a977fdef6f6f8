// Every step looks at the oldest useful request of each bank: a column command for one whose row is open,
// else the precharge or activation that the bank's oldest request needs. Of those that are legal now, column
// commands go first, then the oldest. Column commands are per sector, so requests of different bank groups
// interleave on the bus.
//
// Left out: refresh, power-down, and read-write turnaround beyond tCDLR and the bus itself.
#include "memory/dram.h"
#include "base/arena.h"

#include <stdlib.h>

enum { NONE = -1, NO_ROW = -1 };

struct entry {
    struct dram_request r;
    uint64_t order; // of arrival
    uint8_t left;   // sectors still to be moved
    bool touched;   // has had its first column command
    int next;       // in its bank's list, oldest first; or in the overflow list
};

struct bank {
    int first, last; // entries
    int hit;         // the oldest one of the open row
    int64_t row;     // open, NO_ROW
    uint64_t activate_ready, column_ready, precharge_ready;
};

struct dram {
    const struct memory_config *c;
    struct bank *banks;
    struct entry *entries;
    size_t capacity;
    int free, waiting_first, waiting_last; // overflow beyond the scheduler's queue, in order
    uint32_t queued, waiting;
    uint64_t order;
    uint64_t column_ready, activate_ready, read_ready; // of the channel
    uint64_t *group_ready;                             // column commands of each bank group
    uint64_t bus_ready;
    uint32_t burst_cycles;
    struct dram_counts counts;
};

struct dram *dram_create(const struct memory_config *c)
{
    struct dram *d = heap_alloc(sizeof *d);
    d->c = c;
    d->banks = heap_alloc(c->dram_banks * sizeof *d->banks);
    for (uint32_t k = 0; k < c->dram_banks; k++)
        d->banks[k] = (struct bank){.first = NONE, .last = NONE, .hit = NONE, .row = NO_ROW};
    d->group_ready = heap_alloc(c->dram_groups * sizeof *d->group_ready);
    d->free = d->waiting_first = d->waiting_last = NONE;
    // A sector takes as many bursts as it needs; a wider burst is not split.
    uint32_t burst_bytes = c->dram_bus_bytes * c->dram_burst;
    uint32_t bursts = (SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    uint32_t cycles = bursts * c->dram_burst / c->dram_rate;
    d->burst_cycles = cycles ? cycles : 1;
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

static void enter_bank(struct dram *d, int e)
{
    struct bank *b = &d->banks[d->entries[e].r.bank];
    d->entries[e].next = NONE;
    if (b->last == NONE)
        b->first = e;
    else
        d->entries[b->last].next = e;
    b->last = e;
    if (b->hit == NONE && (int64_t)d->entries[e].r.row == b->row) b->hit = e;
    d->queued++;
}

static void find_hit(struct dram *d, struct bank *b)
{
    b->hit = b->first;
    while (b->hit != NONE && (int64_t)d->entries[b->hit].r.row != b->row) b->hit = d->entries[b->hit].next;
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

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint32_t group_of(const struct dram *d, uint32_t bank)
{
    return bank / (d->c->dram_banks / d->c->dram_groups);
}

enum command { COLUMN, ACTIVATE, PRECHARGE };

struct choice {
    enum command command;
    uint32_t bank;
    int entry;
    uint64_t ready;
};

// The oldest request of a bank's open row, else the oldest of all; when its next command may go.
static struct choice choose(const struct dram *d, uint32_t bank)
{
    const struct bank *b = &d->banks[bank];
    const struct memory_config *c = d->c;
    int e = b->hit;
    if (e != NONE) {
        const struct dram_request *r = &d->entries[e].r;
        uint64_t data = r->is_write ? c->t_wl : c->t_cl;
        uint64_t bus =
            d->bus_ready > data ? d->bus_ready - data : 0; // the command may go before the bus is free
        uint64_t ready =
            later(later(b->column_ready, d->column_ready), later(d->group_ready[group_of(d, bank)], bus));
        if (!r->is_write) ready = later(ready, d->read_ready);
        return (struct choice){COLUMN, bank, e, later(ready, r->arrival)};
    }
    e = b->first;
    if (b->row != NO_ROW)
        return (struct choice){PRECHARGE, bank, e, later(b->precharge_ready, d->entries[e].r.arrival)};
    return (struct choice){ACTIVATE, bank, e,
                           later(later(b->activate_ready, d->activate_ready), d->entries[e].r.arrival)};
}

static bool is_better(const struct dram *d, const struct choice *a, const struct choice *b)
{
    if ((a->command == COLUMN) != (b->command == COLUMN)) return a->command == COLUMN;
    return d->entries[a->entry].order < d->entries[b->entry].order;
}

// Moves one sector; true when it was the request's last.
static bool issue_column(struct dram *d, const struct choice *ch, uint64_t now, struct dram_done *done)
{
    const struct memory_config *c = d->c;
    struct bank *b = &d->banks[ch->bank];
    struct entry *e = &d->entries[ch->entry];
    uint64_t data_end = now + (e->r.is_write ? c->t_wl : c->t_cl) + d->burst_cycles;
    if (!e->touched) d->counts.row_hits++;
    e->touched = true;
    d->column_ready = now + c->t_ccd;
    d->group_ready[group_of(d, ch->bank)] = now + later(c->t_ccdl, c->t_ccd);
    d->bus_ready = data_end;
    d->counts.busy_cycles += d->burst_cycles;
    if (e->r.is_write) {
        d->read_ready = data_end + c->t_cdlr;
        b->precharge_ready = later(b->precharge_ready, data_end + c->t_wr);
        d->counts.writes++;
    } else {
        b->precharge_ready = later(b->precharge_ready, now + c->t_rtpl);
        d->counts.reads++;
    }
    if (--e->left) return false;
    d->counts.queue_cycles += now - e->r.arrival;
    *done = (struct dram_done){e->r.token, e->r.is_write, data_end};
    leave(d, b, ch->entry);
    return true;
}

static void issue_row(struct dram *d, const struct choice *ch, uint64_t now)
{
    const struct memory_config *c = d->c;
    struct bank *b = &d->banks[ch->bank];
    struct entry *e = &d->entries[ch->entry];
    if (ch->command == PRECHARGE) {
        b->row = NO_ROW;
        b->hit = NONE;
        b->activate_ready = later(b->activate_ready, now + c->t_rp);
        d->counts.precharges++;
        return;
    }
    b->row = e->r.row;
    find_hit(d, b);
    b->column_ready = now + c->t_rcd;
    b->precharge_ready = later(b->precharge_ready, now + c->t_ras);
    b->activate_ready = now + c->t_rc;
    d->activate_ready = now + c->t_rrd;
    d->counts.activations++;
    if (!e->touched) {
        d->counts.row_misses++;
        e->touched = true;
    }
}

bool dram_step(struct dram *d, uint64_t now, struct dram_done *done, uint64_t *next)
{
    struct choice best = {.entry = NONE};
    *next = DRAM_NEVER;
    for (uint32_t bank = 0; bank < d->c->dram_banks; bank++) {
        if (d->banks[bank].first == NONE) continue;
        struct choice ch = choose(d, bank);
        if (ch.ready > now) {
            if (ch.ready < *next) *next = ch.ready;
            continue;
        }
        if (best.entry == NONE || is_better(d, &ch, &best)) best = ch;
    }
    if (best.entry == NONE) return false;
    bool completed = false;
    if (best.command == COLUMN)
        completed = issue_column(d, &best, now, done);
    else
        issue_row(d, &best, now);
    // One command a cycle; what else was ready is looked at again in the next one.
    *next = d->queued ? now + 1 : DRAM_NEVER;
    return completed;
}

const struct dram_counts *dram_counts(const struct dram *d) { return &d->counts; }
size_t dram_waiting(const struct dram *d) { return (size_t)d->queued + d->waiting; }

// A register-file cache: values last written by a warp are kept beside the lanes, and read without a bank of
// the main register file.
//
//     result ──▶ entry ── no room ──▶ oldest entry written back, if the value is live (live.h)
//     source ──▶ entry? ── yes ──▶ lanes
//                     └─ no ───▶ bank ──▶ lanes
//     next instruction waits for memory ──▶ the warp's entries are written back, and freed for another warp
//
// An entry holds the lanes written since its allocation. A reader of further lanes reads the main register
// file, too. docs/explanation/techniques/rfcache.md has the known facts and the decisions.
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/space.h"
#include "sm/mech/tech.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rfcache/live.h"
#include "tech/rows.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 16, REGISTERS = 256 };
enum replacement { REPLACE_FIFO, REPLACE_LRU };
enum allocate { ALLOCATE_WRITES, ALLOCATE_ALL };
enum loads { LOADS_OFF, LOADS_SHORT, LOADS_ALL };

struct options {
    uint32_t entries, warps, read_ports, corrupt, stale;
    int replacement, allocate, loads, flush, dead;
};

enum counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/rfcache/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

struct launch_state {
    const struct options *options;
    const struct program *program;
    const struct op *ops;
    struct live live;
    unsigned lanes, schedulers;
    bool verify;
    uint64_t *mismatches;
};

struct entry {
    uint8_t r;
    bool is_dirty;  // differs from the main register file
    uint64_t lanes; // bits: lanes with a value in the entry; 0: free entry
    uint64_t turn;  // serial number of allocation, or with lru of the last use; the lowest is replaced
    uint32_t words[LANES_MAX];
};

struct rwarp {
    bool has_entries;
    struct entry entries[ENTRIES_MAX];
    uint8_t taken[REGISTERS];     // by register: the entry last taken for the register
    uint64_t coming[REGISTERS];   // by register, bits: lanes of a memory result under way
    uint64_t far[REGISTERS / 64]; // bits: registers waiting for a long-latency value
};

struct rfcache {
    struct launch_state *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    // turn: number of allocations of entries, and with lru of uses; kept: writes of entries, for `corrupt`
    uint64_t turn, kept;
    unsigned using[8]; // by scheduler: warps with entries
    // Of the instruction at hand, from `reads` to `issued`:
    bool is_at_hand;
    // first, words: destination registers still to be written (first number, count)
    unsigned place, first, words;
    uint64_t lanes; // lanes that execute the instruction
    unsigned reads; // entries read so far
    struct rwarp warps[64];
};

static const char *const replacement_words[] = {"fifo", "lru", NULL};
static const char *const allocate_words[] = {"writes", "all", NULL};
static const char *const loads_words[] = {"off", "short", "all", NULL};
static const char *const flush_words[] = {"never", "long", NULL};
static const char *const dead_words[] = {"write", "drop", NULL};
#define GEBHART   "Gebhart et al., ISCA 2011"
#define AT(field) offsetof(struct options, field)
// clang-format off
static const struct config_key keys[] = {
    {"entries",     CONFIG_U32,  AT(entries),     1, ENTRIES_MAX, NULL,        "6",      "registers kept for a warp", GEBHART},
    {"warps",       CONFIG_U32,  AT(warps),       1, 64, NULL,                 "8",      "warps of a scheduler with entries at a time", GEBHART ": the active warps of an SM with a single scheduler"},
    {"read-ports",  CONFIG_U32,  AT(read_ports),  1, 4,  NULL,                 "3",      "entries read by an instruction in a cycle", "choice: its sources"},
    {"replacement", CONFIG_WORD, AT(replacement), 0, 0,  replacement_words,    "fifo",   "replaced entry: the oldest, or the least recently used", GEBHART},
    {"allocate",    CONFIG_WORD, AT(allocate),    0, 0,  allocate_words,       "writes", "registers that get an entry: results, or also registers read from the main register file", GEBHART},
    {"loads",       CONFIG_WORD, AT(loads),       0, 0,  loads_words,          "short",  "loaded values with an entry: none, values from shared memory and constants, all", "choice: slow loads return to a warp without entries"},
    {"flush",       CONFIG_WORD, AT(flush),       0, 0,  flush_words,          "long",   "a warp gives up its entries to wait for a slow value", GEBHART},
    {"dead",        CONFIG_WORD, AT(dead),        0, 0,  dead_words,           "drop",   "a value without a later read is not written back", GEBHART ": by static liveness"},
    {"corrupt",     CONFIG_U32,  AT(corrupt),     0, 4000000000, NULL,         "0",      NULL, NULL},
    {"stale",       CONFIG_U32,  AT(stale),       0, 1,  NULL,                 "0",      NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/rfcache/counters.def"
#undef COUNTER
};

// -- state --------------------------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct launch_state *g = heap_alloc(sizeof *g);
    *g = (struct launch_state){.options = u->options,
                               .program = l->launch->program,
                               .ops = l->decoded.ops,
                               .lanes = l->launch->warp_size,
                               .schedulers = l->kind->config.schedulers,
                               .verify = u->verify,
                               .mismatches = u->mismatches};
    live_init(&g->live, g->program, g->ops);
    return g;
}

static void launch_end(void *launch)
{
    struct launch_state *g = launch;
    live_fini(&g->live);
    free(g);
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct rfcache *x = heap_alloc(sizeof *x);
    *x = (struct rfcache){.launch = launch, .grid = s, .counters = counts};
    return x;
}

static unsigned *users(struct rfcache *x, unsigned place) { return &x->using[place % x->launch->schedulers]; }

static struct entry *find(struct rfcache *x, unsigned place, unsigned r)
{
    struct rwarp *w = &x->warps[place];
    struct entry *e = &w->entries[w->taken[r]];
    return w->has_entries && e->lanes && e->r == r ? e : NULL;
}

static void give_up(struct rfcache *x, unsigned place)
{
    struct rwarp *w = &x->warps[place];
    if (!w->has_entries) return;
    for (unsigned k = 0; k < x->launch->options->entries; k++) w->entries[k].lanes = 0;
    w->has_entries = false;
    --*users(x, place);
}

static void warp_start(void *state, unsigned place)
{
    ((struct rfcache *)state)->warps[place] = (struct rwarp){0};
}

// Entries of an ended warp are dropped without a write-back.
static void warp_end(void *state, unsigned place) { give_up(state, place); }

static const char *check(const void *state)
{
    const struct rfcache *x = state;
    for (unsigned k = 0; k < x->launch->schedulers; k++)
        if (x->using[k]) return "entries of the register-file cache belong to no warp";
    return NULL;
}

// -- values -------------------------------------------------------------------------------------------------

// Lanes of Rr written by the instruction at hand, but not yet in an entry: older values of the lanes are
// dead.
static uint64_t overwritten(const struct rfcache *x, unsigned place, unsigned r)
{
    bool is_destination = x->is_at_hand && x->place == place && r - x->first < x->words;
    return is_destination ? x->lanes : 0;
}

// Size of a register of a warp with the lanes `full`, without a gap.
static size_t bytes_of(uint64_t full) { return (bit_highest(full) + 1) * sizeof(uint32_t); }

// Copies the entry's values in the lanes `among` to the warp's own register.
static void deliver(struct rfcache *x, unsigned place, const struct entry *e, uint64_t among)
{
    const struct warp *w = tech_warp(x->grid, place);
    uint32_t *lanes = tech_lanes(x->grid, place, e->r), different = 0;
    uint64_t moved = e->lanes & among, threads = w->present & ~w->exited;
    if (moved == w->full && threads == w->full) {
        different = x->launch->verify && memcmp(lanes, e->words, bytes_of(w->full)) != 0;
        memcpy(lanes, e->words, bytes_of(w->full));
        moved = 0;
    }
    for (uint64_t left = moved; left; left &= left - 1) {
        unsigned n = bit_lowest(left);
        different |= threads >> n & 1 ? lanes[n] ^ e->words[n] : 0;
        lanes[n] = e->words[n];
    }
    bool is_known = x->launch->verify && !x->launch->options->stale;
    if (different && is_known) __atomic_add_fetch(x->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void keep(struct rfcache *x, unsigned place, struct entry *e, uint64_t lanes)
{
    const uint32_t *own = tech_lanes(x->grid, place, e->r);
    uint64_t full = tech_warp(x->grid, place)->full;
    if (lanes == full)
        memcpy(e->words, own, bytes_of(full));
    else
        for (uint64_t left = lanes; left; left &= left - 1)
            e->words[bit_lowest(left)] = own[bit_lowest(left)];
    e->lanes |= lanes;
    if (++x->kept == x->launch->options->corrupt) e->words[bit_lowest(lanes)] ^= 1;
}

// For tests (stale): in the warp's own registers, inverts lanes with the current value in a dirty entry
// alone. A read that bypasses the entry then gives a wrong value.
static void spoil(struct rfcache *x, unsigned place)
{
    const struct rwarp *w = &x->warps[place];
    for (unsigned k = 0; w->has_entries && k < x->launch->options->entries; k++) {
        const struct entry *e = &w->entries[k];
        uint32_t *own = tech_lanes(x->grid, place, e->r);
        for (uint64_t left = e->is_dirty ? e->lanes : 0; left; left &= left - 1)
            own[bit_lowest(left)] = ~e->words[bit_lowest(left)];
    }
}

// -- entries ------------------------------------------------------------------------------------------------

// Whether a lane may still read Rr, from the warp's pc on. Always true with dead=write or unknown liveness
// (live.h), and for a warp that waits or has diverged: inactive lanes may read Rr at another pc.
static bool is_live(const struct rfcache *x, unsigned place, unsigned r)
{
    const struct warp *w = tech_warp(x->grid, place);
    if (!x->launch->options->dead || w->state != WARP_READY || w->splits.count != 1) return true;
    return live_reads(&x->launch->live, w->pc, r);
}

static void write_back(struct rfcache *x, unsigned place, struct entry *e, enum counter why)
{
    uint64_t lanes = e->lanes & ~overwritten(x, place, e->r);
    bool is_needed = e->is_dirty && lanes && is_live(x, place, e->r);
    x->counters[COUNT_dead] += e->is_dirty && !is_needed;
    e->is_dirty = false;
    if (!is_needed) return;
    deliver(x, place, e, lanes);
    tech_write_back(x->grid, place, e->r);
    x->counters[why]++;
}

// Whether the warp has entries. A warp without entries gets some if fewer than `warps` warps of its scheduler
// have any.
static bool has_entries(struct rfcache *x, unsigned place)
{
    struct rwarp *w = &x->warps[place];
    const struct warp *warp = tech_warp(x->grid, place);
    if (w->has_entries) return true;
    if (*users(x, place) == x->launch->options->warps || !warp || warp->state == WARP_DONE) return false;
    ++*users(x, place);
    return w->has_entries = true;
}

// Allocates an empty entry for a register without an entry, replacing an entry if none is free. NULL: the
// warp may not have entries.
static struct entry *take(struct rfcache *x, unsigned place, unsigned r)
{
    if (!has_entries(x, place)) return NULL;
    struct entry *all = x->warps[place].entries, *e = all;
    for (unsigned k = 0; k < x->launch->options->entries && e->lanes; k++)
        if (!all[k].lanes || all[k].turn < e->turn) e = &all[k];
    if (e->lanes) write_back(x, place, e, COUNT_evictions);
    x->warps[place].taken[r] = (uint8_t)(e - all);
    e->r = (uint8_t)r;
    e->lanes = 0;
    e->is_dirty = false;
    e->turn = ++x->turn;
    return e;
}

static void touch(struct rfcache *x, struct entry *e)
{
    if (x->launch->options->replacement == REPLACE_LRU) e->turn = ++x->turn;
}

// The lanes of Rr are written elsewhere: an entry of Rr no longer holds these lanes.
static void forget(struct rfcache *x, unsigned place, unsigned r, uint64_t lanes)
{
    struct entry *e = find(x, place, r);
    if (e) e->lanes &= ~lanes;
}

// Rr moves to another mechanism, and `lanes` of the warp's own register have the new value. The entry of Rr
// is freed; a write-back of its further dirty lanes is charged.
static void leave(struct rfcache *x, unsigned place, unsigned r, uint64_t lanes)
{
    struct entry *e = find(x, place, r);
    if (!e) return;
    if (e->is_dirty && e->lanes & ~lanes) {
        tech_write_back(x->grid, place, r);
        x->counters[COUNT_departures]++;
    }
    e->lanes = 0;
}

// -- an instruction -----------------------------------------------------------------------------------------

static void reads(void *state, unsigned place, uint32_t index)
{
    struct rfcache *x = state;
    const struct op *o = &x->launch->ops[index];
    const struct warp *w = tech_warp(x->grid, place);
    uint64_t guard = o->guard_not ? ~w->pred[o->guard] : w->pred[o->guard];
    x->is_at_hand = true;
    x->place = place;
    x->first = o->dst;
    x->words = o->dst_words;
    x->lanes = w->active & guard & w->full;
    x->reads = 0;
    for (unsigned k = 0; k < o->read_count; k++) {
        const struct entry *e = find(x, place, o->reads[k]);
        if (e) deliver(x, place, e, e->lanes);
    }
}

static void fill(struct rfcache *x, unsigned place, unsigned r)
{
    if (x->launch->options->allocate != ALLOCATE_ALL || r - x->first < x->words) return;
    struct entry *e = take(x, place, r);
    if (!e) return;
    keep(x, place, e, bit_mask(x->launch->lanes));
    x->counters[COUNT_fills]++;
}

static void read_access(struct rfcache *x, unsigned place, struct operand_access *a)
{
    struct entry *e = find(x, place, a->r);
    x->counters[COUNT_lookups]++;
    if (!e) {
        fill(x, place, a->r);
        return;
    }
    touch(x, e);
    a->near = 1;
    a->cycles += x->reads++ / x->launch->options->read_ports;
    if (x->lanes & ~e->lanes) {
        x->counters[COUNT_partial]++;
        return;
    }
    x->counters[COUNT_hits]++;
    a->main = 0;
    a->bank = NO_BANK;
}

static bool is_short(const struct rfcache *x, uint32_t index)
{
    const struct inst *i = &x->launch->program->insts[index];
    return isa_space_of(i) == SPACE_SHARED || i->op == OP_LDC || i->op == OP_SHFL;
}

// Whether a result may go to an entry. Excluded: loads, as option loads says, results not yet computed
// (reducing barriers), and other results of unknown time.
static bool is_kept(const struct rfcache *x, uint32_t index)
{
    enum op_path path = (enum op_path)x->launch->ops[index].path;
    int loads = x->launch->options->loads;
    return path == PATH_ALU ||
           (path == PATH_MEMORY && (loads == LOADS_ALL || (loads == LOADS_SHORT && is_short(x, index))));
}

static void write_access(struct rfcache *x, unsigned place, uint32_t index, struct operand_access *a,
                         uint64_t lanes)
{
    if (!is_kept(x, index) || !lanes) {
        forget(x, place, a->r, lanes);
        return;
    }
    x->counters[COUNT_results]++;
    struct entry *e = find(x, place, a->r);
    if (e)
        touch(x, e);
    else
        e = take(x, place, a->r);
    if (!e) return;
    keep(x, place, e, lanes);
    e->is_dirty = true;
    x->counters[COUNT_writes]++;
    a->near = 1;
    a->main = 0;
    a->bank = NO_BANK;
}

// Lanes of a result: executing lanes, or lanes of the memory reply; of a load that another mechanism reuses, the lanes of
// the load. Removes r from the instruction's destination registers still to be written.
static uint64_t result_lanes(struct rfcache *x, unsigned place, uint32_t index, unsigned r)
{
    struct rwarp *w = &x->warps[place];
    if (x->launch->ops[index].path != PATH_MEMORY || !w->coming[r]) {
        x->words -= r + 1 - x->first;
        x->first = r + 1;
        return x->lanes;
    }
    uint64_t lanes = w->coming[r];
    x->is_at_hand = false; // another instruction may have tried to issue in the meantime
    w->coming[r] = 0;
    w->far[r / 64] &= ~(1ull << r % 64);
    return lanes;
}

static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct rfcache *x = state;
    uint16_t own = tech_own(x->grid, place, a->r);
    bool is_own = a->physical == own && tech_map(x->grid, place)[a->r] == own;
    uint64_t lanes = a->is_write ? result_lanes(x, place, index, a->r) : x->lanes;
    if (!is_own) {
        if (a->is_write) leave(x, place, a->r, lanes);
    } else if (!a->main) { // served by another mechanism
        if (a->is_write) forget(x, place, a->r, lanes);
    } else if (a->is_write) {
        write_access(x, place, index, a, lanes);
        if (x->launch->options->stale && x->launch->ops[index].path == PATH_MEMORY) spoil(x, place);
    } else {
        read_access(x, place, a);
    }
}

// A memory result is under way: until the reply, no entry holds the result's lanes.
static void result(void *state, unsigned place, uint32_t index, uint64_t cycle)
{
    struct rfcache *x = state;
    const struct op *o = &x->launch->ops[index];
    if (cycle != CYCLE_NEVER) return;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++) {
        x->warps[place].coming[r] = x->lanes;
        if (!is_short(x, index)) x->warps[place].far[r / 64] |= 1ull << r % 64;
        forget(x, place, r, x->lanes);
    }
}

static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct rfcache *x = state;
    const struct op *o = &x->launch->ops[index];
    if (what != SAVED_FETCH) return; // a reused result is written as usual
    for (unsigned n = 0; n < o->dst_words; n++) leave(x, place, o->dst + n, 0);
}

// Whether the warp is ready and its next instruction needs a register whose long-latency value is still to
// come.
static bool has_to_wait(const struct rfcache *x, unsigned place)
{
    const struct warp *w = tech_warp(x->grid, place);
    const struct rwarp *r = &x->warps[place];
    if (w->state != WARP_READY || !(r->far[0] | r->far[1] | r->far[2] | r->far[3])) return false;
    const struct op *o = &x->launch->ops[w->pc];
    for (unsigned k = 0; k < op_need_count(o); k++)
        if (r->far[op_need(o, k) / 64] >> op_need(o, k) % 64 & 1) return true;
    return false;
}

static void issued(void *state, unsigned place, uint32_t index)
{
    struct rfcache *x = state;
    struct rwarp *w = &x->warps[place];
    (void)index;
    x->is_at_hand = false;
    if (x->launch->options->flush && w->has_entries && has_to_wait(x, place)) {
        for (unsigned k = 0; k < x->launch->options->entries; k++)
            if (w->entries[k].lanes) write_back(x, place, &w->entries[k], COUNT_flushed);
        give_up(x, place);
        x->counters[COUNT_flushes]++;
    }
    if (x->launch->options->stale) spoil(x, place);
}

// -- the mechanism ------------------------------------------------------------------------------------------

static unsigned bits_for(unsigned values) // of an index
{
    unsigned bits = 0;
    while (1u << bits < values) bits++;
    return bits;
}

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    enum { REGISTER_BITS = 8, LANES = 32 };
    const struct options *o = options;
    uint64_t own = c->max_warps / c->schedulers, each = o->warps < own ? o->warps : own,
             sets = each * c->schedulers;
    unsigned order = bits_for(o->entries);
    out[0] = (struct tech_storage){"values", sets * o->entries, LANES * 32, true, LANES * c->schedulers};
    out[1] =
        (struct tech_storage){"tags", sets, o->entries * (REGISTER_BITS + 1 + order), true, c->schedulers};
    out[2] = (struct tech_storage){"lanes held", sets * o->entries, LANES, false, c->schedulers};
    out[3] =
        (struct tech_storage){"warps of entries", sets, bits_for((unsigned)own) + 1, false, c->schedulers};
    return 4;
}

// stale=1 also claims the storage of registers: the current value of dirty entries is in the entries only.
static uint32_t more_claims(const void *options)
{
    const struct options *o = options;
    return o->stale ? CLAIMS(REGISTER_STORAGE) : 0;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct rfcache *x = state;
    struct strbuf text = {0};
    for (unsigned place = 0; place < tech_launch(x->grid)->places; place++) {
        const struct rwarp *w = &x->warps[place];
        if (!rows_has_warp(x->grid, place)) continue;
        strbuf_clear(&text);
        for (unsigned n = 0; w->has_entries && n < x->launch->options->entries; n++)
            if (w->entries[n].lanes)
                strbuf_printf(&text, "%sR%u%s", text.length ? " " : "", w->entries[n].r,
                              w->entries[n].is_dirty ? "*" : "");
        tech_row(to, "cached registers (*: not written back)", TECH_OF_WARP, place, 0, "%s",
                 w->has_entries ? strbuf_text(&text) : "no entries");
    }
    strbuf_fini(&text);
}

const struct tech tech_rfcache = {
    .name = "rfcache",
    .meaning =
        "what a warp wrote last is kept beside the lanes, and read without a bank of the register file",
    .paper = "register-file cache: Gebhart et al., ISCA 2011",
    .claims = CLAIMS(OPERANDS),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_start = warp_start,
    .reads = reads,
    .saved = saved,
    .issued = issued,
    .warp_end = warp_end,
    .check = check,
    .rows = rows,
    .description = &(const struct tech_description){.more_claims = more_claims},
    .registers = &(const struct tech_registers){.operand = operand, .result = result},
};

// WIR (warp instruction reuse). Registers of all warps with equal values share a physical register, so two
// instructions with one operation and the same source numbers have the same result. The second takes the number of
// the first one's result, and does not execute.
//
//     issue ─▶ rename table: numbers of the sources ─▶ reuse buffer ─ hit ─▶ the destination gets the entry's number
//                                                          │ miss
//                                                          ▼
//          executes ─▶ signature of the result ─▶ a number with the signature? read back, equal?
//                                ├─ yes ─▶ the destination gets that number, no write
//                                └─ no ──▶ a free number, written
//
// A register written in some lanes, or late, is pinned: the old lanes are a hidden source, so the value is the warp's
// alone until all lanes are written. Known facts and decisions: docs/explanation/techniques/wir.md.
#include "tech/wir/wir.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>

static const char *const pins_words[] = {"unsound", "on", NULL},
                         *const pending_words[] = {"execute", "wait", NULL},
                         *const loads_words[] = {"off", "on", "unsound", NULL};

#define AT(field) offsetof(struct wir_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"entries",        CONFIG_U32,  AT(entries),        1, 65536, NULL,         "256", "entries of an SM's reuse buffer", "choice: no size in the abstract"},
    {"ways",           CONFIG_U32,  AT(ways),           1, 1024,  NULL,         "1",   "ways of a set of the reuse buffer", "choice: a lookup reads one entry"},
    {"signatures",     CONFIG_U32,  AT(signatures),     1, 65536, NULL,         "256", "registers of an SM known by the signature of their value", "choice: no size in the abstract"},
    {"signature-ways", CONFIG_U32,  AT(signature_ways), 1, 1024,  NULL,         "1",   "ways of a set of signatures", "choice: a lookup reads one"},
    {"signature-bits", CONFIG_U32,  AT(signature_bits), 1, 32,    NULL,         "32",  "bits of a signature", "choice: as wide as a register's word"},
    {"banks",          CONFIG_U32,  AT(banks),          1, WIR_BANKS, NULL,     "8",   "banks of the reuse buffer, each a part of the sets, with a lookup in a cycle; an instruction without a lookup executes", "choice: two lookups a cycle of each of four schedulers"},
    {"latency",        CONFIG_U32,  AT(latency),        1, 100,   NULL,         "2",   "cycles from issue to the result of a reused instruction", "choice: lookup, rename table"},
    {"pending",        CONFIG_WORD, AT(pending),        0, 0,     pending_words, "wait", "an instruction that finds an entry without a result yet: wait, its destination takes the result's register as soon as known; execute", "choice: warps run close together"},
    {"loads",          CONFIG_WORD, AT(loads),          0, 0,     loads_words,  "on",  "loads from global and shared memory are reused until a store, an atomic, a fence, an ordered load or a barrier; unsound: until a store or a barrier", "choice: sound with races"},
    {"pins",           CONFIG_WORD, AT(pins),           0, 0,     pins_words,  "on",  "a register written in some lanes is the warp's alone; unsound: shared like any other", "choice: sound"},
    {"corrupt",        CONFIG_U32,  AT(corrupt),        0, 4000000000, NULL,    "0",   NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/wir/counters.def"
#undef COUNTER
};

// -- a launch -----------------------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct wir_launch *v = heap_alloc(sizeof *v);
    *v = (struct wir_launch){.options = u->options,
                             .program = l->launch->program,
                             .ops = l->decoded.ops,
                             .lanes = l->launch->warp_size,
                             .verify = u->verify,
                             .mismatches = u->mismatches};
    v->plans = wir_plans(v);
    return v;
}

static void launch_end(void *launch)
{
    struct wir_launch *v = launch;
    free(v->plans);
    free(v);
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct wir *w = heap_alloc(sizeof *w);
    struct wir_launch *v = launch;
    const struct sm_launch *l = tech_launch(s);
    uint32_t named = v->program->reg_count,
             each = l->registers_per_warp > named ? l->registers_per_warp : named;
    *w = (struct wir){.launch = v, .grid = s, .counters = counts};
    w->map = heap_alloc(WIR_WARPS * sizeof *w->map);
    w->loads = heap_alloc(WIR_WARPS * sizeof *w->loads);
    wir_pool_begin(&w->pool, v->options, l->places * each, v->lanes, l->kind->config.banks, counts);
    wir_buffer_begin(w);
    return w;
}

static void sm_end(void *state)
{
    struct wir *w = state;
    wir_pool_end(&w->pool);
    free(w->buffer.entries);
    free(w->loads);
    free(w->map);
    free(w);
}

static void warp_start(void *state, unsigned place)
{
    struct wir *w = state;
    for (unsigned r = 0; r < TECH_REGISTERS; r++)
        w->map[place][r] = (struct wir_register){.number = WIR_NONE};
    w->alive |= 1ull << place;
}

static void warp_end(void *state, unsigned place)
{
    struct wir *w = state;
    if (!(w->alive >> place & 1)) return;
    w->alive &= ~(1ull << place);
    for (unsigned r = 0; r < TECH_REGISTERS; r++)
        if (w->map[place][r].number != WIR_NONE)
            wir_drop(&w->pool, w->map[place][r].number, tech_now(w->grid));
    for (unsigned k = 0; k < WIR_LOADS; k++) {
        if (w->loads[place][k].used) wir_drop_sources(w, &w->loads[place][k].key);
        w->loads[place][k].used = false;
    }
}

// Shared memory of the block's place belongs to another block now.
static void block_start(void *state, unsigned block)
{
    struct wir *w = state;
    (void)block;
    w->epoch++;
}

// -- the instruction at hand --------------------------------------------------------------------------------

static inline uint64_t lanes_of(const struct warp *x, const struct op *o)
{
    uint64_t guard = x->pred[o->guard];
    return o->is_guarded ? x->active & (o->guard_not ? ~guard : guard) : x->active;
}

// Whether the instruction executes in every lane of a full warp.
static inline bool is_whole(const struct warp *x, const struct op *o) { return lanes_of(x, o) == x->full; }

// How the instruction writes, if executed. pins=unsound takes the lanes not written for a part of the result.
static inline enum wir_write way_of(const struct wir *w, const struct warp *x, uint32_t index)
{
    uint64_t lanes = lanes_of(x, &w->launch->ops[index]);
    if (!lanes) return WIR_NOTHING;
    if (w->launch->plans[index].is_late) return WIR_ALONE;
    return lanes == x->full || !w->launch->options->pins ? WIR_ALL_LANES : WIR_ALONE;
}

static void forget_held(struct wir *w)
{
    if (w->holds) wir_drop_sources(w, &w->key);
    w->holds = w->fills = false;
}

static void mismatch(const struct wir *w) { __atomic_add_fetch(w->launch->mismatches, 1, __ATOMIC_RELAXED); }

// The value of a shared register comes from its number, whatever the warp's own lanes hold.
static inline void bring(struct wir *w, struct warp *warp, unsigned place, unsigned r)
{
    const struct wir_register *x = &w->map[place][r];
    uint32_t *lanes = reg_lanes(warp->regs, r * warp->exec->vector_bytes);
    if (x->is_pinned || x->number == WIR_NONE) return;
    const uint32_t *value = wir_value(&w->pool, x->number);
    if (w->launch->verify && !wir_equal(lanes, value, w->launch->lanes)) mismatch(w);
    wir_move(lanes, value, w->launch->lanes);
}

static void reads(void *state, unsigned place, uint32_t index)
{
    struct wir *w = state;
    const struct op *o = &w->launch->ops[index];
    struct warp *x = tech_warp(w->grid, place);
    if (w->holds) forget_held(w);
    w->fills = false;
    w->write = way_of(w, x, index);
    w->counters[COUNT_operands] += o->read_count;
    for (unsigned k = 0; k < o->read_count; k++) bring(w, x, place, o->reads[k]);
}

// -- numbers of results -------------------------------------------------------------------------------------

static void rename_to(struct wir *w, struct wir_register *x, uint16_t number)
{
    uint16_t old = x->number;
    x->number = number;
    if (old == WIR_NONE) return;
    wir_drop(&w->pool, old, CYCLE_NEVER);
    if (!w->pool.numbers[old].references) w->freed[w->freed_count++] = old;
}

static bool is_owner(const struct wir *w, const struct wir_register *x)
{
    return x->number != WIR_NONE && w->pool.numbers[x->number].references == 1;
}

// Makes the register's number the warp's alone, to be written: its own, without another reference, or a free one.
// Returns the cycle from which the number may be written; 0: any.
static uint64_t own(struct wir *w, unsigned place, unsigned r)
{
    struct wir_register *x = &w->map[place][r];
    uint64_t from = 0;
    if (!is_owner(w, x) && !w->pool.free_count) wir_make_room(w);
    if (!is_owner(w, x) && !w->pool.free_count) forget_held(w);
    if (is_owner(w, x)) {
        wir_unsign(&w->pool, x->number);
    } else if (w->pool.free_count) {
        rename_to(w, x, wir_take(&w->pool));
        from = w->pool.numbers[x->number].free_from;
    } else {
        w->broken = "no physical register is free, and none is needed";
        return 0;
    }
    w->pool.numbers[x->number].valid_from = CYCLE_NEVER;
    w->written[w->written_count++] = x->number;
    return from == CYCLE_NEVER ? 0 : from;
}

static void wait_for(struct wir *w, struct operand_access *a, uint64_t from)
{
    if (from <= a->at) return;
    a->cycles = (uint32_t)(from - a->at);
    w->counters[COUNT_waited] += a->cycles;
}

// All lanes are written: with the value of a number known by its signature, that number; else a number of its own.
static void write_all(struct wir *w, unsigned place, struct operand_access *a)
{
    struct wir_register *x = &w->map[place][a->r];
    const uint32_t *lanes = tech_lanes(w->grid, place, a->r);
    uint32_t hash;
    uint16_t found = wir_find(&w->pool, lanes, &hash);
    x->is_pinned = false;
    a->compared = 1; // the signature
    w->counters[COUNT_results]++;
    if (found != WIR_NONE && w->pool.numbers[found].valid_from <= a->at) {
        a->compared++;
        a->checked = w->pool.banks[found];
        w->counters[COUNT_found]++;
        if (wir_equal(lanes, wir_value(&w->pool, found), w->launch->lanes)) {
            wir_hold(&w->pool, found);
            rename_to(w, x, found);
            a->main = 0;
            a->bank = NO_BANK;
            w->counters[COUNT_merged]++;
            return;
        }
        w->counters[COUNT_collisions]++;
    }
    wait_for(w, a, own(w, place, a->r));
    wir_move(wir_value(&w->pool, x->number), lanes, w->launch->lanes);
    wir_sign(&w->pool, x->number, hash);
}

static void pin(struct wir *w, unsigned place, unsigned r, struct operand_access *a)
{
    uint64_t from = own(w, place, r);
    if (a) wait_for(w, a, from);
    w->map[place][r].is_pinned = true;
}

static void take_entry(struct wir *w, unsigned place, struct operand_access *a)
{
    struct wir_register *x = &w->map[place][a->r];
    wir_hold(&w->pool, w->hit->results[a->nth]);
    rename_to(w, x, w->hit->results[a->nth]);
    x->is_pinned = false;
    a->main = 0;
    a->bank = NO_BANK;
}

static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct wir *w = state;
    struct wir_register *map = w->map[place];
    if (!(w->alive >> place & 1)) return;
    if (!a->is_write) {
        if (map[a->r].number != WIR_NONE) a->bank = w->pool.banks[map[a->r].number];
        return;
    }
    enum wir_write coming = (enum wir_write)map[w->launch->ops[index].dst].coming;
    switch (coming ? coming : w->write) {
    case WIR_NOTHING: break;
    case WIR_ALONE:
        pin(w, place, a->r, a);
        w->counters[COUNT_pinned]++;
        break;
    case WIR_ALL_LANES: write_all(w, place, a); break;
    case WIR_REUSED: take_entry(w, place, a); break;
    }
}

// The results of an instruction are written at `cycle`.
static void settle(struct wir *w, uint64_t cycle)
{
    for (unsigned k = 0; k < w->written_count; k++) w->pool.numbers[w->written[k]].valid_from = cycle;
    for (unsigned k = 0; k < w->freed_count; k++) w->pool.numbers[w->freed[k]].free_from = cycle;
    w->written_count = w->freed_count = 0;
}

// The instruction writes some lanes of a shared register: first the value moves to a register of the warp.
static uint32_t copies(void *state, unsigned place, uint32_t index)
{
    struct wir *w = state;
    const struct op *o = &w->launch->ops[index];
    struct warp *warp = tech_warp(w->grid, place);
    if (!o->dst_words || is_whole(warp, o) || way_of(w, warp, index) != WIR_ALONE) return 0;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++) {
        struct wir_register *x = &w->map[place][r];
        if (x->number == WIR_NONE || is_owner(w, x)) continue;
        bring(w, warp, place, r);
        pin(w, place, r, NULL);
        settle(w, tech_now(w->grid));
        w->counters[COUNT_copies]++;
        return (r + 1) | TECH_COPY_LANES;
    }
    return 0;
}

// -- reuse --------------------------------------------------------------------------------------------------

static void verify(struct wir *w, unsigned place, uint32_t index, const struct wir_entry *e)
{
    const struct op *o = &w->launch->ops[index];
    uint64_t lanes = lanes_of(tech_warp(w->grid, place), o);
    bool same = true;
    if (!tech_recompute(w->grid, place, index)) return;
    for (unsigned n = 0; n < o->dst_words; n++) {
        const uint32_t *mine = tech_lanes(w->grid, place, o->dst + n),
                       *value = wir_value(&w->pool, e->results[n]);
        for (uint64_t left = lanes; left; left &= left - 1)
            same &= mine[bit_lowest(left)] == value[bit_lowest(left)];
    }
    if (!same) mismatch(w);
}

// For tests: flips a bit of the register of the n-th reused result (n: option corrupt).
static void corrupt(struct wir *w, const struct wir_entry *e)
{
    if (++w->hits == w->launch->options->corrupt) wir_value(&w->pool, e->results[0])[0] ^= 1;
}

static uint32_t try_entry(struct wir *w, unsigned place, uint32_t index)
{
    const struct wir_plan *p = &w->launch->plans[index];
    const struct op *o = &w->launch->ops[index];
    if (w->write != WIR_ALL_LANES) {
        w->counters[COUNT_diverged] += w->write == WIR_ALONE;
        return 0;
    }
    if (!wir_set_key(w, place, p)) {
        w->counters[COUNT_not_shared]++;
        return 0;
    }
    struct wir_entry *e = wir_look_up(w, place, p);
    if (!e) return 0;
    corrupt(w, e);
    if (w->launch->verify) verify(w, place, index, e);
    for (unsigned n = 0; n < o->dst_words; n++)
        wir_move(tech_lanes(w->grid, place, o->dst + n), wir_value(&w->pool, e->results[n]),
                 w->launch->lanes);
    w->hit = e;
    w->write = WIR_REUSED;
    w->counters[COUNT_reused]++;
    uint64_t soonest = tech_now(w->grid) + w->launch->options->latency;
    return w->launch->options->latency + (e->ready > soonest ? (uint32_t)(e->ready - soonest) : 0);
}

static uint32_t reuse(void *state, unsigned place, uint32_t index)
{
    struct wir *w = state;
    return w->launch->plans[index].kind == WIR_COMPUTES ? try_entry(w, place, index) : 0;
}

static uint32_t reuse_load(void *state, unsigned place, uint32_t index)
{
    struct wir *w = state;
    enum wir_kind kind = (enum wir_kind)w->launch->plans[index].kind;
    uint32_t cycles = kind == WIR_GLOBAL || kind == WIR_SHARED ? try_entry(w, place, index) : 0;
    w->counters[COUNT_loads] += cycles != 0;
    return cycles;
}

static void executed(void *state, unsigned place, uint32_t index)
{
    struct wir *w = state;
    const struct wir_plan *p = &w->launch->plans[index];
    const struct op *o = &w->launch->ops[index];
    if (w->fills) wir_hold_sources(w, &w->key);
    w->holds = w->fills;
    if (!p->ends_loads) return;
    if (o->path == PATH_MEMORY && !lanes_of(tech_warp(w->grid, place), o)) return;
    if (p->is_ordering && w->launch->options->loads == WIR_LOADS_UNSOUND) return;
    w->epoch++;
    w->counters[COUNT_epochs]++;
}

// -- results ------------------------------------------------------------------------------------------------

// Some lanes of a load's register have the loaded values already: the register is pinned from now on.
static void load_begins(struct wir *w, unsigned place, uint32_t index)
{
    const struct op *o = &w->launch->ops[index];
    struct wir_register *map = w->map[place];
    struct wir_load *slot = w->loads[place];
    if (!o->dst_words) return;
    map[o->dst].coming = (uint8_t)w->write;
    for (unsigned n = 0; n < o->dst_words && w->write == WIR_ALONE; n++) pin(w, place, o->dst + n, NULL);
    settle(w, tech_now(w->grid));
    while (slot < w->loads[place] + WIR_LOADS && slot->used) slot++;
    if (!w->holds || slot == w->loads[place] + WIR_LOADS) {
        forget_held(w);
        return;
    }
    *slot = (struct wir_load){.used = true, .dst = o->dst, .key = w->key, .epoch = w->epoch};
    w->holds = w->fills = false;
}

static void result(void *state, unsigned place, uint32_t index, uint64_t cycle)
{
    struct wir *w = state;
    if (w->launch->ops[index].path == PATH_MEMORY && w->write != WIR_REUSED) {
        if (cycle == CYCLE_NEVER) load_begins(w, place, index);
        return;
    }
    if (w->written_count || w->freed_count) settle(w, cycle);
    if (!w->holds) return;
    w->holds = w->fills = false; // the entry holds the sources
    wir_fill(w, place, index, &w->key, cycle, w->epoch);
}

static void replied(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    struct wir *w = state;
    const struct op *o = &w->launch->ops[index];
    (void)registers;
    settle(w, cycle);
    if (!(w->alive >> place & 1) || !o->dst_words) return;
    w->map[place][o->dst].coming = 0;
    for (unsigned k = 0; k < WIR_LOADS; k++) {
        struct wir_load *l = &w->loads[place][k];
        if (!l->used || l->dst != o->dst) continue;
        l->used = false;
        if (l->epoch == w->epoch || w->launch->plans[index].is_read_only)
            wir_fill(w, place, index, &l->key, cycle, l->epoch);
        else
            wir_drop_sources(w, &l->key);
    }
}

// Another mechanism's results are the warp's alone.
static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct wir *w = state;
    const struct op *o = &w->launch->ops[index];
    forget_held(w);
    if (what == SAVED_EXECUTION) {
        if (w->write == WIR_ALL_LANES) w->write = WIR_ALONE;
        return;
    }
    for (unsigned n = 0; n < o->dst_words; n++) pin(w, place, o->dst + n, NULL);
    settle(w, tech_now(w->grid));
}

// -- books --------------------------------------------------------------------------------------------------

static void count_key(uint32_t *references, const struct wir_key *key)
{
    for (unsigned k = 0; k < key->count; k++) references[key->sources[k]]++;
}

static void count_references(const struct wir *w, uint32_t *references)
{
    for (uint32_t n = 0; n < w->buffer.count; n++) {
        const struct wir_entry *e = &w->buffer.entries[n];
        if (!e->used) continue;
        count_key(references, &e->key);
        for (unsigned k = 0; k < e->result_count; k++) references[e->results[k]]++;
    }
    for (unsigned place = 0; place < WIR_WARPS; place++) {
        if (!(w->alive >> place & 1)) continue;
        for (unsigned r = 0; r < TECH_REGISTERS; r++)
            if (w->map[place][r].number != WIR_NONE) references[w->map[place][r].number]++;
        for (unsigned k = 0; k < WIR_LOADS; k++)
            if (w->loads[place][k].used) count_key(references, &w->loads[place][k].key);
    }
    if (w->holds) count_key(references, &w->key);
}

static const char *check(const void *state)
{
    const struct wir *w = state;
    uint32_t *references = heap_alloc(w->pool.count * sizeof *references), used = 0;
    bool balanced = true;
    count_references(w, references);
    for (uint32_t n = 0; n < w->pool.count; n++) {
        balanced &= references[n] == w->pool.numbers[n].references;
        used += references[n] != 0;
    }
    free(references);
    if (w->broken) return w->broken;
    if (!balanced) return "a physical register has other references than tables and entries name it";
    return used + w->pool.free_count == w->pool.count ? NULL : "a physical register is neither used nor free";
}

static uint64_t bits_for(uint64_t values)
{
    uint64_t bits = 0;
    while (1ull << bits < values) bits++;
    return bits;
}

// Nothing of the structures' sizes is in the abstract.
static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct wir_options *o = options;
    uint64_t registers = c->registers / 32, number = bits_for(registers), n = 0;
    uint64_t most = registers + (uint64_t)(WIR_SOURCES + WIR_RESULTS) * o->entries;
    // Operation: opcode, modifiers and an immediate, as in UV's entries. A bit more for each register's presence.
    uint64_t key = 8 + 48 + 32 + WIR_SOURCES * (number + 1), results = WIR_RESULTS * (number + 1);
    // A register may wait for an entry's result: the entry's number, and a bit.
    uint64_t waiting = o->pending == WIR_PENDING_WAITS ? 1 : 0, entry = waiting * bits_for(o->entries);
    out[n++] = (struct tech_storage){"rename table", registers,
                                     1 + waiting + (entry > number ? entry : number), false, 1};
    out[n++] = (struct tech_storage){"reuse buffer", o->entries, 1 + key + results + bits_for(o->ways), false,
                                     wir_banks(o)};
    if (o->loads != WIR_LOADS_OFF) // the block, the epoch's bit, a bit a warp
        out[n++] =
            (struct tech_storage){"loads of entries", o->entries, 5 + 1 + c->max_warps, false, wir_banks(o)};
    out[n++] = (struct tech_storage){"signatures", o->signatures, 1 + o->signature_bits + number, false, 1};
    out[n++] = (struct tech_storage){"reference counts", registers, bits_for(most + 1), false, 1};
    out[n++] = (struct tech_storage){"free registers", registers, number, false, 1};
    return n;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct wir *w = state;
    for (uint32_t n = 0; n < w->buffer.count; n++) {
        const struct wir_entry *e = &w->buffer.entries[n];
        struct strbuf text = {0};
        if (!e->used) continue;
        strbuf_printf(&text, "operation %u (", e->key.operation);
        for (unsigned k = 0; k < e->key.count; k++)
            strbuf_printf(&text, "%s%u", k ? " " : "", e->key.sources[k]);
        strbuf_puts(&text, ") =");
        for (unsigned k = 0; k < e->result_count; k++) strbuf_printf(&text, " %u", e->results[k]);
        tech_row(to, "reuse buffer", TECH_OF_SM, 0, n, "%s", strbuf_text(&text));
        strbuf_fini(&text);
    }
    for (unsigned place = 0; place < WIR_WARPS; place++) {
        uint64_t pinned[4] = {0};
        struct strbuf text = {0};
        if (!(w->alive >> place & 1)) continue;
        for (unsigned r = 0; r < TECH_REGISTERS; r++)
            pinned[r / 64] |= (uint64_t)w->map[place][r].is_pinned << r % 64;
        rows_print_set(&text, "R", pinned, 4);
        tech_row(to, "pinned registers", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
        strbuf_fini(&text);
    }
}

const struct tech tech_wir = {
    .name = "wir",
    .meaning =
        "equal registers of all warps share a physical register; an instruction on registers of an earlier "
        "one takes the register of the result",
    .paper = "WIR: Kim and Ro, HPCA 2018",
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(UNSTRUCTURED) | HAS(EXECUTION) | HAS(LOADS),
    .claims = CLAIMS(REGISTER_MAP) | CLAIMS(REGISTER_STORAGE) | CLAIMS(OWN_REGISTERS) | CLAIMS(ONE_VALUE) |
              CLAIMS(OPERANDS) | CLAIMS(EXECUTION),
    .skipped = -1,
    .reused = COUNT_reused,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct wir_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .warp_end = warp_end,
    .reads = reads,
    .executed = executed,
    .saved = saved,
    .check = check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.block_start = block_start},
    .execution = &(const struct tech_execution){.copies = copies, .reuse = reuse, .reuse_load = reuse_load},
    .registers = &(const struct tech_registers){.operand = operand, .result = result, .replied = replied},
};

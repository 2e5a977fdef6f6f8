// The use of every issue slot of every scheduler. A scheduler without an issue in a cycle charges its slots
// to a single reason and instruction. The reason is the obstacle of a ready warp, else the wait of a warp,
// usually the scheduler's oldest. A scheduler without warps charges SLOT_NO_WARP and no instruction. With
// issue.width=2 and a single issue in the cycle, the other slot is charged to the obstacle of a second issue.
#include "exec/launch.h"
#include "isa/program.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

void account_init(struct sm *s) { s->account.sample_at = CYCLE_NEVER; }

void account_begin(struct sm_grid *g)
{
    size_t places = (size_t)g->launch->launch->program->inst_count + 1;
    g->account.inst_slots = heap_alloc(places * SLOT_COLUMNS * sizeof *g->account.inst_slots);
    g->account.sample_at = CYCLE_NEVER;
}

void account_end(struct sm_grid *g)
{
    free(g->account.inst_slots);
    free(g->account.inst_saved);
    vec_fini(&g->account.samples);
}

void account_block_ended(struct sm_grid *g, const struct cta *c)
{
    uint64_t longest = 0;
    for (uint32_t k = 0; k < c->warp_count; k++)
        longest = c->warps[k].issued > longest ? c->warps[k].issued : longest;
    g->counts.sm_longest_instructions += longest * c->warp_count;
}

void account_begin_techs(struct sm_grid *g)
{
    size_t count = g->launch->launch->program->inst_count;
    g->account.inst_saved = heap_alloc(count * SAVINGS * sizeof *g->account.inst_saved);
}

// -- slots --------------------------------------------------------------------------------------------------

static void charge(struct sm_grid *g, enum gpu_slot why, uint32_t inst, uint64_t slots)
{
    account_charge(&g->account, why, inst, slots);
}

// Moves the slots of the wait of the warp in `slot`, not charged to a level yet, to the level.
static void settle_wait(struct sm *s, unsigned slot, enum gpu_level level)
{
    uint64_t slots = s->account.waiting[slot];
    if (!slots) return;
    struct account_grid *a = &s->warps[slot].grid->account;
    account_charge(a, SLOT_MEMORY, s->account.waiting_inst[slot], -slots);
    account_charge(a, SLOT_COUNT + level, s->account.waiting_inst[slot], slots);
    s->account.waiting[slot] = 0;
}

void account_waited(struct sm *s, unsigned slot, uint32_t inst, uint64_t slots)
{
    const struct sm_warp *w = &s->warps[slot];
    bool is_known = w->ready.source >= SOURCE_LEVEL;
    if (!is_known) {
        if (s->account.waiting_inst[slot] != inst) settle_wait(s, slot, LEVEL_ORDER);
        s->account.waiting_inst[slot] = inst;
        s->account.waiting[slot] += slots;
    }
    account_charge(&w->grid->account, is_known ? w->ready.source : SLOT_MEMORY, inst, slots);
}

void account_came(struct sm *s, unsigned slot, enum gpu_level level)
{
    ready_awaits(&s->warps[slot].ready, (uint8_t)(SOURCE_LEVEL + level)); // perhaps to the end of a latency
    settle_wait(s, slot, level);
}

// Active cycles and slots without a warp, common to several grids, are split in proportion to resident warps,
// in fixed point with PART_SHIFT fractional bits. A grid's share is the same whether equal cycles are added
// singly or in bulk.
enum { PART_SHIFT = 20 };

static uint64_t part_of(const struct sm_grid *g, uint64_t *parts, uint64_t cycles)
{
    uint64_t before = *parts >> PART_SHIFT;
    *parts += cycles * (((uint64_t)g->account.warps << PART_SHIFT) / g->sm->account.warps);
    return (*parts >> PART_SHIFT) - before;
}

void account_look(struct sm *s)
{
    s->account.warps = s->room.resident_count;
    EACH_GRID(s, g) g->account.warps = g->room.resident_count;
}

static void charge_all(struct sm *s, uint64_t slots)
{
    EACH_GRID(s, g)
    {
        charge(g, SLOT_NO_WARP, g->launch->launch->program->inst_count,
               part_of(g, &g->account.no_warp_parts, slots));
    }
}

// Charges the slots of a scheduler without an issue to the obstacle of a ready warp. Without a ready warp, to
// the wait of a warp, usually the scheduler's oldest; without warps, to SLOT_NO_WARP. only: the SM's only grid;
// NULL: several grids share the SM.
static void charge_idle(struct sm *s, struct sm_grid *only, unsigned scheduler, uint64_t slots)
{
    uint64_t parked = s->lsu.parked & s->issue.warps_of[scheduler];
    if (parked) {
        const struct sm_warp *w = &s->warps[bit_lowest(parked)];
        charge(only ? only : w->grid, SLOT_UNIT, w->front.head, slots);
        return;
    }
    if (s->issue.refused[scheduler]) {
        unsigned slot = s->issue.refused_slot[scheduler];
        uint32_t inst = s->issue.refused_inst[scheduler];
        if (s->issue.refused[scheduler] == SLOT_MEMORY)
            account_waited(s, slot, inst, slots);
        else
            charge(s->warps[slot].grid, (enum gpu_slot)s->issue.refused[scheduler], inst, slots);
        return;
    }
    if (!s->issue.order_count[scheduler]) {
        if (only)
            charge(only, SLOT_NO_WARP, only->launch->launch->program->inst_count, slots);
        else
            charge_all(s, slots);
        return;
    }
    uint64_t ready = s->ready.now & s->issue.warps_of[scheduler]; // ready only since this cycle's issue
    const struct sm_warp *w = &s->warps[ready ? oldest_of(s, ready) : s->issue.order[scheduler][0]];
    if (w->ready.why == SLOT_MEMORY) {
        account_waited(s, slot_of(s, w), w->front.head, slots);
        return;
    }
    bool fetched = w->ready.why != SLOT_FETCH && w->ready.why != SLOT_ISSUED;
    enum gpu_slot otherwise = w->front.waits_for_line ? SLOT_CODE : SLOT_FETCH;
    charge(only ? only : w->grid, fetched ? (enum gpu_slot)w->ready.why : otherwise, waits_with(w), slots);
}

// charge_idle for several schedulers (bits).
static __attribute__((noinline)) void charge_each(struct sm *s, struct sm_grid *only, uint64_t schedulers,
                                                  uint64_t slots)
{
    for (; schedulers; schedulers &= schedulers - 1) charge_idle(s, only, bit_lowest(schedulers), slots);
}

// The warp waits for an entry of the load/store queue, and the scheduler has no issue.
static inline __attribute__((always_inline)) void charge_parked(const struct sm_warp *w, struct sm_grid *only,
                                                                uint64_t slots)
{
    account_charge(&only->account, SLOT_UNIT, w->front.head, slots);
}

// Charges the slots to the wait of the warp in `slot`, without a ready warp of the scheduler. False: charge_idle has
// to.
static inline __attribute__((always_inline)) bool charge_wait(struct sm *s, unsigned slot,
                                                              struct sm_grid *only, uint64_t slots)
{
    // for these waits, the warp's next instruction is not charged, or another column
    enum { OTHERWISE = 1u << SLOT_FETCH | 1u << SLOT_ISSUED | 1u << SLOT_BARRIER | 1u << SOURCE_AWAITED };
    const struct sm_warp *w = &s->warps[slot];
    uint64_t column = w->ready.charged, inst = w->front.head;
    if (OTHERWISE >> column & 1) {
        if (column == SOURCE_AWAITED) {
            if (s->account.waiting_inst[slot] != inst) return false;
            s->account.waiting[slot] += slots;
            column = SLOT_MEMORY;
        } else if (column == SLOT_BARRIER) {
            inst = w->ready.stopped_at;
        } else {
            column = w->front.waits_for_line ? SLOT_CODE : SLOT_FETCH;
        }
    }
    account_charge(&only->account, column, inst, slots);
    return true;
}

// charge_idle for the schedulers without an issue; the others have charged their slots themselves. One grid has
// the SM.
static inline __attribute__((always_inline)) void charge_schedulers(struct sm *s, struct sm_grid *only,
                                                                    uint64_t cycles)
{
    const uint64_t slots = cycles * s->config->issue_width;
    const uint64_t idle = s->issue.all & ~s->issue.went, parked = s->lsu.parked;
    const uint64_t ready = s->ready.now | parked;
    uint64_t special = idle & (s->issue.refusers | s->issue.without_warps);
    for (uint64_t left = idle & ~special; left; left &= left - 1) {
        uint64_t k = (uint64_t)__builtin_ctzll(left), own = ready & s->issue.warps_of[k];
        bool is_charged = true;
        if (!own)
            is_charged = charge_wait(s, s->issue.order[k][0], only, slots);
        else if (own & parked)
            charge_parked(&s->warps[bit_lowest(own & parked)], only, slots);
        else
            is_charged = false;
        if (!is_charged) special |= left & -left;
    }
    if (special) charge_each(s, only, special, slots);
}

static __attribute__((noinline)) void account_shared(struct sm *s, uint64_t cycles)
{
    EACH_GRID(s, g)
    {
        g->counts.sm_active_cycles += part_of(g, &g->account.cycle_parts, cycles);
        g->counts.sm_warp_cycles += cycles * g->account.warps;
    }
    const struct lsu_entry *head = &s->lsu.queue[s->lsu.first];
    if (s->lsu.blocked && s->lsu.count) head->grid->counts.lsu_stalls += cycles;
    charge_each(s, NULL, s->issue.all & ~s->issue.went, cycles * s->config->issue_width);
}

void account_cycles(struct sm *s, unsigned resident_count, uint64_t cycles)
{
    struct sm_grid *only = s->room.grids[0];
    s->account.cycles += cycles;
    if (s->room.grid_count > 1) {
        account_shared(s, cycles);
        return;
    }
    only->counts.sm_active_cycles += cycles;
    only->counts.sm_warp_cycles += cycles * resident_count;
    if (s->lsu.blocked && s->lsu.count) only->counts.lsu_stalls += cycles;
    charge_schedulers(s, only, cycles);
}

uint64_t sm_take_active(struct sm *s)
{
    uint64_t since = s->account.cycles - s->account.told;
    s->account.told = s->account.cycles;
    return since;
}

// -- samples ------------------------------------------------------------------------------------------------

// Every issued instruction takes a scheduler slot, except instructions issued through a mechanism's port and, beside the
// schedulers, instructions of a guest (a mechanism's stream). For a grid that never shared the SM, account_check
// verifies that the slots of all reasons add up.
void account_settle(struct sm_grid *g)
{
    struct gpu_counts *n = &g->counts;
    const uint64_t *columns = g->account.columns;
    memcpy(n->slots, columns, sizeof n->slots);
    memcpy(n->levels, columns + SLOT_COUNT, sizeof n->levels);
    for (unsigned k = 0; k < LEVEL_COUNT; k++) n->slots[SLOT_MEMORY] += n->levels[k];
    n->slots[SLOT_ISSUED] = n->issue_issued - n->issue_beside - n->issue_port;
}

void sm_add_inst_slots(const struct sm_grid *g, uint64_t *to)
{
    size_t count = ((size_t)g->launch->launch->program->inst_count + 1) * SLOT_COLUMNS;
    const uint64_t *row = g->account.inst_slots, *end = row + count;
    for (; row < end; row += SLOT_COLUMNS, to += SLOT_COLUMNS) {
        for (unsigned k = 0; k < SLOT_COLUMNS; k++) to[k] += row[k];
        for (unsigned k = SLOT_COUNT; k < SLOT_COLUMNS; k++) to[SLOT_MEMORY] += row[k];
    }
}

static void find_next_sample(struct sm *s)
{
    s->account.sample_at = CYCLE_NEVER;
    EACH_GRID(s, g)
    {
        if (g->account.sample_at < s->account.sample_at) s->account.sample_at = g->account.sample_at;
    }
}

void account_sample(struct sm *s)
{
    EACH_GRID(s, g)
    {
        if (g->account.sample_at != s->now) continue;
        account_settle(g);
        vec_push(&g->account.samples, g->counts);
        g->account.sample_at += g->account.interval;
    }
    find_next_sample(s);
}

void sm_sample(struct sm_grid *g, uint64_t first, uint64_t interval)
{
    g->account.sample_at = first;
    g->account.interval = interval;
    find_next_sample(g->sm);
}

const struct gpu_counts *sm_samples(struct sm_grid *g, size_t *count)
{
    *count = g->account.samples.count;
    g->account.samples.count = 0;
    return g->account.samples.data;
}

// -- books --------------------------------------------------------------------------------------------------

const char *account_check(const struct sm_grid *g)
{
    const struct gpu_counts *n = &g->counts;
    const struct gpu_config *c = g->sm->config;
    uint64_t slots = 0, placed = 0;
    for (unsigned k = 0; k < SLOT_COUNT; k++) slots += n->slots[k];
    if (!g->room.had_company && slots != n->sm_active_cycles * c->schedulers * c->issue_width)
        return "the schedulers' slots do not add up";
    size_t rows = (size_t)g->launch->launch->program->inst_count + 1;
    for (size_t k = 0; k < rows; k++) {
        const uint64_t *row = g->account.inst_slots + k * SLOT_COLUMNS;
        for (unsigned column = 0; column < SLOT_COLUMNS; column++) placed += row[column];
        if (row[SLOT_MEMORY]) return "slots of memory have no level";
    }
    if (placed != slots) return "the slots of instructions differ from the schedulers' slots";
    uint64_t beside = 0;
    for (size_t k = 0; g->account.inst_saved && k < rows - 1; k++)
        beside += g->account.inst_saved[k * SAVINGS + SAVED_SLOT];
    return beside == n->issue_port + n->issue_beside
               ? NULL
               : "instructions without a slot differ from instructions of ports and guests";
}

// An SM's cycle, its blocks and warps, and the account of its schedulers' slots.
//
//     replies, wakes ─▶ load/store unit ─▶ issue ─▶ fetch ─▶ account ─▶ next cycle, or the next at which anything happens
#include "gpu/sm_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SLOT_ISSUED == 0, "0 means no reason where a reason is kept");

static void create_caches(struct sm *s, const struct chip_config *all)
{
    enum { READ_ONLY_MSHRS = 16 };
    const struct gpu_config *c = &all->gpu;
    const struct tags_config l1 = {c->l1_sets,
                                   c->l1_ways,
                                   c->l1_mshrs,
                                   c->l1_merges,
                                   (enum cache_replacement)c->l1_replacement,
                                   (enum tags_allocate)c->l1_allocate},
                             texture = {c->texture_sets,
                                        c->texture_ways,
                                        c->l1_mshrs,
                                        c->l1_merges,
                                        (enum cache_replacement)c->texture_replacement,
                                        (enum tags_allocate)c->texture_allocate},
                             constant = {c->constant_sets,
                                         c->constant_ways,
                                         READ_ONLY_MSHRS,
                                         SM_WARPS,
                                         (enum cache_replacement)c->constant_replacement,
                                         ALLOCATE_MISS},
                             code = {c->icache_sets,
                                     c->icache_ways,
                                     READ_ONLY_MSHRS,
                                     SM_WARPS,
                                     (enum cache_replacement)c->icache_replacement,
                                     ALLOCATE_MISS};
    tags_init(&s->l1, all, &l1);
    tags_init(&s->texture, all, &texture);
    tags_init(&s->constant, all, &constant);
    tags_init(&s->code, all, &code);
}

struct sm *sm_create(const struct sm_launch *l, struct timed_engine *engine, unsigned index, uint64_t now)
{
    const struct gpu_config *c = &l->config->gpu;
    struct sm *s = heap_alloc(sizeof *s);
    s->launch = l;
    s->config = c;
    s->ops = l->decoded.ops;
    s->engine = engine;
    s->index = index;
    s->now = now;
    s->next_reply = CYCLE_NEVER;
    s->free_record = NONE32;
    s->sample_at = CYCLE_NEVER;
    s->reg_count = c->registers / 32;
    // Renamed registers have numbers of their own behind those of all warps.
    uint32_t numbers = s->reg_count + 256 + l->blocks_per_sm * l->pool;
    s->reg_ready = heap_alloc(numbers * sizeof *s->reg_ready);
    s->linear = heap_alloc((s->reg_count + MAP_REGISTERS) * sizeof *s->linear);
    for (uint32_t n = 0; n < s->reg_count + MAP_REGISTERS; n++) s->linear[n] = (uint16_t)n;
    operand_init(s, numbers);
    s->fetch_below = c->fetch_refill == FETCH_WHEN_EMPTY ? 1 : c->ibuffer;
    s->reg_read = heap_alloc(numbers * sizeof *s->reg_read);
    s->reg_from_memory = heap_alloc(numbers);
    if (c->check) check_init(&s->check, numbers, SM_WARPS);
    s->queue = heap_alloc(c->lsu_queue * sizeof *s->queue);
    s->constant_there = heap_alloc((l->decoded.constant_count / 64 + 1) * sizeof *s->constant_there);
    s->inst_slots =
        heap_alloc((size_t)(l->launch->program->inst_count + 1) * SLOT_COUNT * sizeof *s->inst_slots);
    create_caches(s, l->config);
    s->has_guests = c->check;
    return s;
}

void sm_destroy(struct sm *s)
{
    if (!s) return;
    tech_end(s);
    stall_end(s);
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (s->blocks[k].cta) timed_block_destroy(s->blocks[k].cta);
    tags_fini(&s->l1);
    tags_fini(&s->texture);
    tags_fini(&s->constant);
    tags_fini(&s->code);
    vec_fini(&s->placed);
    vec_fini(&s->ends);
    vec_fini(&s->wakes.far);
    vec_fini(&s->fills.far);
    vec_fini(&s->records);
    vec_fini(&s->samples);
    check_fini(&s->check);
    vec_fini(&s->events.far);
    free(s->reg_ready);
    free(s->linear);
    free(s->bank_of);
    free(s->reg_read);
    free(s->reg_from_memory);
    free(s->queue);
    free(s->constant_there);
    free(s->inst_slots);
    free(s);
}

// -- warps --------------------------------------------------------------------------------------------------

void sm_wake(struct sm *s, unsigned slot, uint64_t cycle) { ring_add(&s->wakes, s->now, cycle, slot); }

static void waits(struct sm *s, struct sm_warp *w, enum gpu_slot why)
{
    if (w->slot == why) return;
    w->slot = (uint8_t)why;
    w->since = s->now;
}

struct hazard {
    uint64_t cycle;
    bool memory;
};

static struct hazard encoded_hazard(const struct sm_warp *w, const struct op *o)
{
    struct hazard h = {w->stall_until, false};
    for (unsigned left = o->wait | w->owed; left; left &= left - 1) {
        unsigned b = bit_lowest(left);
        uint64_t ready = w->barrier_pending[b] ? CYCLE_NEVER : w->barrier_ready[b];
        if (ready > h.cycle) h = (struct hazard){ready, w->barrier_from_memory >> b & 1};
    }
    return h;
}

// When the registers and predicates of an instruction are ready. Its destination must be too: results are
// written in order.
static struct hazard scoreboard_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    struct hazard h = {0};
    uint32_t last = 0;
    for (unsigned k = 0; k < o->need_count; k++) {
        uint32_t r = w->map[o->needs[k]];
        uint64_t ready = s->reg_ready[r];
        last = ready > h.cycle ? r : last;
        h.cycle = ready > h.cycle ? ready : h.cycle;
    }
    if (h.cycle > s->now) h.memory = s->reg_from_memory[last];
    for (unsigned left = o->pred_reads | o->pred_writes; left; left &= left - 1) {
        unsigned p = bit_lowest(left);
        if (w->pred_ready[p] <= h.cycle) continue;
        h.cycle = w->pred_ready[p];
        h.memory = w->pred_from_memory >> p & 1;
    }
    return h;
}

static struct hazard hazard_of(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    if (o->path == PATH_FENCE && (w->loads || w->stores)) return (struct hazard){CYCLE_NEVER, true};
    return s->config->dependences == DEPENDENCES_ENCODED ? encoded_hazard(w, o) : scoreboard_hazard(s, w, o);
}

// Registers and all: what accesses memory needs a place in the load/store unit besides.
static void becomes_ready(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot;
    if (accesses_memory(w, &s->ops[w->head])) {
        s->wants_lsu |= bit;
        if (s->lsu_shut && !lsu_has_place(s, slot)) {
            waits(s, w, SLOT_UNIT);
            return;
        }
    } else {
        s->wants_lsu &= ~bit;
        if (s->lsu_asked & bit) lsu_leave_line(s, slot); // a mechanism has spared it the access
    }
    s->ready |= bit;
}

void sm_evaluate(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot;
    s->ready &= ~bit;
    if (!w->warp || w->warp->state == WARP_DONE) return;
    if (w->warp->state == WARP_BARRIER) {
        w->waits_at_barrier = true;
        waits(s, w, SLOT_BARRIER);
    } else if (w->resume > s->now) {
        waits(s, w, (enum gpu_slot)w->pause);
        sm_wake(s, slot, w->resume);
    } else if (s->held_issue & bit) {
        waits(s, w, SLOT_SYNC);
    } else if (!w->count) {
        waits(s, w, s->held_fetch & bit ? SLOT_SYNC : SLOT_FETCH);
    } else if (w->waits_for_constant) {
        waits(s, w, SLOT_MEMORY);
    } else {
        struct hazard h = hazard_of(s, w, &s->ops[w->head]);
        if (h.cycle <= s->now) {
            becomes_ready(s, slot);
            return;
        }
        waits(s, w, h.memory ? SLOT_MEMORY : SLOT_ALU);
        if (h.cycle != CYCLE_NEVER) sm_wake(s, slot, h.cycle);
    }
    if (s->lsu_asked & bit) lsu_unable(s, slot);
}

void sm_warp_settled(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    if (w->warp->state == WARP_READY && w->warp->pc != w->head) fetch_flush(s, slot, w->warp->pc);
    fetch_update(s, slot);
    sm_evaluate(s, slot);
}

void sm_barriers(struct sm *s, struct sm_block *b)
{
    for (uint64_t left = b->warps; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        struct sm_warp *w = &s->warps[slot];
        if (!w->warp || !w->waits_at_barrier || w->warp->state != WARP_READY) continue;
        w->waits_at_barrier = false;
        pause_warp(w, s->now + s->config->barrier_latency, SLOT_BARRIER);
        timed_settle(w->warp);
        sm_warp_settled(s, slot);
    }
}

// -- blocks -------------------------------------------------------------------------------------------------

static void order_remove(struct sm *s, unsigned slot)
{
    unsigned scheduler = slot % s->config->schedulers;
    uint8_t *order = s->order[scheduler];
    unsigned n = s->order_count[scheduler], k = 0;
    while (k < n && order[k] != slot) k++;
    memmove(order + k, order + k + 1, n - k - 1);
    s->order_count[scheduler]--;
}

static void block_ended(struct sm *s, struct sm_block *b, uint64_t cycle)
{
    stall_speaks_against(s);
    if (has_techs(s)) tech_block_end(s, (unsigned)(b - s->blocks));
    timed_block_end(s->engine, b->cta);
    b->running = false;
    b->free_at = cycle;
    for (uint64_t left = b->slots; left; left &= left - 1) s->warps[bit_lowest(left)].warp = NULL;
    vec_push(&s->ends, (struct sm_block_end){cycle, s->index});
}

void sm_warp_ended(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_block *b = &s->blocks[w->block];
    uint64_t bit = 1ull << slot;
    if (s->resident & bit) {
        stall_speaks_against(s);
        fetch_flush(s, slot, w->head);
        s->resident &= ~bit;
        s->resident_count--;
        s->ready &= ~bit;
        s->fetchable &= ~bit;
        order_remove(s, slot);
        if (s->lsu_asked >> slot & 1) lsu_leave_line(s, slot);
        if (has_techs(s)) tech_warp_end(s, slot);
    }
    if (w->loads) return; // their registers are still to be written
    b->warps &= ~bit;
    uint64_t end = s->now + 1;
    for (uint64_t left = b->slots; left; left &= left - 1)
        end = later(end, s->warps[bit_lowest(left)].busy_until);
    if (!b->warps) block_ended(s, b, end);
}

static void warp_start(struct sm *s, unsigned slot, unsigned block, struct warp *warp)
{
    struct sm_warp *w = &s->warps[slot];
    uint32_t generation = w->generation + 1;
    unsigned scheduler = slot % s->config->schedulers;
    *w = (struct sm_warp){.warp = warp, .block = block, .generation = generation, .since = s->now};
    w->registers = slot * s->launch->registers_per_warp;
    w->map = has_techs(s) ? s->maps + (size_t)slot * MAP_REGISTERS : s->linear + w->registers;
    if (has_techs(s)) memcpy(w->map, s->linear + w->registers, MAP_REGISTERS * sizeof *w->map);
    if (s->config->check) check_recycle(&s->check, slot, w->registers, s->launch->registers_per_warp, s->now);
    memset(&s->reg_ready[w->registers], 0, s->launch->registers_per_warp * sizeof *s->reg_ready);
    s->resident |= 1ull << slot;
    s->resident_count++;
    s->scheduler_warps[scheduler] |= 1ull << slot;
    s->order[scheduler][s->order_count[scheduler]++] = (uint8_t)slot;
    fetch_update(s, slot);
    sm_evaluate(s, slot);
}

static void block_start(struct sm *s, uint64_t linear)
{
    unsigned n = 0;
    while (s->blocks[n].running || s->blocks[n].free_at > s->now) n++;
    struct sm_block *b = &s->blocks[n];
    stall_speaks_against(s);
    if (!b->cta) {
        b->cta = timed_block_create(s->engine);
        // Slots stay a block's own: blocks of a launch are all alike.
        b->slots = bit_mask(s->launch->warps_per_block) << n * s->launch->warps_per_block;
    }
    timed_block_start(s->engine, b->cta, linear);
    b->running = true;
    b->warps = b->slots;
    if (s->launch->tech_count) tech_block_start(s, n);
    unsigned k = 0;
    for (uint64_t left = b->slots; left; left &= left - 1)
        warp_start(s, bit_lowest(left), n, &b->cta->warps[k++]);
}

void sm_place(struct sm *s, uint64_t block, uint64_t cycle)
{
    vec_reserve(&s->placed, s->placed.count + 1);
    s->placed.data[s->placed.count].block = block;
    s->placed.data[s->placed.count++].cycle = cycle;
}

static void start_placed(struct sm *s)
{
    while (s->placed.count && s->placed.data[0].cycle <= s->now) {
        uint64_t block = s->placed.data[0].block;
        memmove(s->placed.data, s->placed.data + 1, --s->placed.count * sizeof *s->placed.data);
        block_start(s, block);
    }
}

// -- the account --------------------------------------------------------------------------------------------

// An instruction after the last one stands for none.
static void charge(struct sm *s, enum gpu_slot why, uint32_t inst, uint64_t slots)
{
    s->counts.slots[why] += slots;
    s->inst_slots[(size_t)inst * SLOT_COUNT + why] += slots;
}

// A scheduler that issued nothing: what held up a ready warp, else what its oldest warp waits for.
static void charge_idle(struct sm *s, unsigned scheduler, uint64_t slots)
{
    uint64_t parked = s->lsu_parked & s->scheduler_warps[scheduler];
    if (parked) {
        charge(s, SLOT_UNIT, s->warps[bit_lowest(parked)].head, slots);
        return;
    }
    if (s->refused[scheduler]) {
        charge(s, (enum gpu_slot)s->refused[scheduler], s->refused_inst[scheduler], slots);
        return;
    }
    if (!s->order_count[scheduler]) {
        charge(s, SLOT_NO_WARP, s->launch->launch->program->inst_count, slots);
        return;
    }
    uint64_t ready = s->ready & s->scheduler_warps[scheduler]; // since this cycle's issue
    const struct sm_warp *w = &s->warps[ready ? issue_oldest(s, scheduler, ready) : s->order[scheduler][0]];
    bool fetched = w->slot != SLOT_FETCH && w->slot != SLOT_ISSUED;
    enum gpu_slot otherwise = w->waits_for_line ? SLOT_CODE : SLOT_FETCH;
    charge(s, fetched ? (enum gpu_slot)w->slot : otherwise, waits_with(w), slots);
}

static void account(struct sm *s, unsigned resident_count, uint64_t cycles)
{
    if (!resident_count) return;
    uint64_t width = s->config->issue_width;
    s->counts.sm_active_cycles += cycles;
    s->counts.sm_warp_cycles += cycles * resident_count;
    if (s->lsu_blocked && s->queue_count) s->counts.lsu_stalls += cycles;
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        unsigned issued = s->issued_now[k];
        s->counts.slots[SLOT_ISSUED] += issued;
        if (!issued)
            charge_idle(s, k, cycles * width);
        else if (issued < width)
            charge(s, (enum gpu_slot)s->second_slot[k], s->issued_inst[k], 1);
    }
}

// -- time ---------------------------------------------------------------------------------------------------

static inline bool is_busy(const struct sm *s)
{
    return s->ready || s->fetchable || (s->queue_count && !s->lsu_blocked && s->lsu_next <= s->now);
}

// Not counting what mechanisms have asked to be told of.
static uint64_t next_of_its_own(const struct sm *s)
{
    if (is_busy(s)) return s->now;
    uint64_t next = ring_next(&s->wakes, s->now - 1);
    if (next <= s->now) return s->now;
    if (s->queue_count && !s->lsu_blocked && s->lsu_next < next) next = s->lsu_next;
    if (s->next_reply < next) next = s->next_reply;
    uint64_t fill = ring_next(&s->fills, s->now - 1);
    if (fill < next) next = fill;
    if (s->placed.count && s->placed.data[0].cycle < next) next = s->placed.data[0].cycle;
    return next < s->now ? s->now : next;
}

uint64_t sm_next(const struct sm *s)
{
    uint64_t next = next_of_its_own(s);
    if (!has_techs(s) || next == s->now) return next;
    uint64_t event = ring_next(&s->events, s->now - 1);
    return event < next ? event : next;
}

bool sm_is_quiet(const struct sm *s)
{
    return (sm_stuck_block(s) ? sm_next(s) : next_of_its_own(s)) == CYCLE_NEVER;
}

static void take_replies(struct sm *s, struct memory_system *m, struct memory_reply *waiting)
{
    while (s->next_reply <= s->now) {
        s->last_reply = waiting->cycle;
        lsu_reply(s, waiting);
        s->next_reply =
            memory_system_take(m, s->index, s->window_end, waiting) ? waiting->cycle : CYCLE_NEVER;
    }
}

static void wake(struct sm *s)
{
    fetch_filled(s, ring_take(&s->fills, s->now));
    for (uint64_t left = ring_take(&s->wakes, s->now); left; left &= left - 1)
        sm_evaluate(s, bit_lowest(left));
}

static bool run_to(struct sm *s, struct memory_system *m, uint64_t until, struct memory_reply *waiting)
{
    while (s->now < until) {
        if (s->config->skip_idle && !is_busy(s)) {
            uint64_t next = sm_next(s);
            if (next > until) next = until;
            if (next > s->now) {
                memset(s->issued_now, 0, sizeof s->issued_now);
                memset(s->refused, 0, sizeof s->refused);
                account(s, s->resident_count, next - s->now);
                s->now = next;
                if (next == until) break;
            }
        }
        take_replies(s, m, waiting);
        start_placed(s);
        wake(s);
        if (has_techs(s)) tech_events(s);
        lsu_cycle(s);
        unsigned resident_count = s->resident_count;
        issue_cycle(s);
        if (s->faulted) return false;
        if (s->fetchable) fetch_cycle(s);
        account(s, resident_count, 1);
        if (s->watch) watch_cycle(s);
        s->now++;
    }
    return true;
}

bool sm_run(struct sm *s, struct memory_system *m, uint64_t until)
{
    struct memory_reply waiting = {0};
    s->window_end = until;
    s->memory = m;
    memory_system_open(m, s->index);
    s->next_reply = memory_system_take(m, s->index, until, &waiting) ? waiting.cycle : CYCLE_NEVER;
    for (;;) {
        if (!run_to(s, m, s->sample_at < until ? s->sample_at : until, &waiting)) return false;
        if (s->now != s->sample_at) return true;
        vec_push(&s->samples, s->counts);
        s->sample_at += s->interval;
    }
}

void sm_sample(struct sm *s, uint64_t first, uint64_t interval)
{
    s->sample_at = first;
    s->interval = interval;
}

const struct gpu_counts *sm_samples(struct sm *s, size_t *count)
{
    *count = s->samples.count;
    s->samples.count = 0;
    return s->samples.data;
}

size_t sm_ended(struct sm *s, struct sm_block_end **ends)
{
    size_t n = s->ends.count;
    *ends = s->ends.data;
    s->ends.count = 0;
    return n;
}

bool sm_is_idle(const struct sm *s)
{
    return !s->resident && !s->placed.count && !s->queue_count && !s->records_used &&
           s->requested == s->replied;
}

struct cta *sm_stuck_block(const struct sm *s)
{
    for (unsigned k = 0; k < s->launch->blocks_per_sm; k++)
        if (s->blocks[k].running) return s->blocks[k].cta;
    return NULL;
}

void sm_collect(struct sm *s)
{
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (s->blocks[k].running) exec_cta_collect(s->blocks[k].cta);
}

uint64_t sm_last_reply(const struct sm *s) { return s->last_reply; }
const struct gpu_counts *sm_counts(const struct sm *s) { return &s->counts; }

const uint64_t *sm_tech_counts(const struct sm *s, const struct tech_use *u)
{
    for (unsigned k = 0; k < s->tech_count; k++)
        if (s->techs[k].tech == u->tech) return s->techs[k].counters;
    return NULL;
}

const uint64_t *sm_inst_slots(const struct sm *s) { return s->inst_slots; }
const uint64_t *sm_inst_saved(const struct sm *s) { return s->inst_saved; }

void sm_report(const struct sm *s, struct strbuf *out)
{
    static const char *const reasons[SLOT_COUNT] = {[SLOT_ISSUED] = "nothing",
                                                    [SLOT_NO_WARP] = "nothing",
                                                    [SLOT_FETCH] = "instructions",
                                                    [SLOT_CODE] = "instructions",
                                                    [SLOT_ALU] = "a result",
                                                    [SLOT_MEMORY] = "memory or a fence",
                                                    [SLOT_BARRIER] = "a barrier",
                                                    [SLOT_UNIT] = "its unit",
                                                    [SLOT_SYNC] = "other warps, by a mechanism",
                                                    [SLOT_OPERAND] = "an operand collector"};
    const char *separator = "";
    for (unsigned slot = 0; slot < SM_WARPS; slot++) {
        const struct sm_warp *w = &s->warps[slot];
        bool is_resident = s->resident >> slot & 1;
        if (!is_resident && !(w->warp && w->loads)) continue;
        const uint32_t *id = w->warp->cta->id;
        strbuf_printf(out, "%s  SM %u, block (%u,%u,%u), warp %u: ", separator, s->index, id[0], id[1], id[2],
                      w->warp->index);
        separator = "\n";
        if (!is_resident) {
            strbuf_printf(out, "has ended, but waits for replies to %u memory instruction%s", w->loads,
                          w->loads == 1 ? "" : "s");
            continue;
        }
        strbuf_printf(out, "waits for %s since cycle %" PRIu64 ", at ", reasons[w->slot], w->since);
        exec_describe_inst(&s->engine->exec, w->slot == SLOT_BARRIER ? w->stopped_at : w->warp->pc, out);
    }
}

const char *sm_check(const struct sm *s)
{
    const struct gpu_counts *n = &s->counts;
    uint64_t slots = 0;
    if (s->check.broken) return s->check.broken;
    if (has_techs(s) && tech_check(s)) return tech_check(s);
    for (unsigned k = 0; k < SLOT_COUNT; k++) slots += n->slots[k];
    if (n->fetch_fetched != n->issue_issued + n->fetch_flushed) return "fetched is not issued + flushed";
    if (slots != n->sm_active_cycles * s->config->schedulers * s->config->issue_width)
        return "the schedulers' slots do not add up";
    if (n->slots[SLOT_ISSUED] != n->issue_issued) return "slots issued are not instructions issued";
    uint64_t placed = 0;
    size_t places = ((size_t)s->launch->launch->program->inst_count + 1) * SLOT_COUNT;
    for (size_t k = 0; k < places; k++) placed += s->inst_slots[k];
    if (placed != slots) return "the slots of instructions are not those of schedulers";
    if (s->requested != s->replied) return "a memory request has no reply";
    if (s->queue_count || s->records_used || !tags_are_quiet(&s->l1) || !tags_are_quiet(&s->texture) ||
        !tags_are_quiet(&s->constant) || !tags_are_quiet(&s->code))
        return "something is still under way";
    if (s->lsu_asked || s->lsu_parked || s->lsu_turn || s->lsu_line_count || s->lsu_kept)
        return "somebody still stands in line for the load/store unit";
    return NULL;
}

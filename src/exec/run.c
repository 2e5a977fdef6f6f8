// A functional run: blocks one after the other, the warps of a block in turn, each until it meets a barrier,
// exits or has used up its slice.
//
// Blocks normally run to their end alone, in order. A block that takes long may be waiting for another one (a
// barrier over the whole grid made of atomics), so after a while the next one joins it and they take turns;
// up to as many as the simulated chip could hold. Everything depends on counts of instructions alone, never
// on time.
#include "exec/exec_impl.h"
#include "exec/hint.h"
#include "exec/race.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARP_SLICE = 1 << 14,    // instructions of a warp before the next one's turn
    BLOCK_ALONE = 1 << 20,   // instructions of a block before others join it
    BLOCK_TURN = 1 << 16,    // of a block when there are others
    ASK_AFTER = 1 << 18,     // instructions from one question whether the launch is interrupted to the next
    BLOCK_WATCHED = 1 << 16, // of the first one, while it is watched (hint.h)
    BLOCKS_PER_SM = 16,      // resident at most
    RESIDENT_BYTES = 1 << 30 // and with at most this much state
};

static void count_lanes(struct warp *w, uint64_t instructions)
{
    w->issued += instructions;
    unsigned lanes = w->active == w->full ? w->exec->lanes : bit_count(w->active);
    w->counts.thread_instructions += instructions * lanes;
}

void warp_count_run(struct warp *w, const struct bound *d)
{
    w->pc = d->index;
    count_lanes(w, (uint64_t)(d - w->run_start) + 1);
}

void warp_count_before(struct warp *w, const struct bound *d)
{
    w->pc = d->index;
    count_lanes(w, (uint64_t)(d - w->run_start));
}

const struct bound *warp_stop(struct warp *w, uint32_t pc)
{
    w->pc = pc;
    w->splits.data[w->current].pc = pc;
    return NULL;
}

const struct bound *warp_go(struct warp *w, uint32_t pc)
{
    if (w->issued >= w->slice_end) return warp_stop(w, pc);
    return w->run_start = warp_code(w, pc);
}

bool warp_run(struct warp *w, uint64_t slice)
{
    struct exec *e = w->exec;
    uint64_t before = w->issued;
    e->clock_base = e->instructions_done - before;
    w->slice_end = before + slice;
    const struct bound *d = w->run_start = warp_code(w, w->pc);
    if (e->observed)
        observed_execute(w, d);
    else
        while (d) d = d->run(d, w, w->regs, w->active);
    exec_leave_handlers(e);
    e->instructions_done += w->issued - before;
    return e->fault->kind == FAULT_NONE;
}

// -- blocks -------------------------------------------------------------------------------------------------

static size_t vectors(const struct exec *e, size_t count) { return count * e->vector_bytes; }

static void thread_vectors(struct warp *w)
{
    const struct exec *e = w->exec;
    uint32_t first = e->program->reg_count;
    for (unsigned l = 0; l < e->lanes; l++) {
        uint32_t thread[3];
        exec_thread_of(w, l, thread);
        for (unsigned n = 0; n < 3; n++)
            reg_lanes(w->regs, (uint32_t)vectors(e, first + EXTRA_TID_X + n))[l] = thread[n];
        reg_lanes(w->regs, (uint32_t)vectors(e, first + EXTRA_LANEID))[l] = l % GROUP_LANES;
    }
}

// State of one block and its warps; reused for block after block. Every vector of registers is aligned to 64
// bytes.
struct cta *exec_cta_create(struct exec *e)
{
    struct cta *c = heap_alloc(sizeof *c);
    const struct launch *l = e->launch;
    c->exec = e;
    c->warp_count = e->warps_per_block;
    uint8_t *flat = e->flat; // where shared and local memory are, if it is there
    c->registers_bytes = vectors(e, e->register_slots);
    c->local_bytes = flat ? 0 : vectors(e, (l->local_total + 3) / 4);
    size_t shared_bytes = flat ? 0 : align_up(l->shared_total, 64);
    c->memory_bytes = c->warp_count * (c->registers_bytes + c->local_bytes) + shared_bytes + 64;
    c->memory = heap_resize(NULL, c->memory_bytes); // each block's start clears what is its own
    uint8_t *at = (uint8_t *)align_up((uintptr_t)c->memory, 64);
    c->shared = flat ? flat + l->flat->scratch : at;
    at += shared_bytes;
    c->warps = heap_alloc(c->warp_count * sizeof *c->warps);
    for (uint32_t i = 0; i < c->warp_count; i++, at += c->registers_bytes + c->local_bytes) {
        struct warp *w = &c->warps[i];
        w->exec = e;
        w->cta = c;
        w->index = i;
        w->regs = at;
        w->local = flat ? flat + l->flat->stacks + (size_t)i * e->vector_bytes : at + c->registers_bytes;
        w->shared = c->shared;
        flat_set_bounds(w);
        w->full = bit_mask(e->lanes);
        uint32_t threads = e->threads_per_block - i * e->warp_size;
        w->present = bit_mask(threads < e->warp_size ? threads : e->warp_size);
        unsigned group = e->warp_size < GROUP_LANES ? e->warp_size : GROUP_LANES;
        w->arrival = (uint32_t)align_up(bit_count(w->present), group);
        size_t own = vectors(e, e->program->reg_count + EXTRA_SINK);
        memset(w->regs + own, 0, c->registers_bytes - own);
        thread_vectors(w);
    }
    return c;
}

void exec_cta_destroy(struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++) vec_fini(&c->warps[i].splits);
    race_block_end(c);
    free(c->warps);
    free(c->memory);
    free(c);
}

void exec_cta_start(struct cta *c, uint64_t linear)
{
    const struct exec *e = c->exec;
    const uint32_t *grid = e->launch->grid;
    c->linear = linear;
    c->id[0] = (uint32_t)(linear % grid[0]);
    c->id[1] = (uint32_t)(linear / grid[0] % grid[1]);
    c->id[2] = (uint32_t)(linear / grid[0] / grid[1]);
    c->warps_left = c->warp_count;
    c->next_warp = 0;
    c->threads_left = c->barriers_used = 0;
    race_block_end(c);
    race_block_start(c);
    if (!e->launch->flat) memset(c->shared, 0, e->launch->shared_total);
    for (unsigned n = 0; n < BARRIERS; n++) c->barriers[n] = (struct barrier){.all = true};
    for (uint32_t i = 0; i < c->warp_count; i++) {
        struct warp *w = &c->warps[i];
        memset(w->regs, 0, vectors(e, e->program->reg_count + EXTRA_SINK));
        memset(w->local, 0, c->local_bytes);
        memset(w->pred, 0, sizeof w->pred);
        w->pred[PRED_TRUE] = w->full;
        c->threads_left += w->arrival;
        w->state = WARP_READY;
        w->waits_at = NO_BARRIER;
        w->issued = 0;
        split_init(w);
    }
}

static void add_counts(struct exec_counts *to, struct exec_counts *from)
{
#define COUNTER(name, unit, meaning) to->name += from->name;
#include "exec/counters.def"
#undef COUNTER
    memset(from, 0, sizeof *from);
}

void exec_cta_collect(struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++) {
        struct warp *w = &c->warps[i];
        w->counts.warp_instructions = w->issued;
        add_counts(c->exec->counts, &w->counts);
    }
}

// Instructions that the launch's limit still allows; UINT64_MAX: no limit is set.
static uint64_t allowance(const struct exec *e)
{
    if (!e->instruction_limit) return UINT64_MAX;
    return e->instruction_limit > e->instructions_done ? e->instruction_limit - e->instructions_done : 0;
}

// Runs a ready warp for its slice. False on a fault, which the launch's limit is too: a warp that has to go on when
// nothing is allowed any more, or that executed more. A slice ends at a branch, so by then the launch has executed
// at most a straight run of code more than the limit.
static bool run_slice(struct warp *w)
{
    struct exec *e = w->exec;
    uint64_t allowed = allowance(e);
    if (allowed && !warp_run(w, allowed < WARP_SLICE ? allowed : WARP_SLICE)) return false;
    if (allowed && (!e->instruction_limit || e->instructions_done <= e->instruction_limit)) return true;
    exec_fault_limit(w);
    return false;
}

// Runs the block until it ends or its turn is over. False on a fault.
static bool cta_run(struct cta *c, uint64_t instructions)
{
    struct exec *e = c->exec;
    uint64_t until = e->instructions_done + instructions;
    while (c->warps_left && e->instructions_done < until) {
        uint32_t seen = 0;
        while (seen < c->warp_count && c->warps[c->next_warp].state != WARP_READY) {
            c->next_warp = c->next_warp + 1 < c->warp_count ? c->next_warp + 1 : 0;
            seen++;
        }
        struct warp *w = &c->warps[c->next_warp];
        if (seen == c->warp_count) {
            exec_fault_deadlock(c);
            return false;
        }
        if (!run_slice(w)) return false;
        if (e->instructions_done >= e->ask_at) {
            e->ask_at = e->instructions_done + ASK_AFTER;
            if (launch_is_interrupted(e->launch)) {
                exec_fault_interrupted(w);
                return false;
            }
        }
        c->next_warp = c->next_warp + 1 < c->warp_count ? c->next_warp + 1 : 0;
    }
    return true;
}

struct residents {
    VEC(struct cta *) running; // in order of arrival
    struct cta *spare;
    uint64_t next, total; // blocks
    uint64_t most;        // resident at once
};

static void admit(struct exec *e, struct residents *r)
{
    struct cta *c = r->spare ? r->spare : exec_cta_create(e);
    r->spare = NULL;
    exec_cta_start(c, r->next++);
    if (e->observed) observed_block_begin(c);
    if (r->running.count == 0) {
        uint64_t by_memory = RESIDENT_BYTES / (c->memory_bytes + 1) + 1;
        uint64_t by_chip = (uint64_t)(e->launch->sm_count ? e->launch->sm_count : 1) * BLOCKS_PER_SM;
        r->most = by_memory < by_chip ? by_memory : by_chip;
    }
    vec_push(&r->running, c);
}

static void retire(struct exec *e, struct residents *r, size_t place)
{
    struct cta *c = r->running.data[place];
    exec_cta_collect(c);
    if (e->observed) observed_block_end(c);
    e->counts->blocks++;
    memmove(&r->running.data[place], &r->running.data[place + 1], (r->running.count - place - 1) * sizeof c);
    r->running.count--;
    if (r->spare)
        exec_cta_destroy(c);
    else
        r->spare = c;
    if (e->launch->progress) progress_update(e->launch->progress, e->counts->blocks);
}

// Rounds of turns. After a round in which no block ended they may be waiting for some that are not here yet,
// and as many again join them.
static bool run_blocks(struct exec *e, struct residents *r)
{
    bool ended = true;
    while (r->next < r->total || r->running.count) {
        uint64_t room = r->running.count == 0 ? 1 : ended ? 0 : r->running.count;
        for (; room && r->next < r->total && (!r->running.count || r->running.count < r->most); room--)
            admit(e, r);
        ended = false;
        for (size_t turn = 0; turn < r->running.count;) {
            struct cta *c = r->running.data[turn];
            if (!cta_run(c, r->running.count == 1 ? BLOCK_ALONE : BLOCK_TURN)) return false;
            if (c->warps_left) {
                turn++;
            } else {
                retire(e, r, turn);
                ended = true;
            }
        }
    }
    return true;
}

// The first block begins watched (hint.h); then the program is bound anew.
static bool watch_first_block(struct exec *e, struct residents *r)
{
    admit(e, r);
    struct cta *c = r->running.data[0];
    bool good = cta_run(c, BLOCK_WATCHED);
    hint_destroy(e);
    if (!good) return false;
    exec_bind(e);
    if (!c->warps_left) retire(e, r, 0);
    return true;
}

void exec_prepare(struct exec *e, const struct launch *l, const struct exec *like)
{
    e->launch = l;
    e->program = l->program;
    e->warp_size = l->warp_size;
    e->lanes = l->warp_size > GROUP_LANES ? 64 : 32;
    e->vector_bytes = 4 * e->lanes;
    e->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    e->warps_per_block = (e->threads_per_block + e->warp_size - 1) / e->warp_size;
    e->flat = l->flat ? memory_flat(l->memory) : NULL;
    e->local_stride = l->flat ? e->warps_per_block * e->vector_bytes : e->vector_bytes;
    e->register_slots = l->program->reg_count + EXTRA_SLOTS;
    e->instruction_limit = l->max_warp_instructions;
    // A call that calls again saves its return address, so a stack holds a quarter as many calls as bytes.
    e->depth_limit = l->program->function_count + l->program->stack_bytes / 4;
    e->isa = exec_isa_resolve(l->isa);
    if (like)
        exec_bind_alike(e, like);
    else
        exec_bind(e);
}

bool exec_run(const struct launch *l, struct exec_counts *counts, struct launch_fault *fault,
              struct launch_race *race)
{
    struct exec e = {.fault = fault, .counts = counts};
    *fault = (struct launch_fault){0};
    if (race) *race = (struct launch_race){0};
    arena_init(&e.arena);
    bool hint = l->hint_races && !l->check_races && !l->observer && l->notes && l->shared_total && !l->flat;
    e.launch = l;
    if (l->check_races) race_create(&e);
    if (hint) hint_create(&e);
    if (l->observer) observed_create(&e, l);
    exec_prepare(&e, l, NULL);
    struct residents r = {.total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};
    bool good = (!hint || watch_first_block(&e, &r)) && run_blocks(&e, &r);
    for (size_t i = 0; i < r.running.count; i++) {
        exec_cta_collect(r.running.data[i]);
        if (e.observed) observed_block_end(r.running.data[i]);
        exec_cta_destroy(r.running.data[i]);
    }
    if (r.spare) exec_cta_destroy(r.spare);
    vec_fini(&r.running);
    race_destroy(&e, race);
    if (l->notes) launch_notes_add(l->notes, &e.notes);
    launch_notes_fini(&e.notes);
    if (e.observed) observed_destroy(&e);
    arena_fini(&e.arena);
    return good;
}

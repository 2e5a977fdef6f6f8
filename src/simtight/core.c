// Life of a core, and its cycle.
//
// A cycle chooses warps by the state at its beginning, then advances pipelines, units and memory. Queue
// entries written in a cycle are visible in the next, as in hardware. The scheduler sees suspensions one
// cycle late.
#include "exec/general.h"
#include "exec/look.h"
#include "exec/timed.h"
#include "isa/program.h"
#include "riscv/map.h"
#include "simtight/core_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)SIMTIGHT_LANES_MAX == (int)RISCV_LANES && (int)SIMTIGHT_WARPS_MAX == (int)RISCV_WARPS,
               "by default the largest core is the machine of programs");

const struct simtight_count_info simtight_count_infos[] = {
#define ROW(name, unit, meaning, is_most)                                                                    \
    {"simtight." #name, unit, meaning, offsetof(struct simtight_counts, name), is_most},
#define SIMTIGHT_COUNT(name, unit, meaning) ROW(name, unit, meaning, false)
#define SIMTIGHT_MOST(name, unit, meaning)  ROW(name, unit, meaning, true)
#include "simtight/counts.def"
#undef ROW
};
const size_t simtight_count_count = sizeof simtight_count_infos / sizeof *simtight_count_infos;

// -- creation and launches ----------------------------------------------------------------------------------
struct simtight *simtight_create(const struct simtight_config *c)
{
    struct simtight *s = heap_alloc(sizeof *s);
    s->config = c;
    s->all_warps = bit_mask(c->warps);
    s->all_lanes = (uint32_t)bit_mask(c->lanes);
    s->compresses = c->registers != SIMTIGHT_PLAIN;
    simtight_memory_init(&s->memory, c, (struct simtight_window){RISCV_SCRATCH, RISCV_STACKS - 1},
                         RISCV_STACKS);
    scalar_table_init(&s->predicted, RISCV_CODE_BYTES / 4);
    return s;
}

void simtight_destroy(struct simtight *s)
{
    if (!s) return;
    if (s->has_launch) simtight_remove(s);
    simtight_memory_fini(&s->memory);
    scalar_table_fini(&s->predicted);
    free(s->mismatch);
    free(s);
}

static void begin_values(struct simtight *s, const struct launch *l, struct exec_counts *counts)
{
    struct exec *e = &s->exec;
    s->launch = l;
    s->given_counts = counts;
    e->fault = &s->fault;
    e->counts = &s->exec_counts;
    e->is_stepped = true;
    arena_init(&e->arena);
    exec_prepare(e, l, NULL);
    assert(e->warps_per_block == s->config->warps && e->warp_size == s->config->lanes && l->flat);
    s->cta = exec_cta_create(e);
    exec_cta_start(s->cta, 0);
}

static void begin_pipelines(struct simtight *s, uint32_t group_warps)
{
    const struct simtight_config *c = s->config;
    bool spills = simtight_config_spills(c);
    s->vector = (struct simtight_pipe){.queue = s->all_warps};
    s->vector.depth = c->execute + (s->compresses ? c->compressed_read : 0) + (spills ? c->spill_select : 0);
    s->scalar = (struct simtight_pipe){.depth = c->scalar_execute};
    s->store_latency = s->compresses ? c->compressed_write : 0;
    s->group_warps = group_warps && group_warps < c->warps ? group_warps : c->warps;
    simtight_units_init(&s->units, c);
    simtight_units_init(&s->scalar_units, c);
}

// Zeroes the core except state shared by launches: settings, listener, memory with caches and queues,
// predictions.
static void forget_launch(struct simtight *s)
{
    free(s->mismatch);
    *s = (struct simtight){.config = s->config,
                           .listener = s->listener,
                           .all_warps = s->all_warps,
                           .all_lanes = s->all_lanes,
                           .compresses = s->compresses,
                           .memory = s->memory,
                           .predicted = s->predicted};
    simtight_memory_restart(&s->memory);
}

void simtight_place(struct simtight *s, const struct launch *l, struct exec_counts *counts, bool verify)
{
    assert(!s->has_launch);
    forget_launch(s);
    s->has_launch = true;
    s->verifies = verify;
    s->look_at = l->look;
    s->traffic_before = s->memory.traffic;
    s->stack_cache_before = s->memory.stack_cache;
    begin_values(s, l, counts);
    begin_pipelines(s, l->flat->barrier_warps);
    simtight_decode(s);
    simtight_registers_begin(s);
}

void simtight_remove(struct simtight *s)
{
    look_end(&s->exec);
    exec_cta_collect(s->cta);
#define COUNTER(name, unit, meaning) s->given_counts->name += s->exec_counts.name;
#include "exec/counters.def"
#undef COUNTER
    exec_cta_destroy(s->cta);
    if (s->launch->notes) launch_notes_add(s->launch->notes, &s->exec.notes);
    launch_notes_fini(&s->exec.notes);
    launch_fault_fini(&s->fault);
    arena_fini(&s->exec.arena);
    if (s->compresses) scalar_fini(&s->file);
    free(s->code);
    s->has_launch = false;
}

// -- values -------------------------------------------------------------------------------------------------
bool simtight_step(struct simtight *s, struct warp *w)
{
    const struct bound *d = warp_code(w, w->pc);
    w->slice_end = 0;
    w->run_start = d;
    s->exec.clock_base = s->now - w->issued;
    const struct bound *next = s->exec.look ? look_step(w, d) : exec_step(w, d);
    if (next) exec_stop(next, w);
    if (s->fault.kind != FAULT_NONE) return false;
    timed_settle(w);
    return true;
}

uint32_t simtight_next_index(const struct warp *w)
{
    return w->state == WARP_BARRIER ? w->splits.data[w->current].pc : w->pc;
}

// -- listener -----------------------------------------------------------------------------------------------
void simtight_listen(struct simtight *s, const struct simtight_listener *l) { s->listener = l; }

static enum simtight_state state_behind(const struct simtight *s, unsigned warp,
                                        const struct simtight_inst *i)
{
    uint64_t bit = 1ull << warp;
    if (s->ended & bit) return SIMTIGHT_ENDED;
    if (s->at_barrier & bit) return SIMTIGHT_BARRIER;
    if (!(s->suspended & bit)) return SIMTIGHT_READY;
    return i->kind == KIND_ALU || i->kind == KIND_UNIT ? SIMTIGHT_RESULT : SIMTIGHT_MEMORY;
}

void simtight_tell_executed(const struct simtight *s, const struct simtight_pipe *p, unsigned warp,
                            uint32_t inst, uint32_t lanes)
{
    const struct simtight_listener *l = s->listener;
    const struct simtight_inst *i = &s->code[inst];
    if (!l || !l->executed) return;
    struct simtight_executed e = {.chosen = s->now - p->depth,
                                  .cycle = s->now,
                                  .lanes = lanes,
                                  .inst = inst,
                                  .warp = warp,
                                  .accesses_memory = i->kind >= KIND_LOAD && i->kind <= KIND_FENCE,
                                  .is_scalar = p == &s->scalar};
    l->executed(l->context, &e);
    simtight_tell(s, warp, state_behind(s, warp, i));
}

// Tells the listener about warps (bits) no longer suspended.
static void tell_resumed(const struct simtight *s, uint64_t warps)
{
    for (uint64_t left = s->listener ? warps : 0; left; left &= left - 1)
        simtight_tell(s, bit_lowest(left), SIMTIGHT_READY);
}

// -- results ------------------------------------------------------------------------------------------------
// Priority tree of the public source with floating point: multiplier, divider, memory, FPU.
static bool find_result(struct simtight *s, struct simtight_lanes *l)
{
    struct simtight_result r;
    struct simtight_reply reply;
    bool is_there = simtight_unit_take(&s->units, SIMTIGHT_MUL, s->now, &r) ||
                    simtight_unit_take(&s->units, SIMTIGHT_DIV, s->now, &r);
    if (!is_there && simtight_memory_take(&s->memory, s->now, &reply)) {
        *l = (struct simtight_lanes){reply.lanes, reply.warp, reply.reg, reply.is_unspill};
        return true;
    }
    if (!is_there && !simtight_unit_take(&s->units, SIMTIGHT_FPU, s->now, &r)) return false;
    *l = (struct simtight_lanes){r.lanes, r.warp, r.reg, false};
    return true;
}

// Whether the waiting result may be written. The write port must be free in the current cycle, and no earlier
// write to the same register may still be under way.
static bool may_resume(const struct simtight *s)
{
    const struct simtight_lanes *a = &s->resume, *b = &s->stored;
    if (!s->has_resume || s->port_busy_at == s->now || s->has_spilled) return false;
    return a->warp != b->warp || a->reg != b->reg || s->now > s->stored_at + s->store_latency ||
           !s->stored_at;
}

static void write_resumed(struct simtight *s)
{
    struct simtight_lanes l = s->resume;
    s->has_resume = false;
    s->stored = l;
    s->stored_at = s->now;
    if (l.is_unspill)
        simtight_registers_unspill(s, l.warp, l.reg);
    else
        simtight_registers_write(s, l.warp, l.reg, l.lanes);
    s->waits_for[l.warp] &= ~l.lanes;
    if (!s->waits_for[l.warp]) simtight_resume_at(s, l.warp, s->now + s->store_latency);
}

static void resume(struct simtight *s)
{
    if (may_resume(s)) write_resumed(s);
    if (!s->has_resume) s->has_resume = find_result(s, &s->resume);
}

// Takes a result of the scalar pipeline's multiplier or divider. The scalar pipeline has a write port of its
// own.
static void resume_scalar(struct simtight *s)
{
    struct simtight_result r;
    if (!simtight_unit_take(&s->scalar_units, SIMTIGHT_MUL, s->now, &r) &&
        !simtight_unit_take(&s->scalar_units, SIMTIGHT_DIV, s->now, &r))
        return;
    s->waits_for[r.warp] = 0;
    simtight_resume_at(s, r.warp, s->now + 1);
}

// -- the cycle ----------------------------------------------------------------------------------------------
static void choose(struct simtight *s, struct simtight_pipe *p, uint64_t available, bool spills)
{
    int warp = simtight_pick(&p->schedule, available);
    if (warp == SIMTIGHT_NOBODY) return;
    struct simtight_slot *slot = &p->slots[(s->now + p->depth) % SIMTIGHT_RING];
    *slot = (struct simtight_slot){(uint8_t)warp, true, spills};
    p->under_way++;
    p->queue &= ~(1ull << warp);
    if (spills) s->spilling |= 1ull << warp;
}

// Chooses a warp to execute or, while the vector register file is nearly full, a victim to spill a register.
// Warps at a barrier are victims, too; warps in the scalar pipeline are not (SIMTight's published source).
// Different from the published source: ended warps give up their vectors, for an ended warp could otherwise
// fill the file for good.
static void choose_vector(struct simtight *s)
{
    bool spills = simtight_must_spill(s);
    uint64_t all = s->vector.queue;
    if (spills) all = (all | s->at_barrier | simtight_registers_left(s)) & ~s->spilling;
    choose(s, &s->vector, all & ~s->was_suspended, spills);
}

static bool take_slot(struct simtight *s, struct simtight_pipe *p, struct simtight_slot *slot)
{
    struct simtight_slot *at = &p->slots[s->now % SIMTIGHT_RING];
    *slot = *at;
    if (at->is_full) p->under_way--;
    at->is_full = false;
    return slot->is_full;
}

static void release(struct simtight *s)
{
    int warp =
        simtight_release(&s->barrier, s->at_barrier, s->group_warps, simtight_must_spill(s) || s->spilling);
    if (warp == SIMTIGHT_NONE_RELEASED) return;
    s->at_barrier &= ~(1ull << warp);
    s->vector.queue |= 1ull << warp;
    simtight_tell(s, (unsigned)warp, SIMTIGHT_READY);
}

// Warps that left an execute stage in the previous cycle return to their queues.
static void put_back(struct simtight *s)
{
    s->vector.queue |= s->back_vector | (s->back_spilled & ~(s->at_barrier | s->ended));
    s->scalar.queue |= s->back_scalar;
    s->spilling &= ~s->back_spilled;
    s->back_vector = s->back_scalar = s->back_spilled = 0;
    s->has_spilled = false;
}

static void count_cycle(struct simtight *s)
{
    if (s->compresses && s->now % s->config->sample == 0) scalar_sample(&s->file);
}

static void tick(struct simtight *s)
{
    struct simtight_slot slot;
    uint64_t was_suspended = s->suspended;
    choose_vector(s);
    if (s->config->scalar_unit) choose(s, &s->scalar, s->scalar.queue & ~s->was_suspended, false);
    s->was_suspended = was_suspended;
    count_cycle(s);
    simtight_memory_tick(&s->memory, s->now);
    resume(s);
    if (s->config->scalar_unit) resume_scalar(s);
    if (s->at_barrier || s->barrier.is_loaded) release(s);
    put_back(s);
    if (take_slot(s, &s->vector, &slot)) simtight_vector_execute(s, slot);
    if (s->config->scalar_unit && s->fault.kind == FAULT_NONE && take_slot(s, &s->scalar, &slot))
        simtight_scalar_execute(s, slot);
    uint64_t *resumed = &s->resumed[s->now % SIMTIGHT_RING];
    s->suspended &= ~*resumed;
    s->resuming -= bit_count(*resumed);
    tell_resumed(s, *resumed);
    *resumed = 0;
    if (s->ended == s->all_warps && !s->ended_at) s->ended_at = s->now + 1; // write-back takes one more cycle
    s->now++;
}

// -- time ---------------------------------------------------------------------------------------------------
uint64_t simtight_now(const struct simtight *s) { return s->now; }

bool simtight_is_over(const struct simtight *s)
{
    return s->ended == s->all_warps && simtight_memory_is_idle(&s->memory);
}

static bool group_is_complete(const struct simtight *s)
{
    uint64_t group = bit_mask(s->group_warps);
    for (unsigned first = 0; first < s->config->warps; first += s->group_warps)
        if ((s->at_barrier >> first & group) == group) return true;
    return false;
}

uint64_t simtight_next(const struct simtight *s)
{
    uint64_t next = simtight_memory_next(&s->memory, s->now);
    uint64_t units = simtight_units_next(&s->units), scalar = simtight_units_next(&s->scalar_units);
    if (s->ended == s->all_warps) return next;
    bool may_go = ((s->vector.queue | s->scalar.queue) & ~s->was_suspended) != 0;
    bool is_moving = s->vector.under_way || s->scalar.under_way || s->resuming || s->back_vector ||
                     s->back_scalar || s->back_spilled || s->has_resume || s->was_suspended != s->suspended;
    if (may_go || is_moving || (s->at_barrier && group_is_complete(s)) || simtight_must_spill(s))
        return s->now;
    if (units < next) next = units;
    if (scalar < next) next = scalar;
    return next;
}

// Advances time to the next event of memory or units if all pipelines are empty. Time does not jump while the
// barrier machine (barrier.h) runs.
static void skip(struct simtight *s, uint64_t until)
{
    if (s->at_barrier || s->barrier.is_loaded) return;
    uint64_t next = simtight_next(s);
    if (next == UINT64_MAX) return; // the launch is over or deadlocked
    if (next > until) next = until;
    for (; s->now < next; s->now++) count_cycle(s);
}

void simtight_run(struct simtight *s, uint64_t until)
{
    while (s->now < until && s->fault.kind == FAULT_NONE && !simtight_is_over(s)) {
        tick(s);
        if (!s->vector.queue && !s->vector.under_way) skip(s, until);
    }
}

// -- results of a launch ------------------------------------------------------------------------------------
bool simtight_take_fault(struct simtight *s, struct launch_fault *fault)
{
    if (s->fault.kind == FAULT_NONE) return false;
    *fault = s->fault;
    s->fault = (struct launch_fault){0};
    return true;
}

static const char *what_it_waits_for(const struct simtight *s, unsigned warp)
{
    uint64_t bit = 1ull << warp;
    if (s->at_barrier & bit) return "waits at the barrier of its group";
    if (s->waits_for[warp]) return "waits for results of its last instruction";
    return s->in_scalar & bit ? "is in the scalar pipeline" : "may go on";
}

void simtight_report(const struct simtight *s, struct strbuf *out)
{
    strbuf_printf(out, "  cycle %" PRIu64 "; unfinished warps:", s->now);
    for (unsigned warp = 0; warp < s->config->warps; warp++) {
        if (s->ended >> warp & 1) continue;
        strbuf_printf(out, "\n  warp %u ", warp);
        exec_describe_inst(&s->exec, simtight_next_index(simtight_warp(s, warp)), out);
        strbuf_printf(out, ": %s", what_it_waits_for(s, warp));
    }
}

void simtight_fail_deadlocked(struct simtight *s)
{
    struct strbuf text = {0};
    exec_fault_deadlock(s->cta);
    if (s->fault.text) strbuf_puts(&text, s->fault.text);
    free(s->fault.text);
    strbuf_putc(&text, '\n');
    simtight_report(s, &text);
    s->fault.text = text.text;
}

uint64_t simtight_mismatches(const struct simtight *s, const char **first)
{
    *first = s->mismatch;
    return s->mismatches;
}

const char *simtight_check(const struct simtight *s)
{
    uint64_t issued = 0;
    for (unsigned warp = 0; warp < s->config->warps; warp++) issued += simtight_warp(s, warp)->issued;
    if (issued != s->counts.warp_instructions)
        return "the pipelines and the engine count different instructions";
    if (s->ended != s->all_warps) return "a warp has not ended";
    if (s->suspended || s->at_barrier || s->in_scalar) return "a warp that has ended still waits";
    if (!simtight_memory_is_idle(&s->memory)) return "memory still has something to do";
    return s->compresses ? scalar_check(&s->file) : NULL;
}

void simtight_collect(struct simtight *s, struct simtight_counts *counts)
{
    const struct simtight_traffic *now = &s->memory.traffic, *before = &s->traffic_before;
    const struct stackcache *cache = &s->memory.stack_cache, *was = &s->stack_cache_before;
    struct simtight_counts *c = &s->counts;
    c->cycles = s->ended_at ? s->ended_at : s->now;
    c->start_cycles = s->config->warps * (s->compresses ? 1 + SIMTIGHT_REGISTERS : 1u);
    c->load_beats = now->load_beats - before->load_beats;
    c->store_beats = now->store_beats - before->store_beats;
    c->groups = now->groups - before->groups;
    c->scratch_groups = now->scratch_groups - before->scratch_groups;
    c->scratch_cycles = now->scratch_cycles - before->scratch_cycles;
    c->stack_load_hits = cache->load_hits - was->load_hits;
    c->stack_load_misses = cache->load_misses - was->load_misses;
    c->stack_stores = cache->stores - was->stores;
    c->stack_written = cache->written_back - was->written_back;
    if (s->compresses) {
        c->vector_max = s->file.most;
        c->vector_sum = s->file.sampled;
        c->vector_samples = s->file.samples;
        c->spills = s->file.spills;
        c->unspills = s->file.unspills;
    }
    *counts = *c;
}

// -- a launch -----------------------------------------------------------------------------------------------
static void fail(struct simtight *s, enum launch_fault_kind kind, struct strbuf *text)
{
    if (!simtight_is_over(s)) {
        strbuf_putc(text, '\n');
        simtight_report(s, text);
    }
    s->fault = (struct launch_fault){.kind = kind, .text = text->text};
}

// Whether a limit on cycles or instructions ends the launch; writes the message. The instruction limit holds
// for ended launches, too.
static bool is_over_limit(const struct simtight *s, uint64_t max_cycles, struct strbuf *text)
{
    uint64_t most = s->launch->max_warp_instructions;
    const char *name = s->launch->program->name;
    if (max_cycles && s->now >= max_cycles && !simtight_is_over(s))
        strbuf_printf(text, "kernel %s stopped: the limit of %" PRIu64 " cycles (--max-cycles) is reached",
                      name, max_cycles);
    else if (most && s->counts.warp_instructions > most)
        strbuf_printf(text,
                      "kernel %s stopped: the limit of %" PRIu64
                      " warp instructions (exec.max_warp_instructions) is reached",
                      name, most);
    return text->length != 0;
}

static void check_limits(struct simtight *s, uint64_t max_cycles)
{
    struct strbuf text = {0};
    if (s->fault.kind != FAULT_NONE) return;
    if (is_over_limit(s, max_cycles, &text)) {
        fail(s, FAULT_LIMIT, &text);
    } else if (simtight_is_over(s)) {
        return;
    } else if (launch_is_interrupted(s->launch)) {
        strbuf_printf(&text, "kernel %s: interrupted after %" PRIu64 " cycles", s->launch->program->name,
                      s->now);
        fail(s, FAULT_INTERRUPTED, &text);
    } else if (simtight_next(s) == UINT64_MAX) {
        simtight_fail_deadlocked(s);
    }
}

static void fail_stalled(struct simtight *s, bool is_certain)
{
    struct strbuf text = {0};
    uint64_t patience = s->launch->patience, waited = s->counts.warp_instructions - s->looked_at;
    strbuf_printf(&text, "kernel %s ", s->launch->program->name);
    if (is_certain)
        strbuf_printf(
            &text,
            "will never end: since warp instruction %" PRIu64
            " every warp has returned to an earlier state or waited, and no byte of memory has changed",
            s->looked_at);
    else
        strbuf_printf(
            &text,
            "stopped: for %" PRIu64
            " warp instructions no byte of memory has changed, and every warp has waited or read the same "
            "words again (exec.patience=%" PRIu64 "; 0 waits for ever)",
            waited, patience);
    look_describe(&s->exec, &s->cta, 1, &text);
    fail(s, FAULT_STALL, &text);
}

// As check_stalled in chip.c, counted in warp instructions. A look (check for launches that never end) lasts
// until progress refutes a stall.
static void check_stalled(struct simtight *s)
{
    uint64_t executed = s->counts.warp_instructions, patience = s->launch->patience;
    if (!s->launch->look || s->fault.kind != FAULT_NONE || simtight_is_over(s)) return;
    if (!s->exec.look && executed >= s->look_at) {
        look_begin(&s->exec, &s->cta, 1, UINT64_MAX);
        s->looked_at = executed;
    } else if (s->exec.look && look_is_over(&s->exec)) {
        look_end(&s->exec);
        s->look_at = executed + s->launch->look;
    } else if (s->exec.look && look_is_certain(&s->exec, &s->cta, 1)) {
        fail_stalled(s, true);
    } else if (s->exec.look && patience && executed - s->looked_at >= patience &&
               look_is_likely(&s->exec, &s->cta, 1, 0)) {
        fail_stalled(s, false);
    }
}

// Inconsistent counts or state at the end of a launch are a bug of the simulator: reports a fault in place of
// a result.
static void check_books(struct simtight *s)
{
    const char *wrong = simtight_check(s);
    struct strbuf text = {0};
    if (!wrong) return;
    strbuf_printf(&text, "internal error: the core's books do not balance: %s", wrong);
    s->fault = (struct launch_fault){.kind = FAULT_LIMIT, .text = text.text};
}

// Gives the listener a sample. Returns the cycles to the next sample.
static uint64_t sample(struct simtight *s, struct simtight_counts *so_far)
{
    const struct simtight_listener *l = s->listener;
    simtight_collect(s, so_far);
    l->sample(l->sample_context, s->now, so_far);
    return l->interval;
}

bool simtight_launch(struct simtight *s, const struct launch *l, uint64_t max_cycles, bool verify,
                     struct exec_counts *counts, struct simtight_counts *own, struct launch_fault *fault)
{
    enum { STRIDE = 1 << 16 }; // cycles between checks of the limits
    uint64_t interval = s->listener ? s->listener->interval : 0, next = interval;
    simtight_place(s, l, counts, verify);
    while (!simtight_is_over(s) && s->fault.kind == FAULT_NONE) {
        uint64_t until = s->now + STRIDE;
        if (interval && until > next) until = next;
        simtight_run(s, max_cycles && until > max_cycles ? max_cycles : until);
        if (interval && s->now == next) next += sample(s, own);
        check_limits(s, max_cycles);
        check_stalled(s);
    }
    if (s->fault.kind == FAULT_NONE) check_books(s);
    simtight_collect(s, own);
    bool good = !simtight_take_fault(s, fault);
    simtight_remove(s);
    return good;
}

// A functional run executes blocks in order and the warps of a block in turn. A warp runs until the warp
// waits at a barrier, sleeps, exits or uses up its slice.
//
// Blocks normally run alone, to their end, in order. A slow block may be waiting for another block (a
// grid-wide barrier made of atomics). After a while further blocks become resident and the blocks take
// turns. The number of resident blocks is limited by the simulated chip's SMs and by host memory.
//
// Once no further block can become resident, and no block ends for long, looks at the launch begin (look.h),
// at doubling distances. The caller learns of a waiting launch, and may give the turn to another launch. All
// decisions depend on instruction counts alone, never on time.
#include "base/hash.h"
#include "exec/async.h"
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/hint.h"
#include "exec/look.h"
#include "exec/phase.h"
#include "exec/race.h"
#include "exec/session.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARP_SLICE = 1 << 14,    // instructions of a warp, up to a branch, before the next warp's turn
    BLOCK_ALONE = 1 << 18,   // instructions of a lone block before further blocks become resident
    BLOCK_TURN = 1 << 16,    // instructions of a block per turn, with several resident blocks
    ASK_AFTER = 1 << 18,     // instructions between polls of is_interrupted
    BLOCK_WATCHED = 1 << 16, // the first block is watched for races for this many instructions (hint.h)
    // Instructions to the next look. Before the first look: `look` of the launch, at most LOOK_BESIDE when
    // another launch could have the turn. After the end of a wait that a look had proved endless (is_stuck):
    // at most LOOK_AGAIN. Otherwise the number doubles with every look, up to LOOK_MOST.
    LOOK_BESIDE = 1 << 16,
    LOOK_AGAIN = 1 << 14,
    LOOK_MOST = 1 << 28,
    // A look (look.h) is a period of stepping, begun every `distance` instructions of the launch. Within a look, a
    // warp that reads the same words counts as waiting after distance / LOOK_WAIT instructions of its own. A warp
    // without signs of waiting counts as busy after distance / LOOK_BUSY of its own, LOOK_LEAST at least.
    LOOK_WAIT = 8,
    LOOK_BUSY = 512,
    LOOK_LEAST = 1 << 12,
    BLOCKS_PER_SM = 16,      // resident at most, per SM of the chip
    RESIDENT_BYTES = 1 << 30 // limit on the state of resident blocks
};

// Not inlined: with the call of bit_count in here, the caller need not save registers for a full warp.
static __attribute__((noinline)) void count_some_lanes(struct warp *w, uint64_t instructions)
{
    w->counts.thread_instructions += instructions * bit_count(w->active);
}

static void count_lanes(struct warp *w, uint64_t instructions)
{
    w->issued += instructions;
    if (w->active == w->full)
        w->counts.thread_instructions += instructions * w->exec->lanes;
    else
        count_some_lanes(w, instructions);
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

void exec_stop(const struct bound *next, struct warp *w)
{
    warp_stop(w, next->index);
    warp_count_before(w, next);
}

const struct bound *warp_go(struct warp *w, uint32_t pc)
{
    if (w->issued >= w->slice_end) return warp_stop(w, pc);
    return w->run_start = warp_code(w, pc);
}

// Runs the warp until the warp stops, at the latest at a branch after `slice` instructions. is_watched: a look is
// under way, or the engine has an observer.
static inline bool run_until_stop(struct warp *w, uint64_t slice, bool is_watched)
{
    struct exec *e = w->exec;
    uint64_t before = w->issued;
    e->clock_base = e->instructions_done - before;
    w->slice_end = before + slice;
    if (is_watched && e->look && look_is_over(e)) look_end(e);
    const struct bound *d = w->run_start = warp_code(w, w->pc);
    if (is_watched && e->look) d = look_execute(w, d);
    if (is_watched && d && e->observed)
        observed_execute(w, d);
    else
        while (d) d = d->run(d, w, w->regs, w->active);
    exec_leave_handlers(e);
    e->instructions_done += w->issued - before;
    return e->fault->kind == FAULT_NONE;
}

bool warp_run(struct warp *w, uint64_t slice) { return run_until_stop(w, slice, true); }

// -- blocks -------------------------------------------------------------------------------------------------

static size_t vectors(const struct exec *e, size_t count) { return count * e->vector_bytes; }

// Creates the state of one block and its warps, reused for block after block. Every register vector is
// 64-byte aligned.
struct cta *exec_cta_create(struct exec *e)
{
    struct cta *c = heap_alloc(sizeof *c);
    const struct launch *l = e->launch;
    c->exec = e;
    c->warp_count = e->warps_per_block;
    uint8_t *flat = e->flat; // not NULL: shared and local memory are part of global memory (launch_flat)
    c->registers_bytes = vectors(e, e->register_slots);
    c->local_bytes = flat ? 0 : vectors(e, (l->local_total + 3) / 4);
    size_t shared_bytes = flat ? 0 : align_up(l->shared_total, 64);
    size_t bytes = c->warp_count * (c->registers_bytes + c->local_bytes) + shared_bytes + 64;
    c->taken = spare_take(e->spare, bytes); // zeroed by exec_cta_start
    uint8_t *at = (uint8_t *)align_up((uintptr_t)c->taken.memory, 64);
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
        w->threads = e->threads + vectors(e, (size_t)i * THREAD_VECTORS);
    }
    return c;
}

void exec_cta_destroy(struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++) {
        vec_fini(&c->warps[i].splits);
        async_fini(&c->warps[i]);
    }
    cluster_leave(c);
    race_block_end(c);
    checker_block_end(c);
    free(c->warps);
    spare_give(c->exec->spare, c->taken);
    free(c);
}

// Clears `bytes` bytes. A long memset is a string instruction in glibc, slow to start for a warp's registers; a shorter
// one is a loop over vectors.
static void clear_vectors(uint8_t *at, size_t bytes)
{
    enum { STEP = 1024, STRING_FROM = 2048 };
    for (; bytes >= STRING_FROM; bytes -= STEP, at += STEP) memset(at, 0, STEP);
    memset(at, 0, bytes);
}

void exec_cta_start(struct cta *c, uint64_t linear)
{
    const struct exec *e = c->exec;
    const uint32_t *grid = e->launch->grid;
    checker_block_end(c);
    c->linear = linear;
    c->id[0] = (uint32_t)(linear % grid[0]);
    c->id[1] = (uint32_t)(linear / grid[0] % grid[1]);
    c->id[2] = (uint32_t)(linear / grid[0] / grid[1]);
    c->warps_left = c->warp_count;
    c->next_warp = 0;
    c->threads_left = c->barriers_used = 0;
    phase_start(c);
    race_block_end(c);
    race_block_start(c);
    checker_block_start(c);
    if (!e->launch->flat) memset(c->shared, 0, e->launch->shared_total);
    for (unsigned n = 0; n < BARRIERS; n++) c->barriers[n] = (struct barrier){.all = true};
    for (uint32_t i = 0; i < c->warp_count; i++) {
        struct warp *w = &c->warps[i];
        clear_vectors(w->regs, vectors(e, e->sink_slot));
        clear_vectors(w->local, c->local_bytes);
        memset(w->pred, 0, sizeof w->pred);
        w->pred[PRED_TRUE] = w->full;
        c->threads_left += w->arrival;
        w->state = WARP_READY;
        w->waits_at = NO_BARRIER;
        w->issued = w->cluster_arrived = 0;
        w->parked = 0;
        async_start(w);
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

// Instructions left under the launch's limit; UINT64_MAX: no limit is set.
static uint64_t allowance(const struct exec *e)
{
    if (!e->instruction_limit) return UINT64_MAX;
    return e->instruction_limit > e->instructions_done ? e->instruction_limit - e->instructions_done : 0;
}

// Runs a ready warp for its slice. False on a fault. Reaching the launch's limit is a fault: a warp still has
// to run with no instructions left, or has executed more. A slice ends at a branch, so the launch exceeds the
// limit by one straight run of code at most.
static bool run_slice(struct warp *w)
{
    struct exec *e = w->exec;
    uint64_t allowed = allowance(e);
    if (allowed && !warp_run(w, allowed < WARP_SLICE ? allowed : WARP_SLICE)) return false;
    if (allowed && (!e->instruction_limit || e->instructions_done <= e->instruction_limit)) return true;
    exec_fault_limit(w);
    return false;
}

// The first ready warp from `turn` on, around the block; NULL: none is ready.
static inline struct warp *next_ready(const struct cta *c, struct warp *turn)
{
    struct warp *const end = c->warps + c->warp_count;
    for (uint32_t left = c->warp_count; left; left--) {
        if (turn->state == WARP_READY) return turn;
        if (++turn == end) turn = c->warps;
    }
    return NULL;
}

static bool is_interrupted(struct exec *e, struct warp *w) // polls for an interrupt; true: interrupted
{
    e->ask_at = e->instructions_done + ASK_AFTER;
    if (!launch_is_interrupted(e->launch)) return false;
    exec_fault_interrupted(w);
    return true;
}

// Runs the block until its end, until a look has seen enough of the block, or for `instructions` and the rest
// of a slice. False on a fault.
static bool cta_run(struct cta *c, uint64_t instructions)
{
    struct exec *e = c->exec;
    const uint64_t until = e->instructions_done + instructions;
    const bool is_plain = !e->instruction_limit && !e->look && !e->observed;
    struct warp *const end = c->warps + c->warp_count, *turn = c->warps + c->next_warp;
    bool good = true;
    while (good && c->warps_left && e->instructions_done < until && !(e->look && look_has_seen(c))) {
        struct warp *w = next_ready(c, turn);
        if (!w) {
            if (phase_waits_for_cluster(c)) break;
            if (phase_expire_block(c)) continue;
            exec_fault_deadlock(c);
            return false;
        }
        good = is_plain ? run_until_stop(w, WARP_SLICE, false) : run_slice(w);
        if (good && e->instructions_done >= e->ask_at) good = !is_interrupted(e, w);
        turn = w + 1 == end ? c->warps : w + 1;
    }
    c->next_warp = (uint32_t)(turn - c->warps);
    return good;
}

struct residents {
    VEC(struct cta *) running; // in order of arrival
    struct cta *spare;
    uint64_t next, total; // blocks
    uint64_t most;        // limit on resident blocks
};

struct exec_session {
    struct exec e;
    struct exec_counts counts;
    struct launch_fault fault;
    struct residents blocks;
    bool has_ended; // a block has ended in the last round of turns
    // State of looks (look.h). Times are values of instructions_done.
    uint64_t look_at;   // time of the next look
    uint64_t distance;  // instructions from one look to the next; 0: no looks
    uint64_t looked_at; // start of the present look
    bool is_looking;    // a look is under way, or its end is not yet processed
    bool has_moved;     // the last call of exec_go may have changed memory
    bool is_stuck;      // the look found that no warp can ever continue, unless another launch changes memory
    bool was_stuck;     // value of is_stuck before the last call of exec_go
    // is_waiting: every look since waits_since has found only waiting warps, with memory unchanged. memory:
    // hash of global and shared memory at the last look.
    bool is_waiting;
    uint64_t waits_since, memory;
};

static void admit_block(struct exec *e, struct residents *r)
{
    struct cta *c = r->spare ? r->spare : exec_cta_create(e);
    r->spare = NULL;
    exec_cta_start(c, launch_block_at(e->launch, r->next++));
    if (e->observed) observed_block_begin(c);
    if (r->running.count == 0) {
        uint64_t by_memory = RESIDENT_BYTES / (c->taken.size_bytes + 1) + 1;
        uint64_t by_chip = (uint64_t)(e->launch->sm_count ? e->launch->sm_count : 1) * BLOCKS_PER_SM;
        r->most = by_memory < by_chip ? by_memory : by_chip;
    }
    vec_push(&r->running, c);
}

// Admits a block, or the blocks of a cluster.
static void admit(struct exec *e, struct residents *r)
{
    uint32_t size = launch_cluster_size(e->launch);
    for (uint32_t k = 0; k < size; k++) admit_block(e, r);
    if (size > 1) cluster_form(&r->running.data[r->running.count - size], size);
}

static void retire(struct exec *e, struct residents *r, size_t place)
{
    struct cta *c = r->running.data[place];
    cluster_leave(c);
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

// -- looks --------------------------------------------------------------------------------------------------

static bool all_are_there(const struct residents *r)
{
    return r->next == r->total || r->running.count >= r->most;
}

static void begin_look(struct exec_session *s)
{
    uint64_t busy = s->distance / LOOK_BUSY;
    look_begin(&s->e, s->blocks.running.data, s->blocks.running.count, busy < LOOK_LEAST ? LOOK_LEAST : busy);
    s->is_looking = true;
    s->looked_at = s->e.instructions_done;
}

static void end_look(struct exec_session *s)
{
    look_end(&s->e);
    s->is_looking = s->is_stuck = false;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Schedules the next look, after `distance` instructions. While the launch waits, the look is no later than
// the end of the user's patience.
static void look_in(struct exec_session *s, uint64_t distance)
{
    uint64_t patience = s->e.launch->patience;
    s->distance = least(distance, LOOK_MOST);
    s->look_at = s->e.instructions_done + s->distance;
    bool is_late = s->is_waiting && patience && s->look_at - s->waits_since > patience;
    if (is_late) s->look_at = s->waits_since + patience;
}

static void note_end(struct exec_session *s)
{
    s->is_waiting = false;
    look_in(s, s->distance);
}

static uint64_t hash_of_memory(const struct exec_session *s)
{
    const struct launch *l = s->e.launch;
    uint64_t hash = memory_hash(l->memory);
    for (size_t k = 0; k < s->blocks.running.count; k++)
        hash = hash_bytes(s->blocks.running.data[k]->shared, l->shared_total, hash_u64(hash));
    return hash;
}

static void note_waiting(struct exec_session *s, bool is_likely)
{
    uint64_t memory = is_likely ? hash_of_memory(s) : 0;
    if (!is_likely || !s->is_waiting || memory != s->memory) s->waits_since = s->looked_at;
    s->is_waiting = is_likely;
    s->memory = memory;
}

static void describe_waiting(const struct exec_session *s, struct strbuf *text)
{
    const struct residents *r = &s->blocks;
    strbuf_printf(text, "; %llu of %llu blocks have ended", (unsigned long long)s->counts.blocks,
                  (unsigned long long)r->total);
    if (r->next < r->total)
        strbuf_printf(text, ", %llu have not started, for want of room",
                      (unsigned long long)(r->total - r->next));
    look_describe(&s->e, r->running.data, r->running.count, text);
}

void exec_fail_stuck(struct exec_session *s, const char *beside)
{
    struct strbuf text = {0};
    strbuf_printf(
        &text,
        "kernel %s will never end: since warp instruction %llu every warp has returned to an earlier "
        "state or waited, and no byte of memory has changed",
        s->e.program->name, (unsigned long long)s->looked_at);
    describe_waiting(s, &text);
    strbuf_puts(&text, beside);
    exec_fault_stall(s->blocks.running.data[0], &text);
}

static void fail_waiting(struct exec_session *s)
{
    struct strbuf text = {0};
    strbuf_printf(
        &text,
        "kernel %s stopped: for %llu warp instructions every warp has waited or read the same words "
        "again, and memory is unchanged (exec.patience=%llu; 0 waits for ever)",
        s->e.program->name, (unsigned long long)(s->e.instructions_done - s->waits_since),
        (unsigned long long)s->e.launch->patience);
    describe_waiting(s, &text);
    exec_fault_stall(s->blocks.running.data[0], &text);
}

// Turn's outcome after a look in which every warp waited or read the same words, without proof of endless
// waiting.
static enum exec_turn judge_waiting(struct exec_session *s)
{
    uint64_t patience = s->e.launch->patience;
    note_waiting(s, true);
    look_in(s, 2 * s->distance);
    if (!patience || s->e.instructions_done - s->waits_since < patience) return EXEC_WAITS;
    fail_waiting(s);
    return EXEC_FAILED;
}

// Called after a look that found progress: schedules the next look.
static void note_progress(struct exec_session *s, uint64_t distance)
{
    end_look(s);
    note_waiting(s, false);
    look_in(s, distance);
    s->has_moved = true;
}

// Turn's outcome after a round in which no block ended and no further block can become resident.
static enum exec_turn judge(struct exec_session *s)
{
    const struct residents *r = &s->blocks;
    if (!s->is_looking) {
        if (s->distance && s->e.instructions_done >= s->look_at) begin_look(s);
        return EXEC_GOES_ON;
    }
    if (!s->e.look || look_is_over(&s->e)) {
        note_progress(s, s->was_stuck ? least(s->e.launch->look, LOOK_AGAIN) : 2 * s->distance);
        s->was_stuck = false;
        return EXEC_GOES_ON;
    }
    s->is_stuck = look_is_certain(&s->e, r->running.data, r->running.count);
    if (s->is_stuck) return EXEC_WAITS;
    bool is_likely = look_is_likely(&s->e, r->running.data, r->running.count, s->distance / LOOK_WAIT);
    return is_likely ? judge_waiting(s) : EXEC_GOES_ON;
}

// -- turns --------------------------------------------------------------------------------------------------

// Admits one block if none is resident. After a round without a block's end, admits as many blocks as are
// resident: resident blocks may be waiting for blocks not yet started.
static void admit_more(struct exec_session *s)
{
    struct residents *r = &s->blocks;
    uint64_t room = r->running.count == 0 ? 1 : s->has_ended ? 0 : r->running.count;
    bool is_new = false;
    for (; room && r->next < r->total && (!r->running.count || r->running.count < r->most); room--) {
        admit(&s->e, r);
        is_new = true;
    }
    if (is_new) note_end(s);
}

// Length of a block's turn in instructions. When no further block can come, a lone block's turn may end
// early: at the start of a look, and between slices during a look.
static uint64_t turn_of(const struct exec_session *s)
{
    uint64_t done = s->e.instructions_done;
    if (s->blocks.running.count > 1) return BLOCK_TURN;
    if (!all_are_there(&s->blocks)) return BLOCK_ALONE;
    if (s->is_looking) return 1;
    bool is_near = s->distance && s->look_at > done && s->look_at - done < BLOCK_ALONE;
    return is_near ? s->look_at - done : BLOCK_ALONE;
}

static bool can_execute(const struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++)
        if (c->warps[i].state == WARP_READY) return true;
    return false;
}

// With clusters, after a round of turns: if no resident block can execute, the time of parked warps is up (phase.h).
// False: none is parked, a deadlock.
static bool unblock(struct residents *r)
{
    bool any = false;
    for (size_t k = 0; k < r->running.count; k++)
        if (can_execute(r->running.data[k])) return true;
    for (size_t k = 0; k < r->running.count; k++) any |= phase_expire_block(r->running.data[k]);
    if (!any && r->running.count) exec_fault_deadlock(r->running.data[0]);
    return any || !r->running.count;
}

// Runs one turn of every resident block. False on a fault.
static bool run_round(struct exec_session *s)
{
    struct residents *r = &s->blocks;
    s->has_ended = false;
    for (size_t turn = 0; turn < r->running.count;) {
        struct cta *c = r->running.data[turn];
        if (!cta_run(c, turn_of(s))) return false;
        if (c->warps_left) {
            turn++;
        } else {
            if (s->is_looking) end_look(s);
            retire(&s->e, r, turn);
            s->has_ended = s->has_moved = true;
        }
    }
    if (s->has_ended) note_end(s);
    return launch_cluster_size(s->e.launch) == 1 || unblock(r);
}

static enum exec_turn run_blocks(struct exec_session *s)
{
    struct residents *r = &s->blocks;
    while (r->next < r->total || r->running.count) {
        admit_more(s);
        if (!run_round(s)) return EXEC_FAILED;
        if (s->has_ended || !all_are_there(r)) continue;
        enum exec_turn turn = judge(s);
        if (turn != EXEC_GOES_ON) return turn;
    }
    return EXEC_ENDED;
}

// Runs the start of the first block under watch (hint.h), then binds the program anew without the check.
// False on a fault.
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
    e->insts = l->program->insts;
    e->warp_size = l->warp_size;
    e->lanes = l->warp_size > GROUP_LANES ? 64 : 32;
    e->vector_bytes = 4 * e->lanes;
    e->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    e->warps_per_block = (e->threads_per_block + e->warp_size - 1) / e->warp_size;
    e->flat = l->flat ? memory_flat(l->memory) : NULL;
    e->local_stride = l->flat ? e->warps_per_block * e->vector_bytes : e->vector_bytes;
    e->instruction_limit = l->max_warp_instructions;
    // A nested call saves a 4-byte return address, so a stack of n bytes holds at most n / 4 addresses. One
    // more call per function is allowed.
    e->depth_limit = l->program->function_count + l->program->stack_bytes / 4;
    e->defers_copies = e->is_timed || l->async == ASYNC_LATE;
    e->isa = exec_isa_resolve(l->isa);
    e->loops = exec_lane_loops(e);
    if (like) {
        exec_bind_alike(e, like);
        return;
    }
    exec_lay_out(e);
    exec_bind(e);
}

struct exec_session *exec_begin(const struct launch *l)
{
    struct exec_session *s = heap_alloc(sizeof *s);
    struct exec *e = &s->e;
    e->fault = &s->fault;
    e->counts = &s->counts;
    e->launch = l;
    arena_init(&e->arena);
    bool hint = l->hint_races && !l->check_races && !l->observer && l->notes && l->shared_total && !l->flat;
    if (l->check_races) race_create(e);
    checker_create(e);
    if (hint) hint_create(e);
    if (l->observer) observed_create(e, l);
    exec_prepare(e, l, NULL);
    s->blocks.next = l->first_block;
    s->blocks.total = l->end_block ? l->end_block : launch_blocks(l);
    s->has_ended = true;
    return s;
}

enum exec_turn exec_go(struct exec_session *s, bool is_beside)
{
    s->was_stuck = s->is_stuck;
    if (s->is_looking) end_look(s);
    if (!s->distance) look_in(s, least(s->e.launch->look, is_beside ? LOOK_BESIDE : UINT64_MAX));
    s->has_moved = !s->was_stuck;
    if (s->was_stuck) begin_look(s);
    if (s->e.hint && !watch_first_block(&s->e, &s->blocks)) return EXEC_FAILED;
    return run_blocks(s);
}

bool exec_is_stuck(const struct exec_session *s) { return s->is_stuck; }
bool exec_has_moved(const struct exec_session *s) { return s->has_moved; }

bool exec_end(struct exec_session *s, struct exec_counts *counts, struct launch_fault *fault,
              struct launch_race *race)
{
    struct exec *e = &s->e;
    struct residents *r = &s->blocks;
    const struct launch *l = e->launch;
    bool good = s->fault.kind == FAULT_NONE;
    look_end(e);
    if (race) *race = (struct launch_race){0};
    for (size_t i = 0; i < r->running.count; i++) {
        exec_cta_collect(r->running.data[i]);
        if (e->observed) observed_block_end(r->running.data[i]);
        exec_cta_destroy(r->running.data[i]);
    }
    if (r->spare) exec_cta_destroy(r->spare);
    vec_fini(&r->running);
    race_destroy(e, race);
    checker_fault(e);
    checker_destroy(e);
    if (l->notes) launch_notes_add(l->notes, &e->notes);
    launch_notes_fini(&e->notes);
    if (e->observed) observed_destroy(e);
    arena_fini(&e->arena);
    *fault = s->fault;
    add_counts(counts, &s->counts);
    free(s);
    return good;
}

bool exec_run(const struct launch *l, struct exec_counts *counts, struct launch_fault *fault,
              struct launch_race *race)
{
    struct exec_session *s = exec_begin(l);
    while (exec_go(s, false) == EXEC_WAITS)
        if (exec_is_stuck(s)) {
            exec_fail_stuck(s, "");
            break;
        }
    return exec_end(s, counts, fault, race);
}

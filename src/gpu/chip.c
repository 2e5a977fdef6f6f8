// Windows of time, blocks, ends.
#include "gpu/chip.h"
#include "gpu/stall.h"
#include "gpu/workers.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WATCH_NAME == (int)GPU_KIND_NAME, "a name is copied whole");
enum { SMS_MAX = 256 }; // the range of gpu.sm_count

struct chip {
    struct chip_config config;
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned kind_count;
    struct memory_system *memory;
    uint64_t now;
    VEC(struct grid *) grids;
};

struct run { // a launch under way
    struct chip *chip;
    const struct launch *launch;
    uint64_t window; // cycles
    // SMs that blocks come to, in order of their numbers, and so kind by kind.
    struct timed_engine *engines;
    struct sm **sms;
    unsigned count;
    uint16_t place[SMS_MAX];               // by number: where it stands among them
    struct sm_launch kinds[GPU_KINDS_MAX]; // by kind of the chip's
    unsigned kind_sms[GPU_KINDS_MAX];      // those of each kind
    uint32_t rounds;                       // in which the first blocks are dealt out
    uint64_t start, now, until, last_end;
    uint64_t max_cycles; // 0: no limit
    uint64_t windows;    // so far
    uint64_t look_at;    // cycle of the next look for a stall
    bool is_looking;
    uint64_t looked_since;
    uint64_t next_block, blocks, ended;
    VEC(struct sm_block_end) ends;
    struct memory_counts before; // of earlier launches
    struct chip_series *series;  // NULL: none
    struct watcher *watcher;     // NULL: nobody watches
    struct arena arena;
};

struct chip *chip_create(const struct chip_config *c)
{
    struct chip *chip = heap_alloc(sizeof *chip);
    chip->config = *c;
    chip->kind_count = chip_kinds(c, chip->kinds);
    chip->config.memory.core_mhz = c->gpu.core_mhz;
    chip->memory = memory_system_create(&chip->config.memory, c->gpu.sm_count);
    chip->now = 1;
    return chip;
}

void chip_destroy(struct chip *c)
{
    if (!c) return;
    memory_system_destroy(c->memory);
    vec_fini(&c->grids);
    free(c);
}

// -- what fits on an SM -------------------------------------------------------------------------------------

struct room {
    uint32_t warps, registers; // of a block: warps; vector registers of a warp, allocated
    uint32_t blocks;
    const char *limit;
};

static void limit_to(struct room *r, uint64_t blocks, const char *what)
{
    if (blocks >= r->blocks) return;
    r->blocks = (uint32_t)blocks;
    r->limit = what;
}

static struct room room_for(const struct gpu_config *c, const struct launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t lanes = l->warp_size > 32 ? 64 : 32;
    struct room r = {.blocks = c->max_blocks, .limit = "blocks (sm.blocks)"};
    r.warps = (uint32_t)((threads + l->warp_size - 1) / l->warp_size);
    uint64_t unit = c->register_unit, registers = (l->program->reg_count * lanes + unit - 1) / unit * unit;
    r.registers = (uint32_t)(registers / lanes);
    uint64_t shared = (l->shared_total + c->shared_unit - 1) / c->shared_unit * c->shared_unit;
    limit_to(&r, c->max_warps / r.warps, "warps (sm.warps)");
    limit_to(&r, c->registers / (registers * r.warps), "registers (sm.registers)");
    if (shared) limit_to(&r, c->shared_bytes / shared, "shared memory (sm.shared_bytes)");
    return r;
}

// ", for want of registers (sm.registers) in class big, of warps (sm.warps) in class small".
static void print_wants(const struct gpu_kind *kinds, unsigned count, const struct launch *l,
                        struct strbuf *out)
{
    for (unsigned k = 0; k < count; k++) {
        strbuf_printf(out, "%s of %s", k ? "," : ", for want", room_for(&kinds[k].config, l).limit);
        if (*kinds[k].name) strbuf_printf(out, " in class %s", kinds[k].name);
    }
}

bool chip_fits(const struct chip_config *c, const struct launch *l, struct strbuf *why)
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned count = chip_kinds(c, kinds);
    for (unsigned k = 0; k < count; k++)
        if (room_for(&kinds[k].config, l).blocks) return true;
    strbuf_printf(
        why, "a block of %u warps, %u registers a thread and %u bytes of shared memory does not fit on an SM",
        room_for(&kinds[0].config, l).warps, l->program->reg_count, l->shared_total);
    print_wants(kinds, count, l, why);
    return false;
}

// -- a launch -----------------------------------------------------------------------------------------------

// Mechanisms look at the launch; renamed registers are what its blocks leave over: registers that no warp has
// been given, and the tails of what warps have been given in whole units. Those who come first in the registry
// have what they want of them.
static void begin_techs(struct sm_launch *l, const struct room *room)
{
    const struct chip_config *c = l->config;
    uint32_t all = l->kind->config.registers / (l->launch->warp_size > 32 ? 64 : 32);
    uint32_t used = room->blocks * room->warps * room->registers;
    uint32_t spare =
        (all - used) / room->blocks + room->warps * (room->registers - l->launch->program->reg_count);
    l->tech_count = c->tech_count;
    for (unsigned k = 0; k < c->tech_count; k++) {
        const struct tech *t = c->techs[k].tech;
        l->techs[k] = &c->techs[k];
        l->tech_states[k] = t->launch_begin(l->techs[k], l);
        uint32_t wanted = l->tech_states[k] && t->registers ? t->registers(l->tech_states[k]) : 0;
        assert(!wanted || t->claims & CLAIMS(POOL));
        l->pools[k] = (struct sm_pool){l->pool, wanted < spare - l->pool ? wanted : spare - l->pool};
        l->pool += l->pools[k].count;
    }
}

static void end_techs(struct sm_launch *l)
{
    for (unsigned k = 0; k < l->tech_count; k++)
        if (l->tech_states[k]) l->techs[k]->tech->launch_end(l->tech_states[k]);
}

// What SMs of a kind need to know. `room`: they never have more blocks at once than they are dealt in the first
// rounds, since later ones come where another has ended.
static void begin_kind(struct run *r, unsigned k, struct room room)
{
    const struct chip_config *c = &r->chip->config;
    const struct gpu_kind *kind = &r->chip->kinds[k];
    struct sm_launch *l = &r->kinds[k];
    if (r->rounds < room.blocks) room.blocks = r->rounds;
    *l = (struct sm_launch){.config = c,
                            .kind = kind,
                            .launch = r->launch,
                            .window = r->window,
                            .blocks_per_sm = room.blocks,
                            .warps_per_block = room.warps,
                            .registers_per_warp = room.registers};
    gpu_decode(&l->decoded, r->launch->program, &kind->config, c->memory.line_bytes, &r->arena);
    begin_techs(l, &room);
}

// Blocks are dealt out one by one, an SM after the other in every round, but to none that is full: in so many
// rounds, until there are no more or all SMs are full.
static uint32_t rounds_of(const struct run *r, const struct room *rooms)
{
    uint64_t left = r->blocks;
    for (uint32_t rounds = 0;; rounds++) {
        uint64_t sms = 0; // that are not full
        for (unsigned k = 0; k < r->chip->kind_count; k++)
            if (rooms[k].blocks > rounds) sms += r->chip->kinds[k].count;
        if (!left || !sms) return rounds;
        left -= sms < left ? sms : left;
    }
}

// The SMs past the last block of the first round never see one, and neither do those of a kind on which none
// fits. Making and clearing them would be most of a small launch's time.
static void create_sms(struct run *r)
{
    const struct chip *c = r->chip;
    struct room rooms[GPU_KINDS_MAX];
    uint64_t fitting = 0;
    for (unsigned k = 0; k < c->kind_count; k++) {
        rooms[k] = room_for(&c->kinds[k].config, r->launch);
        if (rooms[k].blocks) fitting += c->kinds[k].count;
    }
    unsigned count = (unsigned)(r->blocks < fitting ? r->blocks : fitting);
    r->rounds = rounds_of(r, rooms);
    r->engines = heap_alloc(count * sizeof *r->engines);
    r->sms = heap_alloc(count * sizeof *r->sms);
    for (unsigned k = 0; k < c->kind_count && r->count < count; k++) {
        if (!rooms[k].blocks) continue;
        begin_kind(r, k, rooms[k]);
        for (; r->kind_sms[k] < c->kinds[k].count && r->count < count; r->kind_sms[k]++) {
            unsigned sm = c->kinds[k].first + r->kind_sms[k], n = r->count++;
            r->place[sm] = (uint16_t)n;
            timed_init(&r->engines[n], r->launch, sm, n ? &r->engines[0] : NULL);
            r->sms[n] = sm_create(&r->kinds[k], &r->engines[n], sm, r->start);
        }
    }
}

static void run_init(struct run *r, struct chip *c, const struct launch *l)
{
    const struct gpu_config *g = &c->config.gpu;
    uint64_t window = memory_system_window(&c->config.memory);
    *r = (struct run){.chip = c, .launch = l, .start = c->now, .now = c->now};
    arena_init(&r->arena);
    r->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->window = window < g->dispatch_latency ? window : g->dispatch_latency;
    create_sms(r);
    memory_system_counts(c->memory, &r->before);
    // Code, constants and local memory have the same addresses in every launch, and other content.
    memory_system_clear_caches(c->memory, g->keep_caches ? GPU_LOCAL_ADDRESS : 0);
}

static void run_fini(struct run *r)
{
    for (unsigned k = r->count; k-- > 0;) {
        sm_destroy(r->sms[k]);
        timed_fini(&r->engines[k]);
    }
    for (unsigned k = 0; k < r->chip->kind_count; k++) end_techs(&r->kinds[k]);
    free(r->sms);
    free(r->engines);
    vec_fini(&r->ends);
    arena_fini(&r->arena);
}

static unsigned kind_of(const struct run *r, unsigned place)
{
    unsigned k = 0;
    for (; place >= r->kind_sms[k]; k++) place -= r->kind_sms[k];
    return k;
}

// The first blocks, an SM after the other.
static void place_first(struct run *r)
{
    uint64_t at = r->start + r->chip->config.gpu.launch_latency;
    for (uint32_t round = 0; round < r->rounds; round++)
        for (unsigned k = 0; k < r->count && r->next_block < r->blocks; k++)
            if (round < r->kinds[kind_of(r, k)].blocks_per_sm) sm_place(r->sms[k], r->next_block++, at);
}

static int by_cycle(const void *a, const void *b)
{
    const struct sm_block_end *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return (x->sm > y->sm) - (x->sm < y->sm);
}

static void replace_ended(struct run *r)
{
    r->ends.count = 0;
    for (unsigned k = 0; k < r->count; k++) {
        struct sm_block_end *ends;
        size_t n = sm_ended(r->sms[k], &ends);
        for (size_t i = 0; i < n; i++) vec_push(&r->ends, ends[i]);
    }
    if (!r->ends.count) return;
    qsort(r->ends.data, r->ends.count, sizeof *r->ends.data, by_cycle);
    for (size_t i = 0; i < r->ends.count; i++) {
        const struct sm_block_end *e = &r->ends.data[i];
        if (e->cycle > r->last_end) r->last_end = e->cycle;
        r->ended++;
        if (r->next_block == r->blocks) continue;
        sm_place(r->sms[r->place[e->sm]], r->next_block++, e->cycle + r->chip->config.gpu.dispatch_latency);
    }
    if (r->launch->progress) progress_update(r->launch->progress, r->ended);
}

// The memory's partitions, then the SMs.
static void run_piece(void *context, unsigned k)
{
    struct run *r = context;
    struct memory_system *m = r->chip->memory;
    unsigned partitions = memory_system_partitions(m);
    if (k < partitions)
        memory_system_run(m, k, r->until);
    else
        sm_run(r->sms[k - partitions], m, r->until);
}

// -- ends ---------------------------------------------------------------------------------------------------

static bool take_fault(struct run *r, struct launch_fault *fault)
{
    struct timed_engine *first = NULL;
    for (unsigned k = 0; k < r->count; k++) {
        struct timed_engine *t = &r->engines[k];
        if (t->fault.kind != FAULT_NONE && (!first || t->fault_cycle < first->fault_cycle)) first = t;
    }
    if (!first) return false;
    *fault = first->fault;
    first->fault = (struct launch_fault){0};
    return true;
}

static void append_report(struct run *r, struct launch_fault *fault)
{
    struct strbuf text = {0};
    unsigned stuck = 0; // SMs
    if (fault->text) strbuf_puts(&text, fault->text);
    for (unsigned k = 0; k < r->count; k++) {
        if (!sm_stuck_block(r->sms[k]) || stuck++) continue;
        strbuf_putc(&text, '\n');
        sm_report(r->sms[k], &text);
    }
    if (stuck > 1)
        strbuf_printf(&text, "\n  and %u more SM%s with blocks that have not ended", stuck - 1,
                      stuck == 2 ? "" : "s");
    free(fault->text);
    fault->text = text.text;
}

// Whether anything is still to happen: in an SM, in memory or between them.
static bool all_quiet(const struct run *r)
{
    for (unsigned k = 0; k < r->count; k++)
        if (!sm_is_quiet(r->sms[k])) return false;
    return memory_system_next(r->chip->memory, r->now) == UINT64_MAX;
}

static bool deadlocked(struct run *r, struct launch_fault *fault)
{
    if (r->ended == r->blocks || !all_quiet(r)) return false;
    struct cta *stuck = NULL;
    unsigned where = 0;
    for (unsigned k = r->count; k-- > 0;)
        if (sm_stuck_block(r->sms[k])) stuck = sm_stuck_block(r->sms[where = k]);
    if (!stuck) return false;
    uint64_t owed = memory_system_unanswered(r->chip->memory);
    if (owed) {
        struct strbuf text = {0};
        strbuf_printf(
            &text, "kernel %s: deadlock: %" PRIu64 " memory request%s no reply, and nothing else can happen",
            r->launch->program->name, owed, owed == 1 ? " has" : "s have");
        *fault = (struct launch_fault){.kind = FAULT_DEADLOCK, .text = text.text};
    } else {
        exec_fault_deadlock(stuck);
        *fault = r->engines[where].fault;
        r->engines[where].fault = (struct launch_fault){0};
    }
    append_report(r, fault);
    return true;
}

static void stop_at_limit(struct run *r, const char *limit, uint64_t value, struct launch_fault *fault)
{
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s stopped: the limit of %" PRIu64 " %s is reached, %" PRIu64 " of %" PRIu64
                  " blocks have ended",
                  r->launch->program->name, value, limit, r->ended, r->blocks);
    *fault = (struct launch_fault){.kind = FAULT_LIMIT, .text = text.text};
    append_report(r, fault);
}

static bool all_done(const struct run *r) { return r->ended == r->blocks && all_quiet(r); }

// The last block's end, or the last reply.
static uint64_t end_of(const struct run *r)
{
    uint64_t end = r->last_end;
    for (unsigned k = 0; k < r->count; k++)
        if (sm_last_reply(r->sms[k]) > end) end = sm_last_reply(r->sms[k]);
    return end;
}

// A launch takes as many cycles as it takes, not as many as the window in which it ends.
static bool over_limit(struct run *r, struct launch_fault *fault)
{
    if (r->max_cycles && r->now - r->start > r->max_cycles &&
        (!all_done(r) || end_of(r) - r->start > r->max_cycles)) {
        stop_at_limit(r, "cycles (--max-cycles)", r->max_cycles, fault);
        return true;
    }
    uint64_t issued = 0, most = r->launch->max_warp_instructions;
    for (unsigned k = 0; most && k < r->count; k++) issued += sm_counts(r->sms[k])->issue_issued;
    if (!most || issued < most) return false;
    stop_at_limit(r, "warp instructions", most, fault);
    return true;
}

static bool interrupted(struct run *r, struct launch_fault *fault)
{
    enum { WINDOWS = 64 }; // from one question to the next
    if (r->windows++ % WINDOWS || !launch_is_interrupted(r->launch)) return false;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s: interrupted after %" PRIu64 " cycles, %" PRIu64 " of %" PRIu64
                  " blocks have ended",
                  r->launch->program->name, r->now - r->start, r->ended, r->blocks);
    *fault = (struct launch_fault){.kind = FAULT_INTERRUPTED, .text = text.text};
    append_report(r, fault);
    return true;
}

// -- launches that never end --------------------------------------------------------------------------------

static void end_look(struct run *r)
{
    for (unsigned k = 0; k < r->count; k++) stall_end(r->sms[k]);
    r->is_looking = false;
    r->look_at = r->now + r->chip->config.gpu.stall;
}

static bool is_stalled(const struct run *r)
{
    for (unsigned k = 0; k < r->count; k++)
        if (!stall_is_certain(r->sms[k])) return false;
    return r->ended < r->blocks;
}

static bool speaks_against_stall(const struct run *r)
{
    for (unsigned k = 0; k < r->count; k++)
        if (stall_is_over(r->sms[k])) return true;
    return false;
}

static void begin_look(struct run *r)
{
    for (unsigned k = 0; k < r->count; k++) stall_begin(r->sms[k]);
    r->is_looking = true;
    r->looked_since = r->now;
}

// Between windows. True when the launch never ends.
static bool stalled(struct run *r, struct launch_fault *fault)
{
    if (r->is_looking && !speaks_against_stall(r) && is_stalled(r)) {
        struct strbuf text = {0};
        strbuf_printf(&text,
                      "kernel %s will never end: since cycle %" PRIu64
                      " every warp has come back to where it was, and no byte of memory has changed",
                      r->launch->program->name, r->looked_since - r->start);
        *fault = (struct launch_fault){.kind = FAULT_STALL, .text = text.text};
        append_report(r, fault);
        return true;
    }
    if (r->is_looking && speaks_against_stall(r))
        end_look(r);
    else if (!r->is_looking && r->now >= r->look_at && r->chip->config.gpu.stall)
        begin_look(r);
    return false;
}

// Windows in which nothing happens anywhere are passed over, up to the limit.
static void skip_windows(struct run *r)
{
    if (!r->chip->config.gpu.skip_idle) return;
    uint64_t next = UINT64_MAX, soon = r->now + r->window;
    for (unsigned k = 0; k < r->count && next >= soon; k++) {
        uint64_t n = sm_next(r->sms[k]);
        if (n < next) next = n;
    }
    if (next < soon) return;
    uint64_t n = memory_system_next(r->chip->memory, r->now);
    if (n < next) next = n;
    if (r->max_cycles && next != UINT64_MAX && next - r->start > r->max_cycles)
        next = r->start + r->max_cycles;
    if (next != UINT64_MAX && next > r->now) r->now += (next - r->now) / r->window * r->window;
}

static bool run_windows(struct run *r, struct workers *w, struct launch_fault *fault)
{
    struct memory_system *m = r->chip->memory;
    while (!all_done(r)) {
        skip_windows(r);
        r->until = r->now + r->window;
        if (r->series) series_keep(r->series, m, &r->before, r->now);
        memory_system_hand_over(m, r->now);
        workers_run(w, run_piece, r, memory_system_partitions(m) + r->count);
        timed_commit(r->engines, r->count);
        r->now = r->until;
        if (r->watcher) watcher_window(r->watcher, r->now);
        if (take_fault(r, fault)) return false;
        if (r->series) {
            series_keep(r->series, m, &r->before, r->now);
            series_take(r->series, r->sms, r->count);
        }
        replace_ended(r);
        if (over_limit(r, fault) || deadlocked(r, fault) || stalled(r, fault) || interrupted(r, fault))
            return false;
    }
    return true;
}

static void add_to_account(const struct chip_account *account, const struct run *r, unsigned k)
{
    const uint64_t *slots = sm_inst_slots(r->sms[k]);
    size_t places = ((size_t)r->launch->program->inst_count + 1) * SLOT_COUNT;
    for (size_t n = 0; account->inst_slots && n < places; n++) account->inst_slots[n] += slots[n];
    const uint64_t *saved = sm_inst_saved(r->sms[k]);
    for (size_t n = 0; account->inst_saved && saved && n < r->launch->program->inst_count * SAVINGS; n++)
        account->inst_saved[n] += saved[n];
    if (account->sms) gpu_counts_add(&account->sms[r->engines[k].sm], sm_counts(r->sms[k]));
}

static void add_techs(struct chip_result *result, const struct run *r, unsigned place)
{
    unsigned kind = kind_of(r, place);
    for (unsigned n = 0; n < r->kinds[kind].tech_count; n++) {
        const uint64_t *counts = sm_tech_counts(r->sms[place], r->kinds[kind].techs[n]);
        for (size_t i = 0; counts && i < TECH_COUNTERS_MAX; i++) {
            result->techs[n][i] += counts[i];
            result->kind_techs[kind][n][i] += counts[i];
        }
    }
}

static void collect(struct run *r, const struct chip_account *account, struct chip_result *result,
                    bool finished)
{
    uint64_t end = finished ? end_of(r) : r->now, room = 0; // room: for warps, in active cycles

    for (unsigned k = 0; k < r->count; k++) {
        struct exec_counts *c = &r->engines[k].counts;
        const struct gpu_counts *counts = sm_counts(r->sms[k]);
        gpu_counts_add(&result->gpu, counts);
        room += counts->sm_active_cycles * r->kinds[kind_of(r, k)].kind->config.max_warps;
        add_techs(result, r, k);
        if (account) add_to_account(account, r, k);
        sm_collect(r->sms[k]);
#define COUNTER(name, unit, meaning) result->exec.name += c->name;
#include "exec/counters.def"
#undef COUNTER
        if (finished && !result->imbalance) result->imbalance = sm_check(r->sms[k]);
    }
    result->cycles = end > r->start ? end - r->start : 0;
    memory_system_counts(r->chip->memory, &result->memory);
    memory_counts_subtract(&result->memory, &r->before);
    if (finished && !result->imbalance) result->imbalance = memory_system_check(r->chip->memory);
    if (r->series) series_finish(r->series, result->cycles, &result->gpu, &result->memory);
    if (r->watcher) watcher_end(r->watcher, r->sms, r->count, r->now);
    result->occupancy = room ? (double)result->gpu.sm_warp_cycles / (double)room : 0;
}

// Those that no block comes to, too.
static void name_watched(struct run *r)
{
    for (unsigned k = 0; k < r->chip->kind_count; k++) {
        const struct gpu_kind *kind = &r->chip->kinds[k];
        for (unsigned sm = kind->first; sm < kind->first + kind->count; sm++)
            if (r->watcher->sms[sm]) memcpy(r->watcher->sms[sm]->class, kind->name, sizeof kind->name);
    }
}

static void begin_observing(struct run *r, const struct chip_account *account)
{
    r->series = account ? account->series : NULL;
    r->watcher = account ? account->watcher : NULL;
    if (r->series) series_begin(r->series, r->start, r->sms, r->count);
    if (!r->watcher) return;
    watcher_begin(r->watcher, r->launch, r->start, r->chip->config.gpu.sm_count);
    name_watched(r);
    for (unsigned k = 0; k < r->count; k++) sm_watch(r->sms[k], r->watcher->sms[r->engines[k].sm]);
}

static bool run_one(struct chip *c, const struct launch *l, uint64_t max_cycles, unsigned threads,
                    const struct chip_account *account, struct chip_result *result,
                    struct launch_fault *fault)
{
    struct run r;
    *result = (struct chip_result){0};
    *fault = (struct launch_fault){0};
    run_init(&r, c, l);
    r.max_cycles = max_cycles;
    r.look_at = r.start + c->config.gpu.stall;
    unsigned most = c->config.gpu.sm_count;
    struct workers *w = workers_create(threads < most ? threads : most);
    begin_observing(&r, account);
    place_first(&r);
    bool good = run_windows(&r, w, fault);
    workers_destroy(w);
    collect(&r, account, result, good);
    result->start = r.start;
    c->now = r.now;
    if (!good) { // requests of a launch that did not end are forgotten with the memory that has them
        memory_system_destroy(c->memory);
        c->memory = memory_system_create(&c->config.memory, c->config.gpu.sm_count);
    }
    run_fini(&r);
    return good;
}

// -- grids: for now one after the other ---------------------------------------------------------------------

struct grid {
    const struct launch *launch;
    uint64_t max_cycles;
    struct chip_account account;
    struct chip_result result;
    struct launch_fault fault;
    bool is_over, good;
};

struct grid *chip_begin(struct chip *c, const struct launch *l, uint64_t max_cycles,
                        const struct chip_account *account)
{
    struct grid *g = heap_alloc(sizeof *g);
    *g = (struct grid){.launch = l, .max_cycles = max_cycles};
    if (account) g->account = *account;
    vec_push(&c->grids, g);
    return g;
}

struct grid *chip_run(struct chip *c, unsigned threads)
{
    if (!c->grids.count) return NULL;
    struct grid *g = c->grids.data[0];
    if (!g->is_over)
        g->good = run_one(c, g->launch, g->max_cycles, threads, &g->account, &g->result, &g->fault);
    g->is_over = true;
    return g;
}

bool chip_end(struct chip *c, struct grid *g, struct chip_result *result, struct launch_fault *fault)
{
    bool good = g->good;
    *result = g->result;
    *fault = g->fault;
    memmove(c->grids.data, c->grids.data + 1, --c->grids.count * sizeof *c->grids.data);
    free(g);
    return good;
}

bool chip_run_alone(struct chip *c, const struct launch *l, uint64_t max_cycles, unsigned threads,
                    const struct chip_account *account, struct chip_result *result,
                    struct launch_fault *fault)
{
    struct grid *g = chip_begin(c, l, max_cycles, account);
    chip_run(c, threads);
    return chip_end(c, g, result, fault);
}

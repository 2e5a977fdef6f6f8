// Windows of simulated time, and the lifetime of grids.
#include "base/hash.h"
#include "chip/chip_impl.h"
#include "chip/workers.h"
#include "isa/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WATCH_NAME == (int)GPU_KIND_NAME, "a name is copied whole");
_Static_assert((int)CLUSTER_SMS == (int)CHIP_SMS, "SMs have a GPC");
_Static_assert((int)MEMORY_GRIDS == 32, "a bit each in chip.numbers");

static void make_memory(struct chip *c)
{
    memory_system_destroy(c->memory);
    c->memory = memory_system_create(&c->config.memory, c->config.sm_count);
}

static uint64_t window_of(const struct chip_config *c)
{
    struct memory_config m = c->memory;
    m.core_mhz = c->gpu.core_mhz;
    uint64_t window = memory_system_window(&m);
    return window < c->dispatch_latency ? window : c->dispatch_latency;
}

struct chip *chip_create(const struct chip_config *config)
{
    struct chip *c = heap_alloc(sizeof *c);
    c->config = *config;
    c->kind_count = chip_kinds(config, c->kinds);
    c->config.memory.core_mhz = config->gpu.core_mhz;
    c->config.memory.perfect = config->gpu.memory_perfect;
    c->config.memory.perfect_atomics = config->gpu.no_atomics;
    c->window = window_of(&c->config);
    struct strbuf why = {0};
    cluster_gpcs(config, c->gpc_of, &why); // checked by chip_fits
    strbuf_fini(&why);
    c->now = 1;
    dispatch_init(c);
    make_memory(c);
    return c;
}

static void destroy_sms(struct chip *c)
{
    for (unsigned sm = 0; sm < CHIP_SMS; sm++) {
        sm_destroy(c->sms[sm]);
        c->sms[sm] = NULL;
    }
    c->busy.count = c->engines.count = 0;
    c->is_looking = false;
}

void chip_destroy(struct chip *c)
{
    if (!c) return;
    for (size_t k = 0; k < c->grids.count; k++) {
        launch_fault_fini(&c->grids.data[k]->fault);
        grid_destroy(c->grids.data[k]);
    }
    destroy_sms(c);
    for (unsigned sm = 0; sm < CHIP_SMS; sm++) spare_fini(&c->spare[sm]);
    memory_system_destroy(c->memory);
    dispatch_fini(c);
    vec_fini(&c->grids);
    vec_fini(&c->busy);
    vec_fini(&c->code);
    vec_fini(&c->engines);
    free(c);
}

// Blocks of the launch resident at once, by SM, without other launches.
static void count_blocks(const struct chip_config *c, const struct launch *l, uint32_t blocks[CHIP_SMS])
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    for (unsigned k = 0, count = chip_kinds(c, kinds); k < count; k++) {
        struct chip_occupancy o;
        chip_occupancy(c, l, k, &o);
        uint32_t all = kinds[k].count ? kinds[k].count : c->sm_count;
        for (unsigned sm = kinds[k].first; sm < kinds[k].first + all && sm < CHIP_SMS; sm++)
            blocks[sm] = l->end_sm && (sm < l->first_sm || sm >= l->end_sm) ? 0 : o.blocks;
    }
}

bool chip_clusters(const struct chip_config *c, const struct launch *l, uint64_t *count, struct strbuf *why)
{
    uint8_t of[CHIP_SMS];
    uint32_t blocks[CHIP_SMS] = {0};
    if (!cluster_gpcs(c, of, why)) return false;
    count_blocks(c, l, blocks);
    *count = cluster_count(c, of, blocks, launch_cluster_size(l));
    return true;
}

static bool clusters_fit(const struct chip_config *c, const struct launch *l, struct strbuf *why)
{
    uint32_t size = launch_cluster_size(l);
    uint64_t count, window = window_of(c);
    if (size == 1) return true;
    if (c->gpu.dsmem_latency < window || c->gpu.cluster_barrier < window) {
        strbuf_printf(why,
                      "dsmem.latency is %u and cluster.barrier_latency %u, and both must be at least a "
                      "window of time, %" PRIu64 " cycles (icnt.latency)",
                      c->gpu.dsmem_latency, c->gpu.cluster_barrier, window);
        return false;
    }
    if (!chip_clusters(c, l, &count, why)) return false;
    if (!count)
        strbuf_printf(why, "a cluster of %u blocks, each on an SM of its own, fits on no GPC (gpu.gpcs)",
                      size);
    return count;
}

bool chip_fits(const struct chip_config *c, const struct launch *l, struct strbuf *why)
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned count = chip_kinds(c, kinds);
    return grid_shape_fits(kinds, count, l, why) && clusters_fit(c, l, why);
}

unsigned chip_kind_of(const struct chip *c, unsigned sm)
{
    unsigned k = 0;
    while (sm >= c->kinds[k].first + c->kinds[k].count) k++;
    return k;
}

// -- SMs ----------------------------------------------------------------------------------------------------

static void end_look(struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++) stall_end(c->busy.data[k]);
    c->is_looking = false;
    c->look_at = c->now + c->config.gpu.stall;
}

void chip_place(struct chip *c, struct grid *g, unsigned sm, uint64_t block, uint32_t warps, uint64_t cycle,
                const uint8_t *sms)
{
    // The stall check under way does not cover the grid's new part on the SM, so the check ends.
    if (c->is_looking && !g->by_sm[sm]) end_look(c);
    if (!c->sms[sm])
        c->sms[sm] =
            sm_create(&c->kinds[chip_kind_of(c, sm)].config, c->config.memory.line_bytes, sm, c->now);
    else if (!sm_has_grids(c->sms[sm]))
        c->sms[sm] = sm_renew(c->sms[sm], c->now);
    struct grid_part *p = grid_part_on(g, sm);
    p->warps += warps;
    sm_place(p->on, block, warps, cycle, sms);
}

// Rebuilds, if out of date, two lists: the SMs with a grid, and the execution engines of the grids on them.
// SMs without a grid are not simulated.
static void note_moves(struct chip *c)
{
    if (!c->has_moved) return;
    c->busy.count = c->engines.count = 0;
    for (unsigned sm = 0; sm < c->config.sm_count; sm++) {
        if (!c->sms[sm] || !sm_has_grids(c->sms[sm])) continue;
        vec_push(&c->busy, c->sms[sm]);
        for (size_t k = 0; k < c->grids.count; k++)
            if (c->grids.data[k]->by_sm[sm]) vec_push(&c->engines, &c->grids.data[k]->by_sm[sm]->engine);
    }
    c->has_moved = false;
}

// Whether no event is pending in any SM, in memory, or on the way between SMs and memory.
static bool all_quiet(const struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++)
        if (!sm_is_quiet(c->busy.data[k])) return false;
    return memory_system_next(c->memory, c->now) == UINT64_MAX;
}

// -- arrival of grids --------------------------------------------------------------------------------------

struct grid *chip_begin(struct chip *c, const struct launch *l, uint64_t max_cycles,
                        const struct chip_account *account)
{
    struct grid *g = heap_alloc(sizeof *g);
    g->chip = c;
    g->launch = l;
    g->max_cycles = max_cycles;
    if (account) g->account = *account;
    arena_init(&g->arena);
    vec_push(&c->grids, g);
    return g;
}

static size_t count_in(const struct chip *c, enum grid_state state)
{
    size_t n = 0;
    for (size_t k = 0; k < c->grids.count; k++) n += c->grids.data[k]->state == state;
    return n;
}

// Clears L2 lines left by an earlier grid with the same number. Both grids use the same L2 addresses for
// code, constants and local memory, with different contents. On an empty chip, the lines of all grids are
// cleared, except global memory under gpu.keep_caches and code under icache.keep.
static void clear_caches(struct chip *c, unsigned number, bool is_empty)
{
    uint64_t from = GPU_SPACE(number) + GPU_LOCAL_ADDRESS;
    uint64_t end = c->config.gpu.icache_keep ? GPU_SPACE(MEMORY_GRIDS) : UINT64_MAX;
    if (!is_empty)
        memory_system_clear_caches(c->memory, from, GPU_SPACE(number + 1));
    else
        memory_system_clear_caches(c->memory, c->config.keep_caches ? from : 0, end);
}

uint64_t chip_code_address(struct chip *c, const struct grid *g)
{
    enum { KERNELS = 4096 }; // kernels with an L2 code address of their own; further kernels reuse addresses
    if (!c->config.gpu.icache_keep) return GPU_SPACE(g->number) + GPU_CODE_ADDRESS;
    const struct program *p = g->launch->program;
    const struct known_code mine = {hash_bytes(p->name, strlen(p->name), 0), p->inst_count};
    size_t k = 0;
    while (k < c->code.count && (c->code.data[k].name != mine.name || c->code.data[k].count != mine.count))
        k++;
    if (k == c->code.count) vec_push(&c->code, mine);
    return GPU_SPACE(MEMORY_GRIDS + k % KERNELS) + GPU_CODE_ADDRESS;
}

// Starts recording a grid for the timeline. Every recorded SM gets the name of its class, even an SM without
// blocks.
static void begin_watching(struct chip *c, const struct grid *g)
{
    struct watcher *w = g->account.watcher;
    watcher_begin(w, g->launch, g->account.stream, g->number, g->begin, c->config.sm_count);
    for (unsigned k = 0; k < c->kind_count; k++) {
        const struct gpu_kind *kind = &c->kinds[k];
        for (unsigned sm = kind->first; sm < kind->first + kind->count; sm++)
            if (w->sms[sm]) memcpy(w->sms[sm]->class, kind->name, sizeof kind->name);
    }
}

// Begins waiting grids while grid numbers are free. After a failure of the last live grid, no grid begins
// until chip_end has removed every grid that had begun.
static void begin_waiting(struct chip *c)
{
    size_t waiting = count_in(c, GRID_WAITS), there = c->grids.count - waiting;
    if (!waiting || (c->is_broken && there)) return;
    bool is_alone = !there && waiting == 1, is_empty = !there;
    for (size_t k = 0; k < c->grids.count && c->numbers != UINT32_MAX; k++) {
        struct grid *g = c->grids.data[k];
        if (g->state != GRID_WAITS) {
            g->is_alone = g->is_alone && g->state == GRID_OVER;
            continue;
        }
        unsigned number = bit_lowest(~c->numbers);
        c->numbers |= 1u << number;
        clear_caches(c, number, is_empty);
        grid_begin(g, number, is_alone);
        is_empty = false;
        if (g->account.series) series_begin(g->account.series, g->begin);
        if (g->account.watcher) begin_watching(c, g);
    }
    c->windows = 0;
    end_look(c);
    dispatch_offer(c);
}

void chip_copied(struct chip *c, uint64_t address, uint64_t bytes)
{
    if (c->config.l2_copies) memory_system_fill(c->memory, address, bytes);
}

void chip_close_l2(struct chip *c, bool is_closed) { memory_system_close(c->memory, is_closed); }

// -- departure of grids ------------------------------------------------------------------------------------

static void finish(struct grid *g)
{
    grid_collect(g, true);
    struct chip_result *r = &g->result;
    for (size_t k = 0; k < g->parts.count && !r->imbalance; k++) {
        const struct sm *s = g->chip->sms[g->parts.data[k]->sm];
        if (!sm_is_shared(s)) r->imbalance = sm_check(s);
    }
    if (!r->imbalance) r->imbalance = g->chip->dispatch.broken;
    bool is_last = count_in(g->chip, GRID_LIVES) == 1 && !count_in(g->chip, GRID_DIES);
    if (!r->imbalance && is_last && all_quiet(g->chip)) r->imbalance = memory_system_check(g->chip->memory);
    g->good = true;
    g->state = GRID_OVER;
}

static void fail(struct grid *g, struct launch_fault fault)
{
    g->fault = fault;
    grid_collect(g, false);
    g->state = GRID_DIES;
    dispatch_offer(g->chip);
}

// Memory requests of failed grids drain while another grid lives. Without a live grid, outstanding requests
// are abandoned, and the chip is broken until chip_end has removed every begun grid.
static void bury(struct chip *c)
{
    if (!count_in(c, GRID_DIES)) return;
    bool is_last = !count_in(c, GRID_LIVES);
    c->is_broken |= is_last;
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (g->state != GRID_DIES) continue;
        for (size_t n = 0; n < g->parts.count && !is_last; n++) sm_kill(g->parts.data[n]->on);
        if (is_last || grid_is_done(g)) g->state = GRID_OVER;
    }
}

bool chip_end(struct chip *c, struct grid *g, struct chip_result *result, struct launch_fault *fault)
{
    bool good = g->good;
    size_t k = 0;
    *result = g->result;
    *fault = g->fault;
    while (c->grids.data[k] != g) k++;
    memmove(c->grids.data + k, c->grids.data + k + 1, (--c->grids.count - k) * sizeof *c->grids.data);
    c->numbers &= ~(1u << g->number);
    dispatch_forget(c, g);
    grid_destroy(g);
    if (c->is_broken && count_in(c, GRID_WAITS) == c->grids.count) {
        destroy_sms(c);
        make_memory(c);
        c->is_broken = false;
    }
    return good;
}

// -- between windows ----------------------------------------------------------------------------------------

static void check_faults(struct chip *c)
{
    struct launch_fault fault;
    for (size_t k = 0; k < c->grids.count; k++)
        if (c->grids.data[k]->state == GRID_LIVES && grid_take_fault(c->grids.data[k], &fault))
            fail(c->grids.data[k], fault);
}

// Whether a grid has ended. A grid alone on the chip ends once all its blocks have ended and nothing is
// pending anywhere. Beside other grids, all its blocks must have ended and all its requests be answered.
static bool is_done(const struct chip *c, const struct grid *g)
{
    return c->grids.count > 1 ? grid_is_done(g) : g->ended == g->blocks && all_quiet(c);
}

static void check_limits(struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        struct launch_fault fault;
        if (g->state == GRID_LIVES && grid_is_over_limit(g, is_done(c, g), &fault)) fail(g, fault);
    }
}

typedef void (*reason)(struct grid *g, struct launch_fault *fault);

static bool fail_if(struct chip *c, bool (*is_meant)(const struct grid *g), reason why)
{
    bool any = false;
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        struct launch_fault fault;
        if (g->state != GRID_LIVES || !is_meant(g)) continue;
        why(g, &fault);
        fail(g, fault);
        any = true;
    }
    return any;
}

static bool is_any(const struct grid *g) { return (void)g, true; }

// Fails the grids with a running block on some SM, all warps of the block started. The remaining grids only
// wait for room on SMs, and fail only if no grid has a fully started block.
static void fail_stuck(struct chip *c, reason why)
{
    if (!fail_if(c, grid_is_stuck, why)) fail_if(c, is_any, why);
}

static bool some_goes_on(const struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        const struct grid *g = c->grids.data[k];
        if (g->state == GRID_LIVES && g->ended < g->blocks) return true;
    }
    return false;
}

static void check_interrupted(struct chip *c)
{
    enum { WINDOWS = 64 }; // windows from one query to the next
    if (c->windows++ % WINDOWS || !launch_is_interrupted(c->grids.data[0]->launch)) return;
    fail_if(c, is_any, grid_fail_interrupted);
}

// -- launches that never end --------------------------------------------------------------------------------

static bool speaks_against_stall(const struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++)
        if (stall_is_over(c->busy.data[k])) return true;
    return false;
}

// Whether every warp on the chip is certain to spin or wait for ever, with some grid unfinished. Nothing is
// certain while a failed grid drains: warps not yet killed spin, and the grid's end may free other warps.
static bool is_stalled(const struct chip *c)
{
    if (count_in(c, GRID_DIES)) return false;
    for (size_t k = 0; k < c->busy.count; k++)
        if (!stall_is_certain(c->busy.data[k])) return false;
    return some_goes_on(c);
}

// Whether every warp on the chip has waited or polled for sim.patience cycles, with some grid unfinished.
// Never with sim.patience=0, or while a failed grid drains.
static bool has_lost_patience(const struct chip *c)
{
    uint64_t patience = c->config.gpu.patience;
    if (!patience || c->now - c->looked_since < patience || count_in(c, GRID_DIES)) return false;
    for (size_t k = 0; k < c->busy.count; k++)
        if (!stall_is_likely(c->busy.data[k], c->now, patience)) return false;
    return some_goes_on(c);
}

static void check_stalled(struct chip *c)
{
    bool is_over = c->is_looking && speaks_against_stall(c);
    if (c->is_looking && !is_over && is_stalled(c)) {
        fail_stuck(c, grid_fail_stalled);
    } else if (c->is_looking && !is_over && has_lost_patience(c)) {
        fail_stuck(c, grid_fail_waiting);
    } else if (is_over) {
        end_look(c);
    } else if (!c->is_looking && c->now >= c->look_at && c->config.gpu.stall) {
        for (size_t k = 0; k < c->busy.count; k++) stall_begin(c->busy.data[k]);
        c->is_looking = true;
        c->looked_since = c->now;
    }
}

// -- windows ------------------------------------------------------------------------------------------------

// The first cycle after `cycle` at which a live grid begins; UINT64_MAX: none.
static uint64_t next_begin(const struct chip *c, uint64_t cycle)
{
    uint64_t next = UINT64_MAX;
    for (size_t k = 0; k < c->grids.count; k++) {
        const struct grid *g = c->grids.data[k];
        if (g->state == GRID_LIVES && g->begin > cycle && g->begin < next) next = g->begin;
    }
    return next;
}

// With sim.skip_idle, skips windows without an event, up to the earliest cycle limit of a grid. Stops before
// the window in which a grid begins, which is accounted separately.
static void skip_windows(struct chip *c)
{
    if (!c->config.gpu.skip_idle) return;
    uint64_t soon = c->now + c->window, begin = next_begin(c, c->now);
    if (begin < soon) return;
    uint64_t next = begin == UINT64_MAX ? begin : begin - (begin - c->now) % c->window - 1;
    for (size_t k = 0; k < c->busy.count && next >= soon; k++) {
        uint64_t n = sm_next(c->busy.data[k]);
        if (n < next) next = n;
    }
    if (next < soon) return;
    uint64_t n = memory_system_next(c->memory, c->now);
    if (n < next) next = n;
    for (size_t k = 0; k < c->grids.count && next != UINT64_MAX; k++) {
        const struct grid *g = c->grids.data[k];
        if (g->state == GRID_LIVES && g->max_cycles && next > g->begin + g->max_cycles)
            next = g->begin + g->max_cycles;
    }
    if (next != UINT64_MAX && next > c->now) c->now += (next - c->now) / c->window * c->window;
}

// Runs piece k of a window's work: the SMs with a grid come first, then the memory partitions, which take less
// time.
static void run_piece(void *context, unsigned k)
{
    struct chip *c = context;
    if (k < c->busy.count)
        sm_run(c->busy.data[k], c->memory, c->until);
    else
        memory_system_run(c->memory, k - (unsigned)c->busy.count, c->until);
}

// Whether the window has too little work for a second thread: at most one SM has an event or gets replies.
static bool is_small(const struct chip *c)
{
    if (c->busy.count < 2) return true;
    if (memory_system_has_replies(c->memory)) return false;
    unsigned due = 0;
    for (size_t k = 0; k < c->busy.count && due < 2; k++) due += sm_next(c->busy.data[k]) < c->until;
    return due < 2;
}

// The same, asked seldom between large windows: the states of SMs are in the caches of other cores.
static bool is_small_window(struct chip *c)
{
    enum { WINDOWS = 8 };
    if (c->was_small || c->windows % WINDOWS == 0) c->was_small = is_small(c);
    return c->was_small;
}

static void run_pieces(struct chip *c, struct workers *w)
{
    unsigned count = memory_system_partitions(c->memory) + (unsigned)c->busy.count;
    if (workers_are_more(w) && is_small_window(c))
        workers_run_alone(w, run_piece, c, count);
    else
        workers_run(w, run_piece, c, count);
}

static void keep_series(struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (g->state == GRID_LIVES && g->account.series)
            series_keep(g->account.series, c->memory, g->number, &g->before, c->now);
    }
}

static void take_series(struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (g->state != GRID_LIVES || !g->account.series) continue;
        for (size_t n = 0; n < g->parts.count; n++) series_take(g->account.series, g->parts.data[n]->on);
        series_taken(g->account.series);
    }
}

static bool has_begun(const struct grid *g, uint64_t cycle)
{
    return g->state == GRID_LIVES && g->begin <= cycle;
}

// Charges the grids begun by cycle `since` with equal parts of two costs: `cycles` of the chip, and `idle`
// cycles of SMs without a warp.
static void share(struct chip *c, uint64_t since, uint64_t cycles, uint64_t idle)
{
    unsigned begun = 0;
    for (size_t k = 0; k < c->grids.count; k++) begun += has_begun(c->grids.data[k], since);
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (!has_begun(g, since)) continue;
        g->shared[begun].chip += cycles;
        g->shared[begun].idle += idle;
    }
}

// Charges the cycles from `from` to `until` to grids, split where a grid begins. Idle cycles of SMs are
// spread evenly over the span. A span inside which a grid begins is a single window (skip_windows).
static void share_out(struct chip *c, uint64_t from, uint64_t until)
{
    uint64_t idle = (until - from) * c->config.sm_count;
    for (size_t k = 0; k < c->busy.count; k++) idle -= sm_take_active(c->busy.data[k]);
    while (from < until) {
        uint64_t end = next_begin(c, from);
        if (end > until) end = until;
        uint64_t part = idle * (end - from) / (until - from);
        share(c, from, end - from, part);
        idle -= part;
        from = end;
    }
}

static void tell_window(struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (g->state == GRID_LIVES && g->has_window_hook) grid_tell_window(g);
    }
}

static void run_window(struct chip *c, struct workers *w)
{
    uint64_t from = c->now;
    skip_windows(c);
    c->until = c->now + c->window;
    tell_window(c);
    keep_series(c);
    memory_system_hand_over(c->memory, c->now);
    run_pieces(c, w);
    timed_commit(c->engines.data, (unsigned)c->engines.count);
    if (c->has_clusters) sm_exchange(c->sms, c->busy.data, c->busy.count);
    c->now = c->until;
    if (c->grids.data[0]->account.watcher) watcher_window(c->grids.data[0]->account.watcher, c->now);
    share_out(c, from, c->now);
}

// Shows the sums of a launch alone on the chip to its sampler, and counts blocks taken as ended.
static void let_sample(struct chip *c)
{
    struct grid *g = c->grids.data[0];
    struct chip_sampler *s = g->account.sampler;
    if (!s || g->state != GRID_LIVES || !g->is_alone || g->ended < s->due || g->next_block == g->blocks)
        return;
    struct chip_sums sums;
    grid_sums(g, &sums);
    uint64_t taken = s->take(s->context, &sums);
    g->next_block += taken;
    g->ended += taken;
}

static void end_those_done(struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++)
        if (c->grids.data[k]->state == GRID_LIVES && is_done(c, c->grids.data[k])) finish(c->grids.data[k]);
    bury(c);
}

static void look_after(struct chip *c)
{
    check_faults(c);
    keep_series(c);
    take_series(c);
    dispatch_hand_out(c);
    note_moves(c);
    let_sample(c);
    check_limits(c);
    if (some_goes_on(c) && all_quiet(c)) fail_stuck(c, grid_fail_deadlocked);
    check_stalled(c);
    check_interrupted(c);
    end_those_done(c);
}

static struct grid *one_over(const struct chip *c)
{
    for (size_t k = 0; k < c->grids.count; k++)
        if (c->grids.data[k]->state == GRID_OVER) return c->grids.data[k];
    return NULL;
}

struct grid *chip_run(struct chip *c, unsigned threads)
{
    struct grid *over = one_over(c);
    if (over || !c->grids.count) return over;
    unsigned most = c->config.sm_count;
    struct workers *w = workers_create(threads < most ? threads : most, &c->pace);
    begin_waiting(c);
    dispatch_hand_out(c);
    note_moves(c);
    while (!(over = one_over(c))) {
        run_window(c, w);
        look_after(c);
    }
    workers_destroy(w);
    return over;
}

bool chip_run_alone(struct chip *c, const struct launch *l, uint64_t max_cycles, unsigned threads,
                    const struct chip_account *account, struct chip_result *result,
                    struct launch_fault *fault)
{
    struct grid *g = chip_begin(c, l, max_cycles, account);
    chip_run(c, threads);
    return chip_end(c, g, result, fault);
}

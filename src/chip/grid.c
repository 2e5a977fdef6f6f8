// A launch on the chip: resources of its blocks, parts on SMs, reasons of failure, results.
#include "chip/chip_impl.h"
#include "isa/program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- what fits on an SM -------------------------------------------------------------------------------------

struct fit {
    struct need need;   // of a block
    uint32_t registers; // vector registers allocated for a warp
    uint32_t blocks;    // resident at once, without other grids
    const char *limit;
};

static void limit_to(struct fit *f, uint64_t blocks, const char *what)
{
    if (blocks >= f->blocks) return;
    f->blocks = (uint32_t)blocks;
    f->limit = what;
}

static uint32_t lanes_of(const struct launch *l) { return l->warp_size > 32 ? 64 : 32; }

static struct fit fit_on(const struct gpu_config *c, const struct launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t lanes = lanes_of(l), warps = (threads + l->warp_size - 1) / l->warp_size;
    struct fit f = {.blocks = c->max_blocks, .limit = "blocks (sm.blocks)"};
    uint64_t given = l->registers ? l->registers : l->program->reg_count;
    uint64_t unit = c->register_unit, registers = (given * lanes + unit - 1) / unit * unit;
    uint64_t shared = (l->shared_total + c->shared_unit - 1) / c->shared_unit * c->shared_unit;
    f.registers = (uint32_t)(registers / lanes);
    f.need = (struct need){.block = {.shared = (uint32_t)shared, .blocks = 1},
                           .warp = {.warps = 1, .registers = (uint32_t)registers},
                           .warps = (uint32_t)warps};
    limit_to(&f, c->max_warps / warps, "warps (sm.warps)");
    limit_to(&f, gpu_registers_for(c, (uint32_t)registers) / (registers * warps), "registers (sm.registers)");
    if (shared) limit_to(&f, c->shared_bytes / shared, "shared memory (sm.shared_bytes)");
    return f;
}

// Number of SMs of the kind that the launch may use (first_sm, end_sm).
static unsigned sms_of(const struct launch *l, const struct gpu_kind *kind)
{
    unsigned first = kind->first, end = kind->first + kind->count;
    if (!l->end_sm) return kind->count;
    if (first < l->first_sm) first = l->first_sm;
    if (end > l->end_sm) end = l->end_sm;
    return end > first ? end - first : 0;
}

// Appends the resource that leaves no room for a block, for each kind of SM that the launch may use: ", for
// want of registers (sm.registers) in class big, of warps (sm.warps) in class small".
static void print_wants(const struct gpu_kind *kinds, unsigned count, const struct launch *l,
                        struct strbuf *out)
{
    const char *before = ", for want";
    for (unsigned k = 0; k < count; k++) {
        if (!sms_of(l, &kinds[k])) continue;
        strbuf_printf(out, "%s of %s", before, fit_on(&kinds[k].config, l).limit);
        before = ",";
        if (*kinds[k].name) strbuf_printf(out, " in class %s", kinds[k].name);
    }
}

bool grid_shape_fits(const struct gpu_kind *kinds, unsigned count, const struct launch *l, struct strbuf *why)
{
    for (unsigned k = 0; k < count; k++)
        if (sms_of(l, &kinds[k]) && fit_on(&kinds[k].config, l).blocks) return true;
    strbuf_printf(
        why, "a block of %u warps, %u registers a thread and %u bytes of shared memory does not fit on an SM",
        fit_on(&kinds[0].config, l).need.warps, l->registers ? l->registers : l->program->reg_count,
        l->shared_total);
    print_wants(kinds, count, l, why);
    return false;
}

bool chip_occupancy(const struct chip_config *c, const struct launch *l, unsigned kind,
                    struct chip_occupancy *out)
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    if (kind >= chip_kinds(c, kinds)) return false;
    const struct gpu_config *all = &kinds[kind].config;
    const struct fit f = fit_on(all, l);
    const struct need *n = &f.need;
    *out = (struct chip_occupancy){.warps = n->warps,
                                   .registers = n->warps * n->warp.registers,
                                   .shared = n->block.shared,
                                   .blocks = f.blocks,
                                   .limit = f.limit};
    out->free_registers = all->registers - f.blocks * out->registers;
    out->free_warps = all->max_warps - f.blocks * n->warps;
    bool comes = f.blocks && f.blocks < all->max_blocks &&
                 all->shared_bytes - f.blocks * n->block.shared >= n->block.shared;
    uint32_t for_warps = gpu_registers_for(all, n->warp.registers);
    uint32_t by_registers = (for_warps - f.blocks * out->registers) / n->warp.registers;
    if (comes) out->more = by_registers < out->free_warps ? by_registers : out->free_warps;
    return true;
}

// -- begin of a grid ---------------------------------------------------------------------------------------

// Numbers of vector registers (one register of all lanes) that decide how many registers mechanisms may get
// as pools for renaming.
struct spare {
    uint32_t all, own; // all: vector registers of the SM; own: allocated to the warps of one block
    uint32_t tails;    // part of `own` added by rounding up to allocation units; 0 under dispatch by warp
};

static struct spare spare_of(const struct sm_launch *l, const struct fit *fit, const struct need *need)
{
    uint32_t used = l->launch->registers ? l->launch->registers : l->launch->program->reg_count;
    uint32_t tails = fit->registers > used && !l->admit ? need->warps * (fit->registers - used) : 0;
    return (struct spare){l->kind->config.registers / lanes_of(l->launch), need->warps * fit->registers,
                          tails};
}

static uint32_t wanted_by(const struct sm_launch *l, unsigned k, enum tech_pool_from from)
{
    const struct tech *t = l->techs[k]->tech;
    if (!l->tech_states[k] || !t->registers || !t->registers->registers) return 0;
    assert(t->claims & CLAIMS(POOL));
    bool is_so =
        from == (t->registers->pool_from ? t->registers->pool_from(l->tech_states[k]) : TECH_POOL_LEFT_OVER);
    return is_so ? t->registers->registers(l->tech_states[k]) : 0;
}

// Gives the mechanisms, in order of index, the registers wanted from the source `from`, until all pools
// together hold `spare` vector registers.
static void give_from(struct sm_launch *l, enum tech_pool_from from, uint32_t spare)
{
    for (unsigned k = 0; k < l->tech_count; k++) {
        uint32_t wanted = wanted_by(l, k, from);
        if (!wanted || l->pool >= spare) continue;
        l->pools[k] = (struct sm_pool){l->pool, wanted < spare - l->pool ? wanted : spare - l->pool};
        l->pool += l->pools[k].count;
    }
}

// Gives mechanisms their pools of vector registers. Pools set apart come first and limit the blocks per SM:
// as many blocks as fit together with their pools, at least one block. Other pools share the registers left
// over, or only the block's own tails, and a block brings its pool along. Under dispatch by warp the tails of
// allocation units come and go with warps. A block then has only registers set apart, or its share of the
// registers left over by whole blocks.
static void give_pools(struct sm_launch *l, const struct fit *fit, struct need *need)
{
    struct spare s = spare_of(l, fit, need);
    give_from(l, TECH_POOL_SET_APART, s.all - s.own + s.tails);
    uint32_t apart = l->pool > s.tails ? l->pool - s.tails : 0, blocks = s.all / (s.own + apart);
    if (blocks > fit->blocks) blocks = fit->blocks;
    give_from(l, TECH_POOL_OWN_UNITS, s.tails);
    give_from(l, TECH_POOL_LEFT_OVER, (s.all - blocks * s.own) / blocks + s.tails);
    if (l->pool > s.tails) need->block.registers = (l->pool - s.tails) * lanes_of(l->launch);
    l->warps_by_block = blocks * need->warps;
    if (l->admit) return;
    l->blocks_per_sm = blocks;
    l->places = blocks * need->warps;
}

// Selects dispatch by warp: the launch gets as many places (numbers of warps on an SM) as warps fit on the
// SM.
static void dispatch_by_warp(struct sm_launch *l, const struct need *need, unsigned tech)
{
    const struct gpu_config *c = &l->kind->config;
    uint32_t by_registers = c->registers / need->warp.registers;
    assert(l->techs[tech]->tech->claims & CLAIMS(DISPATCH));
    l->admit = l->techs[tech]->tech->dispatch->admit;
    l->admits = l->tech_states[tech];
    l->places = by_registers < c->max_warps ? by_registers : c->max_warps;
    l->blocks_per_sm = c->max_blocks;
}

static bool goes_by_warp(const struct sm_launch *l, unsigned k)
{
    const struct tech_dispatch *d = l->techs[k]->tech->dispatch;
    return l->tech_states[k] && d && d->admit && (!d->by_warp || d->by_warp(l->tech_states[k]));
}

// Begins the launch in the mechanisms, which may inspect the launch, select dispatch by warp and get pools of
// registers.
static void begin_techs(const struct chip_config *c, struct sm_launch *l, const struct fit *fit,
                        struct need *need)
{
    l->tech_count = c->tech_count;
    for (unsigned k = 0; k < c->tech_count; k++) {
        l->techs[k] = &l->grid->uses[k];
        l->tech_states[k] = c->techs[k].tech->launch_begin(l->techs[k], l);
        if (goes_by_warp(l, k)) dispatch_by_warp(l, need, k);
    }
    for (unsigned k = 0; k < l->tech_count; k++) {
        uint32_t claims = l->tech_states[k] ? l->techs[k]->tech->claims : 0;
        l->has_port |= (claims & CLAIMS(ISSUE_PORT)) != 0;
        l->has_guest |= (claims & CLAIMS(GUEST_STREAM)) != 0;
    }
    give_pools(l, fit, need);
}

static bool has_window(const struct sm_launch *l, unsigned k)
{
    const struct tech_dispatch *d = l->techs[k]->tech->dispatch;
    return l->tech_states[k] && d && d->window;
}

static bool has_window_hook(const struct sm_launch *l)
{
    for (unsigned k = 0; k < l->tech_count; k++)
        if (has_window(l, k)) return true;
    return false;
}

static void end_techs(struct sm_launch *l)
{
    for (unsigned k = 0; k < l->tech_count; k++)
        if (l->tech_states[k]) l->techs[k]->tech->launch_end(l->tech_states[k]);
}

static void begin_kind(struct grid *g, unsigned k, const struct fit *fit)
{
    const struct chip *c = g->chip;
    const struct gpu_kind *kind = &c->kinds[k];
    struct sm_launch *l = &g->kinds[k];
    uint32_t used = g->launch->program->reg_count;
    *l = (struct sm_launch){.grid = g,
                            .number = g->number,
                            .space = GPU_SPACE(g->number),
                            .code = GPU_SPACE(g->number) + GPU_CODE_ADDRESS,
                            .kept_code = chip_code_address(g->chip, g),
                            .memory = &c->config.memory,
                            .kind = kind,
                            .launch = g->launch,
                            .window = c->window,
                            .warps_per_block = fit->need.warps,
                            .warps_by_block = fit->blocks * fit->need.warps,
                            .registers_per_warp = fit->registers > used ? fit->registers : used};
    if (kind->config.icache_warm) l->code = l->kept_code;
    g->needs[k] = fit->need;
    if (!fit->blocks) return;
    gpu_decode(&l->decoded, g->launch->program, &kind->config, c->config.memory.line_bytes, &g->arena);
    begin_techs(&c->config, l, fit, &g->needs[k]);
    g->has_window_hook |= has_window_hook(l);
}

// Blocks are dealt one by one to SMs in rounds, skipping full SMs. Returns the number of rounds until no
// blocks are left or all SMs are full.
static uint32_t rounds_of(const struct grid *g, const struct fit *fits)
{
    uint64_t left = g->blocks;
    for (uint32_t rounds = 0;; rounds++) {
        uint64_t sms = 0; // not full
        for (unsigned k = 0; k < g->chip->kind_count; k++)
            if (fits[k].blocks > rounds) sms += sms_of(g->launch, &g->chip->kinds[k]);
        if (!left || !sms) return rounds;
        left -= sms < left ? sms : left;
    }
}

// Under dispatch by block, a grid alone on the chip has at most as many blocks on an SM as rounds_of deals.
// Later blocks replace ended blocks.
void grid_begin(struct grid *g, unsigned number, bool is_alone)
{
    struct chip *c = g->chip;
    struct fit fits[GPU_KINDS_MAX];
    g->state = GRID_LIVES;
    g->number = (uint8_t)number;
    g->is_alone = is_alone;
    g->start = c->now;
    g->begin = c->now + c->config.launch_latency;
    for (unsigned k = 0; k < c->config.tech_count; k++) {
        g->uses[k] = c->config.techs[k];
        g->uses[k].mismatches = &g->mismatches;
    }
    g->blocks = (uint64_t)g->launch->grid[0] * g->launch->grid[1] * g->launch->grid[2];
    for (unsigned k = 0; k < c->kind_count; k++) {
        fits[k] = fit_on(&c->kinds[k].config, g->launch);
        if (!sms_of(g->launch, &c->kinds[k])) fits[k].blocks = 0;
    }
    g->cluster = launch_cluster_size(g->launch);
    c->has_clusters |= g->cluster > 1;
    // Clusters do not fill all SMs evenly.
    uint32_t rounds = is_alone && g->cluster == 1 ? rounds_of(g, fits) : UINT32_MAX;
    for (unsigned k = 0; k < c->kind_count; k++) {
        if (rounds < fits[k].blocks) fits[k].blocks = rounds;
        begin_kind(g, k, &fits[k]);
    }
    memory_system_counts(c->memory, number, &g->before);
}

// -- parts on SMs ------------------------------------------------------------------------------------------

bool grid_has_blocks(const struct grid *g, unsigned sm)
{
    const struct launch *l = g->launch;
    return g->state == GRID_LIVES && g->next_block < g->blocks &&
           (!l->end_sm || (sm >= l->first_sm && sm < l->end_sm)) &&
           g->kinds[chip_kind_of(g->chip, sm)].blocks_per_sm;
}

uint32_t grid_warps_on(const struct grid *g, unsigned sm) { return g->by_sm[sm] ? g->by_sm[sm]->warps : 0; }

struct grid_part *grid_part_on(struct grid *g, unsigned sm)
{
    if (g->by_sm[sm]) return g->by_sm[sm];
    struct grid_part *p = heap_alloc(sizeof *p);
    p->sm = sm;
    timed_init(&p->engine, g->launch, sm, g->parts.count ? &g->parts.data[0]->engine : NULL,
               &g->chip->spare[sm]);
    p->on = sm_admit(g->chip->sms[sm], &g->kinds[chip_kind_of(g->chip, sm)], &p->engine);
    g->by_sm[sm] = p;
    vec_push(&g->parts, p);
    for (size_t k = g->parts.count - 1; k && g->parts.data[k - 1]->sm > sm; k--) {
        g->parts.data[k] = g->parts.data[k - 1];
        g->parts.data[k - 1] = p;
    }
    if (g->account.series) series_join(g->account.series, p->on);
    if (g->account.watcher) sm_watch(g->chip->sms[sm], g->account.watcher->sms[sm]);
    g->chip->has_moved = true;
    return p;
}

void grid_leave_sms(struct grid *g)
{
    for (size_t k = g->parts.count; k-- > 0;) {
        struct grid_part *p = g->parts.data[k];
        sm_dismiss(p->on);
        if (!sm_has_grids(g->chip->sms[p->sm])) sm_watch(g->chip->sms[p->sm], NULL);
        timed_fini(&p->engine);
        g->by_sm[p->sm] = NULL;
        free(p);
    }
    g->parts.count = 0;
    g->chip->has_moved = true;
}

void grid_destroy(struct grid *g)
{
    grid_leave_sms(g);
    for (unsigned k = 0; k < g->chip->kind_count; k++) end_techs(&g->kinds[k]);
    vec_fini(&g->parts);
    arena_fini(&g->arena);
    free(g);
}

static void tell_window(struct grid *g, unsigned kind, unsigned n)
{
    const struct sm_launch *l = &g->kinds[kind];
    struct tech_view v; // only the first v.count entries of v.sms are set
    v.now = g->chip->now;
    v.count = 0;
    for (size_t k = 0; k < g->parts.count; k++) {
        const struct grid_part *p = g->parts.data[k];
        const uint64_t *counters = sm_tech_counts(p->on, l->techs[n]);
        if (!counters || chip_kind_of(g->chip, p->sm) != kind) continue;
        v.sms[v.count++] = (struct tech_sm){p->sm, sm_counts(p->on), counters};
    }
    l->techs[n]->tech->dispatch->window(l->tech_states[n], &v);
}

void grid_tell_window(struct grid *g)
{
    for (unsigned k = 0; k < g->chip->kind_count; k++)
        for (unsigned n = 0; n < g->kinds[k].tech_count; n++)
            if (has_window(&g->kinds[k], n)) tell_window(g, k, n);
}

bool grid_is_done(const struct grid *g)
{
    if (g->state == GRID_LIVES && g->ended < g->blocks) return false;
    for (size_t k = 0; k < g->parts.count; k++)
        if (!sm_is_done_with(g->parts.data[k]->on)) return false;
    return true;
}

bool grid_is_stuck(const struct grid *g)
{
    for (size_t k = 0; k < g->parts.count; k++)
        if (sm_stuck_block(g->parts.data[k]->on)) return true;
    return false;
}

uint64_t grid_end_of(const struct grid *g)
{
    uint64_t end = g->last_end;
    for (size_t k = 0; k < g->parts.count; k++)
        if (sm_last_reply(g->parts.data[k]->on) > end) end = sm_last_reply(g->parts.data[k]->on);
    return end;
}

// -- early end ---------------------------------------------------------------------------------------------

static bool has_company(const struct grid *g)
{
    for (size_t k = 0; k < g->chip->grids.count; k++) {
        const struct grid *other = g->chip->grids.data[k];
        if (other != g && other->parts.count) return true;
    }
    return false;
}

static void append_report(struct grid *g, struct launch_fault *fault)
{
    struct strbuf text = {0};
    unsigned stuck = 0; // number of SMs with running blocks
    if (fault->text) strbuf_puts(&text, fault->text);
    for (size_t k = 0; k < g->parts.count; k++) {
        if (!sm_has_blocks(g->parts.data[k]->on) || stuck++) continue;
        strbuf_putc(&text, '\n');
        sm_report(g->parts.data[k]->on, g->begin, &text);
    }
    if (!g->next_block)
        strbuf_printf(&text, "\n  no block has started%s",
                      has_company(g) ? ": other launches have the room" : "");
    if (stuck > 1)
        strbuf_printf(&text, "\n  and %u more SM%s with unfinished blocks", stuck - 1, stuck == 2 ? "" : "s");
    free(fault->text);
    fault->text = text.text;
}

bool grid_take_fault(struct grid *g, struct launch_fault *fault)
{
    struct timed_engine *first = NULL;
    for (size_t k = 0; k < g->parts.count; k++) {
        struct timed_engine *t = &g->parts.data[k]->engine;
        if (t->fault.kind != FAULT_NONE && (!first || t->fault_cycle < first->fault_cycle)) first = t;
    }
    if (!first) return false;
    *fault = first->fault;
    first->fault = (struct launch_fault){0};
    return true;
}

void grid_fail_deadlocked(struct grid *g, struct launch_fault *fault)
{
    struct grid_part *where = NULL;
    uint64_t owed = 0;
    for (size_t k = g->parts.count; k-- > 0;) {
        if (sm_stuck_block(g->parts.data[k]->on)) where = g->parts.data[k];
        owed += sm_unanswered(g->parts.data[k]->on);
    }
    if (owed || !where) {
        struct strbuf text = {0};
        strbuf_printf(
            &text, "kernel %s: deadlock: %" PRIu64 " memory request%s no reply, and nothing else can happen",
            g->launch->program->name, owed, owed == 1 ? " has" : "s have");
        *fault = (struct launch_fault){.kind = FAULT_DEADLOCK, .text = text.text};
    } else {
        exec_fault_deadlock(sm_stuck_block(where->on));
        *fault = where->engine.fault;
        where->engine.fault = (struct launch_fault){0};
    }
    append_report(g, fault);
}

static void stop_at_limit(struct grid *g, const char *limit, uint64_t value, bool is_time,
                          struct launch_fault *fault)
{
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s stopped: the limit of %" PRIu64 " %s is reached, %" PRIu64 " of %" PRIu64
                  " blocks have ended",
                  g->launch->program->name, value, limit, g->ended, g->blocks);
    if (is_time && g->begin > g->start)
        strbuf_printf(&text,
                      "\n  cycles count from when the first block could start, %" PRIu64
                      " after the launch (gpu.launch_latency)",
                      g->begin - g->start);
    *fault = (struct launch_fault){.kind = FAULT_LIMIT, .text = text.text};
    append_report(g, fault);
}

uint64_t grid_age(const struct grid *g) { return g->chip->now > g->begin ? g->chip->now - g->begin : 0; }

// True: the grid is over max_cycles or the limit of warp instructions, and *fault says which. The cycles of a
// grid that is done count to its end, not to the end of the window.
bool grid_is_over_limit(struct grid *g, bool is_done, struct launch_fault *fault)
{
    if (g->max_cycles && grid_age(g) > g->max_cycles &&
        (!is_done || grid_end_of(g) - g->begin > g->max_cycles)) {
        stop_at_limit(g, "cycles (--max-cycles)", g->max_cycles, true, fault);
        return true;
    }
    uint64_t issued = 0, most = g->launch->max_warp_instructions;
    for (size_t k = 0; most && k < g->parts.count; k++)
        issued += sm_counts(g->parts.data[k]->on)->issue_issued;
    if (!most || issued <= most) return false;
    stop_at_limit(g, "warp instructions (exec.max_warp_instructions)", most, false, fault);
    return true;
}

void grid_fail_stalled(struct grid *g, struct launch_fault *fault)
{
    uint64_t since = g->chip->looked_since > g->begin ? g->chip->looked_since - g->begin : 0;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s will never end: since cycle %" PRIu64
                  " every warp has returned to an earlier state or waited, and no byte of memory has changed",
                  g->launch->program->name, since);
    *fault = (struct launch_fault){.kind = FAULT_STALL, .text = text.text};
    append_report(g, fault);
}

void grid_fail_waiting(struct grid *g, struct launch_fault *fault)
{
    uint64_t now = g->chip->now, waited = now - g->chip->looked_since;
    if (waited > grid_age(g)) waited = grid_age(g);
    struct strbuf text = {0};
    strbuf_printf(
        &text,
        "kernel %s stopped: for %" PRIu64
        " cycles no byte of memory has changed, and every warp has waited or read the same words again "
        "(sim.patience=%" PRIu64 "; 0 waits for ever)",
        g->launch->program->name, waited, (uint64_t)g->chip->config.gpu.patience);
    *fault = (struct launch_fault){.kind = FAULT_STALL, .text = text.text};
    append_report(g, fault);
}

void grid_fail_interrupted(struct grid *g, struct launch_fault *fault)
{
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s: interrupted after %" PRIu64 " cycles, %" PRIu64 " of %" PRIu64
                  " blocks have ended",
                  g->launch->program->name, grid_age(g), g->ended, g->blocks);
    *fault = (struct launch_fault){.kind = FAULT_INTERRUPTED, .text = text.text};
    append_report(g, fault);
}

// -- results -----------------------------------------------------------------------------------------------

static void add_to_account(const struct chip_account *account, const struct grid *g,
                           const struct grid_part *p)
{
    if (account->inst_slots) sm_add_inst_slots(p->on, account->inst_slots);
    const uint64_t *saved = sm_inst_saved(p->on);
    for (size_t n = 0; account->inst_saved && saved && n < g->launch->program->inst_count * SAVINGS; n++)
        account->inst_saved[n] += saved[n];
    if (account->sms) gpu_counts_add(&account->sms[p->sm], sm_counts(p->on));
}

static void add_techs(struct grid *g, const struct grid_part *p)
{
    unsigned kind = chip_kind_of(g->chip, p->sm);
    for (unsigned n = 0; n < g->kinds[kind].tech_count; n++) {
        const uint64_t *counts = sm_tech_counts(p->on, g->kinds[kind].techs[n]);
        for (size_t i = 0; counts && i < TECH_COUNTERS_MAX; i++) {
            g->result.techs[n][i] += counts[i];
            g->result.kind_techs[kind][n][i] += counts[i];
        }
    }
}

// The grid's charge for shared cycles, of the chip or of idle SMs, rounded down.
static uint64_t borne(const struct grid *g, bool of_idle)
{
    enum { SHIFT = 20 }; // fractional bits of a cycle
    uint64_t parts = 0;
    for (unsigned n = 1; n <= MEMORY_GRIDS; n++)
        parts += ((of_idle ? g->shared[n].idle : g->shared[n].chip) << SHIFT) / n;
    return parts >> SHIFT;
}

// Blocks resident at once with every SM of the launch full.
static uint64_t wave_of(const struct grid *g)
{
    uint64_t blocks = 0;
    for (unsigned k = 0; k < g->chip->kind_count; k++)
        blocks += (uint64_t)g->kinds[k].blocks_per_sm * sms_of(g->launch, &g->chip->kinds[k]);
    return blocks;
}

void grid_sums(struct grid *g, struct chip_sums *sums)
{
    *sums = (struct chip_sums){.cycle = grid_age(g),
                               .ended = g->ended,
                               .next = g->next_block,
                               .blocks = g->blocks,
                               .wave = wave_of(g),
                               .unanswered = memory_system_unanswered(g->chip->memory)};
    for (size_t k = 0; k < g->parts.count; k++) gpu_counts_add(&sums->gpu, sm_counts(g->parts.data[k]->on));
    memory_system_counts(g->chip->memory, g->number, &sums->memory);
    memory_counts_subtract(&sums->memory, &g->before);
}

void grid_collect(struct grid *g, bool finished)
{
    struct chip_result *result = &g->result;
    struct chip *c = g->chip;
    // room: warp slots x active cycles
    uint64_t end = finished ? grid_end_of(g) : c->now, room = 0;
    for (size_t k = 0; k < g->parts.count; k++) {
        struct grid_part *p = g->parts.data[k];
        const struct gpu_counts *counts = sm_counts(p->on);
        gpu_counts_add(&result->gpu, counts);
        room += counts->sm_active_cycles * c->kinds[chip_kind_of(c, p->sm)].config.max_warps;
        add_techs(g, p);
        add_to_account(&g->account, g, p);
        sm_collect(p->on);
#define COUNTER(name, unit, meaning) result->exec.name += p->engine.counts.name;
#include "exec/counters.def"
#undef COUNTER
        if (finished && !result->imbalance) result->imbalance = sm_check_grid(p->on);
    }
    result->start = g->start;
    result->mismatches = g->mismatches;
    result->overhead = g->begin - g->start;
    result->cycles = end > g->begin ? end - g->begin : 0;
    result->chip_cycles = g->is_alone ? result->cycles : borne(g, false);
    result->sm_cycles =
        g->is_alone ? result->cycles * c->config.sm_count : result->gpu.sm_active_cycles + borne(g, true);
    memory_system_counts(c->memory, g->number, &result->memory);
    memory_counts_subtract(&result->memory, &g->before);
    if (g->account.series) series_finish(g->account.series, result->cycles, &result->gpu, &result->memory);
    if (g->account.watcher) watcher_end(g->account.watcher, g->number, end > c->now ? end : c->now);
    result->occupancy = room ? (double)result->gpu.sm_warp_cycles / (double)room : 0;
}

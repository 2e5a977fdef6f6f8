// DARSIE (dimensionality-aware redundant SIMT instruction elimination): one warp of a block executes an
// instruction with a result common to several warps. The remaining warps skip the instruction, if possible
// before fetch, and read the first warp's registers. docs/explanation/techniques/darsie.md lists the gaps and
// unsound points of the paper and the decisions taken.
#include "tech/darsie/darsie.h"
#include "decouple/decouple.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/units.h"
#include "mark/access.h"
#include "tech/registry.h"

#include <stdlib.h>
#include <string.h>

static const char *const switch_words[] = {"off", "on", NULL};
static const char *const order_words[] = {"version", "sync-on-write", NULL};
static const char *const on_store_words[] = {"drop", "keep", "overlap", NULL};
static const char *const on_barrier_words[] = {"arrived", "over", NULL};
static const char *const branch_sync_words[] = {"majority", "parting", "first", "off", NULL};
static const char *const pending_words[] = {"wait", "private", NULL};
static const char *const full_words[] = {"private", "wait", "loads", "replace", NULL};
static const char *const pool_from_words[] = {"tails", "reserve", "block", NULL};
static const char *const darsie_rules_words[] = {"sound", "paper", NULL};

static const struct config_key keys[] = {
#define OPTION_U32(...) CONFIG_ROW_U32(struct darsie_options, __VA_ARGS__)
#define OPTION_SWITCH(field, name, initial, meaning, source)                                                 \
    CONFIG_ROW_WORD(struct darsie_options, field, name, switch, "off,on", initial, meaning, source)
#define OPTION_WORD(...) CONFIG_ROW_WORD(struct darsie_options, __VA_ARGS__)
#include "tech/darsie/options.def"
#undef OPTION_U32
#undef OPTION_SWITCH
#undef OPTION_WORD
};

static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/darsie/counters.def"
#undef COUNTER
};
_Static_assert((int)COUNT_TOTAL <= (int)TECH_COUNTERS_MAX, "room for the counters");

bool orders_loads(const struct darsie_options *o, const struct inst *i)
{
    return isa_has(i, ISA_ATOMIC | ISA_FENCE | ISA_BARRIER) ||
           (isa_has(i, ISA_LOAD) && i->sem == SEM_ACQUIRE && o->rules == RULES_SOUND);
}

// -- a launch -----------------------------------------------------------------------------------------------

// Whether younger instructions of the warp are renamed only after the instruction has issued. Effects on
// memory, and warps released by a barrier, decide whether younger instructions may be shared.
static bool holds_up(const struct darsie_options *o, const struct inst *i)
{
    return isa_table[i->op].unit == UNIT_CONTROL || orders_loads(o, i) ||
           isa_has(i, ISA_BRANCH | ISA_EXIT | ISA_STORE | ISA_SIDE_EFFECT);
}

static bool asks(const struct inst *i)
{
    return isa_is_conditional(i) || (isa_has(i, ISA_INDIRECT) && i->op != OP_RET);
}

static bool asks_from(const struct program *p, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n <= last; n++)
        if (isa_has(&p->insts[n], ISA_BRANCH | ISA_EXIT) && asks(&p->insts[n])) return true;
    return false;
}

// Whether a loop may lack a conditional branch: a loop left only by exits, or an endless loop.
static bool has_other_loops(const struct program *p)
{
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct inst *i = &p->insts[n];
        bool turns =
            isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_EXIT | ISA_INDIRECT | ISA_CALL) && i->target <= n;
        if (isa_has(i, ISA_EXIT) && asks(i)) return true;
        if (turns && !asks_from(p, i->target, n)) return true;
    }
    return false;
}

// The effect of a branch on warps of the path. One direction for all warps is not enough. A warp comes to the
// same instructions again, in a later iteration or call. Its results as a leader are not meant for warps in
// an earlier iteration. So on every way back warps meet or branches are counted: at the conditional branches
// of a loop, and at calls and returns. Also at an unconditional backward branch, if branches are counted or a
// loop may lack a conditional branch (`exits`).
static enum branch_effect effect_of(const struct darsie_launch *d, uint32_t n, const struct mark *m,
                                    unsigned met, bool exits)
{
    const struct inst *i = &d->program->insts[n];
    bool again = isa_has(i, ISA_CALL) || i->op == OP_RET || (i->target <= n && (exits || d->counts));
    if (!isa_has(i, ISA_BRANCH) || isa_has(i, ISA_EXIT) || !(asks(i) || again)) return BRANCH_NOTHING;
    if (!d->counts) return BRANCH_MEET;
    bool parts = m->way == MARK_VECTOR || (m->way == MARK_CONDITIONAL && (m->way_conditions & ~met));
    return asks(i) && parts && d->options->branch_sync != BRANCH_FIRST ? BRANCH_MEET : BRANCH_COUNT;
}

static bool is_plain(const struct darsie_launch *d, uint32_t n)
{
    const struct inst *i = &d->program->insts[n];
    return !d->blocks[n] && !holds_up(d->options, i) && !isa_has(i, ISA_STORE);
}

static bool blocks(const struct darsie_options *o, const struct inst *i)
{
    return o->broken >> RULE_HELD_UP & 1 ? isa_table[i->op].unit == UNIT_CONTROL : holds_up(o, i);
}

static uint8_t period_of(const struct darsie_options *options, const struct marks *m, uint32_t n,
                         const uint32_t block[3])
{
    const struct mark *mark = &m->marks[n];
    const struct inst *i = &m->program->insts[n];
    struct op o = {0};
    gpu_decode_results(&o, i);
    bool kept = mark->guarded || blocks(options, i) || (!o.dst_words && !o.pred_writes) || o.dst_words > 4;
    bool predicates =
        o.pred_writes && options->predicates && __builtin_popcount(o.pred_writes) <= 2 && o.path == PATH_ALU;
    if (kept || !(mark->shareable || predicates) || (o.pred_writes && !predicates)) return 0;
    if (options->partial && isa_has(i, ISA_CROSS_LANE)) return 0;
    uint32_t period = mark_warp_classes(&m->rules, mark, block);
    return period > 64 ? 0 : (uint8_t)period;
}

static struct marks *marks_of(const struct tech_use *u, const struct program *p, unsigned warp_size)
{
    struct mark_rules rules;
    mark_rules_from(&rules, u->marks, warp_size);
    if (((const struct darsie_options *)u->options)->rules == RULES_PAPER) rules.paper = true;
    return marks_compute(p, &rules);
}

// Sets shared[n] for instructions with a result to share in blocks of this shape. There must be two warps of
// one class: numbers differing by a multiple of the period. Without them, no led instruction is ever skipped.
static void shares(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                   unsigned warp_size, bool *shared)
{
    struct marks *m = marks_of(u, p, warp_size);
    uint32_t warps = (block[0] * block[1] * block[2] + warp_size - 1) / warp_size;
    for (uint32_t n = 0; n < p->inst_count; n++) {
        uint32_t period = period_of(u->options, m, n, block);
        shared[n] |= period && period < warps;
    }
    marks_free(m);
}

// -- beside decoupled streams -------------------------------------------------------------------------------
// Instructions executed by another stream in place of the warps. An instruction with a value from the stream
// is neither led nor followed. The value carries no poison, since the stream loads nothing.

static bool is_for_warps_alone(const struct decouple_plan *plan, uint32_t n)
{
    return !plan || (decouple_is_for_warps(plan, n) && !plan->insts[n].site);
}

static struct op without_queued(const struct decouple_inst *n, const struct inst *i, const struct op *o)
{
    struct op x = *o;
    x.read_count = 0;
    for (unsigned k = 0; k < o->read_count; k++)
        if (!decouple_dequeues_register(n, i, o->reads[k])) x.reads[x.read_count++] = o->reads[k];
    x.pred_reads &= (uint8_t)~decouple_dequeued_predicates(n, i);
    return x;
}

static const struct op *find_sources(const struct decouple_plan *plan, const struct program *p,
                                     const struct op *ops)
{
    if (!plan) return ops;
    struct op *sources = heap_alloc(p->inst_count * sizeof *sources);
    for (uint32_t n = 0; n < p->inst_count; n++)
        sources[n] = n < plan->count ? without_queued(&plan->insts[n], &p->insts[n], &ops[n]) : ops[n];
    return sources;
}

// -- start and end of a launch ------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct program *p = l->launch->program;
    const struct decouple_plan *plan = decouple_plan_of(p);
    struct darsie_launch *d = heap_alloc(sizeof *d);
    *d = (struct darsie_launch){.options = u->options,
                                .diverged = ((const struct darsie_options *)u->options)->diverged,
                                .program = p,
                                .ops = l->decoded.ops,
                                .verify = u->verify,
                                .mismatches = u->mismatches,
                                .listener = u->listener};
    d->sources = find_sources(plan, p, d->ops);
    d->has_gaps = plan != NULL;
    d->counts = counts_branches(d->options) && (!d->diverged || l->launch->simt == SIMT_STACK);
    d->early = d->options->early && l->kind->config.dependences != DEPENDENCES_ENCODED;
    d->period = heap_alloc(p->inst_count * sizeof *d->period);
    d->effects = heap_alloc(p->inst_count * sizeof *d->effects);
    d->blocks = heap_alloc(p->inst_count * sizeof *d->blocks);
    d->plain = heap_alloc(p->inst_count * sizeof *d->plain);
    d->concerns = heap_alloc(p->inst_count * sizeof *d->concerns);
    d->followed = heap_alloc(p->inst_count * sizeof *d->followed);
    d->changing = heap_alloc(p->inst_count * sizeof *d->changing);
    const struct program kernel = plan ? decouple_kernel(p, plan) : *p;
    struct marks *m = marks_of(u, &kernel, l->launch->warp_size);
    unsigned met = mark_conditions_met(&m->rules, l->launch->block);
    bool exits = has_other_loops(&kernel);
    for (uint32_t n = 0; n < kernel.inst_count; n++) {
        d->blocks[n] = blocks(d->options, &p->insts[n]);
        d->plain[n] = is_plain(d, n);
        d->period[n] = is_for_warps_alone(plan, n) ? period_of(d->options, m, n, l->launch->block) : 0;
        // Reads matter to warps with shared registers alone (`sharing`), results to leaders.
        d->concerns[n] =
            (uint8_t)(CONCERNS_EXECUTED | CONCERNS_ISSUED | (d->period[n] ? CONCERNS_RESULT : 0));
        d->effects[n] = (uint8_t)effect_of(d, n, &m->marks[n], met, exits);
        d->followed[n] =
            mark_warp_classes(&m->rules, &m->marks[n], l->launch->block) || p->insts[n].op == OP_STL;
        d->changing[n] = d->options->rules == RULES_PAPER ? d->ops[n].path == PATH_MEMORY
                                                          : access_may_change(&p->insts[n]);
    }
    marks_free(m);
    return d;
}

static void launch_end(void *launch)
{
    struct darsie_launch *d = launch;
    if (d->sources != d->ops) free((void *)d->sources);
    free(d->period);
    free(d->effects);
    free(d->blocks);
    free(d->plain);
    free(d->concerns);
    free(d->followed);
    free(d->changing);
    free(d);
}

static uint32_t registers(const void *launch)
{
    return ((const struct darsie_launch *)launch)->options->registers;
}

static enum tech_pool_from pool_from(const void *launch)
{
    static const enum tech_pool_from from[] = {[POOL_TAILS] = TECH_POOL_LEFT_OVER,
                                               [POOL_RESERVE] = TECH_POOL_SET_APART,
                                               [POOL_BLOCK] = TECH_POOL_OWN_UNITS};
    return from[((const struct darsie_launch *)launch)->options->pool_from];
}

// -- an SM --------------------------------------------------------------------------------------------------

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct darsie *d = heap_alloc(sizeof *d);
    const struct sm_launch *l = tech_launch(s);
    d->launch = launch;
    d->grid = s;
    d->counters = counts;
    d->pool = tech_pool_size(s, &tech_darsie);
    d->lanes = l->launch->warp_size > 32 ? 64 : 32;
    d->whole = UINT64_MAX >> (64 - l->launch->warp_size);
    if (!d->launch->options->bank_conflicts) tech_free_banks(s, &tech_darsie);
    d->blocks = heap_alloc(l->blocks_per_sm * sizeof *d->blocks);
    d->warps = heap_alloc(l->places * sizeof *d->warps);
    if (d->launch->verify) {
        size_t vector = LANES_MAX * sizeof(uint64_t), entries = d->launch->options->entries;
        d->paths = heap_alloc(l->places * vector);
        d->led_paths = heap_alloc(l->blocks_per_sm * entries * vector);
    }
    for (unsigned k = 0; k < l->blocks_per_sm; k++) {
        d->blocks[k].entries = heap_alloc(d->launch->options->entries * sizeof *d->blocks[k].entries);
        d->blocks[k].values = heap_alloc((size_t)d->pool * d->lanes * sizeof(uint32_t));
        d->blocks[k].ways = heap_alloc((d->launch->options->ahead + 1) * sizeof *d->blocks[k].ways);
    }
    return d;
}

static struct tech_concerns concerns(const void *state)
{
    const struct darsie *d = state;
    return (struct tech_concerns){.hooks = d->launch->concerns, .attentive = &d->sharing};
}

static void sm_end(void *state)
{
    struct darsie *d = state;
    for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++) {
        free(d->blocks[k].entries);
        free(d->blocks[k].values);
        free(d->blocks[k].ways);
    }
    free(d->blocks);
    free(d->warps);
    free(d->paths);
    free(d->led_paths);
    free(d);
}

static void block_start(void *state, unsigned block)
{
    struct darsie *d = state;
    struct dblock *b = &d->blocks[block];
    struct entry *entries = b->entries;
    uint32_t *values = b->values;
    struct way *ways = b->ways;
    *b = (struct dblock){.owner = d,
                         .began = tech_now(d->grid),
                         .first_register = tech_pool(d->grid, &tech_darsie, block),
                         .entries = entries,
                         .values = values,
                         .ways = ways,
                         .gather_pc = NO_TARGET};
    b->free = d->pool >= POOL_MAX ? UINT64_MAX : (1ull << d->pool) - 1;
    b->off = !d->pool;
    if (b->off) d->counters[COUNT_unshared_blocks]++;
}

// Whether a starting warp begins on the path. Not with missing lanes, if rules=sound and partial=off: the
// warp neither leads nor follows. Not later than its block, as another mechanism may dispatch by warp. A late
// warp is behind the block's shared instructions and has its own registers. The warp joins the path when the
// whole block meets at a barrier.
static bool begins_on_path(const struct darsie *d, const struct dblock *b, const struct warp *w)
{
    const struct darsie_options *o = d->launch->options;
    bool lacks_lanes =
        w->present != d->whole && o->rules == RULES_SOUND && !o->partial && keeps(d, RULE_PARTIAL);
    bool is_late = tech_now(d->grid) != b->began && keeps(d, RULE_LATE);
    return !is_late && !lacks_lanes;
}

static void warp_start(void *state, unsigned place)
{
    struct darsie *d = state;
    unsigned block = tech_block_of(d->grid, place);
    struct dblock *b = &d->blocks[block];
    const struct warp *w = tech_warp(d->grid, place);
    d->warps[place] = (struct dwarp){.block = (uint8_t)block, .index = (uint8_t)w->index};
    b->places[w->index] = (uint8_t)place;
    b->started++;
    b->live |= 1ull << w->index;
    if (begins_on_path(d, b, w)) b->majority |= 1ull << w->index;
    if (tech_now(d->grid) != b->began) d->counters[COUNT_late]++;
    ways_begin(d, place);
}

static void warp_started(void *state, unsigned place) { look_again(state, place); }

void darsie_say(const struct darsie *d, const struct dblock *b, unsigned warp, enum step what, uint32_t pc,
                uint32_t value)
{
    // The words of docs/explanation/model, a checked model of the protocol.
    static const char *const words[] = {
        [STEP_LEAD] = "lead", [STEP_FOLLOW] = "follow",  [STEP_PRIVATE] = "private", [STEP_ARRIVE] = "arrive",
        [STEP_MEET] = "meet", [STEP_LEAVE] = "leave",    [STEP_REJOIN] = "rejoin",   [STEP_GATHER] = "gather",
        [STEP_DROP] = "drop", [STEP_RELEASE] = "release"};
    struct tech_step step = {
        tech_now(d->grid), words[what], tech_index(d->grid), (unsigned)(b - d->blocks), warp, pc, value};
    d->launch->listener->heard(d->launch->listener->context, &step);
}

static const char *check(const void *state)
{
    const struct darsie *d = state;
    for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++) {
        const struct dblock *b = &d->blocks[k];
        if (b->live) return "darsie: a block has not ended";
        for (unsigned r = 0; r < d->pool; r++)
            if (b->references[r]) return "darsie: a renamed register is still in use at the end of its block";
    }
    return NULL;
}

const struct tech tech_darsie = {
    .name = "darsie",
    .meaning = "a leading warp of a block executes redundant instructions; other warps skip the instructions "
               "before fetch and share the "
               "leader's registers",
    .paper = "DARSIE, ASPLOS 2020",
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(UNSTRUCTURED) | HAS(FEW_CHANGES) | HAS(FETCH) | HAS(ISSUE) |
                HAS(EXECUTION) | HAS(LOADS) | HAS(WAITS) | HAS(COMPILER),
    .claims = CLAIMS(REGISTER_MAP) | CLAIMS(REGISTER_STORAGE) | CLAIMS(IBUFFER) | CLAIMS(POOL) |
              CLAIMS(HOLDS) | CLAIMS(FETCH) | CLAIMS(EXECUTION),
    .skipped = COUNT_skipped,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct darsie_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = darsie_storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .concerns = concerns,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .reads = values_reads,
    .executed = values_executed,
    .saved = values_saved,
    .issued = rename_issued,
    .warp_end = path_warp_end,
    .check = check,
    .rows = darsie_rows,
    .blocks = &(const struct tech_blocks){.block_start = block_start, .event = skip_event},
    .program = &(const struct tech_program){.shares = shares},
    .skipping = &(const struct tech_skipping){.warp_started = warp_started,
                                              .fetch = skip_fetch,
                                              .filled = rename_filled,
                                              .flushed = rename_flushed,
                                              .lends = values_lends,
                                              .advanced = rename_advanced},
    .execution = &(const struct tech_execution){.leads = values_leads},
    .registers =
        &(const struct tech_registers){
            .registers = registers, .pool_from = pool_from, .result = skip_result, .replied = skip_replied},
};

// Decoupled affine computation: an affine warp on every SM computes addresses and predicates once, ahead of
// the other warps. The affine warp also requests the lines into L1 (Wang and Lin, ISCA 2017). The compiler
// half is in decouple/, the parts of the SM half in decoupled.h. docs/explanation/techniques/decoupled.md has
// the paper's open points and the decisions.
#include "tech/decoupled/decoupled.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "mark/access.h"
#include "memory/config.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const priority_words[] = {"oldest", "first", "in-turn", "last", NULL};
static const char *const arrival_words[] = {"wait", "join", NULL};
static const char *const issue_words[] = {"any", "first", NULL};
static const char *const ideal_words[] = {"off", "removed", "arrived", NULL};
static const char *const loads_words[] = {"issue", "early", NULL};
static const char *const code_words[] = {"fits", "any", NULL};
static const char *const batch_words[] = {"join", "wait", "group", NULL};

#define AT(field) offsetof(struct decoupled_options, field)
// clang-format off
static const struct config_key keys[] = {
#define RULE(field, type, key, low, high, words, initial, meaning, source) \
    {key, CONFIG_##type, AT(rules.field), low, high, words, initial, meaning, source},
#include "decouple/config.def"
#undef RULE
    {"atq",      CONFIG_U32,  AT(atq),      1, ATQ_MAX, NULL,   "24", "tuples between the affine warp and the expansion units", "choice: decoupled-readings, 4"},
    {"pwaq",     CONFIG_U32,  AT(pwaq),     1, QUEUE_MAX, NULL, "16", "address records waiting for a warp", "choice: decoupled-readings, 2"},
    {"pwpq",     CONFIG_U32,  AT(pwpq),     1, QUEUE_MAX, NULL, "16", "predicates waiting for a warp", "choice: decoupled-readings, 3"},
    {"told",     CONFIG_U32,  AT(told),     1, TOLD_MAX, NULL,  "4",  "predicates of a warp waiting for the affine warp", "choice"},
    {"early",    CONFIG_WORD, AT(early),    0, 0, decouple_switch_words, "on", "lines of global loads are requested at the expansion of their address, and locked in L1", "DAC 4.1"},
    {"arrival",  CONFIG_WORD, AT(arrival),  0, 0, arrival_words,  "wait",   "a load with its line under way: waits for the line and then issues, or issues and waits like any other load", "DAC 4.1; join: choice"},
    {"loads",    CONFIG_WORD, AT(loads),    0, 0, loads_words,    "issue",  "a load of requested lines returns memory's values at its issue; early: the values at the lines' arrival, the text's literal reading, allowed to fail verification", "sound; early: DAC 4.1"},
    {"priority", CONFIG_WORD, AT(priority), 0, 0, priority_words, "oldest", "priority of the affine warp at issue and fetch", "choice"},
    {"batch",    CONFIG_WORD, AT(batch),    0, 0, batch_words,    "group",  "warps that arrive while the affine warp is under way: begin the stream together once the affine warp waits, or after 128 cycles (group); begin anew at once (join); or wait for its end", "choice: decoupled-readings, 11"},
    {"issue",    CONFIG_WORD, AT(issue),    0, 0, issue_words,    "any",    "scheduler of the affine warp: any with a free slot, or the first", "choice"},
    {"bypass",   CONFIG_WORD, AT(bypass),   0, 0, decouple_switch_words, "on", "results of the affine warp go from the end of the pipeline to its start; off: through the register file, as results of warps", "choice"},
    {"gain",     CONFIG_WORD, AT(gain),     0, 0, decouple_switch_words, "on", "a kernel is not split where the affine stream's steps exceed the removed instructions of a block, by a count over the code", "choice"},
    {"code",     CONFIG_WORD, AT(code),     0, 0, code_words,     "fits",   "a kernel is split only if the instruction cache holds both streams, less the code behind the last exit (slow paths); any: whatever the size", "choice: decoupled-readings, 26"},
    {"ideal",    CONFIG_WORD, AT(ideal),    0, 0, ideal_words,    "off",    "a bound, no machine: removed, the affine stream takes no time and no line is requested ahead; arrived, loads with an address from a queue take a hit's time, too, and their traffic is real", "a bound"},
    {"corrupt",  CONFIG_U32,  AT(corrupt),  0, 4000000000, NULL, "0", NULL, NULL},
    {"spoil",    CONFIG_U32,  AT(spoil),    0, 1, NULL, "0", NULL, NULL},
};
// clang-format on

static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/decoupled/counters.def"
#undef COUNTER
};

// -- a launch -----------------------------------------------------------------------------------------------

// Bytes of the slow paths behind the kernel's last exit.
static uint32_t slow_bytes(const struct program *p)
{
    uint32_t end = p->inst_count;
    while (end && p->insts[end - 1].op != OP_EXIT) end--;
    return program_code_offset(p, p->inst_count) - program_code_offset(p, end);
}

// Whether the instruction cache, of `bytes`, holds the kernel without slow paths, and not both streams.
static bool outgrows(const struct program *p, const struct program *both, uint32_t bytes)
{
    uint32_t slow = slow_bytes(p);
    return program_code_offset(p, p->inst_count) - slow <= bytes &&
           program_code_offset(both, both->inst_count) - slow > bytes;
}

static struct program *transform(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared)
{
    const struct decoupled_options *o = u->options;
    struct decouple *d = decouple_compute(p, &o->rules, shared);
    uint32_t warps = (block[0] * block[1] * block[2] + warp_size - 1) / warp_size;
    bool splits = !d->whole && (!o->gain || decouple_gains(d, warps));
    struct program *both = splits ? decouple_program(d) : NULL;
    decouple_free(d);
    if (both && o->code == CODE_FITS && u->code_bytes && outgrows(p, both, u->code_bytes)) {
        program_free(both);
        return NULL;
    }
    return both;
}

// Lanes of the affine warp at work in a step: four (base and three offsets) for every tuple computed; one for
// a scalar, or if the step computes nothing.
static uint8_t lanes_of(const struct decouple_plan *plan, const struct decouple_step *x)
{
    enum { TUPLE = 4 };
    const struct decouple_inst *n = &plan->insts[x->inst];
    if (x->kind != DECOUPLE_COMPUTES || n->kind == DECOUPLE_SCALAR) return 1;
    return (uint8_t)(TUPLE * (n->pieces ? n->pieces : 1));
}

// Finds for every instruction the next point of interest: an instruction of the stream, a branch, a branch
// target or a reconvergence point.
static void find_jumps(struct decoupled_launch *l)
{
    bool *meets = ARENA_ARRAY(&l->arena, bool, l->count + 1);
    l->jump = ARENA_ARRAY(&l->arena, uint32_t, l->count + 1);
    for (uint32_t k = 0; k < l->count; k++) {
        const struct inst *i = &l->insts[k];
        if (!isa_names_others(i)) continue;
        if (i->target != NO_TARGET) meets[i->target] = true;
        if (i->reconverge != NO_TARGET) meets[i->reconverge] = true;
    }
    l->jump[l->count] = l->count;
    for (uint32_t k = l->count; k-- > 0;) {
        uint32_t next = k + 1;
        bool stops = next >= l->count || meets[next] || isa_has(&l->insts[next], ISA_BRANCH) ||
                     l->code->first[next] < l->code->first[next + 1];
        l->jump[k] = stops ? next : l->jump[next];
    }
}

// Where the stream goes for a warp without divergence: past instructions of the warps alone, and behind branches. An
// endless loop without steps leads to the end.
static uint32_t find_next_step(const struct decoupled_launch *l, uint32_t pc)
{
    for (uint32_t fuel = 2 * l->count + 2; pc < l->count && fuel; fuel--) {
        const struct inst *i = &l->insts[pc];
        if (l->code->first[pc] < l->code->first[pc + 1]) return pc;
        pc = !isa_has(i, ISA_BRANCH) ? l->jump[pc] : isa_is_conditional(i) ? i->reconverge : i->target;
    }
    return l->count;
}

static void find_steps(struct decoupled_launch *l)
{
    l->next_step = ARENA_ARRAY(&l->arena, uint32_t, l->count + 1);
    l->after = ARENA_ARRAY(&l->arena, uint32_t, l->code->count + 1);
    l->asks = ARENA_ARRAY(&l->arena, bool, l->code->count + 1);
    l->addresses = ARENA_ARRAY(&l->arena, const struct operand *, l->count);
    for (uint32_t k = 0; k < l->count; k++) {
        l->next_step[k] = find_next_step(l, k);
        l->addresses[k] = decouple_address(&l->insts[k]);
    }
    for (uint32_t k = 0; k < l->code->count; k++) {
        const struct decouple_step *s = &l->code->steps[k];
        l->asks[k] =
            (s->kind == DECOUPLE_BRANCHES || s->kind == DECOUPLE_ENDS) && l->plan->insts[s->inst].feedback;
        uint32_t next = find_next_step(l, s->inst + 1);
        bool is_last = k + 1 == l->code->first[s->inst + 1];
        l->after[k] = !is_last ? k + 1 : next < l->count ? l->code->first[next] : NO_STEP;
    }
}

// Whether the stream may run past barriers: every barrier is number 0, of the whole block and unconditional.
static bool has_one_barrier(const struct decoupled_launch *l)
{
    for (uint32_t k = 0; k < l->count; k++) {
        const struct inst *i = &l->insts[k];
        bool plain = access_is_full_barrier(i) && i->mode == MODE_BAR_SYNC && i->src[0].kind == OPERAND_IMM &&
                     !i->src[0].value;
        if (isa_has(i, ISA_BARRIER) && (!plain || isa_is_conditional(i))) return false;
    }
    return true;
}

static uint32_t queued_of(const struct decoupled_launch *l, uint32_t inst)
{
    const struct op *o = &l->ops[inst];
    uint32_t queued = 0;
    for (unsigned k = 0; k < o->read_count; k++)
        queued |= (uint32_t)decouple_dequeues_register(&l->plan->insts[inst], &l->insts[inst], o->reads[k])
                  << k;
    return queued;
}

static uint16_t traits_of(const struct decoupled_launch *l, uint32_t inst)
{
    const struct inst *i = &l->insts[inst];
    const struct decouple_inst *n = &l->plan->insts[inst];
    bool accesses = isa_has(i, ISA_LOAD | ISA_STORE | ISA_ATOMIC) && i->op != OP_LDC;
    bool loads = i->op == OP_LDG || i->op == OP_LD || i->op == OP_LDL;
    return (uint16_t)((n->site ? TRAIT_SITE : 0) | (accesses ? TRAIT_ACCESSES : 0) |
                      (loads ? TRAIT_LOADS : 0) |
                      (n->site && n->site != DECOUPLE_ENQ_PRED ? TRAIT_ADDRESS : 0) |
                      (n->feedback ? TRAIT_FEEDBACK : 0) | (n->orders ? TRAIT_ORDERS : 0) |
                      (isa_has(i, ISA_BARRIER) ? TRAIT_MEETS : 0) | (isa_has(i, ISA_EXIT) ? TRAIT_ENDS : 0) |
                      (n->slot || isa_has(i, ISA_LOAD) ? TRAIT_IS_APART : 0));
}

// Hooks to be called for an instruction, as long as its warp is not attentive. After the instruction the warp is looked
// at for the sake of the next one.
static uint8_t concerns_of(const struct decoupled_launch *l, uint32_t inst)
{
    const struct decouple_inst *n = &l->plan->insts[inst], *next = n + 1;
    bool is_last = inst + 1 == l->count;
    if (n->site) return CONCERNS_ALL;
    uint8_t concerns = l->queued[inst] ? CONCERNS_OPERANDS : 0;
    if (n->feedback) concerns |= CONCERNS_READS | CONCERNS_ISSUED;
    if (n->orders || l->options->ideal) concerns |= CONCERNS_ISSUED;
    if (!is_last && (next->site || next->feedback || l->removed[inst + 1])) concerns |= CONCERNS_ISSUED;
    return concerns;
}

static void find_threads(struct decoupled_launch *l)
{
    const uint32_t *block = l->launch->block;
    uint32_t count = block[0] * block[1] * block[2];
    l->threads = ARENA_ARRAY(&l->arena, struct thread_index, count + LANES);
    for (uint32_t t = 0; t < count; t++)
        l->threads[t] = (struct thread_index){{(int32_t)(t % block[0]), (int32_t)(t / block[0] % block[1]),
                                               (int32_t)(t / block[0] / block[1])}};
}

// Fills r->tells as piece_of (records.c) would find the offsets lane by lane.
static void find_tells(struct warp_rows *r, const struct thread_index *threads, uint32_t lanes,
                       const uint32_t *block)
{
    bool has[3] = {block[0] == 1, block[1] == 1, block[2] == 1};
    for (uint32_t lane = 1; lane < lanes; lane++) {
        unsigned unknown = 0, count = 0;
        for (unsigned k = 0; k < 3; k++)
            if (!has[k] && r->apart[k] >> lane & 1) unknown = k, count++;
        if (count != 1) continue;
        if (threads[lane].at[unknown] != threads[0].at[unknown] + 1) {
            r->tells.count = 0;
            return;
        }
        r->tells.direction[r->tells.count] = (uint8_t)unknown;
        r->tells.lane[r->tells.count++] = (uint8_t)lane;
        has[unknown] = true;
    }
}

static struct warp_rows rows_of(const struct thread_index *threads, uint32_t lanes, const uint32_t *block)
{
    struct warp_rows r = {.starts = 1};
    for (uint32_t lane = 1; lane < lanes; lane++) {
        const int32_t *at = threads[lane].at, *before = threads[lane - 1].at;
        bool follows = at[0] == before[0] + 1 && at[1] == before[1] && at[2] == before[2];
        r.starts |= (uint64_t)!follows << lane;
        r.follows[lane - 1] = follows ? UINT32_MAX : 0;
        for (unsigned k = 0; k < 3; k++) r.apart[k] |= (uint64_t)(at[k] != threads[0].at[k]) << lane;
    }
    find_tells(&r, threads, lanes, block);
    return r;
}

static void find_rows(struct decoupled_launch *l, uint32_t warps)
{
    uint32_t lanes = l->launch->warp_size;
    l->rows = ARENA_ARRAY(&l->arena, struct warp_rows, warps);
    for (uint32_t k = 0; k < warps; k++)
        l->rows[k] = rows_of(l->threads + (size_t)k * lanes, lanes, l->launch->block);
}

static void launch_end(void *launch)
{
    struct decoupled_launch *l = launch;
    arena_fini(&l->arena);
    free(l);
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *sl)
{
    const struct decouple_plan *plan = decouple_plan_of(sl->launch->program);
    // the program is not split for the stream, or was changed by another mechanism since the split
    if (!plan) return NULL;
    struct decoupled_launch *l = heap_alloc(sizeof *l);
    *l = (struct decoupled_launch){.options = u->options,
                                   .launch = sl->launch,
                                   .ops = sl->decoded.ops,
                                   .insts = sl->launch->program->insts,
                                   .count = plan->count,
                                   .plan = plan,
                                   .split = plan->insts,
                                   .code = &plan->code,
                                   .line_bytes = sl->memory->line_bytes,
                                   .verify = u->verify,
                                   .spoil = ((const struct decoupled_options *)u->options)->spoil,
                                   .mismatches = u->mismatches};
    arena_init(&l->arena);
    l->early = l->options->early && !l->options->ideal;
    l->meets_ahead = has_one_barrier(l) && !l->options->ideal;
    find_jumps(l);
    find_steps(l);
    find_threads(l);
    find_rows(l, sl->warps_per_block);
    l->removed = ARENA_ARRAY(&l->arena, uint32_t, sl->launch->program->inst_count + 1);
    l->queued = ARENA_ARRAY(&l->arena, uint32_t, sl->launch->program->inst_count);
    l->traits = ARENA_ARRAY(&l->arena, uint16_t, l->count);
    for (uint32_t k = 0; k < l->count; k++) l->traits[k] = traits_of(l, k);
    l->cost = ARENA_ARRAY(&l->arena, uint8_t, plan->code.count + 1);
    for (uint32_t k = 0; k < l->count; k++) l->queued[k] = queued_of(l, k);
    for (uint32_t k = l->count; k-- > 0;)
        l->removed[k] = decouple_is_for_warps(plan, k) ? 0 : l->removed[k + 1] + 1;
    for (uint32_t k = 0; k < plan->code.count; k++) l->cost[k] = lanes_of(plan, &plan->code.steps[k]);
    l->concerns = ARENA_ARRAY(&l->arena, uint8_t, sl->launch->program->inst_count);
    memset(l->concerns, CONCERNS_ALL, sl->launch->program->inst_count);
    for (uint32_t k = 0; k < l->count && !plan->yields; k++) l->concerns[k] = concerns_of(l, k);
    return l;
}

// -- an SM --------------------------------------------------------------------------------------------------

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct decoupled *d = heap_alloc(sizeof *d);
    d->launch = launch;
    d->grid = grid;
    d->counters = counts;
    // Ring entries are set before use, not cleared.
    d->atq = heap_resize(NULL, d->launch->options->atq * sizeof *d->atq);
    d->told = heap_resize(NULL, (size_t)WARPS * TOLD_MAX * sizeof *d->told);
    for (unsigned k = 0; k < WARPS; k++) d->followers[k].told = &d->told[k * TOLD_MAX];
    if (d->launch->options->spoil) d->kept = heap_alloc(WARPS * sizeof *d->kept);
    return d;
}

static struct tech_concerns concerns(const void *state)
{
    const struct decoupled *d = state;
    return (struct tech_concerns){.hooks = d->launch->concerns,
                                  .attentive = &d->attentive,
                                  .left_out = d->launch->removed,
                                  .only_absent = true};
}

static void sm_end(void *state)
{
    struct decoupled *d = state;
    for (unsigned k = 0; k < 64; k++)
        if (d->shadows[k]) tech_shadow_destroy(d->shadows[k]);
    for (size_t k = 0; k < d->all_parts.count; k++) {
        for (unsigned n = 0; n < PARTS; n++) free(d->all_parts.data[k][n].data);
        free(d->all_parts.data[k]);
    }
    for (unsigned k = 0; k < WARPS; k++) vec_fini(&d->followers[k].locks);
    vec_fini(&d->all_parts);
    free(d->atq);
    free(d->told);
    free(d->kept);
    free(d);
}

static void warp_start(void *state, unsigned place)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[place];
    const struct warp *w = tech_warp(d->grid, place);
    f->is_there = true;
    d->there |= 1ull << place;
    f->astray = f->order_pending = f->was_late = false;
    attend(d, place);
    f->block = (uint8_t)tech_block_of(d->grid, place);
    f->orders_seen = f->orders_passed = 0;
    f->enqueued = f->dequeued = 0;
    f->is_alone = f->moved = f->issues = false;
    f->starves_since = 0;
    f->told_first = f->told_count = 0;
    if (!d->shadows[f->block]) d->shadows[f->block] = tech_shadow_create(d->grid);
    if (d->shadow_of[f->block] != w->cta->linear + 1) {
        tech_shadow_start(d->grid, d->shadows[f->block], w->cta->linear);
        d->shadow_of[f->block] = w->cta->linear + 1;
        d->started[f->block] = 0;
        d->begun[f->block] = false;
        d->is_parted[f->block] = false;
    }
    d->started[f->block]++;
    f->barriers = 0;
    bool is_late = d->launch->options->batch != BATCH_GROUP || !d->begun[f->block];
    if (d->launch->options->batch == BATCH_JOIN || !tech_guest_runs(d->grid) || !is_late) {
        decoupled_follow(d, place);
        return;
    }
    follow(d, place, FOLLOWS_NOT);
    if (d->launch->options->batch == BATCH_WAIT || d->gathers_until) return;
    d->gathers_until = tech_now(d->grid) + GATHERING;
    decoupled_wake_at(d, d->gathers_until);
}

static void warp_started(void *state, unsigned place) { decoupled_look(state, place); }

static void block_end(void *state, unsigned block) { ((struct decoupled *)state)->shadow_of[block] = 0; }

static const char *check(const void *state)
{
    const struct decoupled *d = state;
    if (d->counters[COUNT_locked] != d->counters[COUNT_unlocked]) return "decoupled: lines are locked still";
    if (d->counters[COUNT_pushed] != d->counters[COUNT_taken] + d->counters[COUNT_dropped])
        return "decoupled: records are left";
    return d->counters[COUNT_asked] == d->counters[COUNT_came] ? NULL : "decoupled: lines have not come";
}

// -- storage ------------------------------------------------------------------------------------------------

// Fields of a tuple: base, an offset a direction, kind and granularity, site. Fields of a record: line, a bit
// a granule, threads.
static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    enum { ADDRESS = 48, WORD = 32, SITE = 6, KIND = 4, RECORD = 41 + 32 + 2 + 5 + 4, LOCKS = 6 };
    const struct decoupled_options *o = options;
    size_t n = 0;
    out[n++] =
        (struct tech_storage){"affine tuple queue", o->atq, KIND + SITE + ADDRESS + 6 * WORD, false, 1};
    out[n++] =
        (struct tech_storage){"addresses of warps", (uint64_t)o->pwaq * c->max_warps, RECORD, false, 1};
    out[n++] = (struct tech_storage){"predicates of warps", (uint64_t)o->pwpq * c->max_warps, WORD, false, 1};
    out[n++] = (struct tech_storage){"predicates told", (uint64_t)o->told * c->max_warps, 2 * WORD, false, 1};
    out[n++] = (struct tech_storage){"start of blocks", c->max_blocks, ADDRESS, false, 1};
    out[n++] = (struct tech_storage){"locks of lines", (uint64_t)c->l1_sets * c->l1_ways, LOCKS, false, 1};
    out[n++] = (struct tech_storage){"affine SIMT stack", c->max_warps, 2 * WORD + WORD, false, 1};
    // of a tuple: base, three offsets by threads, three by blocks
    out[n++] = (struct tech_storage){"registers of affine warp", 64ull * o->rules.pieces, 7 * WORD, false, 1};
    return n;
}

static const char *following(const struct follower *f)
{
    static const char *const words[] = {[FOLLOWS_NOT] = "no stream",
                                        [FOLLOWS] = "the stream goes on",
                                        [WAITS_TO_BE_TOLD] = "the stream waits for a predicate",
                                        [WAITS_FOR_ORDER] = "the stream waits for the warp's order of memory",
                                        [WAITS_FOR_OTHERS] = "the stream waits for other warps",
                                        [FOLLOWED] = "the stream has ended"};
    return f->is_alone || f->astray ? "alone" : words[f->state];
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct decoupled *d = state;
    tech_row(to, "tuple queue", TECH_OF_SM, 0, 0, "%u of %u entries", d->count, d->launch->options->atq);
    for (unsigned place = 0; place < tech_launch(d->grid)->places && place < WARPS; place++) {
        const struct follower *f = &d->followers[place];
        if (f->is_there)
            tech_row(to, "queues of warps", TECH_OF_WARP, place, 0, "%u addresses, %u predicates; %s",
                     f->addresses.count, f->predicates.count, following(f));
    }
}

const struct tech tech_decoupled = {
    .name = "decoupled",
    .meaning = "an affine warp computes addresses and predicates ahead of the other warps, once for all, and "
               "requests "
               "the lines",
    .paper = "DAC, ISCA 2017",
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(NOT_REDUNDANT) | HAS(FETCH) | HAS(ISSUE) | HAS(EXECUTION) |
                HAS(PREDICATES) | HAS(WAITS) | HAS(COMPILER) | HAS(LINES),
    .claims = CLAIMS(AFFINE) | CLAIMS(OWN_REGISTERS) | CLAIMS(GUEST_STREAM) | CLAIMS(L1_LINES) |
              CLAIMS(HOLDS) | CLAIMS(FETCH) | CLAIMS(EXECUTION) | CLAIMS(OPERANDS),
    .skipped = COUNT_removed,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct decoupled_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .concerns = concerns,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .reads = decoupled_reads,
    .executed = decoupled_executed,
    .saved = decoupled_saved,
    .issued = decoupled_issued,
    .warp_end = decoupled_warp_end,
    .check = check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.block_end = block_end, .event = decoupled_event},
    .program = &(const struct tech_program){.transform = transform, .leaves_out = decoupled_leaves_out},
    .skipping = &(const struct tech_skipping){.warp_started = warp_started, .advanced = decoupled_advanced},
    .registers = &(const struct tech_registers){.elsewhere = decoupled_elsewhere,
                                                .operand = decoupled_operand,
                                                .replied = decoupled_replied},
    .lines = &(const struct tech_lines){.access = decoupled_access,
                                        .line = decoupled_line,
                                        .foreseen = decoupled_foreseen},
    .guest = &(const struct tech_guest){.guest_may = decoupled_guest_may,
                                        .guest = decoupled_guest,
                                        .guest_result = decoupled_guest_result},
};

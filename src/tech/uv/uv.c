// UV (uniform-vector instructions). A warp instruction with the same sources in every lane may have executed
// before with the same values. It then takes its result from a reuse buffer instead of executing.
//
//     decode: tokens ─▶ all sources uniform? ─▶ ready, at the head ─▶ reuse buffer ─ hit ─▶ result
//     (a bit a register)                                                   │ miss
//                                                                          ▼
//                                        executes, on one lane or all ─▶ entry, valid from the result's cycle
//
// Options select the parts of UV, and the storage of a uniform register's value. variant=darsie is the
// baseline of the DARSIE paper (its section 5: nothing is saved before issue, no memory operation is
// skipped). variant=token and srf are the two designs of the dissertation. Sources and decisions:
// docs/explanation/techniques/uv.md.
#include "tech/uv/uv.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>

static const char *const switch_words[] = {"off", "on", NULL},
                         *const rules_words[] = {"sound", "paper", NULL},
                         *const variant_words[] = {"darsie", "token", "srf", NULL},
                         *const part_words[] = {"off", "count", "on", "variant", NULL},
                         *const store_words[] = {"lanes", "token", "srf", "variant", NULL},
                         *const copy_words[] = {"any", "paper", NULL},
                         *const lanes_words[] = {"all", "present", NULL},
                         *const valid_words[] = {"result", "issue", NULL},
                         *const found_words[] = {"tokens", "compiler", "turing", NULL};

#define AT(field) offsetof(struct uv_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"entries",    CONFIG_U32,  AT(entries),    1, 1024, NULL,         "8",     "entries of an SM's reuse buffer", "Xiang 2.5: 8"},
    {"ways",       CONFIG_U32,  AT(ways),       0, 1024, NULL,         "0",     "ways of a set, selected by PC; 0: the buffer is a single set", "Xiang 2.4.3: fully associative"},
    {"words",      CONFIG_U32,  AT(words),      1, 4,    NULL,         "1",     "32-bit words of an operand or result in an entry", "Xiang 2.5: 1"},
    {"tag",        CONFIG_U32,  AT(tag_bits),   1, 32,   NULL,         "10",    "bits of the instruction number in an entry's tag", "Xiang 2.5: 10"},
    {"ports",      CONFIG_U32,  AT(ports),      1, 64,   NULL,         "8",     "lookups of an SM in a cycle; an instruction without a port executes", "choice: every instruction issued"},
    {"latency",    CONFIG_U32,  AT(latency),    0, 100,  NULL,         "0",     "cycles from issue to the result of a hit; 0: as the variant, 2 (lookup, write) for darsie, otherwise 1", "Xiang 2.4.3: 1"},
    {"valid",      CONFIG_WORD, AT(valid),      0, 0,    valid_words,  "result", "time from which an entry hits: result, with the result in a register; issue, at once, as in a simulator that executes at issue", "choice: possible in hardware"},
    {"loads",      CONFIG_WORD, AT(loads),      0, 0,    switch_words, "on",    "a load of the same address in all lanes leaves a uniform register", "Xiang 2.4.1: broadcast path"},
    {"predicates", CONFIG_WORD, AT(predicates), 0, 0,    switch_words, "on",    "uniform predicates are followed, and comparisons reused", "choice"},
    {"rules",      CONFIG_WORD, AT(rules),      0, 0,    rules_words,  "sound", "paper: entries know opcode and register values alone, not immediates, modifiers or special registers; allowed to fail verification", "Xiang 2.4.3"},
    {"variant",    CONFIG_WORD, AT(variant),    0, 0,    variant_words, "darsie", "intra, inter, store and latency together: off, on, lanes, 2; on, on, token, 1; on, on, srf, 1", "DARSIE 5; Xiang 2.4"},
    {"intra",      CONFIG_WORD, AT(intra),      0, 0,    part_words,   "variant", "uniform instructions execute on a single lane, and free their scheduler in the next cycle", "Xiang 2.4.1"},
    {"inter",      CONFIG_WORD, AT(inter),      0, 0,    part_words,   "variant", "uniform instructions take their result from the reuse buffer; count: only count possible reuses", "Xiang 2.4.3"},
    {"store",      CONFIG_WORD, AT(store),      0, 0,    store_words,  "variant", "place of a uniform register's value: every lane, a single lane, or a scalar register", "Xiang 2.4.1, 2.4.2"},
    {"registers",  CONFIG_U32,  AT(registers),  0, 4096, NULL,         "128",   "scalar registers of an SM, with store=srf; 0: enough", "Xiang 2.5: 128"},
    {"copy",       CONFIG_WORD, AT(copy),       0, 0,    copy_words,   "any",   "before a write to some lanes, a uniform register's value is copied into all lanes; paper: only if the register is also a source; allowed to fail verification", "choice: sound"},
    {"lanes",      CONFIG_WORD, AT(lanes),      0, 0,    lanes_words,  "all",   "lanes that must agree: all lanes of a warp, or lanes of threads not ended", "Xiang 2.4: all"},
    {"found",      CONFIG_WORD, AT(found),      0, 0,    found_words,  "tokens", "detection of uniform values: tokens, at decode; compiler, as proved by `warpfold mark`; turing, the subset of the compiler's for the uniform datapath of Turing and later, integers and constants", "Xiang 2.4.1; docs/explanation/techniques/uv.md"},
    {"protect",    CONFIG_WORD, AT(protect),    0, 0,    switch_words, "off",   "two lanes compute a uniform instruction, and its value is kept twice: a difference is a detected error", "Xiang 2.4.4"},
    {"parity",     CONFIG_WORD, AT(parity),     0, 0,    switch_words, "off",   "an entry has a parity bit", "Xiang 2.4.4"},
    {"value-parity", CONFIG_WORD, AT(value_parity), 0, 0, switch_words, "off",  "a parity bit for every copy of a uniform value outside the lanes; with protect=on, a copy that differs is repaired from the copy with the right parity", "Xiang 2.4.4"},
    {"corrupt",    CONFIG_U32,  AT(corrupt),    0, 4000000000, NULL,   "0",     NULL, NULL},
};

// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/uv/counters.def"
#undef COUNTER
};

// -- a launch -----------------------------------------------------------------------------------------------

static struct uv_options with_variant(const struct uv_options *given)
{
    struct uv_options o = *given;
    bool whole = o.variant != UV_DARSIE; // a design of the dissertation
    if (o.intra == UV_AS_VARIANT) o.intra = whole ? UV_ON : UV_OFF;
    if (o.inter == UV_AS_VARIANT) o.inter = UV_ON;
    if (o.store == UV_STORE_AS_VARIANT) o.store = o.variant; // same order of both enums
    if (!o.latency) o.latency = whole ? 1 : 2;
    return o;
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct program *p = l->launch->program;
    struct uv_launch *v = heap_alloc(sizeof *v);
    *v = (struct uv_launch){.options = with_variant(u->options),
                            .program = p,
                            .ops = l->decoded.ops,
                            .verify = u->verify,
                            .upsets = u->upsets,
                            .mismatches = u->mismatches};
    v->candidates = uv_candidates(v, u->marks, l->launch->warp_size);
    return v;
}

static void launch_end(void *launch)
{
    struct uv_launch *v = launch;
    free(v->candidates);
    free(v);
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct uv *v = heap_alloc(sizeof *v);
    *v = (struct uv){.launch = launch, .grid = s, .counters = counts};
    v->entries = heap_alloc(v->launch->options.entries * sizeof *v->entries);
    uv_store_begin(v);
    uv_coverage_begin(v);
    return v;
}

static void sm_end(void *state)
{
    struct uv *v = state;
    uv_store_end(v);
    free(v->lives);
    free(v->entries);
    free(v);
}

static void warp_start(void *state, unsigned place)
{
    struct uv *v = state;
    struct warp *w = tech_warp(v->grid, place);
    v->warps[place] =
        (struct uv_warp){.warp = w, .tokens.predicates = 1 << PRED_TRUE, .lane = uv_store_lane(v, w)};
    uv_coverage_warp(v, place);
}

static void warp_end(void *state, unsigned place)
{
    struct uv *v = state;
    uv_store_warp_end(v, place);
    uv_coverage_warp(v, place);
    v->warps[place].warp = NULL;
}

static void kept(const void *state, unsigned place, struct tech_kept words[TECH_REGISTERS])
{
    uv_store_tell(state, place, words);
}

// -- tokens -------------------------------------------------------------------------------------------------

static bool are_sources_uniform(const struct tokens *t, const struct op *o)
{
    for (unsigned k = 0; k < o->read_count; k++)
        if (!uv_has_token(t, o->reads[k])) return false;
    return (o->pred_reads & ~t->predicates) == 0;
}

static bool is_guard_true(const struct warp *w, const struct inst *i)
{
    return ((w->pred[i->guard] & uv_live(w)) != 0) != (i->guard_not != 0);
}

static void mark_register(struct uv *v, unsigned place, unsigned r, bool uniform)
{
    uint64_t *word = &v->warps[place].tokens.registers[r / 64], bit = 1ull << r % 64;
    *word = uniform ? *word | bit : *word & ~bit;
    if (!uv_keeps(v)) return;
    if (uniform)
        uv_store_keep(v, place, r);
    else
        uv_store_forget(v, place, r);
}

static bool is_result(const struct op *o, unsigned r) { return r - o->dst < o->dst_words; }

// Source registers, spread to all lanes for the instruction's reads, are invalidated again, except where the
// value is stored. Destinations are left out.
static void take_back(struct uv *v, unsigned place, const struct op *o)
{
    if (!uv_keeps(v)) return;
    for (unsigned left = v->words_read; left; left &= left - 1) {
        unsigned r = o->reads[bit_lowest(left)];
        if (!is_result(o, r)) uv_store_take_back(v, place, r);
    }
}

// Counts a mismatch if an instruction writes only some live lanes of a register with a token: the lanes not
// written have lost the value. The dissertation first copies the value to all lanes, but only of a register
// that is also a source (copy=paper).
static void expect_values(struct uv *v, unsigned place, unsigned r)
{
    const struct uv_warp *w = &v->warps[place];
    if (uv_has_token(&w->tokens, r) && uv_live(w->warp) & ~v->executing) uv_mismatch(v);
}

static void mark(struct uv *v, unsigned place, const struct op *o, bool uniform)
{
    struct tokens *t = &v->warps[place].tokens;
    for (unsigned n = 0; n < o->dst_words; n++) {
        if (uv_keeps(v) && !uniform && !v->executing) continue; // no lane is written
        if (uv_keeps(v) && !uniform) expect_values(v, place, o->dst + n);
        mark_register(v, place, o->dst + n, uniform);
    }
    t->predicates = uniform ? t->predicates | o->pred_writes : t->predicates & (uint8_t)~o->pred_writes;
}

// Whether a load without a guard reads one address in all live lanes.
static bool is_broadcast(struct uv *v, unsigned place, uint32_t index)
{
    const struct inst *i = &v->launch->program->insts[index];
    const struct op *o = &v->launch->ops[index];
    if (i->guard != PRED_TRUE || i->guard_not) return false;
    for (unsigned k = 0; k < o->read_count; k++)
        if (!uv_lanes_equal(v, place, o->reads[k])) return false;
    return true;
}

// -- a hit --------------------------------------------------------------------------------------------------

static void verify(struct uv *v, unsigned place, uint32_t index, const struct entry *e)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    const struct warp *w = v->warps[place].warp;
    uint64_t live = uv_live(w);
    bool same = true;
    for (unsigned k = 0; k < o->read_count; k++) same &= uv_lanes_equal(v, place, o->reads[k]);
    tech_recompute(v->grid, place, index);
    for (unsigned n = 0; n < o->dst_words; n++)
        same &= uv_lanes_equal(v, place, o->dst + n) && uv_value(v, place, o->dst + n) == e->result[n];
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE)
            same &= (w->pred[i->dst[k].reg] & live) == (e->preds >> k & 1 ? live : 0);
    if (!same) uv_mismatch(v);
}

// Writes the entry's words and predicates to all live lanes.
static void write_result(struct uv *v, unsigned place, uint32_t index, const struct entry *e)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    struct warp *w = v->warps[place].warp;
    uint64_t live = uv_live(w);
    for (unsigned n = 0; n < o->dst_words; n++) uv_store_fill(v, place, o->dst + n, e->result[n]);
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE) {
            uint64_t *bits = &w->pred[i->dst[k].reg];
            *bits = (*bits & ~live) | (e->preds >> k & 1 ? live : 0);
        }
}

// Counts the checks on the executed or reused instruction's lanes, and on its result from now on.
static void cover(struct uv *v, unsigned place, const struct op *o, bool uniform, bool lanes_are_checked)
{
    uv_coverage_written(v, place, o, uniform);
    uv_coverage_executed(v, o, lanes_are_checked);
}

// For tests: flips a bit of the n-th reused result (n: option corrupt).
static void corrupt(struct uv *v, struct entry *e)
{
    if (++v->hits != v->launch->options.corrupt) return;
    e->result[0] ^= 1;
    e->preds ^= 1;
}

static uint32_t reuse(void *state, unsigned place, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = v->warps[place].warp;
    if (!v->same_sources || !uv_computes(v, index)) return 0;
    v->counters[COUNT_diverged] += w->active != w->full;
    if (!v->uniform || v->launch->candidates[index] == TOO_WIDE || v->launch->options.inter == UV_OFF)
        return 0;
    uv_set_key(v, place, index);
    struct entry *e = uv_look_up(v, place, index);
    v->fills = !v->known;
    if (!e) return 0;
    e->last_used = ++v->serial;
    v->counters[COUNT_repeated] += v->launch->options.inter == UV_COUNT;
    if (v->launch->options.inter == UV_COUNT) return 0;
    corrupt(v, e);
    if (v->lives) uv_upset_reused(v, place, index, e);
    v->fills = !uv_is_sound(v, e);
    if (v->fills) return 0; // executes, and fills the entry again
    if (v->launch->verify) verify(v, place, index, e);
    write_result(v, place, index, e);
    take_back(v, place, o);
    mark(v, place, o, true);
    if (v->lives) cover(v, place, o, true, v->launch->options.parity);
    v->counters[COUNT_reused]++;
    return v->launch->options.latency;
}

// -- a miss -------------------------------------------------------------------------------------------------

static void fill(struct uv *v, unsigned place, uint32_t index)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    const struct warp *w = v->warps[place].warp;
    struct entry *e = v->filling = uv_make_entry(v, index);
    e->key = v->key;
    for (unsigned n = 0; n < o->dst_words; n++) e->result[n] = uv_value(v, place, o->dst + n);
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED)
            e->preds |= (uint8_t)((uint8_t)((w->pred[i->dst[k].reg] & uv_live(w)) != 0) << k);
    if (v->launch->options.parity) e->parity = uv_parity(e);
}

static __attribute__((noinline)) uint32_t copy_result(struct uv *v, unsigned place, uint32_t index,
                                                      const struct op *o)
{
    for (unsigned r = o->dst; is_result(o, r); r++) {
        bool is_source = false;
        for (unsigned k = 0; k < o->read_count; k++) is_source |= o->reads[k] == r;
        if (!uv_has_token(&v->warps[place].tokens, r)) continue;
        if (v->launch->options.copy == UV_COPY_PAPER && !is_source) continue;
        if (v->lives) uv_coverage_copied(v, place, index, r);
        uv_store_spread(v, place, r);
        mark_register(v, place, r, false);
        v->counters[COUNT_copies]++;
        return r + 1;
    }
    return 0;
}

// The instruction writes some lanes of a register kept as one value: first the value moves to all lanes
// (copy=paper: only of a register that is also a source). Returns the register's number + 1; 0: no move.
static uint32_t copies(void *state, unsigned place, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = v->warps[place].warp;
    if (!uv_keeps(v) || !o->dst_words) return 0;
    uint64_t written = uv_written(w, o);
    return written && uv_live(w) & ~written ? copy_result(v, place, index, o) : 0;
}

static void look_at_sources(struct uv *v, const struct tokens *t, const struct op *o)
{
    v->words_read = 0;
    for (unsigned k = 0; k < o->read_count; k++) v->words_read |= (unsigned)uv_has_token(t, o->reads[k]) << k;
    v->same_sources = v->words_read == bit_mask(o->read_count) && !(o->pred_reads & ~t->predicates);
}

static void expect_same_lanes(struct uv *v, unsigned place, unsigned r)
{
    if (uv_lanes_equal(v, place, r)) return;
    if (v->launch->options.protect) uv_found(v);
    if (v->launch->verify) uv_mismatch(v);
}

static void spread_sources(struct uv *v, unsigned place, const struct op *o)
{
    for (unsigned left = v->words_read; left; left &= left - 1)
        if (uv_keeps(v))
            uv_store_spread(v, place, o->reads[bit_lowest(left)]);
        else
            expect_same_lanes(v, place, o->reads[bit_lowest(left)]);
}

// Whether the instruction counts as uniform: a candidate whose sources have one value, with a true guard
// (loads: no guard). Every required lane must be active (option lanes).
static bool is_uniform(struct uv *v, unsigned place, uint32_t index)
{
    const struct warp *w = v->warps[place].warp;
    uint64_t all = v->launch->options.lanes == UV_LANES_ALL ? w->full : uv_live(w);
    switch ((enum candidate)v->launch->candidates[index]) {
    case NOT_CANDIDATE: break;
    case BROADCAST: return w->active == all && is_broadcast(v, place, index);
    case CANDIDATE:
    case TOO_WIDE:
        return v->same_sources && w->active == all && is_guard_true(w, &v->launch->program->insts[index]);
    }
    return false;
}

// Sources are checked before execution: a register that is also a destination has its new value afterwards.
static void reads(void *state, unsigned place, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    const struct uv_warp *w = &v->warps[place];
    v->known = v->fills = v->converted = v->lacks_register = false;
    v->executing = uv_written(w->warp, o);
    look_at_sources(v, &w->tokens, o);
    if (v->scalars.are_audited) uv_store_audit(v);
    if (v->lives) uv_coverage_read(v, place, index);
    if (uv_keeps(v) || v->launch->verify || v->launch->options.protect) spread_sources(v, place, o);
    v->uniform = is_uniform(v, place, index);
    if (!v->uniform) return;
    v->lacks_register = !uv_store_has_room(v, place, o->dst, o->dst_words);
    v->uniform = !v->lacks_register;
    uint64_t live = uv_live(w->warp);
    bool can_check = !v->launch->options.protect || live & (live - 1); // at least two live lanes
    v->converted = v->uniform && uv_computes(v, index) && v->launch->options.intra == UV_ON && can_check;
}

static void executed(void *state, unsigned place, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    v->filling = NULL;
    v->counters[COUNT_no_register] += v->lacks_register;
    if (v->lives) {
        uv_upset_lanes(v, place, index);
        if (v->converted) uv_check_lanes(v, place, index);
        cover(v, place, o, v->uniform, v->converted && v->launch->options.protect);
    }
    if (v->uniform && v->fills) fill(v, place, index);
    take_back(v, place, o);
    mark(v, place, o, v->uniform);
    if (!v->uniform || !uv_computes(v, index)) return;
    v->counters[COUNT_uniform]++;
    if (v->launch->candidates[index] == TOO_WIDE) v->counters[COUNT_too_wide]++;
}

// Charges a converted instruction with execution on a single lane (protect=on: two lanes) for the whole warp.
static void cost(void *state, unsigned place, uint32_t index, struct op_cost *c)
{
    struct uv *v = state;
    (void)place, (void)index;
    if (!v->converted) return;
    uint32_t all = tech_launch(v->grid)->launch->warp_size, lanes = v->launch->options.protect ? 2 : 1;
    v->counters[COUNT_scalar]++;
    v->counters[COUNT_lanes] += c->lanes > lanes ? c->lanes - lanes : 0;
    c->lanes = c->lanes < lanes ? c->lanes : lanes;
    c->interval = (c->interval + all - 1) / all;
    c->issue = 1;
}

static uint32_t elsewhere(const void *state, unsigned place, uint32_t index, bool is_write)
{
    const struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    uint32_t results = 0;
    if (!uv_keeps(v)) return 0;
    if (!is_write) return v->words_read;
    for (unsigned n = 0; n < o->dst_words; n++)
        results |= (uint32_t)uv_has_token(&v->warps[place].tokens, o->dst + n) << n;
    return results;
}

// One value is read and written as a word, or as two words if kept twice: in the register's bank, or beside
// the banks.
static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct uv *v = state;
    if (!(elsewhere(v, place, index, a->is_write) >> a->nth & 1)) return;
    a->main = 0;
    a->words = v->launch->options.protect ? 2 : 1;
    if (v->launch->options.store == UV_STORE_SRF) a->bank = NO_BANK;
}

// Another mechanism has the result. Values of a skipped instruction are not looked at: the result may be in
// the other mechanism's storage.
static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct uv *v = state;
    const struct inst *i = &v->launch->program->insts[index];
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = v->warps[place].warp;
    bool is_function = uv_computes(v, index) && i->guard == PRED_TRUE && !i->guard_not;
    v->filling = NULL;
    v->executing = w->active;
    if (what == SAVED_EXECUTION) take_back(v, place, o);
    mark(v, place, o,
         is_function && !uv_keeps(v) && w->active == w->full &&
             are_sources_uniform(&v->warps[place].tokens, o));
    if (v->lives) uv_coverage_written(v, place, o, false);
}

static void result(void *state, unsigned place, uint32_t index, uint64_t cycle)
{
    struct uv *v = state;
    (void)place, (void)index;
    if (v->filling) v->filling->ready = cycle;
    v->filling = NULL;
}

// -- storage ------------------------------------------------------------------------------------------------

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct uv_options resolved = with_variant(options), *o = &resolved;
    uint64_t order = 0, parity = o->parity ? 1 : 0;
    while (1u << order < o->entries) order++;
    size_t n = 0;
    // Fields of an entry (Xiang 2.5): a partial PC, an opcode, three sources, a result and the order of use.
    // For every vector register: a bit, or the number of a scalar register.
    if (o->inter != UV_OFF)
        out[n++] =
            (struct tech_storage){"reuse buffer", o->entries,
                                  o->tag_bits + 8 + (3 + 1) * 32ull * o->words + order + parity, true, 1};
    if (o->store != UV_STORE_SRF) out[n++] = (struct tech_storage){"tokens", c->registers / 32, 1, true, 1};
    if (o->store == UV_STORE_SRF) {
        uint64_t count = o->registers ? o->registers : c->registers / 32, number = 0;
        while (1u << number < count) number++;
        out[n++] = (struct tech_storage){"scalar registers", count, 32, true, 1};
        out[n++] = (struct tech_storage){"renaming map", c->registers / 32, number, true, 1};
        out[n++] = (struct tech_storage){"valid bits of the map", c->registers / 32, 1, false, 1};
        out[n++] = (struct tech_storage){"free scalar registers", count, 1, false, 1};
    }
    if (o->value_parity && o->store != UV_STORE_LANES) {
        uint64_t vectors = c->registers / 32, scalars = o->registers ? o->registers : vectors;
        bool srf = o->store == UV_STORE_SRF; // the second copy of a scalar register is in a lane
        uint64_t copies = (srf ? scalars : vectors) + (o->protect ? vectors : 0);
        out[n++] = (struct tech_storage){"parity of values", copies, 1, true, 1};
    }
    // Further fields of an entry: type, comparison, mode, lookup tables and flags (48 bits); two result and
    // three source predicates.
    out[n++] = (struct tech_storage){"modifiers and predicates of entries", o->entries, 48 + 5, false, 1};
    out[n++] = (struct tech_storage){"tokens of predicates", c->max_warps, 7, false, 1};
    return n;
}

static uint32_t more_claims(const void *options)
{
    return with_variant(options).store == UV_STORE_LANES
               ? 0
               : CLAIMS(REGISTER_STORAGE) | CLAIMS(OWN_REGISTERS) | CLAIMS(ONE_VALUE);
}

static const char *check(const void *state) { return uv_store_check(state); }

static void tell_entry(const struct uv *v, unsigned n, struct tech_rows *to)
{
    const struct entry *e = &v->entries[n];
    const struct inst *i = &v->launch->program->insts[e->inst];
    struct strbuf text = {0};
    strbuf_printf(&text, "0x%04x (", program_pc(v->launch->program, e->inst));
    for (unsigned k = 0; k < e->key.count; k++) strbuf_printf(&text, "%s0x%x", k ? " " : "", e->key.words[k]);
    strbuf_puts(&text, ") =");
    for (unsigned k = 0; k < 4 && i->dst[0].kind == OPERAND_REG && k < operand_words(&i->dst[0]); k++)
        strbuf_printf(&text, " 0x%x", e->result[k]);
    if (i->dst[0].kind == OPERAND_PRED) strbuf_puts(&text, e->preds & 1 ? " true" : " false");
    tech_row(to, "reuse buffer", TECH_OF_SM, 0, n, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct uv *v = state;
    struct strbuf text = {0};
    for (unsigned n = 0; n < v->launch->options.entries; n++)
        if (v->entries[n].used) tell_entry(v, n, to);
    for (unsigned place = 0; place < UV_WARPS; place++) {
        if (!v->warps[place].warp) continue;
        strbuf_clear(&text);
        rows_print_set(&text, "R", v->warps[place].tokens.registers, 4);
        tech_row(to, "registers of one value", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
    }
    strbuf_fini(&text);
}

const struct tech tech_uv = {
    .name = "uv",
    .meaning = "uniform instructions take their result from a reuse buffer instead of executing",
    .paper = "Xiang et al., ICS 2013; as DARSIE compares it",
    .features = HAS(UNIFORM) | HAS(FEW_CHANGES) | HAS(EXECUTION) | HAS(PREDICATES),
    .claims = CLAIMS(EXECUTION) | CLAIMS(COSTS) | CLAIMS(OPERANDS),
    .skipped = -1,
    .reused = COUNT_reused,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct uv_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .warp_end = warp_end,
    .reads = reads,
    .check = check,
    .rows = rows,
    .executed = executed,
    .saved = saved,
    .description = &(const struct tech_description){.more_claims = more_claims},
    .execution = &(const struct tech_execution){.copies = copies, .cost = cost, .reuse = reuse},
    .registers =
        &(const struct tech_registers){
            .kept = kept, .elsewhere = elsewhere, .operand = operand, .result = result},
};

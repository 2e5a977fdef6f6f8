// UV (uniform-vector instructions): a warp instruction whose sources are the same in every lane, and which
// another warp has executed with the same values, takes its result from a reuse buffer when it could issue.
//
//     decode: tokens ──▶ all sources uniform? ──▶ ready, at the head ──▶ reuse buffer ── hit ──▶ result
//     (a bit a register)                                                     │ miss
//                                                                            ▼
//                                                     executes ──▶ entry, valid from the result's cycle on
//
// As the DARSIE paper compares it (section 5): nothing is saved before issue, no memory operation is skipped.
// What is known and what was decided: docs/techniques/uv.md. Left out: the scalar register file and the
// narrower execution of uniform instructions, which change energy and not which instructions execute.
#include "tech/uv/uv.h"
#include "tech/registry.h"

#include <stdlib.h>

static const char *const switch_words[] = {"off", "on", NULL}, *const rules_words[] = {"sound", "paper",
                                                                                       NULL};

#define AT(field) offsetof(struct uv_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"entries",    CONFIG_U32,  AT(entries),    1, 1024, NULL,         "8",     "entries of an SM's reuse buffer", "Xiang 2.5: 8"},
    {"ways",       CONFIG_U32,  AT(ways),       0, 1024, NULL,         "0",     "of a set, found by PC; 0: the buffer is one set", "Xiang 2.4.3: fully associative"},
    {"words",      CONFIG_U32,  AT(words),      1, 4,    NULL,         "1",     "32-bit words of an operand or result that an entry can hold", "Xiang 2.5: one"},
    {"tag",        CONFIG_U32,  AT(tag_bits),   1, 32,   NULL,         "10",    "bits of the instruction's number that an entry is found by", "Xiang 2.5: 10"},
    {"ports",      CONFIG_U32,  AT(ports),      1, 64,   NULL,         "8",     "lookups an SM makes in a cycle; an instruction that gets none executes", "choice: all that can issue"},
    {"latency",    CONFIG_U32,  AT(latency),    1, 100,  NULL,         "2",     "cycles from issue to the result of a hit", "choice: lookup, write"},
    {"loads",      CONFIG_WORD, AT(loads),      0, 0,    switch_words, "on",    "a load of one address by all lanes leaves a uniform register", "Xiang 2.4.1: broadcast path"},
    {"predicates", CONFIG_WORD, AT(predicates), 0, 0,    switch_words, "on",    "uniform predicates are followed, and comparisons reused", "choice"},
    {"rules",      CONFIG_WORD, AT(rules),      0, 0,    rules_words,  "sound", "paper: entries know opcode and register values alone, not immediates, modifiers or special registers; allowed to fail verification", "Xiang 2.4.3"},
    {"corrupt",    CONFIG_U32,  AT(corrupt),    0, 4000000000, NULL,   "0",     NULL, NULL},
};

// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/uv/counters.def"
#undef COUNTER
};

// -- a launch -----------------------------------------------------------------------------------------------

// Decode's part that is the same in every execution.
static enum candidate candidate_of(const struct inst *i, const struct op *o, const struct uv_options *options)
{
    bool fits = o->dst_words <= options->words;
    if (o->path != PATH_ALU || !isa_has(i, ISA_PURE | ISA_SPECIAL_READ)) return NOT_CANDIDATE;
    if (!o->dst_words && !o->pred_writes) return NOT_CANDIDATE;
    if (!options->predicates && (o->pred_writes || o->pred_reads)) return NOT_CANDIDATE;
    for (unsigned k = 0; k < 4; k++) {
        if (i->src[k].kind == OPERAND_SREG && isa_sreg_whose((enum isa_sreg)i->src[k].reg) != SREG_OF_BLOCK)
            return NOT_CANDIDATE;
        if (i->src[k].kind == OPERAND_REG || i->src[k].kind == OPERAND_CONST)
            fits &= uv_width(&i->src[k]) <= options->words;
    }
    return fits ? CANDIDATE : TOO_WIDE;
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct program *p = l->launch->program;
    struct uv_launch *v = heap_alloc(sizeof *v);
    *v = (struct uv_launch){.options = u->options,
                            .program = p,
                            .ops = l->decoded.ops,
                            .verify = u->verify,
                            .mismatches = u->mismatches,
                            .candidates = heap_alloc(p->inst_count)};
    for (uint32_t n = 0; n < p->inst_count; n++)
        v->candidates[n] = (uint8_t)candidate_of(&p->insts[n], &v->ops[n], v->options);
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
    *v = (struct uv){.launch = launch, .sm = s, .counters = counts};
    v->entries = heap_alloc(v->launch->options->entries * sizeof *v->entries);
    return v;
}

static void sm_end(void *state)
{
    struct uv *v = state;
    free(v->entries);
    free(v);
}

static void warp_start(void *state, unsigned slot)
{
    struct uv *v = state;
    v->warps[slot] = (struct tokens){.predicates = 1 << PRED_TRUE};
}

// -- tokens -------------------------------------------------------------------------------------------------

static bool has_token(const struct tokens *t, unsigned r) { return t->registers[r / 64] >> r % 64 & 1; }

static bool are_sources_uniform(const struct tokens *t, const struct op *o)
{
    for (unsigned k = 0; k < o->read_count; k++)
        if (!has_token(t, o->reads[k])) return false;
    return (o->pred_reads & ~t->predicates) == 0;
}

static bool is_guard_true(const struct warp *w, const struct inst *i)
{
    return ((w->pred[i->guard] & 1) != 0) != (i->guard_not != 0);
}

static void mark(struct tokens *t, const struct op *o, bool uniform)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        unsigned r = o->dst + n;
        uint64_t bit = 1ull << r % 64;
        t->registers[r / 64] = uniform ? t->registers[r / 64] | bit : t->registers[r / 64] & ~bit;
    }
    t->predicates = uniform ? t->predicates | o->pred_writes : t->predicates & (uint8_t)~o->pred_writes;
}

static bool are_lanes_equal(struct uv *v, unsigned slot, unsigned r)
{
    const uint32_t *lanes = tech_lanes(v->sm, slot, r);
    for (unsigned n = 1; n < tech_launch(v->sm)->launch->warp_size; n++)
        if (lanes[n] != lanes[0]) return false;
    return true;
}

// All lanes of a load ask for one address, of memory that they share.
static bool is_broadcast(struct uv *v, unsigned slot, const struct inst *i, const struct op *o)
{
    bool shared = i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDC;
    if (!v->launch->options->loads || !shared || i->guard != PRED_TRUE || i->guard_not) return false;
    for (unsigned k = 0; k < o->read_count; k++)
        if (!are_lanes_equal(v, slot, o->reads[k])) return false;
    return true;
}

// -- a hit --------------------------------------------------------------------------------------------------

static void mismatch(const struct uv *v) { __atomic_add_fetch(v->launch->mismatches, 1, __ATOMIC_RELAXED); }

static void verify(struct uv *v, unsigned slot, uint32_t index, const struct entry *e)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    const struct warp *w = tech_warp(v->sm, slot);
    bool same = true;
    for (unsigned k = 0; k < o->read_count; k++) same &= are_lanes_equal(v, slot, o->reads[k]);
    tech_recompute(v->sm, slot, index);
    for (unsigned n = 0; n < o->dst_words; n++)
        same &=
            are_lanes_equal(v, slot, o->dst + n) && tech_lanes(v->sm, slot, o->dst + n)[0] == e->result[n];
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE)
            same &= (w->pred[i->dst[k].reg] & w->full) == (e->preds >> k & 1 ? w->full : 0);
    if (!same) mismatch(v);
}

// The entry's words, broadcast into all lanes.
static void write_result(struct uv *v, unsigned slot, uint32_t index, const struct entry *e)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    struct warp *w = tech_warp(v->sm, slot);
    for (unsigned n = 0; n < o->dst_words; n++) {
        uint32_t *lanes = tech_lanes(v->sm, slot, o->dst + n);
        for (unsigned l = 0; l < w->exec->lanes; l++) lanes[l] = e->result[n];
    }
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE)
            w->pred[i->dst[k].reg] = e->preds >> k & 1 ? w->full : 0;
}

// A bit of the n-th result that is reused is turned, for tests.
static void corrupt(struct uv *v, struct entry *e)
{
    if (++v->hits != v->launch->options->corrupt) return;
    e->result[0] ^= 1;
    e->preds ^= 1;
}

static uint32_t reuse(void *state, unsigned slot, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = tech_warp(v->sm, slot);
    if (v->launch->candidates[index] == NOT_CANDIDATE || !are_sources_uniform(&v->warps[slot], o)) return 0;
    v->counters[COUNT_diverged] += w->active != w->full;
    if (!v->uniform || v->launch->candidates[index] == TOO_WIDE) return 0;
    uv_set_key(v, slot, index);
    struct entry *e = uv_look_up(v, index);
    v->fills = !v->known;
    if (!e) return 0;
    e->last_used = ++v->serial;
    corrupt(v, e);
    if (v->launch->verify) verify(v, slot, index, e);
    write_result(v, slot, index, e);
    mark(&v->warps[slot], o, true);
    v->counters[COUNT_reused]++;
    return v->launch->options->latency;
}

// -- a miss -------------------------------------------------------------------------------------------------

static void fill(struct uv *v, unsigned slot, uint32_t index)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    const struct warp *w = tech_warp(v->sm, slot);
    struct entry *e = v->filling = uv_make_entry(v, index);
    e->key = v->key;
    for (unsigned n = 0; n < o->dst_words; n++) e->result[n] = tech_lanes(v->sm, slot, o->dst + n)[0];
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED) e->preds |= (uint8_t)((w->pred[i->dst[k].reg] & 1) << k);
}

// A register that is also a source has its new value when it has executed: sources are looked at before.
static void reads(void *state, unsigned slot, uint32_t index)
{
    struct uv *v = state;
    const struct inst *i = &v->launch->program->insts[index];
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = tech_warp(v->sm, slot);
    v->known = v->fills = v->uniform = false;
    if (w->active != w->full) return;
    if (v->launch->candidates[index] != NOT_CANDIDATE)
        v->uniform = are_sources_uniform(&v->warps[slot], o) && is_guard_true(w, i);
    else if (isa_has(i, ISA_LOAD))
        v->uniform = is_broadcast(v, slot, i, o);
}

static void executed(void *state, unsigned slot, uint32_t index)
{
    struct uv *v = state;
    const struct op *o = &v->launch->ops[index];
    v->filling = NULL;
    mark(&v->warps[slot], o, v->uniform);
    if (!v->uniform || v->launch->candidates[index] == NOT_CANDIDATE) return;
    v->counters[COUNT_uniform]++;
    if (v->launch->candidates[index] == TOO_WIDE)
        v->counters[COUNT_too_wide]++;
    else if (v->fills)
        fill(v, slot, index);
}

// Another has the result; of what was skipped no value is looked at, which may be elsewhere.
static void saved(void *state, unsigned slot, uint32_t index, enum tech_saving what)
{
    struct uv *v = state;
    const struct inst *i = &v->launch->program->insts[index];
    const struct op *o = &v->launch->ops[index];
    const struct warp *w = tech_warp(v->sm, slot);
    bool is_function =
        v->launch->candidates[index] != NOT_CANDIDATE && i->guard == PRED_TRUE && !i->guard_not;
    (void)what;
    v->filling = NULL;
    mark(&v->warps[slot], o, is_function && w->active == w->full && are_sources_uniform(&v->warps[slot], o));
}

static void result(void *state, unsigned slot, uint32_t index, uint64_t cycle)
{
    struct uv *v = state;
    (void)slot, (void)index;
    if (v->filling) v->filling->ready = cycle;
    v->filling = NULL;
}

// -- storage ------------------------------------------------------------------------------------------------

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct uv_options *o = options;
    uint64_t order = 0;
    while (1u << order < o->entries) order++;
    size_t n = 0;
    // Xiang 2.5: a partial PC, an opcode, three sources, a result, and the order of use; a bit a vector
    // register.
    out[n++] = (struct tech_storage){"reuse buffer", o->entries,
                                     o->tag_bits + 8 + (3 + 1) * 32ull * o->words + order, true, 1};
    out[n++] = (struct tech_storage){"tokens", c->registers / 32, 1, true, 1};
    // Type, comparison, mode, lookup tables and flags; two result and three source predicates.
    out[n++] = (struct tech_storage){"modifiers and predicates of entries", o->entries, 48 + 5, false, 1};
    out[n++] = (struct tech_storage){"tokens of predicates", c->max_warps, 7, false, 1};
    return n;
}

const struct tech tech_uv = {
    .name = "uv",
    .meaning = "uniform instructions take their result from a reuse buffer instead of executing",
    .paper = "Xiang et al., ICS 2013; as DARSIE compares it",
    .features = HAS(UNIFORM) | HAS(FEW_CHANGES) | HAS(EXECUTION) | HAS(PREDICATES),
    .claims = CLAIMS(EXECUTION),
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
    .reads = reads,
    .reuse = reuse,
    .executed = executed,
    .saved = saved,
    .result = result,
};

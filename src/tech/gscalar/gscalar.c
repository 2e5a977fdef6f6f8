// G-Scalar: an instruction with uniform operands executes on one lane, and uniform registers are read and
// written as one word.
//
//     result ──▶ lanes compared ──▶ by part of the register: a uniform bit, and the value in a word apart
//                                                  │
//     operands ──▶ uniform in the part? ── all ──▶ one lane executes for the part
//                                       └─ some ─▶ all lanes execute; uniform operands are still words
//
// Energy changes; time changes only with units=on, in the pipeline. With parts=2 half warps are separate
// parts. docs/explanation/techniques/gscalar.md has the known facts and the decisions.
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "sm/mech/tech.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>

struct options {
    uint32_t corrupt;
    int parts, divergent, loads, units;
};

enum counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/gscalar/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { PARTS_MAX = 4, REGISTERS = 256 };

struct launch_state {
    const struct options *options;
    const struct program *program;
    const struct op *ops;
    unsigned lanes, part; // of a warp; of a part
    bool verify;
    uint64_t *mismatches;
};

struct register_state {
    uint32_t words[PARTS_MAX]; // by part: the value, if uniform
    uint8_t one_value;         // bits: uniform parts
    bool is_foreign; // written late or by another mechanism: no words, lanes are compared at the read
};

struct gscalar {
    struct launch_state *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    uint64_t words_read; // source words so far, for `corrupt`
    // Of the instruction at hand:
    unsigned scalar;  // bits: parts with uniform operands only
    unsigned sources; // bits: sources uniform in every part
    unsigned compared;
    uint64_t lanes; // lanes that execute the instruction
    struct register_state registers[64][REGISTERS];
};

static const char *const part_words[] = {"1", "2", "4", NULL}; // 1 << index of the word
static const char *const switch_words[] = {"off", "on", NULL};
#define AT(field) offsetof(struct options, field)
// clang-format off
static const struct config_key keys[] = {
    {"parts",     CONFIG_WORD, AT(parts),     0, 0, part_words,    "1",   "parts of a warp; the lanes of a part share a value", "Liu et al., HPCA 2017: half warps"},
    {"divergent", CONFIG_WORD, AT(divergent), 0, 0, switch_words,  "on",  "instructions with lanes missing execute on a single lane, too", "Liu et al., HPCA 2017"},
    {"loads",     CONFIG_WORD, AT(loads),     0, 0, switch_words,  "on",  "a load of the same address in all lanes computes the address on a single lane", "Liu et al., HPCA 2017: memory instructions"},
    {"units",     CONFIG_WORD, AT(units),     0, 0, switch_words,  "off", "the pipeline of a scalar instruction is free again after a cycle", "choice: time as before"},
    {"corrupt",   CONFIG_U32,  AT(corrupt),   0, 4000000000, NULL, "0",   NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/gscalar/counters.def"
#undef COUNTER
};

// -- state --------------------------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct options *o = u->options;
    struct launch_state *g = heap_alloc(sizeof *g);
    unsigned lanes = l->launch->warp_size, parts = 1u << o->parts;
    *g = (struct launch_state){.options = o,
                               .program = l->launch->program,
                               .ops = l->decoded.ops,
                               .lanes = lanes,
                               .part = lanes >= parts ? lanes / parts : 1,
                               .verify = u->verify,
                               .mismatches = u->mismatches};
    return g;
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct gscalar *g = heap_alloc(sizeof *g);
    *g = (struct gscalar){.launch = launch, .grid = s, .counters = counts};
    return g;
}

// Registers start as 0, hence uniform.
static void warp_start(void *state, unsigned place)
{
    struct gscalar *g = state;
    for (unsigned r = 0; r < REGISTERS; r++)
        g->registers[place][r] = (struct register_state){.one_value = (1 << PARTS_MAX) - 1};
}

// -- uniform registers --------------------------------------------------------------------------------------

static unsigned parts_of(const struct gscalar *g) { return g->launch->lanes / g->launch->part; }
static unsigned all_parts(const struct gscalar *g) { return (1u << parts_of(g)) - 1; }
static uint64_t part_mask(const struct gscalar *g, unsigned part)
{
    return bit_mask(g->launch->part) << part * g->launch->part;
}

// Bits: parts of the warp's register with one value in the given lanes.
static unsigned compare(struct gscalar *g, unsigned place, unsigned r, uint64_t among)
{
    const uint32_t *lanes = tech_lanes(g->grid, place, r);
    unsigned equal = 0;
    for (unsigned k = 0; k < parts_of(g); k++) {
        uint64_t left = among & part_mask(g, k);
        uint32_t first = left ? lanes[bit_lowest(left)] : 0;
        while (left && lanes[bit_lowest(left)] == first) left &= left - 1;
        equal |= (unsigned)!left << k;
    }
    return equal;
}

// Keeps the uniform parts of register r as words from now on; further parts live in their lanes alone.
static void keep(struct gscalar *g, unsigned place, unsigned r, unsigned one_value)
{
    struct register_state *x = &g->registers[place][r];
    const uint32_t *lanes = tech_lanes(g->grid, place, r);
    x->one_value = (uint8_t)one_value;
    for (unsigned left = one_value & all_parts(g); left; left &= left - 1)
        x->words[bit_lowest(left)] = lanes[bit_lowest(left) * g->launch->part];
}

// Copies a word to the lanes of its part, for the execution. Lanes without a thread are not verified.
static void broadcast(struct gscalar *g, unsigned place, unsigned r, unsigned part)
{
    const struct warp *w = tech_warp(g->grid, place);
    uint32_t *lanes = tech_lanes(g->grid, place, r), word = g->registers[place][r].words[part], different = 0;
    for (uint64_t left = part_mask(g, part); left; left &= left - 1) {
        unsigned n = bit_lowest(left);
        bool is_there = (w->present & ~w->exited) >> n & 1;
        different |= is_there ? lanes[n] ^ word : 0;
        lanes[n] = word;
    }
    if (different && g->launch->verify) __atomic_add_fetch(g->launch->mismatches, 1, __ATOMIC_RELAXED);
}

// Bits: parts of a source read as a word. A foreign value is sure to be in the executing lanes only; just
// those are compared.
static unsigned read_source(struct gscalar *g, unsigned place, unsigned r)
{
    struct register_state *x = &g->registers[place][r];
    g->counters[COUNT_lookups]++;
    if (x->is_foreign) return compare(g, place, r, g->lanes);
    unsigned parts = x->one_value & all_parts(g);
    if (parts && ++g->words_read == g->launch->options->corrupt) x->words[bit_lowest(parts)] ^= 1;
    for (unsigned left = parts; left; left &= left - 1) broadcast(g, place, r, bit_lowest(left));
    return parts;
}

// -- an instruction -----------------------------------------------------------------------------------------

static bool may_be_scalar(const struct gscalar *g, const struct inst *i, const struct op *o)
{
    bool load = i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDC;
    if (o->path == PATH_ALU) return isa_has(i, ISA_PURE | ISA_SPECIAL_READ);
    return load && g->launch->options->loads;
}

// Bits: parts uniform in operands other than registers; 0 with a special register that differs by lane. A
// predicate is uniform if all lanes of the part agree.
static unsigned other_operands(const struct gscalar *g, const struct warp *w, const struct inst *i)
{
    unsigned parts = all_parts(g);
    for (unsigned k = 0; k < 4; k++) {
        if (i->src[k].kind == OPERAND_SREG && isa_sreg_whose((enum isa_sreg)i->src[k].reg) == SREG_OF_LANE)
            return 0;
        if (i->src[k].kind != OPERAND_PRED) continue;
        for (unsigned n = 0; n < parts_of(g); n++) {
            uint64_t bits = w->pred[i->src[k].reg] & part_mask(g, n);
            if (bits && bits != part_mask(g, n)) parts &= ~(1u << n);
        }
    }
    return parts;
}

// Reads the sources, and finds the parts that execute on one lane, before the execution: a destination may be
// a source, too.
static void reads(void *state, unsigned place, uint32_t index)
{
    struct gscalar *g = state;
    const struct op *o = &g->launch->ops[index];
    const struct inst *i = &g->launch->program->insts[index];
    const struct warp *w = tech_warp(g->grid, place);
    uint64_t guard = i->guard_not ? ~w->pred[i->guard] : w->pred[i->guard];
    unsigned scalar = all_parts(g);
    g->lanes = w->active & guard & w->full;
    g->sources = g->compared = 0;
    for (unsigned k = 0; k < o->read_count; k++) {
        unsigned flags = read_source(g, place, o->reads[k]);
        g->sources |= (unsigned)(flags == all_parts(g)) << k;
        scalar &= flags;
    }
    if (!may_be_scalar(g, i, o) || (w->active != w->full && !g->launch->options->divergent)) scalar = 0;
    g->scalar = scalar ? scalar & other_operands(g, w, i) : 0;
}

// Updates the destination. A part written in some lanes only is no longer uniform. Late results are not
// compared.
static void write(struct gscalar *g, unsigned place, unsigned r, bool comes_later)
{
    struct register_state *x = &g->registers[place][r];
    bool is_whole = g->lanes == bit_mask(g->launch->lanes);
    x->is_foreign = comes_later || (x->is_foreign && !is_whole);
    if (x->is_foreign) return;
    g->compared++;
    unsigned equal = compare(g, place, r, bit_mask(g->launch->lanes)), one_value = x->one_value;
    for (unsigned n = 0; n < parts_of(g); n++) {
        uint64_t lanes = g->lanes & part_mask(g, n);
        if (!lanes) continue;
        one_value &= ~(1u << n);
        if (lanes == part_mask(g, n)) one_value |= equal & 1u << n;
    }
    keep(g, place, r, one_value);
}

static void executed(void *state, unsigned place, uint32_t index)
{
    struct gscalar *g = state;
    const struct op *o = &g->launch->ops[index];
    // Late results: of atomics, with the reply; of reducing barriers, at the last warp.
    const struct inst *i = &g->launch->program->insts[index];
    bool comes_later = o->path != PATH_ALU && (!isa_has(i, ISA_LOAD) || isa_has(i, ISA_ATOMIC));
    for (unsigned n = 0; n < o->dst_words; n++) write(g, place, o->dst + n, comes_later);
}

static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct gscalar *g = state;
    const struct op *o = &g->launch->ops[index];
    (void)what;
    for (unsigned n = 0; n < o->dst_words; n++) g->registers[place][o->dst + n].is_foreign = true;
}

// A register uniform in every part is read or written as one word a part, in the register's own bank.
static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct gscalar *g = state;
    const struct register_state *x = &g->registers[place][a->r];
    bool is_result = !x->is_foreign && (x->one_value & all_parts(g)) == all_parts(g);
    (void)index;
    if (!(a->is_write ? is_result : g->sources >> a->nth & 1)) return;
    a->main = 0;
    a->words = (uint8_t)parts_of(g);
    g->counters[a->is_write ? COUNT_words_written : COUNT_words_read] += a->words;
}

static void cost(void *state, unsigned place, uint32_t index, struct op_cost *c)
{
    struct gscalar *g = state;
    unsigned parts = parts_of(g), spared = 0;
    (void)index;
    for (unsigned left = g->scalar; left; left &= left - 1) {
        uint64_t lanes = g->lanes & part_mask(g, bit_lowest(left));
        if (lanes) spared += bit_count(lanes) - 1;
    }
    c->lanes -= spared;
    c->compared = g->compared;
    bool is_scalar = g->scalar == all_parts(g);
    if (is_scalar && g->launch->options->units && c->interval > parts) c->interval = parts;
    const struct warp *w = tech_warp(g->grid, place);
    g->counters[COUNT_scalar] += is_scalar;
    g->counters[COUNT_divergent] += is_scalar && g->lanes != w->full;
    g->counters[COUNT_diverged] += g->lanes != w->full;
    g->counters[COUNT_lanes] += spared;
    g->counters[COUNT_compared] += g->compared;
}

// -- the mechanism ------------------------------------------------------------------------------------------

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct options *o = options;
    uint64_t registers = c->registers / 32, parts = 1u << o->parts;
    out[0] = (struct tech_storage){"one-value bits", registers, parts, true, 1};
    out[1] = (struct tech_storage){"words", registers * parts, 32, true, 1};
    return 2;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct gscalar *g = state;
    unsigned parts = (1u << (1u << g->launch->options->parts)) - 1;
    struct strbuf text = {0};
    for (unsigned place = 0; place < tech_launch(g->grid)->places; place++) {
        uint64_t bits[REGISTERS / 64] = {0};
        if (!rows_has_warp(g->grid, place)) continue;
        for (unsigned r = 0; r < g->launch->program->reg_count && r < REGISTERS; r++) {
            const struct register_state *x = &g->registers[place][r];
            bits[r / 64] |= (uint64_t)((x->one_value & parts) == parts && !x->is_foreign) << r % 64;
        }
        strbuf_clear(&text);
        rows_print_set(&text, "R", bits, REGISTERS / 64);
        tech_row(to, "registers of one value", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
    }
    strbuf_fini(&text);
}

const struct tech tech_gscalar = {
    .name = "gscalar",
    .meaning = "instructions on operands equal in all lanes execute on a single lane",
    .paper = "G-Scalar: Liu et al., HPCA 2017",
    .features = HAS(UNIFORM) | HAS(LOADS) | HAS(PREDICATES),
    .claims = CLAIMS(ONE_VALUE) | CLAIMS(COSTS) | CLAIMS(OPERANDS),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_start = warp_start,
    .rows = rows,
    .reads = reads,
    .executed = executed,
    .saved = saved,
    .execution = &(const struct tech_execution){.cost = cost},
    .registers = &(const struct tech_registers){.operand = operand},
};

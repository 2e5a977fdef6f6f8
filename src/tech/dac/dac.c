// DAC-IDEAL (decoupled affine computation, as the DARSIE paper idealises it in section 5): instructions with
// affine sources and results over the block are executed once for the block.
// docs/explanation/techniques/dac.md lists the claims of the papers and the decisions taken.
//
// Not modelled, because free in the idealisation: the second instruction stream, its queues and expansion
// units, waits between the streams, and decoupled loads.
#include "tech/dac/dac.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "isa/units.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const predicate_words[] = {"off", "uniform", "affine", NULL};
static const char *const load_words[] = {"off", "constant", "uniform", NULL};
static const char *const tuple_words[] = {"threads", "lanes", NULL};

#define AT(field) offsetof(struct dac_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"predicates", CONFIG_WORD, AT(predicates), 0, 0, predicate_words, "affine", "comparisons in the affine stream: with the same result in all threads, or any of affine values", "DAC 4.3"},
    {"loads",      CONFIG_WORD, AT(loads),      0, 0, load_words,      "uniform", "loads in the affine stream: none, from constant memory, or of any value equal in all threads", "DARSIE 5: detected at run time; DAC 4.1: constant"},
    {"tuples",     CONFIG_WORD, AT(tuples),     0, 0, tuple_words,     "threads", "affine: base + stride in the thread's coordinates, or, less, in the lane's number in every warp", "DAC 4.2 has coordinates; DARSIE does not say"},
    {"instances",  CONFIG_U32,  AT(instances),  1, 65536, NULL,        "256",    "executions of an instruction kept by a block for warps behind", "choice"},
    {"corrupt",    CONFIG_U32,  AT(corrupt),    0, 4000000000, NULL,   "0",      NULL, NULL},
};
// clang-format on

static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/dac/counters.def"
#undef COUNTER
};

// -- a launch -----------------------------------------------------------------------------------------------

static bool is_clock(const struct operand *o)
{
    return o->kind == OPERAND_SREG && o->reg >= SREG_CLOCK_LO && o->reg <= SREG_GLOBALTIMER;
}

static enum candidate candidate_of(const struct inst *i, const struct op *o,
                                   const struct dac_options *options)
{
    bool load = i->op == OP_LD || i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDL;
    bool constant = i->op == OP_LDC && options->loads != LOADS_OFF;
    bool computes = o->path == PATH_ALU && isa_has(i, ISA_PURE | ISA_SPECIAL_READ);
    if (o->read_count > KEY_MAX || o->dst_words > DST_MAX) return NOT_CANDIDATE;
    if (o->pred_writes && options->predicates == PREDICATES_OFF) return NOT_CANDIDATE;
    if (!o->dst_words && !o->pred_writes) return NOT_CANDIDATE;
    if (load && i->sem == SEM_WEAK && options->loads == LOADS_UNIFORM) return LOADS;
    return (constant || computes) && !is_clock(&i->src[0]) ? COMPUTES : NOT_CANDIDATE;
}

// Whether the operand is a special register with values that may differ between the threads of a block.
static bool differs(const struct operand *o)
{
    return o->kind == OPERAND_SREG && isa_sreg_whose((enum isa_sreg)o->reg) != SREG_OF_BLOCK;
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct program *p = l->launch->program;
    struct dac_launch *d = heap_alloc(sizeof *d);
    *d = (struct dac_launch){.options = u->options,
                             .program = p,
                             .ops = l->decoded.ops,
                             .candidates = heap_alloc(p->inst_count),
                             .thread_dependent = heap_alloc(p->inst_count * sizeof(bool)),
                             .blocks = heap_alloc(p->inst_count * sizeof(bool)),
                             .verify = u->verify,
                             .mismatches = u->mismatches};
    threads_init(&d->threads, l->launch->block, l->launch->warp_size, l->launch->warp_size > 32 ? 64 : 32);
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct inst *i = &p->insts[n];
        d->candidates[n] = (uint8_t)candidate_of(i, &d->ops[n], d->options);
        d->thread_dependent[n] = differs(&i->src[0]);
        d->blocks[n] = isa_table[i->op].unit == UNIT_CONTROL;
    }
    return d;
}

static void launch_end(void *launch)
{
    struct dac_launch *d = launch;
    threads_fini(&d->threads);
    free(d->candidates);
    free(d->thread_dependent);
    free(d->blocks);
    free(d);
}

// -- an SM --------------------------------------------------------------------------------------------------

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct dac *d = heap_alloc(sizeof *d);
    *d = (struct dac){.launch = launch, .grid = s, .counters = counts};
    const struct threads *t = &d->launch->threads;
    uint32_t blocks = tech_launch(s)->blocks_per_sm;
    d->warps = heap_alloc(tech_launch(s)->places * sizeof *d->warps);
    d->values = heap_alloc((size_t)DST_MAX * t->warps * t->lanes * sizeof *d->values);
    for (uint32_t k = 0; k < blocks; k++)
        d->blocks[k].instances = heap_alloc(d->launch->program->inst_count * sizeof *d->blocks[k].instances);
    return d;
}

static void sm_end(void *state)
{
    struct dac *d = state;
    uint32_t inst_count = d->launch->program->inst_count;
    for (uint32_t k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++) {
        dac_forget(d, &d->blocks[k]);
        for (uint32_t pc = 0; pc < inst_count; pc++) vec_fini(&d->blocks[k].instances[pc]);
        free(d->blocks[k].instances);
    }
    for (size_t n = 0; n < d->spare.count; n++) free(d->spare.data[n]);
    vec_fini(&d->spare);
    free(d->warps);
    free(d->values);
    free(d);
}

static void block_start(void *state, unsigned block)
{
    struct dac *d = state;
    dac_forget(d, &d->blocks[block]);
    d->blocks[block].live = bit_mask(d->launch->threads.warps); // including warps not started yet
}

static void warp_start(void *state, unsigned place)
{
    struct dac *d = state;
    struct dac_warp *w = &d->warps[place];
    w->block = (uint8_t)tech_block_of(d->grid, place);
    w->index = (uint8_t)tech_warp(d->grid, place)->index;
    memset(w->front.registers, 0, sizeof w->front.registers);
    memset(w->front.pending, 0, sizeof w->front.pending);
    w->front.preds = w->front.uniform = 1 << PRED_TRUE;
    w->front.masks[PRED_TRUE] = UINT64_MAX;
    w->back = w->front;
    w->first = w->count = w->ordered = w->blocking = 0;
}

static void warp_started(void *state, unsigned place) { look_again(state, place); }

static const char *check(const void *state)
{
    const struct dac *d = state;
    for (unsigned k = 0; k < BLOCKS; k++)
        if (d->blocks[k].live) return "dac: a block has not ended";
    return NULL;
}

static void print_instance(const struct instance_row *row, uint64_t live, struct strbuf *out)
{
    const struct instance *e = row->instance;
    uint64_t passed = row->passed & live;
    strbuf_puts(out, out->length ? "; " : "");
    if (!e->affine) strbuf_puts(out, "not affine");
    for (unsigned n = 0; e->affine && n < e->outcome.words; n++) {
        const struct tuple *u = &e->outcome.tuples[n];
        strbuf_printf(out, "%s0x%x", n ? " " : "", u->base);
        for (unsigned k = 0; k < 3; k++)
            if (u->stride[k]) strbuf_printf(out, " + %d%c", (int)u->stride[k], "xyz"[k]);
    }
    strbuf_puts(out, ", passed by ");
    rows_print_set(out, "", &passed, 1);
}

static void tell_block(const struct dac *d, unsigned k, struct tech_rows *to)
{
    const struct dac_block *b = &d->blocks[k];
    struct strbuf text = {0};
    for (uint32_t pc = 0; pc < d->launch->program->inst_count; pc++) {
        if (!b->instances[pc].count) continue;
        strbuf_clear(&text);
        for (size_t n = 0; n < b->instances[pc].count; n++)
            print_instance(&b->instances[pc].data[n], b->live, &text);
        tech_row(to, "affine stream", TECH_OF_BLOCK, k, pc, "0x%04x %s", program_pc(d->launch->program, pc),
                 strbuf_text(&text));
    }
    strbuf_fini(&text);
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct dac *d = state;
    for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++)
        if (d->blocks[k].live) tell_block(d, k, to);
}

const struct tech tech_dac = {
    .name = "dac",
    .meaning = "affine instructions execute once a block, as tuples; ideal: no second stream, no waiting",
    .paper = "DAC, ISCA 2017; DAC-IDEAL as DARSIE compares it",
    .ideal = true,
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(NOT_REDUNDANT) | HAS(FETCH) | HAS(ISSUE) | HAS(EXECUTION) |
                HAS(LOADS) | HAS(PREDICATES) | HAS(COMPILER) | HAS(IDEAL),
    .claims = CLAIMS(REGISTER_STORAGE) | CLAIMS(IBUFFER) | CLAIMS(AFFINE) | CLAIMS(FETCH) | CLAIMS(EXECUTION),
    .skipped = COUNT_skipped,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct dac_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .reads = dac_reads,
    .executed = dac_executed,
    .saved = dac_saved,
    .issued = dac_issued,
    .warp_end = dac_warp_end,
    .check = check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.block_start = block_start},
    .skipping =
        &(const struct tech_skipping){
            .warp_started = warp_started, .fetch = dac_fetch, .fetched = dac_fetched, .flushed = dac_flushed},
    .execution = &(const struct tech_execution){.leads = dac_leads},
};

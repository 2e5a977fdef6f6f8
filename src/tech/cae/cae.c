// Compact affine execution: registers of the form base + stride * lane are kept as two words. Instructions
// preserving the form execute on the two words alone. For other instructions the register is first expanded
// into its lanes, unless it is only a memory address.
//
//     sources ─▶ base and stride? ── all, and the result, too ──▶ execution on two words ─▶ base, stride
//                      │ no
//                      └─▶ affine sources: expanded, a move a register ─▶ execution on lanes ─▶ lanes
//
// Found by inference from opcodes, not by comparing lanes. docs/explanation/techniques/cae.md has the known
// facts and the decisions.
#include "tech/cae/cae.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>

enum { WARPS = 64, REGISTERS = 256, TUPLE_LANES = 2 };
// With spoil=1, written to the lanes of a register kept as base and stride alone: exposes reads of the lanes.
#define LOST 0x0dd0acceu

struct options {
    uint32_t spoil, corrupt;
    int branches, memory;
};

enum counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/cae/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

static const char *const switch_words[] = {"off", "on", NULL};
#define AT(field) offsetof(struct options, field)
// clang-format off
static const struct config_key keys[] = {
    {"branches", CONFIG_WORD, AT(branches), 0, 0, switch_words, "on", "comparisons of base and stride with a single value, by the first and last lane", "Kim et al., ISCA 2013"},
    {"memory",   CONFIG_WORD, AT(memory),   0, 0, switch_words, "on", "addresses are taken as base and stride", "Kim et al., ISCA 2013"},
    {"spoil",    CONFIG_U32,  AT(spoil),    0, 1, NULL, "0", NULL, NULL},
    {"corrupt",  CONFIG_U32,  AT(corrupt),  0, 4000000000, NULL, "0", NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/cae/counters.def"
#undef COUNTER
};

struct launch_state {
    const struct options *options;
    const struct program *program;
    const struct op *ops;
    bool rows_of_warps, verify;
    uint64_t *mismatches;
};

struct cae {
    const struct launch_state *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    uint64_t writes; // so far, for `corrupt`
    // Of the instruction at hand:
    bool is_affine;
    unsigned read; // bits: sources taken as base and stride
    struct cae_tuple registers[WARPS][REGISTERS];
};

// -- a launch -----------------------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const uint32_t *block = l->launch->block;
    struct launch_state *c = heap_alloc(sizeof *c);
    *c = (struct launch_state){.options = u->options,
                               .program = l->launch->program,
                               .ops = l->decoded.ops,
                               .rows_of_warps =
                                   block[0] % l->launch->warp_size == 0 || (block[1] == 1 && block[2] == 1),
                               .verify = u->verify,
                               .mismatches = u->mismatches};
    return c;
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct cae *c = heap_alloc(sizeof *c);
    *c = (struct cae){.launch = launch, .grid = s, .counters = counts};
    return c;
}

static void warp_start(void *state, unsigned place)
{
    struct cae *c = state;
    for (unsigned r = 0; r < REGISTERS; r++) c->registers[place][r] = (struct cae_tuple){.in_lanes = true};
}

// -- registers ----------------------------------------------------------------------------------------------

static uint64_t live_of(const struct warp *w) { return w->present & ~w->exited; }

static void mismatch(const struct cae *c) { __atomic_add_fetch(c->launch->mismatches, 1, __ATOMIC_RELAXED); }

static uint32_t word_of(const struct cae_tuple *t, unsigned lane) { return t->base + t->stride * lane; }

// Expands the register into all live lanes.
static void fill(struct cae *c, unsigned place, unsigned r)
{
    const struct cae_tuple *t = &c->registers[place][r];
    uint32_t *lanes = tech_lanes(c->grid, place, r);
    for (uint64_t left = live_of(tech_warp(c->grid, place)); left; left &= left - 1)
        lanes[bit_lowest(left)] = word_of(t, bit_lowest(left));
}

static void lose(struct cae *c, unsigned place, unsigned r)
{
    uint32_t *lanes = tech_lanes(c->grid, place, r);
    if (!c->launch->options->spoil) return;
    for (uint64_t left = live_of(tech_warp(c->grid, place)); left; left &= left - 1)
        lanes[bit_lowest(left)] = LOST;
}

static bool is_alone(const struct cae *c, unsigned place, unsigned r)
{
    return c->registers[place][r].is_affine && !c->registers[place][r].in_lanes;
}

static void kept(const void *state, unsigned place, struct tech_kept words[TECH_REGISTERS])
{
    const struct cae *c = state;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (is_alone(c, place, r))
            words[r] = (struct tech_kept){{c->registers[place][r].base, c->registers[place][r].stride}};
}

// Converts a result computed in lanes to base and stride, derived from the first two live lanes. A single
// live lane gives stride 0.
static void take(struct cae *c, unsigned place, unsigned r)
{
    const uint32_t *lanes = tech_lanes(c->grid, place, r);
    uint64_t live = live_of(tech_warp(c->grid, place));
    unsigned first = bit_lowest(live);
    uint32_t stride = live & (live - 1) ? lanes[first + 1] - lanes[first] : 0; // has_neighbours
    struct cae_tuple *t = &c->registers[place][r];
    *t = (struct cae_tuple){true, false, lanes[first] - stride * first, stride};
    if (++c->writes == c->launch->options->corrupt) t->base ^= 1;
    bool same = true;
    for (uint64_t left = live; left && c->launch->verify; left &= left - 1)
        same &= lanes[bit_lowest(left)] == word_of(t, bit_lowest(left));
    if (!same) mismatch(c);
    lose(c, place, r);
}

// -- an instruction -----------------------------------------------------------------------------------------

static uint64_t written_by(const struct warp *w, const struct op *o)
{
    uint64_t guard = w->pred[o->guard];
    return o->is_guarded ? w->active & (o->guard_not ? ~guard : guard) : w->active;
}

static bool is_wanted(const struct cae *c, const struct inst *i)
{
    return c->launch->options->branches || !cae_is_compare(i);
}

// Whether a stride can be derived: the first two live lanes are adjacent, or a single lane is live.
static bool has_neighbours(uint64_t live)
{
    uint64_t others = live & (live - 1);
    return !others || bit_lowest(others) == bit_lowest(live) + 1;
}

static bool will_be_affine(const struct cae *c, unsigned place, uint32_t index)
{
    const struct warp *w = tech_warp(c->grid, place);
    const struct op *o = &c->launch->ops[index];
    const struct cae_sources s = {.inst = &c->launch->program->insts[index],
                                  .warp = w,
                                  .registers = c->registers[place],
                                  .index = index,
                                  .live = live_of(w),
                                  .rows_of_warps = c->launch->rows_of_warps};
    if (o->path != PATH_ALU || !(o->dst_words == 1 || (!o->dst_words && o->pred_writes))) return false;
    if (!is_wanted(c, s.inst) || written_by(w, o) != s.live || !has_neighbours(s.live)) return false;
    return cae_is_affine(&s);
}

// With memory=on: whether register r is part of a memory instruction's address and holds no data, and so may
// stay base and stride.
static bool is_address(const struct cae *c, uint32_t index, unsigned r)
{
    const struct inst *i = &c->launch->program->insts[index];
    if (!c->launch->options->memory || c->launch->ops[index].path != PATH_MEMORY) return false;
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *x = &i->src[k];
        unsigned words = operand_words(x);
        if (x->kind != OPERAND_MEM && r - x->reg < words && x->kind == OPERAND_REG)
            return false; // a data register as well
    }
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_MEM && r - i->src[k].reg < operand_words(&i->src[k])) return true;
    return false;
}

static uint32_t expand(struct cae *c, unsigned place, unsigned r, enum counter why)
{
    fill(c, place, r);
    c->registers[place][r].in_lanes = true;
    c->counters[why]++;
    return r + 1;
}

// Expands one register from base and stride before an instruction on lanes: a source, or a destination
// written in some lanes only. Addresses kept by is_address stay. Returns the register's number + 1; 0: no
// expansion needed.
static uint32_t copies(void *state, unsigned place, uint32_t index)
{
    struct cae *c = state;
    const struct op *o = &c->launch->ops[index];
    const struct warp *w = tech_warp(c->grid, place);
    if (will_be_affine(c, place, index)) return 0;
    for (unsigned k = 0; k < o->read_count; k++)
        if (is_alone(c, place, o->reads[k]) && !is_address(c, index, o->reads[k]))
            return expand(c, place, o->reads[k], COUNT_expanded);
    uint64_t written = written_by(w, o);
    for (unsigned n = 0; n < o->dst_words && live_of(w) & ~written; n++)
        if (is_alone(c, place, o->dst + n)) return expand(c, place, o->dst + n, COUNT_parted);
    return 0;
}

static void reads(void *state, unsigned place, uint32_t index)
{
    struct cae *c = state;
    const struct op *o = &c->launch->ops[index];
    const struct warp *w = tech_warp(c->grid, place);
    c->is_affine = will_be_affine(c, place, index);
    c->read = 0;
    bool has_affine = false;
    for (unsigned k = 0; k < o->read_count; k++) {
        const struct cae_tuple *t = &c->registers[place][o->reads[k]];
        has_affine |= t->is_affine;
        if (!t->is_affine || !(c->is_affine || is_address(c, index, o->reads[k]))) continue;
        c->read |= 1u << k;
        if (!t->in_lanes) fill(c, place, o->reads[k]); // the interpreter computes in lanes
    }
    c->counters[COUNT_diverged] += has_affine && o->path == PATH_ALU && w->active != live_of(w);
}

static bool is_result(const struct op *o, unsigned r) { return r - o->dst < o->dst_words; }

static void executed(void *state, unsigned place, uint32_t index)
{
    struct cae *c = state;
    const struct op *o = &c->launch->ops[index];
    const struct inst *i = &c->launch->program->insts[index];
    for (unsigned k = 0; k < o->read_count; k++)
        if (is_alone(c, place, o->reads[k]) && !is_result(o, o->reads[k])) lose(c, place, o->reads[k]);
    for (unsigned n = 0; n < o->dst_words; n++)
        if (c->is_affine)
            take(c, place, o->dst + n);
        else
            c->registers[place][o->dst + n] = (struct cae_tuple){.in_lanes = true};
    c->counters[COUNT_affine] += c->is_affine;
    c->counters[COUNT_compared] += c->is_affine && cae_is_compare(i);
    c->counters[COUNT_addresses] += o->path == PATH_MEMORY && c->read;
}

// Another mechanism supplied the result: the destination is kept in lanes again, without base and stride.
static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct cae *c = state;
    const struct op *o = &c->launch->ops[index];
    (void)what;
    for (unsigned k = 0; k < o->read_count; k++)
        if (is_alone(c, place, o->reads[k]) && !is_result(o, o->reads[k])) lose(c, place, o->reads[k]);
    for (unsigned n = 0; n < o->dst_words; n++)
        c->registers[place][o->dst + n] = (struct cae_tuple){.in_lanes = true};
}

// An instruction on base and stride uses two lanes at most, and keeps pipeline and scheduler busy for one
// cycle.
static void cost(void *state, unsigned place, uint32_t index, struct op_cost *x)
{
    struct cae *c = state;
    (void)place, (void)index;
    if (!c->is_affine) return;
    c->counters[COUNT_spared] += x->lanes > TUPLE_LANES ? x->lanes - TUPLE_LANES : 0;
    x->lanes = x->lanes < TUPLE_LANES ? x->lanes : TUPLE_LANES;
    x->interval = 1;
    x->issue = 1;
}

static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct cae *c = state;
    (void)index;
    bool as_tuple = a->is_write ? is_alone(c, place, a->r) : c->read >> a->nth & 1;
    if (!as_tuple) return;
    a->main = 0;
    a->words = TUPLE_LANES;
    a->bank = NO_BANK;
    c->counters[a->is_write ? COUNT_writes : COUNT_reads]++;
}

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    (void)options;
    // Bits of a register: base, stride, flag of an affine register, flag of valid lanes.
    out[0] = (struct tech_storage){"affine registers", c->registers / 32, 32 + 32 + 2, false, 1};
    return 1;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct cae *c = state;
    struct strbuf text = {0};
    for (unsigned place = 0; place < tech_launch(c->grid)->places; place++) {
        if (!rows_has_warp(c->grid, place)) continue;
        strbuf_clear(&text);
        for (unsigned r = 0; r < REGISTERS; r++) {
            const struct cae_tuple *t = &c->registers[place][r];
            if (!t->is_affine) continue;
            strbuf_printf(&text, "%sR%u=0x%x", text.length ? " " : "", r, t->base);
            if (t->stride) strbuf_printf(&text, "%+d/lane", (int)t->stride);
        }
        tech_row(to, "registers of base and stride", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
    }
    strbuf_fini(&text);
}

const struct tech tech_cae = {
    .name = "cae",
    .meaning = "affine registers are a base and a stride, on which instructions execute once a warp",
    .paper = "Kim et al., ISCA 2013; as DAC compares with it",
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(NOT_REDUNDANT) | HAS(PREDICATES),
    .claims =
        CLAIMS(REGISTER_STORAGE) | CLAIMS(ONE_VALUE) | CLAIMS(AFFINE) | CLAIMS(COSTS) | CLAIMS(OPERANDS),
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
    .execution = &(const struct tech_execution){.copies = copies, .cost = cost},
    .registers = &(const struct tech_registers){.kept = kept, .operand = operand},
};

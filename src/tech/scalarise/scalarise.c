// The lanes of a register are compared at the write; registers are kept as scalars or vectors (SIMTight, ICCD
// 2024).
// docs/explanation/techniques/scalarise.md has the known facts and the decisions.
#include "tech/scalarise/scalarise.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "memory/cache.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const detect_words[] = {"aligned", "any-base", "off-affine", NULL};
static const char *const spill_words[] = {"lru", "rr", "first", NULL}; // enum scalar_spill
static const char *const partial_words[] = {"vector", "keep", NULL};
static const char *const switch_words[] = {"off", "on", NULL};
static const char *const warp_words[] = {"quarter", "half", "all", NULL}; // a quarter << index of the word
#define AT(field) offsetof(struct options, field)
// clang-format off
static const struct config_key keys[] = {
    {"detect",  CONFIG_WORD, AT(detect),       0, 0, detect_words,  "aligned", "affine registers: with aligned bases, any bases, or none", "Naylor et al., ICCD 2024, Fig. 2a"},
    {"strides", CONFIG_U32,  AT(strides),      0, 7, NULL,          "7",       "strides of affine registers: sum of 1, 2 and 4", "Naylor et al., ICCD 2024"},
    {"partial", CONFIG_WORD, AT(partial),      0, 0, partial_words, "vector",  "a scalar with equal values written to some lanes becomes a vector, or stays scalar", "Naylor et al.'s public source"},
    {"vectors", CONFIG_U32,  AT(vectors),      32, 65536, NULL,     "512",     "registers of an SM's vector register file", "Naylor et al., ICCD 2024: a quarter of an SM's registers"},
    {"spill",   CONFIG_WORD, AT(spill),        0, 0, spill_words,   "lru",     "vector of a warp spilled to memory", "Naylor et al., ICCD 2024, Fig. 3a"},
    {"read-cycles",  CONFIG_U32, AT(read_cycles),  0, 100, NULL,    "2",       "additional cycles of collecting an operand, for the look-up of the scalar", "Naylor et al.'s public source"},
    {"write-cycles", CONFIG_U32, AT(write_cycles), 0, 100, NULL,    "2",       "additional cycles of writing a result, for the comparison", "Naylor et al.'s public source"},
    {"scalar",  CONFIG_WORD, AT(scalar),       0, 0, switch_words,  "off",     "instructions executable by a single lane go through a pipe of one lane, beside the schedulers", "Naylor et al., ICCD 2024, III-C"},
    {"warps",   CONFIG_WORD, AT(warps),        0, 0, warp_words,    "half",    "warps of the SM in the scalar pipe at once", "Naylor et al.'s public source"},
    {"predictions", CONFIG_U32, AT(predictions), 1, 1048576, NULL,  "8192",    "bits of the table that predicts scalar instructions, by instruction number", "Naylor et al., ICCD 2024: one per word of code"},
    {"corrupt", CONFIG_U32,  AT(corrupt),      0, 4000000000, NULL, "0",       NULL, NULL},
    {"spoil",   CONFIG_U32,  AT(spoil),        0, 1, NULL,          "0",       NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/scalarise/counters.def"
#undef COUNTER
};

// -- state --------------------------------------------------------------------------------------------------

static uint8_t strides_of(const struct options *o)
{
    return (uint8_t)(1 | (o->detect == DETECT_OFF_AFFINE ? 0 : o->strides << 1));
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    enum { LINE_SECTORS = 4 };
    const struct options *o = u->options;
    struct launch_state *g = heap_alloc(sizeof *g);
    uint32_t sectors = (l->launch->warp_size * 4 + SECTOR_BYTES - 1) / SECTOR_BYTES;
    *g = (struct launch_state){
        .options = o,
        .program = l->launch->program,
        .ops = l->decoded.ops,
        .spill_area = l->space + GPU_LOCAL_ADDRESS + GPU_LOCAL_ADDRESS / 2,
        .sectors = (uint8_t)bit_mask(sectors < LINE_SECTORS ? sectors : LINE_SECTORS),
        .pipe_warps = o->scalar ? (l->kind->config.max_warps / 4) << o->warps : 0,
        .verify = u->verify && !o->spoil,
        .mismatches = u->mismatches,
    };
    return g;
}

static struct scalar_shape shape_of(const struct options *o, const struct sm_launch *l)
{
    uint8_t lanes = (uint8_t)l->launch->warp_size;
    uint32_t all = l->places * l->registers_per_warp;
    return (struct scalar_shape){.rule = {lanes, strides_of(o), o->detect == DETECT_ANY_BASE},
                                 .warps = l->places,
                                 .registers = l->registers_per_warp,
                                 .vectors = o->vectors < all ? o->vectors : all,
                                 .reserve = l->places,
                                 .spill = (enum scalar_spill)o->spill,
                                 .count_bits = 8,
                                 .keeps_partial = o->partial};
}

static void *sm_begin(void *launch, struct sm_grid *s, uint64_t *counts)
{
    struct scalarise *x = heap_alloc(sizeof *x);
    *x = (struct scalarise){.launch = launch, .grid = s, .counters = counts, .since = tech_now(s)};
    struct scalar_shape shape = shape_of(x->launch->options, tech_launch(s));
    scalar_init(&x->file, &shape);
    if (x->launch->pipe_warps) scalar_table_init(&x->table, x->launch->options->predictions);
    x->memory = heap_alloc((size_t)shape.warps * shape.registers * shape.rule.lanes * sizeof *x->memory);
    return x;
}

static void sm_end(void *state)
{
    struct scalarise *x = state;
    scalar_fini(&x->file);
    scalar_table_fini(&x->table);
    free(x->memory);
    free(x);
}

void scalarise_count(struct scalarise *x)
{
    uint64_t now = tech_now(x->grid);
    x->counters[COUNT_vector_cycles] += scalar_vectors(&x->file) * (now - x->since);
    x->counters[COUNT_most_vectors] = x->file.most;
    x->since = now;
}

// Resets a warp's state, at its start and end. Registers hold 0, a scalar, so an ended warp holds no vector
// of the file. No lanes come late, and the warp is in the vector pipes.
static void clear(struct scalarise *x, unsigned place)
{
    scalarise_count(x);
    scalar_clear(&x->file, place);
    x->open[place] = (struct open_warp){0};
    x->waits_for[place] = 0;
    scalarise_leave_pipe(x, place);
}

static void warp_start(void *state, unsigned place) { clear(state, place); }
static void warp_end(void *state, unsigned place) { clear(state, place); }

static const char *check(const void *state)
{
    const struct scalarise *x = state;
    return scalar_vectors(&x->file) ? "registers of warps that have ended take room" : scalar_check(&x->file);
}

// -- values -------------------------------------------------------------------------------------------------

// Copies r's value from the scalarising file to the warp's own register, read by the instruction. A register
// with late lanes (open) must be closed before.
static void deliver(struct scalarise *x, unsigned place, unsigned r)
{
    uint32_t words[SCALAR_LANES_MAX], *own = tech_lanes(x->grid, place, r), different = 0;
    uint64_t threads = scalarise_threads(tech_warp(x->grid, place));
    unsigned lanes = x->file.shape.rule.lanes;
    scalar_read(&x->file, place, r, words);
    if (threads == bit_mask(lanes))
        different = memcmp(own, words, lanes * sizeof *own) != 0;
    else
        for (unsigned n = 0; n < lanes; n++) different |= threads >> n & 1 ? own[n] ^ words[n] : 0;
    memcpy(own, words, lanes * sizeof *own);
    if (different && x->launch->verify) __atomic_add_fetch(x->launch->mismatches, 1, __ATOMIC_RELAXED);
}

// For tests. `corrupt` flips a bit of the kept value. `spoil` inverts the warp's own register: a read that
// bypasses the file gives a wrong value.
static void break_something(struct scalarise *x, unsigned place, unsigned r)
{
    const struct scalar_entry *e = scalar_at(&x->file, place, r);
    uint32_t *own = tech_lanes(x->grid, place, r);
    if (++x->writes == x->launch->options->corrupt) {
        if (e->kind == SCALAR_VECTOR)
            x->file.words[(size_t)e->word * x->file.shape.rule.lanes] ^= 1;
        else
            scalar_at(&x->file, place, r)->word ^= 1;
    }
    for (unsigned n = 0; x->launch->options->spoil && n < x->file.shape.rule.lanes; n++) own[n] = ~own[n];
}

// Keeps a result of the scalar pipe: one lane has computed the result, so no lanes are compared.
static void keep_scalar(struct scalarise *x, unsigned place, unsigned r, unsigned code)
{
    unsigned lane = bit_lowest(x->lanes);
    uint32_t word = tech_lanes(x->grid, place, r)[lane];
    scalarise_count(x);
    scalar_write_form(&x->file, place, r,
                      (struct scalar_form){word - lane * scalar_stride(code), (uint8_t)code});
    x->counters[code ? COUNT_affine_writes : COUNT_uniform_writes]++;
    break_something(x, place, r);
}

// Updates the file after a write of the given lanes of the warp's own register.
static void keep(struct scalarise *x, unsigned place, unsigned r, uint64_t lanes, const struct op *at_hand)
{
    uint64_t threads = scalarise_threads(tech_warp(x->grid, place));
    if (!(lanes & threads)) return;
    bool is_partial = threads & ~lanes;
    if (is_partial && scalar_kind_of(&x->file, place, r) == SCALAR_EVICTED) {
        x->counters[COUNT_late]++;
        scalarise_bring_back(x, place, r, at_hand);
    }
    scalarise_count(x);
    scalarise_make_room(x, place, at_hand);
    enum scalar_kind kind = scalar_write(&x->file, place, r, tech_lanes(x->grid, place, r), lanes, threads);
    x->counters[COUNT_partial_writes] += is_partial;
    x->counters[COUNT_uniform_writes + kind]++;
    break_something(x, place, r);
}
_Static_assert(COUNT_affine_writes - COUNT_uniform_writes == SCALAR_AFFINE &&
                   COUNT_vector_writes - COUNT_uniform_writes == SCALAR_VECTOR &&
                   COUNT_affine_reads - COUNT_uniform_reads == SCALAR_AFFINE &&
                   COUNT_vector_reads - COUNT_uniform_reads == SCALAR_VECTOR,
               "counters of writes and of reads stand in the order of kinds");

// -- late results -------------------------------------------------------------------------------------------

static bool is_open(const struct scalarise *x, unsigned place, unsigned r)
{
    return x->open[place].is_open[r / 64] >> r % 64 & 1;
}

// Notes that the given lanes of register r arrive later. Until then the file keeps the register's old value,
// still valid in the remaining lanes.
static void leave_open(struct scalarise *x, unsigned place, unsigned r, uint64_t lanes)
{
    struct open_warp *o = &x->open[place];
    o->lanes[r] = (is_open(x, place, r) ? o->lanes[r] : 0) | lanes;
    o->is_open[r / 64] |= 1ull << r % 64;
}

// If register r is open, its late lanes have arrived, possibly with late lanes of other parts of the warp:
// writes them to the file. Lanes with a value different from the file's are written, too.
static void close_open(struct scalarise *x, unsigned place, unsigned r, const struct op *at_hand)
{
    uint32_t words[SCALAR_LANES_MAX];
    const uint32_t *own = tech_lanes(x->grid, place, r);
    if (!is_open(x, place, r)) return;
    if (scalar_kind_of(&x->file, place, r) == SCALAR_EVICTED) scalarise_bring_back(x, place, r, at_hand);
    scalar_read(&x->file, place, r, words);
    uint64_t lanes = x->open[place].lanes[r];
    for (unsigned n = 0; n < x->file.shape.rule.lanes; n++) lanes |= (uint64_t)(own[n] != words[n]) << n;
    x->open[place].is_open[r / 64] &= ~(1ull << r % 64);
    keep(x, place, r, lanes, at_hand);
}

// Whether a result arrives after execution. Atomics: with the reply; reducing barriers: at the last warp;
// cross-lane exchanges of a diverged warp: at the last part.
static bool comes_later(const struct scalarise *x, const struct inst *i, uint64_t threads)
{
    if (isa_has(i, ISA_ATOMIC | ISA_BARRIER)) return true;
    return isa_has(i, ISA_CROSS_LANE) && threads & ~x->lanes;
}

// -- an instruction -----------------------------------------------------------------------------------------

// Reads the sources from the file, and notes their kinds, before the execution: a destination may be a
// source, too. Evicted sources come back first.
static void reads(void *state, unsigned place, uint32_t index)
{
    struct scalarise *x = state;
    const struct op *o = &x->launch->ops[index];
    const struct warp *w = tech_warp(x->grid, place);
    uint64_t guard = o->guard_not ? ~w->pred[o->guard] : w->pred[o->guard];
    x->lanes = w->active & guard & w->full;
    for (unsigned k = 0; k < o->read_count; k++) close_open(x, place, o->reads[k], o);
    for (unsigned n = 0; n < o->dst_words; n++) close_open(x, place, o->dst + n, o);
    for (unsigned k = 0; k < o->read_count; k++) {
        unsigned r = o->reads[k];
        if (scalar_kind_of(&x->file, place, r) == SCALAR_EVICTED) {
            x->counters[COUNT_late]++;
            scalarise_bring_back(x, place, r, o);
        }
        x->kinds[k] = (uint8_t)scalar_kind_of(&x->file, place, r);
        deliver(x, place, r);
    }
    // spoil=1 has inverted the warp's own registers. Lanes not written by the instruction must keep the old
    // value, since the file compares them later.
    for (unsigned n = 0; n < o->dst_words; n++)
        if (x->launch->options->spoil && scalar_kind_of(&x->file, place, o->dst + n) != SCALAR_EVICTED)
            deliver(x, place, o->dst + n);
    x->is_in_pipe = false;
    if (x->launch->pipe_warps) scalarise_look(x, place, index);
}

// Use counts of registers, for the choice of registers to spill, come from the warp in place 0 alone, as in
// the hardware.
static void note_uses(struct scalarise *x, unsigned place, const struct op *o)
{
    if (place == 0 && scalar_spills(&x->file.shape)) scalar_note_use(&x->file, o->reads, o->read_count);
}

static void write_results(struct scalarise *x, unsigned place, uint32_t index)
{
    const struct op *o = &x->launch->ops[index];
    uint64_t threads = scalarise_threads(tech_warp(x->grid, place));
    bool is_later = comes_later(x, &x->launch->program->insts[index], threads);
    for (unsigned n = 0; x->is_in_pipe && x->lanes && n < o->dst_words; n++)
        keep_scalar(x, place, o->dst + n, n ? 0 : x->code);
    for (unsigned n = 0; !x->is_in_pipe && n < o->dst_words; n++)
        is_later ? leave_open(x, place, o->dst + n, x->lanes) : keep(x, place, o->dst + n, x->lanes, o);
    note_uses(x, place, o);
    scalarise_after_writes(x, place);
}

static void executed(void *state, unsigned place, uint32_t index) { write_results(state, place, index); }

// Another mechanism supplied the result, in the warp's own registers: treated as after an execution.
static void saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    (void)what;
    write_results(state, place, index);
}

static void issued(void *state, unsigned place, uint32_t index)
{
    struct scalarise *x = state;
    if (x->launch->pipe_warps) scalarise_move(x, place, index);
    scalarise_look_ahead(x, place);
}

// -- costs --------------------------------------------------------------------------------------------------

// The operand is served by the scalar file, without a port of the vector banks.
static void be_scalar(struct operand_access *a)
{
    a->main = 0;
    a->words = 1;
    a->bank = NO_BANK;
}

static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct scalarise *x = state;
    (void)index;
    if (!a->main) return; // served by another mechanism
    if (!x->is_in_pipe)
        a->cycles += a->is_write ? x->launch->options->write_cycles : x->launch->options->read_cycles;
    unsigned kind = x->kinds[a->nth];
    if (a->is_write) kind = is_open(x, place, a->r) ? SCALAR_VECTOR : scalar_kind_of(&x->file, place, a->r);
    if (!a->is_write) x->counters[COUNT_uniform_reads + kind]++;
    if (kind < SCALAR_VECTOR) be_scalar(a);
}

static void cost(void *state, unsigned place, uint32_t index, struct op_cost *c)
{
    const struct scalarise *x = state;
    (void)place;
    if (x->is_in_pipe)
        c->lanes = c->lanes ? 1 : 0;
    else
        c->compared += x->launch->ops[index].dst_words;
}

// -- the mechanism ------------------------------------------------------------------------------------------

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    enum { LANES = 32, WORD = 32, STRIDE = 2, IS_POINTER = 1, COPIES = 2 };
    const struct options *o = options;
    uint64_t registers = c->registers / LANES, vectors = o->vectors;
    out[0] = (struct tech_storage){"vectors", vectors, LANES * WORD, true, 0};
    out[1] = (struct tech_storage){"scalars", COPIES * registers, WORD + STRIDE + IS_POINTER, true, COPIES};
    out[2] = (struct tech_storage){"free vectors", vectors, scalar_slot_bits(vectors), true, 1};
    if (!o->scalar) return 3;
    out[3] = (struct tech_storage){"scalars of the pipe", registers, WORD + STRIDE + IS_POINTER, false, 1};
    out[4] = (struct tech_storage){"predictions", o->predictions, 1, false, 1};
    return 5;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct scalarise *x = state;
    const struct scalar_regfile *f = &x->file;
    struct strbuf text = {0};
    for (unsigned place = 0; place < tech_launch(x->grid)->places; place++) {
        if (!rows_has_warp(x->grid, place)) continue;
        strbuf_puts(&text, "vectors: ");
        rows_print_set(&text, "R", f->is_vector[place], SCALAR_REGISTERS_MAX / 64);
        if (x->at_pipe >> place & 1) strbuf_puts(&text, "; at the scalar pipe");
        tech_row(to, "registers not kept as scalars", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
        strbuf_clear(&text);
    }
    tech_row(to, "vector register file", TECH_OF_SM, 0, 0, "%u of %u slots taken", scalar_vectors(f),
             f->shape.vectors);
    strbuf_fini(&text);
}

const struct tech tech_scalarise = {
    .name = "scalarise",
    .meaning = "registers with a single value or a stride are kept as scalars, other registers in a smaller "
               "register file",
    .paper = "advanced dynamic scalarisation: Naylor et al., ICCD 2024",
    .features = HAS(UNIFORM) | HAS(NOT_REDUNDANT),
    .claims = CLAIMS(REGISTER_STORAGE) | CLAIMS(L1_LINES) | CLAIMS(ISSUE_PORT) | CLAIMS(HOLDS) |
              CLAIMS(COSTS) | CLAIMS(OPERANDS),
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
    .sm_end = sm_end,
    .warp_start = warp_start,
    .reads = reads,
    .port = scalarise_port,
    .executed = executed,
    .saved = saved,
    .issued = issued,
    .warp_end = warp_end,
    .check = check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.event = scalarise_event},
    .execution = &(const struct tech_execution){.cost = cost},
    .registers = &(const struct tech_registers){.operand = operand},
    .lines = &(const struct tech_lines){.line = scalarise_line},
};

// Compressed registers: results are written to the compressed file beside exec's own registers and, with
// verification, compared with exec's registers on reads. Spilling moves registers between the file and their
// fixed places in memory.
#include "exec/exec_impl.h"
#include "exec/memory.h"
#include "riscv/map.h"
#include "simtight/core_impl.h"

#include <stdlib.h>
#include <string.h>

// Slots of the vector register file: at most one for every register.
static uint32_t room_of(const struct simtight_config *c)
{
    return simtight_config_spills(c) ? c->vectors : c->warps * SIMTIGHT_REGISTERS;
}

void simtight_registers_begin(struct simtight *s)
{
    const struct simtight_config *c = s->config;
    struct scalar_shape shape = {
        .rule = {.lanes = (uint8_t)c->lanes,
                 .strides = c->registers == SIMTIGHT_AFFINE ? SCALAR_ALL_STRIDES : SCALAR_NO_AFFINE},
        .warps = c->warps,
        .registers = SIMTIGHT_REGISTERS,
        .vectors = room_of(c),
        .reserve = c->warps,
        .spill = (enum scalar_spill)c->spill,
        .count_bits = c->count_bits,
        .keeps_partial = c->keeps_partial};
    if (s->compresses) scalar_init(&s->file, &shape);
}

uint64_t simtight_register_bits(const struct simtight_config *c)
{
    enum { WORD = 32 };
    const uint64_t registers = c->warps * SIMTIGHT_REGISTERS;
    if (c->registers == SIMTIGHT_PLAIN) return registers * c->lanes * WORD;
    return scalar_storage_bits(registers, c->lanes, room_of(c));
}

// Whether registers can be spilled: a file with room for every register never spills.
static bool spills(const struct simtight *s) { return s->compresses && scalar_spills(&s->file.shape); }

bool simtight_must_spill(const struct simtight *s) { return spills(s) && scalar_must_spill(&s->file); }

// -- comparing ----------------------------------------------------------------------------------------------
static void mismatch(struct simtight *s, unsigned warp, unsigned reg, const uint32_t *kept)
{
    const uint32_t *is = simtight_words(s, warp, reg);
    unsigned lane = 0;
    while (kept[lane] == is[lane]) lane++;
    if (s->mismatches++) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "cycle %llu: x%u of thread %u is kept as 0x%08x, and is 0x%08x, before ",
                  (unsigned long long)s->now, reg, warp * s->config->lanes + lane, kept[lane], is[lane]);
    exec_describe_inst(&s->exec, simtight_next_index(simtight_warp(s, warp)), &text);
    s->mismatch = text.text;
}

static void verify(struct simtight *s, unsigned warp, unsigned reg)
{
    uint32_t kept[SIMTIGHT_LANES_MAX];
    if (!reg) return;
    scalar_read(&s->file, warp, reg, kept);
    if (memcmp(kept, simtight_words(s, warp, reg), s->config->lanes * sizeof *kept) != 0)
        mismatch(s, warp, reg, kept);
}

void simtight_registers_verify(struct simtight *s, unsigned warp, const struct simtight_inst *i)
{
    if (!s->compresses || !s->verifies) return;
    verify(s, warp, i->rs1);
    verify(s, warp, i->rs2);
}

// -- writing ------------------------------------------------------------------------------------------------
// Allocates a vector slot for a spilled register before a load writes it group by group. The load has all
// lanes, so the spilled value is dead.
static void give_slot(struct simtight *s, unsigned warp, unsigned reg)
{
    static const uint32_t vector[SIMTIGHT_LANES_MAX] = {1};
    scalar_write(&s->file, warp, reg, vector, s->all_lanes, s->all_lanes);
}

void simtight_registers_write(struct simtight *s, unsigned warp, unsigned reg, uint32_t lanes)
{
    if (!s->compresses || !reg) return;
    if (lanes != s->all_lanes && scalar_kind_of(&s->file, warp, reg) == SCALAR_EVICTED)
        give_slot(s, warp, reg);
    scalar_write(&s->file, warp, reg, simtight_words(s, warp, reg), lanes, s->all_lanes);
}

// -- operands of an instruction -----------------------------------------------------------------------------
int simtight_registers_missing(const struct simtight *s, unsigned warp, const struct simtight_inst *i,
                               bool is_partial)
{
    const uint8_t needed[] = {i->rs1, i->rs2, i->rd};
    if (!spills(s)) return SCALAR_NONE;
    return scalar_first_evicted(&s->file, warp, needed, is_partial ? 3 : 2);
}

static enum scalar_kind kind_of(const struct simtight *s, unsigned warp, unsigned reg)
{
    return reg ? scalar_kind_of(&s->file, warp, reg) : SCALAR_UNIFORM;
}

struct scalar_operands simtight_operands(const struct simtight *s, unsigned warp,
                                         const struct simtight_inst *i, bool all_active)
{
    return (struct scalar_operands){.is_allowed = i->is_scalar,
                                    .is_add = i->is_add,
                                    .all_active = all_active,
                                    .a = kind_of(s, warp, i->rs1),
                                    .b = kind_of(s, warp, i->rs2)};
}

// -- spilling -----------------------------------------------------------------------------------------------
static uint32_t place_of(unsigned warp, unsigned reg)
{
    return RISCV_SPILL + (warp * SIMTIGHT_REGISTERS + reg) * (uint32_t)sizeof(uint32_t[SIMTIGHT_LANES_MAX]);
}

static bool ask(struct simtight *s, unsigned warp, unsigned reg, bool is_store)
{
    struct simtight_request *r = simtight_memory_ask(&s->memory);
    if (!r) return false;
    *r = (struct simtight_request){.lanes = s->all_lanes,
                                   .bytes = 4,
                                   .warp = (uint8_t)warp,
                                   .reg = (uint8_t)reg,
                                   .is_store = is_store,
                                   .is_unspill = !is_store};
    for (uint32_t l = 0; l < s->config->lanes; l++) r->address[l] = place_of(warp, reg) + 4 * l;
    return true;
}

uint64_t simtight_registers_left(const struct simtight *s)
{
    uint64_t warps = 0;
    for (uint64_t left = s->ended; left; left &= left - 1)
        if (s->file.is_vector[bit_lowest(left)][0]) warps |= left & -left;
    return warps;
}

bool simtight_registers_spill(struct simtight *s, unsigned warp)
{
    if (s->ended >> warp & 1) { // an ended warp: drop the vector without a store
        unsigned reg = bit_lowest(s->file.is_vector[warp][0]);
        scalar_write_form(&s->file, warp, reg, (struct scalar_form){0});
        return true;
    }
    const struct simtight_inst *next = &s->code[simtight_next_index(simtight_warp(s, warp))];
    const uint8_t needed[] = {next->rs1, next->rs2, next->rd};
    int victim = scalar_victim(&s->file, warp, needed, sizeof needed);
    if (victim == SCALAR_NONE || !ask(s, warp, (unsigned)victim, true)) return false;
    uint32_t words[SIMTIGHT_LANES_MAX] = {0};
    scalar_spill(&s->file, warp, (unsigned)victim, words);
    memcpy(memory_flat(s->launch->memory) + place_of(warp, (unsigned)victim), words, sizeof words);
    return true;
}

bool simtight_registers_ask(struct simtight *s, unsigned warp, unsigned reg)
{
    return ask(s, warp, reg, false);
}

void simtight_registers_unspill(struct simtight *s, unsigned warp, unsigned reg)
{
    uint32_t words[SIMTIGHT_LANES_MAX];
    memcpy(words, memory_flat(s->launch->memory) + place_of(warp, reg), sizeof words);
    scalar_unspill(&s->file, warp, reg, words);
}

// Registers, pipeline and latency of every instruction, from its operands, the columns of isa.def and the
// GPU's settings.
#include "sm/decode.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/mma.h"
#include "isa/program.h"
#include "isa/units.h"
#include "sm/products.h"
#include "sm/waits.h"

static uint32_t latency_of(const struct gpu_config *c, enum isa_latency which, bool interval)
{
    // clang-format off
    switch ((int)which) {
#define GPU_U32(...)
#define GPU_BOOL(...)
#define GPU_WORD(...)
#define GPU_PRODUCT(...)
#define GPU_LATENCY(row, name, cycles, busy)                                                                 \
    case LATENCY_##row: return interval ? c->interval_##row : c->latency_##row;
#include "sm/config.def"
    }
    // clang-format on
    return interval ? 1 : c->latency_FIXED;
}

static enum pipe pipe_of(const struct gpu_config *c, const struct inst *i)
{
    switch (isa_table[i->op].unit) {
    case UNIT_INT: return c->units_shared ? PIPE_FLOAT : PIPE_INT;
    case UNIT_FLOAT: return PIPE_FLOAT;
    case UNIT_SPECIAL: return PIPE_SPECIAL;
    case UNIT_DOUBLE: return PIPE_DOUBLE;
    case UNIT_TENSOR: return isa_is_warpgroup(i->op) ? PIPE_CONTROL : PIPE_TENSOR; // warpgroup.h
    case UNIT_MEMORY:
    case UNIT_TEXTURE: return PIPE_LSU;
    case UNIT_CONTROL:
    case UNIT_COUNT: break;
    }
    return PIPE_CONTROL;
}

static enum gpu_lanes lanes_of(const struct inst *i)
{
    switch (isa_table[i->op].latency) {
    case LATENCY_COMPARE: return isa_table[i->op].unit == UNIT_FLOAT ? LANES_FLOAT_ADD : LANES_INTEGER;
    case LATENCY_IADD:
    case LATENCY_IMINMAX:
    case LATENCY_SHIFT:
    case LATENCY_SREG:
    case LATENCY_VOTE: return LANES_INTEGER;
    case LATENCY_IMAD: return LANES_INTEGER_MULTIPLY;
    case LATENCY_FADD: return LANES_FLOAT_ADD;
    case LATENCY_FMUL: return LANES_FLOAT_MULTIPLY;
    case LATENCY_FMA: return LANES_FLOAT_FMA;
    case LATENCY_DADD: return LANES_DOUBLE;
    case LATENCY_SFU: return LANES_SPECIAL;
    case LATENCY_CONVERT:
    case LATENCY_CONVERT_WIDE: return LANES_CONVERT;
    case LATENCY_LOAD:
    case LATENCY_SHARED:
    case LATENCY_CONSTANT:
    case LATENCY_STORE:
    case LATENCY_ATOMIC:
    case LATENCY_SHUFFLE: return LANES_MEMORY;
    case LATENCY_TEXTURE: return LANES_TEXTURE;
    case LATENCY_PRODUCT: return LANES_PRODUCT;
    case LATENCY_FIXED:
    case LATENCY_FENCE:
    case LATENCY_BRANCH:
    case LATENCY_BARRIER:
    case LATENCY_COUNT: break;
    }
    return LANES_CONTROL;
}

// Conversions from or to 64-bit types have a latency class of their own.
static enum isa_latency class_of(const struct inst *i)
{
    enum isa_latency latency = isa_table[i->op].latency;
    bool is_wide =
        isa_type_bytes((enum isa_type)i->type) == 8 || isa_type_bytes((enum isa_type)i->type2) == 8;
    return latency == LATENCY_CONVERT && is_wide ? LATENCY_CONVERT_WIDE : latency;
}

static bool goes_to_memory(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return true;
    return isa_has(i, ISA_LOAD | ISA_STORE);
}

// Whether an instruction that reads an operand in shared memory does so in its own unit. A MOV of the operand is
// a load.
static bool keeps_its_unit(const struct inst *i, const struct gpu_config *c)
{
    return c->shared_operand == SHARED_OPERAND_ARITHMETIC && i->op != OP_MOV &&
           !isa_has(i, ISA_LOAD | ISA_STORE);
}

static void add_reads(struct op *o, const struct operand *s)
{
    if (s->reg == REG_ZERO) return;
    for (unsigned n = 0; n < operand_words(s) && o->read_count < OP_READS_MAX; n++)
        o->reads[o->read_count++] = (uint8_t)(s->reg + n);
}

static uint32_t constant_line(struct decoded *d, uint64_t address)
{
    uint32_t k = 0;
    while (k < d->constant_count && d->constant_lines[k] != address) k++;
    if (k == d->constant_count) d->constant_lines[d->constant_count++] = address;
    return k + 1;
}

static void decode_source(struct decoded *d, struct op *o, const struct operand *s, uint32_t line_bytes)
{
    switch ((enum operand_kind)s->kind) {
    case OPERAND_REG:
    case OPERAND_MEM:
    case OPERAND_SHARED: add_reads(o, s); break;
    case OPERAND_PRED: o->pred_reads |= (uint8_t)(1u << s->reg & 0x7f); break;
    case OPERAND_CONST: {
        uint64_t address = GPU_CONSTANT_ADDRESS + ((uint64_t)s->bank << 32) + s->value;
        o->constant = constant_line(d, address - address % line_bytes);
        break;
    }
    case OPERAND_NONE:
    case OPERAND_IMM:
    case OPERAND_SREG: break;
    }
}

static bool waits_for_units(const struct inst *i)
{
    return i->op == OP_DEPBAR || i->op == OP_UTMACMDWAIT || i->op == OP_WGWAIT || i->op == OP_WGCOMMIT ||
           isa_is_warpgroup(i->op);
}

void gpu_decode_results(struct op *o, const struct inst *i)
{
    bool fence = i->op == OP_MEMBAR && i->scope != SCOPE_CTA;
    o->path = fence                                   ? PATH_FENCE
              : waits_for_units(i)                    ? PATH_COPIES
              : goes_to_memory(i)                     ? PATH_MEMORY
              : isa_table[i->op].unit == UNIT_CONTROL ? PATH_CONTROL
                                                      : PATH_ALU;
    for (unsigned k = 0; k < 2; k++) {
        const struct operand *r = &i->dst[k];
        if (r->kind == OPERAND_PRED) o->pred_writes |= (uint8_t)(1u << r->reg & 0x7f);
        if (r->kind != OPERAND_REG || r->reg == REG_ZERO) continue;
        o->dst = r->reg;
        o->dst_words = (uint8_t)operand_words(r);
    }
}

// The set (decode.h) of the registers needed from number `first` on, and of the predicates.
static uint64_t set_of(const struct op *o, unsigned first, unsigned predicates)
{
    uint64_t set = (uint64_t)predicates << OP_PRED_BIT;
    for (unsigned k = first; k < op_need_count(o); k++) set |= op_bit(op_need(o, k));
    return set;
}

static void set_times(struct op *o, const struct inst *i, enum isa_latency latency,
                      const struct gpu_config *c)
{
    o->latency = (uint16_t)latency_of(c, latency, false);
    o->interval = (uint16_t)latency_of(c, latency, true);
    if (latency != LATENCY_PRODUCT) return;
    if (isa_is_warpgroup(i->op)) { // the sums are the unit's until the wait
        enum { ISSUE = 3 };        // products issue every four cycles: silicon/h100, card.csv
        o->latency = ISSUE;
        o->interval = 1;
        return;
    }
    struct product_cost cost = product_cost_of(c, i);
    o->latency = (uint16_t)cost.latency;
    o->interval = (uint16_t)cost.interval;
}

static void decode_one(struct decoded *d, struct op *o, const struct inst *i, const struct gpu_config *c,
                       uint32_t line_bytes)
{
    enum isa_latency latency = class_of(i);
    o->pipe = (uint8_t)pipe_of(c, i);
    o->lanes = (uint8_t)lanes_of(i);
    gpu_decode_results(o, i);
    if (o->path == PATH_MEMORY && keeps_its_unit(i, c)) o->path = PATH_ALU;
    if (o->path == PATH_MEMORY) {
        o->pipe = PIPE_LSU;
        o->order = isa_has(i, ISA_ATOMIC)  ? OP_STORES | OP_LOADS
                   : isa_has(i, ISA_STORE) ? OP_STORES
                                           : OP_LOADS;
    }
    if (latency == LATENCY_CONVERT_WIDE && c->wide_is_double) o->pipe = PIPE_DOUBLE;
    set_times(o, i, latency, c);
    o->guard = i->guard;
    o->guard_not = i->guard_not;
    o->is_guarded = isa_keeps_old(i);
    o->pred_reads = (uint8_t)(1u << i->guard & 0x7f);
    for (unsigned k = 0; k < 4; k++) decode_source(d, o, &i->src[k], line_bytes);
    o->collects = o->read_count || o->path == PATH_ALU;
    o->results = set_of(o, o->read_count, o->pred_writes);
    o->needs = set_of(o, 0, o->pred_reads | o->pred_writes);
}

// Extra cycles of collection due to bank conflicts among the instruction's own operands. A warp's registers
// are contiguous, so the number is the same for all warps.
static uint32_t own_conflicts(const struct op *o, const struct gpu_config *c)
{
    uint32_t worst = 1;
    for (unsigned k = 0; c->bank_conflicts && k < o->read_count; k++) {
        uint32_t same = 0;
        for (unsigned n = 0; n < o->read_count; n++) same += o->reads[n] % c->banks == o->reads[k] % c->banks;
        if (same > worst) worst = same;
    }
    return (worst + c->bank_ports - 1) / c->bank_ports - 1;
}

// Sets the instruction's cycles without contention, as in operand.c: operand collection, then a pipeline. A
// bypass (operands.bypass) from the pipeline's end to its start saves cycles.
static void set_cycles(struct op *o, const struct gpu_config *c)
{
    if (c->bypass && o->path == PATH_ALU && o->pipe != PIPE_DOUBLE) o->bypass = READ_AND_WRITE;
    o->collected = (uint16_t)(1 + own_conflicts(o, c));
    o->cycles = (uint16_t)(o->collected + (o->path == PATH_ALU) + o->latency - o->bypass);
}

// Code begins at the start of a code line.
static struct code_place place_of(const struct program *p, uint32_t index, uint32_t line_bytes)
{
    uint32_t at = program_code_offset(p, index), line = at & ~(line_bytes - 1);
    uint32_t most = program_insts_within(p, index, line + line_bytes - at), left = p->inst_count - index;
    return (struct code_place){line, most < left ? most : left};
}

void gpu_decode(struct decoded *d, const struct program *p, const struct gpu_config *c, uint32_t line_bytes,
                struct arena *a)
{
    *d = (struct decoded){.ops = ARENA_ARRAY(a, struct op, p->inst_count + 1),
                          .places = ARENA_ARRAY(a, struct code_place, p->inst_count + 1),
                          .count = p->inst_count,
                          .constant_lines = ARENA_ARRAY(a, uint64_t, 4 * p->inst_count + 1)};
    for (uint32_t n = 0; n < p->inst_count; n++) {
        decode_one(d, &d->ops[n], &p->insts[n], c, line_bytes);
        set_cycles(&d->ops[n], c);
        d->places[n] = place_of(p, n, line_bytes);
        d->ops[n].is_plain = d->ops[n].path == PATH_ALU && d->ops[n].pipe != PIPE_CONTROL &&
                             d->ops[n].pipe != PIPE_TENSOR && c->dependences == DEPENDENCES_SCOREBOARD &&
                             c->issue_interval == 1;
        if (d->ops[n].path >= PATH_FENCE || c->dependences != DEPENDENCES_SCOREBOARD)
            d->ops[n].needs |= OP_ASK;
    }
    if (c->dependences == DEPENDENCES_ENCODED) waits_assign(d, p, c);
}

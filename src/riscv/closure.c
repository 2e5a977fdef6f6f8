// Forward dataflow of register values through the kernel's blocks to the fixed point: numbers, closure
// addresses, closure words, the hart number. Anything else is ANYTHING, as is a value that differs between
// joining paths.
#include "riscv/closure.h"
#include "base/vec.h"
#include "flow/blocks.h"
#include "isa/bank.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "riscv/map.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 32, AND = 0xf0 & 0xcc };

enum value_kind { ANYTHING, NUMBER, ADDRESS, WORD, HART };
struct value {
    uint8_t kind;
    uint32_t at; // NUMBER: the value; ADDRESS: offset in the closure; WORD: offset of the word
};

struct state {
    bool reached;
    bool stored; // the closure may have been overwritten
    struct value registers[REGISTERS];
};

struct loads {
    VEC(struct riscv_closure_load) all;
};

struct finder {
    struct riscv_closure *closure;
    struct flow_blocks flow;
    struct state *before; // by block: state on entry
    bool *is_mask;        // by closure word: ANDed with the hart number somewhere
    struct loads *found;  // NULL: states are not final yet
};

enum { CLOSURE_MAX = 4096 }; // bytes of the closure considered

static struct value value_of(const struct state *s, const struct operand *o)
{
    if (o->kind == OPERAND_IMM) return (struct value){NUMBER, o->value};
    if (o->kind == OPERAND_NONE || o->reg == REG_ZERO) return (struct value){NUMBER, 0};
    return o->kind == OPERAND_REG || o->kind == OPERAND_MEM ? s->registers[o->reg]
                                                            : (struct value){ANYTHING, 0};
}

static struct value sum_of(struct value a, struct value b)
{
    if (a.kind == NUMBER && b.kind == NUMBER) return (struct value){NUMBER, a.at + b.at};
    if (b.kind == ADDRESS || (a.kind == NUMBER && !a.at)) {
        struct value x = a;
        a = b;
        b = x;
    }
    if (b.kind == NUMBER && a.kind == ADDRESS) return (struct value){ADDRESS, a.at + b.at};
    return b.kind == NUMBER && !b.at ? a : (struct value){ANYTHING, 0};
}

static struct value negative(struct value v)
{
    return v.kind == NUMBER ? (struct value){NUMBER, 0u - v.at} : (struct value){ANYTHING, 0};
}

static struct value sum_of_inst(const struct state *s, const struct inst *i)
{
    struct value b = value_of(s, &i->src[1]);
    bool negates = i->src[1].flags & OPERAND_NEG;
    if (i->flags & INST_X || i->src[0].flags || (i->src[1].flags & ~OPERAND_NEG))
        return (struct value){ANYTHING, 0};
    return sum_of(sum_of(value_of(s, &i->src[0]), negates ? negative(b) : b), value_of(s, &i->src[2]));
}

static void note_mask(struct finder *f, struct value a, struct value b)
{
    if (a.kind == HART && b.kind == WORD) f->is_mask[b.at / 4] = true;
    if (b.kind == HART && a.kind == WORD) f->is_mask[a.at / 4] = true;
}

static struct value address_of(const struct state *s, const struct inst *i)
{
    return sum_of(value_of(s, &i->src[0]), (struct value){NUMBER, i->src[0].value});
}

static struct value load(struct finder *f, const struct state *s, uint32_t index)
{
    const struct inst *i = &f->closure->program->insts[index];
    struct value at = address_of(s, i);
    uint32_t bytes = isa_type_bytes((enum isa_type)i->type);
    if (at.kind != ADDRESS || s->stored || at.at >= CLOSURE_MAX || at.at % bytes)
        return (struct value){ANYTHING, 0};
    if (f->found) vec_push(&f->found->all, (struct riscv_closure_load){.inst = index, .offset = at.at});
    return bytes == 4 ? (struct value){WORD, at.at} : (struct value){ANYTHING, 0};
}

// Whether the store is known to go to spill space, scratchpad or stacks, where no closure can be
// (riscv_closure_fits).
static bool stores_elsewhere(const struct state *s, const struct inst *i)
{
    struct value at = address_of(s, i);
    return at.kind == NUMBER && at.at >= RISCV_SPILL;
}

static struct value result_of(struct finder *f, const struct state *s, uint32_t index)
{
    const struct inst *i = &f->closure->program->insts[index];
    switch ((unsigned)i->op) {
    case OP_S2R:
        if (i->src[0].reg == SREG_CLOSURE) return (struct value){ADDRESS, 0};
        return (struct value){i->src[0].reg == SREG_HART ? HART : ANYTHING, 0};
    case OP_MOV: return value_of(s, &i->src[0]);
    case OP_IADD3: return sum_of_inst(s, i);
    case OP_LD: return load(f, s, index);
    case OP_LOP3:
        if (i->lut == AND) note_mask(f, value_of(s, &i->src[0]), value_of(s, &i->src[1]));
        break;
    default: break;
    }
    return (struct value){ANYTHING, 0};
}

static void forget(struct state *s)
{
    s->stored = true;
    for (unsigned r = 0; r < REGISTERS; r++) s->registers[r].kind = ANYTHING;
}

static void step(struct finder *f, struct state *s, uint32_t index)
{
    const struct inst *i = &f->closure->program->insts[index];
    if (isa_has(i, ISA_CALL)) {
        forget(s);
        return;
    }
    bool orders = isa_has(i, ISA_ATOMIC | ISA_FENCE | ISA_BARRIER);
    if (orders || (isa_has(i, ISA_STORE) && !stores_elsewhere(s, i))) s->stored = true;
    struct value v = result_of(f, s, index);
    if (i->dst[0].kind == OPERAND_REG && i->dst[0].reg != REG_ZERO) s->registers[i->dst[0].reg] = v;
}

// Merges `from` into the entry state of a block; returns whether the entry state changed.
static bool meet(struct state *to, const struct state *from)
{
    if (!to->reached) {
        *to = *from;
        return to->reached = true;
    }
    bool news = from->stored && !to->stored;
    to->stored |= from->stored;
    for (unsigned r = 0; r < REGISTERS; r++) {
        struct value *v = &to->registers[r], w = from->registers[r];
        if (v->kind == ANYTHING || (v->kind == w.kind && v->at == w.at)) continue;
        *v = (struct value){ANYTHING, 0};
        news = true;
    }
    return news;
}

static struct state behind(struct finder *f, uint32_t n)
{
    struct state s = f->before[n];
    if (f->flow.blocks[n].begins_function) forget(&s);
    for (uint32_t k = 0; k < f->flow.blocks[n].count; k++) step(f, &s, f->flow.blocks[n].first + k);
    return s;
}

static void settle(struct finder *f)
{
    const struct flow_graph *g = &f->flow.graph;
    VEC(uint32_t) open = {0};
    f->before[0].reached = true;
    for (unsigned r = 0; r < REGISTERS; r++)
        f->before[0].registers[r] = (struct value){NUMBER, 0}; // registers start as 0
    vec_push(&open, 0);
    while (open.count) {
        uint32_t n = vec_pop(&open);
        struct state s = behind(f, n);
        for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++)
            if (meet(&f->before[g->succs[e]], &s)) vec_push(&open, g->succs[e]);
    }
    vec_fini(&open);
}

static void keep(struct riscv_closure *c, const struct loads *found, const bool *is_mask)
{
    c->loads = ARENA_ARRAY(&c->arena, struct riscv_closure_load, found->all.count + 1);
    for (size_t k = 0; k < found->all.count; k++) {
        struct riscv_closure_load l = found->all.data[k];
        uint32_t end = l.offset + isa_type_bytes((enum isa_type)c->program->insts[l.inst].type);
        l.is_mask = is_mask[l.offset / 4] && end - l.offset == 4;
        if (end > c->bytes) c->bytes = (end + 3) & ~3u;
        c->loads[c->load_count++] = l;
    }
}

struct riscv_closure *riscv_closure_find(const struct program *p)
{
    struct riscv_closure *c = heap_alloc(sizeof *c);
    struct finder f = {.closure = c};
    struct arena scratch;
    arena_init(&scratch);
    arena_init(&c->arena);
    c->program = p;
    flow_blocks_init(&f.flow, p, &scratch);
    f.before = ARENA_ARRAY(&scratch, struct state, f.flow.count);
    f.is_mask = ARENA_ARRAY(&scratch, bool, CLOSURE_MAX / 4);
    if (!f.flow.jumps_anywhere) {
        struct loads found = {0};
        settle(&f);
        memset(f.is_mask, 0, CLOSURE_MAX / 4 * sizeof *f.is_mask);
        f.found = &found;
        for (uint32_t n = 0; n < f.flow.count; n++)
            if (f.before[n].reached) behind(&f, n);
        keep(c, &found, f.is_mask);
        vec_fini(&found.all);
    }
    arena_fini(&scratch);
    return c;
}

void riscv_closure_free(struct riscv_closure *c)
{
    if (!c) return;
    arena_fini(&c->arena);
    free(c);
}

bool riscv_closure_fits(const struct riscv_closure *c, uint32_t address)
{
    return c->load_count && address % 4 == 0 && address >= RISCV_DATA &&
           (uint64_t)address + c->bytes <= RISCV_SPILL;
}

static bool is_ones(uint32_t mask) { return !(mask & (mask + 1)); } // 2^n - 1

static uint32_t word_at(const uint8_t *closure, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, closure + offset, sizeof word);
    return word;
}

static struct inst replaced(const struct inst *i, const struct riscv_closure_load *l, const uint8_t *closure)
{
    struct inst m = {.guard = PRED_TRUE, .reconverge = NO_TARGET, .lines = i->lines};
    uint32_t at = BANK_LAUNCH_PARAMS + l->offset;
    m.dst[0] = i->dst[0];
    if (i->type != TYPE_B32) {
        m.op = OP_LDC;
        m.type = i->type;
        m.bank = BANK_LAUNCH;
        m.src[0] = (struct operand){.kind = OPERAND_MEM, .reg = REG_ZERO, .width = 1, .value = at};
        return m;
    }
    m.op = OP_MOV;
    m.src[0] = (struct operand){.kind = OPERAND_CONST, .bank = BANK_LAUNCH, .width = 1, .value = at};
    if (l->is_mask && closure && is_ones(word_at(closure, l->offset)))
        m.src[0] = (struct operand){.kind = OPERAND_IMM, .width = 1, .value = word_at(closure, l->offset)};
    return m;
}

struct program *riscv_closure_program(const struct riscv_closure *c, const uint8_t *closure)
{
    struct program *q = program_create();
    struct arena own = q->arena;
    *q = *c->program;
    q->arena = own;
    q->insts = ARENA_ARRAY(&q->arena, struct inst, q->inst_count);
    memcpy(q->insts, c->program->insts, q->inst_count * sizeof *q->insts);
    q->param_bytes = c->bytes;
    for (uint32_t k = 0; k < c->load_count; k++) {
        const struct riscv_closure_load *l = &c->loads[k];
        q->insts[l->inst] = replaced(&c->program->insts[l->inst], l, closure);
    }
    return q;
}

bool riscv_closure_same(const struct riscv_closure *c, const uint8_t *a, const uint8_t *b)
{
    for (uint32_t k = 0; k < c->load_count; k++)
        if (c->loads[k].is_mask && memcmp(a + c->loads[k].offset, b + c->loads[k].offset, 4) != 0)
            return false;
    return true;
}

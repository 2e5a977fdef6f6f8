// Parallel copies become moves (MOV; PLOP3 for predicates). A copy is emitted once no pending copy reads its
// destination. The remaining cycles are resolved with a free register, or with three exclusive ors per
// exchange.
//
//     (r1, r2, r3) = (r2, r1, r1)   ─▶   MOV r3, r1
//                                        and the cycle r1 ↔ r2:  MOV t, r1;  MOV r1, r2;  MOV r2, t
#include "base/bits.h"
#include "compile/allocate/allocate.h"

struct pending {         // copies of a register file (general or predicate) to emit, by destination
    int16_t source[256]; // by dst: register to copy from, -1: no move or already emitted
    uint8_t readers[256];
    uint8_t dsts[256];
    unsigned count;
};

struct mover {
    struct allocation *a;
    struct mach_inst *copies, *where; // moves go before `where`
};

static struct mach_inst *new_inst(struct mover *m, unsigned op)
{
    struct mach_inst *i = mach_inst_create(m->a->f, op);
    i->i.lines = m->copies->i.lines;
    i->transfer = TRANSFER_MOVE;
    mach_insert_before(m->copies->block, m->where, i);
    return i;
}

// A fresh unit with the fixed machine register `reg`.
static uint32_t unit_of(struct mover *m, unsigned reg, bool predicate)
{
    struct mach_function *f = m->a->f;
    if (!predicate) return mach_fixed(f, 1, reg);
    uint32_t unit = mach_pred(f);
    mach_group_of(f, unit)->fixed = (int16_t)reg;
    return unit;
}

static void set_reg(struct mover *m, struct operand *o, uint32_t *unit, unsigned reg, bool predicate)
{
    *o = (struct operand){.kind = predicate ? OPERAND_PRED : OPERAND_REG, .width = 1};
    *unit = unit_of(m, reg, predicate);
}

static void set_true(struct operand *o)
{
    *o = (struct operand){.kind = OPERAND_PRED, .width = 1, .reg = PRED_TRUE};
}

// Emits dst = src, or dst = register `reg` if reg >= 0. A predicate is moved by PLOP3 with the truth table of
// its first source.
static struct mach_inst *emit_move(struct mover *m, unsigned dst, struct operand src, int reg, bool predicate)
{
    struct mach_inst *i = new_inst(m, predicate ? OP_PLOP3 : OP_MOV);
    // A given `src` (a constant) is a new value, not the copy of a register that TRANSFER_MOVE denotes.
    if (src.kind != OPERAND_NONE) i->transfer = TRANSFER_NONE;
    set_reg(m, &i->i.dst[0], &i->dst[0], dst, predicate);
    if (predicate) {
        i->i.lut = 0xf0;
        set_true(&i->i.dst[1]);
        set_true(&i->i.src[1]);
        set_true(&i->i.src[2]);
    }
    i->i.src[0] = src;
    if (reg >= 0) {
        uint8_t flags = src.flags;
        set_reg(m, &i->i.src[0], &i->src[0], (unsigned)reg, predicate);
        i->i.src[0].flags = flags;
    }
    return i;
}

// x = x ^ y
static void emit_xor(struct mover *m, unsigned x, unsigned y, bool predicate, enum mach_transfer transfer)
{
    struct mach_inst *i = new_inst(m, predicate ? OP_PLOP3 : OP_LOP3);
    i->transfer = (uint8_t)transfer;
    i->i.lut = 0x3c;
    set_reg(m, &i->i.dst[0], &i->dst[0], x, predicate);
    set_reg(m, &i->i.src[0], &i->src[0], x, predicate);
    set_reg(m, &i->i.src[1], &i->src[1], y, predicate);
    if (predicate) {
        set_true(&i->i.dst[1]);
        set_true(&i->i.src[2]);
    } else {
        i->i.src[2] = (struct operand){.kind = OPERAND_REG, .width = 1};
    }
}

// A register without a live value during the copies; -1: every register in use so far is occupied.
static int free_register(struct mover *m, const struct pending *p, bool predicate)
{
    struct allocation *a = m->a;
    unsigned limit = predicate ? a->f->pred_count : a->f->reg_count;
    uint32_t slot = m->copies->position;
    for (unsigned reg = 0; reg < limit; reg++) {
        const uint64_t *bits = predicate ? a->busy_pred[reg] : a->busy[reg];
        bool busy = (bits[slot / 64] >> slot % 64 & 1) || (bits[(slot + 1) / 64] >> (slot + 1) % 64 & 1);
        bool involved = p->readers[reg] != 0;
        for (unsigned k = 0; k < p->count; k++) involved |= p->dsts[k] == reg;
        if (!busy && !involved && !(reg == ABI_STACK_POINTER && !predicate)) return (int)reg;
    }
    return -1;
}

static void make_free_moves(struct mover *m, struct pending *p, bool predicate)
{
    for (bool progress = true; progress;) {
        progress = false;
        for (unsigned k = 0; k < p->count; k++) {
            unsigned dst = p->dsts[k];
            int src = p->source[dst];
            if (src < 0 || p->readers[dst]) continue;
            emit_move(m, dst, (struct operand){0}, src, predicate);
            p->source[dst] = -1;
            p->readers[src]--;
            progress = true;
        }
    }
}

// Emits the moves of the cycle through `start`. The remaining moves form disjoint cycles.
static void turn_cycle(struct mover *m, struct pending *p, unsigned start, bool predicate)
{
    int spare = free_register(m, p, predicate);
    if (spare >= 0) emit_move(m, (unsigned)spare, (struct operand){0}, (int)start, predicate);
    unsigned dst = start;
    for (;;) {
        unsigned src = (unsigned)p->source[dst];
        p->source[dst] = -1;
        p->readers[src]--;
        if (src == start) {
            if (spare >= 0) emit_move(m, dst, (struct operand){0}, spare, predicate);
            return;
        }
        if (spare >= 0) {
            emit_move(m, dst, (struct operand){0}, (int)src, predicate);
        } else {
            // Exchanges along the cycle: each puts one value into place and carries the first value on.
            emit_xor(m, dst, src, predicate, TRANSFER_SWAP);
            emit_xor(m, src, dst, predicate, TRANSFER_SWAP_REST);
            emit_xor(m, dst, src, predicate, TRANSFER_SWAP_REST);
        }
        dst = src;
    }
}

static void move_file(struct mover *m, bool predicate)
{
    struct pending p = {.count = 0};
    struct mach_function *f = m->a->f;
    for (unsigned k = 0; k < 256; k++) p.source[k] = -1;
    for (uint32_t k = 0; k < m->copies->move_count; k++) {
        const struct mach_move *c = &m->copies->moves[k];
        bool changed = c->src != MACH_NONE && f->reg[c->dst] != f->reg[c->src];
        if (mach_group_of(f, c->dst)->predicate != predicate || !changed) continue;
        unsigned dst = f->reg[c->dst], src = f->reg[c->src];
        if (p.source[dst] >= 0) continue; // two units in the same register receive equal values
        p.source[dst] = (int16_t)src;
        p.readers[src]++;
        p.dsts[p.count++] = (uint8_t)dst;
    }
    make_free_moves(m, &p, predicate);
    for (unsigned k = 0; k < p.count; k++)
        if (p.source[p.dsts[k]] >= 0) turn_cycle(m, &p, p.dsts[k], predicate);
}

static bool same_constant(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->value == b->value && a->bank == b->bank && a->flags == b->flags;
}

// True if a copy before the k-th puts the same constant into the same register.
static bool is_there_already(const struct mover *m, uint32_t k)
{
    const struct mach_function *f = m->a->f;
    const struct mach_move *c = &m->copies->moves[k];
    for (uint32_t n = 0; n < k; n++) {
        const struct mach_move *x = &m->copies->moves[n];
        bool same_place = f->reg[x->dst] == f->reg[c->dst] &&
                          mach_group_of(f, x->dst)->predicate == mach_group_of(f, c->dst)->predicate;
        if (x->src == MACH_NONE && same_place && same_constant(&x->value, &c->value)) return true;
    }
    return false;
}

// Emits the constant moves last: constants read no register, so the other copies cannot disturb them.
static void move_constants(struct mover *m)
{
    struct mach_function *f = m->a->f;
    for (uint32_t k = 0; k < m->copies->move_count; k++) {
        const struct mach_move *c = &m->copies->moves[k];
        if (c->src != MACH_NONE) continue;
        struct mach_inst *i = emit_move(m, f->reg[c->dst], c->value, -1, mach_group_of(f, c->dst)->predicate);
        if (is_there_already(m, k)) i->i.op = MACH_SAME;
        if (m->copies->names) i->names = mach_names_of_result(f, c->name);
    }
}

void allocate_moves(struct allocation *a)
{
    for (uint32_t k = 0; k < a->f->block_count; k++)
        for (struct mach_inst *i = a->f->blocks[k]->first; i; i = i->next) {
            if (i->i.op != MACH_COPIES) continue;
            struct mover m = {a, i, i->next};
            move_file(&m, false);
            move_file(&m, true);
            move_constants(&m);
        }
}

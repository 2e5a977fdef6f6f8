// Building, walking and printing machine code with virtual registers.
#include "compile/mach/mach.h"
#include "isa/program.h"
#include "isa/sregs.h"

#include <string.h>

struct mach_function *mach_function_create(struct ir_function *source, struct arena *a)
{
    struct mach_function *f = ARENA_NEW(a, struct mach_function);
    f->source = source;
    f->arena = a;
    f->stack_pointer = MACH_NONE;
    return f;
}

void mach_function_fini(struct mach_function *f)
{
    for (uint32_t k = 0; k < f->block_count; k++) vec_fini(&f->blocks[k]->phis);
    vec_fini(&f->groups);
    vec_fini(&f->group_of);
}

static uint32_t new_group(struct mach_function *f, unsigned width, bool predicate, int fixed)
{
    uint32_t unit = mach_unit_count(f), number = (uint32_t)f->groups.count;
    struct mach_group g = {
        .unit = unit, .width = (uint8_t)width, .predicate = predicate, .fixed = (int16_t)fixed};
    vec_push(&f->groups, g);
    for (unsigned k = 0; k < width; k++) vec_push(&f->group_of, number);
    return unit;
}

uint32_t mach_reg(struct mach_function *f, unsigned width) { return new_group(f, width, false, -1); }

uint32_t mach_stack_pointer(struct mach_function *f)
{
    if (f->stack_pointer == MACH_NONE) f->stack_pointer = mach_fixed(f, 1, ABI_STACK_POINTER);
    return f->stack_pointer;
}

uint32_t mach_pred(struct mach_function *f) { return new_group(f, 1, true, -1); }

uint32_t mach_fixed(struct mach_function *f, unsigned width, unsigned reg)
{
    return new_group(f, width, false, (int)reg);
}

struct mach_inst *mach_inst_create(struct mach_function *f, unsigned op)
{
    struct mach_inst *i = ARENA_NEW(f->arena, struct mach_inst);
    i->i.op = (uint16_t)op;
    i->i.guard = PRED_TRUE;
    i->i.target = i->i.reconverge = NO_TARGET;
    i->guard = MACH_NONE;
    for (unsigned k = 0; k < 4; k++) i->src[k] = MACH_NONE;
    for (unsigned k = 0; k < 2; k++) i->dst[k] = i->old[k] = MACH_NONE;
    return i;
}

const struct mach_names *mach_names_of_result(struct mach_function *f, uint32_t unit)
{
    struct mach_names *names = ARENA_NEW(f->arena, struct mach_names);
    memset(names, 0xff, sizeof *names);
    names->move_count = 0;
    names->dst[0] = unit;
    return names;
}

void mach_insert_before(struct mach_block *b, struct mach_inst *where, struct mach_inst *i)
{
    i->block = b;
    i->next = where;
    i->previous = where ? where->previous : b->last;
    *(i->previous ? &i->previous->next : &b->first) = i;
    *(where ? &where->previous : &b->last) = i;
}

void mach_remove(struct mach_inst *i)
{
    *(i->previous ? &i->previous->next : &i->block->first) = i->next;
    *(i->next ? &i->next->previous : &i->block->last) = i->previous;
    i->previous = i->next = NULL;
    i->block = NULL;
}

bool mach_is_terminator(const struct mach_inst *i)
{
    unsigned op = i->i.op;
    return op == OP_BRA || op == OP_BRX || op == OP_RET || op == OP_EXIT;
}

struct mach_inst *mach_first_terminator(const struct mach_block *b)
{
    struct mach_inst *first = NULL;
    for (struct mach_inst *i = b->last; i && mach_is_terminator(i); i = i->previous) first = i;
    return first;
}

void mach_number(struct mach_function *f)
{
    uint32_t position = 0;
    for (uint32_t k = 0; k < f->block_count; k++) {
        struct mach_block *b = f->blocks[k];
        b->id = k;
        b->start = ++position;
        for (struct mach_inst *i = b->first; i; i = i->next) i->position = ++position;
        b->end = position + 1;
    }
}

unsigned mach_dst_units(const struct mach_inst *i, unsigned k)
{
    if (i->dst[k] == MACH_NONE) return 0;
    return i->i.dst[k].kind == OPERAND_PRED ? 1 : i->i.dst[k].width;
}

unsigned mach_src_units(const struct mach_inst *i, unsigned k)
{
    if (i->src[k] == MACH_NONE) return 0;
    return i->i.src[k].kind == OPERAND_PRED ? 1 : i->i.src[k].width;
}

bool mach_src_is_constant(const struct mach_inst *i, unsigned k)
{
    if (i->src[k] != MACH_NONE) return false;
    switch ((enum operand_kind)i->i.src[k].kind) {
    case OPERAND_REG:
    case OPERAND_PRED:
    case OPERAND_IMM:
    case OPERAND_CONST: return true;
    case OPERAND_NONE:
    case OPERAND_SREG:
    case OPERAND_MEM:
    case OPERAND_SHARED: return false;
    }
    return false;
}

bool mach_makes_constant(const struct mach_inst *i)
{
    return i->i.op == OP_MOV && i->guard == MACH_NONE && i->dst[0] != MACH_NONE && mach_src_is_constant(i, 0);
}

bool mach_reads_fixed_special(const struct mach_inst *i)
{
    unsigned sreg = i->i.src[0].reg;
    return i->i.op == OP_S2R && i->guard == MACH_NONE && (sreg < SREG_CLOCK_LO || sreg > SREG_GLOBALTIMER);
}

void mach_each_unit(struct mach_function *f, struct mach_inst *i, mach_visit *visit, void *context)
{
    (void)f;
    if (i->guard != MACH_NONE) visit(context, i, i->guard, MACH_READ);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned u = 0; u < mach_src_units(i, k); u++) visit(context, i, i->src[k] + u, MACH_READ);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned u = 0; i->old[k] != MACH_NONE && u < mach_dst_units(i, k); u++)
            visit(context, i, i->old[k] + u, MACH_READ);
    for (uint32_t k = 0; k < i->move_count; k++)
        if (i->moves[k].src != MACH_NONE) visit(context, i, i->moves[k].src, MACH_READ);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned u = 0; u < mach_dst_units(i, k); u++) visit(context, i, i->dst[k] + u, MACH_WRITE);
    for (uint32_t k = 0; k < i->move_count; k++)
        if (i->moves[k].dst != MACH_NONE) visit(context, i, i->moves[k].dst, MACH_WRITE);
}

// -- printing -----------------------------------------------------------------------------------------------

static void print_unit(const struct mach_function *f, uint32_t unit, unsigned count, struct strbuf *out)
{
    strbuf_printf(out, "%c%u", mach_group_of(f, unit)->predicate ? 'p' : 'u', unit);
    if (count > 1) strbuf_printf(out, ":%u", unit + count - 1);
    if (f->reg) strbuf_printf(out, "=%u", f->reg[unit]);
}

static void print_operand(const struct mach_function *f, const struct operand *o, uint32_t unit,
                          unsigned count, struct strbuf *out)
{
    if (o->flags & OPERAND_NEG) strbuf_putc(out, '-');
    if (o->flags & OPERAND_ABS) strbuf_putc(out, '|');
    if (o->flags & OPERAND_NOT) strbuf_putc(out, '!');
    switch ((enum operand_kind)o->kind) {
    case OPERAND_NONE: strbuf_putc(out, '_'); break;
    case OPERAND_IMM: strbuf_printf(out, "0x%x", o->value); break;
    case OPERAND_CONST: strbuf_printf(out, "c[%u][0x%x]", o->bank, o->value); break;
    case OPERAND_SREG: strbuf_puts(out, isa_sreg_name((enum isa_sreg)o->reg)); break;
    case OPERAND_REG:
    case OPERAND_PRED:
        if (unit == MACH_NONE)
            strbuf_puts(out, o->kind == OPERAND_REG ? "RZ" : "PT");
        else
            print_unit(f, unit, count, out);
        break;
    case OPERAND_MEM:
    case OPERAND_SHARED:
        strbuf_puts(out, o->kind == OPERAND_MEM ? "[" : "s[");
        if (unit != MACH_NONE) print_unit(f, unit, count, out);
        strbuf_printf(out, "%+d]", (int32_t)o->value);
        break;
    }
    if (o->flags & OPERAND_ABS) strbuf_putc(out, '|');
    if (o->flags & OPERAND_H0_H0) strbuf_puts(out, ".lo");
    if (o->flags & OPERAND_H1_H1) strbuf_puts(out, ".hi");
}

static void print_moves(const struct mach_function *f, const struct mach_inst *i, struct strbuf *out)
{
    for (uint32_t k = 0; k < i->move_count; k++) {
        const struct mach_move *m = &i->moves[k];
        strbuf_puts(out, k ? ", " : " ");
        if (m->dst != MACH_NONE) {
            print_unit(f, m->dst, 1, out);
            strbuf_puts(out, "=");
        }
        if (m->src != MACH_NONE || m->value.kind)
            print_operand(f, m->src == MACH_NONE ? &m->value : &(struct operand){.kind = OPERAND_REG}, m->src,
                          1, out);
    }
}

static void print_inst(const struct mach_function *f, const struct mach_inst *i, struct strbuf *out)
{
    static const char *const pseudo[] = {"COPIES", "ENTRY", "SAME", "LANDED"};
    strbuf_printf(out, "  %5u ", i->position);
    if (i->guard != MACH_NONE) {
        strbuf_puts(out, i->i.guard_not ? "@!" : "@");
        print_unit(f, i->guard, 1, out);
        strbuf_putc(out, ' ');
    }
    strbuf_puts(out, i->i.op < OP_COUNT ? isa_table[i->i.op].mnemonic : pseudo[i->i.op - OP_COUNT]);
    for (unsigned k = 0; k < 6; k++) {
        const struct operand *o = k < 2 ? &i->i.dst[k] : &i->i.src[k - 2];
        if (o->kind == OPERAND_NONE) continue;
        strbuf_putc(out, ' ');
        print_operand(f, o, k < 2 ? i->dst[k] : i->src[k - 2],
                      k < 2 ? mach_dst_units(i, k) : mach_src_units(i, k - 2), out);
        if (k < 2 && i->old[k] != MACH_NONE) strbuf_printf(out, "(old u%u)", i->old[k]);
    }
    if (i->target) strbuf_printf(out, " -> block%u", i->target->id);
    print_moves(f, i, out);
    strbuf_putc(out, '\n');
}

static void print_phi(const struct mach_function *f, const struct mach_block *b, const struct mach_phi *phi,
                      struct strbuf *out)
{
    static const struct operand reg = {.kind = OPERAND_REG};
    strbuf_puts(out, "        ");
    print_unit(f, phi->dst, 1, out);
    strbuf_puts(out, " = phi");
    for (uint32_t k = 0; k < b->pred_count; k++) {
        strbuf_putc(out, ' ');
        print_operand(f, phi->src[k] == MACH_NONE ? &phi->values[k] : &reg, phi->src[k], 1, out);
    }
    strbuf_putc(out, '\n');
}

void mach_print(const struct mach_function *f, struct strbuf *out)
{
    for (uint32_t k = 0; k < f->block_count; k++) {
        const struct mach_block *b = f->blocks[k];
        strbuf_printf(out, "block%u: // depth %u, to", b->id, b->loop_depth);
        for (uint32_t s = 0; s < b->succ_count; s++) strbuf_printf(out, " block%u", b->succs[s]->id);
        strbuf_putc(out, '\n');
        for (size_t p = 0; p < b->phis.count; p++) print_phi(f, b, &b->phis.data[p], out);
        for (const struct mach_inst *i = b->first; i; i = i->next) print_inst(f, i, out);
    }
}

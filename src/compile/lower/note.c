// Notes for every block the variables read before a write, and the variables written: registers, words of
// .param variables and the condition code. ssa.h places phis accordingly. A missed read is an error; an extra
// read costs only an unused phi. Destinations are the first operand in PTX, except for the results of a call.
#include "compile/lower/impl.h"

static void read_variables(struct lower *l, const struct ir_block *b, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) ssa_note_read(&l->ssa, b, first + k);
}

static void write_variables(struct lower *l, const struct ir_block *b, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) ssa_note_write(&l->ssa, b, first + k);
}

static uint32_t parts(const struct lower *l, int32_t reg)
{
    return l->ptx->regs[reg].type == PTX_B128 ? 2 : 1;
}

static void read_register(struct lower *l, const struct ir_block *b, int32_t reg)
{
    read_variables(l, b, l->register_variable[reg], parts(l, reg));
}

static void write_register(struct lower *l, const struct ir_block *b, int32_t reg)
{
    write_variables(l, b, l->register_variable[reg], parts(l, reg));
}

static const struct place *words_of(struct lower *l, const struct ptx_operand *o)
{
    return o->variable ? lower_place(l, o->variable) : NULL;
}

static void read_operand(struct lower *l, const struct ir_block *b, const struct ptx_operand *o)
{
    const struct place *p = words_of(l, o);
    if (o->reg >= 0 && (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY))
        read_register(l, b, o->reg);
    if (p) read_variables(l, b, p->first_variable, p->words);
    if (o->kind != PTX_OPERAND_VECTOR && o->kind != PTX_OPERAND_PAIR) return;
    for (unsigned k = 0; k < o->count; k++) read_operand(l, b, &o->elements[k]);
}

static void write_operand(struct lower *l, const struct ir_block *b, const struct ptx_operand *o)
{
    const struct place *p = words_of(l, o);
    if (o->kind == PTX_OPERAND_REG) write_register(l, b, o->reg);
    if (p) write_variables(l, b, p->first_variable, p->words);
    if (o->kind != PTX_OPERAND_VECTOR && o->kind != PTX_OPERAND_PAIR) return;
    for (unsigned k = 0; k < o->count; k++) write_operand(l, b, &o->elements[k]);
}

static bool writes_first(const struct ptx_inst *i)
{
    switch ((int)i->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PMEVENT: return false;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return i->mode == PTX_MODE_BAR_RED;
    }
    return i->operand_count != 0;
}

// True if the instruction reads or keeps old contents of operand 0: always under a guard. Without a guard:
// for a memory operand, except in a store of whole words to a .param variable.
static bool keeps_first(const struct lower *l, const struct ptx_inst *i)
{
    if (i->guard >= 0 || i->op == PTX_OP_WGMMA) return true;
    if (i->operands[0].kind != PTX_OPERAND_MEMORY) return false;
    const struct ptx_operand *o = &i->operands[0];
    return i->op != PTX_OP_ST || o->reg >= 0 || ptx_type_bits(i->types[0]) < 32 ||
           !lower_place(l, o->variable);
}

static void note_carry(struct lower *l, const struct ir_block *b, const struct ptx_inst *i)
{
    bool takes = i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;
    if (takes || (i->carry_out && i->guard >= 0)) ssa_note_read(&l->ssa, b, l->carry_variable);
    if (i->carry_out) ssa_note_write(&l->ssa, b, l->carry_variable);
}

// A wait for products of a warpgroup reads and writes all sums.
static void note_sums(struct lower *l, const struct ir_block *b)
{
    for (uint32_t k = lower_next_sums(l, 0); k < l->ptx->inst_count; k = lower_next_sums(l, k + 1)) {
        read_operand(l, b, &l->ptx->insts[k].operands[0]);
        write_operand(l, b, &l->ptx->insts[k].operands[0]);
    }
}

static void note_inst(struct lower *l, const struct ir_block *b, const struct ptx_inst *i)
{
    bool writes = writes_first(i);
    if (i->guard >= 0) read_register(l, b, i->guard);
    for (unsigned k = 0; k < i->operand_count; k++)
        if (k || !writes || keeps_first(l, i)) read_operand(l, b, &i->operands[k]);
    for (unsigned k = 0; k < i->call_argument_count; k++) read_operand(l, b, &i->call_arguments[k]);
    if (i->op == PTX_OP_CALL) read_operand(l, b, &i->call_target);
    note_carry(l, b, i);
    if (i->op == PTX_OP_WGMMA && i->mode == PTX_MODE_CP_WAIT_GROUP) note_sums(l, b);
    if (writes) write_operand(l, b, &i->operands[0]);
    for (unsigned k = 0; k < i->call_return_count; k++) write_operand(l, b, &i->call_returns[k]);
}

static void note_variables(struct lower *l, const struct ir_block *b, struct ptx_variable *const *list,
                           uint32_t count, bool write)
{
    for (uint32_t k = 0; k < count && !l->f->is_kernel; k++) {
        const struct place *p = lower_place(l, list[k]);
        uint32_t first = p ? p->first_variable : 0, words = p ? p->words : 0;
        if (list[k]->space == PTX_SPACE_REG) {
            first = l->register_variable[list[k]->reg];
            words = parts(l, list[k]->reg);
        }
        if (write)
            write_variables(l, b, first, words);
        else
            read_variables(l, b, first, words);
    }
}

void lower_note_all(struct lower *l, struct ir_block *const *blocks)
{
    const struct cut *cut = &l->source->cut;
    const struct ptx_prototype *t = &l->ptx->prototype;
    note_variables(l, l->f->first_block, t->params, t->param_count, true);
    for (uint32_t k = 0; k < cut->count; k++) {
        const struct cut_block *c = &cut->blocks[k];
        for (uint32_t n = c->first; blocks[k] && n < c->end; n++) note_inst(l, blocks[k], &l->ptx->insts[n]);
        if (blocks[k] && c->how == CUT_GUARD) read_register(l, blocks[k], l->ptx->insts[c->end].guard);
        if (blocks[k] && c->how == CUT_LEAVE)
            note_variables(l, blocks[k], t->returns, t->return_count, false);
    }
}

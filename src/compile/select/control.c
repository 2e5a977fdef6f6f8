// Selection of control flow, calls, barriers and system services. Calling convention: docs/reference/abi.md.
#include "compile/mach/abi.h"
#include "compile/select/select.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/profile.h"
#include "isa/space.h"

// -- calls --------------------------------------------------------------------------------------------------

static struct source stack_slot(struct select *s, unsigned area, uint32_t offset)
{
    struct operand o = {.kind = OPERAND_MEM, .width = 1, .bank = (uint8_t)area, .value = offset};
    return (struct source){o, mach_stack_pointer(s->f)};
}

static void store_word(struct select *s, unsigned area, uint32_t offset, struct source value)
{
    struct mach_inst *m = begin(s, OP_STL);
    m->i.type = TYPE_B32;
    set_src(m, 0, stack_slot(s, area, offset));
    set_src(m, 1, in_register(s, value));
    insert(s, m);
}

static void load_word(struct select *s, uint32_t unit, unsigned area, uint32_t offset)
{
    struct mach_inst *m = begin(s, OP_LDL);
    m->i.type = TYPE_B32;
    set_dst(m, 0, unit, 1);
    set_src(m, 0, stack_slot(s, area, offset));
    insert(s, m);
}

// One 32-bit word of a value; predicates are passed as 0 and 1.
static struct source value_word(struct select *s, struct ir_value *v, unsigned half)
{
    if (v->class == IR_CLASS_64) return source_half(s, v, (enum half)half);
    if (v->class != IR_CLASS_PRED) return source_any(s, v);
    uint32_t unit = mach_reg(s->f, 1);
    emit3(s, OP_SEL, unit, source_imm(1), source_zero(), source_pred(s, v));
    return source_unit(unit, 1);
}

static void predicate_from(struct select *s, uint32_t predicate, uint32_t word)
{
    struct mach_inst *m = begin(s, OP_ISETP);
    m->i.type = TYPE_U32;
    m->i.cmp = CMP_NE;
    set_dst_pred(m, 0, predicate);
    set_dst_pred(m, 1, MACH_NONE);
    set_src(m, 0, source_unit(word, 1));
    set_src(m, 1, source_zero());
    set_src(m, 2, source_true());
    insert(s, m);
}

struct outgoing { // a list of values to be placed as arguments or results
    struct abi_layout layout;
    struct mach_move *moves;
    uint32_t count;
};

// Stores stack words first, then copies to registers, so that nothing separates the copies from the call.
static void place_values(struct select *s, struct outgoing *o, struct ir_use *values, uint32_t count,
                         unsigned area)
{
    struct source words[2 * ABI_VALUES_MAX];
    struct abi_layout layout = o->layout;
    o->moves = ARENA_ARRAY(s->arena, struct mach_move, 2 * count + 1);
    struct source *all = count <= ABI_VALUES_MAX ? words : ARENA_ARRAY(s->arena, struct source, 2 * count);
    for (uint32_t k = 0; k < count; k++)
        for (unsigned h = 0; h < 2; h++)
            all[2 * k + h] =
                h < abi_words(values[k].value->class) ? value_word(s, values[k].value, h) : source_zero();
    for (uint32_t k = 0; k < count; k++) {
        struct abi_place p = abi_next(&layout, values[k].value->class);
        for (unsigned h = 0; !p.in_register && h < p.words; h++)
            store_word(s, area, p.offset + 4 * h, all[2 * k + h]);
    }
    for (uint32_t k = 0; k < count; k++) {
        struct abi_place p = abi_next(&o->layout, values[k].value->class);
        uint32_t fixed = p.in_register ? mach_fixed(s->f, p.words, p.reg) : MACH_NONE;
        for (unsigned h = 0; p.in_register && h < p.words; h++) {
            move_to(s, fixed + h, all[2 * k + h]);
            o->moves[o->count++] = (struct mach_move){.dst = MACH_NONE, .src = fixed + h};
        }
    }
}

// Receives values from registers (fixed units of `moves`) and from the stack. Called twice: with copies ==
// false to fill `moves`, with copies == true to emit copies and loads.
static void receive_values(struct select *s, struct mach_move *moves, uint32_t *move_count,
                           struct abi_layout layout, struct ir_value **values, uint32_t count, unsigned area,
                           bool copies)
{
    for (uint32_t k = 0; k < count; k++) {
        struct abi_place p = abi_next(&layout, values[k]->class);
        uint32_t unit = s->units[values[k]->id];
        bool predicate = values[k]->class == IR_CLASS_PRED;
        if (!copies) {
            if (!p.in_register) continue;
            uint32_t fixed = mach_fixed(s->f, p.words, p.reg);
            for (unsigned h = 0; h < p.words; h++)
                moves[(*move_count)++] = (struct mach_move){.dst = fixed + h, .src = MACH_NONE};
            continue;
        }
        uint32_t at = p.in_register ? moves[*move_count].dst : MACH_NONE;
        if (p.in_register) *move_count += p.words;
        if (unit == MACH_NONE) continue;
        uint32_t word = predicate ? mach_reg(s->f, 1) : unit;
        for (unsigned h = 0; h < p.words; h++) {
            if (p.in_register)
                copy_to(s, word + h, source_unit(at + h, 1));
            else
                load_word(s, word + h, area, p.offset + 4 * h);
        }
        if (predicate) predicate_from(s, unit, word);
    }
}

void select_call(struct select *s, struct ir_inst *i)
{
    bool indirect = i->op == IR_CALLR;
    uint32_t first = indirect ? 1 : 0;
    struct outgoing arguments = {.layout = abi_arguments()};
    struct source target = indirect ? source_pair(s, ir_operand(i, 0)) : source_zero();
    place_values(s, &arguments, i->uses + first, i->use_count - first, MACH_OUTGOING);
    struct mach_inst *m = begin(s, i->op == IR_CALL ? OP_CALL : OP_CALLR);
    m->callee = i->callee;
    set_dst(m, 0, mach_fixed(s->f, 1, ABI_RETURN_ADDRESS), 1);
    if (indirect) set_src(m, 0, target);
    struct abi_layout results = abi_results(&arguments.layout);
    m->moves = ARENA_ARRAY(s->arena, struct mach_move, arguments.count + 2 * i->def_count + 1);
    for (uint32_t k = 0; k < arguments.count; k++) m->moves[m->move_count++] = arguments.moves[k];
    uint32_t at = m->move_count;
    receive_values(s, m->moves, &m->move_count, results, i->defs, i->def_count, MACH_OUTGOING, false);
    insert(s, m);
    receive_values(s, m->moves, &at, results, i->defs, i->def_count, MACH_OUTGOING, true);
    for (uint32_t k = 0; k < i->def_count; k++) abi_next(&results, i->defs[k]->class);
    if (results.stack_bytes > s->f->outgoing_bytes) s->f->outgoing_bytes = results.stack_bytes;
    s->f->has_calls = true;
    mach_stack_pointer(s->f);
}

void select_return(struct select *s, struct ir_inst *i)
{
    struct abi_layout arguments = abi_arguments();
    for (uint32_t k = 0; k < s->ir->param_count; k++) abi_next(&arguments, s->ir->params[k]->class);
    struct outgoing results = {.layout = abi_results(&arguments)};
    place_values(s, &results, i->uses, i->use_count, MACH_CALLER);
    if (s->return_unit == MACH_NONE) s->return_unit = mach_reg(s->f, 1);
    // The return address is copied to a fixed register: callee-saved registers are restored before RET reads
    // the address.
    uint32_t address = mach_fixed(s->f, 1, ABI_RETURN_ADDRESS);
    copy_to(s, address, source_unit(s->return_unit, 1));
    struct mach_inst *m = begin(s, OP_RET);
    set_src(m, 0, source_unit(address, 1));
    m->moves = results.moves;
    m->move_count = results.count;
    insert(s, m);
}

static void kernel_entry(struct select *s)
{
    if (s->profile == PROFILE_PASCAL) mach_stack_pointer(s->f);
    if (s->f->stack_pointer == MACH_NONE) return;
    struct operand top = {.kind = OPERAND_CONST, .width = 1, .bank = BANK_LAUNCH, .value = LAUNCH_STACK_TOP};
    move_to(s, s->f->stack_pointer, (struct source){top, MACH_NONE});
    if (!s->f->outgoing_bytes) return;
    struct source size = source_imm(0u - (uint32_t)abi_round(s->f->outgoing_bytes));
    emit3(s, OP_IADD3, s->f->stack_pointer, source_unit(s->f->stack_pointer, 1), size, source_zero());
}

void select_entry(struct select *s)
{
    s->cursor = s->block->first;
    s->chunk++;
    s->lines = 0;
    s->made.count = 0;
    if (s->ir->is_kernel) {
        kernel_entry(s);
        return;
    }
    mach_stack_pointer(s->f);
    struct mach_inst *m = begin(s, MACH_ENTRY);
    m->moves = ARENA_ARRAY(s->arena, struct mach_move, 2 * s->ir->param_count + 1);
    uint32_t address = mach_fixed(s->f, 1, ABI_RETURN_ADDRESS), at = 1;
    m->moves[m->move_count++] = (struct mach_move){.dst = address, .src = MACH_NONE};
    receive_values(s, m->moves, &m->move_count, abi_arguments(), s->ir->params, s->ir->param_count,
                   MACH_CALLER, false);
    insert(s, m);
    if (s->return_unit != MACH_NONE) copy_to(s, s->return_unit, source_unit(address, 1));
    receive_values(s, m->moves, &at, abi_arguments(), s->ir->params, s->ir->param_count, MACH_CALLER, true);
}

// -- branches -----------------------------------------------------------------------------------------------

static void branch_to(struct select *s, struct mach_block *target, struct source predicate, uint16_t flags)
{
    struct mach_inst *m = begin(s, OP_BRA);
    m->target = target;
    m->guard = predicate.unit;
    m->i.guard_not = (predicate.o.flags & OPERAND_NOT) != 0;
    m->i.flags = flags;
    insert(s, m);
}

void select_jump(struct select *s, struct ir_inst *i)
{
    (void)i;
    branch_to(s, s->block->succs[0], source_true(), 0);
}

void select_branch(struct select *s, struct ir_inst *i)
{
    struct mach_block *taken = s->block->succs[0], *other = s->block->succs[1];
    struct source p = source_pred(s, ir_operand(i, 0));
    bool never = p.unit == MACH_NONE && p.o.flags & OPERAND_NOT;
    if (!never) branch_to(s, taken, p, i->flags & INST_UNIFORM);
    if (p.unit != MACH_NONE || never) branch_to(s, other, source_true(), 0);
}

void select_switch(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_BRX);
    set_src(m, 0, source_reg(s, ir_operand(i, 0)));
    m->table = s->block->succs;
    m->table_count = s->block->succ_count;
    insert(s, m);
}

// -- barriers and services ----------------------------------------------------------------------------------

static struct source field(struct select *s, struct ir_value *v)
{
    uint64_t bits;
    if (!constant_of(v, &bits)) return source_reg(s, v);
    struct source o = source_zero(); // zero stays an immediate
    o.o.kind = OPERAND_IMM;
    o.o.value = (uint32_t)bits;
    return o;
}

void select_barrier(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_BAR);
    uint64_t number;
    uint32_t uses = i->use_count - (i->mode == MODE_BAR_RED);
    m->i.mode = i->mode;
    m->i.boolean = i->mode == MODE_BAR_RED ? i->boolean : BOOL_AND;
    if (i->mode == MODE_BAR_RED && i->boolean == BOOL_POPC)
        set_dst(m, 0, wanted(s, i, 0), 1);
    else if (i->mode == MODE_BAR_RED)
        set_dst_pred(m, 1, wanted(s, i, 0));
    if (uses > 0)
        set_src(m, 0, field(s, ir_operand(i, 0)));
    else
        set_src(m, 0, (struct source){{.kind = OPERAND_IMM, .width = 1}, MACH_NONE});
    if (uses > 1) set_src(m, 1, field(s, ir_operand(i, 1)));
    if (i->mode == MODE_BAR_RED) set_src(m, 2, source_pred(s, ir_operand(i, uses)));
    bool known = uses == 0 || constant_of(ir_operand(i, 0), &number);
    uint32_t count = uses == 0 ? 1 : known ? (uint32_t)number + 1 : 16;
    if (count > s->f->barrier_count) s->f->barrier_count = count;
    insert(s, m);
}

void select_simple(struct select *s, struct ir_inst *i)
{
    unsigned op = select_table[i->op].op[0];
    struct mach_inst *m = begin(s, op);
    if (op == OP_MEMBAR || op == OP_UCGABAR) m->i.sem = i->sem;
    if (op == OP_MEMBAR) m->i.scope = i->scope;
    if (op == OP_TRAP || op == OP_UCGABAR || op == OP_USETMAXREG) m->i.mode = i->mode;
    if (op == OP_DEPBAR || op == OP_UTMACMDWAIT || op == OP_WGWAIT || op == OP_USETMAXREG)
        set_src(m, 0,
                (struct source){{.kind = OPERAND_IMM, .width = 1, .value = (uint32_t)i->offset}, MACH_NONE});
    if (op == OP_WARPSYNC || op == OP_NANOSLEEP) set_src(m, 0, field(s, ir_operand(i, 0)));
    insert(s, m);
}

void select_phase_wait(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_SYNCSWAIT);
    set_src(m, 0, source_reg(s, ir_operand(i, 0)));
    set_src(m, 1, field(s, ir_operand(i, 1)));
    if (i->use_count > 2) set_src(m, 2, field(s, ir_operand(i, 2)));
    select_guard(s, m, i, MACH_NONE);
    insert(s, m);
}

void select_syscall(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_SYSCALL);
    m->i.mode = i->mode;
    if (wanted(s, i, 0) != MACH_NONE) set_dst(m, 0, wanted(s, i, 0), 1);
    for (uint32_t k = 0; k < i->use_count && k < 2; k++) set_src(m, k, source_pair(s, ir_operand(i, k)));
    insert(s, m);
}

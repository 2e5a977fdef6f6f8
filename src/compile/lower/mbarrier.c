// mbarriers (PTX ISA 9.7.13.15), in eight bytes of shared memory by the layout of exec/mbarrier.h.
//
//     init     store count of both fields        test_wait  strong load, compare the phase's parity
//     arrive   atomic ATOM_ARRIVE                pending_count  low bits of a state
//     cp.async.mbarrier.arrive  atomic + 1, unless .noinc; then an arrival behind the thread's copies
#include "compile/lower/impl.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

enum { COUNT_BITS = 20, PARITY_IN_WORD = 31 };

static struct address barrier_at(struct lower *l, unsigned operand)
{
    struct address a = lower_address(l, &l->inst->operands[operand], l->inst->space);
    // A generic address of shared memory: the offset is below the window's 24 bits.
    if (a.space == SPACE_GENERIC) a.base = op2(l, IR_AND, TYPE_U32, lower_low(l, a.base), word(l, 0xffffff));
    a.space = SPACE_SHARED;
    return a;
}

// A count in the field of missing arrivals, with `is_double` in the field of expected arrivals as well.
static struct ir_value *count_in_fields(struct lower *l, unsigned operand, bool is_double)
{
    struct ir_value *count = word(l, 1);
    if (operand < l->inst->operand_count) count = lower_read(l, operand, PTX_U32);
    count = lower_to_wide(l, PTX_U32, count);
    if (!is_double) return count;
    return op2(l, IR_OR, TYPE_U64, count, op2(l, IR_SHL, TYPE_U64, count, word(l, COUNT_BITS)));
}

static struct ir_inst *access(struct lower *l, struct ir_inst *i, const struct address *a,
                              enum isa_sem otherwise)
{
    lower_place_access(i, a);
    lower_order(l, i);
    if (l->inst->sem == PTX_SEM_NONE) i->sem = (uint8_t)otherwise;
    return i;
}

static void arrive(struct lower *l, bool drops)
{
    static const enum ir_class class = IR_CLASS_64;
    struct address a = barrier_at(l, 1);
    struct ir_value *uses[] = {a.base, count_in_fields(l, 2, drops)};
    struct ir_inst *i = lower_effect(l, IR_ATOM, TYPE_B64, 1, &class, 2, uses);
    access(l, i, &a, SEM_RELEASE)->mode = MODE_ATOM_ARRIVE;
    lower_write_def(l, &l->inst->operands[0], i, 0);
}

// True where the parity of the present phase differs from the asked phase's: the asked phase is over.
static void test_wait(struct lower *l)
{
    static const enum ir_class class = IR_CLASS_64;
    struct address a = barrier_at(l, 1);
    struct ir_inst *i = access(l, lower_effect(l, IR_LOAD, TYPE_B64, 1, &class, 1, &a.base), &a, SEM_ACQUIRE);
    struct ir_value *now = lower_high(l, i->defs[0]), *asked;
    if (l->inst->phase == PTX_PHASE_PARITY)
        asked = op2(l, IR_SHL, TYPE_U32, lower_read(l, 2, PTX_U32), word(l, PARITY_IN_WORD));
    else
        asked = lower_high(l, lower_read(l, 2, PTX_B64));
    lower_write(l, 0, lower_compare(l, CMP_LT, TYPE_S32, op2(l, IR_XOR, TYPE_U32, now, asked), word(l, 0)));
}

void lower_mbarrier(struct lower *l)
{
    struct address a;
    switch ((int)l->inst->mode) {
    case PTX_MODE_MBARRIER_INIT:
        a = barrier_at(l, 0);
        lower_store_value(l, &a, PTX_B64, count_in_fields(l, 1, true));
        return;
    case PTX_MODE_MBARRIER_INVAL:
        a = barrier_at(l, 0);
        lower_store_value(l, &a, PTX_B64, wide(l, 0));
        return;
    case PTX_MODE_MBARRIER_ARRIVE: arrive(l, false); return;
    case PTX_MODE_MBARRIER_DROP: arrive(l, true); return;
    case PTX_MODE_MBARRIER_TEST: test_wait(l); return;
    }
    struct ir_value *state = lower_read(l, 1, PTX_B64);
    lower_write(l, 0, op2(l, IR_AND, TYPE_U32, lower_low(l, state), word(l, (1u << COUNT_BITS) - 1)));
}

void lower_copy_arrive(struct lower *l)
{
    struct address a = barrier_at(l, 0);
    struct ir_value *uses[] = {a.base, wide(l, 1)};
    if (l->inst->phase != PTX_PHASE_NOINC) {
        struct ir_inst *i = lower_effect(l, IR_RED, TYPE_U64, 0, NULL, 2, uses);
        access(l, i, &a, SEM_RELAXED)->mode = MODE_ATOM_ADD;
    }
    l->u->unit->program->uses_atomics = true;
    lower_place_access(lower_effect(l, IR_CPARRIVE, TYPE_B64, 0, NULL, 1, uses), &a);
}

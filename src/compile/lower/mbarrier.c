// mbarriers (PTX ISA 9.7.13.15), in eight bytes of shared memory by the layout of exec/mbarrier.h.
//
//     init     store count of both fields        test_wait  strong load, compare the phase's parity
//     arrive, expect_tx, complete_tx   atomic ATOM_ARRIVE: a sum of the three fields of a change
//     try_wait       IR_PHASEWAIT, then test_wait     pending_count  low bits of a state
//     cp.async.mbarrier.arrive  atomic + 1, unless .noinc; then an arrival behind the thread's copies
#include "compile/lower/impl.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

enum { COUNT_BITS = 20, PARITY_IN_WORD = 31, BYTES_BIT = 42, BYTES_BITS = 21 };

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

// Bytes in the field of a change: expected ones are added, completed ones subtracted.
static struct ir_value *bytes_in_field(struct lower *l, unsigned operand, bool is_complete)
{
    struct ir_value *bytes = lower_read(l, operand, PTX_U32);
    if (is_complete) bytes = op1(l, IR_NEG, TYPE_U32, bytes);
    bytes = op2(l, IR_AND, TYPE_U32, bytes, word(l, (1u << BYTES_BITS) - 1));
    return lower_pack(l, word(l, 0), op2(l, IR_SHL, TYPE_U32, bytes, word(l, BYTES_BIT - 32)));
}

// Without a register for the state, the change is a reduction.
static void change(struct lower *l, const struct address *a, struct ir_value *value,
                   const struct ptx_operand *state, enum isa_sem otherwise)
{
    static const enum ir_class class = IR_CLASS_64;
    struct ir_value *uses[] = {a->base, value};
    bool has_state = state && state->kind == PTX_OPERAND_REG;
    struct ir_inst *i = lower_effect(l, has_state ? IR_ATOM : IR_RED, TYPE_B64, has_state, &class, 2, uses);
    access(l, i, a, otherwise)->mode = MODE_ATOM_ARRIVE;
    if (has_state) lower_write_def(l, state, i, 0);
}

static void arrive(struct lower *l, bool drops)
{
    struct address a = barrier_at(l, 1);
    struct ir_value *value;
    if (l->inst->phase == PTX_PHASE_EXPECT) // one arrival
        value =
            op2(l, IR_OR, TYPE_U64, bytes_in_field(l, 2, false), wide(l, drops ? 1ull << COUNT_BITS | 1 : 1));
    else
        value = count_in_fields(l, 2, drops);
    change(l, &a, value, &l->inst->operands[0], SEM_RELEASE);
}

static void change_bytes(struct lower *l, bool is_complete)
{
    struct address a = barrier_at(l, 0);
    change(l, &a, bytes_in_field(l, 1, is_complete), NULL, SEM_RELAXED);
}

// Word with the asked phase's parity in bit 31.
static struct ir_value *asked_phase(struct lower *l)
{
    if (l->inst->phase == PTX_PHASE_PARITY)
        return op2(l, IR_SHL, TYPE_U32, lower_read(l, 2, PTX_U32), word(l, PARITY_IN_WORD));
    return lower_high(l, lower_read(l, 2, PTX_B64));
}

// True where the parity of the present phase differs from the asked phase's: the asked phase is over. asked NULL: read here.
static void test_wait(struct lower *l, const struct address *a, struct ir_value *asked)
{
    static const enum ir_class class = IR_CLASS_64;
    struct ir_value *base = a->base;
    struct ir_inst *i = access(l, lower_effect(l, IR_LOAD, TYPE_B64, 1, &class, 1, &base), a, SEM_ACQUIRE);
    struct ir_value *now = lower_high(l, i->defs[0]);
    if (!asked) asked = asked_phase(l);
    lower_write(l, 0, lower_compare(l, CMP_LT, TYPE_S32, op2(l, IR_XOR, TYPE_U32, now, asked), word(l, 0)));
}

static void try_wait(struct lower *l)
{
    struct address a = barrier_at(l, 1);
    struct ir_value *asked = asked_phase(l), *at = a.base;
    if (a.offset) at = op2(l, IR_ADD, TYPE_U32, at, word(l, (uint32_t)a.offset));
    bool has_limit = l->inst->operand_count > 3;
    struct ir_value *uses[] = {at, asked, has_limit ? lower_read(l, 3, PTX_U32) : NULL};
    lower_effect(l, IR_PHASEWAIT, TYPE_NONE, 0, NULL, has_limit ? 3 : 2, uses);
    test_wait(l, &a, asked);
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
    case PTX_MODE_MBARRIER_TEST:
        a = barrier_at(l, 1);
        test_wait(l, &a, NULL);
        return;
    case PTX_MODE_MBARRIER_TRY: try_wait(l); return;
    case PTX_MODE_MBARRIER_EXPECT: change_bytes(l, false); return;
    case PTX_MODE_MBARRIER_COMPLETE: change_bytes(l, true); return;
    }
    struct ir_value *state = lower_read(l, 1, PTX_B64);
    lower_write(l, 0, op2(l, IR_AND, TYPE_U32, lower_low(l, state), word(l, (1u << COUNT_BITS) - 1)));
}

// The bytes of st.async and red.async, already stored, complete at the mbarrier.
void lower_complete(struct lower *l, unsigned operand, uint32_t bytes)
{
    struct address a = barrier_at(l, operand);
    uint64_t field = (uint64_t)((0 - bytes) & ((1u << BYTES_BITS) - 1)) << BYTES_BIT;
    struct ir_value *uses[] = {a.base, wide(l, field)};
    struct ir_inst *i = lower_effect(l, IR_RED, TYPE_B64, 0, NULL, 2, uses);
    lower_place_access(i, &a);
    i->sem = SEM_RELEASE;
    i->scope = SCOPE_GPU;
    i->mode = MODE_ATOM_ARRIVE;
    l->u->unit->program->uses_atomics = true;
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

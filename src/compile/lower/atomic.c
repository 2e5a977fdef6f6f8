// Atomics and fences (PTX ISA 9.7.13.4 to 9.7.13.6).
#include "compile/lower/impl.h"
#include "isa/modes.h"
#include "isa/program.h"

int lower_atom_mode(enum ptx_atom atom)
{
    static const uint8_t modes[] = {
        [PTX_ATOM_NONE] = MODE_NONE,      [PTX_ATOM_ADD] = MODE_ATOM_ADD, [PTX_ATOM_MIN] = MODE_ATOM_MIN,
        [PTX_ATOM_MAX] = MODE_ATOM_MAX,   [PTX_ATOM_AND] = MODE_ATOM_AND, [PTX_ATOM_OR] = MODE_ATOM_OR,
        [PTX_ATOM_XOR] = MODE_ATOM_XOR,   [PTX_ATOM_INC] = MODE_ATOM_INC, [PTX_ATOM_DEC] = MODE_ATOM_DEC,
        [PTX_ATOM_EXCH] = MODE_ATOM_EXCH, [PTX_ATOM_CAS] = MODE_ATOM_CAS,
    };
    return modes[atom];
}

static void describe(struct lower *l, struct ir_inst *i, const struct address *a)
{
    lower_place_access(i, a);
    lower_order(l, i);
    if (l->inst->sem == PTX_SEM_NONE) i->sem = SEM_RELAXED;
    i->scope = (uint8_t)lower_scope(l->inst->scope, SCOPE_GPU);
    i->mode = (uint8_t)lower_atom_mode(l->inst->atom);
    l->u->unit->program->uses_atomics = true;
}

void lower_reduce_at(struct lower *l, const struct address *a, struct ir_value *v, enum ptx_type type)
{
    describe(l, lower_effect(l, IR_RED, lower_type(type), 0, NULL, 2, (struct ir_value *[]){a->base, v}), a);
}

static void reduce(struct lower *l, unsigned address, enum ptx_type type)
{
    struct address a = lower_address(l, &l->inst->operands[address], l->inst->space);
    lower_reduce_at(l, &a, lower_read_extended(l, address + 1, type), type);
}

// Vector atomics: an atomic for every element.
static void atom_vector(struct lower *l, bool is_atom)
{
    const struct ptx_inst *p = l->inst;
    enum ptx_type type = lower_type0(l);
    const struct ptx_operand *d = &p->operands[0], *v = &p->operands[1 + is_atom];
    struct address a = lower_address(l, &p->operands[is_atom], p->space);
    struct ir_value *values[8];
    struct ir_inst *made[8];
    enum ir_class class = ir_class_of_type(lower_type(type));
    for (unsigned k = 0; k < v->count; k++) values[k] = lower_read_operand(l, &v->elements[k], type);
    for (unsigned k = 0; k < v->count; k++, a.offset += ptx_type_bits(type) / 8) {
        bool wanted = is_atom && d->kind == PTX_OPERAND_VECTOR && d->elements[k].kind == PTX_OPERAND_REG;
        struct ir_value *uses[] = {a.base, values[k]};
        made[k] = lower_effect(l, wanted ? IR_ATOM : IR_RED, lower_type(type), wanted, &class, 2, uses);
        describe(l, made[k], &a);
    }
    for (unsigned k = 0; k < v->count; k++)
        if (made[k]->def_count) lower_write_def(l, &d->elements[k], made[k], 0);
}

void lower_red(struct lower *l)
{
    if (l->inst->vector > 1) {
        atom_vector(l, false);
        return;
    }
    reduce(l, 0, lower_type0(l));
    if (l->inst->bulk) lower_complete(l, 2, ptx_type_bits(lower_type0(l)) / 8);
}

// An atom without a destination register (sink) is a reduction, except exch and cas.
void lower_atom(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum ptx_atom op = l->inst->atom;
    bool compares = op == PTX_ATOM_CAS;
    if (l->inst->vector > 1) {
        atom_vector(l, true);
        return;
    }
    if (type == PTX_B128) {
        lower_refuse(l, "atom.b128");
        return;
    }
    if (l->inst->operands[0].kind == PTX_OPERAND_SINK && !compares && op != PTX_ATOM_EXCH) {
        reduce(l, 1, type);
        return;
    }
    struct address a = lower_address(l, &l->inst->operands[1], l->inst->space);
    struct ir_value *uses[3] = {a.base, lower_read_extended(l, 2, type)};
    if (compares) uses[2] = lower_read_extended(l, 3, type);
    enum ir_class class = ir_class_of_type(lower_type(type));
    struct ir_inst *i = lower_effect(l, IR_ATOM, lower_type(type), 1, &class, compares ? 3 : 2, uses);
    describe(l, i, &a);
    lower_write_def(l, &l->inst->operands[0], i, 0);
}

// membar.LEVEL is fence.sc at the scope of the level; plain fence is acq_rel. A proxy fence has no effect on values, and is looked at by
// the checker.
static void fence(struct lower *l, enum isa_sem otherwise)
{
    if (l->inst->mode == PTX_MODE_MEMBAR_PROXY) lower_effect(l, IR_VIEW, TYPE_NONE, 0, NULL, 0, NULL);
    if (l->inst->mode == PTX_MODE_MEMBAR_PROXY || l->inst->mode == PTX_MODE_MEMBAR_INIT) return;
    struct ir_inst *i = lower_effect(l, IR_FENCE, TYPE_NONE, 0, NULL, 0, NULL);
    lower_order(l, i);
    if (l->inst->sem == PTX_SEM_NONE) i->sem = (uint8_t)otherwise;
}

void lower_membar(struct lower *l) { fence(l, SEM_SC); }
void lower_fence(struct lower *l) { fence(l, SEM_ACQ_REL); }

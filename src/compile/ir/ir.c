// Building and changing the intermediate representation: values, instructions, operand slots.
//
// An operand slot is a node in the doubly linked list of its value's uses. Replacing a value thus costs time
// proportional to its uses, removing an instruction to its operands. Slots never move: to change its length,
// an operand array is allocated anew and linked in place of the old array.
#include "compile/ir/ir.h"
#include "isa/sregs.h"
#include "isa/types.h"

#include <assert.h>
#include <string.h>

const struct ir_info ir_table[IR_OP_COUNT] = {
#define PURE                                                    IR_PURE
#define COMM                                                    IR_COMM
#define READ                                                    IR_READ
#define WRITE                                                   IR_WRITE
#define EFFECT                                                  IR_EFFECT
#define END                                                     IR_END
#define WORD                                                    (TYPES_WORD | ISA_TYPE(B32))
#define INT                                                     (WORD | ISA_TYPE(U64) | ISA_TYPE(S64) | ISA_TYPE(B64))
#define REAL                                                    TYPES_REAL
#define NUMBER                                                  (INT | REAL)
#define T(name)                                                 ISA_TYPE(name)
#define ODD                                                     NULL
#define IR(name, text, flags, types, shape, selection, meaning) {text, meaning, shape, flags, types},
#include "compile/ir/ir.def"
#undef IR
#undef WORD
#undef INT
#undef REAL
#undef NUMBER
#undef ODD
#undef T
#undef PURE
#undef COMM
#undef READ
#undef WRITE
#undef EFFECT
#undef END
};

// -- values -------------------------------------------------------------------------------------------------

struct ir_value *ir_value_create(struct ir_function *f, enum ir_class class)
{
    struct ir_value *v = ARENA_NEW(&f->unit->arena, struct ir_value);
    v->id = f->value_count++;
    v->class = class;
    return v;
}

struct ir_value *ir_constant(struct ir_function *f, enum ir_class class, uint64_t bits)
{
    if (class == IR_CLASS_32) bits = (uint32_t)bits;
    if (class == IR_CLASS_PRED) bits = bits != 0;
    uint32_t index;
    if (u64map_get(&f->constants[class], bits, &index)) return f->constant_values.data[index];
    struct ir_value *v = ir_value_create(f, class);
    v->is_constant = true;
    v->bits = bits;
    u64map_set(&f->constants[class], bits, (uint32_t)f->constant_values.count);
    vec_push(&f->constant_values, v);
    return v;
}

enum ir_class ir_class_of_type(enum isa_type type)
{
    switch (type) {
    case TYPE_U64:
    case TYPE_S64:
    case TYPE_B64:
    case TYPE_F64: return IR_CLASS_64;
    case TYPE_B128: return IR_CLASS_128;
    case TYPE_NONE:
    case TYPE_U8:
    case TYPE_S8:
    case TYPE_U16:
    case TYPE_S16:
    case TYPE_U32:
    case TYPE_S32:
    case TYPE_B32:
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_TF32:
    case TYPE_F32:
    case TYPE_E4M3:
    case TYPE_E5M2:
    case TYPE_U4:
    case TYPE_S4:
    case TYPE_B1:
    case TYPE_COUNT: break;
    }
    return IR_CLASS_32;
}

// -- operand slots ------------------------------------------------------------------------------------------

static void use_link(struct ir_use *u, struct ir_inst *user, struct ir_value *v)
{
    u->user = user;
    u->value = v;
    u->previous = NULL;
    u->next = NULL;
    if (!v) return;
    u->next = v->first_use;
    if (u->next) u->next->previous = u;
    v->first_use = u;
    v->use_count++;
}

static void use_unlink(struct ir_use *u)
{
    struct ir_value *v = u->value;
    if (!v) return;
    if (u->previous)
        u->previous->next = u->next;
    else
        v->first_use = u->next;
    if (u->next) u->next->previous = u->previous;
    v->use_count--;
    u->value = NULL;
    u->previous = u->next = NULL;
}

void ir_set_use(struct ir_inst *i, uint32_t index, struct ir_value *v)
{
    assert(index < i->use_count);
    if (i->uses[index].value == v) return;
    use_unlink(&i->uses[index]);
    use_link(&i->uses[index], i, v);
}

void ir_set_uses(struct ir_inst *i, uint32_t count, struct ir_value *const *uses)
{
    struct ir_use *fresh = ARENA_ARRAY(&i->function->unit->arena, struct ir_use, count);
    for (uint32_t k = 0; k < count; k++) use_link(&fresh[k], i, uses[k]);
    for (uint32_t k = 0; k < i->use_count; k++) use_unlink(&i->uses[k]);
    i->uses = fresh;
    i->use_count = count;
}

void ir_set_guard(struct ir_inst *i, struct ir_value *predicate, bool negated)
{
    use_unlink(&i->guard);
    use_link(&i->guard, i, predicate);
    i->guard_not = predicate && negated;
}

void ir_set_old(struct ir_inst *i, uint32_t def, struct ir_value *v)
{
    assert(def < i->def_count);
    if (!i->old) {
        if (!v) return;
        i->old = ARENA_ARRAY(&i->function->unit->arena, struct ir_use, i->def_count);
        for (uint32_t k = 0; k < i->def_count; k++) i->old[k].user = i;
    }
    use_unlink(&i->old[def]);
    use_link(&i->old[def], i, v);
}

void ir_replace(struct ir_value *of, struct ir_value *by)
{
    if (of == by || !of->first_use) return;
    struct ir_use *last = NULL;
    for (struct ir_use *u = of->first_use; u; u = u->next) {
        u->value = by;
        last = u;
    }
    last->next = by->first_use;
    if (by->first_use) by->first_use->previous = last;
    by->first_use = of->first_use;
    by->use_count += of->use_count;
    of->first_use = NULL;
    of->use_count = 0;
}

// -- instructions -------------------------------------------------------------------------------------------

struct ir_inst *ir_inst_create(struct ir_function *f, enum ir_op op, enum isa_type type, uint32_t def_count,
                               const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses)
{
    struct arena *a = &f->unit->arena;
    struct ir_inst *i = ARENA_NEW(&f->unit->insts, struct ir_inst);
    i->op = op;
    i->type = (uint8_t)type;
    i->function = f;
    i->def_count = def_count;
    i->use_count = use_count;
    if (def_count) i->defs = ARENA_ARRAY(a, struct ir_value *, def_count);
    for (uint32_t k = 0; k < def_count; k++) {
        i->defs[k] = ir_value_create(f, classes[k]);
        i->defs[k]->def = i;
    }
    if (use_count) i->uses = ARENA_ARRAY(a, struct ir_use, use_count);
    for (uint32_t k = 0; k < use_count; k++) use_link(&i->uses[k], i, uses ? uses[k] : NULL);
    i->guard.user = i;
    return i;
}

void ir_append(struct ir_block *b, struct ir_inst *i)
{
    assert(!i->block);
    i->block = b;
    i->previous = b->last;
    i->next = NULL;
    if (b->last)
        b->last->next = i;
    else
        b->first = i;
    b->last = i;
    b->function->inst_count++;
}

void ir_insert_before(struct ir_inst *where, struct ir_inst *i)
{
    assert(!i->block && where->block);
    struct ir_block *b = where->block;
    i->block = b;
    i->previous = where->previous;
    i->next = where;
    if (where->previous)
        where->previous->next = i;
    else
        b->first = i;
    where->previous = i;
    b->function->inst_count++;
}

void ir_insert_after(struct ir_inst *where, struct ir_inst *i)
{
    if (where->next)
        ir_insert_before(where->next, i);
    else
        ir_append(where->block, i);
}

void ir_detach(struct ir_inst *i)
{
    struct ir_block *b = i->block;
    if (i->previous)
        i->previous->next = i->next;
    else
        b->first = i->next;
    if (i->next)
        i->next->previous = i->previous;
    else
        b->last = i->previous;
    i->previous = i->next = NULL;
    i->block = NULL;
    b->function->inst_count--;
}

void ir_remove(struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->def_count; k++) assert(!i->defs[k] || !i->defs[k]->first_use);
    for (uint32_t k = 0; k < i->use_count; k++) use_unlink(&i->uses[k]);
    for (uint32_t k = 0; i->old && k < i->def_count; k++) use_unlink(&i->old[k]);
    use_unlink(&i->guard);
    if (i->block) ir_detach(i);
}

struct ir_value *ir_emit_before(struct ir_inst *where, enum ir_op op, enum isa_type type, enum ir_class class,
                                uint32_t use_count, struct ir_value *const *uses, struct ir_inst **made)
{
    struct ir_inst *i = ir_inst_create(where->function, op, type, 1, &class, use_count, uses);
    i->lines = where->lines;
    ir_insert_before(where, i);
    if (made) *made = i;
    return i->defs[0];
}

static bool sreg_is_clock(int64_t sreg) { return sreg >= SREG_CLOCK_LO && sreg <= SREG_GLOBALTIMER; }

bool ir_is_pure(const struct ir_inst *i)
{
    if (i->op == IR_SREG) return !sreg_is_clock(i->offset);
    return (ir_table[i->op].flags & IR_PURE) != 0;
}

// Two accesses are disjoint by address space, by disjoint offsets from an equal base value, or by disjoint
// constant addresses; no deeper analysis. A generic address may refer to any space but constant. Distinct
// .shared or .local variables differ in their constant addresses.
#include "compile/ir/alias.h"
#include "isa/inst.h"
#include "isa/space.h"

static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_ATOM || i->op == IR_RED;
}

bool alias_is_weak(const struct ir_inst *i) { return i->sem == SEM_WEAK; }

bool alias_is_read_only(const struct ir_inst *i)
{
    return i->op == IR_LOAD && (i->space == SPACE_CONST || (i->flags & INST_NC));
}

unsigned alias_element_bytes(const struct ir_inst *i) { return isa_type_bytes((enum isa_type)i->type); }

unsigned alias_bytes(const struct ir_inst *i)
{
    unsigned elements = i->op == IR_LOAD ? i->def_count : i->op == IR_STORE ? i->use_count - 1 : 1;
    return elements * alias_element_bytes(i);
}

bool alias_same_base(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->space == b->space && ir_operand(a, 0) == ir_operand(b, 0);
}

static bool spaces_meet(unsigned a, unsigned b)
{
    if (a == SPACE_CONST || b == SPACE_CONST) return false;
    return a == b || a == SPACE_GENERIC || b == SPACE_GENERIC;
}

// The address of an access with a constant base, or the offset in the frame of an access to a frame variable.
// False: unknown.
static bool known_address(const struct ir_inst *i, int64_t *address)
{
    const struct ir_value *base = ir_operand(i, 0);
    if (base->is_constant) {
        *address = (int64_t)base->bits + i->offset;
        return true;
    }
    if (base->def && base->def->op == IR_FRAME) {
        *address = base->def->offset + i->offset;
        return true;
    }
    return false;
}

bool alias_may_overlap(const struct ir_inst *a, const struct ir_inst *b)
{
    if (!spaces_meet(a->space, b->space)) return false;
    int64_t from_a = a->offset, from_b = b->offset;
    if (!alias_same_base(a, b)) {
        if (a->space != b->space || a->space == SPACE_GENERIC) return true;
        if (!known_address(a, &from_a) || !known_address(b, &from_b)) return true;
    }
    return from_a < from_b + (int64_t)alias_bytes(b) && from_b < from_a + (int64_t)alias_bytes(a);
}

bool alias_ordered(const struct ir_inst *i, const struct ir_inst *other)
{
    if (is_access(other)) {
        if (!alias_is_weak(other) || other->op == IR_ATOM || other->op == IR_RED)
            return !alias_is_read_only(i); // orders accesses to other bytes as well
        if (i->op == IR_LOAD && other->op == IR_LOAD) return false;
        if (alias_is_read_only(i) || alias_is_read_only(other)) return false;
        return alias_may_overlap(i, other);
    }
    if (ir_is_pure(other) || other->op == IR_PHI || other->op == IR_SREG || other->op == IR_TEX) return false;
    return !alias_is_read_only(i);
}

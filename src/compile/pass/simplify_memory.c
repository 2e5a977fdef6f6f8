// Addresses of memory accesses. A constant addend of the base moves to the access's offset. An access through
// a generic address that can only be local memory becomes a local access.
//
//     load [x + c]  ▶  load [x] + c       exact: the machine adds the offset in the width of the base
#include "compile/pass/simplify.h"
#include "isa/bank.h"
#include "isa/space.h"

enum { OFFSET_MAX = (1 << 23) - 1 }; // signed 24-bit field in the modelled machines

static bool fits(int64_t offset) { return offset >= -OFFSET_MAX - 1 && offset <= OFFSET_MAX; }

static int64_t signed_constant(const struct ir_value *v)
{
    return v->class == IR_CLASS_32 ? (int32_t)v->bits : (int64_t)v->bits;
}

static bool has_address(const struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_LOAD:
    case IR_STORE:
    case IR_ATOM:
    case IR_RED:
    case IR_PREFETCH:
    case IR_CPASYNC: return true;
    }
    return false;
}

bool simplify_is_address(const struct ir_value *v)
{
    for (const struct ir_use *u = v->first_use; u; u = u->next) {
        const struct ir_inst *i = u->user;
        bool is_address = u == &i->uses[0] || (i->op == IR_CPASYNC && u == &i->uses[1]);
        if (!has_address(i) || !is_address) return false;
    }
    return v->first_use != NULL;
}

static bool fold_offset(struct ir_inst *i, uint32_t use, int64_t *offset)
{
    struct ir_value *base = ir_operand(i, use);
    struct ir_inst *sum = simplify_match(base, IR_ADD);
    int64_t moved;
    if (base->is_constant && base->class == IR_CLASS_32 && base->bits) {
        moved = (int32_t)base->bits;
        base = ir_constant(i->function, IR_CLASS_32, 0);
    } else if (sum && ir_operand(sum, 1)->is_constant && !simplify_is_step(sum)) {
        moved = signed_constant(ir_operand(sum, 1));
        base = ir_operand(sum, 0);
    } else {
        return false;
    }
    if (!fits(moved) || !fits(*offset + moved)) return false;
    *offset += moved;
    ir_set_use(i, use, base);
    return true;
}

// Turns a generic load or store into a local access if its address is an extended FRAME plus a constant in
// the local window. False: any other instruction.
static bool name_space(struct ir_inst *i)
{
    if (i->space != SPACE_GENERIC || (i->op != IR_LOAD && i->op != IR_STORE)) return false;
    struct ir_inst *sum = simplify_match(ir_operand(i, 0), IR_ADD);
    if (!sum || !ir_operand(sum, 1)->is_constant) return false;
    struct ir_inst *word = simplify_match(ir_operand(sum, 0), IR_ZEXT);
    if (!word || word->type2 != TYPE_U32) return false;
    uint64_t window = ir_operand(sum, 1)->bits & ~0xffffffull;
    if (window != ISA_SHARED_WINDOW && window != ISA_LOCAL_WINDOW) return false;
    struct ir_inst *frame = simplify_match(ir_operand(word, 0), IR_FRAME);
    if (window != ISA_LOCAL_WINDOW || !frame) return false; // only a FRAME is known to lie inside the window
    i->space = SPACE_LOCAL;
    i->offset += (int64_t)(ir_operand(sum, 1)->bits - window);
    ir_set_use(i, 0, ir_operand(word, 0));
    return true;
}

void simplify_address(struct simplify *s, struct ir_inst *i)
{
    if (!has_address(i)) return;
    while (name_space(i) || fold_offset(i, 0, &i->offset)) s->changed = true;
    while (i->op == IR_CPASYNC && fold_offset(i, 1, &i->offset2)) s->changed = true;
}

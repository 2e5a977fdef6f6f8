// Expands operations that the machine lacks. Runs at every optimisation level.
//
// Blocks are walked backwards, so an expansion that splits a block moves only the instructions up to the
// split made before.
#include "compile/pass/legalise.h"
#include "compile/pass/passes.h"

static bool is_wide(uint8_t type) { return ir_class_of_type((enum isa_type)type) == IR_CLASS_64; }

static struct ir_value *expand(struct ir_inst *i)
{
    bool real = isa_type_is_float((enum isa_type)i->type);
    switch ((int)i->op) {
    case IR_DIV:
    case IR_RCP:
    case IR_SQRT:
        if (real) return is_wide(i->type) ? legalise_f64(i) : legalise_f32(i);
        return is_wide(i->type) ? legalise_div64(i) : legalise_div32(i);
    case IR_REM: return is_wide(i->type) ? legalise_div64(i) : legalise_div32(i);
    }
    return legalise_wide(i);
}

bool legalise(struct ir_function *f)
{
    bool changed = false;
    for (struct ir_block *b = f->last_block, *before; b; b = before) {
        before = b->previous;
        for (struct ir_inst *i = b->last, *previous; i; i = previous) {
            previous = i->previous;
            struct ir_value *by = expand(i);
            if (!by) continue;
            ir_replace(i->defs[0], by);
            ir_remove(i);
            changed = true;
        }
    }
    return changed;
}

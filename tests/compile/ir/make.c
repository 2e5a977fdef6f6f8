#include "compile/ir/make.h"
#include "compile/ir/options.h"

#include "base/arena.h"

struct ir_unit *make_unit(void)
{
    struct compile_options *o = heap_alloc(sizeof *o);
    o->optimise = 1;
    o->check = true;
    return ir_unit_create(NULL, o);
}

void make_unit_free(struct ir_unit *u)
{
    void *options = (void *)(uintptr_t)u->options;
    ir_unit_destroy(u);
    free(options);
}

struct ir_function *make_function(struct ir_unit *u, uint32_t param_count, const enum ir_class *params,
                                  enum ir_class result)
{
    struct ir_function *f = ir_function_create(u, "f", false);
    f->params = ARENA_ARRAY(&u->arena, struct ir_value *, param_count);
    f->param_count = param_count;
    for (uint32_t k = 0; k < param_count; k++) {
        f->params[k] = ir_value_create(f, params[k]);
        f->params[k]->is_param = true;
    }
    f->result_classes = ARENA_ARRAY(&u->arena, uint8_t, 1);
    f->result_classes[0] = (uint8_t)result;
    f->result_count = 1;
    ir_block_create(f, NULL);
    return f;
}

void make_return(struct ir_block *b, struct ir_value *v)
{
    ir_append(b, ir_inst_create(b->function, IR_RETURN, TYPE_NONE, 0, NULL, 1, &v));
}

static enum ir_class operand_class(enum ir_op op, enum isa_type type, enum isa_type type2, uint32_t index)
{
    if (op == IR_CVT || op == IR_SATI || op == IR_ZEXT || op == IR_SEXT) return ir_class_of_type(type2);
    if ((op == IR_SHL || op == IR_SHR) && index == 1) return IR_CLASS_32;
    if (op == IR_BFE && index >= 1) return IR_CLASS_32;
    if (op == IR_BFI && index >= 2) return IR_CLASS_32;
    return ir_class_of_type(type);
}

struct ir_inst *make_operation(struct ir_unit *u, enum ir_op op, enum isa_type type, enum isa_type type2,
                               uint32_t count)
{
    enum ir_class classes[4], result = ir_result_class(op, type);
    for (uint32_t k = 0; k < count; k++) classes[k] = operand_class(op, type, type2, k);
    struct ir_function *f = make_function(u, count, classes, result);
    struct ir_inst *i = ir_inst_create(f, op, type, 1, &result, count, f->params);
    i->type2 = (uint8_t)type2;
    ir_append(f->first_block, i);
    make_return(f->first_block, i->defs[0]);
    return i;
}

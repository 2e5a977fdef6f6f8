// Helpers to create instructions.
#include "compile/ir/build.h"

#include <assert.h>

struct builder builder_at(struct ir_inst *before)
{
    return (struct builder){.f = before->function, .before = before, .lines = before->lines};
}

enum ir_class ir_result_class(enum ir_op op, enum isa_type type)
{
    switch ((int)op) {
    case IR_PACK:
    case IR_SYMBOL:
    case IR_MULWIDE:
    case IR_MADWIDE: return IR_CLASS_64;
    case IR_POPC:
    case IR_FLO:
    case IR_LO:
    case IR_HI:
    case IR_FUNNEL:
    case IR_MUFU: return IR_CLASS_32;
    case IR_SETP:
    case IR_FCHK:
    case IR_PAND:
    case IR_POR:
    case IR_PXOR:
    case IR_PNOT: return IR_CLASS_PRED;
    }
    return ir_class_of_type(type);
}

static struct ir_value *build(struct builder *b, enum ir_op op, enum isa_type type, enum ir_class class,
                              uint32_t count, struct ir_value *const *uses)
{
    struct ir_value *v = ir_emit_before(b->before, op, type, class, count, uses, &b->made);
    b->made->lines = b->lines;
    return v;
}

struct ir_value *build0(struct builder *b, enum ir_op op, enum isa_type type)
{
    return build(b, op, type, ir_result_class(op, type), 0, NULL);
}

struct ir_value *build1(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x)
{
    return build(b, op, type, ir_result_class(op, type), 1, (struct ir_value *[]){x});
}

struct ir_value *build2(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x,
                        struct ir_value *y)
{
    return build(b, op, type, ir_result_class(op, type), 2, (struct ir_value *[]){x, y});
}

struct ir_value *build3(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x,
                        struct ir_value *y, struct ir_value *z)
{
    return build(b, op, type, ir_result_class(op, type), 3, (struct ir_value *[]){x, y, z});
}

struct ir_value *build_compare(struct builder *b, enum isa_cmp cmp, enum isa_type type, struct ir_value *x,
                               struct ir_value *y)
{
    struct ir_value *v = build2(b, IR_SETP, type, x, y);
    b->made->cmp = (uint8_t)cmp;
    return v;
}

struct ir_value *build_select(struct builder *b, struct ir_value *condition, struct ir_value *yes,
                              struct ir_value *no)
{
    return build(b, IR_SELECT, TYPE_NONE, yes->class, 3, (struct ir_value *[]){yes, no, condition});
}

struct ir_value *build_extend(struct builder *b, enum isa_type from, enum isa_type to, struct ir_value *x)
{
    struct ir_value *v = build1(b, isa_type_is_signed(from) ? IR_SEXT : IR_ZEXT, to, x);
    b->made->type2 = (uint8_t)from;
    return v;
}

struct ir_value *build_not(struct builder *b, struct ir_value *predicate)
{
    return build1(b, IR_PNOT, TYPE_NONE, predicate);
}

struct ir_value *build_u32(struct builder *b, uint32_t bits) { return ir_constant(b->f, IR_CLASS_32, bits); }

struct ir_value *build_u64(struct builder *b, uint64_t bits) { return ir_constant(b->f, IR_CLASS_64, bits); }

// -- blocks -------------------------------------------------------------------------------------------------

static void move_tail(struct ir_block *to, struct ir_inst *from)
{
    for (struct ir_inst *i = from, *next; i; i = next) {
        next = i->next;
        ir_detach(i);
        ir_append(to, i);
    }
}

static void move_successors(struct ir_block *to, struct ir_block *from)
{
    to->succs = from->succs;
    to->succ_count = from->succ_count;
    from->succs = NULL;
    from->succ_count = 0;
    for (uint32_t k = 0; k < to->succ_count; k++) {
        struct ir_block *s = to->succs[k];
        for (uint32_t p = 0; p < s->pred_count; p++)
            if (s->preds[p] == from) s->preds[p] = to;
    }
}

struct ir_block *build_split(struct ir_inst *at)
{
    struct ir_block *b = at->block;
    struct ir_block *rest = ir_block_create(b->function, b);
    move_tail(rest, at);
    move_successors(rest, b);
    return rest;
}

static struct ir_inst *end_block(struct ir_block *b, enum ir_op op, uint32_t use_count,
                                 struct ir_value *const *uses, uint32_t lines)
{
    struct ir_inst *i = ir_inst_create(b->function, op, TYPE_NONE, 0, NULL, use_count, uses);
    i->lines = lines;
    ir_append(b, i);
    return i;
}

struct ir_inst *build_jump(struct ir_block *from, struct ir_block *to, uint32_t lines)
{
    ir_add_edge(from, to);
    return end_block(from, IR_JUMP, 0, NULL, lines);
}

struct ir_inst *build_branch(struct ir_block *from, struct ir_value *condition, struct ir_block *yes,
                             struct ir_block *no, uint32_t lines)
{
    ir_add_edge(from, yes);
    ir_add_edge(from, no);
    return end_block(from, IR_BRANCH, 1, &condition, lines);
}

struct ir_value *build_phi(struct ir_block *b, enum ir_class class, struct ir_value *const *values,
                           uint32_t lines)
{
    struct ir_inst *phi = ir_inst_create(b->function, IR_PHI, TYPE_NONE, 1, &class, b->pred_count, values);
    phi->lines = lines;
    if (b->first)
        ir_insert_before(b->first, phi);
    else
        ir_append(b, phi);
    return phi->defs[0];
}

struct builder build_cold(struct ir_inst *at, struct ir_value *cold)
{
    struct ir_block *hot = at->block, *join = build_split(at);
    struct ir_block *side = ir_block_create(at->function, NULL);
    build_branch(hot, cold, side, join, at->lines);
    return builder_at(build_jump(side, join, at->lines));
}

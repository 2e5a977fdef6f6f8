// Short ways to write instructions in front of a place: what expansions and rewrites are made of.
#pragma once
#include "compile/ir/ir.h"

struct builder {
    struct ir_function *f;
    struct ir_inst *before; // new instructions go before this one
    uint32_t lines;
    struct ir_inst *made; // the last instruction written, for its modifiers
};

struct builder builder_at(struct ir_inst *before); // with its lines

// The class of the first result of a pure operation.
enum ir_class ir_result_class(enum ir_op op, enum isa_type type);

struct ir_value *build0(struct builder *b, enum ir_op op, enum isa_type type);
struct ir_value *build1(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x);
struct ir_value *build2(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x,
                        struct ir_value *y);
struct ir_value *build3(struct builder *b, enum ir_op op, enum isa_type type, struct ir_value *x,
                        struct ir_value *y, struct ir_value *z);
struct ir_value *build_compare(struct builder *b, enum isa_cmp cmp, enum isa_type type, struct ir_value *x,
                               struct ir_value *y);
struct ir_value *build_select(struct builder *b, struct ir_value *condition, struct ir_value *yes,
                              struct ir_value *no);
struct ir_value *build_extend(struct builder *b, enum isa_type from, enum isa_type to, struct ir_value *x);
struct ir_value *build_not(struct builder *b, struct ir_value *predicate);
struct ir_value *build_u32(struct builder *b, uint32_t bits); // constants
struct ir_value *build_u64(struct builder *b, uint64_t bits);

// Cuts the block before `at`: what follows moves to a new block, placed next, which takes over the
// successors. The old block is left without END and edges.
struct ir_block *build_split(struct ir_inst *at);
// Ends a block that has no END.
struct ir_inst *build_jump(struct ir_block *from, struct ir_block *to, uint32_t lines);
struct ir_inst *build_branch(struct ir_block *from, struct ir_value *condition, struct ir_block *yes,
                             struct ir_block *no, uint32_t lines);
// A phi at the head of a block, one operand a predecessor.
struct ir_value *build_phi(struct ir_block *b, enum ir_class class, struct ir_value *const *values,
                           uint32_t lines);

// Cuts the block before `at` and makes the lanes of `cold` pass through a new block at the end of the
// function on their way to it. Gives the place inside that block; the block of `at` then has two
// predecessors, the cold one second.
struct builder build_cold(struct ir_inst *at, struct ir_value *cold);

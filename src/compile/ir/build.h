// Helpers to create instructions before a given place, for expansions and rewrites.
#pragma once
#include "compile/ir/ir.h"

struct builder {
    struct ir_function *f;
    struct ir_inst *before; // insertion point of new instructions
    uint32_t lines;
    struct ir_inst *made; // the last instruction created, for setting modifiers
};

struct builder builder_at(struct ir_inst *before); // with the lines of `before`

// Class of the first result of a pure operation.
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

// Splits the block before `at`: `at` and all later instructions move to a new block, next in the layout,
// together with the outgoing edges. The old block is left without END and successors. Returns the new block.
struct ir_block *build_split(struct ir_inst *at);
// Ends a block without END.
struct ir_inst *build_jump(struct ir_block *from, struct ir_block *to, uint32_t lines);
struct ir_inst *build_branch(struct ir_block *from, struct ir_value *condition, struct ir_block *yes,
                             struct ir_block *no, uint32_t lines);
// Creates a phi at the start of a block, with one operand per predecessor.
struct ir_value *build_phi(struct ir_block *b, enum ir_class class, struct ir_value *const *values,
                           uint32_t lines);

// Splits the block before `at` and routes lanes with `cold` true through a new block at the end of the
// function. Returns a builder inside the new block. The block of `at` then has two predecessors, the cold
// block second.
struct builder build_cold(struct ir_inst *at, struct ir_value *cold);

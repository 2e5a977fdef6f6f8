// Static single assignment form built while instructions are lowered (after Braun, Buchwald, Hack, Leißa,
// Mallon and Zwinkau, "Simple and Efficient Construction of Static Single Assignment Form", CC 2013).
//
// The graph of blocks is complete before the first read, and blocks are filled in reverse postorder; so what
// a block with one predecessor finds there is final, and only phis wait: they are made without operands where
// a block with several predecessors is asked for a value, and all get their operands in ssa_finish, from a
// worklist instead of by recursion, so that no input can exhaust the stack.
//
// A variable written in one block only (nearly all of a compiler's output) needs no phi below that block: its
// value is taken from there directly. That keeps the number of phis made and thrown away near the number
// kept.
#pragma once
#include "compile/ir.h"

#define SSA_NOWHERE UINT32_MAX       // a variable nobody writes
#define SSA_MANY    (UINT32_MAX - 1) // written in several blocks

struct ssa_phi {
    struct ir_inst *inst;
    uint32_t variable;
};

struct ssa {
    struct ir_function *f;
    struct ir_block **blocks; // by id
    uint32_t variable_count;
    uint8_t *classes;      // enum ir_class of each variable
    uint32_t *writers;     // id of the one block that writes it, SSA_NOWHERE, SSA_MANY
    struct u64map current; // block id and variable to 1 + index in `values`
    VEC(struct ir_value *) values;
    VEC(struct ssa_phi) phis;      // in the order they were made
    struct ir_value *undefined[4]; // by class, at the entry's start
};

// After the function's edges are complete and ir_analyse was run. Both arrays are the caller's, and stay
// alive.
void ssa_init(struct ssa *s, struct ir_function *f, uint32_t variable_count, uint8_t *classes,
              uint32_t *writers);
void ssa_fini(struct ssa *s);
// Notes, before any read, that block `id` writes `variable`; starts from SSA_NOWHERE.
static inline void ssa_note_writer(uint32_t *writers, uint32_t variable, uint32_t id)
{
    uint32_t *w = &writers[variable];
    if (*w != id) *w = *w == SSA_NOWHERE ? id : SSA_MANY;
}
void ssa_write(struct ssa *s, struct ir_block *b, uint32_t variable, struct ir_value *v);
// The variable's value at this point of the filling of `b`: a phi or UNDEF where it must.
struct ir_value *ssa_read(struct ssa *s, struct ir_block *b, uint32_t variable);
bool ssa_is_undefined(const struct ir_value *v);
// All blocks are filled: gives phis their operands and removes those that merge one value.
void ssa_finish(struct ssa *s);

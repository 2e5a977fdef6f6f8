// Rules of pass_simplify, by family. A rule returns a value equal to the instruction's result, or NULL if it
// does not apply. The value is an operand, a constant, or created before the instruction.
#pragma once
#include "compile/ir/build.h"
#include "compile/ir/known.h"
#include "compile/pass/fold.h"

struct simplify {
    struct ir_function *f;
    struct known known;
    bool late, broken;
    bool changed;
};

struct ir_value *simplify_integer(struct simplify *s, struct ir_inst *i); // arithmetic, bits, shifts
struct ir_value *simplify_words(struct simplify *s, struct ir_inst *i);   // pack, halves, extensions
// Division and remainder by constants.
struct ir_value *simplify_divide(struct simplify *s, struct ir_inst *i);
// Comparisons, selection, predicates.
struct ir_value *simplify_compare(struct simplify *s, struct ir_inst *i);
struct ir_value *simplify_float(struct simplify *s, struct ir_inst *i);
// Machine forms, after the other rules.
struct ir_value *simplify_late(struct simplify *s, struct ir_inst *i);
void simplify_address(struct simplify *s, struct ir_inst *i); // addresses of memory accesses, in place
bool simplify_is_address(const struct ir_value *v);           // read, but by accesses alone, as their address

// -- matching -----------------------------------------------------------------------------------------------

// Definition of v if its operation is `op`, else NULL.
static inline struct ir_inst *simplify_match(const struct ir_value *v, enum ir_op op)
{
    return v->def && v->def->op == op ? v->def : NULL;
}

// Definition of v if its operation is `op` and v has a single use, else NULL. A rewrite of the single user
// then costs no instruction.
static inline struct ir_inst *simplify_match_once(const struct ir_value *v, enum ir_op op)
{
    return v->use_count == 1 ? simplify_match(v, op) : NULL;
}

// Definition "v = x op constant", or NULL.
static inline struct ir_inst *simplify_match_constant(const struct ir_value *v, enum ir_op op,
                                                      uint64_t *constant)
{
    struct ir_inst *i = simplify_match(v, op);
    return i && ir_constant_bits(ir_operand(i, 1), constant) ? i : NULL;
}

// True if i is the step of a loop counter: x + c for a phi x that receives the result. Users of the step
// should not be rewritten to use x. Both values would be live at once, and the counter would need a copy in
// every iteration.
static inline bool simplify_is_step(const struct ir_inst *i)
{
    const struct ir_inst *phi = simplify_match(ir_operand(i, 0), IR_PHI);
    for (uint32_t k = 0; phi && k < phi->use_count; k++)
        if (ir_operand(phi, k) == i->defs[0]) return true;
    return false;
}

static inline bool simplify_is_wide(const struct ir_inst *i)
{
    return ir_class_of_type((enum isa_type)i->type) == IR_CLASS_64;
}
static inline unsigned simplify_width(const struct ir_inst *i) { return simplify_is_wide(i) ? 64 : 32; }
static inline enum isa_type simplify_unsigned(const struct ir_inst *i)
{
    return simplify_is_wide(i) ? TYPE_U64 : TYPE_U32;
}
static inline uint64_t simplify_mask(const struct ir_inst *i)
{
    return simplify_is_wide(i) ? ~0ull : UINT32_MAX;
}
// A constant of the operation's class.
static inline struct ir_value *simplify_constant(const struct ir_inst *i, uint64_t bits)
{
    return ir_constant(i->function, ir_class_of_type((enum isa_type)i->type), bits);
}

// The rules of pass_simplify by family. A rule gets an instruction and gives the value that its result equals
// (an operand, a constant, or a value made in front of it), or NULL when it has nothing to say.
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
struct ir_value *simplify_divide(struct simplify *s, struct ir_inst *i);  // by constants
struct ir_value *simplify_compare(struct simplify *s,
                                  struct ir_inst *i); // comparisons, selection, predicates
struct ir_value *simplify_float(struct simplify *s, struct ir_inst *i);
struct ir_value *simplify_late(struct simplify *s,
                               struct ir_inst *i); // forms of the machine, when nothing else follows
void simplify_address(struct simplify *s, struct ir_inst *i); // of memory accesses, in place

// -- matching -----------------------------------------------------------------------------------------------

// The instruction behind v when it is an `op`, else NULL.
static inline struct ir_inst *simplify_match(const struct ir_value *v, enum ir_op op)
{
    return v->def && v->def->op == op ? v->def : NULL;
}

// The same, when nothing else reads v: rewriting it costs no instruction.
static inline struct ir_inst *simplify_match_once(const struct ir_value *v, enum ir_op op)
{
    return v->use_count == 1 ? simplify_match(v, op) : NULL;
}

// "v = x op constant".
static inline struct ir_inst *simplify_match_constant(const struct ir_value *v, enum ir_op op,
                                                      uint64_t *constant)
{
    struct ir_inst *i = simplify_match(v, op);
    return i && ir_constant_bits(ir_operand(i, 1), constant) ? i : NULL;
}

// Whether i is the step of a loop counter: x + c for a phi x that takes it up. Who reads the step should not
// be made to read x instead: both would be live at once, and the counter would need a copy in every round.
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
static inline struct ir_value *simplify_constant(const struct ir_inst *i,
                                                 uint64_t bits) // of the operation's class
{
    return ir_constant(i->function, ir_class_of_type((enum isa_type)i->type), bits);
}

// From allocated machine code to the program's instructions.
#pragma once
#include "compile/mach/mach.h"

struct emitted_call { // CALL's target is an index in u->functions until all functions have their place
    uint32_t inst, function;
};

struct emitter {
    struct ir_unit *u;
    VEC(struct inst) insts;
    VEC(struct program_table) tables;
    VEC(struct program_function) functions;
    VEC(struct emitted_call) calls;
};

// Where the parts of a function's frame lie. A device function's is on the stack, above its stack pointer:
//
//     [outgoing arguments and results][.local variables][spill slots][saved registers]
//
// A kernel's variables and spill slots are at fixed local addresses from 0.
struct frame {
    uint32_t variables, spills, saved, bytes;
};
struct frame emit_frame(const struct mach_function *f);

// Appends the function's code: blocks in layout order, branches between neighbours removed.
void emit_function(struct emitter *e, struct mach_function *f);
// Fills reconvergence points of the instructions from `first` on: immediate post-dominators in the final
// code. A guarded EXIT is no branch here: its lanes end, the others go on together.
void emit_reconvergence(struct emitter *e, uint32_t first);

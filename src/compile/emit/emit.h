// From allocated machine code to the program's instructions.
#pragma once
#include "compile/mach/mach.h"
#include "isa/inst.h"
#include "isa/program.h"

struct emitted_call { // a CALL (instruction index) and its callee (index in u->functions), linked later
    uint32_t inst, function;
};

struct emitter {
    struct ir_unit *u;
    VEC(struct inst) insts;
    VEC(struct program_table) tables;
    VEC(struct program_function) functions;
    VEC(struct emitted_call) calls;
};

// Layout of a function's frame. The frame of a device function lies on the stack, above the stack pointer:
//
//     [outgoing arguments and results][.local variables][spill slots][saved registers]
//
// Variables and spill slots of a kernel have fixed local addresses from 0. Members: the byte offset of each
// area, and the size of the frame.
struct frame {
    uint32_t variables, spills, saved, bytes;
};
struct frame emit_frame(const struct mach_function *f);

// Appends the code of f: blocks in layout order, without branches to the next block.
void emit_function(struct emitter *e, struct mach_function *f);
// Fills the reconvergence points of the conditional branches (guarded BRA, BRX) from instruction `first` on:
// immediate post-dominators in the final code. A guarded EXIT does not count as a branch: its lanes end, the
// other lanes continue.
void emit_reconvergence(struct emitter *e, uint32_t first);

// Arguments of a RISC-V kernel as constants of its launch.
//
// A kernel's arguments are in memory, at the address that SR_CLOSURE has, where its host has put them. A driver that
// finalises the program for a launch knows them, and may read them for it:
//
//     S2R R15, SR_CLOSURE                        S2R R15, SR_CLOSURE
//     LD R17, [R15+0x10]               ─▶        MOV R17, c[0x0][0x170]      or, of a mask of the hart's number: MOV R17, 0x1f
//     S2R R28, SR_HART                           S2R R28, SR_HART
//     LOP3.AND R17, R28, R17                     LOP3.AND R17, R28, R17
//
// A load is replaced if its address is the closure's plus a constant, and on no way from the kernel's entry to it there is a
// store that may go to main memory, an atomic, a fence, a warp command or a call: nothing that this thread has stored, or that
// another has and this one may rely on, is what it reads. Stores of others that nothing orders against the load are races.
#pragma once
#include "isa/program.h"

struct riscv_closure_load {
    uint32_t inst, offset;
    bool is_mask; // the hart's number is masked by it
};

struct riscv_closure {
    struct arena arena;
    const struct program *program; // must outlive it
    struct riscv_closure_load *loads;
    uint32_t load_count;
    uint32_t bytes; // of the closure, that the loads read
};

struct riscv_closure *
riscv_closure_find(const struct program *p); // of the kernel that the program begins with
void riscv_closure_free(struct riscv_closure *c);
// Whether a launch whose closure is there may have the program with constants.
bool riscv_closure_fits(const struct riscv_closure *c, uint32_t address);
// That program: BANK_LAUNCH has the closure's bytes from BANK_LAUNCH_PARAMS on. Masks have their values where the closure is
// given, and are constants like the others where it is NULL. Shares with the other program, which must outlive it.
struct program *riscv_closure_program(const struct riscv_closure *c, const uint8_t *closure);
// Whether both closures make the same program.
bool riscv_closure_same(const struct riscv_closure *c, const uint8_t *a, const uint8_t *b);

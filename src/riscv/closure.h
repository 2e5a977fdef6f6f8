// Arguments of a RISC-V kernel as launch constants.
//
// The host puts a kernel's arguments in memory at address SR_CLOSURE. A driver finalising the program for a
// launch knows the arguments and may replace loads by their values:
//
//     S2R R15, SR_CLOSURE                        S2R R15, SR_CLOSURE
//     LD R17, [R15+0x10]               ─▶        MOV R17, c[0x0][0x170]      (hart mask: MOV R17, 0x1f)
//     S2R R28, SR_HART                           S2R R28, SR_HART
//     LOP3.AND R17, R28, R17                     LOP3.AND R17, R28, R17
//
// A load is replaced only under two conditions. Its address is the closure plus a constant; and no path from
// the kernel's entry to the load has a store to main memory, an atomic, a fence, a warp command or a call (a
// store counts unless its address is known to lie elsewhere). The load then reads no value of its own thread,
// and no ordered value of another thread. Unordered stores by other threads are races.
#pragma once
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct program;

struct riscv_closure_load {
    uint32_t inst, offset;
    bool is_mask; // the value masks the hart number
};

struct riscv_closure {
    struct arena arena;
    const struct program *program; // must outlive the closure
    struct riscv_closure_load *loads;
    uint32_t load_count;
    uint32_t bytes; // closure bytes covered by the loads
};

// Finds the loads that constants may replace, in the kernel at the program's entry. Returns heap memory,
// never NULL.
struct riscv_closure *riscv_closure_find(const struct program *p);
void riscv_closure_free(struct riscv_closure *c);
// Whether a launch may run riscv_closure_program, in which constants replace loads of the kernel's arguments.
// False: no load to replace, or `address` (of the arguments, the closure) is unaligned or outside data
// memory.
bool riscv_closure_fits(const struct riscv_closure *c, uint32_t address);
// The program with constants: BANK_LAUNCH holds the closure's bytes from BANK_LAUNCH_PARAMS on. `closure`
// given: masks of the form 2^n - 1 become immediates; NULL: all masks are constants of the bank. Shares data
// with c->program, which must outlive it.
struct program *riscv_closure_program(const struct riscv_closure *c, const uint8_t *closure);
// Whether two closures give the same program.
bool riscv_closure_same(const struct riscv_closure *c, const uint8_t *a, const uint8_t *b);

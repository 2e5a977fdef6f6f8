// The host beside the GPU: one RISC-V hart (RV32IM and Zfinx, without atomics) that executes a program's host part and starts
// its kernels. Functional, an instruction at a time; what it talks to is given by whoever owns it.
//
// The hart begins at the image's entry, with stack pointer and return address as left by a boot loader. The end is a jump to the
// return address (RISCV_RETURN), a jump to 0x08000000 where the image has no code, a write to control register 0x801, or an
// error. Caches are not modelled: a store is in memory at once.
#pragma once
#include "isa/image.h"

struct hart_devices {
    void *context;
    void (*put)(void *context, uint8_t byte); // the console
    int (*get)(void *context);                // its next byte; -1: there is none, and none will come
    // Runs a kernel to its end: its exit code (HART_KERNEL_*), or -1, the hart ends as well.
    int (*start)(void *context, uint32_t pc, uint32_t closure, uint32_t warps_per_block);
    uint32_t (*statistic)(void *context, uint32_t id); // of the machine, docs/riscv.md has the numbers
    bool (*is_interrupted)(void *context);             // asked now and then
};

enum { HART_KERNEL_GOOD, HART_KERNEL_FAILED, HART_KERNEL_EXCEPTION };

enum hart_end {
    HART_DONE,    // it returned, or ended the simulation
    HART_WRONG,   // `wrong` says what
    HART_STOPPED, // a kernel could not be run
    HART_INTERRUPTED,
    HART_LIMIT // of instructions
};

struct hart {
    uint32_t x[33]; // x0 to x31; [32] takes what is written to x0
    uint32_t pc;
    uint64_t instructions;
    struct strbuf wrong; // "0x08000410 (main+0x10): lw a0, 2(a1): …"
    struct hart_state *state;
};

// `memory` is the host's byte of address 0, of 4 GiB; the image's data are put there. Image and devices outlive the hart.
void hart_init(struct hart *h, const struct image *i, uint8_t *memory, const struct hart_devices *devices);
void hart_fini(struct hart *h);
enum hart_end hart_run(struct hart *h, uint64_t limit); // of instructions; 0: none
// "the host's program at 0x08000410 (main+0x10), vecadd.c:12, lw a0, 2(a1)": the next instruction.
void hart_where(const struct hart *h, struct strbuf *out);

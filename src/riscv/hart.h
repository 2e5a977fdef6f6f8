// The host beside the GPU: one RISC-V hart (RV32IM and Zfinx, without atomics). It executes the host part
// of a program and starts its kernels. Functional, one instruction at a time; the owner supplies the
// devices.
//
// The hart begins at the image's entry, with stack pointer and return address set as by a boot loader. The
// program ends itself by a jump to RISCV_RETURN, by a jump to 0x08000000 without code in the image, or by
// writing control register 0x801. The hart also stops at an error, a kernel that failed to run, an
// interruption, or the instruction limit. Caches are not modelled: stores reach memory at once.
#pragma once
#include "isa/image.h"

struct hart_devices {
    void *context;
    void (*put)(void *context, uint8_t byte); // the console
    int (*get)(void *context);                // next byte of input; -1: end of input
    // Runs a kernel to its end. Returns the exit code (HART_KERNEL_*); -1: the hart must end as well.
    int (*start)(void *context, uint32_t pc, uint32_t closure, uint32_t warps_per_block);
    uint32_t (*statistic)(void *context,
                          uint32_t id);    // statistic of the machine; numbers in docs/explanation/riscv.md
    bool (*is_interrupted)(void *context); // polled at intervals
};

enum { HART_KERNEL_GOOD, HART_KERNEL_FAILED, HART_KERNEL_EXCEPTION };

enum hart_end {
    HART_DONE,    // returned, or ended the simulation
    HART_WRONG,   // error; `wrong` has the text
    HART_STOPPED, // a kernel failed to run
    HART_INTERRUPTED,
    HART_LIMIT // instruction limit reached
};

struct hart {
    uint32_t x[33]; // x0 to x31; [32]: sink for writes to x0
    uint32_t pc;
    uint64_t instructions;
    struct strbuf wrong; // "the host's program at 0x08000410 (main+0x10), lw a0, 2(a1): …"
    struct hart_state *state;
};

// `memory`: host pointer to address 0 of a 4 GiB space; the image's data is copied in. Image, memory and the
// devices' context must outlive the hart; the struct `devices` is copied.
void hart_init(struct hart *h, const struct image *i, uint8_t *memory, const struct hart_devices *devices);
void hart_fini(struct hart *h);
enum hart_end hart_run(struct hart *h, uint64_t limit); // limit: instructions; 0: no limit
// Writes the place of the pc: "the host's program at 0x08000410 (main+0x10), vecadd.c:12, lw a0, 2(a1)".
void hart_where(const struct hart *h, struct strbuf *out);

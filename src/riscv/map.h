// Memory map of the 4 GiB seen by a RISC-V program and its host (docs/explanation/riscv.md): the layout public programs
// for the SIMTight machine are linked for (CTSRD-CHERI/SIMTight, inc/MemoryMap.h at 6248c9b).
//
//   0x0000_0000                       unmapped: null pointers fault
//   0x07ff_fffc  RISCV_RETURN         return address of the host part, outside all code
//   0x0800_0000  RISCV_CODE           instructions, 32 KiB: fetched, neither read nor written
//   0x0800_8000  RISCV_DATA           data, free memory, and the host's stack down from RISCV_SPILL
//   0xbff7_0000  RISCV_SPILL          registers spilled by the hardware; not for programs
//   0xbfff_0000  RISCV_SCRATCH        scratchpad, 64 KiB
//   0xc000_0000  RISCV_STACKS         stacks of all threads: word n of every thread, then word n + 1
//   0xfff8_0000  RISCV_STACK_WINDOW   window of a thread on its own 512 KiB of stack
#pragma once

#define RISCV_RETURN       0x07fffffcu
#define RISCV_CODE         0x08000000u
#define RISCV_CODE_BYTES   0x8000u
#define RISCV_DATA         0x08008000u
#define RISCV_SPILL        0xbff70000u
#define RISCV_SCRATCH      0xbfff0000u
#define RISCV_STACKS       0xc0000000u
#define RISCV_STACK_WINDOW 0xfff80000u
#define RISCV_MEMORY_END   0x100000000ull
#define RISCV_STACK_BYTES  0x80000u // of a thread

enum {
    RISCV_LANES = 32,
    RISCV_WARPS = 64,
    RISCV_REGISTERS = 32,
    RISCV_NEST_LEVELS = 32 // 0 to 31
};

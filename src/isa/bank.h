// Constant banks, the layout of the launch bank, and the windows of the generic address space.
#pragma once

enum isa_bank {
    BANK_LAUNCH = 0,  // values at LAUNCH_* (dimensions …), the kernel's parameters at BANK_LAUNCH_PARAMS
    BANK_LITERAL = 2, // doubles of the compiler (program->literals)
    BANK_USER = 3,    // the module's .const variables
    // 64-bit addresses of the module's variables and functions, one per entry of program->symbols.
    BANK_ADDRESS = 4,
    BANK_COUNT = 5
};

// Shared memory of a cluster: address = (rank + 1) << ISA_RANK_SHIFT | offset in the block of that rank; the field 0 is the
// own block. 16 blocks and the own fit into the window of shared memory.
//
//     23    19 18                    0
//     ┌───────┬──────────────────────┐
//     │rank+1 │ offset in the block  │
//     └───────┴──────────────────────┘
enum { ISA_RANK_SHIFT = 19, ISA_CLUSTER_MAX = 16 };

// Windows of a block's shared and a thread's local memory in the generic address space, 16 MiB each: generic
// address = window + offset. All other generic addresses are global.
#define ISA_SHARED_WINDOW 0xfe000000u
#define ISA_LOCAL_WINDOW  0xff000000u

// The address of a surface access outside its surface: no allocation has it.
#define ISA_OUTSIDE_SURFACE (1ull << 62)

enum { // byte offsets in BANK_LAUNCH
    LAUNCH_NTID = 0x00,
    LAUNCH_NCTAID = 0x0c,
    LAUNCH_DYNAMIC_SHARED = 0x18, // bytes
    LAUNCH_CLUSTER_SIZE = 0x1c,   // blocks of a cluster
    LAUNCH_CLUSTERED = 0x20,      // 1: launched in clusters
    LAUNCH_STACK_TOP = 0x28,      // initial stack pointer: local address just past the stack
    LAUNCH_ENVREGS =
        0x30, // %envreg0 to %envreg31; 1 and 2: address of the grid's workspace, high and low word
    LAUNCH_NCLUSTER = 0xb0, // clusters of the grid: x, y, z
    LAUNCH_CLUSTER = 0xbc,  // blocks of a cluster: x, y, z
    BANK_LAUNCH_PARAMS = 0x160
};

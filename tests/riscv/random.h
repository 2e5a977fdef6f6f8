// Random programs for SIMTight, made from a seed: a host part launching a kernel twice, and a kernel of all
// operations independent of the order of threads.
//
//   memory     a table for reading only; words, halves and bytes private to a thread, some in a row with the
//              warp's other lanes and some not; the thread's stack; its own words of the scratchpad, and the
//              neighbour's between barriers; sums, minima and so on over a group, or over the whole grid,
//              with the old values ignored
//   control    branches and loops by lanes between push and pop, nested, with and without an else part;
//              divergence between push and pop without a further push; loops by the warp; calls, also through
//              registers
//   registers  all registers (16 with rv32e), most of them vectors, so that a small register file spills
#pragma once
#include "riscv/maker.h"

struct random_program {
    struct maker code;
    bool is_rv32e;
    unsigned group; // warps of a barrier group
    // Groups use each other's parts of the scratchpad: the program needs check.bounds=ignore.
    bool crosses_parts;
};

void random_program_make(uint64_t seed, struct random_program *p);
void random_program_fini(struct random_program *p);

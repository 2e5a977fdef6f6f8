// Random programs for SIMTight, made of a seed: a host part that launches a kernel twice, and a kernel of everything that
// does not depend on the order of threads.
//
//   memory     a table that is only read; words, halves and bytes of each thread's own, some beside those of the warp's
//              other lanes and some not; its stack; its own words of the scratchpad, and the neighbour's between barriers;
//              sums, minima and so on over a group, or over the whole grid, with earlier values ignored
//   control    branches and loops by lanes between push and pop, nested, with and without an else part; ways through
//              code between push and pop that part without a push; loops by the warp; calls, also through registers
//   registers  as many as there are (16 with rv32e), most of them vectors, so that a small register file spills
#pragma once
#include "riscv/maker.h"

struct random_program {
    struct maker code;
    bool is_rv32e;
    unsigned group; // warps that wait for each other
    bool
        crosses_parts; // groups use each other's parts of the scratchpad: runs with check.bounds=ignore alone
};

void random_program_make(uint64_t seed, struct random_program *p);
void random_program_fini(struct random_program *p);

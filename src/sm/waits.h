// Encoded waits: a control word in every instruction, as written by compilers for real GPUs in place of a
// hardware scoreboard.
//
//     stall 0..15   cycles until the warp's next instruction may issue; 0: together, as a pair
//     barrier 0..6  one of the six counters of a warp, held until a result of memory, or a
//                   result later than STALL_MAX, arrives; 0: none
//     wait          bits: barriers that must be zero before the instruction issues
//
// Stalls alone cover results of fixed latency, so the last instruction of a basic block stalls until all of
// them are ready. Other results are tracked over the control-flow graph, as a set of registers for every
// barrier. Control words are assigned once the GPU is known, in the instruction order of the compiler's
// scheduling pass.
//
// Left out: barriers against overwriting a register before a read. Operands are collected a fixed time
// after issue, before any later instruction can write.
#pragma once
#include "sm/decode.h"

struct program;

enum { WAIT_BARRIERS = 6, STALL_MAX = 15 };

void waits_assign(struct decoded *d, const struct program *p, const struct gpu_config *c);

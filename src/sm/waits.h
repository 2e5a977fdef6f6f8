// Encoded waits: the control word of every instruction, as compilers for real GPUs write it instead of a
// scoreboard in hardware.
//
//     stall 0..15   the warp's next instruction may issue so many cycles later; 0: with this one, as a pair
//     barrier 0..6  a result whose time is not known here counts on this one of the warp's six barriers; 0:
//     none wait          bits: barriers that must have counted down to nothing before this instruction issues
//
// Results of fixed latency are waited for by stalls alone, so a block's last instruction stalls until all of
// them are there. The others are followed over the control-flow graph by sets of registers, a set a barrier.
// They are assigned when the GPU is known, on the order the scheduling pass of the compiler made.
//
// Left out: barriers against writing what is still to be read. Here operands are collected a fixed time after
// issue, before any later instruction can write.
#pragma once
#include "sm/decode.h"

enum { WAIT_BARRIERS = 6, STALL_MAX = 15 };

void waits_assign(struct decoded *d, const struct program *p, const struct gpu_config *c);

// Programs of the machine made of RISC-V code.
#pragma once
#include "isa/image.h"

// Translates the image's code into a program beginning at `entry`, the address of an instruction (else an
// error at i->source, and NULL). Every word becomes one instruction, so every code address has one;
// undecodable words become UNDEF.
struct program *riscv_program(const struct image *i, uint64_t entry, struct diag *d);

// Marks words reachable from `entry`: the next instruction, known branch targets, and the return points of
// calls. `reached`: one flag per word, only ever set.
void riscv_reach(const struct image *i, uint64_t entry, bool *reached);

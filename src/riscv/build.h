// Programs of the machine made of RISC-V code.
#pragma once
#include "isa/image.h"

// The image's code as a program that begins at `entry`, an address of an instruction (anything else is an error at the image's
// source). Every word is one instruction, so that every address of code has one; words that are none are UNDEF.
struct program *riscv_program(const struct image *i, uint64_t entry, struct diag *d);

// Which words control may come to from the entries given: the next instruction, targets that are known, and what follows a
// call. `reached` has one flag a word, and is added to.
void riscv_reach(const struct image *i, uint64_t entry, bool *reached);

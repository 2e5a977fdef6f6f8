// Whether control goes where the marks' analysis sees it go: by the edges of flow/blocks.h, and by calls into functions at
// their first instruction. What is compiled from PTX is so; code of RISC-V need not be.
#pragma once
#include "isa/program.h"

// Of all that control comes to from the program's entry. A function is taken to return to where it was called from, by the
// register that calls write.
bool mark_control_is_known(const struct program *p);

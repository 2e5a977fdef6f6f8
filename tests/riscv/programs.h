// The bundled RISC-V programs, as listed in kernels/riscv/programs.txt.
#pragma once
#include "harness/test.h"

// Calls `visit` with the name of every program's ELF, below kernels/riscv/elf. Returns the number of programs.
unsigned programs_each(struct test *t, void (*visit)(struct test *t, const char *elf, void *context),
                       void *context);

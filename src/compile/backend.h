// From legal IR to a program: the second half of the compiler.
//
//   ir_function ─ select ─▶ mach_function ─ schedule ─▶ mach_function ─ allocate ─▶ registers ─ emit ─▶ program
//
// Legal IR is verified IR without DIV, REM, SQRT and RCP (sequences took their place), and whose 64-bit
// operations are among ADD SUB NEG MUL MAD MULWIDE MADWIDE AND OR XOR NOT SHL SHR SETP SELECT CVT ZEXT SEXT,
// moves, memory and atomics: MULHI, BFE, BFI and SATI work on 32 bits here, SZEXT and BMSK always did. There
// is nothing in legal IR that the back end refuses.
#pragma once
#include "compile/ir/ir.h"

// Compiles every function of the unit into u->program (instructions, functions, literals, tables, line sets,
// counts; FUNCTION symbols get their instruction index) and checks the result with program_check. NULL when
// done, else a text in the unit's arena: an internal fault, found by the checks that options->check adds or
// by program_check.
const char *backend_compile(struct ir_unit *u);

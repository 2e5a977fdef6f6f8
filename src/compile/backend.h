// From legal IR to a program: the second half of the compiler.
//
// ir_function ─ select ─▶ mach_function ─ schedule ─▶ mach_function ─ allocate ─▶ registers ─ emit ─▶ program
//
// Legal IR is verified IR without DIV, REM, SQRT and RCP (expanded into sequences). Its 64-bit integer
// operations are limited to ADD SUB NEG MUL MAD MULWIDE MADWIDE AND OR XOR NOT SHL SHR SETP SELECT CVT ZEXT
// SEXT, moves, memory and atomics. MULHI, BFE, BFI and SATI are 32-bit only, as are SZEXT and BMSK in any IR.
// The back end refuses no legal IR.
#pragma once
#include "compile/ir/ir.h"

// Compiles every function of the unit into u->program: instructions, functions, literals, tables, line sets,
// counts. FUNCTION symbols receive their instruction index. program_check verifies the result. Returns NULL,
// or the text (in the unit's arena) of an internal fault: found by register allocation, by program_check, or
// by the checks under options->check.
const char *backend_compile(struct ir_unit *u);

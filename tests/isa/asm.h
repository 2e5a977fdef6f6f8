// An assembler for tests: reads the output of program_print, with labels and a few directives.
//
//     .params 16              // bytes of parameters        .shared 1024   .local 64   .stack 256
//     .spills 16              // of .local, the last bytes
//     .literal 0x0 0x3ff00000 // words of BANK_LITERAL, appended
//     .table 2 even odd       // the next jump table's number, its targets
//     .function helper        // a device function begins; its address is the next symbol
//         S2R R0, SR_TID.X
//         ISETP.GE.U32.AND P0, PT, R0, 0x10, PT
//     @P0 BRA out, join out   // "join": the reconvergence point
//     out:
//         EXIT
//
// Register and predicate counts follow from the instructions. Every instruction passes isa_check.
#pragma once
#include "harness/test.h"
#include "isa/program.h"

// NULL and a failed test case, with the line at fault, when the text is no program.
struct program *asm_program(struct test *t, const char *text);

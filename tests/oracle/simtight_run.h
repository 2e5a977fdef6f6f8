// The oracle for RISC-V from a command line:
//
//     test_simtight run APP.elf [--input HEX|@FILE] [--launches] [--lower-first]
//
// prints the program's console (lines with "> " before them), then what was counted, a line `name value` each; with
// --launches what each launch counted, `launch.N.name value`, before. Exit status 1: the program went wrong.
#pragma once
#include <stdio.h>

int oracle_rv_run_main(int argc, char **argv, FILE *out);

// The oracle for RISC-V from a command line:
//
//     test_simtight run APP.elf [--input HEX|@FILE] [--launches] [--lower-first]
//
// Prints the program's console (lines behind "> "), then the counts, a line `name value` each. --launches:
// prints the counts of each launch first, `launch.N.name value`. Exit status 1: the program failed.
#pragma once
#include <stdio.h>

int oracle_rv_run_main(int argc, char **argv, FILE *out);

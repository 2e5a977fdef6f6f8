// Profiles of machine code: the instructions that the compiler selects, and their size in memory.
#pragma once

enum program_profile { PROFILE_SASS, PROFILE_PTXPLUS, PROFILE_PASCAL, PROFILE_RISCV };

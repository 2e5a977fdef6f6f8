// Profiles of machine code: which instructions a program consists of, and their size in memory.
#pragma once

enum program_profile { PROFILE_SASS, PROFILE_PTXPLUS, PROFILE_PASCAL, PROFILE_RISCV };

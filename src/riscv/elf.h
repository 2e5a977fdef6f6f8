// ELF files of RISC-V: loads a statically linked 32-bit program for the memory of map.h as an image.
//
// Every part of the file is checked before use. Unsupported input is refused with its place in the file:
// other file types or machines; parts cut off, overlapping or outside the memory; compressed instructions;
// reachable words undefined in rv.def. Unreachable words are data.
#pragma once
#include "isa/image.h"

// NULL: errors were reported at `source`. The bytes are copied.
struct image *elf_load(const void *bytes, size_t length, uint32_t source, struct diag *d);

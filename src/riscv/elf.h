// ELF files of RISC-V: a statically linked program of 32 bits for the memory of map.h, as an image.
//
// Everything in the file is checked before it is used. What cannot run is refused here, with the place in the file: another
// kind of file or machine, parts that are cut off or overlap or lie outside the memory, compressed instructions, words in the
// way of execution that are no instructions of rv.def. Words that control cannot come to are data.
#pragma once
#include "isa/image.h"

// NULL and errors at `source`. The bytes are copied.
struct image *elf_load(const void *bytes, size_t length, uint32_t source, struct diag *d);

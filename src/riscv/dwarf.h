// Source lines of RISC-V code: the line number programs of an ELF file's .debug_line, as clang and gcc write them (DWARF 2 to 5,
// section 6.2), of 32 or 64 bits.
//
// They say nothing that a run depends on, so what is wrong with them is no error: a unit that breaks off, or says what nobody
// here knows, counts as far as it was understood. Which function was inlined where is in another section, which is not read.
#pragma once
#include "isa/image.h"

struct dwarf_bytes {
    const uint8_t *bytes;
    size_t length; // 0: there are none
};

struct dwarf {
    struct dwarf_bytes lines;        // .debug_line
    struct dwarf_bytes strings;      // .debug_str
    struct dwarf_bytes line_strings; // .debug_line_str
};

// Sets the image's files, lines and line_of. What the sections hold is copied.
void dwarf_read(struct image *i, const struct dwarf *d);

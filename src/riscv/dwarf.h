// Source lines of RISC-V code, from the line number programs in .debug_line as written by clang and gcc
// (DWARF 2 to 5, section 6.2; 32 and 64 bits).
//
// No run depends on line numbers, so errors are ignored: a unit that is cut off or has an unreadable header
// is skipped. A damaged line number program counts up to the damage. Inlining information is in another
// section and not read.
#pragma once
#include "isa/image.h"

struct dwarf_bytes {
    const uint8_t *bytes;
    size_t length; // 0: absent
};

struct dwarf {
    struct dwarf_bytes lines;        // .debug_line
    struct dwarf_bytes strings;      // .debug_str
    struct dwarf_bytes line_strings; // .debug_line_str
};

// Sets the image's files, lines and line_of. Section contents are copied.
void dwarf_read(struct image *i, const struct dwarf *d);

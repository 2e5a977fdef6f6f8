// What a front end makes of a file of compiled code: bytes with addresses, names, and programs to be made of it on demand.
// Whoever loads and launches it need not know which front end it was.
#pragma once
#include "base/diag.h"
#include "isa/program.h"

enum image_arguments {
    IMAGE_ARGUMENTS_BANK,   // a kernel's parameters are constants of its launch (BANK_LAUNCH_PARAMS)
    IMAGE_ARGUMENTS_CLOSURE // they are in memory, at the address that SR_CLOSURE has
};

struct image_segment {
    uint64_t address, size_bytes;
    const uint8_t *bytes; // the first `given_bytes`; the others are zero
    uint64_t given_bytes;
};

struct image_symbol {
    const char *name;
    uint64_t address, size_bytes; // size 0: unknown
    bool is_code;
};

struct image_line { // a place in the user's source
    uint32_t file;  // index into image->files
    uint32_t line, column;
};

struct image {
    struct arena arena;
    uint32_t source; // of its diagnostics
    enum image_arguments arguments;
    uint64_t entry;             // where the host's part begins
    struct image_segment *data; // in order of address, disjoint
    uint32_t data_count;
    struct image_symbol *symbols; // in order of address
    uint32_t symbol_count;
    uint64_t code;         // address of the first instruction
    const uint32_t *words; // instructions as they are in the file
    uint32_t word_count;
    const char **files;
    uint32_t file_count;
    struct image_line *lines; // [0] is the unknown place
    uint32_t line_count;      // 0: nothing is known
    uint32_t *line_of;        // of each word, index into lines
};

// The last symbol of code, or of data, at or before the address; NULL.
const struct image_symbol *image_symbol_at(const struct image *i, uint64_t address, bool is_code);
const struct image_symbol *image_find(const struct image *i, const char *name); // NULL
// "vecadd.c:12", the source line of the code at an address; nothing where the line is unknown.
void image_print_line(const struct image *i, uint64_t address, struct strbuf *out);
void image_free(struct image *i);

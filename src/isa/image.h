// A front end's view of a file of compiled code: bytes with addresses, names and source lines. Kernels become
// programs on demand. Loading and launching an image needs no knowledge of its front end.
#pragma once
#include "base/diag.h"

enum image_arguments {
    IMAGE_ARGUMENTS_BANK,   // a kernel's parameters are constants of its launch (BANK_LAUNCH_PARAMS)
    IMAGE_ARGUMENTS_CLOSURE // kernel parameters are in memory, at address SR_CLOSURE
};

struct image_segment {
    uint64_t address, size_bytes;
    const uint8_t *bytes; // contents of the segment's first `given_bytes`; the remaining bytes are zero
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
    uint32_t source; // source number for diagnostics
    enum image_arguments arguments;
    uint64_t entry;             // start of the host part
    struct image_segment *data; // in order of address, disjoint
    uint32_t data_count;
    struct image_symbol *symbols; // in order of address
    uint32_t symbol_count;
    uint64_t code;         // address of the first instruction
    const uint32_t *words; // instruction words as in the file
    uint32_t word_count;
    const char **files;
    uint32_t file_count;
    struct image_line *lines; // [0]: unknown line
    uint32_t line_count;      // 0: no line information
    uint32_t *line_of;        // by word: index into lines
};

// Last code symbol (is_code) or data symbol at or before the address; NULL: no such symbol.
const struct image_symbol *image_symbol_at(const struct image *i, uint64_t address, bool is_code);
const struct image_symbol *image_find(const struct image *i, const char *name); // NULL
// Writes "vecadd.c:12", the source line of the code at an address; writes nothing for an unknown line.
void image_print_line(const struct image *i, uint64_t address, struct strbuf *out);
void image_free(struct image *i);

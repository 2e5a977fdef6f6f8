// SPEC: the user's description of an argument, a symbol or a script's buffer.
//
//   TYPE=VALUE                          u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64
//   buf=TYPE:COUNT:INIT                 device memory
//   bytes=HEX | bytes=@PATH             a structure by value
//   struct=TYPE:VALUE,TYPE:VALUE…       a structure by its fields, each aligned to its size, as in C; a field
//                                       ptr:NAME is the address of a script's buffer
//   tensormap=NAME:TYPE:SIZES:BOX[:swizzle32|64|128][:nan]   a tensor map of a script's buffer, dense; SIZES and BOX are
//                                       numbers with x between, the innermost dimension first
//   tex=TYPE:W[xH[xD]]:INIT             a texture over newly allocated device memory
//   INIT: none | zero | iota | const:V | rand:SEED | file:PATH
//
// Elements are generated on demand (spec_fill): only bytes= and file: need memory of the size described.
#pragma once
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spec_kind { SPEC_SCALAR, SPEC_BYTES, SPEC_BUFFER, SPEC_TEXTURE };

enum spec_type {
    SPEC_U8,
    SPEC_S8,
    SPEC_U16,
    SPEC_S16,
    SPEC_U32,
    SPEC_S32,
    SPEC_U64,
    SPEC_S64,
    SPEC_F32,
    SPEC_F64,
    SPEC_F16,
    SPEC_BF16,
    SPEC_TYPE_COUNT
};

enum spec_init { SPEC_NONE, SPEC_ZERO, SPEC_IOTA, SPEC_CONST, SPEC_RAND, SPEC_FILE };

struct spec_pointer { // a field ptr:NAME of a structure
    size_t offset;    // in the bytes of the structure
    char *name;       // of a buffer or variable, heap
};

struct spec {
    enum spec_kind kind;
    enum spec_type type; // unused for BYTES
    uint8_t value[8];    // SCALAR; the V of const:V
    uint64_t count;      // elements of BUFFER and TEXTURE
    uint32_t extent[3];  // TEXTURE; 0 for absent dimensions
    enum spec_init init;
    uint64_t seed;
    char *bytes; // BYTES and file:, heap
    size_t length;
    char *path;                    // the file read, heap; NULL: no file
    struct spec_pointer *pointers; // of struct=, heap; the caller fills in the addresses
    size_t pointer_count;
};

// Parses SPEC and reads its files, relative to `folder` (NULL: the working directory). On failure adds an
// error at `loc` that starts with `what` ("--arg 2"); the spec then needs no spec_fini.
bool spec_parse(struct spec *s, const char *text, const char *folder, const char *what, struct loc loc,
                struct diag *d);
void spec_fini(struct spec *s);

uint64_t spec_size_bytes(const struct spec *s);
// Writes elements [first, first + count) of a buffer or texture to `out`, little-endian.
void spec_fill(const struct spec *s, uint64_t first, uint64_t count, void *out);

unsigned spec_type_bytes(enum spec_type type);
const char *spec_type_name(enum spec_type type);
bool spec_type_is_float(enum spec_type type);
// Appends one element as text; floats with enough digits to restore the value.
void spec_print_element(enum spec_type type, const void *element, struct strbuf *out);

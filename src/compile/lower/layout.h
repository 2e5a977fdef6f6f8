// Layout of a kernel's variables, and its description in the program.
//
// Shared memory: the reachable variables of the module in textual order, then those of the reachable
// functions, aligned as declared, from 0. All extern arrays share one start behind the static variables, at
// the strictest of their alignments (at least 16): the start of a launch's dynamic shared memory.
//
//     0        static variables       shared_bytes   dynamic_base = shared_bytes rounded up to dynamic_align
//     [ a | b | pad | c             ] [ pad ]        [ extern x[], extern y[] …
#pragma once
#include "compile/ir/ir.h"
#include "compile/lower/reach.h"

struct program;

enum { LAYOUT_DYNAMIC_ALIGN = 16 };

struct layout {
    struct u64map offsets; // struct ptx_variable * (.shared, .const) -> offset
    uint32_t shared_bytes, dynamic_base, dynamic_align;
    uint32_t const_bytes;
    const struct ptx_variable *first_const; // variable at offset 0 of the bank, or NULL
};

// False and an error: over 16 MiB of shared variables, or over 2 GiB of .const variables.
bool layout_make(struct layout *l, const struct ptx_module *m, const struct ptx_function *kernel,
                 const struct reach *r, struct diag *d);
void layout_fini(struct layout *l);
// Offset of a .shared or .const variable.
uint32_t layout_offset(const struct layout *l, const struct ptx_variable *v);
// Fills in parameters, shared memory and limits of the program.
void layout_describe(const struct layout *l, struct program *p, const struct ptx_function *kernel);

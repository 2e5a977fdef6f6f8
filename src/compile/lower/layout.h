// Where a kernel's variables lie, and what the program says about them.
//
// Shared memory: the reached variables of the module in order of the text, then those of the reached
// functions, each aligned as declared, from 0. All extern arrays begin together behind them, at the strictest
// of their alignments (at least 16): that is where a launch puts its dynamic shared memory.
//
//     0        static variables       shared_bytes   dynamic_base = shared_bytes rounded up to dynamic_align
//     [ a | b | pad | c             ] [ pad ]        [ extern x[], extern y[] …
#pragma once
#include "compile/ir/ir.h"
#include "compile/lower/reach.h"

enum { LAYOUT_DYNAMIC_ALIGN = 16 };

struct layout {
    struct u64map offsets; // struct ptx_variable * of .shared and .const to its offset
    uint32_t shared_bytes, dynamic_base, dynamic_align;
    uint32_t const_bytes;
    const struct ptx_variable *first_const; // lies at offset 0 of the bank, NULL: there is none
};

// False and an error when the variables do not fit.
bool layout_make(struct layout *l, const struct ptx_module *m, const struct ptx_function *kernel,
                 const struct reach *r, struct diag *d);
void layout_fini(struct layout *l);
uint32_t layout_offset(const struct layout *l,
                       const struct ptx_variable *v); // of .shared and .const variables
// Fills in the program's parameters, shared memory and limits.
void layout_describe(const struct layout *l, struct program *p, const struct ptx_function *kernel);

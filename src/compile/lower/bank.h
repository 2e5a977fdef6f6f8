// The bank of .const variables.
#pragma once
// clang-format off
#include "ptx/ptx.h"

// Offset of a .const variable in BANK_USER: first the .const variables of the module in textual order, then
// those inside functions, aligned as declared. The loader uses the same function to fill the bank and its
// copy in global memory, the target of generic addresses (cvta.const; SYMBOL_CONST). An extern variable
// without a size has no place in the bank; the result is 0.
uint32_t compile_const_layout(const struct ptx_module *m, const struct ptx_variable *v);
uint32_t compile_const_bytes(const struct ptx_module *m); // size of the whole bank

// The bank of .const variables.
#pragma once
// clang-format off
#include "ptx/ptx.h"

// Where a .const variable lies in BANK_USER: all .const variables of the module in order of the text, those inside
// functions after them, each aligned as declared. The loader fills the bank, and its copy in global memory that
// generic addresses see (cvta.const; SYMBOL_CONST), by the same function. Extern variables without a size have none.
uint32_t compile_const_layout(const struct ptx_module *m, const struct ptx_variable *v);
uint32_t compile_const_bytes(const struct ptx_module *m); // of the whole bank

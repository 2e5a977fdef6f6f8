// Global addresses in 32 bits (profile ptxplus).
#pragma once
#include "compile/ir/ir.h"

// Gives every access to global or generic memory the low word of its address, and computes that word alone.
// Only where every address fits in 32 bits (compile_options.address_bits). True when something changed; what
// nobody reads any more is for pass_dead.
bool narrow_addresses(struct ir_function *f);

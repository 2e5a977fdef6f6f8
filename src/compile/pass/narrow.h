// Global addresses in 32 bits (profile ptxplus).
#pragma once
#include "compile/ir/ir.h"

// Gives every access to global or generic memory the low word of its address, computed in 32 bits. Requires
// 32-bit addresses (compile_options.address_bits). True if the function changed; unread values are left to
// pass_dead.
bool narrow_addresses(struct ir_function *f);

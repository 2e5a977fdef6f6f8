// The families of fast forms, one per C file of fast/ except addresses.c. A family is a function: returns the
// handlers of the form for an instruction, or NULL for no form. May rearrange d's operands.
#pragma once
#include "exec/exec_impl.h"

typedef const struct handlers *fast_family(const struct exec *e, const struct inst *i, struct bound *d);

#define FAST_FAMILIES                                                                                        \
    FAMILY(fast_integer)                                                                                     \
    FAMILY(fast_bits)                                                                                        \
    FAMILY(fast_single)                                                                                      \
    FAMILY(fast_double)                                                                                      \
    FAMILY(fast_double_convert)                                                                              \
    FAMILY(fast_memory) FAMILY(fast_control) FAMILY(fast_flat) FAMILY(fast_cross) FAMILY(fast_atomic)

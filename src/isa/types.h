// Named sets of types, one bit per enum isa_type. isa.def and the compiler's ir.def use the sets for the
// types of an operation.
#pragma once
#include "isa/fields.h"

#include <stdbool.h>
#include <stdint.h>

#define ISA_TYPE(name) (1u << TYPE_##name)

enum {
    TYPES_ANY = 0, // not checked
    TYPES_WORD = ISA_TYPE(U32) | ISA_TYPE(S32),
    TYPES_HALF = ISA_TYPE(F16) | ISA_TYPE(BF16),
    TYPES_REAL =
        TYPES_HALF | ISA_TYPE(F16X2) | ISA_TYPE(BF16X2) | ISA_TYPE(TF32) | ISA_TYPE(F32) | ISA_TYPE(F64),
    TYPES_SMALL = ISA_TYPE(U8) | ISA_TYPE(S8) | ISA_TYPE(U16) | ISA_TYPE(S16) |
                  TYPES_WORD, // integers of at most 32 bits
    TYPES_INTEGER = TYPES_SMALL | ISA_TYPE(U64) | ISA_TYPE(S64),
    TYPES_WIDE = ISA_TYPE(B32) | ISA_TYPE(B64) | ISA_TYPE(B128),
    TYPES_ACCESS = ISA_TYPE(U8) | ISA_TYPE(S8) | ISA_TYPE(U16) | ISA_TYPE(S16) | TYPES_WIDE,
    TYPES_EIGHT = ISA_TYPE(E4M3) | ISA_TYPE(E5M2),
    TYPES_BYTE_FACTOR = ISA_TYPE(U8) | ISA_TYPE(S8) | ISA_TYPE(U4) | ISA_TYPE(S4), // of IMMA
    TYPES_WARPGROUP = ISA_TYPE(F16) | ISA_TYPE(BF16) | ISA_TYPE(TF32) | TYPES_EIGHT | ISA_TYPE(U8) |
                      ISA_TYPE(S8) | ISA_TYPE(B1), // of WGMMA
    TYPES_ALL = (int)((2u << TYPE_F64) - 2)        // all but TYPE_NONE and the types of tensor cores
};

_Static_assert(TYPE_COUNT < 31, "a set of types is an int");

static inline bool isa_type_is_in(unsigned type, uint32_t set)
{
    return type < TYPE_COUNT && (!set || set >> type & 1);
}

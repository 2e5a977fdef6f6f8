// Values of the fields of an instruction: types, comparisons, rounding, caches, order of memory. fields.def has a
// row per type and comparison. Elsewhere: modes.h, sregs.h, space.h, units.h.
#pragma once
// clang-format off

#include <stdbool.h>

// Types of operations and memory accesses.
enum isa_type {
#define TYPE(name, text, bytes, is_signed, is_float) TYPE_##name,
#include "isa/fields.def"
#undef TYPE
    TYPE_COUNT
};

enum isa_cmp { // comparisons with names ending in U are true with a NaN operand
#define CMP(name) CMP_##name,
#include "isa/fields.def"
#undef CMP
};

enum isa_bool { BOOL_AND, BOOL_OR, BOOL_XOR, BOOL_POPC };

enum isa_round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

enum isa_cache { CACHE_DEFAULT, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT };

enum isa_sem { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };

enum isa_scope { SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };

enum { // flags, besides the other fields of an instruction
    INST_FTZ = 1 << 0, INST_SAT = 1 << 1,
    INST_CC = 1 << 2,        // carry out to dst[1]
    INST_X = 1 << 3,         // carry in from src[3]
    INST_HI = 1 << 4,        // IMAD, LEA: high word of the product or of the shifted value
    INST_SX = 1 << 5,        // LEA.HI: the sign of src[0] replaces the high word src[2]
    INST_EX = 1 << 6,        // ISETP: high half of a 64-bit comparison
    INST_WRAP = 1 << 7,      // SHF, BMSK, SGXT
    INST_NAN = 1 << 8, INST_XORSIGN = 1 << 9, INST_RELU = 1 << 10,
    INST_BF = 1 << 11,       // FSET, HSET2: 1.0 instead of all ones
    INST_NC = 1 << 12,       // LDG: read-only data
    // BRA: the PTX source (.uni) promises that all active lanes agree; a hint, not trusted.
    INST_UNIFORM = 1 << 13,
    INST_SCALAR = 1 << 14,   // HSETP2
    // WGMMA, for the checker: other instructions access its registers behind the last fence, or its sums before the wait
    INST_UNFENCED = INST_NC, INST_EXPOSED = 1 << 15
};

unsigned isa_type_bytes(enum isa_type type);
bool isa_type_is_signed(enum isa_type type);
bool isa_type_is_float(enum isa_type type);
const char *isa_type_name(enum isa_type type); // "U32"
const char *isa_cmp_name(enum isa_cmp cmp);    // "LTU"

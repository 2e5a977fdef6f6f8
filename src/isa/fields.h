// Values of the fields of an instruction: types, comparisons, modes, special registers, units and others.
// Enums without a list here have a row per value in names.def.
#pragma once
// clang-format off

#include <stdbool.h>

enum isa_unit {
#define UNIT(name, text) UNIT_##name,
#include "isa/names.def"
#undef UNIT
    UNIT_COUNT
};

enum isa_latency {
#define LATENCY(name, text) LATENCY_##name,
#include "isa/names.def"
#undef LATENCY
    LATENCY_COUNT
};

// Types of operations and memory accesses.
enum isa_type {
#define TYPE(name, text, bytes, is_signed, is_float) TYPE_##name,
#include "isa/names.def"
#undef TYPE
    TYPE_COUNT
};

enum isa_cmp { // comparisons with names ending in U are true with a NaN operand
#define CMP(name) CMP_##name,
#include "isa/names.def"
#undef CMP
};

enum isa_bool { BOOL_AND, BOOL_OR, BOOL_XOR, BOOL_POPC };

enum isa_round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

enum isa_cache { CACHE_DEFAULT, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT };

enum isa_sem { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };

enum isa_scope { SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };

enum isa_mode { // sub-function of an instruction
#define MODE(name, text) MODE_##name,
#include "isa/names.def"
#undef MODE
    MODE_COUNT
};

// Special registers.
enum isa_sreg {
#define SREG(name, text, whose) SREG_##name,
#include "isa/names.def"
#undef SREG
    SREG_COUNT
};

unsigned isa_type_bytes(enum isa_type type);
bool isa_type_is_signed(enum isa_type type);
bool isa_type_is_float(enum isa_type type);
const char *isa_type_name(enum isa_type type); // "U32"
const char *isa_mode_name(enum isa_mode mode); // "RCP"
const char *isa_cmp_name(enum isa_cmp cmp);    // "LTU"
const char *isa_sreg_name(enum isa_sreg sreg); // "SR_TID.X"
// Threads reading equal values of a special register. SREG_OF_LANE: a lane alone; SREG_OF_WARP: the lanes of
// a warp, at one moment; SREG_OF_BLOCK: the threads of a block.
enum isa_sreg_whose { SREG_OF_LANE, SREG_OF_WARP, SREG_OF_BLOCK };
enum isa_sreg_whose isa_sreg_whose(enum isa_sreg sreg);
const char *isa_unit_name(enum isa_unit unit);
const char *isa_latency_name(enum isa_latency latency);

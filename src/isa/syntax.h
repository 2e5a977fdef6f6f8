// How an instruction's modifiers are written after its mnemonic: "IMAD" + ".WIDE" is the mnemonic's, ".U32" a
// modifier's. isa.def says which an instruction has; the listing prints them in the order of this enum, an
// assembler can read them back by trying each modifier's values.
#pragma once
#include "isa/isa.h"

enum isa_modifier {
    MODIFIER_WIDE,  // .E: the address is a 64-bit pair
    MODIFIER_SPACE, // .SHARED
    MODIFIER_MODE,  // .RCP
    MODIFIER_HI,
    MODIFIER_SX,
    MODIFIER_WRAP,
    MODIFIER_ACCESS, // .U8 … .64 .128, nothing for 32 bits
    MODIFIER_TYPE,   // .F32
    MODIFIER_TYPE2,  // .F32 of the source
    MODIFIER_CMP,    // .GE
    MODIFIER_SIGN,   // .U32, nothing for S32
    MODIFIER_SH,     // the mode FLO_SH
    MODIFIER_FTZ,
    MODIFIER_ROUND,     // .RZ
    MODIFIER_ROUND_INT, // .TRUNC
    MODIFIER_SAT,
    MODIFIER_NAN,
    MODIFIER_XORSIGN,
    MODIFIER_RELU,
    MODIFIER_BOOL, // .AND
    MODIFIER_BF,
    MODIFIER_SCALAR,
    MODIFIER_EX,
    MODIFIER_X,
    MODIFIER_NC,
    MODIFIER_CACHE, // .CG
    MODIFIER_SEM,   // .STRONG
    MODIFIER_SCOPE, // .GPU, where the order is not weak
    MODIFIER_VECTOR_RETURN,
    MODIFIER_UNIFORM,
    MODIFIER_LUT, // .LUT, which LOP3 and PLOP3 always carry; the table stands behind the operands
    // Fields that are written among the operands alone.
    MODIFIER_LUT2,  // PLOP3's second table
    MODIFIER_SHIFT, // LEA's, before the carry
    MODIFIER_TABLE, // a jump table
    MODIFIER_TARGET,
    MODIFIER_JOIN, // the reconvergence point
    MODIFIER_COUNT
};

// The modifiers in order: the first from m on that the operation has, MODIFIER_COUNT when there is none.
enum isa_modifier isa_next_modifier(enum isa_op op, enum isa_modifier m);
#define EACH_MODIFIER(m, op)                                                                                 \
    for (enum isa_modifier m = isa_next_modifier((op), (enum isa_modifier)0); m < MODIFIER_COUNT;            \
         m = isa_next_modifier((op), (enum isa_modifier)(m + 1)))
// Text without the dot, "" when the modifier's value is the one that is not written.
const char *isa_modifier_text(const struct inst *i, enum isa_modifier m);
// Sets the modifier to its v-th value; false past the last, and of a field. Value 0 is the one that is not
// written, where there is one.
bool isa_modifier_set(struct inst *i, enum isa_modifier m, unsigned v);

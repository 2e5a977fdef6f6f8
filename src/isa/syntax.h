// Text of an instruction's modifiers: in "IMAD.WIDE.U32", "IMAD.WIDE" is the mnemonic and ".U32" a
// modifier. isa.def lists the modifiers of an instruction. The listing prints in the order of the enum; an
// assembler can read modifiers back by trying each value.
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
    MODIFIER_SHAPE,  // .16816
    MODIFIER_TYPE,   // .F32
    MODIFIER_TYPE2,  // .F32 of the source
    MODIFIER_TYPE3,  // .S8 of the second factor
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
    MODIFIER_SCOPE, // .GPU, unless the order is weak
    MODIFIER_UNIFORM,
    MODIFIER_UNFENCED,
    MODIFIER_EXPOSED,
    // .LUT, always on LOP3 and PLOP3; the table follows the operands.
    MODIFIER_LUT,
    // Fields printed among the operands, not as a suffix of the mnemonic.
    MODIFIER_LUT2,  // second table of PLOP3
    MODIFIER_SHIFT, // of LEA, before the carry
    MODIFIER_TABLE, // a jump table
    MODIFIER_TARGET,
    MODIFIER_JOIN, // the reconvergence point
    MODIFIER_COUNT
};

// First modifier of the operation at or after m; MODIFIER_COUNT: none is left. EACH_MODIFIER visits all in
// order.
enum isa_modifier isa_next_modifier(enum isa_op op, enum isa_modifier m);
#define EACH_MODIFIER(m, op)                                                                                 \
    for (enum isa_modifier m = isa_next_modifier((op), (enum isa_modifier)0); m < MODIFIER_COUNT;            \
         m = isa_next_modifier((op), (enum isa_modifier)(m + 1)))
// Text without the dot; "" for the default value, which is never written, and for fields among the operands.
const char *isa_modifier_text(const struct inst *i, enum isa_modifier m);
// Sets the modifier to its v-th value; false past the last value, and for fields printed among the operands.
// Value 0 is the unwritten default, if any.
bool isa_modifier_set(struct inst *i, enum isa_modifier m, unsigned v);

// How an instruction's modifiers are written after its mnemonic: "IMAD" + ".WIDE" is the mnemonic's, ".U32" a
// modifier's. One list an instruction, in the order of printing; the listing prints it, an assembler can read
// it back by trying each modifier's values.
#pragma once
#include "isa/isa.h"

enum isa_modifier {
    MODIFIER_END,
    MODIFIER_MODE,      // .RCP
    MODIFIER_CMP,       // .GE
    MODIFIER_BOOL,      // .AND
    MODIFIER_SIGN,      // .U32, nothing for S32
    MODIFIER_TYPE,      // .F32
    MODIFIER_TYPE2,     // .F32 of the source
    MODIFIER_ACCESS,    // .U8 … .64 .128, nothing for 32 bits
    MODIFIER_WIDE,      // .E: the address is a 64-bit pair
    MODIFIER_SPACE,     // .SHARED
    MODIFIER_CACHE,     // .CG
    MODIFIER_SEM,       // .STRONG
    MODIFIER_SCOPE,     // .GPU, where the order is not weak
    MODIFIER_ROUND,     // .RZ
    MODIFIER_ROUND_INT, // .TRUNC
    MODIFIER_FTZ,
    MODIFIER_SAT,
    MODIFIER_X,
    MODIFIER_HI,
    MODIFIER_SX,
    MODIFIER_EX,
    MODIFIER_WRAP,
    MODIFIER_NAN,
    MODIFIER_XORSIGN,
    MODIFIER_RELU,
    MODIFIER_BF,
    MODIFIER_NC,
    MODIFIER_UNIFORM,
    MODIFIER_SCALAR,
    MODIFIER_RETURN,
    MODIFIER_LUT, // .LUT, which LOP3 and PLOP3 always carry
    MODIFIER_COUNT
};

enum { MODIFIERS_MAX = 10 };

const enum isa_modifier *isa_modifiers(enum isa_op op); // ends with MODIFIER_END
// Text without the dot, "" when the modifier's value is the one that is not written.
const char *isa_modifier_text(const struct inst *i, enum isa_modifier m);
// Sets the modifier to its v-th value; false past the last. Value 0 is the one that is not written, where
// there is one.
bool isa_modifier_set(struct inst *i, enum isa_modifier m, unsigned v);

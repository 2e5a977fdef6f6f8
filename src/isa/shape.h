// What the operands and modifiers of an instruction must look like: the "form" column of isa.def as a table,
// and the register widths that follow from an instruction's types and mode.
//
// Canonical form: every operand its row names is there, except where the row says otherwise (enum isa_when).
// Predicates that a comparison does not need are PT, sources that a sum does not need are RZ.
#pragma once
#include "isa/isa.h"
#include "isa/syntax.h"
#include "isa/types.h"

enum shape_kind { // from SHAPE_REG on: what sits in a group of registers, or could
    SHAPE_NONE,
    SHAPE_PRED,
    SHAPE_ADDRESS, // OPERAND_MEM
    SHAPE_BANK,    // OPERAND_MEM, printed behind c[bank]
    SHAPE_SPECIAL, // OPERAND_SREG
    SHAPE_REG,
    SHAPE_IMM,   // SHAPE_REG or an immediate
    SHAPE_VALUE, // the same, or a constant, or shared memory (32 bits, profile ptxplus)
    SHAPE_FLOAT  // SHAPE_VALUE, immediates are floats
};

// Registers of a group: as many as this number says, or as many as
enum shape_width { WIDTH_1 = 1, WIDTH_2 = 2, WIDTH_4 = 4, WIDTH_TYPE, WIDTH_TYPE2, WIDTH_TEXTURE };

enum isa_when { // when the canonical form has an operand
    WHEN_ALWAYS,
    WHEN_MAY, // it may be absent
    WHEN_CC,  // with INST_CC, and so on
    WHEN_X,
    WHEN_EX,
    WHEN_TWO_WORDS, // LEA.HI that is not given a word's sign
    WHEN_CAS,
    WHEN_NO_BALLOT, // VOTE with a mode
    WHEN_REDUCTION, // BAR.RED; the results of its two kinds:
    WHEN_COUNT,
    WHEN_TRUTH
};

struct isa_place {     // of an operand
    uint8_t kind;      // enum shape_kind
    uint8_t width;     // enum shape_width, from SHAPE_REG on
    uint8_t modifiers; // OPERAND_*
    uint8_t when;      // enum isa_when
    bool own_field;    // an immediate does not count as the one source that is no register
    bool pair_address; // with the modifier .E the address is in a pair
};

struct isa_shape {
    struct isa_place dst[2], src[4];
    uint64_t modifiers;     // set of enum isa_modifier
    uint64_t modes;         // set of enum isa_mode; empty: MODE_NONE alone
    uint32_t types, types2; // sets of enum isa_type (types.h); empty: not looked at
    uint16_t flags;         // INST_* that the modifiers stand for
};

extern const struct isa_shape isa_shapes[OP_COUNT];

// Registers an operand takes by the instruction's types and mode; meaningful from SHAPE_REG on.
unsigned isa_dst_width(const struct inst *i);
unsigned isa_src_width(const struct inst *i, unsigned k);

// Whether the canonical form of this instruction has an operand, by its `when`.
enum isa_presence { PRESENCE_NEVER, PRESENCE_MAY, PRESENCE_ALWAYS };
enum isa_presence isa_presence(const struct inst *i, const struct isa_place *place);

static inline bool isa_mode_fits(enum isa_op op, enum isa_mode mode)
{
    uint64_t modes = isa_shapes[op].modes;
    return modes ? modes >> mode & 1 : mode == MODE_NONE;
}

static inline bool isa_has_modifier(enum isa_op op, enum isa_modifier m)
{
    return isa_shapes[op].modifiers >> m & 1;
}

// The source that is an address, the global one of two; 4: none.
unsigned isa_address_source(enum isa_op op);

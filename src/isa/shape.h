// Shapes: required operands and modifiers of each instruction, from the "form" column of isa.def, and
// register widths by type and mode.
//
// Canonical form: every operand named by the row is present, unless the row has a condition (enum
// isa_when). Unused predicates of a comparison are PT, unused sources of a sum are RZ.
#pragma once
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/syntax.h"
#include "isa/types.h"

enum shape_kind { // kind of an operand; from SHAPE_REG on, a register group is allowed
    SHAPE_NONE,
    SHAPE_PRED,
    SHAPE_ADDRESS, // OPERAND_MEM
    SHAPE_BANK,    // OPERAND_MEM, printed after c[bank]
    SHAPE_SPECIAL, // OPERAND_SREG
    SHAPE_REG,
    SHAPE_IMM,   // SHAPE_REG or an immediate
    SHAPE_VALUE, // SHAPE_IMM, or a constant, or shared memory (32 bits, profile ptxplus)
    SHAPE_FLOAT  // SHAPE_VALUE, immediates are floats
};

// Number of registers in an operand's group: 1, 2 or 4, or by type, type2, the number of texture
// coordinates or the shape of a matrix instruction.
enum shape_width {
    WIDTH_1 = 1,
    WIDTH_2 = 2,
    WIDTH_4 = 4,
    WIDTH_TYPE,
    WIDTH_TYPE2,
    WIDTH_TEXTURE,
    WIDTH_A, // matrix instructions: isa_mma_registers
    WIDTH_B,
    WIDTH_D
};

enum isa_when { // condition for an operand in the canonical form
    WHEN_ALWAYS,
    WHEN_MAY, // optional
    WHEN_CC,  // with INST_CC, and so on
    WHEN_X,
    WHEN_EX,
    WHEN_TWO_WORDS, // LEA.HI without a sign word
    WHEN_CAS,
    WHEN_NO_BALLOT, // VOTE with a mode
    // In order: BAR.RED; BAR.RED with a count as result; BAR.RED with a predicate as result.
    WHEN_REDUCTION,
    WHEN_COUNT,
    WHEN_TRUTH
};

struct isa_place {     // of an operand
    uint8_t kind;      // enum shape_kind
    uint8_t width;     // enum shape_width, from SHAPE_REG on
    uint8_t modifiers; // OPERAND_*
    uint8_t when;      // enum isa_when
    bool own_field;    // an immediate here does not count as the instruction's only non-register source
    bool pair_address; // with the modifier .E the address is in a register pair
};

struct isa_shape {
    struct isa_place dst[2], src[4];
    uint64_t modifiers;             // set of enum isa_modifier
    uint64_t modes;                 // set of enum isa_mode; empty: MODE_NONE alone
    uint32_t types, types2, types3; // sets of enum isa_type (types.h); empty: not checked, types3: none
    uint32_t shapes;                // set of enum isa_mma; empty: MMA_NONE alone
    uint16_t flags;                 // INST_* flags of the modifiers
};

extern const struct isa_shape isa_shapes[OP_COUNT];

// Number of registers of destination 0, or of source k, by the instruction's type and mode; for shapes from
// SHAPE_REG on.
unsigned isa_dst_width(const struct inst *i);
unsigned isa_src_width(const struct inst *i, unsigned k);

// Whether an operand is present in the canonical form, by `when` of its place.
enum isa_presence { PRESENCE_NEVER, PRESENCE_MAY, PRESENCE_ALWAYS };
enum isa_presence isa_presence(const struct inst *i, const struct isa_place *place);

static inline bool isa_mode_fits(enum isa_op op, enum isa_mode mode)
{
    uint64_t modes = isa_shapes[op].modes;
    return modes ? modes >> mode & 1 : mode == MODE_NONE;
}

static inline bool isa_shape_fits(enum isa_op op, unsigned shape)
{
    uint32_t shapes = isa_shapes[op].shapes;
    return shapes ? shapes >> shape & 1 : shape == 0;
}

static inline bool isa_has_modifier(enum isa_op op, enum isa_modifier m)
{
    return isa_shapes[op].modifiers >> m & 1;
}

// Index of the source with the memory address (of two addresses: the global one); 4: no address.
unsigned isa_address_source(enum isa_op op);

// What the operands of an instruction must look like: the "operands" column of isa.def in a form that code
// can use, and the register widths that follow from an instruction's types and mode.
//
// Canonical form: every operand its row names is there, except
//   IADD3 IMAD IMADW LEA   q only with CC, src[3] only with X
//   ISETP                  src[3] only with EX
//   LOP3 SHFL VOTE MATCH   q where it is wanted
//   LEA                    src[2] only with HI and not SX
//   BAR                    b absent: the whole block; d, q and the predicate by mode RED and `boolean`
//   LDGSTS SYSCALL         src[2]; SYSCALL also d and b
//   SHFL VOTE              the member mask (legacy forms)
// Predicates that a comparison does not need are PT, sources that a sum does not need are RZ.
#pragma once
#include "isa/isa.h"

enum shape_kind { SHAPE_NONE, SHAPE_REG, SHAPE_PRED, SHAPE_MEM };

struct isa_shape {
    uint8_t dst[2]; // enum shape_kind
    uint8_t src[4];
};

struct isa_shape isa_shape_of(enum isa_op op);

// Registers an operand takes by the instruction's types and mode; meaningful for SHAPE_REG only.
unsigned isa_dst_width(const struct inst *i);
unsigned isa_src_width(const struct inst *i, unsigned k);

bool isa_mode_fits(enum isa_op op, enum isa_mode mode);
// Operand modifiers (OPERAND_*) that source k may carry, INST_* flags the instruction may carry.
unsigned isa_src_modifiers(const struct inst *i, unsigned k);
unsigned isa_inst_flags(enum isa_op op);
// Whether source k may be an immediate beside another non-register source: fields of their own in the
// encoding.
bool isa_src_is_field(enum isa_op op, unsigned k);

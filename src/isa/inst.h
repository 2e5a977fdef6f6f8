// An instruction of the machine: its fields and operands.
//
// 32-bit vector registers R0..R254 and RZ (255, reads zero, writes vanish); predicates P0..P6 and PT (7);
// 64-bit values in aligned pairs, 128-bit values in aligned quads; a constant bank per kind of launch-wide
// data; fixed-size instructions (pc = 8 * index, except RISC-V; place in memory: program.h); one guard each.
// isa.def has one row for every instruction and the meaning of its modifiers; docs/reference/isa.md is
// generated from isa.def.
#pragma once
// clang-format off
#include <stdbool.h>
#include <stdint.h>

enum operand_kind {
    OPERAND_NONE,
    OPERAND_REG,    // reg, width registers
    OPERAND_PRED,   // reg is P0..P6, PT = 7; OPERAND_NOT
    OPERAND_IMM,    // value: 32 bits; for doubles the high word, the low word is zero
    OPERAND_CONST,  // c[bank][value], width registers wide
    OPERAND_SREG,   // reg is an enum isa_sreg
    OPERAND_MEM,    // memory address: register (width 1) or pair (width 2) + (int32_t)value; RZ: value alone
    OPERAND_SHARED  // s[reg + (int32_t)value], profile ptxplus: a 32-bit shared load in an ALU instruction
};

enum { // operand modifiers
    OPERAND_NEG = 1 << 0, // arithmetic negation; with carry in (INST_X): bitwise NOT of the source
    OPERAND_ABS = 1 << 1,
    OPERAND_NOT = 1 << 2,   // predicates
    OPERAND_H0_H0 = 1 << 3, // both halves from the low half
    OPERAND_H1_H1 = 1 << 4,
    OPERAND_T = 1 << 5 // WGMMA: the matrix lies along its rows or columns, not along the depth
};

struct operand {
    uint8_t kind;  // enum operand_kind
    uint8_t reg;
    uint8_t width; // registers, 1 to 128, from an aligned one on (operand_alignment)
    uint8_t flags;
    uint8_t bank;  // CONST
    uint32_t value;
};

// 32-bit words of an operand, per lane: the operand's width; 1 for operands without a width (0).
static inline unsigned operand_words(const struct operand *o) { return o->width ? o->width : 1; }

// A range of registers begins at a multiple of its width rounded up to a power of two, at most 8.
static inline unsigned operand_alignment(unsigned width) { return width > 4 ? 8 : width > 2 ? 4 : width; }

enum { REG_ZERO = 255, PRED_TRUE = 7, REG_LIMIT = 255, PRED_LIMIT = 7 };

struct inst {
    uint16_t op;         // enum isa_op
    uint8_t guard;       // P0..P6, PT = 7: always
    uint8_t guard_not;
    uint8_t type, type2; // enum isa_type
    uint8_t cmp, boolean, round, mode, space, cache, sem, scope;
    uint8_t lut, lut2, shift; // LOP3, PLOP3; LEA
    uint8_t bank;             // LDC
    uint16_t flags;           // INST_* (fields.h)
    uint8_t mark;             // two bits, see mark/; 0 = vector
    uint8_t shape, type3;     // matrix instructions: enum isa_mma; type of the second factor
    struct operand dst[2];
    struct operand src[4];
    uint32_t target;      // BRA, SSY, CALL, RBR, RJAL: instruction index
    uint32_t reconverge;  // BRA, BRX: instruction index of the immediate post-dominator, NO_TARGET when none
    uint16_t table;       // BRX
    uint32_t lines;       // index into program->line_sets
};

// RISC-V code words: decoding by rv.def, fields, text.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum rv_op {
#define RV(name, mnemonic, mask, match, form, row, has, scalar, latency, meaning) RV_##name,
#include "riscv/rv.def"
#undef RV
    RV_COUNT,
    RV_NONE = RV_COUNT // undecodable word
};

enum rv_form {
    RV_FORM_N,  // no operands
    RV_FORM_R,  // rd, rs1, rs2
    RV_FORM_R1, // rd, rs1
    RV_FORM_I,  // rd, rs1, 12 bits signed
    RV_FORM_SH, // rd, rs1, 5 bits
    RV_FORM_L,  // rd, 12 bits signed(rs1)
    RV_FORM_S,  // rs2, 12 bits signed(rs1)
    RV_FORM_B,  // rs1, rs2, pc + 13 bits signed
    RV_FORM_U,  // rd, upper 20 bits
    RV_FORM_UP, // upper 20 bits, added to the pc
    RV_FORM_J,  // rd, pc + 21 bits signed
    RV_FORM_A,  // rd, rs2, (rs1)
    RV_FORM_C,  // rd, csr, rs1
    RV_FORM_CI  // rd, csr, 5 bits
};

enum rv_latency { // executing unit
    RV_LATENCY_ALU,
    RV_LATENCY_MUL, // multiplications and shifts
    RV_LATENCY_DIV,
    RV_LATENCY_MEM,
    RV_LATENCY_FADD,
    RV_LATENCY_FMUL,
    RV_LATENCY_FDIV,
    RV_LATENCY_FSQRT,
    RV_LATENCY_FMINMAX,
    RV_LATENCY_FTOINT,
    RV_LATENCY_FFROMINT,
    RV_LATENCY_FCMP,
    RV_LATENCY_FEQ
};

struct rv_info {
    // Arrays instead of pointers: each pointer costs a relocation at every start of the program.
    char mnemonic[12], meaning[76];
    uint32_t mask, match;
    enum rv_form form;
    enum rv_latency latency;
    bool scalar; // executable by the scalar pipeline
};

extern const struct rv_info rv_table[RV_COUNT];

struct rv_inst { // fields absent from the form are zero
    uint16_t op; // enum rv_op
    uint8_t rd, rs1, rs2;
    uint16_t csr;
    uint32_t imm; // immediate, sign extended; forms SH, CI: the 5 bits; forms U, UP: already shifted
};

struct rv_inst rv_decode(uint32_t word); // op RV_NONE: undecodable
// "addi a0, a0, -4"; targets as addresses.
void rv_print(uint32_t word, uint32_t pc, struct strbuf *out);
const char *rv_register(unsigned r); // "a0"

// Words to operations: The RISC-V Instruction Set Manual, volume I, chapter 24 (RV32/64G listings), and
// Zfinx, encoded like F.
#include "oracle/simtight_impl.h"

const char *const oracle_rv_op_names[OP_COUNT] = {
#define OP(NAME, FORM, SCALAR) #NAME,
#include "oracle/simtight.def"
#undef OP
};
const uint8_t oracle_rv_op_forms[OP_COUNT] = {
#define OP(NAME, FORM, SCALAR) FORM_##FORM,
#include "oracle/simtight.def"
#undef OP
};
const uint8_t oracle_rv_op_scalar[OP_COUNT] = {
#define OP(NAME, FORM, SCALAR) SCALAR,
#include "oracle/simtight.def"
#undef OP
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word << (31 - high) >> (31 - high + low);
}
static uint32_t sign_bits(uint32_t word, unsigned low) { return (uint32_t)((int32_t)word >> low); }

static enum simtight_op decode_register(uint32_t word)
{
    static const uint8_t plain[8] = {OP_ADD, OP_SLL, OP_SLT, OP_SLTU, OP_XOR, OP_SRL, OP_OR, OP_AND};
    static const uint8_t multiply[8] = {OP_MUL, OP_MULH, OP_MULHSU, OP_MULHU,
                                        OP_DIV, OP_DIVU, OP_REM,    OP_REMU};
    unsigned funct3 = bits(word, 14, 12), funct7 = bits(word, 31, 25);
    if (funct7 == 0) return plain[funct3];
    if (funct7 == 1) return multiply[funct3];
    if (funct7 == 32 && funct3 == 0) return OP_SUB;
    if (funct7 == 32 && funct3 == 5) return OP_SRA;
    return OP_ILLEGAL;
}

static enum simtight_op decode_immediate(uint32_t word)
{
    static const uint8_t plain[8] = {OP_ADDI, OP_SLLI, OP_SLTI, OP_SLTIU, OP_XORI, OP_SRLI, OP_ORI, OP_ANDI};
    unsigned funct3 = bits(word, 14, 12), funct7 = bits(word, 31, 25);
    if (funct3 == 5 && funct7 == 32) return OP_SRAI;
    if ((funct3 == 1 || funct3 == 5) && funct7 != 0) return OP_ILLEGAL;
    return plain[funct3];
}

static enum simtight_op decode_atomic(uint32_t word)
{
    if (bits(word, 14, 12) != 2) return OP_ILLEGAL;
    switch (bits(word, 31, 27)) { // no LR, no SC
    case 0x00: return OP_AMOADD;
    case 0x01: return OP_AMOSWAP;
    case 0x04: return OP_AMOXOR;
    case 0x08: return OP_AMOOR;
    case 0x0c: return OP_AMOAND;
    case 0x10: return OP_AMOMIN;
    case 0x14: return OP_AMOMAX;
    case 0x18: return OP_AMOMINU;
    case 0x1c: return OP_AMOMAXU;
    }
    return OP_ILLEGAL;
}

static enum simtight_op decode_float(uint32_t word)
{
    unsigned funct3 = bits(word, 14, 12), rs2 = bits(word, 24, 20);
    switch (bits(word, 31, 25)) { // any rounding mode is accepted: the machine has a single mode
    case 0x00: return OP_FADD;
    case 0x04: return OP_FSUB;
    case 0x08: return OP_FMUL;
    case 0x0c: return OP_FDIV;
    case 0x2c: return rs2 == 0 ? OP_FSQRT : OP_ILLEGAL;
    case 0x10: return funct3 == 0 ? OP_FSGNJ : funct3 == 1 ? OP_FSGNJN : funct3 == 2 ? OP_FSGNJX : OP_ILLEGAL;
    case 0x14: return funct3 == 0 ? OP_FMIN : funct3 == 1 ? OP_FMAX : OP_ILLEGAL;
    case 0x60: return rs2 == 0 ? OP_FCVT_W_S : rs2 == 1 ? OP_FCVT_WU_S : OP_ILLEGAL;
    case 0x68: return rs2 == 0 ? OP_FCVT_S_W : rs2 == 1 ? OP_FCVT_S_WU : OP_ILLEGAL;
    case 0x50: return funct3 == 2 ? OP_FEQ : funct3 == 1 ? OP_FLT : funct3 == 0 ? OP_FLE : OP_ILLEGAL;
    }
    return OP_ILLEGAL;
}

static enum simtight_op decode_system(uint32_t word)
{
    static const uint8_t csr[8] = {OP_TRAP,    OP_CSRRW,  OP_CSRRS,  OP_CSRRC,
                                   OP_ILLEGAL, OP_CSRRWI, OP_CSRRSI, OP_CSRRCI};
    return csr[bits(word, 14, 12)];
}

static enum simtight_op decode_op(uint32_t word)
{
    static const uint8_t branches[8] = {OP_BEQ, OP_BNE, OP_ILLEGAL, OP_ILLEGAL,
                                        OP_BLT, OP_BGE, OP_BLTU,    OP_BGEU};
    static const uint8_t loads[8] = {OP_LB, OP_LH, OP_LW, OP_ILLEGAL, OP_LBU, OP_LHU, OP_ILLEGAL, OP_ILLEGAL};
    static const uint8_t stores[4] = {OP_SB, OP_SH, OP_SW, OP_ILLEGAL};
    unsigned funct3 = bits(word, 14, 12);
    switch (bits(word, 6, 0)) {
    case 0x33: return decode_register(word);
    case 0x13: return decode_immediate(word);
    case 0x37: return OP_LUI;
    case 0x17: return OP_AUIPC;
    case 0x6f: return OP_JAL;
    case 0x67: return funct3 == 0 ? OP_JALR : OP_ILLEGAL;
    case 0x63: return branches[funct3];
    case 0x03: return loads[funct3];
    case 0x23: return funct3 < 4 ? stores[funct3] : OP_ILLEGAL;
    case 0x2f: return decode_atomic(word);
    case 0x53: return decode_float(word);
    case 0x73: return decode_system(word);
    case 0x0f: return funct3 == 0 ? OP_FENCE : OP_ILLEGAL;
    case 0x09: return funct3 == 0 ? OP_PUSH : funct3 == 1 ? OP_POP : OP_ILLEGAL; // custom: nesting
    case 0x08: return funct3 == 0 ? OP_FLUSH : OP_ILLEGAL; // custom: a line of the host's cache
    }
    return OP_ILLEGAL;
}

static uint32_t immediate(enum simtight_op op, uint32_t w)
{
    switch ((enum simtight_form)oracle_rv_op_forms[op]) {
    case FORM_I:
    case FORM_L:
        if (op == OP_SLLI || op == OP_SRLI || op == OP_SRAI) return bits(w, 24, 20);
        return sign_bits(w, 20);
    case FORM_S: return (sign_bits(w, 20) & ~31u) | bits(w, 11, 7);
    case FORM_B:
        return (sign_bits(w, 19) & ~0xfffu) | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 |
               bits(w, 11, 8) << 1;
    case FORM_U:
        if (op != OP_JAL) return w & ~0xfffu;
        return (sign_bits(w, 11) & ~0xfffffu) | (w & 0xff000u) | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1;
    case FORM_C: return bits(w, 31, 20);
    case FORM_R:
    case FORM_A:
    case FORM_F:
    case FORM_N: break;
    }
    return 0;
}

struct simtight_inst oracle_rv_decode(uint32_t word)
{
    enum simtight_op op = decode_op(word);
    enum simtight_form form = oracle_rv_op_forms[op];
    struct simtight_inst i = {.op = (uint8_t)op, .imm = immediate(op, word), .word = word};
    bool has_rd = form != FORM_B && form != FORM_S && form != FORM_N;
    bool has_rs1 = (form != FORM_U && form != FORM_N) || op == OP_FLUSH;
    bool has_rs2 = form == FORM_R || form == FORM_B || form == FORM_S || form == FORM_A;
    if (has_rd) i.rd = (uint8_t)bits(word, 11, 7);
    if (has_rs1) i.rs1 = (uint8_t)bits(word, 19, 15);
    if (has_rs2) i.rs2 = (uint8_t)bits(word, 24, 20);
    return i;
}

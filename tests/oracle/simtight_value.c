// Results of operations: The RISC-V Instruction Set Manual, volume I. Floating point is the host's, rounded
// to nearest; NaN results are canonical. Minima and maxima compare and select, as on the simulated machine.
#include "oracle/simtight_impl.h"

#include <math.h>
#include <string.h>

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? 0x7fc00000u : bits;
}

static uint32_t divide(enum simtight_op op, uint32_t a, uint32_t b)
{
    bool is_remainder = op == OP_REM || op == OP_REMU, is_signed = op == OP_DIV || op == OP_REM;
    if (b == 0) return is_remainder ? a : 0xffffffffu;
    if (!is_signed) return is_remainder ? a % b : a / b;
    if (a == 0x80000000u && b == 0xffffffffu) return is_remainder ? 0 : a;
    int32_t x = (int32_t)a, y = (int32_t)b;
    return (uint32_t)(is_remainder ? x % y : x / y);
}

static uint32_t to_integer(float f)
{
    if (isnan(f) || f >= 2147483648.0f) return 0x7fffffffu;
    if (f < -2147483648.0f) return 0x80000000u;
    return (uint32_t)(int32_t)f;
}

static uint32_t to_unsigned(float f)
{
    if (isnan(f) || f >= 4294967296.0f) return 0xffffffffu;
    return f <= -1.0f ? 0 : (uint32_t)(int64_t)f;
}

uint32_t oracle_rv_value(const struct simtight_inst *i, uint32_t a, uint32_t b, uint32_t pc)
{
    float x = as_float(a), y = as_float(b);
    switch ((int)i->op) {
    case OP_ADDI:
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_SLLI:
    case OP_SLL: return a << (b & 31);
    case OP_SLTI:
    case OP_SLT: return (int32_t)a < (int32_t)b;
    case OP_SLTIU:
    case OP_SLTU: return a < b;
    case OP_XORI:
    case OP_XOR: return a ^ b;
    case OP_SRLI:
    case OP_SRL: return a >> (b & 31);
    case OP_SRAI:
    case OP_SRA: return (uint32_t)((int32_t)a >> (b & 31));
    case OP_ORI:
    case OP_OR: return a | b;
    case OP_ANDI:
    case OP_AND: return a & b;
    case OP_MUL: return a * b;
    case OP_MULH: return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    case OP_MULHSU: return (uint32_t)((int64_t)(int32_t)a * (int64_t)b >> 32);
    case OP_MULHU: return (uint32_t)((uint64_t)a * b >> 32);
    case OP_DIV:
    case OP_DIVU:
    case OP_REM:
    case OP_REMU: return divide(i->op, a, b);
    case OP_LUI: return i->imm;
    case OP_AUIPC: return pc + i->imm;
    case OP_JAL:
    case OP_JALR: return pc + 4;
    case OP_FADD: return float_bits(x + y);
    case OP_FSUB: return float_bits(x - y);
    case OP_FMUL: return float_bits(x * y);
    case OP_FDIV: return float_bits(x / y);
    case OP_FSQRT: return float_bits(sqrtf(x));
    case OP_FSGNJ: return (a & 0x7fffffffu) | (b & 0x80000000u);
    case OP_FSGNJN: return (a & 0x7fffffffu) | (~b & 0x80000000u);
    case OP_FSGNJX: return a ^ (b & 0x80000000u);
    case OP_FMIN: return x < y ? a : b;
    case OP_FMAX: return x > y ? a : b;
    case OP_FCVT_W_S: return to_integer(x);
    case OP_FCVT_WU_S: return to_unsigned(x);
    case OP_FCVT_S_W: return float_bits((float)(int32_t)a);
    case OP_FCVT_S_WU: return float_bits((float)a);
    case OP_FEQ: return x == y;
    case OP_FLT: return x < y;
    case OP_FLE: return x <= y;
    }
    return 0;
}

bool oracle_rv_branches(enum simtight_op op, uint32_t a, uint32_t b)
{
    switch ((int)op) {
    case OP_BEQ: return a == b;
    case OP_BNE: return a != b;
    case OP_BLT: return (int32_t)a < (int32_t)b;
    case OP_BGE: return (int32_t)a >= (int32_t)b;
    case OP_BLTU: return a < b;
    case OP_BGEU: return a >= b;
    }
    return false;
}

uint32_t oracle_rv_atomic(enum simtight_op op, uint32_t old, uint32_t b)
{
    switch ((int)op) {
    case OP_AMOSWAP: return b;
    case OP_AMOADD: return old + b;
    case OP_AMOXOR: return old ^ b;
    case OP_AMOAND: return old & b;
    case OP_AMOOR: return old | b;
    case OP_AMOMIN: return (int32_t)old < (int32_t)b ? old : b;
    case OP_AMOMAX: return (int32_t)old > (int32_t)b ? old : b;
    case OP_AMOMINU: return old < b ? old : b;
    case OP_AMOMAXU: return old > b ? old : b;
    }
    return old;
}

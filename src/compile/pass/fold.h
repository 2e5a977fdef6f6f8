// Constant folding: the results of a pure operation with constant operands, bit for bit as the machine
// computes.
#pragma once
#include "compile/ir/ir.h"

// Sets results[k] for definition k, truncated to its class. False: no rule folds the operation, an operand is
// not constant, or the result is uncertain (a float by directed rounding, NaN payloads, approximations).
bool fold(const struct ir_inst *i, uint64_t *results);

// For fold.c; operands are constants.
bool fold_float(const struct ir_inst *i, const uint64_t *u, uint64_t *result);
bool fold_compare_int(enum isa_cmp cmp, enum isa_type type, uint64_t x, uint64_t y);

// Extends the low bits of v, as many as the integer type has, to 64 bits: by sign or by zeros, as the type.
static inline uint64_t fold_extend(uint64_t v, enum isa_type type)
{
    switch (type) {
    case TYPE_U8: return (uint8_t)v;
    case TYPE_S8: return (uint64_t)(int64_t)(int8_t)v;
    case TYPE_U16: return (uint16_t)v;
    case TYPE_S16: return (uint64_t)(int64_t)(int16_t)v;
    case TYPE_U32:
    case TYPE_B32: return (uint32_t)v;
    case TYPE_S32: return (uint64_t)(int64_t)(int32_t)v;
    case TYPE_NONE:
    case TYPE_U64:
    case TYPE_S64:
    case TYPE_B64:
    case TYPE_B128:
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_TF32:
    case TYPE_F32:
    case TYPE_F64:
    case TYPE_E4M3:
    case TYPE_E5M2:
    case TYPE_U4:
    case TYPE_S4:
    case TYPE_B1:
    case TYPE_COUNT: break;
    }
    return v;
}

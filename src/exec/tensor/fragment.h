// Fragments: which lane and which bits of a register hold an element of a matrix (PTX ISA 9.7.14; compared with
// CuTe's layouts).
//
// Lane t has g = t / 4 and q = t % 4; E elements fit a register of 32 bits.
//
//   A        row g + 8 * (r % 2)    k = q * E + e + 4 * E * (r / 2)     element e of register r
//   B        column g               k = q * E + e + 4 * E * r
//   C and D  row g + 8 * (i / 2)    column 2 * q + i % 2                element i of the lane
//
// m8n8k4 of f16 is four products, one for the lanes 4p to 4p + 3 and 4p + 16 to 4p + 19 of each p.
#pragma once
#include "exec/tensor/tensor.h"

enum tensor_matrix { TENSOR_A, TENSOR_B, TENSOR_C, TENSOR_D };

struct tensor_place {
    uint16_t row, column; // A: row, k. B: k, column
    uint8_t part;         // m8n8k4: number of the product
};

// Registers of an operand.
unsigned tensor_registers(const struct tensor_form *f, enum tensor_matrix which);
// Elements of an operand in one lane; element i begins at bit i * bits of the operand's registers in order.
unsigned tensor_elements(const struct tensor_form *f, enum tensor_matrix which);
struct tensor_place tensor_place_of(const struct tensor_form *f, enum tensor_matrix which, unsigned lane,
                                    unsigned i);

// Sparse: the column of the stored element `k` of `row`. metadata: of 32 lanes.
unsigned tensor_column_of(const struct tensor_form *f, const uint32_t *metadata, unsigned selector,
                          unsigned row, unsigned k);
